# The uuid draft (seed 000): what it promises, FORMATS 5, 9 and 12.
load lib/mount
load lib/run
load lib/drafts

# The worked example, "Full Session with Branching".
write_worked_example() {
	write_lines \
		'{"type":"session","version":2,"uuid":"ses1","parentUuid":null,"id":"abc","cwd":"/project"}' \
		'{"type":"message","uuid":"m1","parentUuid":"ses1","message":{"role":"user","content":"Build a CLI"}}' \
		'{"type":"message","uuid":"m2","parentUuid":"m1","message":{"role":"assistant","content":"I'\''ll create..."}}' \
		'{"type":"message","uuid":"m3","parentUuid":"m2","message":{"role":"user","content":"Add --verbose flag"}}' \
		'{"type":"message","uuid":"m4","parentUuid":"m3","message":{"role":"assistant","content":"Here'\''s the flag..."}}' \
		'{"type":"message","uuid":"m5","parentUuid":"m4","message":{"role":"user","content":"Actually use Python"}}' \
		'{"type":"message","uuid":"m6","parentUuid":"m5","message":{"role":"assistant","content":"Converting to Python..."}}' \
		'{"type":"branch_summary","uuid":"bs1","parentUuid":"m2","summary":"Attempted Node.js CLI with --verbose flag"}' \
		'{"type":"message","uuid":"m7","parentUuid":"bs1","message":{"role":"user","content":"Use Rust instead"}}' \
		'{"type":"message","uuid":"m8","parentUuid":"m7","message":{"role":"assistant","content":"Creating Rust CLI..."}}'
}

# The file has one more line than the copy "before": a head mark or a label
# with these keys, of which parentUuid (and others as JSON) are these.
appended() {
	needs python3
	python3 - "$DIR/before" "$SESSION" "$@" <<-'PY'
	import json, re, sys
	before, now = (open(p).read() for p in sys.argv[1:3])
	assert now.startswith(before), "the file was rewritten"
	line = now[len(before):]
	assert line.endswith("\n") and line.count("\n") == 1, line
	e = json.loads(line)
	assert list(e) == sys.argv[3].split(), e
	for key, value in json.loads(sys.argv[4]).items():
	    assert e[key] == value, e
	assert isinstance(e["uuid"], str) and e["uuid"], e
	assert f'"uuid":"{e["uuid"]}"' not in before, "the uuid is in use"
	assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", e["timestamp"]), e
	PY
}

moved_to() {
	appended "type uuid parentUuid timestamp" "{\"type\":\"head\",\"parentUuid\":\"$1\"}"
}

@test "the worked example gives its five messages" {
	write_worked_example
	mount_session
	grep -qx "dialect: draft-uuid" "$MNT/info"
	head_is by-id/m8
	context_is . "[User]: Build a CLI" "[Assistant]: I'll create..." \
		"[Summary]: Attempted Node.js CLI with --verbose flag" \
		"[User]: Use Rust instead" "[Assistant]: Creating Rust CLI..."
}

@test "the same five as JSON" {
	write_worked_example
	mount_session
	json_is '[{"role":"user","content":"Build a CLI"},
		{"role":"assistant","content":"I'\''ll create..."},
		{"role":"user","content":[{"type":"text","text":"Attempted Node.js CLI with --verbose flag"}]},
		{"role":"user","content":"Use Rust instead"},
		{"role":"assistant","content":"Creating Rust CLI..."}]' "$MNT/context.json"
}

@test "the abandoned path is preserved, a branch of its own" {
	write_worked_example
	mount_session
	is "m6
m8" ls "$MNT/branches"
	is "Actually use Python" cat "$MNT/tree/ses1/m1/m2/m3/m4/m5/content"
	context_is by-id/m4 "[User]: Build a CLI" "[Assistant]: I'll create..." \
		"[User]: Add --verbose flag" "[Assistant]: Here's the flag..."
}

