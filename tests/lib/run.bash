# Assertions about commands: output, status, files.

# whole VARIABLE FILE: put all that the file has into a variable, but for NUL bytes; nothing if
# it can't be read. No process is started, here and below, where bash can do it: processes are
# what tests cost.
whole() {
	local whole_parts
	printf -v "$1" %s ""
	mapfile -d '' -t whole_parts <"$2" || return
	printf -v "$1" %s "${whole_parts[@]}"
}

# run_one COMMAND...: run it; a program that is given by its path is started without a fork.
run_one() {
	case $1 in
	*/*) start "$@" ;;
	*) "$@" ;;
	esac
}

# is TEXT COMMAND...: fails with a diff unless the command prints this text. It does not
# see NUL bytes: cmp does.
is() {
	local got said_at=$BATS_TEST_TMPDIR/printed
	if [ $# -eq 3 ] && [ "$2" = cat ]; then
		said_at=$3
	else
		run_one "${@:2}" >"$said_at" || :
	fi
	whole got "$said_at"
	[ "$got" = "$1"$'\n' ] || diff -u <(printf '%s\n' "$1") <(printf '%s' "$got")
}

# prints_nothing COMMAND...: fails unless the command succeeds and prints nothing.
prints_nothing() {
	hear "$@" || return
	[ "$status" -eq 0 ] && [ -z "$output" ] || {
		echo "status $status: $output"
		return 1
	}
}

# has TEXT FILE: fails unless the file has this text. has_line LINE FILE: unless it has this line.
has() {
	local got
	whole got "$2" || return 2
	[[ $got == *"$1"* ]] || {
		printf 'no "%s" in %s:\n%s\n' "$1" "$2" "$got"
		return 1
	}
}

has_line() {
	local got
	whole got "$2" || return 2
	[[ $'\n'$got$'\n' == *$'\n'"$1"$'\n'* ]] || {
		printf 'no line "%s" in %s:\n%s\n' "$1" "$2" "$got"
		return 1
	}
}

# has_lines N FILE
has_lines() {
	local got
	mapfile -t got <"$2" || return
	[ "${#got[@]}" -eq "$1" ] || {
		echo "$2 has ${#got[@]} lines, not $1"
		return 1
	}
}

# Run a command in this shell: its status is in $status, and what it said in $output.
hear() {
	status=0
	run_one "$@" >"$BATS_TEST_TMPDIR/said" 2>&1 || status=$?
	whole output "$BATS_TEST_TMPDIR/said"
}

# fails_with MESSAGE COMMAND...: fails unless the command fails with this
# message, one of strerror().
fails_with() {
	local message=$1
	hear "${@:2}" || return
	[ "$status" -ne 0 ] && [ -n "$message" ] && [[ $output == *"$message"* ]] || {
		echo "status $status: $output"
		return 1
	}
}

# exits STATUS COMMAND...: fails unless the command exits with this status. What it has
# printed is in $output.
exits() {
	hear "${@:2}" || return
	[ "$status" -eq "$1" ] || {
		echo "status $status, not $1: $output"
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
	local want=$1 line=${2:+$2$'\n'} said_at=$BATS_TEST_TMPDIR/printed
	shift 2
	status=0
	run_one "$@" >"$said_at" 2>"$said_at.errors" || status=$?
	whole output "$said_at"
	whole stderr "$said_at.errors"
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
	run_one "$@" >"$DIR/out" 2>"$DIR/err" || status=$?
	[ "$status" -eq "$wanted" ] && [ ! -s "$DIR/out" ] &&
		has_lines 1 "$DIR/err" && has "$text" "$DIR/err" || {
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
	start "$SESSFS" "$@"
}
