# Settings and functions of bats for every test: traces are quick, and tests are
# skipped only if that is allowed.

bats_require_minimum_version 1.5.0

# Replaces bats' function, by which a trap notes where each command is: each process that a
# test starts took a quarter longer by it. Bash tells where a command has failed.
# shellcheck disable=SC2034 # bats reads them
bats_setup_tracing() {
	BATS_DEBUG_LAST_STACK_TRACE=()
	BATS_DEBUG_LAST_STACK_TRACE_IS_VALID=1
	BATS_ERROR_SUFFIX=
	exec 4<&1
	trap bats_error_trap ERR
}

bats_error_trap() {
	bats_check_status_from_trap
	[[ ${#BATS_DEBUG_LAST_STACK_TRACE[@]} -gt 0 ]] || bats_capture_stack_trace
}

# Replaces bats' function, which starts date(1) twice. From 1.11 on it gets a variable's name.
get_mills_since_epoch() {
	local now=${EPOCHREALTIME/[.,]/}
	printf ${1:+-v "$1"} %s "${now%???}"
}

# start PROGRAM ARGUMENT...: without builtins.c, bash starts it.
type start >/dev/null 2>&1 || start() {
	"$@"
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
