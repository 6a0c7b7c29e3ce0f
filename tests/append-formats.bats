# Lines written to append in every other format than Pi's.
load lib/mount
load lib/run
load lib/drafts
load lib/go_tree
load lib/append

@test "pi-harness: messages and entries go below the target of the leaf entry" {
	mount_fixture pi-harness-leaf.jsonl
	grep -qx "dialect: pi-harness" "$MNT/info"
	say '{"role":"user","content":"on"}' "$(answer well)" '{"type":"branch_summary","parentId":"ab000004","summary":"s"}'
	came 3 pi-harness-leaf.jsonl
	cat "$MNT/by-id/ab000003/raw.json" >"$MNT/append"
	holds "lines[-4]['parentId'] == 'ab000002'" "lines[-3]['parentId'] == lines[-4]['id']" \
		"lines[-2]['parentId'] == 'ab000004'" "lines[-2]['fromId'] == 'ab000004'" \
		"e['parentId'] == lines[-2]['id']" "all(made(l) for l in lines[-4:])"
	is "[User]: q2" tail -n 1 "$MNT/context.txt"
	# Without a time in each entry the library refuses the file.
	say '{"type":"custom","customType":"x","id":"old"}'
	holds "made(e)"
	refused . '{"role":"user"}' \
		'{"type":"custom","customType":"x","id":"old","timestamp":5}' \
		'{"type":"leaf","targetId":"nowhere"}'
}

@test "omp: messages of its own roles; a summary names its parent" {
	mount_fixture omp-v3-basic.jsonl
	say '{"role":"user","content":"next"}' '{"role":"developer","content":"note"}' \
		'{"role":"pythonExecution","code":"1+1","output":"2","exitCode":0,"cancelled":false,"truncated":false}' \
		'{"role":"fileMention","files":[{"path":"a.txt","content":"A"}]}' "$(answer good)"
	came 5 omp-v3-basic.jsonl
	holds "all(made(l) for l in lines[-5:])" "lines[-5]['parentId'] == '11000021'" \
		"all(l['parentId'] == p['id'] for p, l in zip(lines[-6:], lines[-5:]))"
	is "[Assistant]: good" tail -n 1 "$MNT/context.txt"
	grep -qx "\[Developer\]: note" "$MNT/context.txt"
	say '{"type":"branch_summary","parentId":"11000010","summary":"s"}' '{"type":"branch_summary","parentId":null,"summary":"s"}' \
		'{"type":"compaction","summary":"S","tokensBefore":9}' '{"type":"reset_boundary"}' \
		'{"type":"model_change","model":"prov/other"}'
	holds "lines[-5]['fromId'] == '11000010'" "lines[-4]['fromId'] == 'root'" "lines[-4]['parentId'] is None" \
		"lines[-3]['firstKeptEntryId'] == lines[-3]['id']" "all(made(l) for l in lines[-3:])"
	cat "$MNT/by-id/11000019/raw.json" >"$MNT/append"
	copied 11000019
	# What Anthropic has compacted names what is replayed, and no entry that is kept.
	local native='{"type":"compaction","summary":"S","tokensBefore":9,"firstKeptEntryId":"","preserveData":{"anthropicCompaction":{"provider":"anthropic","content":"c"}}'
	say "$native,\"providerReplayThroughEntryId\":\"$(last_id)\"}" "$native}"
	refused path "$native,\"providerReplayThroughEntryId\":\"nowhere\"}"
	refused . '{"type":"session","version":3,"id":"s","timestamp":"2026-03-01T10:00:00.000Z","cwd":"/"}'
	refused_without "$(answer x)" usage usage.cost content
	refused usage '{"role":"toolResult","toolCallId":"t","toolName":"task","content":[],"isError":false,"details":{"usage":{"input":1}}}'
	[ ! -e "$DIR/.session.jsonl.lock" ]
}

@test "omp: while the agent holds its lock, EBUSY" {
	mount_fixture omp-v3-basic.jsonl
	printf '%d:%s000\n' $$ "$(date +%s)" >"$DIR/.session.jsonl.lock"
	fails_with "Device or resource busy" say '{"role":"user","content":"x"}'
	cmp "$FIXTURES/omp-v3-basic.jsonl" "$SESSION"
	rm "$DIR/.session.jsonl.lock"
	say '{"role":"user","content":"x"}'
	came 1 omp-v3-basic.jsonl
}

