# As an ordinary user: root hides mistakes with permissions.
load lib/mount
load lib/run
load lib/pi

setup_file() {
	# Any user except root works; this one exists on every machine.
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

# The same user as a member of the session's group.
as_member() {
	setpriv --reuid="$OTHER_ID" --regid="$OTHER_ID" --groups="$GROUP_ID" "$@"
}

mount_as_user() {
	needs_root
	cp "$FIXTURES/pi-v3-branches.jsonl" "$SESSION"
	chown "$USER_ID:$GROUP_ID" "$SESSION" "$MNT" "$DIR"
	chmod "${1:-600}" "$SESSION"
	as_user "$SESSFS" "${@:2}" "$SESSION" "$MNT"
}

# bats test_tags=root
@test "a user mounts, reads, moves HEAD, labels and unmounts their session" {
	mount_as_user
	is "list the files" as_user cat "$MNT/by-id/aa000004/content"
	as_user grep -q '"content":"list the files' "$MNT/tree.html"
	as_user grep -q "path: a.c" "$MNT/by-file/a.c/0001-read/content"
	as_user "$SESSFS" log --file a.c "$SESSION" | grep -qx "    read a.c"
	as_user ln -sf by-id/aa000004 "$MNT/HEAD"
	is by-id/aa000004 as_user readlink "$MNT/HEAD"
	as_user ln -sfn by-id/aa000008 "$MNT/HEAD"
	as_user ln -sfn by-id/aa000005 "$MNT/HEAD"
	is by-id/aa000005 as_user readlink "$MNT/HEAD"
	as_user bash -c "echo mine >'$MNT/HEAD/label'"
	is mine as_user cat "$MNT/by-id/aa000005/label"
	as_user bash -c "echo my name >'$MNT/name'"
	is "my name" as_user cat "$MNT/name"
	as_user bash -c "echo '{\"role\":\"user\",\"content\":\"my words\"}' >>'$MNT/append'"
	is "my words" as_user cat "$MNT/HEAD/content"
	fails_with "Permission denied" as_user cat "$MNT/append"
	as_user ln -sfn tree "$MNT/HEAD"
	as_user ln -sf by-id/aa000005 "$MNT/HEAD"
	is by-id/aa000005 as_user readlink "$MNT/HEAD"
	fails_with "Permission denied" as_user bash -c "echo x >'$MNT/info'"
	fails_with "Permission denied" as_user touch "$MNT/tree/x"
	fails_with "Operation not permitted" as_user touch "$MNT/x"
	as_user fusermount3 -u "$MNT"
}

# bats test_tags=root
@test "files that a user copies to continue with are as writable as the session" {
	mount_as_user
	as_user cp "$MNT/HEAD/branch.jsonl" "$DIR/fork.jsonl"
	is 600 stat -c %a "$DIR/fork.jsonl"
	tail -n 1 "$SESSION" | as_user tee -a "$DIR/fork.jsonl" >/dev/null
	as_user cp "$MNT/tree.html" "$DIR/page.html"
	as_user cp "$MNT/tree.html" "$DIR/page.html"
	# These files can't be written to.
	fails_with "not permitted" as_user bash -c "echo x >>'$MNT/HEAD/branch.jsonl'"
	fails_with "not permitted" as_user bash -c ": >'$MNT/tree.html'"
}

# bats test_tags=root
@test "without allow_other nobody else gets in, root included" {
	mount_as_user
	fails_with "Permission denied" as_other ls "$MNT"
	fails_with "Permission denied" ls "$MNT"
}

# bats test_tags=root,full
@test "with allow_other others see what the file's mode allows" {
	needs_root
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
	fails_with "Permission denied" as_other bash -c "echo x >'$MNT/name'"
	fails_with "Permission denied" as_other bash -c "echo '{\"role\":\"user\",\"content\":\"x\"}' >>'$MNT/append'"
	cmp "$FIXTURES/pi-v3-branches.jsonl" "$SESSION"
	as_user bash -c "echo x >'$MNT/by-id/aa000004/label'"
	as_user bash -c "echo '{\"role\":\"user\",\"content\":\"mine\"}' >>'$MNT/append'"
	chmod 666 "$SESSION"
	is "--w--w--w-" as_other stat -c %A "$MNT/append"
	as_other bash -c "echo '{\"role\":\"user\",\"content\":\"theirs\"}' >>'$MNT/append'"
	is theirs as_other cat "$MNT/HEAD/content"
	chmod 600 "$SESSION"
	fails_with "Permission denied" as_other cat "$MNT/by-id/aa000004/content"
}

# bats test_tags=root
@test "a session that the user can't write to is mounted read-only" {
	needs_root
	cp "$FIXTURES/pi-v3-branches.jsonl" "$SESSION"
	chmod 644 "$SESSION"
	chown "$USER_ID:$GROUP_ID" "$MNT"
	as_user "$SESSFS" "$SESSION" "$MNT"
	fails_with "Read-only file system" as_user ln -sfn by-id/aa000004 "$MNT/HEAD"
	fails_with "Read-only file system" as_user bash -c "echo x >'$MNT/name'"
	fails_with "Read-only file system" as_user bash -c "echo {} >'$MNT/append'"
	is "list the files" as_user cat "$MNT/by-id/aa000004/content"
	as_user grep -qx "writable: no, the file or its mount is read-only" "$MNT/info"
}

# bats test_tags=root
@test "a sidecar beside another's session that the user may write to" {
	needs_root
	cp "$FIXTURES/claude-basic.jsonl" "$SESSION"
	chmod 666 "$SESSION"
	chmod 777 "$DIR"
	chown "$USER_ID:$GROUP_ID" "$MNT"
	as_user "$SESSFS" "$SESSION" "$MNT"
	as_user grep -qx "writable: HEAD and labels" "$MNT/info"
	as_user bash -c "echo mine >'$MNT/HEAD/label'"
	is mine as_user cat "$MNT/HEAD/label"
	is "$USER_ID" stat -c %u "$DIR/session.sessfs.json"
	cmp "$FIXTURES/claude-basic.jsonl" "$SESSION"
}

# bats test_tags=root
@test "where no sidecar or lock can be made, the session is read-only" {
	needs_root
	chmod 555 "$DIR"
	chown "$USER_ID:$GROUP_ID" "$MNT"
	local fixture
	for fixture in claude-basic omp-v3-basic; do
		cp "$FIXTURES/$fixture.jsonl" "$SESSION"
		chown "$USER_ID:$GROUP_ID" "$SESSION"
		as_user "$SESSFS" "$SESSION" "$MNT"
		as_user grep -qx "writable: no, no file can be made beside it" "$MNT/info"
		fails_with "Permission denied" as_user ln -sfn tree "$MNT/HEAD"
		unmount
		daemon_is_gone
	done
}

# bats test_tags=root
@test "a session that the user can't read, a mount point that is not theirs" {
	needs_root
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

# bats test_tags=root
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

# bats test_tags=root
@test "a version 1 session of a user is migrated by the user" {
	needs_root
	cp "$FIXTURES/pi-v1-linear.jsonl" "$SESSION"
	chown "$USER_ID:$GROUP_ID" "$SESSION" "$MNT" "$DIR"
	chmod 600 "$SESSION"
	as_user "$SESSFS" "$SESSION" "$MNT"
	as_user bash -c "echo x >'$MNT/HEAD/label'"
	is "$USER_ID 600" stat -c '%u %a' "$SESSION"
	is "$USER_ID 600" stat -c '%u %a' "$SESSION.v1.bak"
	cmp "$FIXTURES/pi-v1-linear.jsonl" "$SESSION.v1.bak"
}

# Try every change in every place, as a user of these groups. Prints the
# successful ones.
try_to_write() {
	needs python3
	python3 - "$MNT" "$DIR" "$@" <<-'PY'
	import os, stat, sys
	mnt, outside = sys.argv[1:3]
	user, group, *groups = map(int, sys.argv[3:])
	os.setgroups(groups)
	os.setgid(group)
	os.setuid(user)
	head, entry = mnt + "/HEAD", mnt + "/by-id/aa000004"
	tries = {}
	def t(name, f, *args):
	    try:
	        r = f(*args)
	    except OSError:
	        return
	    print(name, args)
	    if f is os.open:
	        os.close(r)
	label = entry + "/label"
	files = [label, entry + "/content", entry + "/raw.json", mnt + "/context.txt", mnt + "/info",
	         mnt + "/name", mnt + "/append"]
	folders = [mnt, mnt + "/tree", mnt + "/by-id", mnt + "/by-label", mnt + "/branches", mnt + "/path", entry, head,
	           mnt + "/tree/" + (os.listdir(mnt + "/tree") if os.access(mnt + "/tree", os.R_OK) else ["x"])[0]]
	for file in files:
	    t("open", os.open, file, os.O_WRONLY)
	    t("open", os.open, file, os.O_RDWR)
	    t("open", os.open, file, os.O_WRONLY | os.O_TRUNC)
	    t("open", os.open, file, os.O_WRONLY | os.O_APPEND)
	    t("truncate", os.truncate, file, 0)
	    t("link", os.link, file, mnt + "/link")
	    t("link", os.link, file, outside + "/link")
	for folder in folders:
	    new = folder + "/aa000099"
	    t("create", os.open, new, os.O_CREAT | os.O_WRONLY)
	    t("symlink", os.symlink, "by-id/aa000005", new)
	    t("mkdir", os.mkdir, new)
	    t("mkfifo", os.mkfifo, new)
	    t("mknod", os.mknod, new, stat.S_IFREG | 0o644)
	    t("rename", os.rename, head, new)
	    t("rename", os.rename, folder, mnt + "/moved")
	    t("replace", os.replace, entry + "/content", new)
	    t("rmdir", os.rmdir, folder)
	for path in files + folders:
	    t("unlink", os.unlink, path)
	    t("chmod", os.chmod, path, 0o777)
	    t("chown", os.chown, path, os.getuid(), -1)
	    t("chgrp", os.chown, path, -1, os.getgid())
	    t("utime", os.utime, path)
	    t("utime", os.utime, path, (1, 1))
	    t("setxattr", os.setxattr, path, "user.x", b"x")
	    t("removexattr", os.removexattr, path, "user.x")
	t("symlink", os.symlink, "by-id/aa000004", head)
	t("replace", os.replace, mnt + "/by-label/works", head)
	t("chown", lambda p: os.chown(p, os.getuid(), -1, follow_symlinks=False), head)
	PY
}

# Fails unless the other user and one of the session's group can read only if
# the mode allows it, and can't write.
read_and_written_by() {
	# shellcheck disable=SC2034 # these are read as ${!who}
	local mode=$1 other=$2 member=$3 who may
	chmod "$mode" "$SESSION"
	for who in other member; do
		may=no
		[ "$(as_$who cat "$MNT/by-id/aa000004/content" 2>/dev/null)" != "list the files" ] || may=yes
		[ "$may" = "${!who}" ] || {
			echo "$mode: $who reads: $may"
			return 1
		}
		if [ "$who" = member ]; then
			try_to_write "$OTHER_ID" "$OTHER_ID" "$GROUP_ID" >"$DIR/written"
		else
			try_to_write "$OTHER_ID" "$OTHER_ID" >"$DIR/written"
		fi
		if [ -s "$DIR/written" ]; then
			echo "$mode: $who:"
			cat "$DIR/written"
			return 1
		fi
	done
	cmp "$FIXTURES/pi-v3-branches.jsonl" "$SESSION"
	is by-id/aa000025 readlink "$MNT/HEAD"
}

# bats test_tags=root,full
@test "with allow_other another user reads what the mode allows, and writes nothing" {
	needs_root
	cp "$FIXTURES/pi-v3-branches.jsonl" "$SESSION"
	chown "$USER_ID:$GROUP_ID" "$SESSION"
	# Wherever it is that they may write outside.
	chmod 777 "$DIR"
	mount_session -o allow_other
	read_and_written_by 640 no yes
	read_and_written_by 604 yes no
	read_and_written_by 400 no no
	# The script does find what is allowed.
	chmod 600 "$SESSION"
	try_to_write "$USER_ID" "$GROUP_ID" >"$DIR/written"
	grep -q "^open .*label" "$DIR/written"
	grep -q "^open .*/append" "$DIR/written"
	grep -q "^open .*/name" "$DIR/written"
	grep -q "^rename .*HEAD" "$DIR/written" || grep -q "^unlink .*HEAD" "$DIR/written"
}

# bats test_tags=root,full
@test "without allow_other neither another user nor root does anything" {
	mount_as_user 644
	chmod 777 "$DIR"
	try_to_write "$OTHER_ID" "$OTHER_ID" >"$DIR/written"
	try_to_write "$OTHER_ID" "$OTHER_ID" "$GROUP_ID" >>"$DIR/written"
	try_to_write 0 0 >>"$DIR/written"
	diff /dev/null "$DIR/written"
	fails_with "Permission denied" as_other cat "$MNT/info"
	fails_with "Permission denied" as_member cat "$MNT/info"
	fails_with "Permission denied" cat "$MNT/info"
	cmp "$FIXTURES/pi-v3-branches.jsonl" "$SESSION"
}

# An access list: the owner and user 1234 may read, the owning group may not.
give_acl() {
	needs python3
	python3 - "$1" <<-'PY'
	import os, struct, sys
	entries = [(1, 6, -1), (2, 4, 1234), (4, 0, -1), (0x10, 4, -1), (0x20, 0, -1)]
	acl = struct.pack("<I", 2) + b"".join(struct.pack("<HHi", *e) for e in entries)
	os.setxattr(sys.argv[1], "system.posix_acl_access", acl)
	PY
}

# bats test_tags=root
@test "with an access list the group does not get the rights of the mask" {
	needs_root
	cp "$FIXTURES/pi-v3-branches.jsonl" "$SESSION"
	chown "root:$GROUP_ID" "$SESSION"
	chmod 640 "$SESSION"
	mkdir "$DIR/all" "$DIR/around"
	cp -p "$SESSION" "$DIR/all/s.jsonl"
	mount_session -o allow_other
	start "$SESSFS" -o allow_other "$DIR/all" "$DIR/around"
	is "list the files" as_user cat "$MNT/by-id/aa000004/content"
	give_acl "$SESSION" || skip "no access lists on this filesystem"
	give_acl "$DIR/all/s.jsonl"
	fails_with "Permission denied" as_user cat "$SESSION"
	fails_with "Permission denied" as_user cat "$MNT/by-id/aa000004/content"
	fails_with "Permission denied" as_user cat "$DIR/around/s/by-id/aa000004/content"
	is -r-------- stat -c %A "$MNT/info"
	is drwx------ stat -c %A "$DIR/around/s"
}

@test "a version 1 session keeps its access list when it is migrated" {
	needs python3
	local list='import os, sys; print(os.getxattr(sys.argv[1], "system.posix_acl_access").hex())'
	cp "$FIXTURES/pi-v1-linear.jsonl" "$SESSION"
	give_acl "$SESSION" || skip "no access lists on this filesystem"
	local before
	before=$(python3 -c "$list" "$SESSION")
	mount_session
	echo x >"$MNT/HEAD/label"
	[ -e "$SESSION.v1.bak" ]
	is "$before" python3 -c "$list" "$SESSION"
}

@test "labels beside a session are for nobody who may not read it" {
	needs python3
	cp "$FIXTURES/claude-basic.jsonl" "$SESSION"
	give_acl "$SESSION" || skip "no access lists on this filesystem"
	mount_session
	echo x >"$MNT/HEAD/label"
	is -rw------- stat -c %A "${SESSION%.jsonl}.sessfs.json"
}

# bats test_tags=root
@test "a session that becomes writable can be written to" {
	needs_root
	mkdir "$DIR/all"
	cp "$FIXTURES/pi-v3-branches.jsonl" "$DIR/all/s.jsonl"
	chmod 444 "$DIR/all/s.jsonl"
	chown -R "$USER_ID:$GROUP_ID" "$DIR/all" "$MNT"
	as_user "$SESSFS" "$DIR/all" "$MNT"
	is -r--r--r-- as_user stat -c %A "$MNT/s/HEAD/label"
	chmod 644 "$DIR/all/s.jsonl"
	as_user bash -c "echo mine >'$MNT/s/HEAD/label'"
	is mine as_user cat "$MNT/s/HEAD/label"
}

# bats test_tags=root
@test "subagents that the user can't read are not listed, and no error" {
	needs_root
	mkdir -p "$DIR/all/s/subagents"
	cp "$FIXTURES/claude-basic.jsonl" "$DIR/all/s.jsonl"
	cp "$FIXTURES/claude-basic.jsonl" "$DIR/all/s/subagents/agent-a1.jsonl"
	chmod 700 "$DIR/all/s"
	chown "$USER_ID:$GROUP_ID" "$MNT"
	as_user "$SESSFS" "$DIR/all/s.jsonl" "$MNT"
	as_user ls "$MNT" >"$DIR/names"
	has_line tree.txt "$DIR/names"
	not has_line subagents "$DIR/names"
	fails_with "Permission denied" as_user ls "$MNT/subagents"
}

# bats test_tags=root
@test "sessions.txt leaves out a folder that the user can't read, and no other" {
	needs_root
	mkdir -p "$DIR/all/a" "$DIR/all/b"
	cp "$FIXTURES/pi-v3-branches.jsonl" "$DIR/all/a/x.jsonl"
	cp "$FIXTURES/pi-v3-branches.jsonl" "$DIR/all/b/y.jsonl"
	chmod 700 "$DIR/all/a"
	chmod -R go=rX "$DIR/all/b"
	chown "$USER_ID:$GROUP_ID" "$MNT"
	as_user "$SESSFS" "$DIR/all" "$MNT"
	is b/y as_user cut -f 2 "$MNT/sessions.txt"
	fails_with "Permission denied" as_user cat "$MNT/a/sessions.txt"
}

# bats test_tags=root,full
@test "a user opens, switches, and compares with the helpers" {
	needs_root
	export HOME=$DIR/home XDG_RUNTIME_DIR=$DIR/run SESSFS
	unset PI_CODING_AGENT_DIR PI_CODING_AGENT_SESSION_DIR
	local folder at
	folder=$HOME/.pi/agent/sessions/--$(tr / - <<<"${HOME#/}")--
	mkdir -p "$folder" "$XDG_RUNTIME_DIR"
	cp "$FIXTURES/pi-v3-branches.jsonl" "$folder/a.jsonl"
	chown -R "$USER_ID:$GROUP_ID" "$HOME" "$XDG_RUNTIME_DIR"
	chmod 700 "$XDG_RUNTIME_DIR"
	cd "$HOME"
	at=$(as_user "$SESSFS" open)
	[[ $at == "$XDG_RUNTIME_DIR"/* ]]
	is "$at" as_user "$SESSFS" open
	is by-id/aa000004 as_user "$SESSFS" switch <<<aa000004 2>/dev/null
	as_user "$SESSFS" log -n 1 >"$DIR/out"
	is "entry aa000004 (HEAD)" grep ^entry "$DIR/out"
	run -1 as_user "$SESSFS" diff HEAD good
	# Root does not see it, and does not use the user's folder.
	run -1 "$SESSFS" log
	as_user fusermount3 -u "$at"
}

# bats test_tags=root
@test "a user speaks where they may write" {
	mount_as_user
	as_user "$SESSFS" say hello "$MNT"
	is hello as_user cat "$MNT/HEAD/content"
	is "$USER_ID 600" stat -c '%u %a' "$SESSION"
	as_user fusermount3 -u "$MNT"
	daemon_is_gone
	chmod 400 "$SESSION"
	cp "$SESSION" "$DIR/before"
	as_user "$SESSFS" "$SESSION" "$MNT"
	refuses 1 "sessfs: $MNT: Read-only file system (writable: no, the file or its mount is read-only)" \
		as_user "$SESSFS" say hello "$MNT"
	cmp "$DIR/before" "$SESSION"
}
