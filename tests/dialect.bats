# Which dialect a file is read as, and why: sessfs-formats(5), and -o dialect.
load lib/mount
load lib/run
load lib/pi
load lib/claude
load lib/drafts
load lib/go_tree

NAMES="pi pi-harness omp claude go-tree draft-uuid draft-index lines"
HEADER='{"type":"session","version":3,"id":"x","timestamp":"2026-03-01T10:00:00.000Z","cwd":"/"}'

# read_as DIALECT WORDS: fails unless info has this dialect, and these words in
# dialect-why.
read_as() {
	grep "^dialect" "$MNT/info"
	grep -qx "dialect: $1" "$MNT/info"
	grep -q "^dialect-why: .*${2:-.}" "$MNT/info"
}

# The same for a session of these lines, mounted temporarily.
lines_read_as() {
	write_lines "${@:2}"
	mount_session
	cat "$SESSION"
	read_as "$1"
	unmount
	daemon_is_gone
}

# Fails unless every write is refused and the file is unchanged.
is_read_only() {
	local id=$1
	cp "$SESSION" "$DIR/before"
	grep -qx "writable: no" "$MNT/info"
	fails_for_root_with "Read-only file system" ln -sfn "by-id/$id" "$MNT/HEAD"
	fails_for_root_with "Read-only file system" ln -sfn tree "$MNT/HEAD"
	fails_for_root_with "Read-only file system" rm "$MNT/HEAD"
	fails_for_root_with "Read-only file system" bash -c "echo x >'$MNT/by-id/$id/label'"
	cmp "$DIR/before" "$SESSION"
}

# Detection

@test "info says which dialect each example is, and by which line" {
	local file dialect line
	while read -r file dialect line; do
		mount_fixture "$file.jsonl"
		echo "$file"
		read_as "$dialect" "line $line\b"
		unmount
		daemon_is_gone
		rm -f "$DIR/session.head.json"
	done <<-END
		pi-v3-branches pi 1
		pi-v2-hook pi 1
		pi-v1-linear pi [12]
		pi-harness-leaf pi-harness 6
		omp-v3-basic omp 1
		omp-v3-compaction omp 1
		draft000-uuid draft-uuid 1
		draft003-index draft-index 1
		go-tree go-tree 1
	END
}

@test "Claude Code is recognized by a conversation line, whatever precedes it" {
	local file
	for file in claude-basic claude-compact claude-pinned; do
		mount_fixture "$file.jsonl"
		read_as claude "line [0-9]"
		unmount
		daemon_is_gone
	done
}

# bats test_tags=large
@test "never by the file's name" {
	local file dialect
	while read -r file dialect; do
		SESSION=$DIR/2026-03-01T10-00-00-000Z_0198f000-0000-7000-8000-000000000001.jsonl
		cp "$FIXTURES/$file.jsonl" "$SESSION"
		mount_session
		read_as "$dialect"
		unmount
		daemon_is_gone
		mv "$SESSION" "$DIR/notes.txt"
		SESSION=$DIR/notes.txt
		mount_session
		read_as "$dialect"
		unmount
		daemon_is_gone
	done <<-END
		pi-v3-branches pi
		omp-v3-basic omp
		claude-basic claude
		go-tree go-tree
		draft000-uuid draft-uuid
		draft003-index draft-index
	END
}

@test "junk, blank and undecided lines before are passed over" {
	local file dialect
	while read -r file dialect; do
		{
			printf '%s\n' 'not JSON' '' '   ' '{"torn":' 'null' '5' '[]' '{}' '{"hello":"world"}'
			cat "$FIXTURES/$file.jsonl"
		} >"$SESSION"
		mount_session
		echo "$file"
		read_as "$dialect"
		unmount
		daemon_is_gone
	done <<-END
		pi-v3-branches pi
		claude-basic claude
		go-tree go-tree
		draft000-uuid draft-uuid
		draft003-index draft-index
		pi-harness-leaf pi-harness
	END
}