# Rules: A6
@test "draft-uuid: messages and entries with its own members" {
	mount_fixture draft000-uuid.jsonl
	say '{"role":"user","content":"and docs"}'
	holds "e['type'] == 'message'" "e['parentUuid'] == 'm8'" "'id' not in e and 'parentId' not in e" \
		"e['message']['content'] == 'and docs'" "[l.get('uuid') for l in lines].count(e['uuid']) == 1"
	is "[User]: and docs" tail -n 1 "$MNT/context.txt"
	say '{"type":"branch_summary","parentUuid":"m6","summary":"came back"}' '{"type":"stack_summary","summary":"more"}'
	cat "$MNT/by-id/m3/raw.json" >"$MNT/append"
	holds "lines[-3]['parentUuid'] == 'm6'" "lines[-2]['parentUuid'] == lines[-3]['uuid']" \
		"e['parentUuid'] == lines[-2]['uuid']" "e['uuid'] not in ('m3', '')" \
		"raw == b'{\"type\":\"message\",\"uuid\":\"%s\",\"parentUuid\":\"%s\",\"message\":{\"role\":\"user\",\"content\":\"Perl\"}}' % (e['uuid'].encode(), e['parentUuid'].encode())"
	is Perl cat "$MNT/HEAD/content"
	came 4 draft000-uuid.jsonl
	say '{"type":"compaction","summary":"S","tokensBefore":5}' '{"role":"user","content":"last"}'
	is "[User]: last" tail -n 1 "$MNT/context.txt"
	not grep -q Perl "$MNT/context.txt"
	refused . '{"type":"message","parentUuid":"nowhere","message":{"role":"user","content":"x"}}' \
		'{"type":"session","version":2,"uuid":"s2","parentUuid":null,"id":"abc","cwd":"/"}' \
		'{"type":"compaction","summary":"S","tokensBefore":5,"firstKeptEntryUuid":"o1"}' \
		'{"type":"label","targetUuid":"nowhere","label":"x"}' \
		'{"role":"user"}' \
		'{"content":"x"}'
}

# Rules: A6
@test "draft-index: a line names its parent by position, or goes below the leaf" {
	mount_fixture draft003-index.jsonl
	say '{"role":"user","content":"on"}'
	head_is by-id/14
	is "[User]: on" tail -n 1 "$MNT/context.txt"
	say "$(answer fine)"
	say '{"type":"stack_summary","parent":2,"summary":"again"}'
	is ../2 readlink "$MNT/HEAD/parent"
	# There are no ids: an entry's own line is put below its parent.
	cat "$MNT/by-id/3/raw.json" >"$MNT/append"
	is ../2 readlink "$MNT/HEAD/parent"
	came 4 draft003-index.jsonl
	say '{"type":"compaction","summary":"S","tokensBefore":5}'
	say '{"role":"user","content":"then"}'
	[[ $(<"$SESSION") == *$'\n''{"type":"message","parent":2,"message":{"role":"user","content":"Path A"}'*$'\n'*$'\n'* ]]
	holds "[l['parent'] for l in lines[-5:]] == [14, 2, 2, 0, 18]" "lines[-6]['type'] == 'message'" \
		"lines[-6]['parent'] in (13, 8)" "'id' not in lines[-6]" "lines[-6]['message']['content'] == 'on'"
	refused . '{"type":"message","parent":99,"message":{"role":"user","content":"x"}}' \
		'{"type":"message","parent":-2,"message":{"role":"user","content":"x"}}' \
		'{"type":"message","parent":1.5,"message":{"role":"user","content":"x"}}' \
		'{"type":"message","parent":"3","message":{"role":"user","content":"x"}}' \
		'{"type":"session","id":"abc","parent":-1,"cwd":"/"}' \
		'{"type":"label","target":99,"label":"x"}' \
		'{"role":"user"}'
}

@test "draft-index: a torn line has a position, and stays alone" {
	write_index_draft "$(index_user 0 one)"
	printf '{"type":"mess' >>"$SESSION"
	mount_session
	say '{"role":"user","content":"two"}' '{"role":"user","content":"three"}'
	is '{"type":"mess' sed -n 3p "$SESSION"
	holds "lines[-2]['parent'] == 1" "e['parent'] == 3"
	context_is . "[User]: one" "[User]: two" "[User]: three"
}

@test "draft-index: writers at once: each is below one that was there" {
	mount_fixture draft003-index.jsonl
	local p i pids=()
	for p in {1..5}; do
		for i in {1..20}; do say "{\"role\":\"user\",\"content\":\"$p $i\"}" || exit 1; done &
		pids+=($!)
	done
	for p in "${pids[@]}"; do wait "$p"; done
	came 100 draft003-index.jsonl
	holds "all(l['parent'] == n - 1 for n, l in list(enumerate(lines))[15:])" \
		"len({l['message']['content'] for l in lines[14:]}) == 100"
}

# The sidecar has this head; tests/head.bats reads it as JSON.
sidecar_is() {
	local text
	text=$(<"$DIR/session.head.json")
	[ "${text//[[:space:]]/}" = "{\"head\":\"$1\"}" ]
}

