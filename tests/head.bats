# Moving HEAD by programs. What they ask of a mount is in commands/head.md.
load lib/mount
load lib/run
load lib/pi

# Rules: H2
@test "plain ln -sf follows HEAD and still moves it" {
	mount_fixture pi-v3-branches.jsonl
	ln -sfn by-id/aa000010 "$MNT/HEAD"
	head_is by-id/aa000010
	ln -sf by-id/aa000007 "$MNT/HEAD"
	head_is by-id/aa000007
	# To a child, whose name is taken in the folder; and to the parent.
	ln -sf by-id/aa000008 "$MNT/HEAD"
	head_is by-id/aa000008
	ln -sf HEAD/parent "$MNT/HEAD"
	head_is by-id/aa000007
	ln -sf by-id/aa000006/content "$MNT/HEAD"
	head_is by-id/aa000006
	ln -sf by-label/good "$MNT/HEAD"
	head_is by-id/aa000008
	ln -sf tree "$MNT/HEAD"
	head_is tree
	# No temporary link is left in the folders that HEAD pointed to.
	prints_nothing find "$MNT/by-id" -name 'Cu*'
}

# bats test_tags=full
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

# Rules: H2
@test "rm HEAD changes nothing; ln -s creates it again" {
	needs python3
	mount_fixture pi-v3-branches.jsonl
	cp "$SESSION" "$DIR/before"
	# In one process, since HEAD is there again after a second.
	python3 -c "import os, sys
os.chdir(sys.argv[1])
os.unlink('HEAD')
assert not os.path.lexists('HEAD')
assert 'HEAD' not in os.listdir()" "$MNT"
	cmp "$DIR/before" "$SESSION"
	ln -s by-id/aa000004 "$MNT/HEAD"
	head_is by-id/aa000004
	env rm "$MNT/HEAD"
	fails_with "No such file" ln -s by-id/none "$MNT/HEAD"
	head_is by-id/aa000004
}

# Does the root list this name?
listed() {
	ls "$MNT" | grep -qx "$1"
}

# The command is refused everything but HEAD. The kernel has the listing without it.
comes_back_after() {
	"$@" 2>"$DIR/refusals" || true
	ls "$MNT" >/dev/null
	wait_until listed HEAD
	head_is by-id/aa000025
	cmp "$DIR/before" "$SESSION"
}

@test "HEAD is there again after a clean-up that reaches the mount" {
	mount_fixture pi-v3-branches.jsonl
	cp "$SESSION" "$DIR/before"
	comes_back_after env rm -rf "$MNT"/*
	comes_back_after find "$MNT" -delete
	comes_back_after mv "$MNT/HEAD" "$DIR/moved"
	is by-id/aa000025 readlink "$DIR/moved"
	is "Final." cat "$MNT/HEAD/content"
}

# bats test_tags=full
@test "HEAD is there again in a folder of sessions" {
	mkdir "$DIR/all"
	SESSION=$DIR/all/a.jsonl
	cp "$FIXTURES/pi-v3-branches.jsonl" "$SESSION"
	cp "$SESSION" "$DIR/before"
	start "$SESSFS" "$DIR/all" "$MNT"
	MNT=$MNT/a
	comes_back_after env rm -rf "$MNT"/*
}

# bats test_tags=full
@test "busybox ln -sf through names that HEAD's folder has" {
	needs busybox
	mount_fixture pi-v3-branches.jsonl
	busybox ln -sf HEAD/parent "$MNT/HEAD"
	head_is by-id/aa000024
	busybox ln -sf by-id/aa000006/content "$MNT/HEAD"
	head_is by-id/aa000006
	is "line \"1\"" head -n 1 "$MNT/by-id/aa000006/content"
}
