# Moving HEAD: in every way that people do it, with every spelling of the
# target.
load lib/mount
load lib/run
load lib/pi

lines() {
	wc -l <"$SESSION"
}

# The last line is a move to this parent (as JSON), by a custom entry.
moved_to() {
	needs python3
	python3 - "$SESSION" "$1" <<-'PY'
	import json, re, sys
	lines = [json.loads(l) for l in open(sys.argv[1]) if l.strip().startswith("{")]
	e = lines[-1]
	assert list(e) == ["type", "customType", "data", "id", "parentId", "timestamp"], e
	assert e["type"] == "custom" and e["customType"] == "sessfs.head", e
	assert e["parentId"] == json.loads(sys.argv[2]), e
	assert e["data"] == {"from": lines[-2]["id"]}, e
	assert re.fullmatch("[0-9a-f]{8}", e["id"]), e
	assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", e["timestamp"]), e
	assert sum(l.get("id") == e["id"] for l in lines) == 1
	PY
}

# Rules: H1 H5
@test "ln -sfn moves HEAD, and writes one line" {
	mount_fixture pi-v3-branches.jsonl
	cp "$SESSION" "$DIR/before"
	local n
	n=$(lines)
	ln -sfn by-id/aa000008 "$MNT/HEAD"
	head_is by-id/aa000008
	[ "$(lines)" -eq $((n + 1)) ]
	moved_to '"aa000008"'
	cmp -n "$(stat -c %s "$DIR/before")" "$DIR/before" "$SESSION"
	cmp "$MNT/context.txt" "$MNT/by-id/aa000008/context.txt"
	# A move to the current HEAD writes nothing.
	cp "$SESSION" "$DIR/before"
	ln -sfn by-id/aa000008 "$MNT/HEAD"
	ln -sf HEAD "$MNT/HEAD"
	cmp "$DIR/before" "$SESSION"
}

# Rules: H2
@test "plain ln -sf follows HEAD and still moves it" {
	mount_fixture pi-v3-branches.jsonl
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
	[ -z "$(find "$MNT/by-id" -name 'Cu*')" ]
}

# bats test_tags=full
@test "busybox ln -sf, with and without -n" {
	needs busybox
	mount_fixture pi-v3-branches.jsonl
	busybox ln -sf by-id/aa000007 "$MNT/HEAD"
	head_is by-id/aa000007
	busybox ln -sf by-id/aa000008 "$MNT/HEAD"
	head_is by-id/aa000008
	busybox ln -sfn by-id/aa000003 "$MNT/HEAD"
	head_is by-id/aa000003
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
	rm "$MNT/HEAD"
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
	comes_back_after rm -rf "$MNT"/*
	comes_back_after find "$MNT" -delete
	comes_back_after mv "$MNT/HEAD" "$DIR/moved"
	is by-id/aa000025 readlink "$DIR/moved"
	is "Final." cat "$MNT/HEAD/content"
}

@test "HEAD is there again in a folder of sessions" {
	mkdir "$DIR/all"
	SESSION=$DIR/all/a.jsonl
	cp "$FIXTURES/pi-v3-branches.jsonl" "$SESSION"
	cp "$SESSION" "$DIR/before"
	"$SESSFS" "$DIR/all" "$MNT"
	MNT=$MNT/a
	comes_back_after rm -rf "$MNT"/*
}

@test "python: os.replace, and os.unlink with os.symlink" {
	needs python3
	mount_fixture pi-v3-branches.jsonl
	cd "$MNT"
	python3 - <<-'PY'
	import os
	os.symlink("by-id/aa000005", "HEAD.new")
	assert os.readlink("HEAD.new") == "by-id/aa000005"
	assert "HEAD.new" in os.listdir(".")
	os.replace("HEAD.new", "HEAD")
	assert os.readlink("HEAD") == "by-id/aa000005"
	assert "HEAD.new" not in os.listdir(".")
	os.unlink("HEAD")
	os.symlink("by-id/aa000006", "HEAD")
	assert os.readlink("HEAD") == "by-id/aa000006"
	PY
}

# Rules: H4
@test "every spelling of a target" {
	mount_fixture pi-v3-branches.jsonl
	local tree=tree/aa000001/aa000003/aa000004/aa000005/aa000006
	local mnt=$MNT last=${MNT##*/} target want top=${MNT%/*}
	top=${top##*/}
	cd "$MNT/.."
	while read -r target want; do
		echo "by way of $target"
		ln -sfn "${target//@/ }" "$MNT/HEAD"
		head_is "by-id/$want"
	done <<-END
		by-id/aa000006 aa000006
		by-label/good aa000008
		by-id/aa000006/ aa000006
		branches/aa000011 aa000011
		./by-id//aa000006/content aa000006
		by-id/aa000006/aa000007/aa000008 aa000008
		$tree aa000006
		by-id/aa000006/parent aa000005
		$tree/ aa000006
		by-label/dead@end aa000011
		$tree/content aa000006
		by-label/good/parent aa000007
		aa000006 aa000006
		$last/by-label/good aa000008
		$mnt/by-id/aa000006 aa000006
		./$last/branches/aa000025 aa000025
		$mnt/$tree aa000006
		$top/$last/by-label/good aa000008
		$last/by-id/aa000006 aa000006
		by-label/good aa000008
		../$last/by-id/aa000006 aa000006
		by-label/good aa000008
		../by-id/aa000006 aa000006
		by-label/good aa000008
		aa000006/content aa000006
	END
	ln -sfn by-id/aa000006 "$MNT/HEAD"
	ln -sfn HEAD/parent "$MNT/HEAD"
	head_is by-id/aa000005
}

