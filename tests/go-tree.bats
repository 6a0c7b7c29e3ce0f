# The Go tree (seed 004): what it promises, FORMATS 7, 9 and 12.
load lib/mount
load lib/run
load lib/go_tree

# Two turns, and a branch off the first question: 1-2-3, 2-4-5. Head is 3.
write_two_branches() {
	write_go_tree 3 "$(go_entry 1 "" system.prompt '{"text":"SYS"}')" "$(go_user 2 1 question)" \
		"$(go_entry 3 2 turn.assistant '{"text":"answer"}')" \
		"$(go_entry 4 2 branch_summary '{"summary":"went astray"}')" \
		"$(go_user 5 4 "another question")"
}

at() {
	printf 'by-id/%s' "$(ulid "$1")"
}

sidecar() {
	printf '%s' "$DIR/session.head.json"
}

# The log is the copy "before" and a line for a label: parent, target (numbers,
# "" for no parent), text.
labelled() {
	needs python3
	python3 - "$DIR/before" "$SESSION" "$@" <<-'PY'
	import json, re, sys
	before, now = (open(p).read() for p in sys.argv[1:3])
	parent, target, text = sys.argv[3:]
	ulid = "01HZZZZZZZ{:016}".format
	assert now.startswith(before), "the log was rewritten"
	line = now[len(before):]
	assert line.endswith("\n") and line.count("\n") == 1, line
	e = json.loads(line)
	assert re.fullmatch("[0-7][0-9A-HJKMNP-TV-Z]{25}", e["id"]), e
	assert e["id"] not in before, "the id is in use"
	assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z", e["ts"]), e
	assert e["kind"] == "custom.label", e
	assert e["payload"] == {"targetId": ulid(int(target)), "label": text}, e
	assert e.get("parentId") == (ulid(int(parent)) if parent else None), e
	assert set(e) <= {"id", "parentId", "kind", "ts", "payload"}, e
	PY
}

@test "the path from the sidecar's head is the context" {
	write_two_branches
	mount_session
	grep -qx "dialect: go-tree" "$MNT/info"
	head_is "$(at 3)"
	context_is . "[User]: question" "[Assistant]: answer"
	context_is "$(at 5)" "[User]: question" "[Summary]: went astray" "[User]: another question"
}

@test "as JSON the system prompt is sent as well" {
	needs python3
	write_two_branches
	mount_session
	python3 - "$MNT/$(at 5)/context.json" <<-'PY'
	import json, sys
	def text(m):
	    c = m["content"]
	    return c if isinstance(c, str) else "".join(b["text"] for b in c)
	ours = [(m["role"], text(m)) for m in json.load(open(sys.argv[1]))]
	assert ours == [("system", "SYS"), ("user", "question"),
	                ("user", "went astray"), ("user", "another question")], ours
	PY
}

@test "a summary is a user message of one text block" {
	needs python3
	write_go_tree 1 "$(go_entry 1 "" branch_summary '{"summary":"S"}')"
	mount_session
	python3 - "$MNT/context.json" <<-'PY'
	import json, sys
	(m,) = json.load(open(sys.argv[1]))
	assert m.pop("timestamp", None) in (None, "2026-05-01T00:00:01.5Z", 1777593601500), m
	assert m == {"role": "user", "content": [{"type": "text", "text": "S"}]}, m
	PY
}

@test "the log need not be in the order of the path" {
	write_go_tree 1 "$(go_user 1 2 second)" "$(go_user 2 3 first)" "$(go_user 3 "" zeroth)"
	mount_session
	context_is . "[User]: zeroth" "[User]: first" "[User]: second"
	is "$(ulid 3)" ls "$MNT/tree"
}

@test "text stands under text, else under content" {
	write_go_tree 5 "$(go_entry 1 "" turn.user '{"text":"from text","content":"no"}')" \
		"$(go_entry 2 1 turn.assistant '{"content":"from content"}')" \
		"$(go_entry 3 2 turn.tool_result '{"text":"the result"}')" \
		"$(go_entry 4 3 branch_summary '{"summary":"tried"}')" \
		"$(go_entry 5 4 turn.tool_result '{"content":"another"}')"
	mount_session
	context_is . "[User]: from text" "[Assistant]: from content" \
		"[Tool result]: the result" "[Summary]: tried" "[Tool result]: another"
	is "from text" cat "$MNT/$(at 1)/content"
	is "from content" cat "$MNT/$(at 2)/content"
	is "the result" cat "$MNT/$(at 3)/content"
	is tried cat "$MNT/$(at 4)/content"
}

