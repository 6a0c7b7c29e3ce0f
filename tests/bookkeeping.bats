# Bookkeeping: entries that only describe others (labels, head marks, names) do
# not change HEAD, the drawn tree or the tips. by-id/ and tree/ have them all.
load lib/mount
load lib/run
load lib/pi
load lib/claude

# tree.txt without HEAD's mark and labels, and the tips.
look() {
	sed 's/ ← HEAD$//; s/ \[[^]]*\]$//' "$MNT/tree.txt"
	echo "tips:"
	LC_ALL=C ls "$MNT/branches"
	sed -n '/^branches:/p' "$MNT/info"
}

# The id of the last line.
last_id() {
	tail -n 1 "$SESSION" | sed 's/.*"id":"\([^"]*\)".*/\1/'
}

# Fails unless `look` prints what it printed to $DIR/seen.
looks_the_same() {
	look | diff "$DIR/seen" -
}

# Move HEAD six times, to two entries in turn; label both; set the name, if the
# format has one. by-id/ must have this many more entries.
keep_books() {
	local more=$1 first=$2 second=$3 n i
	n=$(ls -U "$MNT/by-id" | wc -l)
	# shellcheck disable=SC2034 # three times
	for i in 1 2 3; do
		ln -sfn "by-id/$first" "$MNT/HEAD"
		head_is "by-id/$first"
		ln -sfn "by-id/$second" "$MNT/HEAD"
		head_is "by-id/$second"
	done
	echo one >"$MNT/by-id/$first/label"
	echo two >"$MNT/HEAD/label"
	is two cat "$MNT/by-id/$second/label"
	if [ "${4:-}" ]; then
		echo "$4" >"$MNT/name"
		is "$4" cat "$MNT/name"
	fi
	head_is "by-id/$second"
	is $((n + more)) bash -c "ls -U '$MNT/by-id' | wc -l"
	is $((n + more)) bash -c "find '$MNT/tree' -mindepth 1 -type d | wc -l"
}

# keep_books in a fixture: its name, the number of new entries, two entries, and
# a name for the session. It looks the same before, after and when mounted
# again, and a new entry is below the second of the two.
books_in() {
	local fixture=$1 second=$4
	mount_fixture "$fixture.jsonl"
	look >"$DIR/seen"
	shift
	keep_books "$@"
	looks_the_same
	unmount
	daemon_is_gone
	mount_session
	looks_the_same
	head_is "by-id/$second"
}

# Rules: H6
@test "pi: moves, labels and a name do not change the drawn tree" {
	books_in pi-v3-branches 9 aa000004 aa000011 "a name"
	say '{"role":"user","content":"go on"}'
	head_is "by-id/$(last_id)"
	diff <(grep -v '^branches:' "$DIR/seen" | grep -c .) \
		<(look | grep -v '^branches:' | grep -v 'go on' | grep -c .)
	grep -q 'user  go on ← HEAD$' "$MNT/tree.txt"
	[ -L "$MNT/branches/$(last_id)" ]
	[ ! -e "$MNT/branches/aa000011" ]
}

@test "omp: the same, with title_change" {
	books_in omp-v3-basic 9 11000004 11000010 "a title"
	tail -n 1 "$SESSION" | grep -q '"type":"title_change"'
}

@test "pi-harness: the same, with leaf entries" {
	books_in pi-harness-leaf 9 ab000001 ab000002 "a name"
	grep -q '"type":"leaf"' "$SESSION"
}

@test "drafts and Go trees: the same, without a name" {
	books_in draft000-uuid 8 m2 m4
	grep -q '"type":"head"' "$SESSION"
	unmount
	daemon_is_gone
	books_in draft003-index 8 2 4
	unmount
	daemon_is_gone
	# HEAD and labels: a file of its own, and entries.
	mount_fixture go-tree.jsonl
	look >"$DIR/seen"
	local ids
	mapfile -t ids < <(ls -U "$MNT/by-id")
	keep_books 2 "${ids[0]}" "${ids[1]}"
	looks_the_same
}