@test "the header is the root entry" {
	write_worked_example
	mount_session
	is ses1 ls "$MNT/tree"
	is "ses1 m1 m2 m3 m4 m5 m6 bs1 m7 m8" bash -c "ls -U '$MNT/by-id' | paste -sd' '"
	grep -qx "type: session" "$MNT/by-id/ses1/meta"
	grep -q '"cwd": "/project"' "$MNT/by-id/ses1/content"
	is ../ses1 readlink "$MNT/by-id/m1/parent"
	fails_with "No such file" stat "$MNT/by-id/ses1/parent"
	context_is by-id/ses1
	is '[]' cat "$MNT/by-id/ses1/context.json"
}

@test "the last entry is the leaf, its walk the context" {
	write_uuid_draft "$(uuid_chain s1 d4e5f6 g7h8i9 j0k1l2 m3n4o5)" \
		"$(uuid_chain g7h8i9 p6q7r8 s9t0u1)"
	mount_session
	head_is by-id/s9t0u1
	context_is . "[User]: d4e5f6" "[User]: g7h8i9" "[User]: p6q7r8" "[User]: s9t0u1"
}

@test "each summary stands where its branch begins" {
	write_uuid_draft "$(uuid_chain s1 a b c d e f g h)" \
		'{"type":"stack_summary","uuid":"i","parentUuid":"c","summary":"of d to h"}' \
		"$(uuid_chain i j k l)" \
		'{"type":"stack_summary","uuid":"m","parentUuid":"k","summary":"of l"}' \
		"$(uuid_user n m n)"
	mount_session
	context_is . "[User]: a" "[User]: b" "[User]: c" "[Summary]: of d to h" \
		"[User]: j" "[User]: k" "[Summary]: of l" "[User]: n"
}

@test "the summary, the kept entries, the rest" {
	write_uuid_draft "$(uuid_chain s1 m1 m2 m3 m4 m5 m6 m7 m8 m9 m10)" \
		'{"type":"compaction","uuid":"c1","parentUuid":"m10","summary":"SUM","firstKeptEntryUuid":"m6","tokensBefore":50000}' \
		"$(uuid_user m11 c1 m11)"
	mount_session
	context_is by-id/c1 "[Summary]: SUM" "[User]: m6" "[User]: m7" "[User]: m8" \
		"[User]: m9" "[User]: m10"
	context_is . "[Summary]: SUM" "[User]: m6" "[User]: m7" "[User]: m8" \
		"[User]: m9" "[User]: m10" "[User]: m11"
	context_is by-id/m2 "[User]: m1" "[User]: m2"
}

@test "each branch has its own compaction" {
	write_uuid_draft "$(uuid_chain s1 m1 m2 m3 m4 m5)" \
		'{"type":"compaction","uuid":"c1","parentUuid":"m5","summary":"FIRST","firstKeptEntryUuid":"m5"}' \
		"$(uuid_chain c1 m6 m7 m8)" \
		'{"type":"stack_summary","uuid":"s","parentUuid":"m3","summary":"STACK"}' \
		"$(uuid_chain s m9 m10)" \
		'{"type":"compaction","uuid":"c2","parentUuid":"m10","summary":"SECOND","firstKeptEntryUuid":"m10"}' \
		"$(uuid_user m11 c2 m11)"
	mount_session
	context_is . "[Summary]: SECOND" "[User]: m10" "[User]: m11"
	context_is by-id/m8 "[Summary]: FIRST" "[User]: m5" "[User]: m6" "[User]: m7" "[User]: m8"
	context_is by-id/m10 "[User]: m1" "[User]: m2" "[User]: m3" "[Summary]: STACK" \
		"[User]: m9" "[User]: m10"
}

@test "a compaction whose anchor is unknown, or itself, keeps nothing" {
	write_uuid_draft "$(uuid_chain s1 m1 m2)" \
		'{"type":"compaction","uuid":"c1","parentUuid":"m2","summary":"SUM","firstKeptEntryUuid":"nobody"}' \
		"$(uuid_user m3 c1 m3)" \
		'{"type":"compaction","uuid":"c2","parentUuid":"m2","summary":"OWN","firstKeptEntryUuid":"c2"}' \
		"$(uuid_user m4 c2 m4)"
	mount_session
	context_is by-id/m3 "[Summary]: SUM" "[User]: m3"
	context_is by-id/m4 "[Summary]: OWN" "[User]: m4"
}

