# Shared by all bats files: each test has a directory and a mount point of its
# own, and is not over before its daemon is gone.

ROOT=$(cd "$BATS_TEST_DIRNAME/.." && pwd)
SESSFS=${SESSFS:-$ROOT/build/sessfs}
FIXTURES=$ROOT/tests/fixtures
bats_require_minimum_version 1.5.0

setup() {
	[ -e /dev/fuse ] || skip "there is no /dev/fuse on this machine"
	DIR=$(mktemp -d)
	chmod 755 "$DIR"
	MNT=$DIR/mnt
	mkdir "$MNT"
	SESSION=$DIR/session.jsonl
	# A daemon in the background has no stderr: what the sanitizers say
	# goes to files, which teardown looks for.
	export ASAN_OPTIONS=log_path=$DIR/sanitizer
	export UBSAN_OPTIONS=log_path=$DIR/sanitizer:print_stacktrace=1
}

teardown() {
	cd /
	local status=0
	[ -n "${DIR:-}" ] || return 0
	unmount
	daemon_is_gone || status=1
	findmnt -rno TARGET | grep "^$DIR/" | xargs -r -n 1 umount
	if compgen -G "$DIR/sanitizer*" >/dev/null; then
		cat "$DIR"/sanitizer* >&2
		status=1
	fi
	rm -rf "$DIR"
	return $status
}

# Mount a copy of a fixture: the name, then options of sessfs.
mount_fixture() {
	cp "$FIXTURES/$1" "$SESSION"
	chmod 644 "$SESSION"
	shift
	mount_session "$@"
}

mount_session() {
	"$SESSFS" "$@" "$SESSION" "$MNT"
}

# Every sessfs that is mounted in the test's directory.
unmount() {
	local at
	while read -r at; do
		fusermount3 -u "$at" 2>/dev/null || fusermount3 -u -z "$at"
	done < <(findmnt -rno TARGET -t fuse.sessfs | grep "^$DIR/")
}

daemon_is_gone() {
	local tries=0
	while pgrep -f "sessfs .*$DIR/" >/dev/null; do
		sleep 0.05
		tries=$((tries + 1))
		[ "$tries" -lt 200 ] || {
			echo "the daemon did not end" >&2
			pkill -9 -f "sessfs .*$DIR/"
			return 1
		}
	done
}

# A session: a header and one line per argument.
write_session() {
	{
		printf '%s\n' '{"type":"session","version":3,"id":"0198f000-0000-7000-8000-00000000000a","timestamp":"2026-03-01T10:00:00.000Z","cwd":"/work/demo"}'
		[ $# -eq 0 ] || printf '%s\n' "$@"
	} >"$SESSION"
}

# A user message: id, parent ("" for none), text (JSON-escaped).
user() {
	local parent=null
	[ -z "$2" ] || parent="\"$2\""
	printf '{"type":"message","id":"%s","parentId":%s,"timestamp":"2026-03-01T10:00:01.000Z","message":{"role":"user","content":"%s","timestamp":1772359201000}}' "$1" "$parent" "$3"
}

# Any message: id, parent, the message as JSON.
message() {
	local parent=null
	[ -z "$2" ] || parent="\"$2\""
	printf '{"type":"message","id":"%s","parentId":%s,"timestamp":"2026-03-01T10:00:01.000Z","message":%s}' "$1" "$parent" "$3"
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
