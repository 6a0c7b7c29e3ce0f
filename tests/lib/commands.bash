# What the shell of a case in tests/commands has: a folder that it is in, with an empty home
# and a mount point, and the functions for sessions. When it ends nothing is left.

bats_require_minimum_version() { :; }
CASE=${CASE:?}
# shellcheck disable=SC2034 # mount.bash names the folder by it
BATS_SUITE_TEST_NUMBER=$CASE
for lib in mount run pi claude codex omp; do
	# shellcheck source=/dev/null
	. "${BASH_SOURCE[0]%/*}/$lib.bash"
done
unset lib
if [[ -z ${NO_BUILTINS-} && -e ${TEST_BUILTINS-} ]]; then
	# shellcheck source=/dev/null
	. "$ROOT/tests/lib/builtins.bash"
fi
export LC_ALL=C.UTF-8 TZ=UTC COLUMNS=80

make_folder
make_home
# shellcheck disable=SC2034 # run.bash writes there
BATS_TEST_TMPDIR=${DIR%/test}
# mount.bash's notes are for bats.
trap 'exec 3>/dev/null; leave_nothing' EXIT
trap 'exit 1' TERM
cd "$DIR" || exit

# With IN_FOLDER the session is in a folder's mount, to which mnt leads.
eval "alone_$(declare -f mount_session)"
mount_session() {
	alone_mount_session "$@" || return
	[[ -z ${IN_FOLDER-} ]] || { rm -d "$DIR/mnt" && ln -s "$MNT" "$DIR/mnt"; }
}

sessfs() {
	start "$SESSFS" "$@"
}

# on_terminal COMMAND...: what it writes to the terminal is in the file screen.
on_terminal() {
	PAGER=${PAGER-cat} RAW=$DIR/screen python3 "$ROOT/tests/lib/terminal.py" -- "$@"
}

# shown COMMAND...: print what it shows there, without colors.
shown() {
	local status=0
	NO_COLOR=1 on_terminal "$@" || status=$?
	tr -d '\r' <"$DIR/screen"
	return $status
}

# refusal COMMAND...: why each of them fails, without the shell's line number. Where modes forbid
# it, too, only root sees the reason that is given first; others are told the same.
refusal() {
	local command why
	for command; do
		why=$( (eval "$command") 2>&1 >/dev/null) && echo "not refused: $command"
		why=${why##*: }
		[[ -z ${FOR_ROOT-} || $EUID -eq 0 || $why != "Permission denied" ]] || why=$FOR_ROOT
		echo "$why"
	done
}

# each COMMAND...: run it with the words of each line of stdin. All that it says is printed,
# behind [STATUS] unless that is 0.
each() {
	local line said status
	while IFS= read -r line; do
		status=0
		said=$(eval "$* $line" 2>&1 </dev/null) || status=$?
		[ $status -eq 0 ] || printf '[%s] ' $status
		printf '%s\n' "$said"
	done
}

as_nobody() {
	setpriv --reuid=65534 --regid=65534 --clear-groups "$@"
}

# held KINDS ARGUMENT...: start sessfs, which waits before the first of these calls
# (intercept.c) until go_on, of which its status is. What it says is in the file "said".
held() {
	make_slow
	rm -f "$DIR/met"
	: >"$DIR/while"
	# Bash lets jobs in the background ignore SIGINT.
	CALL_NTH=1 CALL_DO=hold CALL_KINDS=$1 CALL_WHILE=$DIR/while CALL_REPORT=$DIR/met \
		/usr/bin/env --default-signal=INT "$SLOW" "${@:2}" >"$DIR/said" 2>&1 &
	HELD=$!
	wait_until grep -qs "^met " "$DIR/met"
}

go_on() {
	rm "$DIR/while"
	wait "$HELD"
}

# What list keeps of a file is not of one that has just been written.
settle() {
	wait_until is_past "$((${EPOCHREALTIME/[.,]/} + 100000))"
}

# is_past MICROSECOND
is_past() {
	((${EPOCHREALTIME/[.,]/} > $1))
}
