# Claude Code: branch.jsonl is a file that a resume accepts (FORMATS 6.4).
load lib/mount
load lib/run
load lib/claude

# The branch of an entry has lines of these numbers, as one chain in this order,
# and ends with a pin of the last one.
branch_has() {
	needs python3
	python3 - "$SESSION" "$MNT/$(at "$1")/branch.jsonl" "$2" <<-'PY'
	import json, re, sys
	source, branch, want = sys.argv[1:]
	entries = {}
	for l in map(json.loads, open(source)):
	    entries[l.get("uuid")] = l
	uuid = "c1a0de00-0000-4000-8000-{:012}".format
	text = open(branch).read()
	assert text == open(branch).read(), "it is another one at each reading"
	assert text.endswith("}\n"), text[-20:]
	*chain, pin = map(json.loads, text.splitlines())
	(session,) = {l["sessionId"] for l in [*chain, pin]}
	assert re.fullmatch("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", session), session
	source_session = "5e55f500-0000-4000-8000-000000000001"
	assert session != source_session
	assert [l.get("uuid") for l in chain] == [uuid(int(n)) for n in want.split()], chain
	before = None
	for l in chain:
	    same = dict(entries[l["uuid"]], sessionId=session, parentUuid=before)
	    same["forkedFrom"] = {"sessionId": source_session, "messageUuid": l["uuid"]}
	    assert l == same, (l, same)
	    before = l["uuid"]
	assert pin["type"] == "last-prompt" and pin["explicit"] is True, pin
	assert pin["leafUuid"] == before, pin
	PY
}

@test "a branch is the chain alone, as a session of its own" {
	write_two_branches
	sed -i '1i {"type":"summary","summary":"T","leafUuid":"x"}' "$SESSION"
	echo '{"type":"mode","mode":"plan","sessionId":"x"}' >>"$SESSION"
	mount_session
	branch_has 3 "1 2 3"
	branch_has 5 "1 4 5"
	branch_has 1 "1"
}

@test "a branch has every fragment of its responses and every result" {
	write_parallel
	mount_session
	branch_has 7 "1 2 3 4 5 6 7"
}

@test "a branch is never cut between a call and its result" {
	write_parallel
	mount_session
	branch_has 2 "1 2 3 4 5 6"
	branch_has 4 "1 2 3 4 5 6"
	branch_has 5 "1 2 3 4 5 6"
	branch_has 6 "1 2 3 4 5 6"
}

@test "a branch is the same at the next mount" {
	write_parallel
	mount_session
	cp "$MNT/$(at 7)/branch.jsonl" "$DIR/first"
	unmount
	daemon_is_gone
	mount_session
	cmp "$DIR/first" "$MNT/$(at 7)/branch.jsonl"
}

@test "a branch opened gives the entry as head, and its context" {
	mount_fixture claude-basic.jsonl
	cp "$MNT/$(at 10)/context.json" "$DIR/context"
	mount_branch "$(uuid 10)"
	grep -qx "dialect: claude" "$MNT/info"
	head_is "$(at 10)"
	cmp "$DIR/context" "$MNT/context.json"
	if grep -q -e bad-lines -e missing-parents "$MNT/info"; then return 1; fi
}

@test "a branch below a boundary has the context of its entry" {
	write_compacted
	mount_session
	cp "$MNT/$(at 5)/context.json" "$DIR/context"
	mount_branch "$(uuid 5)"
	head_is "$(at 5)"
	cmp "$DIR/context" "$MNT/context.json"
}

@test "an entry's line keeps its bytes in a branch, but for where it is" {
	write_lines "$(claude_block 1 "" msg_a '{"type":"thinking","thinking":"a\u00e9\/ \ud83d","signature":"AA==","n":1.50}' | sed 's/,"version"/ , "version"/')"
	mount_session
	local forked
	forked="\"forkedFrom\":{\"sessionId\":\"$SESSION_ID\",\"messageUuid\":\"$(uuid 1)\"}"
	is "$(sed "s/$SESSION_ID/ID/; s/}\$/,$forked}/" "$SESSION")" bash -c \
		"head -n 1 '$MNT/$(at 1)/branch.jsonl' | sed 's/\"sessionId\":\"[^\"]*\"/\"sessionId\":\"ID\"/'"
}
