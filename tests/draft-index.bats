# The index draft (seed 003): what it promises, FORMATS 5, 9 and 12.
load lib/mount
load lib/run
load lib/drafts

# The worked example, "Full Session with Branching".
write_worked_example() {
	write_lines \
		'{"type":"session","id":"abc","parent":-1,"cwd":"/project"}' \
		'{"type":"message","parent":0,"message":{"role":"user","content":"Build a CLI"}}' \
		'{"type":"message","parent":1,"message":{"role":"assistant","content":"I'\''ll create..."}}' \
		'{"type":"message","parent":2,"message":{"role":"user","content":"Add --verbose flag"}}' \
		'{"type":"message","parent":3,"message":{"role":"assistant","content":"Here'\''s the flag..."}}' \
		'{"type":"message","parent":4,"message":{"role":"user","content":"Actually use Python"}}' \
		'{"type":"message","parent":5,"message":{"role":"assistant","content":"Converting to Python..."}}' \
		'{"type":"branch_summary","parent":2,"summary":"Attempted Node.js CLI with --verbose flag"}' \
		'{"type":"message","parent":7,"message":{"role":"user","content":"Use Rust instead"}}' \
		'{"type":"message","parent":8,"message":{"role":"assistant","content":"Creating Rust CLI..."}}' \
		'{"type":"head","parent":9}'
}

# User messages below these parents; each says its own position, from 1 on.
index_users() {
	local parent position=0
	for parent; do
		position=$((position + 1))
		index_user "$parent" "$position"
		echo
	done
}

# The file is the copy "before" and this line.
appended() {
	diff <(cat "$DIR/before"; printf '%s\n' "$1") "$SESSION"
}

# by-id has these entries, in this order.
entries_are() {
	is "$1" bash -c "ls -U '$MNT/by-id' | paste -sd' '"
}