@test "members of the wrong type are ignored" {
	lines_read_as pi '{"type":"session","uuid":5,"parent":"-1","version":3,"id":"x"}' "$(user 00000001 "" one)"
	lines_read_as draft-uuid '{"type":"title","v":"1","title":5}' \
		'{"type":"session","version":2,"uuid":"s1","parentUuid":null,"id":"x"}'
	lines_read_as claude '{"v":"4","kind":"header"}' '{"v":4,"kind":["header"]}' "$(claude_user 1 "" one)"
}

@test "the linear logs of the drafts are Pi's version 1" {
	lines_read_as pi '{"type":"session","id":"x","timestamp":"2026-03-01T10:00:00.000Z","cwd":"/"}' \
		'{"type":"message","message":{"role":"user","content":"one"}}' \
		'{"type":"compaction","summary":"S","firstKeptEntryIndex":1,"tokensBefore":9}'
}

@test "a file replaced by one of another dialect is read in that dialect" {
	mount_fixture pi-v3-branches.jsonl
	read_as pi
	cp "$FIXTURES/claude-basic.jsonl" "$DIR/new"
	mv "$DIR/new" "$SESSION"
	read_as claude
	head_is "by-id/$(uuid 13)"
	cp "$FIXTURES/draft003-index.jsonl" "$SESSION"
	read_as draft-index
	head_is by-id/8
	cp "$FIXTURES/pi-v3-headmove.jsonl" "$SESSION"
	read_as pi
	head_is by-id/dd000002
}

@test "the first lines of an empty file decide its dialect" {
	: >"$SESSION"
	mount_session
	head_is tree
	write_lines "$(claude_user 1 "" one)"
	read_as claude
	head_is "by-id/$(uuid 1)"
}

# Pi's relatives begin as Pi's sessions do

@test "a header that only oh-my-pi writes" {
	local member
	for member in '"title":"T"' '"titleSource":"auto"' '"additionalDirectories":["/a"]' \
		'"previousSessionFiles":[]' '"providerPromptCacheKey":"k"'; do
		lines_read_as omp "${HEADER%\}},$member}" "$(user 00000001 "" one)"
	done
}

# bats test_tags=large
@test "an entry that only oh-my-pi writes" {
	local entry
	for entry in '"type":"model_change","model":"prov/model-a","role":"default"' '"type":"reset_boundary"' \
		'"type":"mode_change","mode":"plan"' '"type":"title_change","title":"T"' \
		'"type":"ttsr_injection","injectedRules":[]' '"type":"credential_pin"' \
		'"type":"service_tier_change","serviceTier":null' '"type":"session_init","systemPrompt":"x"' \
		'"type":"model_usage","purpose":"title"'; do
		lines_read_as omp "$HEADER" "$(user 00000001 "" one)" \
			"{\"id\":\"00000002\",\"parentId\":\"00000001\",\"timestamp\":\"2026-03-01T10:00:02.000Z\",$entry}"
	done
}

@test "a header or an entry that only the harness writes" {
	lines_read_as pi-harness "${HEADER%\}},\"metadata\":{}}" "$(user 00000001 "" one)"
	lines_read_as pi-harness "$HEADER" "$(user 00000001 "" one)" \
		'{"type":"leaf","id":"00000002","parentId":"00000001","targetId":"00000001"}'
	lines_read_as pi-harness "$HEADER" "$(user 00000001 "" one)" \
		'{"type":"active_tools_change","id":"00000002","parentId":"00000001","activeToolNames":[]}'
	lines_read_as pi-harness "$HEADER" "$(user 00000001 "" one)" \
		'{"type":"compaction","id":"00000002","parentId":"00000001","summary":"S","retainedTail":[]}'
}

@test "Pi's own and unknown entries do not change the dialect" {
	lines_read_as pi "$HEADER" "$(user 00000001 "" one)" \
		'{"type":"model_change","id":"00000002","parentId":"00000001","provider":"p","modelId":"m"}' \
		'{"type":"session_info","id":"00000003","parentId":"00000002","name":"n"}' \
		'{"type":"usage","id":"00000004","parentId":"00000003","kind":"k"}' \
		'{"type":"future","id":"00000005","parentId":"00000004","title":"T","mode":"x"}'
}

