# Shared by all bats files: each test has a directory and a mount point of its
# own, and is not over before its daemon is gone.

ROOT=$(cd "${BASH_SOURCE[0]%/*}/.." && pwd)
SESSFS=${SESSFS:-$ROOT/build/sessfs}
FIXTURES=$ROOT/tests/fixtures
SCRIPTS=$ROOT/scripts
HELPERS=$SCRIPTS/bin
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

setup() {
	needs_mounts
	make_folder
}

make_folder() {
	local top
	top=$(mktemp -d)
	DIR=$top/test
	MNT=$DIR/mnt
	SESSION=$DIR/session.jsonl
	# A daemon in the background has no stderr: what the sanitizers and
	# valgrind say goes to files, which teardown looks for. It may be any
	# user's daemon.
	export SANITIZER_LOGS=$top/logs
	mkdir "$DIR" "$MNT" "$SANITIZER_LOGS"
	chmod 755 "$top" "$DIR"
	chmod 1777 "$SANITIZER_LOGS"
	export ASAN_OPTIONS=log_path=$SANITIZER_LOGS/asan
	export UBSAN_OPTIONS=log_path=$SANITIZER_LOGS/ubsan:print_stacktrace=1
}

teardown() {
	cd /
	local status=0
	[ -n "${DIR:-}" ] || return 0
	unmount && daemon_is_gone || status=1
	local log
	for log in "$SANITIZER_LOGS"/*; do
		[ -s "$log" ] || continue
		cat "$log" >&2
		status=1
	done
	"$SCRIPTS/clear-away" "${DIR%/test}" || status=1
	return $status
}

# Mount a copy of a fixture: the name, then options of sessfs.
mount_fixture() {
	cp "$FIXTURES/$1" "$SESSION"
	chmod 644 "$SESSION"
	local sidecar=$FIXTURES/${1%.jsonl}.head.json
	[ ! -e "$sidecar" ] || cp "$sidecar" "${SESSION%.jsonl}.head.json"
	shift
	mount_session "$@"
}

# With IN_FOLDER set, the session is one of those in a folder that is mounted.
mount_session() {
	if [ -z "${IN_FOLDER:-}" ]; then
		"$SESSFS" "$@" "$SESSION" "$MNT"
		return
	fi
	local around=${DIR%/test}/around name=${SESSION##*/}
	mkdir -p "$around"
	"$SESSFS" "$@" "$DIR" "$around"
	MNT=$around/${name%.jsonl}
}

# A second mount of the session, $DIR/second.
mount_second() {
	mkdir "$DIR/second"
	"$SESSFS" "$SESSION" "$DIR/second"
}

unmount_second() {
	fusermount3 -u "$DIR/second"
	rmdir "$DIR/second"
}

