# A mount is what the model of its contract says: tests/model/model.py is the manual.
load lib/mount
load lib/run

@test "after each of 1,000 random steps the mounts, the file and every errno are as the model has them" {
	needs_mounts
	needs python3
	STEPS=${STEPS:-1000} "$ROOT/tests/model/run"
}
