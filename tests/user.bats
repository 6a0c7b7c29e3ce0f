# As an ordinary user: root hides mistakes with permissions.
load helpers

setup_file() {
	# Any user but root will do, and this one is on every machine.
	export USER_ID GROUP_ID OTHER_ID=12345
	USER_ID=$(id -u nobody)
	GROUP_ID=$(id -g nobody)
	# Where udev runs it has given /dev/fuse to all users; elsewhere only
	# root has it. Lend it for these tests.
	export FUSE_MODE
	FUSE_MODE=$(stat -c %a /dev/fuse)
	[ "$(id -u)" -ne 0 ] || chmod 666 /dev/fuse
}

teardown_file() {
	[ "$(id -u)" -ne 0 ] || chmod "$FUSE_MODE" /dev/fuse
}

as_user() {
	setpriv --reuid="$USER_ID" --regid="$GROUP_ID" --clear-groups "$@"
}

as_other() {
	setpriv --reuid="$OTHER_ID" --regid="$OTHER_ID" --clear-groups "$@"
}

mount_as_user() {
	[ "$(id -u)" -eq 0 ] || skip "this test needs root, to become somebody else"
	cp "$FIXTURES/pi-v3-branches.jsonl" "$SESSION"
	chown "$USER_ID:$GROUP_ID" "$SESSION" "$MNT" "$DIR"
	chmod "${1:-600}" "$SESSION"
	as_user "$SESSFS" "${@:2}" "$SESSION" "$MNT"
}

@test "a user mounts, reads, moves HEAD, labels and unmounts their session" {
	mount_as_user
	is "list the files" as_user cat "$MNT/by-id/aa000004/content"
	as_user ln -sf by-id/aa000004 "$MNT/HEAD"
	is by-id/aa000004 as_user readlink "$MNT/HEAD"
	as_user ln -sfn by-id/aa000008 "$MNT/HEAD"
	as_user busybox ln -sf by-id/aa000005 "$MNT/HEAD"
	is by-id/aa000005 as_user readlink "$MNT/HEAD"
	as_user bash -c "echo mine >'$MNT/HEAD/label'"
	is mine as_user cat "$MNT/by-id/aa000005/label"
	as_user ln -sfn tree "$MNT/HEAD"
	as_user ln -sf by-id/aa000005 "$MNT/HEAD"
	is by-id/aa000005 as_user readlink "$MNT/HEAD"
	fails_with "Permission denied" as_user bash -c "echo x >'$MNT/info'"
	fails_with "Permission denied" as_user touch "$MNT/tree/x"
	fails_with "Operation not permitted" as_user touch "$MNT/x"
	as_user fusermount3 -u "$MNT"
}

@test "without allow_other nobody else gets in, root included" {
	mount_as_user
	fails_with "Permission denied" as_other ls "$MNT"
	fails_with "Permission denied" ls "$MNT"
}

@test "with allow_other others see what the file's mode lets them see" {
	[ "$(id -u)" -eq 0 ] || skip "this test needs root, to become somebody else"
	cp "$FIXTURES/pi-v3-branches.jsonl" "$SESSION"
	chown "$USER_ID:$GROUP_ID" "$SESSION"
	chmod 600 "$SESSION"
	mount_session -o allow_other
	fails_with "Permission denied" as_other ls "$MNT"
	is by-id/aa000025 as_user readlink "$MNT/HEAD"
	chmod 644 "$SESSION"
	is "list the files" as_other cat "$MNT/by-id/aa000004/content"
	fails_with "Permission denied" as_other ln -sfn by-id/aa000004 "$MNT/HEAD"
	fails_with "Permission denied" as_other bash -c "echo x >'$MNT/by-id/aa000004/label'"
	fails_with "Permission denied" as_other rm "$MNT/HEAD"
	cmp "$FIXTURES/pi-v3-branches.jsonl" "$SESSION"
	as_user bash -c "echo x >'$MNT/by-id/aa000004/label'"
	chmod 600 "$SESSION"
	fails_with "Permission denied" as_other cat "$MNT/by-id/aa000004/content"
}

