# Each test has a directory and a mount point: mounting, waiting and unmounting.
# A test ends only after its daemon has ended.

ROOT=$(cd "${BASH_SOURCE[0]%/*}/../.." && pwd)
SESSFS=${SESSFS:-$ROOT/build/sessfs}
FIXTURES=$ROOT/tests/fixtures
SCRIPTS=$ROOT/scripts
# The programs that tests are made of import what they share from here.
export PYTHONPATH=$ROOT/tests/lib
. "$ROOT/tests/lib/bats.bash"

setup() {
	needs_mounts
	make_folder
}

make_folder() {
	local top=${SUITE_FOLDER-}/$BATS_SUITE_TEST_NUMBER
	[ -n "${SUITE_FOLDER-}" ] || top=$(mktemp -d)
	DIR=$top/test
	MNT=$DIR/mnt
	SESSION=$DIR/session.jsonl
	# A daemon in the background has no stderr: sanitizers and valgrind
	# write to files, which teardown checks. The daemon may be any user's.
	export SANITIZER_LOGS=$top/logs
	mkdir -p "$MNT" "$SANITIZER_LOGS"
	[ -n "${SUITE_FOLDER-}" ] || chmod 755 "$top" "$DIR"
	[ -z "${SAN-}" ] || chmod 1777 "$SANITIZER_LOGS"
	export ASAN_OPTIONS=log_path=$SANITIZER_LOGS/asan
	export UBSAN_OPTIONS=log_path=$SANITIZER_LOGS/ubsan:print_stacktrace=1
	# Nothing is written to the real user's cache.
	export XDG_CACHE_HOME=$top/cache
}

# For commands that look for sessions: no sessions, mounts, skills or settings of the
# real user.
make_home() {
	export SESSFS HOME=$DIR/home XDG_RUNTIME_DIR=$DIR/run TERM=xterm
	mkdir "$HOME" "$XDG_RUNTIME_DIR"
	chmod 700 "$XDG_RUNTIME_DIR"
	unset PI_CODING_AGENT_DIR PI_CODING_AGENT_SESSION_DIR PI_CONFIG_DIR \
		CLAUDE_CONFIG_DIR QWEN_HOME QWEN_RUNTIME_DIR XDG_DATA_HOME XDG_CACHE_HOME TMPDIR TMP TEMP \
		NO_COLOR LESS PAGER FZF_DEFAULT_OPTS FZF_DEFAULT_COMMAND
}

teardown() {
	leave_nothing
}

