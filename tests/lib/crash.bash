# What the tests of crashes share (tests/crash/README.md): a program that carries out
# scenarios while sessfs's calls are intercepted.

# setup_trials SAMPLE: how much is tried unless SAMPLE says so.
setup_trials() {
	needs_mounts
	needs python3
	make_folder
	needs_intercept
	export SESSFS SEED=${SEED:-$RANDOM} SAMPLE=${SAMPLE:-$1}
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
