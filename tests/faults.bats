# A call of sessfs fails, or an allocation: nobody sees or writes anything wrong, and
# repeating what was refused is enough (tests/crash/faults.py).
#
# SAMPLE=N lets so many calls of each kind fail (1), or all, as make test-crash does;
# SEED=N the same ones again.
#
# bats file_tags=large,full
load lib/mount
load lib/run
load lib/crash

setup() {
	setup_trials 1
}

@test "faults: Pi is mounted and read" {
	try_all faults.py read mixed/pi
}

@test "faults: oh-my-pi is mounted and read" {
	try_all faults.py read mixed/omp
}

@test "faults: Claude Code is mounted and read, with a file beside it" {
	try_all faults.py read mixed/claude-old
}

@test "faults: the others are mounted and read" {
	try_all faults.py read mixed/go-tree mixed/draft-index
}

@test "faults: Pi is written to" {
	try_all faults.py write mixed/pi append-several/pi torn/pi
}

@test "faults: a version 1 session is migrated" {
	try_all faults.py write mixed/pi-v1
}

@test "faults: oh-my-pi is written to, with its locks" {
	try_all faults.py write mixed/omp no-newline/omp
}

@test "faults: oh-my-pi is given its first title" {
	try_all faults.py write mixed/omp-untitled
}

@test "faults: Claude Code is written to, and the file beside it" {
	try_all faults.py write mixed/claude label/claude-old mixed/claude-old
}

@test "faults: the others are written to" {
	try_all faults.py write mixed/go-tree mixed/draft-uuid mixed/draft-index
}