@test "kinds are types in meta, mtimes are ts" {
	write_go_tree 2 "$(go_user 1 "" one)" "$(go_entry 2 1 turn.assistant '{"text":"two"}')" \
		'{"id":"z","kind":"custom.note","ts":"2026-05-01T02:00:00+02:00","payload":{"a":{"b":[1]}}}'
	mount_session
	grep -qx "id: $(ulid 2)" "$MNT/$(at 2)/meta"
	grep -qx "parent: $(ulid 1)" "$MNT/$(at 2)/meta"
	grep -qx "type: turn.assistant" "$MNT/$(at 2)/meta"
	grep -qx "line: 2" "$MNT/$(at 2)/meta"
	grep -qx "type: custom.note" "$MNT/by-id/z/meta"
	is "2026-05-01 00:00:02.500000000 +0000" env TZ=UTC stat -c %y "$MNT/$(at 2)"
	is "2026-05-01 00:00:00.000000000 +0000" env TZ=UTC stat -c %y "$MNT/by-id/z"
	grep -q '"b": \[' "$MNT/by-id/z/content"
}

@test "unknown kinds are entries, and send nothing" {
	write_go_tree 3 "$(go_user 1 "" one)" "$(go_entry 2 1 custom.note '{"text":"aside"}')" "$(go_user 3 2 three)"
	mount_session
	context_is . "[User]: one" "[User]: three"
}

@test "key names match in any case" {
	write_go_tree 1 "$(go_user 1 "" one)" \
		"{\"ID\":\"$(ulid 2)\",\"PARENTID\":\"$(ulid 1)\",\"Kind\":\"turn.user\",\"Ts\":\"2026-05-01T00:00:02Z\",\"Payload\":{\"text\":\"two\"}}"
	mount_session
	context_is "$(at 2)" "[User]: one" "[User]: two"
	grep -qx "type: turn.user" "$MNT/$(at 2)/meta"
}

@test "a compaction: summary, kept entries, the rest; system prompts stay" {
	write_go_tree 7 "$(go_user 1 "" one)" "$(go_entry 2 1 turn.assistant '{"text":"two"}')" \
		"$(go_entry 3 2 system.prompt '{"text":"SYS"}')" "$(go_user 4 3 four)" \
		"$(go_entry 5 4 turn.assistant '{"text":"five"}')" \
		"$(go_entry 6 5 compaction '{"firstKeptEntryId":"'"$(ulid 3)"'","summary":"SUM","tokensBefore":9,"tokensAfter":3,"model":"m"}')" \
		"$(go_user 7 6 seven)"
	mount_session
	context_is . "[Summary]: SUM" "[User]: four" "[Assistant]: five" "[User]: seven"
	is 1 grep -c '"SYS"' "$MNT/context.json"
	context_is "$(at 5)" "[User]: one" "[Assistant]: two" "[User]: four" "[Assistant]: five"
	is SUM cat "$MNT/$(at 6)/content"
}

@test "of two compactions the latest counts; an unknown anchor keeps nothing" {
	write_go_tree 6 "$(go_user 1 "" one)" \
		"$(go_entry 2 1 compaction '{"firstKeptEntryId":"'"$(ulid 1)"'","summary":"FIRST"}')" \
		"$(go_user 3 2 three)" "$(go_user 4 3 four)" \
		"$(go_entry 5 4 compaction '{"firstKeptEntryId":"'"$(ulid 4)"'","summary":"SECOND"}')" \
		"$(go_user 6 5 six)" \
		"$(go_entry 7 4 compaction '{"firstKeptEntryId":"nobody","summary":"THIRD"}')" "$(go_user 8 7 eight)"
	mount_session
	context_is . "[Summary]: SECOND" "[User]: four" "[User]: six"
	context_is "$(at 3)" "[Summary]: FIRST" "[User]: one" "[User]: three"
	context_is "$(at 8)" "[Summary]: THIRD" "[User]: eight"
}

# The sidecar, read

@test "without a sidecar there is no head" {
	write_go_tree "" "$(go_user 1 "" one)"
	mount_session
	grep -qx "dialect: go-tree" "$MNT/info"
	head_is tree
	context_is .
	is '[]' cat "$MNT/context.json"
	context_is "$(at 1)" "[User]: one"
}

