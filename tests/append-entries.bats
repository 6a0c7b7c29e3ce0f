# Lines that are written to append become entries: what each gets, where it
# hangs, and what HEAD and the context are afterwards.
load lib/mount
load lib/run
load lib/pi
load lib/append

# Rules: A1
@test "a line with a role is a message below the leaf, and HEAD is there" {
	mount_fixture pi-v3-branches.jsonl
	# Cached contents must not get in the way.
	find "$MNT" -type f -exec cat {} + >/dev/null
	ls "$MNT/by-id/aa000025" "$MNT/by-id" "$MNT/branches" >/dev/null
	say '{"role":"user","content":"go on"}'
	came 1 pi-v3-branches.jsonl
	holds "made(e)" "e['parentId'] == 'aa000025'" \
		"list(e) == ['type', 'id', 'parentId', 'timestamp', 'message']" "e['type'] == 'message'" \
		"type(e['message'].pop('timestamp')) is int" "e['message'] == {'role': 'user', 'content': 'go on'}"
	local id
	id=$(last_id)
	head_is "by-id/$id"
	is "go on" cat "$MNT/HEAD/content"
	is "go on" cat "$MNT/by-id/$id/content"
	is ../aa000025 readlink "$MNT/by-id/$id/parent"
	is "../$id" readlink "$MNT/by-id/aa000025/$id"
	is "$id" bash -c "ls -U '$MNT/by-id' | tail -n 1"
	[ "$(find "$MNT/tree" -name "$id" | wc -l)" -eq 1 ]
	is "aa000011
$id" ls -U "$MNT/branches"
	is "[User]: go on" tail -n 1 "$MNT/context.txt"
	grep -q "$id user  go on ← HEAD$" "$MNT/tree.txt"
	grep -qx "head: $id" "$MNT/info"
	grep -qx "leaf: $id" "$MNT/info"
	cmp <(tail -n 1 "$SESSION") "$MNT/HEAD/raw.json"
}

@test "programs in the mount, or with its files open, see a new line" {
	mount_fixture pi-v3-branches.jsonl
	cd "$MNT/HEAD/"
	exec 7<"$MNT/tree.txt"
	cat content context.txt >/dev/null
	say '{"role":"user","content":"go on"}'
	[ -L "$(last_id)" ]
	grep -q "go on" /dev/fd/7
	exec 7<&-
	cd /
}

@test "the message keeps its bytes, whatever they are" {
	write_session "$(user 00000001 "" one)"
	mount_session
	local line='{"role" : "user",	"x":1, "x":[2.50, 1e+21,"\/\u00e9\ud83d"],"content" :"größe \"\\\u0000\ud83d\ude00"  ,"timestamp": 17.0e3}'
	say "$line"
	grep -qF "\"message\":$line}" "$SESSION"
	say '  {"role":"user", "content":"a" , "n":{"timestamp":1}}  '
	# All of its bytes except the added timestamp.
	holds "re.sub(rb',\"timestamp\":[0-9]{13}', b'', raw).endswith(b'\"message\":{\"role\":\"user\", \"content\":\"a\" , \"n\":{\"timestamp\":1}}}')" \
		"type(e['message']['timestamp']) is int"
}

