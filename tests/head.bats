# bats file_tags=full
# Moving HEAD by busybox. All else is in commands/head.md.
load lib/mount
load lib/run
load lib/pi

@test "busybox ln -sf, with and without -n" {
	needs busybox
	mount_fixture pi-v3-branches.jsonl
	busybox ln -sf by-id/aa000007 "$MNT/HEAD"
	head_is by-id/aa000007
	busybox ln -sf by-id/aa000008 "$MNT/HEAD"
	head_is by-id/aa000008
	busybox ln -sfn by-id/aa000005 "$MNT/HEAD"
	head_is by-id/aa000005
	[ -L "$MNT/by-id/aa000007/aa000008" ]
}

@test "busybox ln -sf through names that HEAD's folder has" {
	needs busybox
	mount_fixture pi-v3-branches.jsonl
	busybox ln -sf HEAD/parent "$MNT/HEAD"
	head_is by-id/aa000024
	busybox ln -sf by-id/aa000006/content "$MNT/HEAD"
	head_is by-id/aa000006
	is "line \"1\"" head -n 1 "$MNT/by-id/aa000006/content"
}