@test "an empty or damaged sidecar is no head either" {
	write_two_branches
	mount_session
	local text
	for text in '' '{"head":' '{}' '{"head":""}' '{"head":5}' '[]' 'null' '{"head":null}'; do
		head_is "$(at 3)"
		printf '%s' "$text" >"$(sidecar)"
		head_is tree || {
			echo "with the sidecar '$text'"
			return 1
		}
		is '[]' cat "$MNT/context.json"
		go_head 3
	done
}

@test "info reports a sidecar that is damaged, or names no entry" {
	write_two_branches
	mount_session
	run ! grep -q "^sidecar:" "$MNT/info"
	printf '{"head":' >"$(sidecar)"
	grep -qx "sidecar: damaged and ignored" "$MNT/info"
	printf '{"head":"nobody"}' >"$(sidecar)"
	grep -qx "sidecar: its head is not an entry" "$MNT/info"
	go_head 3
	run ! grep -q "^sidecar:" "$MNT/info"
}

@test "the owner's moves show at once" {
	write_two_branches
	mount_session
	head_is "$(at 3)"
	context_is . "[User]: question" "[Assistant]: answer"
	go_head 5
	head_is "$(at 5)"
	context_is . "[User]: question" "[Summary]: went astray" "[User]: another question"
	[ "$(stat -c %s "$MNT/context.txt")" -eq "$(wc -c <"$MNT/context.txt")" ]
	grep -q "another question ← HEAD$" "$MNT/tree.txt"
	rm "$(sidecar)"
	head_is tree
	go_head 3
	head_is "$(at 3)"
	# In place, and of the same size.
	printf '{"head":"%s"}' "$(ulid 2)" >"$(sidecar)"
	head_is "$(at 2)"
}

@test "the owner's append shows at once, HEAD when the sidecar moves" {
	write_two_branches
	mount_session
	find "$MNT" >/dev/null
	cat "$MNT/context.txt" "$MNT/info" "$MNT/tree.txt" >/dev/null
	{ go_user 6 3 "one more"; echo; } >>"$SESSION"
	is "one more" cat "$MNT/$(at 6)/content"
	is "$(ulid 5)
$(ulid 6)" ls "$MNT/branches"
	[ -d "$MNT/$(at 3)/$(ulid 6)" ]
	head_is "$(at 3)"
	go_head 6
	head_is "$(at 6)"
	is "[User]: one more" tail -n 1 "$MNT/context.txt"
}

@test "reading writes nothing, no sidecar either" {
	write_go_tree "" "$(go_user 1 "" one)"
	cp "$SESSION" "$DIR/before"
	mount_session
	find "$MNT" -type f -exec cat {} + >/dev/null
	cat "$MNT/$(at 1)/branch.jsonl" "$MNT/$(at 1)/raw.json" >/dev/null
	cmp "$DIR/before" "$SESSION"
	[ ! -e "$(sidecar)" ]
}

# The sidecar, written

@test "a head move replaces the sidecar, and only that" {
	write_two_branches
	mount_session
	cp "$SESSION" "$DIR/before"
	local inode
	inode=$(stat -c %i "$(sidecar)")
	ln -sfn "$(at 5)" "$MNT/HEAD"
	head_is "$(at 5)"
	json_is "{\"head\":\"$(ulid 5)\"}" "$(sidecar)"
	[ "$(stat -c %i "$(sidecar)")" -ne "$inode" ]
	cmp "$DIR/before" "$SESSION"
	context_is . "[User]: question" "[Summary]: went astray" "[User]: another question"
}

@test "a move leaves nothing temporary behind" {
	write_two_branches
	mount_session
	ln -sfn "$(at 5)" "$MNT/HEAD"
	ln -sf "$(at 2)" "$MNT/HEAD"
	rm "$MNT/HEAD"
	ln -s "$(at 5)" "$MNT/HEAD"
	is "mnt
session.head.json
session.jsonl" env LC_ALL=C ls -A "$DIR"
	head_is "$(at 5)"
}

@test "where there is no sidecar a move makes it" {
	write_go_tree "" "$(go_user 1 "" one)" "$(go_user 2 1 two)"
	mount_session
	ln -sfn "$(at 1)" "$MNT/HEAD"
	json_is "{\"head\":\"$(ulid 1)\"}" "$(sidecar)"
	head_is "$(at 1)"
	unmount
	daemon_is_gone
	mount_session
	head_is "$(at 1)"
}

@test "the format has no reset: EOPNOTSUPP" {
	write_two_branches
	mount_session
	cp "$(sidecar)" "$DIR/before"
	fails_with "Operation not supported" ln -sfn tree "$MNT/HEAD"
	cmp "$DIR/before" "$(sidecar)"
	head_is "$(at 3)"
}

