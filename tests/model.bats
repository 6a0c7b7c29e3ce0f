# A mount is what the model of its contract says: tests/model/model.py is the manual.
# Rules: H1 H2 H5 H6 L1 N1 A1 A2 A4 A5 R1 R2 E1 E2 E4 C1
load lib/mount
load lib/run

@test "after each of some hundred random steps the mounts, the file and every errno are as the model has them" {
	needs_mounts
	needs python3
	SEED=${SEED:-1} STEPS=${STEPS:-300} "$ROOT/tests/model/run"
}