@test "a summary has the entry's timestamp, where it has one" {
	needs python3
	write_uuid_draft '{"type":"branch_summary","uuid":"b","parentUuid":"s1","timestamp":"2026-03-01T10:00:03.000Z","summary":"S"}'
	mount_session
	python3 - "$MNT/context.json" <<-'PY'
	import json, sys
	(m,) = json.load(open(sys.argv[1]))
	assert m.pop("timestamp") in ("2026-03-01T10:00:03.000Z", 1772359203000), m
	assert m == {"role": "user", "content": [{"type": "text", "text": "S"}]}, m
	PY
}

@test "blocks, tool calls and results as in Pi's layout" {
	write_uuid_draft \
		'{"type":"message","uuid":"m1","parentUuid":"s1","message":{"role":"assistant","content":[{"type":"thinking","thinking":"hm"},{"type":"text","text":"Looking."},{"type":"toolCall","id":"t","name":"read","arguments":{"path":"a.c"}}]}}' \
		'{"type":"message","uuid":"m2","parentUuid":"m1","message":{"role":"toolResult","toolCallId":"t","toolName":"read","content":[{"type":"text","text":"int x;"}]}}'
	mount_session
	context_is . "[Assistant]: Looking." '[Assistant tool calls]: read(path="a.c")' \
		"[Tool result]: int x;"
	is "[thinking]
hm

Looking.

[tool call] read
path: a.c" cat "$MNT/by-id/m1/content"
}

@test "meta, content and mtime of entries" {
	write_uuid_draft "$(uuid_user m1 s1 hello)" \
		'{"type":"stack_summary","uuid":"x1","parentUuid":"m1","timestamp":"2026-03-01T10:00:03.000Z","summary":"What was\ntried"}'
	mount_session
	is "id: m1
parent: s1
type: message
line: 2
role: user" cat "$MNT/by-id/m1/meta"
	is "What was
tried" cat "$MNT/by-id/x1/content"
	grep -qx "timestamp: 2026-03-01T10:00:03.000Z" "$MNT/by-id/x1/meta"
	is "2026-03-01 10:00:03.000000000 +0000" env TZ=UTC stat -c %y "$MNT/by-id/x1"
	cmp <(sed -n 2p "$SESSION") "$MNT/by-id/m1/raw.json"
}

@test "info names the session, from its header" {
	write_uuid_draft
	mount_session
	grep -qx "session: abc" "$MNT/info"
	grep -qx "cwd: /work/demo" "$MNT/info"
}

# Writing

@test "a head move is one head line below its target" {
	write_worked_example
	mount_session
	cp "$SESSION" "$DIR/before"
	ln -sfn by-id/m4 "$MNT/HEAD"
	moved_to m4
	head_is by-id/m4
	context_is . "[User]: Build a CLI" "[Assistant]: I'll create..." \
		"[User]: Add --verbose flag" "[Assistant]: Here's the flag..."
}

@test "a reset is a head line below the header" {
	write_worked_example
	mount_session
	cp "$SESSION" "$DIR/before"
	ln -sfn tree "$MNT/HEAD"
	moved_to ses1
	context_is .
	is '[]' cat "$MNT/context.json"
}

@test "a move to the current head writes nothing" {
	write_worked_example
	mount_session
	cp "$SESSION" "$DIR/before"
	ln -sfn by-id/m8 "$MNT/HEAD"
	cmp "$DIR/before" "$SESSION"
	ln -sfn by-id/m4 "$MNT/HEAD"
	cp "$SESSION" "$DIR/before"
	ln -sfn by-id/m4 "$MNT/HEAD"
	cmp "$DIR/before" "$SESSION"
}