@test "an entry that Replay would fail on can't be the head: EINVAL" {
	write_go_tree 1 "$(go_user 1 "" one)" "$(go_user 2 9 orphan)" "$(go_user 3 2 below)"
	mount_session
	cp "$(sidecar)" "$DIR/before"
	fails_with "Invalid argument" ln -sfn "$(at 2)" "$MNT/HEAD"
	fails_with "Invalid argument" ln -sfn "$(at 3)" "$MNT/HEAD"
	cmp "$DIR/before" "$(sidecar)"
	head_is "$(at 1)"
}

@test "an entry that Replay would not end on can't be the head: ELOOP" {
	write_go_tree 1 "$(go_user 1 "" one)" "$(go_user 2 3 a)" "$(go_user 3 2 b)" "$(go_user 4 3 c)"
	mount_session
	cp "$(sidecar)" "$DIR/before"
	fails_with "Too many levels" ln -sfn "$(at 2)" "$MNT/HEAD"
	fails_with "Too many levels" ln -sfn "$(at 4)" "$MNT/HEAD"
	cmp "$DIR/before" "$(sidecar)"
	head_is "$(at 1)"
}

@test "-o ro refuses every write with EROFS" {
	write_two_branches
	mount_session -o ro
	cp "$(sidecar)" "$DIR/before"
	fails_with "Read-only file system" ln -sfn "$(at 5)" "$MNT/HEAD"
	fails_with "Read-only file system" bash -c "echo x >'$MNT/HEAD/label'"
	cmp "$DIR/before" "$(sidecar)"
	is 5 bash -c "wc -l <'$SESSION'"
}

# Labels

@test "a label is an entry below the head; the sidecar stays" {
	write_two_branches
	mount_session
	cp "$SESSION" "$DIR/before"
	cp "$(sidecar)" "$DIR/sidecar"
	echo tested >"$MNT/$(at 5)/label"
	labelled 3 5 tested
	cmp "$DIR/sidecar" "$(sidecar)"
	head_is "$(at 3)"
	is tested cat "$MNT/$(at 5)/label"
	is "../$(at 5)" readlink "$MNT/by-label/tested"
	context_is . "[User]: question" "[Assistant]: answer"
}

@test "where there is no head a label's entry has no parent" {
	write_go_tree "" "$(go_user 1 "" one)"
	mount_session
	cp "$SESSION" "$DIR/before"
	echo tested >"$MNT/$(at 1)/label"
	labelled "" 1 tested
	[ ! -e "$(sidecar)" ]
	head_is tree
}

@test "a label's entry is an entry like any other" {
	write_two_branches
	mount_session
	echo tested >"$MNT/$(at 5)/label"
	local id
	id=$(ls -U "$MNT/by-id" | tail -n 1)
	grep -qx "type: custom.label" "$MNT/by-id/$id/meta"
	grep -q '"targetId": "'"$(ulid 5)"'"' "$MNT/by-id/$id/content"
	is "../$(ulid 3)" readlink "$MNT/by-id/$id/parent"
	context_is "by-id/$id" "[User]: question" "[Assistant]: answer"
}

@test "replaced, cleared, and so at the next mount" {
	write_two_branches
	mount_session
	echo one >"$MNT/$(at 4)/label"
	echo two >"$MNT/$(at 4)/label"
	echo three >"$MNT/$(at 5)/label"
	is two cat "$MNT/$(at 4)/label"
	: >"$MNT/$(at 4)/label"
	[ ! -s "$MNT/$(at 4)/label" ]
	unmount
	daemon_is_gone
	mount_session
	[ ! -s "$MNT/$(at 4)/label" ]
	is three ls "$MNT/by-label"
	head_is "$(at 3)"
}

@test "labels that stand in the log are shown, the last of an entry" {
	write_go_tree 1 "$(go_user 1 "" one)" "$(go_user 2 1 two)" \
		"$(go_entry 3 1 custom.label '{"targetId":"'"$(ulid 1)"'","label":"first"}')" \
		"$(go_entry 4 1 custom.label '{"targetId":"'"$(ulid 1)"'","label":"second"}')" \
		"$(go_entry 5 1 custom.label '{"targetId":5,"label":"third"}')"
	mount_session
	is second cat "$MNT/$(at 1)/label"
	is second ls "$MNT/by-label"
	{ go_entry 6 1 custom.label '{"targetId":"'"$(ulid 2)"'","label":"new"}'; echo; } >>"$SESSION"
	is new cat "$MNT/$(at 2)/label"
}