@test "Claude Code: moves are lines that are no entries, and labels are elsewhere" {
	write_lines "$(claude_user 1 "" one)" "$(claude_answer 2 1 two)" "$(claude_user 3 2 three)"
	mount_session
	look >"$DIR/seen"
	keep_books 0 "$(uuid 1)" "$(uuid 3)"
	looks_the_same
	is "assistant
last-prompt
user" bash -c "jq -r .type '$SESSION' | LC_ALL=C sort -u"
}

@test "a custom entry of another program is not bookkeeping" {
	write_session "$(user 00000001 "" one)" \
		'{"type":"custom","customType":"theirs","id":"00000002","parentId":"00000001"}' \
		'{"type":"custom","customType":"sessfs.head","id":"00000003","parentId":"00000002"}'
	mount_session
	head_is by-id/00000002
	is 00000002 ls "$MNT/branches"
	grep -q '00000002 custom .*← HEAD$' "$MNT/tree.txt"
	is 2 bash -c "wc -l <'$MNT/tree.txt'"
	is 3 bash -c "ls '$MNT/by-id' | wc -l"
	is ../00000002 readlink "$MNT/by-id/00000003/parent"
}

@test "a name, and a label right after it is the person's entry's" {
	mount_fixture pi-v3-branches.jsonl
	echo x >"$MNT/name"
	head_is by-id/aa000025
	echo l >"$MNT/HEAD/label"
	is ../by-id/aa000025 readlink "$MNT/by-label/l"
	is l cat "$MNT/by-id/aa000025/label"
}

@test "a session of only bookkeeping: HEAD is tree, and no entry is drawn" {
	write_session '{"type":"session_info","id":"00000001","parentId":null,"name":"x"}' \
		'{"type":"label","id":"00000002","parentId":"00000001","targetId":"00000001","label":"l"}'
	mount_session
	head_is tree
	[ ! -s "$MNT/tree.txt" ]
	[ -z "$(ls -A "$MNT/branches")" ]
	grep -qx "branches: 0" "$MNT/info"
	is "00000001
00000002" ls "$MNT/by-id"
	is l cat "$MNT/by-id/00000001/label"
	user 00000003 00000002 first >>"$SESSION"
	head_is by-id/00000003
	is "00000003 user  first ← HEAD" cat "$MNT/tree.txt"
	is 00000003 ls "$MNT/branches"
}

@test "after HEAD moved to tree, a new entry is a root" {
	mount_fixture pi-v3-branches.jsonl
	look >"$DIR/seen"
	ln -sfn tree "$MNT/HEAD"
	head_is tree
	looks_the_same
	say '{"role":"user","content":"anew"}'
	is 1 grep -c '^[^ ]* user  anew ← HEAD$' "$MNT/tree.txt"
	[ -L "$MNT/branches/$(last_id)" ]
}

@test "a tip stays one until an entry is added below its bookkeeping" {
	write_session "$(user 00000001 "" one)" "$(user 00000002 00000001 two)"
	mount_session
	cd "$MNT/branches"
	echo l >"$MNT/HEAD/label"
	echo x >"$MNT/name"
	local book
	book=$(last_id)
	is 00000002 ls
	[ ! -e "$book" ]
	user 00000003 "$book" three >>"$SESSION"
	wait_until test ! -e 00000002
	is 00000003 ls
	is "00000003 user  three ← HEAD" tail -n 1 "$MNT/tree.txt"
	is 3 bash -c "wc -l <'$MNT/tree.txt'"
	is "../$book" readlink "$MNT/by-id/00000003/parent"
	cd /
}