@test "a head mark is an entry, and a later entry goes on from its target" {
	write_worked_example
	mount_session
	ln -sfn by-id/m4 "$MNT/HEAD"
	is "ses1 m1 m2 m3 m4 m5 m6 bs1 m7 m8" bash -c "ls -U '$MNT/by-id' | head -n -1 | paste -sd' '"
	[ -L "$MNT/by-id/m4/$(ls -U "$MNT/by-id" | tail -n 1)" ]
	# The owner appends below the leaf that it found: the mark.
	{ uuid_user m9 "$(ls -U "$MNT/by-id" | tail -n 1)" "And more"; echo; } >>"$SESSION"
	head_is by-id/m9
	context_is . "[User]: Build a CLI" "[Assistant]: I'll create..." \
		"[User]: Add --verbose flag" "[Assistant]: Here's the flag..." "[User]: And more"
}

@test "it looks through head marks and labels that stand in the file" {
	write_uuid_draft "$(uuid_chain s1 m1 m2 m3)" \
		'{"type":"head","uuid":"h1","parentUuid":"m1"}' \
		'{"type":"label","uuid":"l1","parentUuid":"h1","targetUuid":"m2","label":"two"}' \
		'{"type":"head","uuid":"h2","parentUuid":"l1"}'
	mount_session
	head_is by-id/m1
	grep -qx "leaf: h2" "$MNT/info"
	is two cat "$MNT/by-id/m2/label"
	context_is . "[User]: m1"
}

@test "a label is one label line below the leaf" {
	write_worked_example
	mount_session
	cp "$SESSION" "$DIR/before"
	echo tested >"$MNT/by-id/m4/label"
	appended "type uuid parentUuid timestamp targetUuid label" \
		'{"type":"label","parentUuid":"m8","targetUuid":"m4","label":"tested"}'
	is tested cat "$MNT/by-id/m4/label"
	is ../by-id/m4 readlink "$MNT/by-label/tested"
	head_is by-id/m8
}

@test "replaced, cleared, and so at the next mount" {
	write_worked_example
	mount_session
	echo one >"$MNT/by-id/m4/label"
	echo two >"$MNT/by-id/m4/label"
	echo three >"$MNT/by-id/m5/label"
	is two cat "$MNT/by-id/m4/label"
	: >"$MNT/by-id/m4/label"
	[ ! -s "$MNT/by-id/m4/label" ]
	unmount
	daemon_is_gone
	mount_session
	[ ! -s "$MNT/by-id/m4/label" ]
	is three ls "$MNT/by-label"
	head_is by-id/m8
}

@test "reading writes nothing, -o ro refuses every write" {
	write_worked_example
	cp "$SESSION" "$DIR/before"
	mount_session -o ro
	find "$MNT" -type f -exec cat {} + >/dev/null
	cat "$MNT/HEAD/branch.jsonl" "$MNT/HEAD/raw.json" >/dev/null
	fails_with "Read-only file system" ln -sfn by-id/m1 "$MNT/HEAD"
	fails_with "Read-only file system" bash -c "echo x >'$MNT/HEAD/label'"
	cmp "$DIR/before" "$SESSION"
}

@test "branch.jsonl is the path, without remapping" {
	write_worked_example
	mount_session
	cp "$MNT/context.json" "$DIR/context"
	mount_branch m8
	grep -qx "dialect: draft-uuid" "$MNT/info"
	head_is by-id/m8
	is "ses1 m1 m2 bs1 m7 m8" bash -c "ls -U '$MNT/by-id' | paste -sd' '"
	cmp "$DIR/context" "$MNT/context.json"
	if grep -q -e bad-lines -e missing-parents "$MNT/info"; then return 1; fi
}

@test "the branch of an orphan has a header as well" {
	write_uuid_draft "$(uuid_chain nowhere o1 o2)"
	mount_session
	mount_branch o2
	grep -qx "dialect: draft-uuid" "$MNT/info"
	context_is . "[User]: o1" "[User]: o2"
}

# Its own version 1: linear, and only by request