@test "a label's entry as the sidecar's head is looked through" {
	write_go_tree 3 "$(go_user 1 "" one)" "$(go_user 2 1 two)" \
		"$(go_entry 3 1 custom.label '{"targetId":"'"$(ulid 2)"'","label":"x"}')"
	mount_session
	head_is "$(at 1)"
}

@test "branch.jsonl is what Replay returns: the path, byte for byte" {
	write_two_branches
	mount_session
	cmp <(sed -n -e 1,2p -e 4,5p "$SESSION") "$MNT/$(at 5)/branch.jsonl"
}

# Files that are not what they should be: FORMATS 9

@test "a bad line is skipped" {
	write_go_tree 2 "$(go_user 1 "" one)" '{bad' "$(go_user 2 1 two)"
	mount_session
	context_is . "[User]: one" "[User]: two"
	grep -qx "bad-lines: 1 (line 2)" "$MNT/info"
}

@test "lines that don't decode are bad: ts, id, payload of another kind" {
	write_go_tree 1 "$(go_user 1 "" one)" \
		'{"id":"a","kind":"turn.user","ts":"not a time","payload":{"text":"x"}}' \
		'{"id":"b","kind":"turn.user","ts":"2026-05-01 00:00:02Z","payload":{"text":"x"}}' \
		'{"id":"c","kind":"turn.user","ts":"2026-05-01T00:00:02","payload":{"text":"x"}}' \
		'{"id":"d","kind":"turn.user","ts":1777593602,"payload":{"text":"x"}}' \
		'{"id":7,"kind":"turn.user","ts":"2026-05-01T00:00:02Z","payload":{"text":"x"}}' \
		'{"id":"e","kind":"turn.user","ts":"2026-05-01T00:00:02Z","payload":"x"}' \
		'{"id":"f","kind":"turn.user","ts":"2026-05-01T00:00:02Z","payload":[]}' \
		'{"id":"ok","kind":"turn.user","ts":"2026-05-01T00:00:02.123456789-07:00","payload":{"text":"x"}}'
	mount_session
	is "$(ulid 1) ok" bash -c "ls -U '$MNT/by-id' | paste -sd' '"
	grep -qx "bad-lines: 7 (lines 2-8)" "$MNT/info"
}

@test "null, other values and objects without id are passed over" {
	write_go_tree 2 "$(go_user 1 "" one)" null 5 '[1]' '{}' \
		'{"id":"","kind":"turn.user","ts":"2026-05-01T00:00:02Z","payload":{"text":"x"}}' "$(go_user 2 1 two)"
	mount_session
	is "$(ulid 1) $(ulid 2)" bash -c "ls -U '$MNT/by-id' | paste -sd' '"
	context_is . "[User]: one" "[User]: two"
}

@test "such lines at the end change nothing" {
	write_go_tree 1 "$(go_user 1 "" one)" null '{}' 5 '{bad'
	mount_session
	head_is "$(at 1)"
	context_is . "[User]: one"
}

@test "a torn last line is skipped, and read when it is whole" {
	local line
	line=$(go_user 2 1 two)
	write_go_tree 1 "$(go_user 1 "" one)"
	printf '%s' "${line:0:40}" >>"$SESSION"
	mount_session
	is "$(ulid 1)" ls "$MNT/by-id"
	grep -qx "torn-last-line: 1 (line 2)" "$MNT/info"
	printf '%s\n' "${line:40}" >>"$SESSION"
	is two cat "$MNT/$(at 2)/content"
}

@test "a label is not glued to a torn line" {
	write_go_tree 1 "$(go_user 1 "" one)"
	printf '{"id":"torn' >>"$SESSION"
	mount_session
	echo x >"$MNT/$(at 1)/label"
	is x cat "$MNT/$(at 1)/label"
	is '{"id":"torn' sed -n 2p "$SESSION"
	is 3 bash -c "wc -l <'$SESSION'"
}

@test "a whole last line without LF is read, and a label supplies it" {
	needs python3
	write_go_tree 2 "$(go_user 1 "" one)"
	go_user 2 1 two >>"$SESSION"
	mount_session
	context_is . "[User]: one" "[User]: two"
	echo x >"$MNT/$(at 1)/label"
	python3 -c "import json,sys; [json.loads(l) for l in open(sys.argv[1])]" "$SESSION"
	is two cat "$MNT/$(at 2)/content"
}