# Rules: H4
@test "a prefix of four characters or more does, if only one id has it" {
	write_session "$(user abcd0001 "" one)" "$(user abcd0002 abcd0001 two)" \
		"$(user abce0003 abcd0002 three)"
	mount_session
	ln -sfn abce "$MNT/HEAD"
	head_is by-id/abce0003
	ln -sfn abcd0001 "$MNT/HEAD"
	head_is by-id/abcd0001
	fails_with "Invalid argument" ln -sfn abcd "$MNT/HEAD"
	fails_with "No such file" ln -sfn abc "$MNT/HEAD"
	fails_with "No such file" ln -sfn abcf "$MNT/HEAD"
	head_is by-id/abcd0001
	# It may stand after by-id/, as tree.txt shows it.
	ln -sfn by-id/abce "$MNT/HEAD"
	head_is by-id/abce0003
	ln -sf "$MNT/by-id/abcd0002/content" "$MNT/HEAD"
	ln -sf by-id/abce0 "$MNT/HEAD"
	head_is by-id/abce0003
	fails_with "Invalid argument" ln -sfn by-id/abcd "$MNT/HEAD"
	fails_with "No such file" ln -sfn by-id/abc "$MNT/HEAD"
	fails_with "No such file" ln -sfn by-id/abcd/parent "$MNT/HEAD"
	head_is by-id/abce0003
}

@test "a target that names no entry is ENOENT, and nothing is written" {
	mount_fixture pi-v3-branches.jsonl
	cp "$SESSION" "$DIR/before"
	local target
	for target in by-id/none by-id by-label/none branches/aa000004 tree/aa000004 \
		by-id/aa000004/aa000001 HEAD/none /by-id/aa000004 /etc/passwd info \
		by-id/aa000004/label context.txt . .. aa000004/x mnt by-id/aa000001/parent; do
		fails_with "No such file" ln -sfn "$target" "$MNT/HEAD" || {
			echo "target $target"
			return 1
		}
	done
	head_is by-id/aa000025
	fails_with "No such file" ln -sf by-id/none "$MNT/HEAD"
	fails_with "No such file" ln -s foo "$MNT/HEAD/bar"
	[ ! -L "$MNT/HEAD/bar" ]
	head_is by-id/aa000025
	cmp "$DIR/before" "$SESSION"
	is "HEAD branches by-file by-id by-label context.txt info name path tree tree.txt" \
		bash -c "LC_ALL=C ls ${IN_FOLDER:+-I forks} '$MNT' | paste -sd' '"
}

@test "tree resets to before the first entry, and there is a way back" {
	mount_fixture pi-v3-branches.jsonl
	ln -sfn tree "$MNT/HEAD"
	head_is tree
	moved_to null
	is '[]' cat "$MNT/context.json"
	[ ! -s "$MNT/context.txt" ]
	has_line "head: none" "$MNT/info"
	cp "$SESSION" "$DIR/before"
	ln -sfn tree "$MNT/HEAD"
	cmp "$DIR/before" "$SESSION"
	# HEAD leads to tree/ now: plain ln -sf goes there.
	ln -sf by-id/aa000004 "$MNT/HEAD"
	head_is by-id/aa000004
}

# Rules: H6
@test "labels and head marks are looked through" {
	mount_fixture pi-v3-branches.jsonl
	ln -sfn by-id/aa000010 "$MNT/HEAD"
	echo one >"$MNT/by-id/aa000001/label"
	echo two >"$MNT/by-id/aa000003/label"
	head_is by-id/aa000010
	# A mark written by another program counts as well.
	cp "$FIXTURES/pi-v3-headmove.jsonl" "$SESSION"
	head_is by-id/dd000002
}