@test "messages of every role, and the context that they make" {
	write_session
	mount_session
	head_is tree
	say '{"role":"system","content":"be brief"}'
	holds "made(e)" "e['parentId'] is None"
	say '{"role":"user","content":[{"type":"text","text":"look"},{"type":"image","data":"AAEC","mimeType":"image/png"}]}'
	say "$(answer thinking | sed 's/]/,{"type":"toolCall","id":"t1","name":"ls","arguments":{"path":"."}}]/')"
	say '{"role":"toolResult","toolCallId":"t1","toolName":"ls","content":[{"type":"text","text":"a.c"}],"isError":false}'
	say '{"role":"bashExecution","command":"make","output":"ok\n","exitCode":0,"cancelled":false,"truncated":false}'
	say '{"role":"custom","customType":"x","content":"note","display":true}'
	say "$(answer "done")"
	holds "len(lines) == 8" "all(made(l) for l in lines[1:])" \
		"all(l['parentId'] == p['id'] for p, l in zip(lines[1:], lines[2:]))" \
		"all(type(l['message']['timestamp']) is int for l in lines[1:])"
	context_is . "[User]: look" "[Assistant]: thinking" '[Assistant tool calls]: ls(path=".")' \
		"[Tool result]: a.c" '[User]: Ran `make`
```
ok

```' "[User]: note" "[Assistant]: done"
	grep -qx "model: prov/model-c" "$MNT/info"
	[ -f "$MNT/HEAD/parent/parent/parent/parent/parent/1.png" ]
}

# Rules: A1
@test "a line with a type becomes that entry, with missing members added" {
	mount_fixture pi-v3-branches.jsonl
	say '{"type":"custom","customType":"x","data":{"n": 1.0}}'
	holds "made(e)" "e['parentId'] == 'aa000025'" "e['type'] == 'custom' and e['data'] == {'n': 1}" "b'{\"n\": 1.0}' in raw"
	say '{"customType":"x","content":"psst","display":false,"type":"custom_message","timestamp":"2020-01-01T00:00:00.000Z"}'
	holds "e['timestamp'] == '2020-01-01T00:00:00.000Z'" "e['parentId'] == lines[-2]['id']" "'message' not in e"
	is psst cat "$MNT/HEAD/content"
	is 2020-01-01 env TZ=UTC bash -c "stat -c %y '$MNT/HEAD/content' | cut -c 1-10"
	say '{"type":"model_change","provider":"prov","modelId":"model-z"}' \
		'{"type":"thinking_level_change","thinkingLevel":"low"}' \
		'{"type":"usage","kind":"x","provider":"p","model":"m","usage":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"totalTokens":0,"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0}}}' \
		'{"type":"future_thing","x":[1]}' \
		'{"type":"message","message":{"role":"user","content":"typed","timestamp":5}}'
	came 7 pi-v3-branches.jsonl
	holds "all(made(l) for l in lines[-6:-5] + lines[-5:])" "e['message'] == {'role': 'user', 'content': 'typed', 'timestamp': 5}" \
		"all(l['parentId'] == p['id'] for p, l in zip(lines[-7:], lines[-6:]))"
	grep -qx "model: prov/model-z" "$MNT/info"
	grep -qx "thinking: low" "$MNT/info"
	head_is "by-id/$(last_id)"
}

@test "labels and names are entries that HEAD looks through" {
	mount_fixture pi-v3-branches.jsonl
	say '{"type":"label","targetId":"aa000004","label":"here"}'
	holds "made(e)" "e['parentId'] == 'aa000025'"
	is here cat "$MNT/by-id/aa000004/label"
	is ../by-id/aa000004 readlink "$MNT/by-label/here"
	head_is by-id/aa000025
	say '{"role":"user","content":"after"}'
	holds "e['parentId'] == lines[-2]['id']"
	local after
	after=$(last_id)
	say '{"type":"session_info","name":"renamed"}'
	is renamed cat "$MNT/name"
	grep -qx "name: renamed" "$MNT/info"
	head_is "by-id/$after"
	say '{"type":"label","targetId":"aa000004"}'
	[ ! -s "$MNT/by-id/aa000004/label" ]
}

# Rules: A2
@test "a line that names its parent branches there" {
	mount_fixture pi-v3-branches.jsonl
	say '{"type":"message","parentId":"aa000004","message":{"role":"user","content":"or else","timestamp":1}}'
	holds "e['parentId'] == 'aa000004'" "made(e)" "raw.count(b'parentId') == 1"
	is "../aa000004" readlink "$MNT/HEAD/parent"
	is "[User]: list the files

[User]: or else" cat "$MNT/context.txt"
	say '{"role":"user","content":"x","parentId":"aa000001"}'
	holds "e['parentId'] == 'aa000001'" "'parentId' not in e['message']"
	say '{"type":"custom_message","customType":"x","content":"first","display":true,"parentId":null}'
	holds "e['parentId'] is None"
	is "[User]: first" cat "$MNT/context.txt"
	[ -d "$MNT/tree/$(last_id)" ]
}