# Unmount, remove the folder, and fail if the daemon did not end well.
leave_nothing() {
	cd /
	local mounts status=0
	[ -n "${DIR:-}" ] || return 0
	unmount && daemon_is_gone || status=1
	local logs=("$SANITIZER_LOGS"/*)
	[ ! -e "${logs[0]}" ] || "$ROOT/tests/lib/reports" "$SANITIZER_LOGS" >&2 || status=1
	# clear-away is a program more, and seldom needed.
	if find_mounts || ! rm -rf --one-file-system -- "${DIR%/test}" 2>/dev/null; then
		"$SCRIPTS/clear-away" "${DIR%/test}" || status=1
	fi
	return $status
}

# Mount a copy of a fixture: its name, options of sessfs.
mount_fixture() {
	install -m 644 "$FIXTURES/$1" "$SESSION"
	local sidecar=$FIXTURES/${1%.jsonl}.head.json
	[ ! -e "$sidecar" ] || cp "$sidecar" "${SESSION%.jsonl}.head.json"
	shift
	mount_session "$@"
}

# Mount the session, or if IN_FOLDER is set, the folder that it is in.
mount_session() {
	if [ -z "${IN_FOLDER:-}" ]; then
		start "$SESSFS" "$@" "$SESSION" "$MNT"
		return
	fi
	local folder=${SESSION%/*} name=${SESSION##*/}
	local around=${DIR%/test}/around${folder#"$DIR"}
	mkdir -p "$around"
	start "$SESSFS" "$@" "$folder" "$around" && MNT=$around/${name%.jsonl}
}

# Mount the session a second time, on $DIR/second.
mount_second() {
	mkdir "$DIR/second"
	start "$SESSFS" "$SESSION" "$DIR/second"
}

unmount_second() {
	fusermount3 -u "$DIR/second"
	rmdir "$DIR/second"
}

# Print the mount points in the test's directory; with -t TYPE, those of that
# type. Fails if there are none.
# shellcheck disable=SC2120 # tests give them
mounted_here() {
	local mounts
	find_mounts "$@" && printf '%s\n' "${mounts[@]}"
}

# The same, but into the caller's `mounts`. Every teardown calls this, so it starts no
# program.
find_mounts() {
	local table line at here=${DIR%/test}
	mounts=()
	mapfile -t table </proc/self/mountinfo
	for line in "${table[@]}"; do
		[[ $line == *" - ${2-}"* ]] || continue
		read -r _ _ _ _ at _ <<<"$line"
		# The kernel escapes spaces and such in octal.
		printf -v at '%b' "$at"
		[[ $at != "$here"/* ]] || mounts+=("$at")
	done
	[[ ${#mounts[@]} -gt 0 ]]
}

# Fails if something is mounted there, with or without a daemon. (stat fails on
# a dead mount.)
not_mounted() {
	if mounted_here | grep -qxF "$1"; then return 1; fi
}

# Unmount every sessfs in the test's directory. Fails if one can't be unmounted.
unmount() {
	local at mounts failed=0
	find_mounts -t fuse.sessfs || return 0
	for at in "${mounts[@]}"; do
		fusermount3 -u "$at" 2>/dev/null || fusermount3 -u -z "$at" ||
			failed=1
	done
	return $failed
}

# The process id of the daemon, not of the fusermount3 that auto_unmount keeps.
daemon() {
	pgrep -f "sessfs (-o [^ ]+ )?$DIR/"
}

# Put the process ids of every sessfs with the test's directory in its command line, or in its
# environment, into the caller's `pids`. Every teardown calls this, so it starts no program.
find_daemons() {
	local at words here=${DIR%/test}
	pids=()
	for at in /proc/[0-9]*/cmdline; do
		{ mapfile -d '' -t words <"$at"; } 2>/dev/null || continue
		[[ ${words[*]} == *"sessfs "* ]] || continue
		{ mapfile -d '' -t -O "${#words[@]}" words <"${at%cmdline}environ"; } 2>/dev/null || :
		[[ ${words[*]} != *"$here/"* ]] || pids+=("${at//[!0-9]/}")
	done
	[[ ${#pids[@]} -gt 0 ]]
}

daemon_is_gone() {
	local pids tries=0
	while find_daemons; do
		sleep 0.05
		tries=$((tries + 1))
		[ "$tries" -ne 40 ] || end_if_copied "${pids[@]}" || :
		[ "$tries" -lt 200 ] || {
			echo "the daemon did not end" >&2
			why_alive "${pids[@]}" || :
			kill -9 "${pids[@]}"
			return 1
		}
	done
}

# Tell daemons to end if a namespace of another run has got a copy of their mount, as
# tests/interop/netless makes for ordinary users: nothing unmounts that. A run that is
# alone on the machine must not print the note.
end_if_copied() {
	local holders
	holders=$(tables_with_it) || :
	if [ -z "$holders" ] || mounted_here >/dev/null; then return 0; fi
	echo "# told to end, since ${holders%%$'\n'*} has a copy of its mount: $*" >&3
	kill "$@" 2>/dev/null
}

# Print the mount tables of processes that have a mount in the test's directory.
tables_with_it() {
	grep -lsaF "${DIR%/test}/" /proc/[0-9]*/mountinfo
}

# Print what daemons wait for, and which processes hold their mounts or use the
# test's files. A daemon may end meanwhile, so the caller ignores the status.
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
	tables_with_it |
		while IFS= read -r at; do
			echo "its mount is in $at: $(tr '\0' ' ' <"${at%mountinfo}cmdline")"
		done
	find /proc/[0-9]*/{cwd,fd} -lname "${DIR%/test}/*" -printf '%p -> %l\n' 2>/dev/null || :
} >&2

# The number of inotify watches of the daemon with this process id.
watches() {
	cat "/proc/$1/fdinfo/"* 2>/dev/null | grep -c '^inotify ' || :
}

# Wait until a command succeeds, at most ten seconds.
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

# silently COMMAND...: what each vain try would print is nobody's.
silently() { "$@" >/dev/null 2>&1; }

# Wait until a command fails. Its output is discarded.
wait_until_not() {
	wait_until no_longer "$@"
}

no_longer() {
	if "$@" >/dev/null; then return 1; fi
}

# not COMMAND...: fails unless the command says no, by status 1. With more it has failed
# itself, as grep does where the file is missing.
not() {
	local status=0
	"$@" >/dev/null || status=$?
	[ "$status" -eq 1 ]
}

wait_for_mount() {
	wait_until mountpoint -q "$MNT"
}

# hold_lock [FILE]: another process locks a file, by default the session, as another
# sessfs or the agent would, until release_lock. (In a container /proc/locks has only
# locks of processes that still run.)
hold_lock() {
	needs flock
	local file=${1:-$SESSION}
	flock "$file" sleep 60 3>&- &
	HOLDER=$!
	wait_until_not flock --nonblock "$file" true
}

release_lock() {
	pkill -P "$HOLDER" sleep || kill "$HOLDER"
	wait "$HOLDER" || true
}

# Run a command in a new mount namespace, a slave of this one: when another test
# unmounts, its mount disappears there too. Otherwise the copy would keep the
# daemon alive.
in_namespace() {
	unshare --mount --propagation slave "$@"
}

# Run a command with a read-only /dev/shm.
without_shm() {
	needs_root
	# shellcheck disable=SC2016 # the inner shell's
	in_namespace sh -ec 'mount -t tmpfs -o ro none /dev/shm && exec "$@"' - "$@"
}

needs_intercept() {
	[ -e "$ROOT/build/intercept.so" ] || {
		echo "build/intercept.so is missing: run make preload" >&2
		return 1
	}
}

# Create the script $SLOW, which runs sessfs with lib/intercept.c preloaded (see there
# for the environment). It is preloaded for no other program. It comes before the
# sanitizer's library, which would refuse that.
make_slow() {
	needs_intercept
	SLOW=${DIR%/test}/slow
	cat >"$SLOW" <<-END
	#!/bin/sh
	ASAN_OPTIONS=\$ASAN_OPTIONS:verify_asan_link_order=0 \\
		LD_PRELOAD="$ROOT/build/intercept.so" exec "$SESSFS" "\$@"
	END
	chmod 755 "$SLOW"
}