@test "only HEAD can be moved: other names and folders are refused" {
	mount_fixture pi-v3-branches.jsonl
	cp "$SESSION" "$DIR/before"
	local no="Operation not permitted"
	fails_with "$no" ln -s x "$MNT/by-id/aa000004/x"
	fails_for_root_with "$no" ln -s x "$MNT/by-id/x"
	fails_for_root_with "$no" ln -s x "$MNT/tree/x"
	fails_for_root_with "$no" ln -s x "$MNT/by-label/x"
	fails_with "$no" mv "$MNT/HEAD" "$MNT/x"
	fails_for_root_with "$no" mv "$MNT/by-id/aa000004" "$MNT/by-id/x"
	fails_with "$no" mv "$MNT/context.txt" "$MNT/x"
	fails_with "$no" mkdir "$MNT/x"
	fails_with "$no" touch "$MNT/x"
	fails_with "$no" rm "$MNT/info"
	fails_for_root_with "$no" rm "$MNT/by-label/good"
	fails_with "$no" rm "$MNT/by-id/aa000004/content"
	fails_for_root_with "$no" rmdir "$MNT/tree/aa000001"
	fails_with "$no" ln "$MNT/info" "$MNT/x"
	fails_with "$no" chmod 600 "$MNT/info"
	fails_with "$no" chown 1 "$MNT/by-id/aa000004/label"
	fails_for_root_with "$no" truncate -s 0 "$MNT/info"
	cmp "$DIR/before" "$SESSION"
	head_is by-id/aa000025
}

# Rules: H3
@test "staged links are bounded, and can be removed" {
	mount_fixture pi-v3-branches.jsonl
	needs python3
	python3 -c '
import os, sys
for i in range(1, 301):
    os.symlink("by-id/aa000004", f"{sys.argv[1]}/link{i}")' "$MNT"
	[ "$(ls "$MNT" | grep -c link)" -eq 256 ]
	is by-id/aa000004 readlink "$MNT/link300"
	rm "$MNT/link300"
	[ "$(ls "$MNT" | grep -c link)" -eq 255 ]
	mv "$MNT/link299" "$MNT/again"
	mv -T "$MNT/again" "$MNT/HEAD"
	head_is by-id/aa000004
}

@test "a missing final newline is supplied first; a torn line stays alone" {
	needs python3
	write_session "$(user 00000001 "" one)"
	printf '%s' "$(user 00000002 00000001 two)" >>"$SESSION"
	mount_session
	head_is by-id/00000002
	ln -sfn by-id/00000001 "$MNT/HEAD"
	head_is by-id/00000001
	python3 -c "import json,sys; [json.loads(l) for l in open(sys.argv[1])]" "$SESSION"
	[ "$(lines)" -eq 4 ]
	printf '{"type":"mess' >>"$SESSION"
	ln -sfn by-id/00000002 "$MNT/HEAD"
	head_is by-id/00000002
	[ "$(lines)" -eq 6 ]
	is '{"type":"mess' sed -n 5p "$SESSION"
}

@test "HEAD of a session without entries is tree" {
	write_session
	mount_session
	head_is tree
	is "" bash -c "ls '$MNT/by-id' '$MNT/tree' | grep -v : | paste -sd' ' | tr -d ' '"
	fails_with "No such file" ln -sfn by-id/x "$MNT/HEAD"
}

@test "the mount point's own spelling counts, a link on the way included" {
	cp "$FIXTURES/pi-v3-branches.jsonl" "$SESSION"
	mkdir "$DIR/real"
	rmdir "$MNT"
	ln -s real "$DIR/link"
	mkdir "$DIR/real/mnt"
	MNT=$DIR/link/mnt
	"$SESSFS" "$SESSION" "$MNT"
	ln -sfn "$DIR/link/mnt/by-id/aa000004" "$MNT/HEAD"
	head_is by-id/aa000004
	ln -sfn "$DIR/real/mnt/by-id/aa000005" "$MNT/HEAD"
	head_is by-id/aa000005
	cd "$DIR"
	ln -sfn link/mnt/by-id/aa000006 link/mnt/HEAD
	head_is by-id/aa000006
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

@test "an entry below a cycle of parents is refused: the agent would hang on it" {
	write_session "$(user c1 c2 a)" "$(user c2 c1 b)" "$(user c3 c2 c)" "$(user good "" d)"
	mount_session
	cp "$SESSION" "$DIR/before"
	fails_with "Too many levels" ln -sfn by-id/c3 "$MNT/HEAD"
	fails_with "Too many levels" ln -sfn by-id/c1 "$MNT/HEAD"
	head_is by-id/good
	cmp "$DIR/before" "$SESSION"
}

@test "a lock that is not let go: the write gives up, the mount goes on" {
	mount_fixture pi-v3-branches.jsonl
	hold_lock
	fails_with "busy" ln -sfn by-id/aa000004 "$MNT/HEAD"
	head_is by-id/aa000025
	release_lock
	ln -sfn by-id/aa000004 "$MNT/HEAD"
	head_is by-id/aa000004
}