@test "a listing of branches that is open goes on where it was" {
	needs python3
	python3 - "$SESSION" <<-'PY'
	import json, sys
	with open(sys.argv[1], "w") as f:
	    def line(**o):
	        f.write(json.dumps(o) + "\n")
	    line(type="session", version=3, id="x", timestamp="2026-03-01T10:00:00.000Z", cwd="/")
	    line(type="message", id="root", parentId=None, message={"role": "user", "content": "x"})
	    for i in range(3000):
	        line(type="message", id="t%04d" % i, parentId="root", message={"role": "user", "content": "x"})
	        line(type="label", id="l%04d" % i, parentId="t%04d" % i, targetId="root", label="x")
	PY
	mount_session
	python3 - "$MNT/branches" "$SESSION" <<-'PY'
	import json, os, sys
	inodes = {}
	with os.scandir(sys.argv[1]) as listing:
	    for n, e in enumerate(listing):
	        assert e.name not in inodes, e.name
	        inodes[e.name] = e.inode()
	        if n == 100:
	            with open(sys.argv[2], "a") as f:
	                f.write(json.dumps({"type": "message", "id": "later", "parentId": "l0000",
	                                    "message": {"role": "user", "content": "y"}}) + "\n")
	assert set(inodes) >= {"t%04d" % i for i in range(1, 3000)} | {"later"}, len(inodes)
	again = {e.name: e.inode() for e in os.scandir(sys.argv[1])}
	assert "t0000" not in again and len(again) == 3000, len(again)
	assert all(inodes[name] == again[name] for name in again)
	PY
}

# bats test_tags=large,full
@test "tips and bookkeeping are found in a chain of 100,000 of each" {
	needs python3
	python3 - "$SESSION" <<-'PY'
	import json, sys
	with open(sys.argv[1], "w") as f:
	    def line(**o):
	        f.write(json.dumps(o) + "\n")
	    line(type="session", version=3, id="x", timestamp="2026-03-01T10:00:00.000Z", cwd="/")
	    line(type="message", id="root", parentId=None, message={"role": "user", "content": "x"})
	    up = "root"
	    for i in range(100000):
	        line(type="label", id="l%d" % i, parentId=up, targetId="root", label="x")
	        line(type="message", id="m%d" % i, parentId="l%d" % i, message={"role": "user", "content": "y"})
	        up = "l%d" % i
	PY
	mount_session
	is 100000 bash -c "timeout 60 ls -U '$MNT/branches' | wc -l"
	is 100001 bash -c "timeout 60 wc -l <'$MNT/tree.txt'"
	head_is by-id/m99999
	ln -sfn by-id/l99999 "$MNT/HEAD"
	head_is by-id/root
}

@test "orphans and cycles of bookkeeping: entries below them are drawn as roots" {
	write_session "$(user 00000001 "" one)" \
		'{"type":"label","id":"00000002","parentId":"gone","targetId":"00000001","label":"a"}' \
		"$(user 00000003 00000002 three)" \
		'{"type":"label","id":"00000004","parentId":"00000005","targetId":"00000001","label":"b"}' \
		'{"type":"label","id":"00000005","parentId":"00000004","targetId":"00000001","label":"c"}' \
		"$(user 00000006 00000005 six)"
	mount_session
	is "00000001 user  one [c]
00000003 user  three
00000006 user  six ← HEAD" cat "$MNT/tree.txt"
	is "00000001
00000003
00000006" ls "$MNT/branches"
	user gone 00000001 late >>"$SESSION"
	grep -q '^   00000003 user  three' "$MNT/tree.txt"
	is "00000003
00000006" ls "$MNT/branches"
}

@test "a label on bookkeeping is set, and found by its name" {
	mount_fixture pi-v3-branches.jsonl
	echo x >"$MNT/name"
	local book
	book=$(last_id)
	echo odd >"$MNT/by-id/$book/label"
	is odd cat "$MNT/by-id/$book/label"
	is "../by-id/$book" readlink "$MNT/by-label/odd"
	head_is by-id/aa000025
}

@test "branches/ID leads nowhere for bookkeeping, and HEAD can't be moved by it" {
	mount_fixture pi-v3-branches.jsonl
	echo x >"$MNT/name"
	fails_with "No such file or directory" ln -sfn "branches/$(last_id)" "$MNT/HEAD"
	ln -sfn branches/aa000011 "$MNT/HEAD"
	head_is by-id/aa000011
}