@test "however late the line is that tells oh-my-pi's, it counts from the start" {
	needs python3
	write_session "$(user 00000000 "" start)"
	python3 - >>"$SESSION" <<-'PY'
	for i in range(1, 3000):
	    print('{"type":"message","id":"%08x","parentId":"%08x","timestamp":"2026-03-01T10:00:01.000Z","message":{"role":"user","content":"entry %d"}}' % (i, i - 1, i))
	print('{"type":"custom_message","id":"note","parentId":"00000bb7","timestamp":"2026-03-01T10:00:01.000Z","customType":"x","content":"injected","display":true}')
	print('{"type":"reset_boundary","id":"reset","parentId":"00000bb7","timestamp":"2026-03-01T10:00:02.000Z"}')
	PY
	mount_session
	read_as omp "line 3003\b"
	# Sent as the developer's, as oh-my-pi does with lines before that one too.
	is 1 grep -c '"role":"developer"' "$MNT/by-id/note/context.json"
	is '[]' cat "$MNT/by-id/reset/context.json"
}

@test "a mounted session turns to oh-my-pi's at the first line that tells" {
	write_session "$(user 00000001 "" one)"
	mount_session
	read_as pi
	context_is . "[User]: one"
	echo '{"type":"reset_boundary","id":"00000002","parentId":"00000001","timestamp":"2026-03-01T10:00:02.000Z"}' >>"$SESSION"
	read_as omp "line 3\b"
	context_is .
	{ user 00000003 00000002 three; echo; } >>"$SESSION"
	context_is . "[User]: three"
}

@test "a mounted session turns to the harness's at the first line that tells" {
	write_session "$(user 00000001 "" one)" "$(user 00000002 00000001 two)"
	mount_session
	read_as pi
	head_is by-id/00000002
	echo '{"type":"leaf","id":"00000003","parentId":"00000002","timestamp":"2026-03-01T10:00:02.000Z","targetId":"00000001"}' >>"$SESSION"
	read_as pi-harness "line 4\b"
	head_is by-id/00000001
	context_is . "[User]: one"
}

@test "with -o dialect=pi no line changes the dialect" {
	write_session "$(user 00000001 "" one)"
	mount_session -o dialect=pi
	echo '{"type":"reset_boundary","id":"00000002","parentId":"00000001","timestamp":"2026-03-01T10:00:02.000Z"}' >>"$SESSION"
	read_as pi
	context_is . "[User]: one"
}

# The harness: sessfs-formats(5), PI'S LIBRARY

@test "a leaf entry moves the leaf, null to before the first" {
	write_session "$(user 00000001 "" one)" "$(user 00000002 00000001 two)" \
		'{"type":"leaf","id":"00000003","parentId":"00000002","targetId":null}'
	mount_session
	head_is tree
	is '[]' cat "$MNT/context.json"
}

@test "a leaf entry counts as the last entry only" {
	write_session "$(user 00000001 "" one)" "$(user 00000002 00000001 two)" \
		'{"type":"leaf","id":"00000003","parentId":"00000002","targetId":"00000001"}' \
		"$(user 00000004 00000002 four)"
	mount_session
	head_is by-id/00000004
	context_is . "[User]: one" "[User]: two" "[User]: four"
}

@test "the harness's head moves by a leaf entry below its target" {
	needs python3
	mount_fixture pi-harness-leaf.jsonl
	cp "$SESSION" "$DIR/before"
	ln -sfn by-id/ab000003 "$MNT/HEAD"
	head_is by-id/ab000003
	context_is . "[User]: q1" "[Assistant]: r1" "[User]: q2"
	ln -sfn tree "$MNT/HEAD"
	head_is tree
	is '[]' cat "$MNT/context.json"
	python3 - "$DIR/before" "$SESSION" <<-'PY'
	import json, re, sys
	before, now = (open(p).read() for p in sys.argv[1:])
	assert now.startswith(before)
	lines = [json.loads(l) for l in now[len(before):].splitlines()]
	assert len(lines) == 2, lines
	for e, target in zip(lines, ("ab000003", None)):
	    assert e["type"] == "leaf" and e["targetId"] == e["parentId"] == target, e
	    assert isinstance(e["id"], str) and e["id"] and f'"{e["id"]}"' not in before, e
	    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", e["timestamp"]), e
	    assert set(e) == {"type", "id", "parentId", "timestamp", "targetId"}, e
	PY
}