write_linear() {
	write_lines \
		'{"type":"session","id":"abc","timestamp":"2026-03-01T10:00:00.000Z","cwd":"/work/demo"}' \
		'{"type":"message","timestamp":"2026-03-01T10:00:01.000Z","message":{"role":"user","content":"one"}}' \
		'{"type":"message","timestamp":"2026-03-01T10:00:02.000Z","message":{"role":"assistant","content":"two"}}' \
		'{"type":"message","timestamp":"2026-03-01T10:00:03.000Z","message":{"role":"user","content":"three"}}' \
		'{"type":"compaction","timestamp":"2026-03-01T10:00:04.000Z","summary":"SUM","firstKeptEntryIndex":2,"tokensBefore":50000}' \
		'{"type":"message","timestamp":"2026-03-01T10:00:05.000Z","message":{"role":"user","content":"five"}}'
}

@test "a linear log is Pi's version 1, but for -o dialect" {
	write_linear
	mount_session
	grep -qx "dialect: pi" "$MNT/info"
	is 5 bash -c "ls '$MNT/by-id' | wc -l"
	unmount
	daemon_is_gone
	mount_session -o dialect=draft-uuid
	grep -qx "dialect: draft-uuid" "$MNT/info"
	is 6 bash -c "ls '$MNT/by-id' | wc -l"
}

@test "a linear log is a chain that begins with the header" {
	needs python3
	write_linear
	mount_session -o dialect=draft-uuid
	ls -U "$MNT/by-id" >"$DIR/ids"
	is "type: session" grep "^type:" "$MNT/by-id/$(head -n 1 "$DIR/ids")/meta"
	is 6 bash -c "find '$MNT/tree' -mindepth 1 -type d -printf '.\n' | wc -l"
	is 1 bash -c "ls '$MNT/tree' | wc -l"
	is 1 bash -c "ls '$MNT/branches' | wc -l"
	is five cat "$MNT/HEAD/content"
	grep -qx "depth: 6" "$MNT/info"
	unmount
	daemon_is_gone
	mount_session -o dialect=draft-uuid
	ls -U "$MNT/by-id" | diff "$DIR/ids" -
}

@test "firstKeptEntryIndex counts from the header, 0" {
	needs python3
	write_linear
	mount_session -o dialect=draft-uuid
	context_is . "[Summary]: SUM" "[Assistant]: two" "[User]: three" "[User]: five"
}

@test "the first write migrates a linear log" {
	needs python3
	write_linear
	cp "$SESSION" "$DIR/before"
	mount_session -o dialect=draft-uuid
	ls -U "$MNT/by-id" >"$DIR/ids"
	cp "$MNT/context.json" "$DIR/context"
	echo first >"$MNT/HEAD/label"
	cmp "$DIR/before" "$SESSION.v1.bak"
	cmp "$DIR/context" "$MNT/context.json"
	is first cat "$MNT/HEAD/label"
	python3 - "$SESSION" "$DIR/ids" <<-'PY'
	import json, sys
	header, *entries = [json.loads(l) for l in open(sys.argv[1])]
	ids = open(sys.argv[2]).read().split()
	assert header["version"] == 2 and header["parentUuid"] is None, header
	assert [e["uuid"] for e in [header, *entries]][:6] == ids
	assert [e["parentUuid"] for e in entries] == [header["uuid"]] + [e["uuid"] for e in entries[:-1]]
	assert entries[3]["firstKeptEntryUuid"] == ids[2], entries[3]
	assert "firstKeptEntryIndex" not in entries[3]
	assert entries[5]["type"] == "label" and entries[5]["targetUuid"] == ids[5]
	PY
}

# Seen at once

@test "an appended line is everywhere at once" {
	write_worked_example
	mount_session
	find "$MNT" >/dev/null
	cat "$MNT/context.txt" "$MNT/info" "$MNT/tree.txt" >/dev/null
	{ uuid_user m9 m8 "And tests"; echo; } >>"$SESSION"
	head_is by-id/m9
	is "[User]: And tests" tail -n 1 "$MNT/context.txt"
	is "m6
m9" ls "$MNT/branches"
	[ -d "$MNT/by-id/m8/m9" ]
	echo '{"type":"head","uuid":"h1","parentUuid":"m6"}' >>"$SESSION"
	head_is by-id/m6
	is "[Assistant]: Converting to Python..." tail -n 1 "$MNT/context.txt"
	echo '{"type":"label","uuid":"l1","parentUuid":"h1","targetUuid":"m9","label":"new"}' >>"$SESSION"
	is new cat "$MNT/by-id/m9/label"
}