# From two mounts at once, label these entries (paths in a mount) in turn and
# move the head to them, twenty times, while the lines of standard input are
# appended. The labels are "mnt I" and "second I", for I from 1 to 20.
write_from_two_mounts() {
	local name m i line entry pids=()
	mount_second
	for name in mnt second; do
		m=$MNT
		[ "$name" = mnt ] || m=$DIR/second
		(
			for i in {1..20}; do
				entry=$((i % $# + 1))
				echo "$name $i" >"$m/${!entry}/label" || exit 1
				ln -sfn "${!entry}" "$m/HEAD" || exit 1
			done
		) &
		pids+=($!)
	done
	while IFS= read -r line; do printf '%s\n' "$line" >>"$SESSION"; done
	for i in "${pids[@]}"; do wait "$i"; done
	unmount_second
}

needs_mounts() {
	local why
	[ -z "${CAN_MOUNT-}" ] || return 0
	why=$("$ROOT/tests/can-mount") || lacks "$why"
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

# For tests that become somebody else, or have something to drop.
needs_root() {
	[ "$(id -u)" -eq 0 ] || skip "this test needs root"
}

# Give a file to a user and a group that are not the test's, if it can. Print
# whose it is.
give_away() {
	[ "$(id -u)" -ne 0 ] || chown 1234:2345 "$1"
	stat -c %u:%g "$1"
}

# Run a command in a mount namespace of its own. It is a slave of this one:
# what another test unmounts meanwhile is unmounted there too. Otherwise its copy
# would keep the daemon alive.
in_namespace() {
	unshare --mount --propagation slave "$@"
}

# Run a command where /dev/shm can't be written to.
without_shm() {
	needs_root
	# shellcheck disable=SC2016 # the inner shell's
	in_namespace sh -ec 'mount -t tmpfs -o ro none /dev/shm && exec "$@"' - "$@"
}

# What is mounted in the test's directory; with -t TYPE, of that type. Fails if
# that is nothing. Every teardown asks, so no program is started.
mounted_here() {
	local table line at here=${DIR%/test} found=1
	mapfile -t table </proc/self/mountinfo
	for line in "${table[@]}"; do
		[[ $line == *" - ${2-}"* ]] || continue
		read -r _ _ _ _ at _ <<<"$line"
		# The kernel writes spaces and the like in octal.
		printf -v at '%b' "$at"
		[[ $at == "$here"/* ]] || continue
		printf '%s\n' "$at"
		found=0
	done
	return $found
}

# Every sessfs that is mounted in the test's directory. Fails if one stays.
unmount() {
	local at failed=0
	while IFS= read -r at; do
		fusermount3 -u "$at" 2>/dev/null || fusermount3 -u -z "$at" ||
			failed=1
	done < <(mounted_here -t fuse.sessfs)
	return $failed
}

# The process id of the daemon; not that of fusermount3, which auto_unmount
# keeps.
daemon() {
	pgrep -f "sessfs (-o [^ ]+ )?$DIR/"
}

# How many files the daemon of a mount is told about.
watches() {
	cat "/proc/$1/fdinfo/"* 2>/dev/null | grep -c '^inotify ' || :
}

# Wait until a command succeeds, ten seconds at most.
wait_until() {
	local tries=0
	until "$@"; do
		sleep 0.05
		tries=$((tries + 1))
		[ "$tries" -lt 200 ] || {
			echo "waited in vain for: $*" >&2
			return 1
		}
	done
}

# The same until it fails. It prints nothing.
wait_until_not() {
	wait_until not "$@"
}

not() {
	if "$@" >/dev/null; then return 1; fi
}

wait_for_mount() {
	wait_until mountpoint -q "$MNT"
}

# Nothing is mounted there, dead or alive. (stat fails on a dead mount.)
not_mounted() {
	if mounted_here | grep -qxF "$1"; then return 1; fi
}

# Those of these files of /proc in which the test's directory is named.
naming_it() {
	# shellcheck disable=SC2062 # these are files
	grep -lsaF --file=- "$@" <<<"${DIR%/test}/"
}

# The process ids of every sessfs that has the test's directory in its command.
# Pgrep -f takes three times as long, and every teardown asks.
daemons() {
	local at words here=${DIR%/test}
	naming_it /proc/[0-9]*/cmdline |
		while IFS= read -r at; do
			{ mapfile -d '' -t words <"$at"; } 2>/dev/null || continue
			[[ ${words[*]} != *"sessfs "*"$here/"* ]] || echo "${at//[!0-9]/}"
		done
}

daemon_is_gone() {
	local pids tries=0
	while pids=$(daemons) && [ -n "$pids" ]; do
		sleep 0.05
		tries=$((tries + 1))
		[ "$tries" -lt 200 ] || {
			echo "the daemon did not end" >&2
			# shellcheck disable=SC2086 # several
			why_alive $pids || :
			# shellcheck disable=SC2086 # several
			kill -9 $pids
			return 1
		}
	done
}

# What daemons wait for, and who holds their mounts or looks at the test's files.
# One may end meanwhile: the caller goes on whatever this returns.
why_alive() {
	local pid at
	for pid; do
		tr '\0' ' ' <"/proc/$pid/cmdline"
		echo
		grep -E '^(State|PPid|Uid|Threads|TracerPid|SigPnd|ShdPnd)' "/proc/$pid/status"
		for at in "/proc/$pid/task/"*; do
			echo "${at##*/}: $(cat "$at/comm" "$at/wchan" | tr '\n' ' ')"
			cat "$at/stack" 2>/dev/null || :
		done
	done
	naming_it /proc/[0-9]*/mountinfo |
		while IFS= read -r at; do
			echo "its mount is in $at: $(tr '\0' ' ' <"${at%mountinfo}cmdline")"
		done
	find /proc/[0-9]*/{cwd,fd} -lname "${DIR%/test}/*" -printf '%p -> %l\n' 2>/dev/null || :
} >&2

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

# Ids and labels that would lead elsewhere if they were taken for paths.
write_evil_session() {
	needs python3
	python3 - "$SESSION" <<-'PY'
	import json, sys
	evil = ["../../etc/passwd", "/etc/passwd", "..", ".", "/", "//", "../..", "a/../../../x", "%2e%2e", "%-",
	        "..%2f..", "%2E%2E%2F", "..\n..", "x\u0000/../y", "content", "parent", "label", "meta", "context.txt",
	        "\\..\\..", "../" * 90 + "etc/passwd", "HEAD", "~root", "-rf", "\x1b[2J", "1.png", "\ud800", "a" * 300,
	        "../HEAD", "../../../proc/self/root"]
	with open(sys.argv[1], "w") as f:
	    def line(o):
	        f.write(json.dumps(o) + "\n")
	    line({"type": "session", "version": 3, "id": "../../id", "timestamp": "2026-03-01T10:00:00.000Z", "cwd": "/"})
	    parent = None
	    for e in evil:
	        line({"type": "message", "id": e, "parentId": parent, "timestamp": "2026-03-01T10:00:01.000Z",
	              "message": {"role": "user", "content": "x"}})
	        line({"type": "message", "id": e + "'", "parentId": "../../etc/passwd", "timestamp": "2026-03-01T10:00:01.000Z",
	              "message": {"role": "user", "content": "x"}})
	        parent = e
	    for i, e in enumerate(evil):
	        line({"type": "label", "id": "l%d" % i, "parentId": parent, "targetId": e, "label": e})
	PY
}

# A session of these lines.
write_lines() {
	printf '%s\n' "$@" >"$SESSION"
}

# A session of Pi's: a header and one line per argument.
write_session() {
	write_lines '{"type":"session","version":3,"id":"0198f000-0000-7000-8000-00000000000a","timestamp":"2026-03-01T10:00:00.000Z","cwd":"/work/demo"}' "$@"
}

# A text as JSON, null if it is empty.
or_null() {
	[ -n "$1" ] && printf '"%s"' "$1" || printf null
}

# A user message: id, parent ("" for none), text (JSON-escaped).
user() {
	message "$1" "$2" "$(printf '{"role":"user","content":"%s","timestamp":1772359201000}' "$3")"
}

# Any message: id, parent, the message as JSON.
message() {
	printf '{"type":"message","id":"%s","parentId":%s,"timestamp":"2026-03-01T10:00:01.000Z","message":%s}' "$1" "$(or_null "$2")" "$3"
}

# $2 user messages: a chain, all of them roots, or a cycle. The ids count up from
# 00000000, and the text of each is "entry NUMBER".
write_many() {
	needs python3
	python3 - "$SESSION" "$1" "$2" <<-'PY'
	import sys
	path, shape, n = sys.argv[1], sys.argv[2], int(sys.argv[3])
	with open(path, "w") as f:
	    f.write('{"type":"session","version":3,"id":"deep","timestamp":"2026-03-01T10:00:00.000Z","cwd":"/"}\n')
	    for i in range(n):
	        parent = "null" if shape == "roots" else '"%08x"' % (i - 1)
	        if i == 0:
	            parent = '"%08x"' % (n - 1) if shape == "cycle" else "null"
	        f.write('{"type":"message","id":"%08x","parentId":%s,"timestamp":"2026-03-01T10:00:01.000Z","message":{"role":"user","content":"entry %d"}}\n' % (i, parent, i))
	PY
}

# Fails if the daemon has ever had as much memory, in KiB. The address sanitizer
# keeps what is freed, and more beside it.
memory_stays_below() {
	local pid peak limit=$1
	pid=$(pgrep -f "sessfs .*$MNT")
	peak=$(sed -n 's/^VmHWM:[^0-9]*\([0-9]*\) kB/\1/p' "/proc/$pid/status")
	if grep -q __asan_init "$SESSFS"; then limit=$((limit * 4)); fi
	[ "$peak" -lt "$limit" ] || {
		echo "the daemon has had $peak KiB, not less than $limit"
		return 1
	}
}

# Many small sessions in a folder, $ALL: each says its own name.
many_sessions() {
	local i
	ALL=$DIR/all
	mkdir "$ALL"
	for ((i = 1; i <= $1; i++)); do
		SESSION=$ALL/s$i.jsonl
		write_session "$(user 00000001 "" "I am $i")" "$(user 00000002 00000001 "still $i")"
	done
}

# A session of the uuid draft: a header with uuid s1 and these lines.
write_uuid_draft() {
	write_lines '{"type":"session","version":2,"uuid":"s1","parentUuid":null,"id":"abc","cwd":"/work/demo"}' "$@"
}

# A user message of the uuid draft: uuid, parent ("" for none), text.
uuid_user() {
	printf '{"type":"message","uuid":"%s","parentUuid":%s,"message":{"role":"user","content":"%s"}}' "$1" "$(or_null "$2")" "$3"
}

# User messages that follow each other below a parent; each says its uuid.
uuid_chain() {
	local parent=$1 id
	for id in "${@:2}"; do
		uuid_user "$id" "$parent" "$id"
		echo
		parent=$id
	done
}

# A session of the index draft: a header, which is entry 0, and these lines.
write_index_draft() {
	write_lines '{"type":"session","id":"abc","parent":-1,"cwd":"/work/demo"}' "$@"
}

# A user message of the index draft: parent, text.
index_user() {
	printf '{"type":"message","parent":%s,"message":{"role":"user","content":"%s"}}' "$1" "$2"
}

# A Go tree whose head is an entry ("" for no sidecar): these lines.
write_go_tree() {
	local head=$1
	shift
	write_lines "$@"
	[ -z "$head" ] || go_head "$head"
}

# The owner's way to move its head: to the entry with this number.
go_head() {
	printf '{"head":"%s"}' "$(ulid "$1")" >"$DIR/session.head.json.tmp"
	mv "$DIR/session.head.json.tmp" "$DIR/session.head.json"
}

ulid() {
	printf '01HZZZZZZZ%016d' "$1"
}

# An entry of a Go tree: number, parent's number ("" for none), kind, payload.
go_entry() {
	local parent=
	[ -z "$2" ] || parent="\"parentId\":\"$(ulid "$2")\","
	printf '{"id":"%s",%s"kind":"%s","ts":"2026-05-01T00:00:%02d.5Z","payload":%s}' "$(ulid "$1")" "$parent" "$3" "$1" "$4"
}

# A turn of the user's in a Go tree: number, parent's number, text.
go_user() {
	go_entry "$1" "$2" turn.user "{\"text\":\"$3\"}"
}

uuid() {
	printf 'c1a0de00-0000-4000-8000-%012d' "$1"
}

# A line of Claude Code's: number (it makes the uuid and the time), parent's
# number ("" for none), type, the other fields as JSON members.
claude_line() {
	local parent=
	[ -z "$2" ] || parent=$(uuid "$2")
	printf '{"parentUuid":%s,"isSidechain":false,"userType":"external","cwd":"/work/demo","sessionId":"5e55f500-0000-4000-8000-000000000001","version":"2.1.100","gitBranch":"main","type":"%s",%s,"uuid":"%s","timestamp":"2026-03-01T10:00:%02d.000Z"}' "$(or_null "$parent")" "$3" "$4" "$(uuid "$1")" "$1"
}

# What the user typed: number, parent's number, text.
claude_user() {
	claude_line "$1" "$2" user "\"message\":{\"role\":\"user\",\"content\":\"$3\"}"
}

# A fragment of a response: number, parent's number, message id, its block.
claude_block() {
	claude_line "$1" "$2" assistant "\"message\":{\"id\":\"$3\",\"type\":\"message\",\"role\":\"assistant\",\"model\":\"m-x\",\"content\":[$4],\"stop_reason\":null,\"usage\":{\"input_tokens\":1,\"output_tokens\":1}}"
}

# A whole response of one text: number (it makes the message id), parent's
# number, text.
claude_answer() {
	claude_block "$1" "$2" "msg_$1" "{\"type\":\"text\",\"text\":\"$3\"}"
}

# The result of a tool call: number, parent's number, id of the call, text.
claude_result() {
	claude_line "$1" "$2" user "\"message\":{\"role\":\"user\",\"content\":[{\"tool_use_id\":\"$3\",\"type\":\"tool_result\",\"content\":\"$4\"}]}"
}

# A line of a subagent's: the command that prints the line.
sidechain() {
	"$@" | sed 's/"isSidechain":false/"isSidechain":true/'
}

# Fails unless the text of a context is these blocks: the folder, the blocks.
context_is() {
	local file=$MNT/$1/context.txt
	shift
	if [ $# -eq 0 ]; then
		diff -u /dev/null "$file"
	else
		diff -u <(printf '%s\n\n' "$@" | head -n -1) "$file"
	fi
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

# Write these lines to append, each ended.
say() {
	printf '%s\n' "$@" >"$MNT/append"
}

# An answer of a model's, as it is written to append: its text.
answer() {
	printf '{"role":"assistant","content":[{"type":"text","text":"%s"}],"api":"x-api","provider":"prov","model":"model-c","usage":{"input":1,"output":1,"cacheRead":0,"cacheWrite":0,"totalTokens":2,"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0}},"stopReason":"stop"}' "$1"
}

# Fails unless these Python expressions are true. Of the session's lines that are
# JSON `lines` are the values, `e` is the last one, and `raw` its bytes; `made(e)`
# is what every new entry of Pi's has.
holds() {
	needs python3
	python3 - "$SESSION" "$@" <<-'PY'
	import json, re, sys
	def made(e):
	    return (re.fullmatch("[0-9a-f]{8}", e["id"]) and
	            [l.get("id") for l in lines].count(e["id"]) == 1 and
	            re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", e["timestamp"]))
	lines = []
	for line in open(sys.argv[1], "rb"):
	    try:
	        lines.append(json.loads(line))
	        raw = line.rstrip(b"\n")
	    except ValueError:
	        pass
	e = lines[-1]
	for expression in sys.argv[2:]:
	    if not eval(expression):
	        sys.exit(f"not so: {expression}\nthe last line: {raw.decode(errors='replace')[:2000]}")
	PY
}

# A command that writes fails as what it is given is not valid: nothing is in the
# session, and info gives a reason that has this pattern in it.
refused_by() {
	local why=$1
	shift
	cp "$SESSION" "$DIR/unchanged"
	fails_with "Invalid argument" "$@"
	cmp "$DIR/unchanged" "$SESSION"
	grep -E '^last-refused: ' "$MNT/info" >"$DIR/reason"
	is 1 grep -c . "$DIR/reason"
	grep -qE -- "$why" "$DIR/reason" || {
		echo "refused with: $(cat "$DIR/reason"), not $why"
		return 1
	}
}

# The same of a line that is written to append.
refused() {
	# shellcheck disable=SC2016 # the inner shell's
	refused_by "$1" bash -c 'printf "%s\n" "$1" >"$2"' - "$2" "$MNT/append"
}

# Mount branch.jsonl of an entry as a session of its own, in place of this one.
mount_branch() {
	cat "$MNT/by-id/$1/branch.jsonl" >"$DIR/branch.jsonl"
	unmount
	daemon_is_gone
	SESSION=$DIR/branch.jsonl
	mount_session
}

head_is() {
	local to
	to=$(readlink "$MNT/HEAD")
	[ "$to" = "$1" ] || {
		echo "HEAD is $to, not $1"
		return 1
	}
}

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

# Make $SLOW, which is sessfs with tests/slow.c: that reads the environment. No
# other program of the test is to have it, or the sanitizer's library.
make_slow() {
	needs cc
	SLOW=${DIR%/test}/slow
	cc -shared -fPIC -o "$SLOW.so" "$ROOT/tests/slow.c"
	local preload=$SLOW.so
	if grep -q __asan_init "$SESSFS"; then
		preload="$(cc -print-file-name=libasan.so) $preload"
	fi
	printf '#!/bin/sh\nLD_PRELOAD="%s" exec "%s" "$@"\n' "$preload" "$SESSFS" >"$SLOW"
	chmod 755 "$SLOW"
}
