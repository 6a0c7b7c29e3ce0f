# Operating a mount: dead daemons, signals, fstab, mount(8).
load lib/mount
load lib/run
load lib/session

LEFT="a mount whose daemon has ended is left here; first run: fusermount3 -u"

# Kill the daemon, and wait until its mount is dead.
kill_daemon() {
	kill -9 "$(daemon)"
	wait_until is_dead
}

is_dead() {
	[[ $(stat "$MNT" 2>&1) == *"Transport endpoint is not connected"* ]]
}

@test "the error of a dead mount names a command that helps" {
	MNT="$DIR/it's  a mount"
	mkdir "$MNT"
	ln -s "$MNT" "$DIR/link"
	mount_fixture pi-v3-branches.jsonl
	kill_daemon
	local at quoted="'$DIR/it'\''s  a mount'"
	cd "$DIR"
	for at in "$MNT" "it's  a mount" link; do
		run --separate-stderr "$SESSFS" "$SESSION" "$at"
		[ "$status" -eq 1 ]
		[ "$stderr" = "sessfs: $at: $LEFT $quoted" ]
	done
	eval "${stderr#*first run: }"
	mount_session
	head_is by-id/aa000025
}

@test "a plain name is not quoted" {
	mount_fixture pi-v3-branches.jsonl
	kill_daemon
	run --separate-stderr "$SESSFS" "$SESSION" "$MNT"
	[ "$stderr" = "sessfs: $MNT: $LEFT $MNT" ]
	fusermount3 -u "$MNT"
}

# bats test_tags=root
@test "a session is not mounted over a session; over anything else it is" {
	mount_fixture pi-v3-branches.jsonl
	local option
	for option in rw ro; do
		run --separate-stderr "$SESSFS" -o "$option" "$SESSION" "$MNT"
		[ "$status" -eq 1 ]
		[ "$stderr" = "sessfs: $MNT: a session is already mounted here; first run: fusermount3 -u $MNT" ]
	done
	is 1 bash -c "pgrep -fc 'sessfs .*$DIR/'"
	fusermount3 -u "$MNT"
	mount -t tmpfs tmpfs "$MNT" || skip "tmpfs can't be mounted here"
	mount_session
	head_is by-id/aa000025
	fusermount3 -u "$MNT"
	is tmpfs findmnt -no FSTYPE "$MNT"
}

# As in a container whose image is read-only.
# bats test_tags=root
@test "root mounts on a folder of a read-only filesystem" {
	needs_root
	cp "$FIXTURES/pi-v3-branches.jsonl" "$SESSION"
	export DIR SESSION SESSFS
	in_namespace bash -eu <<-'SH'
		mkdir "$DIR/disk"
		mount -t tmpfs none "$DIR/disk"
		mkdir "$DIR/disk/mnt"
		mount -o remount,ro "$DIR/disk"
		start "$SESSFS" "$SESSION" "$DIR/disk/mnt"
		[ "$(readlink "$DIR/disk/mnt/HEAD")" = by-id/aa000025 ]
		umount "$DIR/disk/mnt"
		umount "$DIR/disk"
	SH
}

# Killed during requests, too: fusermount3 checks only once whether the mount is
# dead.
# bats test_tags=root
@test "auto_unmount: the mount goes when the daemon is killed" {
	needs_root
	cp "$FIXTURES/pi-v3-branches.jsonl" "$SESSION"
	local reader
	for _ in {1..20}; do
		mount_session -o auto_unmount
		head_is by-id/aa000025
		(while cat "$MNT/info" >/dev/null 2>&1; do :; done) 3>&- &
		reader=$!
		kill -9 "$(daemon)"
		wait "$reader"
		wait_until not_mounted "$MNT"
	done
	mount_session -o auto_unmount
	fusermount3 -u "$MNT"
}

# bats test_tags=root
@test "auto_unmount of a user's, with allow_other" {
	needs_root
	cp "$FIXTURES/pi-v3-branches.jsonl" "$SESSION"
	chown nobody "$SESSION" "$MNT"
	echo user_allow_other >"$DIR/fuse.conf"
	# In a mount namespace: fuse.conf is the machine's.
	export DIR MNT SESSION SESSFS
	in_namespace bash -eu <<-'SH'
		mount --bind "$DIR/fuse.conf" /etc/fuse.conf
		mount_as_user() {
			setpriv --reuid="$(id -u nobody)" --regid="$(id -g nobody)" --clear-groups \
				"$SESSFS" -o auto_unmount,allow_other "$SESSION" "$MNT"
		}
		mount_as_user
		[ "$(readlink "$MNT/HEAD")" = by-id/aa000025 ]
		kill -9 "$(pgrep -f "sessfs -o [^ ]* $DIR/")"
		for _ in {1..200}; do
			findmnt -rno TARGET | grep -qxF "$MNT" || break
			sleep 0.05
		done
		mount_as_user
		[ "$(findmnt -rno TARGET | grep -cxF "$MNT")" -eq 1 ]
		fusermount3 -u "$MNT"
	SH
}

