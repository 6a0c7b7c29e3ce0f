# An agent writes while sessfs is stopped in its own write: neither loses a line
# (tests/crash/owners.py).
#
# SAMPLE=N stops sessfs so often in each scenario (3), or before every call; SEED=N the
# same ones again.
#
# bats file_tags=large,full
load lib/mount
load lib/run
load lib/crash

setup() {
	setup_trials 3
}

@test "owners: Pi, which locks nothing" {
	try_all owners.py append,several '*/pi' '*/pi-v2'
}

@test "owners: oh-my-pi, which holds its locks or waits for them" {
	try_all owners.py append,rewrite,hold append/omp label/omp mixed/omp name/omp mixed/omp-untitled
}

@test "owners: Claude Code, which locks nothing" {
	try_all owners.py append,several '*/claude' '*/claude-old'
}

@test "owners: the others, which lock nothing" {
	try_all owners.py append '*/go-tree' '*/draft-*'
}

@test "owners: Pi appends to a version 1 session while that is migrated" {
	try_all owners.py append '*/pi-v1'
	SAMPLE=all try_all owners.py append append/pi-v1
}

@test "owners: Pi migrates a version 1 session while sessfs does" {
	try_all owners.py migrate '*/pi-v1'
}
