# The daemon's privileges, descriptors and output: all that it needs, and no
# more.
load lib/mount
load lib/run
load lib/pi

OTHER=12345

# The sets of capabilities of every thread of a process, each once.
capabilities() {
	cat /proc/"$1"/task/*/status | grep '^Cap' | sort -u | tr '\t' ' '
}

# bats test_tags=root
@test "root keeps five capabilities in every thread, and no program gets more" {
	needs_root
	mount_fixture pi-v3-branches.jsonl
	cat "$MNT/by-id/"*/content >/dev/null
	# CHOWN, DAC_OVERRIDE, FOWNER, SYS_PTRACE, SYS_ADMIN.
	is "CapAmb: 0000000000000000
CapBnd: 000000000028000b
CapEff: 000000000028000b
CapInh: 0000000000000000
CapPrm: 000000000028000b" capabilities "$(daemon)"
}

# bats test_tags=root
@test "capabilities that root lacks are not needed, and not dropped again" {
	needs_root
	cp "$FIXTURES/pi-v3-branches.jsonl" "$SESSION"
	setpriv --bounding-set=-setpcap,-net_raw "$SESSFS" "$SESSION" "$MNT"
	capabilities "$(daemon)" | grep -qx "CapEff: 000000000028000b"
	head_is by-id/aa000025
}

# bats test_tags=root,full
@test "a user's daemon has none, ambient and inheritable ones included" {
	needs_root
	cp "$FIXTURES/pi-v3-branches.jsonl" "$SESSION"
	chown nobody "$SESSION" "$MNT"
	setpriv --reuid="$(id -u nobody)" --regid="$(id -g nobody)" --clear-groups \
		--inh-caps=+chown,+net_raw --ambient-caps=+chown,+net_raw \
		"$SESSFS" "$SESSION" "$MNT"
	capabilities "$(daemon)" >"$DIR/caps"
	grep -qx "CapAmb: 0000000000000000" "$DIR/caps"
	grep -qx "CapInh: 0000000000000000" "$DIR/caps"
	grep -qx "CapEff: 0000000000000001" "$DIR/caps"
	grep -qx "CapPrm: 0000000000000001" "$DIR/caps"
}

# bats test_tags=root
@test "DAC_OVERRIDE: root reads and writes another's session in a private folder" {
	needs_root
	mkdir "$DIR/private"
	SESSION=$DIR/private/session.jsonl
	cp "$FIXTURES/claude-basic.jsonl" "$SESSION"
	chmod 600 "$SESSION"
	chmod 700 "$DIR/private"
	chown -R nobody "$DIR/private"
	mount_session
	echo mine >"$MNT/HEAD/label"
	is mine cat "$MNT/HEAD/label"
	# An append, as the agent does it, is read as well.
	cat "$FIXTURES/pi-v3-branches.jsonl" >"$SESSION"
	head_is by-id/aa000025
	ln -sfn by-id/aa000004 "$MNT/HEAD"
	head_is by-id/aa000004
}

# bats test_tags=root
@test "CHOWN and FOWNER: a migrated session of another's keeps owner and mode" {
	needs_root
	cp "$FIXTURES/pi-v1-linear.jsonl" "$SESSION"
	chown "nobody:$OTHER" "$SESSION"
	chmod 640 "$SESSION"
	mount_session
	echo x >"$MNT/HEAD/label"
	is "$(id -u nobody) $OTHER 640" stat -c '%u %g %a' "$SESSION"
	is "$(id -u nobody) $OTHER 640" stat -c '%u %g %a' "$SESSION.v1.bak"
}

# bats test_tags=root
@test "FOWNER: a sidecar in another user's sticky folder is replaced" {
	needs_root
	mkdir "$DIR/sticky"
	SESSION=$DIR/sticky/session.jsonl
	cp "$FIXTURES/claude-basic.jsonl" "$SESSION"
	chown nobody "$SESSION"
	chown "$OTHER" "$DIR/sticky"
	chmod 1777 "$DIR/sticky"
	mount_session
	echo one >"$MNT/HEAD/label"
	is "$(id -u nobody)" stat -c %u "$DIR/sticky/session.sessfs.json"
	echo two >"$MNT/HEAD/label"
	is two cat "$MNT/HEAD/label"
	is "session.jsonl
session.sessfs.json" ls -A "$DIR/sticky"
}

# bats test_tags=root
@test "SYS_ADMIN: root's daemon unmounts when it is asked to end" {
	needs_root
	mount_fixture pi-v3-branches.jsonl
	kill -TERM "$(daemon)"
	daemon_is_gone
	not_mounted "$MNT"
}

@test "the daemon has the session, /dev/fuse, the hidden folder and watches open, and no file of its caller" {
	cp "$FIXTURES/pi-v3-branches.jsonl" "$SESSION"
	(umask 077 && mount_session 7<"$SESSION" 77>"$DIR/held")
	local pid held="/dev/fuse
/dev/fuse
/dev/null
/dev/null
/dev/null
/proc/self/mountinfo
$MNT
$SESSION
anon_inode:[eventfd]
anon_inode:[eventfd]
anon_inode:inotify"
	pid=$(daemon)
	is "$held" descriptors "$pid"
	is / readlink "/proc/$pid/cwd"
	grep -qx "Umask:	0022" "/proc/$pid/status"
	# Writing and reading leave no descriptor open.
	ln -sfn by-id/aa000004 "$MNT/HEAD"
	cat "$MNT/context.txt" >/dev/null
	wait_until is "$held" descriptors "$pid"
}

# What the descriptors of a process are, but for valgrind's: a log, and what has
# the highest numbers.
descriptors() {
	find "/proc/$1/fd" -type l -regex '.*/[0-9][0-9]?[0-9]?' -printf '%l\n' |
		sed "\|^$SANITIZER_LOGS/|d; s|^/proc/[0-9]*/mountinfo|/proc/self/mountinfo|" | LC_ALL=C sort
}

@test "-d prints nothing of a session's contents" {
	write_session "$(user 00000001 "" mark-of-the-text)" "$(user 00000002 00000001 two)"
	"$SESSFS" -d "$SESSION" "$MNT" 3>&- >"$DIR/said" 2>&1 &
	wait_for_mount
	grep -rq mark-of-the-text "$MNT/by-id"
	grep -q mark-of-the-text "$MNT/context.txt"
	grep -q mark-of-the-text "$MNT/by-id/00000001/raw.json"
	echo mark-of-the-label >"$MNT/by-id/00000001/label"
	grep -q mark-of-the-label "$MNT/tree.txt"
	fusermount3 -u "$MNT"
	wait $!
	grep -q READ "$DIR/said"
	grep -q WRITE "$DIR/said"
	not grep mark-of-the-text "$DIR/said"
	not grep mark-of-the-label "$DIR/said"
}