@test "the harness's labels are Pi's, and leave HEAD where it is" {
	needs python3
	mount_fixture pi-harness-leaf.jsonl
	echo tested >"$MNT/by-id/ab000004/label"
	is tested cat "$MNT/by-id/ab000004/label"
	head_is by-id/ab000002
	python3 - "$SESSION" <<-'PY'
	import json, sys
	e = json.loads(open(sys.argv[1]).readlines()[-1])
	assert e["type"] == "label" and e["targetId"] == "ab000004" and e["label"] == "tested", e
	PY
}

# -o dialect

# bats test_tags=large
@test "-o dialect overrides the lines, and dialect-why says so" {
	local name
	for name in $NAMES; do
		mount_fixture pi-v3-headmove.jsonl -o "dialect=$name"
		read_as "$name" "\(option\|-o dialect\)"
		ls "$MNT/by-id" "$MNT/tree" >/dev/null
		cat "$MNT/context.txt" "$MNT/context.json" "$MNT/tree.txt" >/dev/null
		unmount
		daemon_is_gone
	done
}

@test "-o dialect: the other's rules are used, not only its name" {
	write_session '{"type":"custom_message","id":"00000001","parentId":null,"timestamp":"2026-03-01T10:00:01.000Z","customType":"x","content":"injected","display":true}'
	mount_session
	is 1 grep -c '"role":"user"' "$MNT/context.json"
	unmount
	daemon_is_gone
	mount_session -o dialect=omp
	is 1 grep -c '"role":"developer"' "$MNT/context.json"
	unmount
	daemon_is_gone
	mount_session -o dialect=lines
	is 2 bash -c "ls '$MNT/by-id' | wc -l"
}

@test "-o dialect goes together with other options" {
	mount_fixture pi-v3-headmove.jsonl -o "ro,dialect=omp"
	read_as omp
	grep -qx "writable: no" "$MNT/info"
}

@test "an unknown name: one line that lists them, status 2" {
	cp "$FIXTURES/pi-v3-headmove.jsonl" "$SESSION"
	local given name
	for given in nosuch pi-; do
		run --separate-stderr mount_session -o "dialect=$given"
		[ "$status" -eq 2 ]
		[ "${#stderr_lines[@]}" -eq 1 ]
		[ -z "$output" ]
		for name in $NAMES; do
			grep -qwF -e "$name" <<<"$stderr" || {
				echo "$name is not in: $stderr"
				return 1
			}
		done
		if mountpoint -q "$MNT"; then return 1; fi
	done
}

@test "unknown JSON lines: one line with the file and the remedy, status 1" {
	write_lines '{"hello":"world"}' '{"hello":"again"}'
	run --separate-stderr mount_session
	[ "$status" -eq 1 ]
	[ "${#stderr_lines[@]}" -eq 1 ]
	[[ $stderr == "sessfs: $SESSION: "*"-o dialect=lines"* ]]
	if mountpoint -q "$MNT"; then return 1; fi
}

# What other programs write

# Four files in a folder, as other programs write them: a session of another
# agent with Claude Code's envelope, the output of a run of Pi, the records of an
# auth store, a log.
write_foreign() {
	mkdir "$DIR/all"
	cd "$DIR/all" || return
	printf '{"uuid":"%s","parentUuid":%s,"sessionId":"%s","timestamp":"2026-03-01T10:00:0%d.000Z","type":"user","provenance":"typed","message":{"role":"user","parts":[{"text":"x"}]}}\n' \
		"$(uuid 1)" null "$SESSION_ID" 1 "$(uuid 2)" "\"$(uuid 1)\"" "$SESSION_ID" 2 >qwen.jsonl
	printf '%s\n' "$HEADER" '{"type":"agent_start"}' '{"type":"turn_start"}' >output.jsonl
	printf '{"type":"session","id":"s%d","user":"u"}\n' 1 2 3 >store.jsonl
	printf '{"id":"%d","kind":"reading","ts":"2026-03-01T10:00:00Z","value":5}\n' 1 2 >log.jsonl
	cd "$OLDPWD" || return
	cp -r "$DIR/all" "$DIR/before"
}

