# A folder of sessions, as tar reads it. The rest is in tests/mounts/test_folder.c.
load lib/mount
load lib/run

# A tree of sessions in $DIR/all, mounted.
mount_folder() {
	ALL=$DIR/all
	mkdir -p "$ALL/a/deep" "$ALL/b"
	cp "$FIXTURES/pi-v3-branches.jsonl" "$ALL/a/one.jsonl"
	cp "$FIXTURES/omp-v3-basic.jsonl" "$ALL/a/two.jsonl"
	cp "$FIXTURES/pi-v1-linear.jsonl" "$ALL/a/deep/old.jsonl"
	cp "$FIXTURES/go-tree.jsonl" "$FIXTURES/go-tree.head.json" "$ALL/b"
	cp "$FIXTURES/claude-basic.jsonl" "$ALL/top.jsonl"
	chmod -R u=rwX,go=rX "$ALL"
	start "$SESSFS" "$ALL" "$MNT"
}

# tar compares the times from before and after it has read a folder.
packs() {
	tar -cf "$DIR/packed" -C "$1" . 2>"$DIR/complaints" || {
		cat "$DIR/complaints"
		return 1
	}
}

@test "tar packs sessions of several agents, and says nothing" {
	mount_folder
	packs "$MNT"
	packs "$MNT"
	tar -tf "$DIR/packed" >"$DIR/listed"
	is 5 grep -c '/info$' "$DIR/listed"
}
