# Operating a mount by mount(8) and fstab. commands/operated.md has the rest.
load lib/mount
load lib/run
load lib/session

# bats test_tags=root,full
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