@test "what other programs write is refused, and what it is is said" {
	local name says
	write_foreign
	while read -r name says; do
		run "$SESSFS" "$DIR/all/$name.jsonl" "$MNT"
		echo "$output"
		[ "$status" -eq 1 ]
		[ "${#lines[@]}" -eq 1 ]
		[ "$output" = "sessfs: $DIR/all/$name.jsonl: $says (-o dialect=lines shows it line by line)" ]
	done <<-END
		qwen looks like Qwen Code's: not supported
		output the output of pi --mode json, not a session
		store unknown session format
		log unknown session format
	END
	[ -z "$("$SESSFS" --list "$DIR/all")" ]
	diff -r "$DIR/before" "$DIR/all"
}

@test "what other programs write is no session of a folder, and nothing is written beside it" {
	write_foreign
	cp "$FIXTURES/pi-v3-headmove.jsonl" "$DIR/all/pi.jsonl"
	SESSION=$DIR/all mount_session
	is pi ls "$MNT"
	fails_with "No such file or directory" cat "$MNT/qwen/info"
	rm "$DIR/all/pi.jsonl"
	diff -r "$DIR/before" "$DIR/all"
}

@test "a header alone is a session, until a line shows that it is none" {
	write_lines "$HEADER"
	mount_session
	read_as pi "line 1\b"
	head_is tree
	grep -qx "writable: yes" "$MNT/info"
	{ user 00000001 "" one; echo; } >>"$SESSION"
	head_is by-id/00000001
	unmount
	daemon_is_gone
	write_lines "$HEADER"
	mount_session
	printf '%s\n' '{"type":"agent_start"}' '{"type":"note","id":"a","parentId":null}' >>"$SESSION"
	grep -qx "writable: no" "$MNT/info"
	is_read_only a
	fails_for_root_with "Read-only file system" bash -c "echo '{}' >>'$MNT/append'"
	is "session.jsonl" bash -c "cd '$DIR'; ls | grep session"
}

@test "a file with lines that no agent writes is not rewritten" {
	local id
	write_lines '{"type":"session","id":"x","timestamp":"2026-03-01T10:00:00.000Z","cwd":"/"}' \
		'{"type":"message","message":{"role":"user","content":"one"}}' '{"type":"login","user":"u"}'
	cp "$SESSION" "$DIR/before"
	mount_session
	read_as pi
	id=$(basename "$(readlink "$MNT/HEAD/parent")")
	fails_with "Operation not supported" bash -c "echo x >'$MNT/by-id/$id/label'"
	fails_with "Operation not supported" ln -sfn "by-id/$id" "$MNT/HEAD"
	grep -q "^last-refused: .*rewritten" "$MNT/info"
	cmp "$DIR/before" "$SESSION"
	[ ! -e "$SESSION.v1.bak" ]
}

# lines: any JSONL, as far as it can be read

@test "lines: every line that parses is an entry, in one chain" {
	write_lines '{"hello":"world"}' 'no JSON' '' '[1,{"a":null}]' '5' 'null' '{"id":"x","parentId":"y"}'
	mount_session -o dialect=lines
	is "1 4 5 6 7" bash -c "ls -U '$MNT/by-id' | paste -sd' '"
	is "1/4/5/6/7" bash -c "find '$MNT/tree' -name 7 -printf '%P\n'"
	is 7 ls "$MNT/branches"
	grep -qx "bad-lines: 1 (line 2)" "$MNT/info"
}

@test "lines: content is the line as indented JSON, raw.json its bytes" {
	write_lines '{"hello":"w\u00f6rld" ,"list":[1,{"a":null}],"none":{}}' '5' '"text"'
	mount_session -o dialect=lines
	is '{
  "hello": "wörld",
  "list": [
    1,
    {
      "a": null
    }
  ],
  "none": {}
}' cat "$MNT/by-id/1/content"
	is 5 cat "$MNT/by-id/2/content"
	cmp <(sed -n 1p "$SESSION") "$MNT/by-id/1/raw.json"
	cmp <(sed -n 3p "$SESSION") "$MNT/by-id/3/raw.json"
}

@test "lines: HEAD is the last line, the context is empty" {
	write_lines '{"role":"user","content":"x"}' "$(user 00000001 "" one)"
	mount_session -o dialect=lines
	head_is by-id/2
	context_is .
	context_is by-id/1
	is '[]' cat "$MNT/context.json"
}