# SIGTERM while a shell stands in the mount and has a file open there, all of it
# as this user and group.
ends_while_busy() {
	needs python3
	python3 - "$SESSFS" "$SESSION" "$MNT" "$1" "$2" <<-'PY'
	import os, subprocess, sys, time
	sessfs, session, mnt, user, group = sys.argv[1:]
	who = dict(user=int(user), group=int(group), extra_groups=[]) if os.getuid() == 0 else {}
	end = time.monotonic() + 30
	def mounted():
	    with open("/proc/self/mounts") as f:
	        # A line may be cut while others change the table.
	        return any(line.split()[1:2] == [mnt] for line in f)
	daemon = subprocess.Popen([sessfs, "-f", session, mnt], **who)
	while not mounted():
	    assert daemon.poll() is None and time.monotonic() < end
	    time.sleep(0.02)
	inside = subprocess.Popen(
	    ["sh", "-c", 'cd "$1/HEAD" && exec 9<content && echo in && exec cat', "sh", mnt],
	    stdin=subprocess.PIPE, stdout=subprocess.PIPE, **who)
	try:
	    assert inside.stdout.readline() == b"in\n"
	    daemon.terminate()
	    assert daemon.wait(timeout=30) == 0, daemon.returncode
	    assert not mounted()
	    assert inside.poll() is None
	finally:
	    inside.communicate()
	PY
}

@test "SIGTERM while a shell stands inside and a file is open: status 0, unmounted" {
	cp "$FIXTURES/pi-v3-branches.jsonl" "$SESSION"
	ends_while_busy "$(id -u)" "$(id -g)"
}

# The first signal ends the mount, which waits for a lock to clear a label. The others
# would have ended the daemon without that, and left a dead mount.
@test "SIGTERM several times: status 0, unmounted, and a label that was emptied is" {
	needs python3
	cp "$FIXTURES/pi-v3-branches.jsonl" "$SESSION"
	python3 - "$SESSFS" "$SESSION" "$MNT" <<-'PY'
	import fcntl, os, subprocess, sys, time
	sessfs, session, mnt = sys.argv[1:]
	def mounted():
	    with open("/proc/self/mounts") as f:
	        return any(line.split()[1:2] == [mnt] for line in f)
	daemon = subprocess.Popen([sessfs, "-f", session, mnt])
	while not mounted():
	    assert daemon.poll() is None
	    time.sleep(0.02)
	with open(f"{mnt}/HEAD/label", "w") as f:
	    f.write("gone")
	with open(session) as held:
	    os.close(os.open(f"{mnt}/HEAD/label", os.O_WRONLY | os.O_TRUNC))
	    fcntl.flock(held, fcntl.LOCK_EX)
	    for _ in range(20):
	        daemon.terminate()
	        time.sleep(0.02)
	assert daemon.wait(timeout=30) == 0, daemon.returncode
	assert not mounted()
	last = open(session).readlines()[-1]
	assert '"type":"label"' in last and "gone" not in last, last
	PY
}

# bats test_tags=root
@test "the same of a user's, for whom fusermount3 unmounts" {
	needs_root
	cp "$FIXTURES/pi-v3-branches.jsonl" "$SESSION"
	chown nobody "$SESSION" "$MNT" "$DIR"
	ends_while_busy "$(id -u nobody)" "$(id -g nobody)"
}

# Only these options are ignored.
mounts_with() {
	mount_session -o "$1"
	head_is by-id/aa000025
	fusermount3 -u "$MNT"
	daemon_is_gone
}

@test "the words of an fstab line are accepted" {
	cp "$FIXTURES/pi-v3-branches.jsonl" "$SESSION"
	local word
	for word in noauto auto user nouser users owner group nofail _netdev defaults \
		x-systemd.automount x-gvfs-name=a%20b x- comment=systemd.automount comment=; do
		echo "is $word accepted?"
		mounts_with "$word"
	done
	mounts_with noauto,x-a.b,user,ro,comment=c,nofail
	for word in noautos xx- y-x comment x; do
		run --separate-stderr "$SESSFS" -o "$word" "$SESSION" "$MNT"
		[ "$status" -eq 2 ]
		[ "$stderr" = "sessfs: unknown option(s): \`-o $word'" ]
	done
	# Only options: a session may be called like that.
	local name=x-${DIR//\//-}.jsonl
	mv "$SESSION" "$DIR/$name"
	cd "$DIR"
	start "$SESSFS" "$name" mnt
	cd /
	head_is by-id/aa000025
	fusermount3 -u "$MNT"
	wait_until_not pgrep -f "sessfs $name"
}

# bats test_tags=root
@test "mount(8) and mount.fuse3 mount it, from a line of fstab as well" {
	needs_root
	cp "$FIXTURES/pi-v3-branches.jsonl" "$SESSION"
	# mount(8) has its own idea of PATH, in which sessfs may be or not; and
	# takes a type with one dot only.
	ln -s "$SESSFS" "$BATS_TEST_TMPDIR/sessfs"
	local type=fuse.$BATS_TEST_TMPDIR/sessfs PATH=$PATH:/usr/sbin
	local words=noauto,user,nofail,_netdev,owner,group,x-systemd.automount,comment=x
	local how
	echo "$SESSION $MNT $type $words,ro 0 0" >"$DIR/fstab"
	for how in "mount -t $type -o $words,ro $SESSION $MNT" \
		"mount -T $DIR/fstab $MNT" \
		"mount.fuse3 ${type#fuse.}#$SESSION $MNT -o $words,ro" \
		"mount.fuse3 $SESSION $MNT -t $type -o $words,ro"; do
		$how
		is fuse.sessfs findmnt -no FSTYPE "$MNT"
		findmnt -no OPTIONS "$MNT" | grep -qw ro
		head_is by-id/aa000025
		umount "$MNT"
		daemon_is_gone
	done
}
