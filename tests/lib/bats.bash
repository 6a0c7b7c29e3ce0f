# Settings and functions of bats for every test: traces are quick, and tests are
# skipped only if that is allowed.

bats_require_minimum_version 1.5.0

# Replaces bats' function, which costs 0.2 ms before every command. Only
# commands in the test's own file are recorded for traces; a failure in here is
# shown at the line of the call.
# shellcheck disable=SC2034 # bats reads them
bats_debug_trap() {
	[[ $1 == "$BATS_TEST_SOURCE" && -z ${BATS_INTERRUPTED-} ]] ||
		return 0
	BATS_DEBUG_LASTLAST_STACK_TRACE=("${BATS_DEBUG_LAST_STACK_TRACE[@]}")
	BATS_DEBUG_LAST_LINENO=("${BASH_LINENO[@]}")
	BATS_DEBUG_LAST_SOURCE=("${BASH_SOURCE[@]}")
	bats_capture_stack_trace
}

# needs PROGRAM...: the programs that the test or a helper runs.
needs() {
	local program
	for program; do
		type -P "$program" >/dev/null || lacks "there is no $program here" \
			"scripts/bootstrap test-full installs it"
	done
}

# lacks REASON [REMEDY]: the test can't run here. It is skipped if MAY_SKIP is
# set, otherwise it fails. In a subshell it always fails: skip would end only
# the subshell, and the test would pass.
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

# For tests that change users, or drop privileges.
needs_root() {
	[ "$(id -u)" -eq 0 ] || skip "this test needs root"
}