@test "lines: an appended line is everywhere at once" {
	write_lines '{"a":1}' '{"a":2}'
	mount_session -o dialect=lines
	find "$MNT" >/dev/null
	cat "$MNT/info" "$MNT/tree.txt" >/dev/null
	printf '%s\n' '{"a":3}' '{"torn":' >>"$SESSION"
	head_is by-id/3
	is 3 ls "$MNT/branches"
	printf '{"a":5' >>"$SESSION"
	head_is by-id/3
	echo '}' >>"$SESSION"
	head_is by-id/5
	is ../3 readlink "$MNT/by-id/5/parent"
}

@test "lines: every write is EROFS" {
	write_lines '{"a":1}' '{"a":2}'
	mount_session -o dialect=lines
	is_read_only 1
}

@test "lines: a branch is the lines down to its entry" {
	write_lines '{"a":1}' 'bad' '{"a":3}' '{"a":4}'
	mount_session -o dialect=lines
	is '{"a":1}
{"a":3}' cat "$MNT/by-id/3/branch.jsonl"
}

@test "harness v4 is mounted as lines, read-only" {
	write_lines '{"v":4,"kind":"header","id":"x","storageVersion":1,"cwd":"/","createdAt":"2026-03-01T10:00:00.000Z"}' \
		'{"v":4,"kind":"transaction","ops":[{"op":"put","key":"pi.branch.tip","value":"e1"}]}'
	mount_session
	read_as lines "line 1\b"
	is "1 2" bash -c "ls -U '$MNT/by-id' | paste -sd' '"
	head_is by-id/2
	grep -q '"pi.branch.tip"' "$MNT/by-id/2/content"
	is_read_only 1
}

# Hostile files, in every dialect

# Fails unless every file can be read, and JSON files are valid. Long files are
# read for every seventh entry only, which still covers each kind of value.
all_can_be_read() {
	needs python3
	python3 - "$MNT" <<-'PY'
	import json, os, sys
	def read(*path):
	    with open(os.path.join(sys.argv[1], *path), encoding="utf-8") as f:
	        return f.read()
	for name in "info", "tree.txt", "context.txt":
	    read(name)
	entries = os.listdir(os.path.join(sys.argv[1], "by-id"))
	for entry in entries:
	    for name in "content", "label", "meta", "raw.json":
	        read("by-id", entry, name)
	for entry in entries[::7]:
	    read("by-id", entry, "context.txt")
	    assert isinstance(json.loads(read("by-id", entry, "context.json")), list)
	    branch = read("by-id", entry, "branch.jsonl")
	    assert all([json.loads(l) is not False for l in branch.splitlines()]), branch
	PY
}

# An example, each member of which has had every kind of value: its name, the
# member that names an entry, options of sessfs.
mutated_can_be_read() {
	needs python3
	python3 "$ROOT/tests/mutate.py" "$FIXTURES/$1.jsonl" "$2" >"$SESSION"
	[ ! -e "$FIXTURES/$1.head.json" ] || cp "$FIXTURES/$1.head.json" "$DIR/session.head.json"
	mount_session "${@:3}"
	readlink "$MNT/HEAD"
	all_can_be_read
}

# bats test_tags=full
@test "members of any type: claude" {
	mutated_can_be_read claude-basic uuid
}

# bats test_tags=full
@test "members of any type: claude's boundaries and pins" {
	mutated_can_be_read claude-compact uuid
	unmount
	daemon_is_gone
	mutated_can_be_read claude-pinned uuid
}

# bats test_tags=full
@test "members of any type: draft-uuid" {
	mutated_can_be_read draft000-uuid uuid
}

# bats test_tags=full
@test "members of any type: draft-index" {
	mutated_can_be_read draft003-index ""
}

# bats test_tags=full
@test "members of any type: go-tree" {
	mutated_can_be_read go-tree id
}

# bats test_tags=full
@test "members of any type: omp" {
	mutated_can_be_read omp-v3-basic id
}

# bats test_tags=full
@test "members of any type: pi-harness" {
	mutated_can_be_read pi-harness-leaf id
}