# Rules: A6
@test "go-tree: roles are kinds, lines are payloads, and the sidecar is moved" {
	mount_fixture go-tree.jsonl
	local head before
	mapfile -t before <"$SESSION"
	say '{"role":"user","content":"q4","x": [1, 2]}'
	holds "e['kind'] == 'turn.user'" "e['parentId'] == '$(ulid 5)'" "re.fullmatch('[0-7][0-9A-HJKMNP-TV-Z]{25}', e['id'])" \
		"e['payload']['content'] == 'q4'" "b'\"payload\":{\"role\":\"user\",\"content\":\"q4\",\"x\": [1, 2]' in raw" \
		"re.fullmatch(r'\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[-+]\d\d:\d\d)', e['ts'])" \
		"not {'type', 'role', 'message', 'timestamp'} & set(e)"
	head=$(last_id)
	sidecar_is "$head"
	head_is "by-id/$head"
	is "[User]: q4" tail -n 1 "$MNT/context.txt"
	# The torn line of the fixture stays alone.
	is "$((${#before[@]} + 1))" grep -c '' "$SESSION"
	say "$(answer a4)" '{"role":"toolResult","toolCallId":"t","toolName":"n","content":[{"type":"text","text":"r"}]}' \
		'{"role":"system","content":"be brief"}'
	holds "[l['kind'] for l in lines[-3:]] == ['turn.assistant', 'turn.tool_result', 'system.prompt']" \
		"all(l['parentId'] == p['id'] for p, l in zip(lines[-4:], lines[-3:]))"
	head_is "by-id/$(last_id)"
	say '{"kind":"branch_summary","parentId":"'"$(ulid 3)"'","payload":{"summary":"came back"}}'
	say '{"kind":"custom.note","payload":{"n":1}}'
	cat "$MNT/by-id/$(ulid 8)/raw.json" >"$MNT/append"
	holds "lines[-3]['parentId'] == '$(ulid 3)'" "lines[-3]['payload'] == {'summary': 'came back'}" \
		"lines[-2]['kind'] == 'custom.note'" "lines[-2]['parentId'] == lines[-3]['id']" "e['id'] != '$(ulid 8)'" "e['parentId'] == lines[-2]['id']" "e['ts'] == '2026-05-01T00:00:08.5Z'" \
		"raw.endswith(b'\"kind\":\"turn.user\",\"ts\":\"2026-05-01T00:00:08.5Z\",\"payload\":{\"text\":\"q3\"}}')"
	sidecar_is "$(last_id)"
	# A label's entry leaves the head where it is.
	head=$(readlink "$MNT/HEAD")
	say '{"kind":"custom.label","payload":{"targetId":"'"$(ulid 2)"'","label":"said"}}'
	is said cat "$MNT/by-id/$(ulid 2)/label"
	head_is "$head"
	sidecar_is "${head#by-id/}"
}

@test "go-tree: without a head a line is a root, and is the head" {
	write_go_tree "" "$(go_user 1 "" one)"
	mount_session
	say '{"role":"user","content":"first"}'
	holds "'parentId' not in e or not e['parentId']"
	head_is "by-id/$(last_id)"
	sidecar_is "$(last_id)"
	say '{"role":"user","content":"second"}'
	context_is . "[User]: first" "[User]: second"
}

@test "go-tree: roles without a kind, and lines that are too long, are refused" {
	mount_fixture go-tree.jsonl
	refused . '{"role":"bashExecution","command":"c","output":"o"}' \
		'{"role":"custom","content":"x"}' \
		'{"role":"developer","content":"x"}' \
		'{"type":"message","message":{"role":"user","content":"x"}}' \
		'{"kind":5,"payload":{}}' \
		'{"kind":"x","payload":"text"}' \
		'{"kind":"x","payload":{},"ts":"yesterday"}' \
		'{"kind":"x","payload":{},"parentId":"nowhere"}'
	local long
	printf -v long '%*s' $((1 << 20)) ""
	printf '{"role":"user","content":"%s"}\n' "$long" >"$DIR/long"
	# shellcheck disable=SC2016 # refused_by's
	refused_by . eval 'cat "$DIR/long" >"$MNT/append"'
	cmp "$FIXTURES/go-tree.head.json" "$DIR/session.head.json"
	say "{\"role\":\"user\",\"content\":\"${long:0:1000000}\"}"
	is 1000001 stat -c %s "$MNT/HEAD/content"
}

@test "go-tree: writers at once: the sidecar is the last entry, which all are above" {
	write_go_tree 1 "$(go_user 1 "" one)"
	mount_session
	local p i pids=()
	for p in {1..5}; do
		for i in {1..20}; do say "{\"role\":\"user\",\"content\":\"$p $i\"}" || exit 1; done &
		pids+=($!)
	done
	for p in "${pids[@]}"; do wait "$p"; done
	holds "all(l['parentId'] == p['id'] for p, l in zip(lines, lines[1:]))" "len(lines) == 101" \
		"len({l['payload']['content'] for l in lines[1:]}) == 100"
	sidecar_is "$(last_id)"
	is 101 grep -c '^\[User\]' "$MNT/context.txt"
}
