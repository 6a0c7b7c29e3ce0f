# A directory and a mount point for each test: to mount, to wait, and to unmount.
# A test is not over before its daemon has ended.

ROOT=$(cd "${BASH_SOURCE[0]%/*}/../.." && pwd)
SESSFS=${SESSFS:-$ROOT/build/sessfs}
FIXTURES=$ROOT/tests/fixtures
SCRIPTS=$ROOT/scripts
# shellcheck disable=SC2034 # tests use it
HELPERS=$SCRIPTS/bin
. "$ROOT/tests/lib/bats.bash"

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

# Mount branch.jsonl of an entry as a session of its own, in place of this one.
mount_branch() {
	cat "$MNT/by-id/$1/branch.jsonl" >"$DIR/branch.jsonl"
	unmount
	daemon_is_gone
	SESSION=$DIR/branch.jsonl
	mount_session
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

# Nothing is mounted there, dead or alive. (stat fails on a dead mount.)
not_mounted() {
	if mounted_here | grep -qxF "$1"; then return 1; fi
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

# Those of these files of /proc in which the test's directory is named.
naming_it() {
	# shellcheck disable=SC2062 # these are files
	grep -lsaF --file=- "$@" <<<"${DIR%/test}/"
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

# How many files the daemon of a mount is told about.
watches() {
	cat "/proc/$1/fdinfo/"* 2>/dev/null | grep -c '^inotify ' || :
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

# Give a file to a user and a group that are not the test's, if it can. Print
# whose it is.
give_away() {
	[ "$(id -u)" -ne 0 ] || chown 1234:2345 "$1"
	stat -c %u:%g "$1"
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