@test "before the first entry a line begins anew" {
	mount_fixture pi-v3-branches.jsonl
	ln -sfn tree "$MNT/HEAD"
	say '{"role":"user","content":"anew"}'
	is "[User]: anew" cat "$MNT/context.txt"
	holds "e['parentId'] == lines[-2]['id']" "lines[-2]['parentId'] is None"
	ln -sfn by-id/aa000008 "$MNT/HEAD"
	say '{"role":"user","content":"from A"}'
	is "[Assistant]: Done with approach A.

[User]: from A" tail -n 3 "$MNT/context.txt"
}

# Rules: A3
@test "a branch with a summary" {
	mount_fixture pi-v3-branches.jsonl
	say '{"type":"branch_summary","parentId":"aa000008","summary":"It went nowhere."}'
	holds "made(e)" "e['parentId'] == 'aa000008'" "e['fromId'] == 'aa000025'" "e['summary'] == 'It went nowhere.'"
	is "The following is a summary of a branch that this conversation came back from:" \
		bash -c "tail -n 4 '$MNT/context.txt' | sed -n 's/^\[User\]: //p'"
	say '{"type":"branch_summary","parentId":null,"summary":"All over.","fromId":"aa000011"}'
	holds "e['parentId'] is None" "e['fromId'] == 'aa000011'"
	say '{"type":"branch_summary","summary":"stay","details":{}}'
	holds "e['parentId'] == lines[-2]['id']" "e['fromId'] == lines[-2]['id']" "e['details'] == {}"
	unmount
	daemon_is_gone
	write_session
	mount_session
	say '{"type":"branch_summary","summary":"from nowhere"}'
	holds "e['parentId'] is None" "e['fromId'] == 'root'"
}

@test "a compaction, with an anchor and without" {
	mount_fixture pi-v3-branches.jsonl
	say '{"type":"compaction","summary":"Sum.","firstKeptEntryId":"aa000024","tokensBefore":100}'
	holds "made(e)" "e['firstKeptEntryId'] == 'aa000024'"
	grep -qx "Sum\." "$MNT/context.txt"
	grep -qx "\[User\]: part one, part two" "$MNT/context.txt"
	grep -q "^\[User\]: The conversation history before this point" "$MNT/context.txt"
	run -1 grep -q "list the files" "$MNT/context.txt"
	say '{"type":"compaction","summary":"Nothing.","tokensBefore":5}'
	holds "made(e)" "e['firstKeptEntryId'] == e['id']" "e['tokensBefore'] == 5"
	say '{"role":"user","content":"then"}'
	is "[User]: The conversation history before this point was compacted into the following summary:

<summary>
Nothing.
</summary>

[User]: then" cat "$MNT/context.txt"
	# On another branch's path.
	say '{"type":"compaction","parentId":"aa000011","firstKeptEntryId":"aa000010","summary":"B.","tokensBefore":1}'
	holds "e['parentId'] == 'aa000011'"
	grep -qx "\[Assistant\]: B is worse." "$MNT/context.txt"
}

@test "a context edit removes its target, or replaces it" {
	mount_fixture pi-v3-branches.jsonl
	say '{"type":"context_edit","targetId":"aa000024","replacement":{"content":"in one part"}}'
	grep -qx "\[User\]: in one part" "$MNT/context.txt"
	say '{"type":"context_edit","targetId":"aa000024","replacement":null}'
	run -1 grep -q "in one part" "$MNT/context.txt"
	came 2 pi-v3-branches.jsonl
}
