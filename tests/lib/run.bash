# Commands, and what is expected of their output, status and files.

# Fails with a diff unless the output of a command is this text.
is() {
	diff -u <(printf '%s\n' "$1") <("${@:2}")
}

# The command fails with this message of strerror().
fails_with() {
	local message=$1
	shift
	run "$@"
	[ "$status" -ne 0 ] && [[ $output == *"$message"* ]] || {
		echo "status $status: $output"
		return 1
	}
}

# The same of what modes forbid, too: the kernel looks at them first, and only
# root gets as far as this message.
fails_for_root_with() {
	[ "$(id -u)" -eq 0 ] || set -- "Permission denied" "${@:2}"
	fails_with "$@"
}

# Fails unless the command exits with this status and this one line on stderr.
refuses() {
	local want=$1 line=$2
	shift 2
	run --separate-stderr "$@"
	[ "$status" -eq "$want" ] && [ "$stderr" = "$line" ] && [ -z "$output" ] || {
		echo "status $status, stderr: $stderr, stdout: $output"
		return 1
	}
}

# The only line that a command writes, and to which stream.
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

# Fails unless a file holds this JSON, however it is spaced and ordered.
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

# in_shells COMMAND...: in each shell that a helper has to run in; $SH is that.
in_shells() {
	for SH in sh "busybox sh"; do
		needs "${SH%% *}"
		echo "in $SH:"
		"$@"
	done
}

# A helper, by the last part of its name.
helper() {
	local name=$1
	shift
	${SH:-sh} "$HELPERS/sessfs-$name" "$@"
}