@test "a session that the user can't write to is mounted read-only" {
	[ "$(id -u)" -eq 0 ] || skip "this test needs root, to become somebody else"
	cp "$FIXTURES/pi-v3-branches.jsonl" "$SESSION"
	chmod 644 "$SESSION"
	chown "$USER_ID:$GROUP_ID" "$MNT"
	as_user "$SESSFS" "$SESSION" "$MNT"
	fails_with "Read-only file system" as_user ln -sfn by-id/aa000004 "$MNT/HEAD"
	is "list the files" as_user cat "$MNT/by-id/aa000004/content"
	as_user grep -qx "writable: no" "$MNT/info"
}

@test "a sidecar beside another's session that the user may write to" {
	[ "$(id -u)" -eq 0 ] || skip "this test needs root, to become somebody else"
	cp "$FIXTURES/claude-basic.jsonl" "$SESSION"
	chmod 666 "$SESSION"
	chmod 777 "$DIR"
	chown "$USER_ID:$GROUP_ID" "$MNT"
	as_user "$SESSFS" "$SESSION" "$MNT"
	as_user grep -qx "writable: yes" "$MNT/info"
	as_user bash -c "echo mine >'$MNT/HEAD/label'"
	is mine as_user cat "$MNT/HEAD/label"
	is "$USER_ID" stat -c %u "$DIR/session.sessfs.json"
	cmp "$FIXTURES/claude-basic.jsonl" "$SESSION"
}

@test "where no sidecar or lock can be made, the session is read-only" {
	[ "$(id -u)" -eq 0 ] || skip "this test needs root, to become somebody else"
	chmod 555 "$DIR"
	chown "$USER_ID:$GROUP_ID" "$MNT"
	local fixture
	for fixture in claude-basic omp-v3-basic; do
		cp "$FIXTURES/$fixture.jsonl" "$SESSION"
		chown "$USER_ID:$GROUP_ID" "$SESSION"
		as_user "$SESSFS" "$SESSION" "$MNT"
		as_user grep -qx "writable: no" "$MNT/info"
		fails_with "Permission denied" as_user ln -sfn tree "$MNT/HEAD"
		unmount
		daemon_is_gone
	done
}

@test "a session that the user can't read, a mount point that is not theirs" {
	[ "$(id -u)" -eq 0 ] || skip "this test needs root, to become somebody else"
	cp "$FIXTURES/pi-v3-branches.jsonl" "$SESSION"
	chmod 600 "$SESSION"
	run --separate-stderr as_user "$SESSFS" "$SESSION" "$MNT"
	[ "$status" -eq 1 ]
	[ "$stderr" = "sessfs: $SESSION: Permission denied" ]
	chmod 644 "$SESSION"
	run --separate-stderr as_user "$SESSFS" "$SESSION" "$MNT"
	[ "$status" -eq 1 ]
	[ "$stderr" = "sessfs: $MNT: you need write access to mount here" ]
}

@test "allow_other that fuse.conf does not allow: one line says so" {
	mount_as_user 600
	as_user fusermount3 -u "$MNT"
	daemon_is_gone
	grep -qs '^user_allow_other' /etc/fuse.conf && skip "fuse.conf allows it here"
	run --separate-stderr as_user "$SESSFS" -o allow_other "$SESSION" "$MNT"
	[ "$status" -eq 1 ]
	[ "${#stderr_lines[@]}" -eq 1 ]
	[[ $stderr == "sessfs: $MNT: option allow_other only allowed if "* ]]
}

@test "a version 1 session of a user is migrated by the user" {
	[ "$(id -u)" -eq 0 ] || skip "this test needs root, to become somebody else"
	cp "$FIXTURES/pi-v1-linear.jsonl" "$SESSION"
	chown "$USER_ID:$GROUP_ID" "$SESSION" "$MNT" "$DIR"
	chmod 600 "$SESSION"
	as_user "$SESSFS" "$SESSION" "$MNT"
	as_user bash -c "echo x >'$MNT/HEAD/label'"
	is "$USER_ID 600" stat -c '%u %a' "$SESSION"
	is "$USER_ID 600" stat -c '%u %a' "$SESSION.v1.bak"
	cmp "$FIXTURES/pi-v1-linear.jsonl" "$SESSION.v1.bak"
}
