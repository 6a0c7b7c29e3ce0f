# What every test needs of bats: an end to tests that hang, quick traces, and
# tests that are skipped only where that is allowed.

bats_require_minimum_version 1.5.0
# A test that takes more seconds has hung, also under valgrind.
BATS_TEST_TIMEOUT=${BATS_TEST_TIMEOUT:-600}

# In place of bats' own function of that name, for a test that has run out of
# time: that one asks the test's children to end, and what they have started
# goes on, and is waited for.
bats_kill_childprocesses_of() {
	local child
	for child in $(pgrep -P "$1"); do
		[ "$child" -ne "$BASHPID" ] || continue
		bats_kill_childprocesses_of "$child"
		kill -9 "$child"
	done
}

# In place of bats' own function of that name, which takes 0.2 ms before every
# command: only those in the test's file are remembered, for the lines of a
# failure. One in here is shown where the test calls it.
# shellcheck disable=SC2034 # bats reads them
bats_debug_trap() {
	[[ $1 == "$BATS_TEST_SOURCE" && -z ${BATS_INTERRUPTED-}${BATS_TIMED_OUT-} ]] ||
		return 0
	BATS_DEBUG_LASTLAST_STACK_TRACE=("${BATS_DEBUG_LAST_STACK_TRACE[@]}")
	BATS_DEBUG_LAST_LINENO=("${BASH_LINENO[@]}")
	BATS_DEBUG_LAST_SOURCE=("${BASH_SOURCE[@]}")
	bats_capture_stack_trace
}

# needs PROGRAM...: what a test, or a helper that it calls, runs.
needs() {
	local program
	for program; do
		type -P "$program" >/dev/null || lacks "there is no $program here" \
			"scripts/bootstrap test installs it"
	done
}

# lacks WHY [REMEDY]: the test can't run here. With MAY_SKIP set it is skipped,
# otherwise it fails. In a subshell it always fails: skip would end only that,
# and the test would pass.
lacks() {
	[ -z "${MAY_SKIP-}" ] || [ "$BASHPID" -ne $$ ] || skip "$1"
	echo "$1${2:+: $2}" >&2
	exit 1
}

needs_mounts() {
	local why
	[ -z "${CAN_MOUNT-}" ] || return 0
	why=$("$ROOT/tests/can-mount") || lacks "$why"
}

# For tests that become somebody else, or have something to drop.
needs_root() {
	[ "$(id -u)" -eq 0 ] || skip "this test needs root"
}
