# Assertions about commands: output, status, files.

# is TEXT COMMAND...: fails with a diff unless the command prints this text. It does not
# see NUL bytes: cmp does.
is() {
	local REPLY
	"${@:2}" >"$BATS_TEST_TMPDIR/printed" || :
	read_file "$BATS_TEST_TMPDIR/printed"
	[ "$REPLY" = "$1"$'\n' ] || diff -u <(printf '%s\n' "$1") <(printf '%s' "$REPLY")
}

# Put what is in a file into REPLY, but for NUL bytes, without a process more.
read_file() {
	local parts
	mapfile -d '' -t parts <"$1" || return
	printf -v REPLY %s "${parts[@]}"
}

# fails_with MESSAGE COMMAND...: fails unless the command fails with this
# message, one of strerror().
fails_with() {
	local message=$1
	shift
	run "$@"
	[ "$status" -ne 0 ] && [[ $output == *"$message"* ]] || {
		echo "status $status: $output"
		return 1
	}
}

# The same for operations that modes forbid too: the kernel checks modes first,
# so only root gets this message; others get EACCES.
fails_for_root_with() {
	[ "$(id -u)" -eq 0 ] || set -- "Permission denied" "${@:2}"
	fails_with "$@"
}

# refuses STATUS LINE COMMAND...: fails unless the command exits with this
# status, and prints only this line, on stderr.
refuses() {
	local want=$1 line=$2
	shift 2
	run --separate-stderr "$@"
	[ "$status" -eq "$want" ] && [ "$stderr" = "$line" ] && [ -z "$output" ] || {
		echo "status $status, stderr: $stderr, stdout: $output"
		return 1
	}
}

# fails_in_a_line TEXT STATUS COMMAND...: fails unless the command exits with
# this status, and prints only one line, on stderr, which contains this text.
fails_in_a_line() {
	local text=$1 wanted=$2 status=0
	shift 2
	"$@" >"$DIR/out" 2>"$DIR/err" || status=$?
	[ "$status" -eq "$wanted" ] && [ ! -s "$DIR/out" ] &&
		[ "$(wc -l <"$DIR/err")" -eq 1 ] &&
		grep -qF -- "$text" "$DIR/err" || {
		echo "status $status:"
		cat "$DIR/out" "$DIR/err"
		return 1
	}
}

# json_is JSON FILE: fails unless the file has this JSON value.
json_is() {
	needs python3
	python3 - "$1" "$2" <<-'PY'
	import json, sys
	with open(sys.argv[2]) as f:
	    ours = json.load(f)
	if ours != json.loads(sys.argv[1]):
	    sys.exit(f"{sys.argv[2]}: {json.dumps(ours)}")
	PY
}

# Run a command of the program.
helper() {
	"$SESSFS" "$@"
}
