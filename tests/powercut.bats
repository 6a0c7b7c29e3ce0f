# The power is cut while sessfs writes: what was reported is there, what is older is
# unchanged, and the next write is right (tests/crash/README.md).
#
# SAMPLE=N tries so many states of each scenario (12), or all; SEED=N the same ones again.
#
# bats file_tags=large
load lib/mount
load lib/run

# The programs are built by make, not here: the tests of one folder share them.
setup() {
	needs_mounts
	needs python3
	make_folder
	[ -e "$ROOT/build/crash/record.so" ] || {
		echo "build/crash/record.so is missing: run make crash-programs" >&2
		return 1
	}
	export SEED=${SEED:-$RANDOM} SAMPLE=${SAMPLE:-12}
}

# survives PATTERN...: scenarios with such names.
survives() {
	echo "# SEED=$SEED" >&3
	timeout 280 python3 "$ROOT/tests/crash/powercut.py" "$DIR" "$@" >"$DIR/figures" || {
		cat "$DIR/figures"
		return 1
	}
	tail -n 1 "$DIR/figures" | sed 's/^/# /' >&3
}

@test "power cuts: Pi" {
	survives '*/pi' '*/pi-v2'
}

@test "power cuts: version 1 sessions, which are migrated" {
	survives '*/pi-v1'
}

@test "power cuts: Pi's library" {
	survives '*/pi-harness'
}

@test "power cuts: oh-my-pi, its locks and titles" {
	survives '*/omp'
}

@test "power cuts: a first title of oh-my-pi, and the files of --rescue" {
	survives '*/omp-untitled' 'rescue/*'
}

@test "power cuts: Claude Code, with labels and HEAD beside the session" {
	survives '*/claude' '*/claude-old'
}

@test "power cuts: Go trees, with HEAD beside the session" {
	survives '*/go-tree'
}

@test "power cuts: the draft with uuids" {
	survives '*/draft-uuid'
}

# A line that is lost would give its id to the next one.
@test "power cuts: the draft in which ids are places" {
	survives '*/draft-index'
	SAMPLE=all survives append-several/draft-index
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
