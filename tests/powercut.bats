# The power is cut while sessfs writes: what was reported is there, what is older is
# unchanged, and the next write is right (tests/crash/README.md).
#
# SAMPLE=N tries so many states of each scenario (12), or all; SEED=N the same ones again.
#
# bats file_tags=large,full
load lib/mount
load lib/run
load lib/crash

setup() {
	setup_trials 12
}

@test "power cuts: Pi" {
	try_all powercut.py '*/pi' '*/pi-v2'
}

@test "power cuts: version 1 sessions, which are migrated" {
	try_all powercut.py '*/pi-v1'
}

@test "power cuts: oh-my-pi, its locks and titles" {
	try_all powercut.py '*/omp'
}

@test "power cuts: a first title of oh-my-pi, and the files of rescue" {
	try_all powercut.py '*/omp-untitled' 'rescue/*'
}

@test "power cuts: Claude Code, with labels and HEAD beside the session" {
	try_all powercut.py '*/claude' '*/claude-old'
}

@test "power cuts: Go trees, with HEAD beside the session" {
	try_all powercut.py '*/go-tree'
}

@test "power cuts: the draft with uuids" {
	try_all powercut.py '*/draft-uuid'
}

# A line that is lost would give its id to the next one.
@test "power cuts: the draft in which ids are places" {
	try_all powercut.py '*/draft-index'
	SAMPLE=all try_all powercut.py append-several/draft-index
}

# fails_without SYNCS LEAST PATTERN...: at least so many of the scenarios fail if these
# syncs do nothing.
fails_without() {
	local least=$2 failed
	export WITHOUT_SYNC=$1
	shift 2
	timeout 280 python3 "$ROOT/tests/crash/powercut.py" "$DIR" "$@" >"$DIR/figures" 2>/dev/null && return 1
	failed=$(sed -nE 's/^[0-9]+ scenarios, ([0-9]+) of them with failures$/\1/p' "$DIR/figures")
	[ "${failed:-0}" -ge "$least" ] || {
		cat "$DIR/figures"
		return 1
	}
}

# Else the tests above might see nothing.
@test "power cuts: without syncs writes are lost, and the tests see it" {
	fails_without file 9 '*/pi' '*/claude'
	fails_without folder 6 '*/pi-v1'
}