@test "the worked example gives its five messages" {
	write_worked_example
	mount_session
	grep -qx "dialect: draft-index" "$MNT/info"
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

@test "ids are positions, the header is entry 0" {
	write_worked_example
	mount_session
	entries_are "0 1 2 3 4 5 6 7 8 9 10"
	is 0 ls "$MNT/tree"
	grep -qx "type: session" "$MNT/by-id/0/meta"
	grep -q '"cwd": "/project"' "$MNT/by-id/0/content"
	is "Actually use Python" cat "$MNT/tree/0/1/2/3/4/5/content"
	is ../9 readlink "$MNT/by-id/10/parent"
	fails_with "No such file" stat "$MNT/by-id/0/parent"
	context_is by-id/0
}

@test "the head entry is the leaf; HEAD looks through it" {
	write_worked_example
	mount_session
	grep -qx "leaf: 10" "$MNT/info"
	head_is by-id/9
	is "6
9" ls -U "$MNT/branches"
}

@test "the last entry is the leaf, its walk the context" {
	write_index_draft "$(index_users 0 1 2 3)" '{"type":"head","parent":4,"name":"main"}' \
		"$(index_user 2 B)" "$(index_user 6 "B too")" '{"type":"head","parent":7,"name":"main"}'
	mount_session
	head_is by-id/7
	context_is . "[User]: 1" "[User]: 2" "[User]: B" "[User]: B too"
	context_is by-id/5 "[User]: 1" "[User]: 2" "[User]: 3" "[User]: 4"
}

@test "each summary stands where its branch begins" {
	write_index_draft "$(index_users 0 1 2 3 4 5 6 7)" \
		'{"type":"stack_summary","parent":3,"summary":"of 4-8"}' \
		"$(index_user 9 10)" "$(index_user 10 11)" "$(index_user 11 12)" \
		'{"type":"stack_summary","parent":9,"summary":"of 10-12"}' '{"type":"head","parent":13}'
	mount_session
	context_is . "[User]: 1" "[User]: 2" "[User]: 3" "[Summary]: of 4-8" "[Summary]: of 10-12"
}

@test "it hangs on the root, and the path is the context" {
	write_index_draft "$(index_users 0 1 2 3 4)" \
		'{"type":"compaction","parent":0,"summary":"SUM","summarizedPath":[1,2,3,4,5]}' \
		"$(index_user 6 7)"
	mount_session
	context_is . "[Summary]: SUM" "[User]: 7"
	context_is by-id/5 "[User]: 1" "[User]: 2" "[User]: 3" "[User]: 4" "[User]: 5"
	is "5
7" ls "$MNT/branches"
}

@test "both are just branches" {
	write_index_draft "$(index_users 0 1 2 3 4)" \
		'{"type":"compaction","parent":0,"summary":"SUM","summarizedPath":[1,2,3,4,5]}' \
		"$(index_user 6 7)" "$(index_user 7 8)" "$(index_user 8 9)" "$(index_user 9 10)" \
		'{"type":"stack_summary","parent":7,"summary":"of 8-10"}' '{"type":"head","parent":11}'
	mount_session
	context_is . "[Summary]: SUM" "[User]: 7" "[Summary]: of 8-10"
}

@test "each named head is a link under branches, besides the tips" {
	mount_fixture draft003-index.jsonl
	is ../by-id/8 readlink "$MNT/branches/main"
	is ../by-id/11 readlink "$MNT/branches/b"
	is "11 4 8 b main" bash -c "LC_ALL=C ls '$MNT/branches' | paste -sd' '"
	is "Path B" cat "$MNT/branches/b/content"
}

@test "the last head entry of a name is that branch's head" {
	write_index_draft "$(index_users 0 1 1)" '{"type":"head","parent":2,"name":"main"}' \
		'{"type":"head","parent":3,"name":"try"}' '{"type":"head","parent":1,"name":"main"}'
	mount_session
	is ../by-id/1 readlink "$MNT/branches/main"
	is ../by-id/3 readlink "$MNT/branches/try"
	head_is by-id/1
}

@test "a named head is a target like any branch" {
	mount_fixture draft003-index.jsonl
	ln -sfn branches/b "$MNT/HEAD"
	head_is by-id/11
	context_is . "[User]: Build it" "[Assistant]: Built" \
		"[Summary]: Path A was a dead end" "[User]: Path B"
}

@test "a head's name that can't be a file name is escaped" {
	write_index_draft "$(index_user 0 one)" '{"type":"head","parent":1,"name":"a/b"}' \
		'{"type":"head","parent":1,"name":".."}'
	mount_session
	is ../by-id/1 readlink "$MNT/branches/a%2Fb"
	is ../by-id/1 readlink "$MNT/branches/%2E."
}

@test "a head without a name, and names that are no text, make no link" {
	write_index_draft "$(index_user 0 one)" '{"type":"head","parent":1}' \
		'{"type":"head","parent":1,"name":5}' '{"type":"head","parent":1,"name":null}' \
		'{"type":"head","parent":1,"name":""}'
	mount_session
	is 1 bash -c "ls -U '$MNT/branches' | paste -sd' '"
	head_is by-id/1
}

@test "meta and content of entries" {
	write_index_draft "$(index_user 0 hello)" '{"type":"stack_summary","parent":1,"timestamp":"2026-03-01T10:00:03.000Z","summary":"What was\ntried"}'
	mount_session
	is "id: 1
parent: 0
type: message
line: 2
role: user" cat "$MNT/by-id/1/meta"
	is "What was
tried" cat "$MNT/by-id/2/content"
	is "2026-03-01 10:00:03.000000000 +0000" env TZ=UTC stat -c %y "$MNT/by-id/2"
	cmp <(sed -n 2p "$SESSION") "$MNT/by-id/1/raw.json"
}

@test "info names the session, from its header" {
	write_index_draft
	mount_session
	grep -qx "session: abc" "$MNT/info"
	grep -qx "cwd: /work/demo" "$MNT/info"
}

# Writing

@test "a head move is one head line, main where no head has a name" {
	write_index_draft "$(index_users 0 1 2)"
	mount_session
	cp "$SESSION" "$DIR/before"
	ln -sfn by-id/1 "$MNT/HEAD"
	appended '{"type":"head","parent":1,"name":"main"}'
	head_is by-id/1
	context_is . "[User]: 1"
	is ../by-id/1 readlink "$MNT/branches/main"
}

@test "a head move goes by the name of the last head entry" {
	write_index_draft "$(index_users 0 1 2)" '{"type":"head","parent":3,"name":"main"}' \
		'{"type":"head","parent":2,"name":"gr\u00f6\u00dfe \"x\""}'
	mount_session
	cp "$SESSION" "$DIR/before"
	ln -sfn by-id/1 "$MNT/HEAD"
	appended '{"type":"head","parent":1,"name":"größe \"x\""}'
	is ../by-id/1 readlink "$MNT/branches/größe \"x\""
	is ../by-id/3 readlink "$MNT/branches/main"
}

@test "a reset is a head line whose parent is 0" {
	write_index_draft "$(index_users 0 1)"
	mount_session
	cp "$SESSION" "$DIR/before"
	ln -sfn tree "$MNT/HEAD"
	appended '{"type":"head","parent":0,"name":"main"}'
	context_is .
	is '[]' cat "$MNT/context.json"
}

@test "a move to the current head writes nothing" {
	write_worked_example
	mount_session
	cp "$SESSION" "$DIR/before"
	ln -sfn by-id/9 "$MNT/HEAD"
	cmp "$DIR/before" "$SESSION"
}

@test "a head mark uses a position, and the owner continues from it" {
	write_index_draft "$(index_users 0 1 2)"
	mount_session
	ln -sfn by-id/1 "$MNT/HEAD"
	entries_are "0 1 2 3 4"
	{ index_user 4 more; echo; } >>"$SESSION"
	head_is by-id/5
	context_is . "[User]: 1" "[User]: more"
}

@test "a label is one label line below the leaf" {
	mount_fixture draft003-index.jsonl
	cp "$SESSION" "$DIR/before"
	echo tested >"$MNT/by-id/4/label"
	appended '{"type":"label","parent":13,"target":4,"label":"tested"}'
	is tested cat "$MNT/by-id/4/label"
	is ../by-id/4 readlink "$MNT/by-label/tested"
	head_is by-id/8
	context_is . "[Summary]: Built it, path A done" "[User]: Continue" "[Assistant]: Continuing"
}

@test "replaced, cleared, and so at the next mount" {
	write_worked_example
	mount_session
	echo one >"$MNT/by-id/4/label"
	echo two >"$MNT/by-id/4/label"
	echo three >"$MNT/by-id/5/label"
	is two cat "$MNT/by-id/4/label"
	: >"$MNT/by-id/4/label"
	[ ! -s "$MNT/by-id/4/label" ]
	unmount
	daemon_is_gone
	mount_session
	[ ! -s "$MNT/by-id/4/label" ]
	is three ls "$MNT/by-label"
	head_is by-id/9
}

@test "reading writes nothing, -o ro refuses every write" {
	write_worked_example
	cp "$SESSION" "$DIR/before"
	mount_session -o ro
	find "$MNT" -type f -exec cat {} + >/dev/null
	cat "$MNT/HEAD/branch.jsonl" "$MNT/HEAD/raw.json" >/dev/null
	fails_with "Read-only file system" ln -sfn by-id/1 "$MNT/HEAD"
	fails_with "Read-only file system" bash -c "echo x >'$MNT/HEAD/label'"
	cmp "$DIR/before" "$SESSION"
}

@test "the path as a session, its positions counted anew" {
	write_worked_example
	mount_session
	cp "$MNT/context.json" "$DIR/context"
	mount_branch 9
	grep -qx "dialect: draft-index" "$MNT/info"
	cmp "$DIR/context" "$MNT/context.json"
	is "Use Rust instead" cat "$MNT/tree/0/1/2/3/4/content"
	if grep -q -e bad-lines -e missing-parents "$MNT/info"; then return 1; fi
}

# Its linear form, by request only

@test "a linear log is Pi's version 1, but for -o dialect" {
	write_lines '{"type":"session","id":"abc","timestamp":"2026-03-01T10:00:00.000Z","cwd":"/work/demo"}' \
		'{"type":"message","message":{"role":"user","content":"one"}}' \
		'{"type":"message","message":{"role":"assistant","content":"two"}}'
	mount_session
	grep -qx "dialect: pi" "$MNT/info"
	unmount
	daemon_is_gone
	mount_session -o dialect=draft-index
	grep -qx "dialect: draft-index" "$MNT/info"
	is two cat "$MNT/tree/0/1/2/content"
	context_is . "[User]: one" "[Assistant]: two"
}

@test "the first write gives each line its parent" {
	needs python3
	write_lines '{"type":"session","id":"abc","timestamp":"2026-03-01T10:00:00.000Z","cwd":"/work/demo"}' \
		'{"type":"message","message":{"role":"user","content":"one"}}' \
		'{"type":"message","message":{"role":"assistant","content":"two"}}'
	cp "$SESSION" "$DIR/before"
	mount_session -o dialect=draft-index
	ln -sfn by-id/1 "$MNT/HEAD"
	head_is by-id/1
	cmp "$DIR/before" "$SESSION.v1.bak"
	python3 - "$SESSION" <<-'PY'
	import json, sys
	lines = [json.loads(l) for l in open(sys.argv[1])]
	assert [l["parent"] for l in lines] == [-1, 0, 1, 1], lines
	assert lines[3] == {"type": "head", "parent": 1, "name": "main"}, lines[3]
	PY
}

# Seen at once

@test "an appended line is everywhere at once" {
	write_worked_example
	mount_session
	find "$MNT" >/dev/null
	cat "$MNT/context.txt" "$MNT/info" "$MNT/tree.txt" >/dev/null
	{ index_user 10 "And tests"; echo; } >>"$SESSION"
	head_is by-id/11
	is "[User]: And tests" tail -n 1 "$MNT/context.txt"
	is "6
11" ls -U "$MNT/branches"
	[ -d "$MNT/by-id/10/11" ]
	echo '{"type":"head","parent":6,"name":"node"}' >>"$SESSION"
	head_is by-id/6
	is "[Assistant]: Converting to Python..." tail -n 1 "$MNT/context.txt"
	is ../by-id/6 readlink "$MNT/branches/node"
	echo '{"type":"head","parent":11,"name":"node"}' >>"$SESSION"
	is ../by-id/11 readlink "$MNT/branches/node"
	echo '{"type":"label","parent":13,"target":11,"label":"new"}' >>"$SESSION"
	is new cat "$MNT/by-id/11/label"
}

# Files that are not what they should be: FORMATS 9

@test "a bad line keeps its slot" {
	write_index_draft "$(index_user 0 one)" '{bad' "$(index_user 1 three)" "$(index_user 3 four)"
	mount_session
	entries_are "0 1 3 4"
	context_is . "[User]: one" "[User]: three" "[User]: four"
	grep -qx "bad-lines: 1 (line 3)" "$MNT/info"
}

@test "null and values that are no objects keep their slots" {
	write_index_draft "$(index_user 0 one)" null 5 '[1]' '"x"' "$(index_user 1 six)" "$(index_user 6 seven)"
	mount_session
	entries_are "0 1 6 7"
	context_is . "[User]: one" "[User]: six" "[User]: seven"
}

@test "such lines at the end do not choose the leaf" {
	write_index_draft "$(index_user 0 one)" 5 null '{bad'
	mount_session
	head_is by-id/1
	context_is . "[User]: one"
	{ index_user 1 five; echo; } >>"$SESSION"
	head_is by-id/5
}

@test "an entry whose parent is a bad slot is a root" {
	write_index_draft "$(index_user 0 one)" '{bad' "$(index_user 2 orphan)"
	mount_session
	is "0
3" ls "$MNT/tree"
	context_is . "[User]: orphan"
	grep -qx "missing-parents: 1 (line 4)" "$MNT/info"
}

@test "an entry whose parent is out of range is a root" {
	write_index_draft "$(index_user 0 one)" "$(index_user 99 high)" "$(index_user -7 low)" \
		"$(index_user 99999999999999999999 higher)" "$(index_user '"0"' text)" "$(index_user 0.5 half)"
	mount_session
	is "0 2 3 4 5 6" bash -c "ls '$MNT/tree' | paste -sd' '"
	context_is by-id/2 "[User]: high"
	context_is by-id/3 "[User]: low"
	context_is by-id/6 "[User]: half"
}

@test "a blank line has no slot" {
	write_index_draft "" "$(index_user 0 one)" "   " "$(index_user 1 two)"
	mount_session
	entries_are "0 1 2"
	context_is . "[User]: one" "[User]: two"
}

@test "a torn last line is skipped, and read when it is whole" {
	write_index_draft "$(index_user 0 one)"
	printf '{"type":"message","par' >>"$SESSION"
	mount_session
	head_is by-id/1
	grep -qx "torn-last-line: 1 (line 3)" "$MNT/info"
	printf 'ent":1,"message":{"role":"user","content":"two"}}\n' >>"$SESSION"
	head_is by-id/2
	context_is . "[User]: one" "[User]: two"
}

@test "a write leaves a torn line alone, in a slot of its own" {
	write_index_draft "$(index_users 0 1)"
	printf '{"type":"mess' >>"$SESSION"
	mount_session
	ln -sfn by-id/1 "$MNT/HEAD"
	is '{"type":"mess
{"type":"head","parent":1,"name":"main"}' tail -n 2 "$SESSION"
	head_is by-id/1
	entries_are "0 1 2 4"
	echo torn >"$MNT/by-id/2/label"
	is '{"type":"label","parent":4,"target":2,"label":"torn"}' tail -n 1 "$SESSION"
}

@test "a whole last line without LF is read, and a write supplies it" {
	needs python3
	write_index_draft "$(index_user 0 one)"
	index_user 1 two >>"$SESSION"
	mount_session
	head_is by-id/2
	ln -sfn by-id/1 "$MNT/HEAD"
	head_is by-id/1
	python3 -c "import json,sys; [json.loads(l) for l in open(sys.argv[1])]" "$SESSION"
	entries_are "0 1 2 3"
}

@test "a byte order mark is stripped" {
	write_index_draft "$(index_user 0 one)"
	printf '\xef\xbb\xbf' | cat - "$SESSION" >"$DIR/bom"
	mv "$DIR/bom" "$SESSION"
	mount_session
	grep -qx "dialect: draft-index" "$MNT/info"
	entries_are "0 1"
	context_is . "[User]: one"
}

@test "an empty file is a session that has not begun" {
	: >"$SESSION"
	mount_session -o dialect=draft-index
	head_is tree
	is '[]' cat "$MNT/context.json"
	write_index_draft "$(index_user 0 one)"
	head_is by-id/1
	context_is . "[User]: one"
}

@test "without a header it is shown, and not written" {
	write_lines "$(index_user -1 one)" "$(index_user 0 two)"
	cp "$SESSION" "$DIR/before"
	mount_session -o dialect=draft-index
	context_is . "[User]: one" "[User]: two"
	grep -q "^no-header: " "$MNT/info"
	fails_for_root_with "Read-only file system" ln -sfn by-id/0 "$MNT/HEAD"
	fails_for_root_with "Read-only file system" bash -c "echo x >'$MNT/HEAD/label'"
	cmp "$DIR/before" "$SESSION"
}

@test "a second header is a node" {
	write_index_draft "$(index_user 0 one)" '{"type":"session","id":"again","parent":1,"cwd":"/"}' \
		"$(index_user 2 two)"
	mount_session
	is two cat "$MNT/tree/0/1/2/3/content"
	context_is . "[User]: one" "[User]: two"
	grep -qx "session: abc" "$MNT/info"
}

@test "members called id or uuid do not name an entry" {
	write_index_draft '{"type":"message","id":"x","uuid":"y","parent":0,"message":{"role":"user","content":"one"}}' \
		'{"type":"message","id":"x","parent":1,"message":{"role":"user","content":"two"}}'
	mount_session
	entries_are "0 1 2"
	context_is . "[User]: one" "[User]: two"
	if grep -q duplicate-ids "$MNT/info"; then return 1; fi
}

@test "a parent may stand later in the file" {
	write_index_draft "$(index_user 2 two)" "$(index_user 0 one)"
	mount_session
	head_is by-id/2
	context_is by-id/1 "[User]: one" "[User]: two"
	is 0 ls "$MNT/tree"
}

@test "a cycle is cut at its first entry" {
	write_index_draft "$(index_user 2 a)" "$(index_user 1 b)" "$(index_user 2 c)" \
		"$(index_user 4 own)" "$(index_user 0 good)"
	mount_session
	is "0 1 4" bash -c "ls '$MNT/tree' | paste -sd' '"
	context_is by-id/3 "[User]: a" "[User]: b" "[User]: c"
	grep -qx "cycles: 2 (lines 2, 5)" "$MNT/info"
	head_is by-id/5
}

@test "the head does not go below a cycle: the owner's walk never ends there" {
	write_index_draft "$(index_user 2 a)" "$(index_user 1 b)" "$(index_user 0 good)"
	mount_session
	cp "$SESSION" "$DIR/before"
	fails_with "Too many levels" ln -sfn by-id/2 "$MNT/HEAD"
	cmp "$DIR/before" "$SESSION"
	head_is by-id/3
}

@test "an entry of an unknown type is inert" {
	write_index_draft "$(index_user 0 one)" \
		'{"type":"future","parent":1,"message":{"role":"user","content":"x"},"summary":"y"}' \
		"$(index_user 2 two)"
	mount_session
	context_is . "[User]: one" "[User]: two"
	is '{
  "message": {
    "role": "user",
    "content": "x"
  },
  "summary": "y"
}' cat "$MNT/by-id/2/content"
}

@test "writers at once: every position that a line names is before it" {
	needs python3
	write_index_draft "$(index_users 0 1 2)"
	mount_session
	local i
	write_from_two_mounts by-id/{1,2,3} < <(
		for i in {1..50}; do printf '%s\n' "$(index_user 3 "outside $i")"; done
	)
	python3 - "$SESSION" <<-'PY'
	import json, sys
	lines = [json.loads(l) for l in open(sys.argv[1])]
	assert all(l["parent"] < i for i, l in enumerate(lines))
	assert sum("outside" in json.dumps(l) for l in lines) == 50
	labels = {l["label"] for l in lines if l.get("label")}
	assert labels == {f"{m} {i}" for m in ("mnt", "second") for i in range(1, 21)}, labels
	PY
	grep -qx "entries: $(wc -l <"$SESSION")" "$MNT/info"
}