# Files that are not what they should be: FORMATS 9

@test "a bad line is skipped" {
	write_uuid_draft "$(uuid_user m1 s1 one)" '{bad' "$(uuid_user m2 m1 two)"
	mount_session
	context_is . "[User]: one" "[User]: two"
	grep -qx "bad-lines: 1 (line 3)" "$MNT/info"
}

@test "null, other values and objects without uuid are skipped" {
	write_uuid_draft "$(uuid_user m1 s1 one)" null 5 '[1]' '{}' \
		'{"type":"message","uuid":7}' '{"type":"message","uuid":""}' "$(uuid_user m2 m1 two)"
	mount_session
	is "s1 m1 m2" bash -c "ls -U '$MNT/by-id' | paste -sd' '"
	context_is . "[User]: one" "[User]: two"
	grep -qx "lines-without-id: 6 (lines 3-8)" "$MNT/info"
}

@test "such lines at the end do not choose the leaf" {
	write_uuid_draft "$(uuid_user m1 s1 one)" '{"type":"message","message":{"role":"user","content":"x"}}' '{}' 5 null
	mount_session
	head_is by-id/m1
	context_is . "[User]: one"
	grep -qx "leaf: m1" "$MNT/info"
}

@test "a torn last line is skipped, and read when it is whole" {
	write_uuid_draft "$(uuid_user m1 s1 one)"
	printf '{"type":"message","uuid":"m2","parent' >>"$SESSION"
	mount_session
	head_is by-id/m1
	grep -qx "torn-last-line: 1 (line 3)" "$MNT/info"
	printf 'Uuid":"m1","message":{"role":"user","content":"two"}}\n' >>"$SESSION"
	head_is by-id/m2
	context_is . "[User]: one" "[User]: two"
}

@test "a write leaves a torn line alone on its line" {
	write_uuid_draft "$(uuid_chain s1 m1 m2)"
	printf '{"type":"mess' >>"$SESSION"
	mount_session
	ln -sfn by-id/m1 "$MNT/HEAD"
	head_is by-id/m1
	is '{"type":"mess' sed -n 4p "$SESSION"
	is 5 bash -c "wc -l <'$SESSION'"
}

@test "a whole last line without LF is read, and a write supplies it" {
	needs python3
	write_uuid_draft "$(uuid_user m1 s1 one)"
	uuid_user m2 m1 two >>"$SESSION"
	mount_session
	head_is by-id/m2
	ln -sfn by-id/m1 "$MNT/HEAD"
	head_is by-id/m1
	python3 -c "import json,sys; [json.loads(l) for l in open(sys.argv[1])]" "$SESSION"
	is 4 bash -c "wc -l <'$SESSION'"
	is two cat "$MNT/by-id/m2/content"
}

@test "a byte order mark is stripped" {
	write_uuid_draft "$(uuid_user m1 s1 one)"
	printf '\xef\xbb\xbf' | cat - "$SESSION" >"$DIR/bom"
	mv "$DIR/bom" "$SESSION"
	mount_session
	grep -qx "dialect: draft-uuid" "$MNT/info"
	is s1 ls "$MNT/tree"
	context_is . "[User]: one"
}

@test "CRLF and blank lines are no trouble" {
	write_uuid_draft "" "$(uuid_user m1 s1 one)" "   " "$(uuid_user m2 m1 two)"
	sed -i 's/$/\r/' "$SESSION"
	mount_session
	context_is . "[User]: one" "[User]: two"
	if grep -q -e bad-lines -e lines-without-id "$MNT/info"; then return 1; fi
}

@test "an empty file is a session that has not begun" {
	: >"$SESSION"
	mount_session -o dialect=draft-uuid
	head_is tree
	is '[]' cat "$MNT/context.json"
	write_uuid_draft "$(uuid_user m1 s1 one)"
	head_is by-id/m1
	context_is . "[User]: one"
}