# bats test_tags=full
@test "members of any type: lines" {
	mutated_can_be_read pi-v1-linear "" -o dialect=lines
}

# A session that ends with this line has its entry and its contexts.
deep_can_be_read() {
	mount_session
	read_as "$1"
	[ "$(wc -c <"$MNT/by-id/$2/content")" -gt 200000 ]
	cat "$MNT/by-id/$2/context.txt" "$MNT/by-id/$2/meta" "$MNT/tree.txt" >/dev/null
	[ "$(wc -c <"$MNT/by-id/$2/context.json")" -ge 3 ]
	[ "$(wc -c <"$MNT/by-id/$2/branch.jsonl")" -gt 200000 ]
	unmount
	daemon_is_gone
}

# bats test_tags=large
@test "JSON nested 100,000 deep, in every dialect" {
	needs python3
	local deep
	deep=$(python3 -c 'print("[" * 100000 + "]" * 100000)')
	write_uuid_draft '{"type":"future","uuid":"deep","parentUuid":"s1","x":'"$deep"'}'
	deep_can_be_read draft-uuid deep
	write_index_draft '{"type":"future","parent":0,"x":'"$deep"'}'
	deep_can_be_read draft-index 1
	write_go_tree "" "$(go_entry 1 "" custom.x "{\"x\":$deep}")"
	deep_can_be_read go-tree "$(ulid 1)"
	write_lines "$(claude_user 2 "" one)" "$(claude_line 1 "" future "\"x\":$deep")"
	deep_can_be_read claude "$(uuid 1)"
}

# A chain of 30,000 messages: how a line is printed, what stands before them.
write_long() {
	needs python3
	python3 - "$SESSION" "$@" <<-'PY'
	import sys
	path, line, *first = sys.argv[1:]
	with open(path, "w") as f:
	    for l in first:
	        f.write(l + "\n")
	    for i in range(1, 30001):
	        f.write(line.replace("PARENT", "%05d" % (i - 1)).replace("NUMBER", str(i - 1)).replace("ID", "%05d" % i) + "\n")
	PY
}

long_can_be_read() {
	timeout 60 "$SESSFS" "$SESSION" "$MNT"
	read_as "$1"
	timeout 60 cat "$MNT/by-id/$2/context.txt" >"$DIR/context"
	is "[User]: entry 30000" tail -n 1 "$DIR/context"
	[ "$(timeout 60 wc -l <"$MNT/by-id/$2/branch.jsonl")" -ge 30000 ]
	is 30000 bash -c "timeout 60 grep -c entry '$MNT/tree.txt'"
	unmount
	daemon_is_gone
}

# bats test_tags=large,full
@test "a chain of 30,000, in every dialect" {
	write_long '{"type":"message","uuid":"ID","parentUuid":"PARENT","message":{"role":"user","content":"entry ID"}}' \
		'{"type":"session","version":2,"uuid":"00000","parentUuid":null,"id":"x","cwd":"/"}'
	long_can_be_read draft-uuid 30000
	write_long '{"type":"message","parent":NUMBER,"message":{"role":"user","content":"entry ID"}}' \
		'{"type":"session","id":"x","parent":-1,"cwd":"/"}'
	long_can_be_read draft-index 30000
	write_long '{"id":"01HZZZZZZZ00000000000ID","parentId":"01HZZZZZZZ00000000000PARENT","kind":"turn.user","ts":"2026-05-01T00:00:01Z","payload":{"text":"entry ID"}}' \
		'{"id":"01HZZZZZZZ0000000000000000","kind":"custom.x","ts":"2026-05-01T00:00:01Z","payload":{}}'
	long_can_be_read go-tree 01HZZZZZZZ0000000000030000
	write_long '{"parentUuid":"PARENT","isSidechain":false,"sessionId":"5e55f500-0000-4000-8000-000000000001","type":"user","message":{"role":"user","content":"entry ID"},"uuid":"ID","timestamp":"2026-03-01T10:00:01.000Z"}' \
		'{"parentUuid":null,"isSidechain":false,"sessionId":"5e55f500-0000-4000-8000-000000000001","type":"system","subtype":"x","uuid":"00000","timestamp":"2026-03-01T10:00:01.000Z"}'
	long_can_be_read claude 30000
}