@test "a head move does not touch a torn log" {
	write_go_tree 1 "$(go_user 1 "" one)" "$(go_user 2 1 two)"
	printf '{"id":"torn' >>"$SESSION"
	cp "$SESSION" "$DIR/before"
	mount_session
	ln -sfn "$(at 2)" "$MNT/HEAD"
	head_is "$(at 2)"
	cmp "$DIR/before" "$SESSION"
}

@test "a line that a byte order mark begins is skipped" {
	write_go_tree 2 "$(go_user 1 "" one)" "$(go_user 2 "" two)"
	printf '\xef\xbb\xbf' | cat - "$SESSION" >"$DIR/bom"
	mv "$DIR/bom" "$SESSION"
	mount_session
	grep -qx "dialect: go-tree" "$MNT/info"
	is "$(ulid 2)" ls "$MNT/by-id"
	grep -qx "bad-lines: 1 (line 1)" "$MNT/info"
}

@test "an empty file is an empty session" {
	: >"$SESSION"
	mount_session -o dialect=go-tree
	head_is tree
	is '[]' cat "$MNT/context.json"
	write_go_tree 1 "$(go_user 1 "" one)"
	head_is "$(at 1)"
	context_is . "[User]: one"
}

@test "no header is needed" {
	write_two_branches
	mount_session
	grep -qx "writable: yes" "$MNT/info"
	if grep -q header "$MNT/info"; then return 1; fi
}

@test "of equal ids the last copy is the entry" {
	write_go_tree 3 "$(go_user 1 "" one)" "$(go_user 2 1 two)" "$(go_user 3 2 three)" "$(go_user 2 "" again)"
	mount_session
	context_is . "[User]: again" "[User]: three"
	grep -qx "duplicate-ids: 1 (line 4)" "$MNT/info"
}

@test "an orphan is an extra root" {
	write_go_tree 1 "$(go_user 1 "" one)" "$(go_user 2 9 orphan)"
	mount_session
	is "$(ulid 1)
$(ulid 2)" ls "$MNT/tree"
	context_is "$(at 2)" "[User]: orphan"
	grep -qx "missing-parents: 1 (line 2)" "$MNT/info"
}

@test "a cycle is cut at its first entry, even on the head's path" {
	write_go_tree 4 "$(go_user 1 "" one)" "$(go_user 2 3 a)" "$(go_user 3 2 b)" "$(go_user 4 3 c)" "$(go_user 5 5 own)"
	mount_session
	is "$(ulid 1)
$(ulid 2)
$(ulid 5)" ls "$MNT/tree"
	context_is "$(at 4)" "[User]: a" "[User]: b" "[User]: c"
	grep -qx "cycles: 2 (lines 2, 5)" "$MNT/info"
	readlink "$MNT/HEAD"
}

@test "a temporary sidecar that a crash has left is no obstacle" {
	write_two_branches
	printf '{"hea' >"$(sidecar).tmp"
	mount_session
	head_is "$(at 3)"
	ln -sfn "$(at 5)" "$MNT/HEAD"
	head_is "$(at 5)"
	json_is "{\"head\":\"$(ulid 5)\"}" "$(sidecar)"
}

@test "the sidecar keeps its mode" {
	write_two_branches
	chmod 600 "$SESSION" "$(sidecar)"
	mount_session
	ln -sfn "$(at 5)" "$MNT/HEAD"
	is 600 stat -c %a "$(sidecar)"
}

@test "labels and moves from two mounts, and the owner's lines: none is lost" {
	needs python3
	write_two_branches
	mount_session
	local i
	write_from_two_mounts "$(at 1)" "$(at 2)" "$(at 3)" "$(at 4)" "$(at 5)" < <(
		for i in {10..59}; do printf '%s\n' "$(go_user "$i" 3 "outside $i")"; done
	)
	python3 - "$SESSION" "$(sidecar)" <<-'PY'
	import json, sys
	lines = [json.loads(l) for l in open(sys.argv[1])]
	ids = [l["id"] for l in lines]
	assert len(ids) == len(set(ids))
	assert sum("outside" in json.dumps(l) for l in lines) == 50
	# Besides those that were set there are those that were cleared.
	labels = {l["payload"].get("label") for l in lines if l["kind"] == "custom.label"}
	labels -= {None, ""}
	assert labels == {f"{m} {i}" for m in ("mnt", "second") for i in range(1, 21)}, labels
	assert json.load(open(sys.argv[2]))["head"] in ids
	PY
	grep -qx "entries: $(wc -l <"$SESSION")" "$MNT/info"
}