@test "without a header it is shown, and not written" {
	write_lines "$(uuid_chain "" m1 m2)"
	cp "$SESSION" "$DIR/before"
	mount_session -o dialect=draft-uuid
	context_is . "[User]: m1" "[User]: m2"
	grep -q "^no-header: " "$MNT/info"
	fails_for_root_with "Read-only file system" ln -sfn by-id/m1 "$MNT/HEAD"
	fails_for_root_with "Read-only file system" bash -c "echo x >'$MNT/HEAD/label'"
	cmp "$DIR/before" "$SESSION"
}

@test "a second header is a node" {
	write_uuid_draft "$(uuid_user m1 s1 one)" \
		'{"type":"session","version":2,"uuid":"s2","parentUuid":"m1","id":"again","cwd":"/"}' \
		"$(uuid_user m2 s2 two)"
	mount_session
	is two cat "$MNT/tree/s1/m1/s2/m2/content"
	context_is . "[User]: one" "[User]: two"
	grep -qx "session: abc" "$MNT/info"
}

@test "of equal uuids the last copy is the node" {
	write_uuid_draft "$(uuid_chain s1 m1 m2 m3)" "$(uuid_user m2 s1 again)"
	mount_session
	is "m1 m2 m3 s1" bash -c "LC_ALL=C ls '$MNT/by-id' | paste -sd' '"
	is again cat "$MNT/tree/s1/m2/content"
	head_is by-id/m2
	context_is by-id/m3 "[User]: again" "[User]: m3"
	grep -qx "duplicate-ids: 1 (line 5)" "$MNT/info"
}

@test "an orphan is an extra root" {
	write_uuid_draft "$(uuid_user m1 s1 one)" "$(uuid_user o1 nowhere orphan)"
	mount_session
	is "o1
s1" env LC_ALL=C ls "$MNT/tree"
	context_is by-id/o1 "[User]: orphan"
	grep -qx "missing-parents: 1 (line 3)" "$MNT/info"
}

@test "a parent may stand later in the file" {
	write_uuid_draft "$(uuid_user m2 m1 two)" "$(uuid_user m1 s1 one)"
	mount_session
	head_is by-id/m1
	context_is by-id/m2 "[User]: one" "[User]: two"
	is s1 ls "$MNT/tree"
}

@test "a cycle is cut at its first entry" {
	write_uuid_draft "$(uuid_user m1 s1 one)" "$(uuid_user c1 c2 a)" "$(uuid_user c2 c1 b)" \
		"$(uuid_user c3 c2 c)" "$(uuid_user own own d)" "$(uuid_user m2 m1 two)"
	mount_session
	is "c1
own
s1" env LC_ALL=C ls "$MNT/tree"
	context_is by-id/c3 "[User]: a" "[User]: b" "[User]: c"
	grep -qx "cycles: 2 (lines 3, 6)" "$MNT/info"
	context_is . "[User]: one" "[User]: two"
}

@test "the head does not go below a cycle: the owner's walk never ends there" {
	write_uuid_draft "$(uuid_user c1 c2 a)" "$(uuid_user c2 c1 b)" "$(uuid_user m1 s1 one)"
	mount_session
	cp "$SESSION" "$DIR/before"
	fails_with "Too many levels" ln -sfn by-id/c2 "$MNT/HEAD"
	cmp "$DIR/before" "$SESSION"
	head_is by-id/m1
}

@test "an entry of an unknown type is inert" {
	write_uuid_draft "$(uuid_user m1 s1 one)" \
		'{"type":"future","uuid":"f1","parentUuid":"m1","message":{"role":"user","content":"x"},"summary":"y"}' \
		"$(uuid_user m2 f1 two)"
	mount_session
	context_is . "[User]: one" "[User]: two"
	is '{
  "message": {
    "role": "user",
    "content": "x"
  },
  "summary": "y"
}' cat "$MNT/by-id/f1/content"
}

@test "a head move by custom, as in Pi, works" {
	write_uuid_draft "$(uuid_chain s1 m1 m2)" \
		'{"type":"custom","uuid":"k1","parentUuid":"m1","customType":"x"}'
	mount_session
	context_is . "[User]: m1"
}
