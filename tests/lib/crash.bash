# What the tests of crashes share (tests/crash/README.md): a program that carries out
# scenarios with a library preloaded into sessfs. The libraries are built by make, not
# here: the tests of one folder share them.

# needs_preloaded NAME SAMPLE: the library, and how much is tried unless SAMPLE says so.
needs_preloaded() {
	needs_mounts
	needs python3
	make_folder
	[ -e "$ROOT/build/crash/$1.so" ] || {
		echo "build/crash/$1.so is missing: run make crash-programs" >&2
		return 1
	}
	export SESSFS SEED=${SEED:-$RANDOM} SAMPLE=${SAMPLE:-$2}
}

# try_all PROGRAM ARGUMENT...: in a folder of its own, with these arguments after it.
# It fails as the program does, and prints its last line, the figures, in any case.
try_all() {
	local program=$1 folder
	shift
	folder=$(mktemp -d -p "$DIR")
	echo "# SEED=$SEED" >&3
	timeout 900 python3 "$ROOT/tests/crash/$program" "$folder" "$@" >"$folder/figures" || {
		cat "$folder/figures"
		return 1
	}
	tail -n 1 "$folder/figures" | sed 's/^/# /' >&3
}
