# Writing a session: lines into append become entries.
load helpers

# The id of the last entry.
last_id() {
	sed -n 's/^leaf: //p' "$MNT/info"
}

# As many lines have come since the fixture, which is still what it was.
came() {
	local before=$FIXTURES/$2
	cmp -n "$(stat -c %s "$before")" "$before" "$SESSION"
	is "$1" bash -c "tail -c +$(($(stat -c %s "$before") + 1)) '$SESSION' | wc -l"
}

# Run Python with the path of append: each(pieces) writes them to one open file.
pieces() {
	needs python3
	{
		cat <<-'PY'
		import errno, json, os, sys
		path = sys.argv[1]
		def write(fd, data):
		    while data:
		        data = data[os.write(fd, data):]
		def each(pieces):
		    fd = os.open(path, os.O_WRONLY)
		    for piece in pieces:
		        write(fd, piece)
		    os.close(fd)
		def refused(fd, data):
		    try:
		        n = os.write(fd, data)
		    except OSError as e:
		        assert e.errno == errno.EINVAL, e
		        return
		    sys.exit(f"{n} of {data[:60]!r} were taken")
		def line(text):
		    return json.dumps({"role": "user", "content": text}).encode() + b"\n"
		PY
		cat
	} | python3 - "$MNT/append" "$@"
}

# The texts of user messages that have come, in file order: those with a random
# id.
texts_are() {
	holds "[l['message']['content'] for l in lines if l.get('type') == 'message' and l['message']['role'] == 'user'
		and not re.fullmatch('(aa|00)0000..', l['id'])] == $1"
}

@test "a line with a role is a message below the leaf, and HEAD is there" {
	mount_fixture pi-v3-branches.jsonl
	# What was read before is no obstacle.
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

@test "who stands in the mount, and who has files of it open, sees it" {
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
	# All of it but the timestamp that it gets.
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

@test "a line with a type is that entry; it gets what it lacks" {
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
	run ! grep -q "list the files" "$MNT/context.txt"
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

@test "a context edit takes away what it names, or replaces it" {
	mount_fixture pi-v3-branches.jsonl
	say '{"type":"context_edit","targetId":"aa000024","replacement":{"content":"in one part"}}'
	grep -qx "\[User\]: in one part" "$MNT/context.txt"
	say '{"type":"context_edit","targetId":"aa000024","replacement":null}'
	run ! grep -q "in one part" "$MNT/context.txt"
	came 2 pi-v3-branches.jsonl
}

# All bytes of an entry's line are in its copy, which is the last line, but the id
# and the parent: those of both.
copied() {
	needs python3
	local line
	line=$(cat "$MNT/by-id/$1/raw.json")
	holds "made(e) or e['timestamp']" "e['id'] != '$1'" "[l.get('id') for l in lines].count(e['id']) == 1"
	python3 - "$SESSION" "$MNT/by-id/$1/raw.json" <<-'PY'
	import json, re, sys
	last = open(sys.argv[1], "rb").readlines()[-1].rstrip(b"\n")
	old = open(sys.argv[2], "rb").read().rstrip(b"\n")
	e, o = json.loads(last), json.loads(old)
	for key in "id", "parentId":
	    was = re.search(rb'"%s"\s*:\s*(null|"[^"]*")' % key.encode(), old)
	    now = re.search(rb'"%s"\s*:\s*(null|"[^"]*")' % key.encode(), last)
	    last = last[:now.start(1)] + was[1] + last[now.end(1):]
	if last != old:
	    sys.exit(f"copied: {last}\n  from: {old}")
	PY
}

@test "an entry's own line is a copy: another id and parent, else the same bytes" {
	mount_fixture pi-v3-branches.jsonl
	local leaf=aa000025 entry n=0
	for entry in $(sed -n 's/.*"id":"\(aa[0-9]*\)".*/\1/p' "$SESSION"); do
		cat "$MNT/by-id/$entry/raw.json" >"$MNT/append"
		copied "$entry"
		holds "e['parentId'] == '$leaf'"
		leaf=$(last_id)
		n=$((n + 1))
	done
	came $n pi-v3-branches.jsonl
	is good cat "$MNT/by-id/aa000008/label"
	# Of a copy, and where HEAD was moved to.
	ln -sfn by-id/aa000008 "$MNT/HEAD"
	cat "$MNT/by-id/aa000011/raw.json" >"$MNT/append"
	is "[Assistant]: Done with approach A.

[Assistant]: B is worse." tail -n 3 "$MNT/context.txt"
}

@test "a copy of a line that is written otherwise" {
	local odd='{ "type" : "message" ,  "parentId":  null, "message" : {"role":"user","id":"in","parentId":"in","content":"a\u00e9\/ \ud83d","n":1.50,"n":[1e3, 2]} , "id"	:"0000\u00300001","x":null , "timestamp":"2026-03-01T10:00:01Z" }'
	write_session "$odd" "$(user 00000002 000000001 two)"
	mount_session
	is "000000001
00000002" ls -U "$MNT/by-id"
	cat "$MNT/by-id/000000001/raw.json" >"$MNT/append"
	holds "e['parentId'] == '00000002'" "made(dict(e, timestamp='2026-03-01T10:00:01.000Z'))"
	local want=${odd/null/\"00000002\"}
	is "${want/\"0000\\u00300001\"/\"$(sed -n '$s/.*"id"	:"\([^"]*\)".*/\1/p' "$SESSION")\"}" tail -n 1 "$SESSION"
}

@test "a copy of a line with a carriage return, and with members said twice" {
	write_session "$(user 00000001 "" one)" "$(user 00000002 00000001 two)" \
		'{"type":"message","id":"00000003","id":"00000004","parentId":"00000002","parentId":"00000001","timestamp":"x","timestamp":"2026-03-01T10:00:01.000Z","message":{"role":"user","content":"twice"}}'
	sed -i '3s/$/\r/' "$SESSION"
	mount_session
	cat "$MNT/by-id/00000002/raw.json" >"$MNT/append"
	holds "e['message']['content'] == 'two'" "e['parentId'] == '00000004'" "made(e)"
	cat "$MNT/by-id/00000004/raw.json" >"$MNT/append"
	holds "e['message']['content'] == 'twice'" "e['parentId'] == lines[-2]['id']" "made(e)" "raw.count(b'timestamp') == 2"
	# CRLF ends a line as well.
	printf '{"role":"user","content":"dos"}\r\n{"role":"user","content":"end"}\r\n' >"$MNT/append"
	texts_are "['two', 'twice', 'dos', 'end']"
}

@test "what was put there with the mount can be copied to another session's" {
	mount_fixture pi-v3-branches.jsonl
	local entry
	mkdir "$DIR/second"
	head -n 1 "$SESSION" >"$DIR/other.jsonl"
	"$SESSFS" "$DIR/other.jsonl" "$DIR/second"
	for entry in aa000004 aa000005 aa000006 aa000024; do
		cat "$MNT/by-id/$entry/raw.json"
	done >"$DIR/second/append"
	is "[User]: list the files" head -n 1 "$DIR/second/context.txt"
	is "[User]: part one, part two" tail -n 1 "$DIR/second/context.txt"
	is 5 bash -c "wc -l <'$DIR/other.jsonl'"
	cmp "$FIXTURES/pi-v3-branches.jsonl" "$SESSION"
}

@test "a fork is a session to go on with" {
	mount_fixture pi-v3-branches.jsonl
	say '{"role":"user","content":"forked"}'
	cp "$MNT/HEAD/branch.jsonl" "$DIR/fork.jsonl"
	unmount
	daemon_is_gone
	SESSION=$DIR/fork.jsonl
	mount_session
	grep -qx "parent-session: $DIR/session.jsonl" "$MNT/info"
	is forked cat "$MNT/HEAD/content"
	is good cat "$MNT/by-id/aa000008/label"
	[ ! -e "$MNT/by-id/aa000010" ]
	say "$(answer "in the fork")"
	is "[User]: forked

[Assistant]: in the fork" tail -n 3 "$MNT/context.txt"
}

@test "a line in pieces of any size is one entry" {
	mount_fixture pi-v3-branches.jsonl
	pieces <<-'PY'
	text = line("byte by byte é 😀")
	each(text[i:i + 1] for i in range(len(text)))
	text = line("x" * 30000)
	each(text[i:i + 4096] for i in range(0, len(text), 4096))
	text = line("one") + line("two") + b"\n  \n" + line("three")
	each(text[i:i + 7] for i in range(0, len(text), 7))
	each([text])
	PY
	came 8 pi-v3-branches.jsonl
	texts_are "['byte by byte é 😀', 'x' * 30000] + ['one', 'two', 'three'] * 2"
}

@test "several processes that share the open file write one line" {
	needs python3
	mount_fixture pi-v3-branches.jsonl
	seq 1 3000 >"$DIR/numbers"
	{
		printf '{"role":"user",'
		env printf '"content":'
		python3 -c 'import json, sys; sys.stdout.write(json.dumps(sys.stdin.read()))' <"$DIR/numbers"
		(printf ' }')
		echo
		printf '{"role":"user","content":"second"}\n'
	} >>"$MNT/append"
	came 2 pi-v3-branches.jsonl
	diff "$DIR/numbers" "$MNT/HEAD/parent/content"
	is second cat "$MNT/HEAD/content"
}

@test "two open files never mix their pieces" {
	mount_fixture pi-v3-branches.jsonl
	pieces <<-'PY'
	# Opened the same way, at once, by one process; pieces of equal length.
	files = [os.open(path, os.O_WRONLY) for _ in range(5)]
	texts = [line(f"number {i} " + "abcde"[i] * 5000) for i in range(5)]
	for at in range(0, len(texts[0]), 100):
	    for fd, text in zip(files, texts):
	        write(fd, text[at:at + 100])
	# And with O_TRUNC and O_APPEND, while others are half-way.
	half = os.open(path, os.O_WRONLY)
	write(half, b'{"role":"user",')
	each([line("between")])
	other = os.open(path, os.O_WRONLY | os.O_TRUNC)
	write(other, line("truncated"))
	os.close(other)
	other = os.open(path, os.O_WRONLY | os.O_APPEND)
	write(other, line("appended"))
	os.truncate(path, 0)
	write(half, b'"content":"half"}\n')
	write(other, line("again"))
	# A file that is shared is one.
	twice = os.dup(other)
	write(other, b'{"role":"user",')
	write(twice, b'"content":"twice"}\n')
	PY
	texts_are "(['number %d ' % i + c * 5000 for i, c in enumerate('abcde')] +
		['between', 'truncated', 'appended', 'half', 'again', 'twice'])"
}

@test "20 writers at once: every line is one entry, none is lost, each is below the last" {
	mount_fixture pi-v3-branches.jsonl
	local p i pids=()
	for p in {1..20}; do
		for i in {1..50}; do
			printf '{"role":"user","content":"%s %s"}\n' "$p" "$i" >"$MNT/append" || exit 1
		done &
		pids+=($!)
	done
	for p in "${pids[@]}"; do wait "$p"; done
	came 1000 pi-v3-branches.jsonl
	holds "sorted(l['message']['content'] for l in lines[-1000:]) == sorted('%d %d' % (p, i) for p in range(1, 21) for i in range(1, 51))" \
		"all(l['parentId'] == p['id'] for p, l in zip(lines[-1001:], lines[-1000:]))" \
		"len({l['id'] for l in lines}) == len(lines)"
	# Each writer's stand in its own order.
	holds "all([int(l['message']['content'].split()[1]) for l in lines[-1000:] if l['message']['content'].split()[0] == str(p)] == list(range(1, 51)) for p in range(1, 21))"
	head_is "by-id/$(last_id)"
}

@test "writers in pieces, from two mounts, while the agent appends" {
	needs python3
	mount_fixture pi-v3-branches.jsonl
	mount_second
	local p pids=()
	for p in "$MNT" "$DIR/second"; do
		for i in 1 2 3 4; do
			pieces "$p/append" "$p $i" <<-'PY' &
			path, name = sys.argv[2:]
			size = 11 + 17 * int(name[-1])
			text = b"".join(line(f"{name} {i} " + "x" * 200) for i in range(25))
			each(text[i:i + size] for i in range(0, len(text), size))
			PY
			pids+=($!)
		done
	done
	for i in {1..25}; do
		user "000001$i" aa000025 "outside $i" | sed 's/1772359201000/1790000000000/' >"$DIR/outside"
		echo >>"$DIR/outside"
		cat "$DIR/outside" >>"$SESSION"
	done
	for p in "${pids[@]}"; do wait "$p"; done
	unmount_second
	holds "sorted(l['message']['content'].rstrip('x') for l in lines[25:]) == sorted(
		['%s %d %d ' % (m, i, n) for m in ('$MNT', '$DIR/second') for i in (1, 2, 3, 4) for n in range(25)] + ['outside %d' % i for i in range(1, 26)])"
	is 225 bash -c "tail -n +26 '$SESSION' | wc -l"
	run ! grep -E '^(bad|dup|miss|cyc|torn)' "$MNT/info"
}

@test "a last line needs no newline: it counts when its object is closed" {
	mount_fixture pi-v3-branches.jsonl
	printf '{"role":"user","content":"no newline }"}' >"$MNT/append"
	is "no newline }" cat "$MNT/HEAD/content"
	printf '%s' "$(answer yes)" >>"$MNT/append"
	is yes cat "$MNT/HEAD/content"
	pieces <<-'PY'
	fd = os.open(path, os.O_WRONLY)
	write(fd, b'{"role":"user","content":"before it is closed"}')
	print(open(os.path.dirname(path) + "/HEAD/content").read(), end="")
	write(fd, b"\n")
	write(fd, line("next"))
	PY
	texts_are "['no newline }', 'before it is closed', 'next']"
	came 4 pi-v3-branches.jsonl
}

@test "half a line that was given up is not put before the next" {
	mount_fixture pi-v3-branches.jsonl
	printf '{"role":"user","content":"ha' >"$MNT/append"
	say '{"role":"user","content":"whole"}'
	printf 'lf"}\n' >"$DIR/rest"
	refused . "$(cat "$DIR/rest")"
	# The writer is killed, while another one has its own open.
	bash -c 'printf "{\"role\":\"user\",\"content\":\"kil"; touch "$1"; exec sleep 60' - "$DIR/begun" >"$MNT/append" &
	local writer=$!
	wait_until [ -e "$DIR/begun" ]
	say '{"role":"user","content":"meanwhile"}'
	kill -9 $writer
	wait $writer || true
	say '{"role":"user","content":"after"}'
	texts_are "['whole', 'meanwhile', 'after']"
	came 3 pi-v3-branches.jsonl
}

@test "of lines in one write those before a bad one are taken" {
	mount_fixture pi-v3-branches.jsonl
	pieces <<-'PY'
	good, bad, more = line("one") + line("two"), b'{"role":"user"}\n', line("three")
	fd = os.open(path, os.O_WRONLY)
	n = os.write(fd, good + bad + more)
	assert n == len(good), n
	refused(fd, bad + more)
	n = os.write(fd, more)
	assert n == len(more), n
	PY
	texts_are "['one', 'two', 'three']"
	came 3 pi-v3-branches.jsonl
	# A shell's command fails.
	fails_with "Invalid argument" bash -c "printf '%s\n' '{\"role\":\"user\",\"content\":\"a\"}' no >'$DIR/lines'; cat '$DIR/lines' >'$MNT/append'"
	came 4 pi-v3-branches.jsonl
}

@test "a refused line that came in pieces does not spoil the next" {
	mount_fixture pi-v3-branches.jsonl
	pieces <<-'PY'
	fd = os.open(path, os.O_WRONLY)
	write(fd, b'{"role":"us')
	refused(fd, b'er"}\n')
	write(fd, line("next"))
	write(fd, b"junk")
	refused(fd, b"\n")
	write(fd, line("last"))
	PY
	texts_are "['next', 'last']"
	came 2 pi-v3-branches.jsonl
}

@test "cp, tee, dd, sed and python write it, with > and >>" {
	needs busybox python3
	mount_fixture pi-v3-branches.jsonl
	local i
	for i in {1..9}; do
		printf '{"role":"user","content":"%s %0300d"}\n' "$i" "$i"
	done >"$DIR/lines"
	cp "$DIR/lines" "$MNT/append"
	tee "$MNT/append" <"$DIR/lines" >/dev/null
	tee -a "$MNT/append" <"$DIR/lines" >/dev/null
	dd if="$DIR/lines" of="$MNT/append" bs=1 status=none
	dd if="$DIR/lines" of="$MNT/append" bs=777 status=none
	dd if="$DIR/lines" of="$MNT/append" bs=13 conv=notrunc oflag=append status=none
	sed '' "$DIR/lines" >"$MNT/append"
	cat "$DIR/lines" >>"$MNT/append"
	busybox cp "$DIR/lines" "$MNT/append"
	busybox sh -c "cat '$DIR/lines' >>'$MNT/append'"
	python3 - "$DIR/lines" "$MNT/append" <<-'PY'
	import sys
	with open(sys.argv[2], "a") as f:
	    f.write(open(sys.argv[1]).read())
	with open(sys.argv[2], "ab", buffering=0) as f:
	    f.write(open(sys.argv[1], "rb").read())
	with open(sys.argv[2], "w") as f:
	    for line in open(sys.argv[1]):
	        print(line, end="", file=f)
	PY
	came 117 pi-v3-branches.jsonl
	texts_are "['%d %0300d' % (i, i) for i in range(1, 10)] * 13"
}

@test "what is no entry is refused, and info says why" {
	mount_fixture pi-v3-branches.jsonl
	run ! grep -q '^last-refused' "$MNT/info"
	local line
	for line in hello 5 null true '"x"' '[{"role":"user","content":"x"}]' '{"role":"user"' \
		'{"role":"user","content":"x"} x' '{"role":"user","content":"x"}{' "{'role':'user'}" \
		'{"role":"user","content":"x",}' '{"role":"user","content":"	"}' '{}' '{"content":"x"}' \
		'{"role":5,"content":"x"}' '{"type":5}' '{"type":null,"summary":"x"}' '{"type":"x","id":""}' '{"type":"x","id":null}' '{"type":"x","id":5}' \
		'{"type":"session","version":3,"id":"s","timestamp":"2026-03-01T10:00:00.000Z","cwd":"/"}' \
		'{"type":"session","version":3,"timestamp":"2026-03-01T10:00:00.000Z","cwd":"/"}'; do
		refused . "$line"
	done
	head_is by-id/aa000025
	# It stays what it was until the next is refused.
	grep '^last-refused' "$MNT/info" >"$DIR/why"
	say '{"role":"user","content":"good"}'
	grep '^last-refused' "$MNT/info" | diff "$DIR/why" -
	refused "unknown|parent|known" '{"type":"custom","customType":"x","parentId":"nowhere"}'
	if grep '^last-refused' "$MNT/info" | cmp -s "$DIR/why" -; then return 1; fi
	refused . "$(printf '{"type":"custom","customType":"x","parentId":"no\\nhead: \\u001b[2J%0900d"}' 1)"
	is 0 grep -c $'\033' "$MNT/info"
	is 1 grep -c '^head: ' "$MNT/info"
	refused . '{"type":"custom","customType":"x","parentId":5}'
	refused . '{"type":"custom","customType":"x","parentId":["aa000004"]}'
	came 1 pi-v3-branches.jsonl
}

@test "a title is refused, as a header is" {
	local fixture
	for fixture in pi-v3-branches omp-v3-basic; do
		mount_fixture $fixture.jsonl
		refused . '{"type":"title","v":1,"title":"x","updatedAt":"2026-03-01T10:00:00.000Z","pad":""}'
		refused . '{"type":"session","version":3,"id":"s","timestamp":"2026-03-01T10:00:00.000Z","cwd":"/"}'
		unmount
		daemon_is_gone
	done
}

# The message, without one of these paths in it and with something else there, is
# refused: the message, then PATH=VALUE (JSON; nothing takes it away).
refused_without() {
	needs python3
	local message=$1 change
	shift
	for change in "$@"; do
		refused . "$(python3 - "$message" "$change" <<-'PY'
		import json, sys
		message = json.loads(sys.argv[1])
		path, _, value = sys.argv[2].partition("=")
		*into, last = path.split(".")
		at = message
		for key in into:
		    at = at[key]
		if value:
		    at[last] = json.loads(value)
		else:
		    del at[last]
		print(json.dumps(message))
		PY
		)" || {
			echo "of $message: $change"
			return 1
		}
	done
}

@test "messages that the agent could not load are refused" {
	mount_fixture pi-v3-branches.jsonl
	local role
	refused_without "$(answer x)" content content='"text"' content=null provider model stopReason \
		usage usage=null usage.cost usage.cost=5 usage.cost.total usage.cost.total='"0"' provider=null \
		model='[]' stopReason=5
	for role in user system custom; do
		refused_without "{\"role\":\"$role\",\"customType\":\"x\",\"content\":\"x\"}" content content=5 content='{}' content=null
	done
	refused_without '{"role":"toolResult","toolCallId":"t","toolName":"n","content":[{"type":"text","text":"x"}],"isError":false}' \
		content content=5 content=null
	refused_without '{"role":"bashExecution","command":"c","output":"o","exitCode":0,"cancelled":false,"truncated":false}' \
		command output command=5
	refused . '{"type":"message"}'
	refused . '{"type":"message","message":"x"}'
	refused . '{"type":"message","message":{"content":"x"}}'
	refused . '{"type":"message","message":{"role":"user"}}'
	refused . '{"type":"message","message":{"role":"assistant","content":"x"}}'
	# A copy is looked at just as much.
	refused . '{"type":"message","id":"old","parentId":"older","timestamp":"2026-03-01T10:00:00.000Z","message":{"role":"assistant","content":[]}}'
	cmp "$FIXTURES/pi-v3-branches.jsonl" "$SESSION"
}

@test "entries that the agent could not load are refused" {
	mount_fixture pi-v3-branches.jsonl
	refused . '{"type":"compaction","tokensBefore":5}'
	refused . '{"type":"compaction","summary":5,"tokensBefore":5}'
	refused . '{"type":"compaction","summary":"x"}'
	refused . '{"type":"compaction","summary":"x","tokensBefore":"5"}'
	refused . '{"type":"compaction","summary":"x","tokensBefore":5,"firstKeptEntryId":"nowhere"}'
	refused . '{"type":"compaction","summary":"x","tokensBefore":5,"firstKeptEntryId":5}'
	# On another branch, or below what is named as the parent.
	refused path '{"type":"compaction","summary":"x","tokensBefore":5,"firstKeptEntryId":"aa000011"}'
	refused path '{"type":"compaction","summary":"x","tokensBefore":5,"firstKeptEntryId":"aa000024","parentId":"aa000008"}'
	refused . '{"type":"context_edit","targetId":"aa000024"}'
	refused . '{"type":"context_edit","targetId":"aa000024","replacement":5}'
	refused . '{"type":"context_edit","targetId":"aa000024","replacement":{}}'
	refused . '{"type":"context_edit","replacement":null}'
	refused . '{"type":"context_edit","targetId":"nowhere","replacement":null}'
	refused path '{"type":"context_edit","targetId":"aa000011","replacement":null}'
	refused path '{"type":"context_edit","targetId":"aa000024","replacement":null,"parentId":"aa000011"}'
	refused . '{"type":"label","label":"x"}'
	refused . '{"type":"label","targetId":"nowhere","label":"x"}'
	refused . '{"type":"label","targetId":5,"label":"x"}'
	refused . '{"type":"label","targetId":"aa000004","label":5}'
	refused . '{"type":"session_info","name":5}'
	refused . '{"type":"branch_summary"}'
	refused . '{"type":"branch_summary","summary":5}'
	refused . '{"type":"custom_message","customType":"x"}'
	refused . '{"type":"custom_message","customType":"x","content":5}'
	cmp "$FIXTURES/pi-v3-branches.jsonl" "$SESSION"
	head_is by-id/aa000025
}

@test "a line of 20 MB" {
	needs python3
	mount_fixture pi-v3-branches.jsonl
	python3 - >"$DIR/line" <<-'PY'
	import json
	print(json.dumps({"role": "user", "content": "0123456789é\n" * 1600000}, ensure_ascii=False))
	PY
	[ "$(stat -c %s "$DIR/line")" -gt 20000000 ]
	cat "$DIR/line" >"$MNT/append"
	python3 - "$DIR/line" >"$DIR/text" <<-'PY'
	import json, sys
	print(json.load(open(sys.argv[1]))["content"], end="")
	PY
	cmp "$DIR/text" "$MNT/HEAD/content"
	cp "$DIR/line" "$MNT/append"
	cmp "$DIR/text" "$MNT/HEAD/content"
	cmp "$DIR/text" "$MNT/HEAD/parent/content"
	is ../aa000025 readlink "$MNT/HEAD/parent/parent"
}

# bats test_tags=large
@test "a line of more than 256 MiB is too large, and nothing is kept of it" {
	needs python3
	mount_fixture pi-v3-branches.jsonl
	python3 - "$MNT/append" <<-'PY'
	import errno, os, sys
	fd = os.open(sys.argv[1], os.O_WRONLY)
	os.write(fd, b'{"role":"user","content":"')
	written = 0
	try:
	    while written < 300 << 20:
	        written += os.write(fd, b"x" * (1 << 20))
	    sys.exit("all of it was taken")
	except OSError as e:
	    assert e.errno == errno.EFBIG, e
	assert 255 << 20 <= written <= 257 << 20, written
	os.close(fd)
	PY
	cmp "$FIXTURES/pi-v3-branches.jsonl" "$SESSION"
	grep -q "^last-refused: line longer than 256 MiB" "$MNT/info"
	say '{"role":"user","content":"small"}'
	is small cat "$MNT/HEAD/content"
}

@test "a thousand lines that are begun at once are all that can be" {
	mount_fixture pi-v3-branches.jsonl
	pieces <<-'PY'
	import resource
	hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
	resource.setrlimit(resource.RLIMIT_NOFILE, (2000, hard))
	begun = []
	for i in range(1000):
	    begun.append(os.open(path, os.O_WRONLY))
	    write(begun[-1], b'{"role":"user",')
	more = os.open(path, os.O_WRONLY)
	try:
	    os.write(more, b'{"role":"user",')
	    sys.exit("one more was begun")
	except OSError as e:
	    assert e.errno == errno.ENOBUFS, e
	for fd in begun[:500]:
	    write(fd, b'"content":"%d"}\n' % fd)
	for fd in begun:
	    os.close(fd)
	write(more, line("one more"))
	PY
	came 501 pi-v3-branches.jsonl
	is "one more" cat "$MNT/HEAD/content"
}

@test "nothing is put below a cycle of parents: the agent would hang on it" {
	write_session "$(user c1 c2 a)" "$(user c2 c1 b)" "$(user good "" d)"
	mount_session
	cp "$SESSION" "$DIR/before"
	fails_with "Too many levels" say '{"type":"custom","customType":"x","parentId":"c1"}'
	cmp "$DIR/before" "$SESSION"
	say '{"role":"user","content":"x"}'
	holds "e['parentId'] == 'good'"
}

@test "append has no size, is not read, and is not listed" {
	cp "$FIXTURES/pi-v3-branches.jsonl" "$SESSION"
	chmod 640 "$SESSION"
	mount_session
	is "--w------- 0 1" stat -c '%A %s %h' "$MNT/append"
	is "$(stat -c '%u:%g' "$SESSION")" stat -c %u:%g "$MNT/append"
	local ino
	ino=$(stat -c %i "$MNT/append")
	printf '{"role":"user"' >"$MNT/append"
	say '{"role":"user","content":"x"}'
	is "$ino" stat -c %i "$MNT/append"
	is 0 stat -c %s "$MNT/append"
	[ -w "$MNT/append" ]
	[ ! -s "$MNT/append" ]
	run ! grep -q append <(ls -A "$MNT")
	is 0 bash -c "find '$MNT' -name append | wc -l"
	if [ "$(id -u)" -eq 0 ]; then
		[ -z "$(cat "$MNT/append")" ]
	fi
	chmod 600 "$SESSION"
	is "--w-------" stat -c %A "$MNT/append"
	unmount
	daemon_is_gone
	mount_session
	is "$ino" stat -c %i "$MNT/append"
}

@test "it can't be removed, renamed, replaced or changed; truncating is nothing" {
	mount_fixture pi-v3-branches.jsonl
	local no="Operation not permitted"
	: >"$MNT/append"
	: >>"$MNT/append"
	truncate -s 0 "$MNT/append"
	fails_with "$no" rm -f "$MNT/append"
	fails_with "$no" mv "$MNT/append" "$MNT/x"
	fails_with "$no" mv "$MNT/append" "$MNT/HEAD"
	fails_with "$no" chmod 600 "$MNT/append"
	fails_with "$no" chown 1 "$MNT/append"
	fails_with "$no" ln "$MNT/append" "$MNT/x"
	fails_with "File exists" mkdir "$MNT/append"
	fails_with "File exists" ln -s by-id/aa000004 "$MNT/append"
	echo '{"role":"user","content":"x"}' >"$DIR/line"
	fails_with "$no" mv "$DIR/line" "$MNT/append"
	cmp "$FIXTURES/pi-v3-branches.jsonl" "$SESSION"
}

@test "what is only read is EROFS: formats, files without a header, -o ro" {
	local no="Read-only file system" fixture
	for fixture in claude-basic claude-compact; do
		mount_fixture $fixture.jsonl
		[ -e "$MNT/append" ]
		fails_with "$no" bash -c "echo '{\"role\":\"user\",\"content\":\"x\"}' >'$MNT/append'"
		fails_with "$no" bash -c "cat '$MNT/HEAD/raw.json' >>'$MNT/append'"
		cmp "$FIXTURES/$fixture.jsonl" "$SESSION"
		[ ! -e "${SESSION%.jsonl}.sessfs.json" ]
		unmount
		daemon_is_gone
	done
	write_lines '{"a":1}'
	mount_session -o dialect=lines
	fails_with "$no" bash -c "echo '{\"b\":1}' >>'$MNT/append'"
	is '{"a":1}' cat "$SESSION"
	unmount
	daemon_is_gone
	write_lines "$(user 00000001 "" one)"
	cp "$SESSION" "$DIR/before"
	mount_session
	fails_with "$no" bash -c "echo '{\"role\":\"user\",\"content\":\"x\"}' >>'$MNT/append'"
	cmp "$DIR/before" "$SESSION"
	unmount
	daemon_is_gone
	mount_fixture pi-v3-branches.jsonl -o ro
	fails_with "$no" bash -c "echo '{\"role\":\"user\",\"content\":\"x\"}' >'$MNT/append'"
	fails_with "$no" bash -c "echo '{\"role\":\"user\",\"content\":\"x\"}' >>'$MNT/append'"
	cmp "$FIXTURES/pi-v3-branches.jsonl" "$SESSION"
}

@test "a missing final newline is supplied first; a torn line stays alone" {
	write_session "$(user 00000001 "" one)"
	user 00000002 00000001 two >>"$SESSION"
	mount_session
	say '{"role":"user","content":"three"}'
	holds "len(lines) == 4" "e['parentId'] == '00000002'"
	is 4 bash -c "wc -l <'$SESSION'"
	printf '{"type":"mess' >>"$SESSION"
	say '{"role":"user","content":"four"}'
	is '{"type":"mess' sed -n 5p "$SESSION"
	holds "len(lines) == 5" "e['parentId'] == lines[-2]['id']"
	is four cat "$MNT/HEAD/content"
}

@test "a session of version 1 is migrated first" {
	mount_fixture pi-v1-linear.jsonl
	local leaf
	leaf=$(readlink "$MNT/HEAD")
	say '{"role":"user","content":"six"}'
	cmp "$FIXTURES/pi-v1-linear.jsonl" "$SESSION.v1.bak"
	holds "lines[0]['version'] == 3" "'by-id/' + e['parentId'] == '$leaf'" "made(e)"
	is six cat "$MNT/HEAD/content"
	is "../${leaf#by-id/}" readlink "$MNT/HEAD/parent"
	grep -qx "version: 3" "$MNT/info"
}

@test "a refused line does not migrate a session of version 1" {
	mount_fixture pi-v1-linear.jsonl
	refused . '{"role":"user"}'
	refused . '{"type":"custom","customType":"x","parentId":"nowhere"}'
	[ ! -e "$SESSION.v1.bak" ]
	cmp "$FIXTURES/pi-v1-linear.jsonl" "$SESSION"
}

@test "a line is on the disk before write returns" {
	cp "$FIXTURES/pi-v3-branches.jsonl" "$SESSION"
	make_slow
	HOLD_SYNC=1 HOLD=$DIR "$SLOW" "$SESSION" "$MNT"
	{ say '{"role":"user","content":"durable"}' && touch "$DIR/returned"; } &
	wait_until [ -e "$DIR/reached" ]
	grep -q '"durable"' "$SESSION"
	sleep 0.3
	[ ! -e "$DIR/returned" ]
	touch "$DIR/go"
	wait $!
	[ -e "$DIR/returned" ]
	came 1 pi-v3-branches.jsonl
}

@test "a full disk: the line is not there, not even a part of it" {
	needs_root
	mkdir "$DIR/small"
	mount -t tmpfs -o size=256k tmpfs "$DIR/small" || skip "tmpfs can't be mounted here"
	SESSION=$DIR/small/session.jsonl
	cp "$FIXTURES/pi-v3-branches.jsonl" "$SESSION"
	"$SESSFS" "$SESSION" "$MNT"
	printf '{"role":"user","content":"%0400000d"}\n' 1 >"$DIR/line"
	fails_with "No space left" bash -c "cat '$DIR/line' >'$MNT/append'"
	cmp "$FIXTURES/pi-v3-branches.jsonl" "$SESSION"
	say '{"role":"user","content":"small"}'
	is small cat "$MNT/HEAD/content"
	came 1 pi-v3-branches.jsonl
}

@test "a lock that is not let go: EBUSY, and the line can be written later" {
	mount_fixture pi-v3-branches.jsonl
	flock "$SESSION" sleep 30 &
	local holder=$!
	wait_until_not flock -n "$SESSION" true
	fails_with "busy" bash -c "echo '{\"role\":\"user\",\"content\":\"x\"}' >'$MNT/append'"
	cmp "$FIXTURES/pi-v3-branches.jsonl" "$SESSION"
	pkill -P $holder || true
	wait $holder || true
	say '{"role":"user","content":"later"}'
	is later cat "$MNT/HEAD/content"
}

@test "the session is replaced while a writer has append open" {
	mount_fixture pi-v3-branches.jsonl
	ln "$SESSION" "$DIR/old"
	cp "$FIXTURES/pi-v3-compaction.jsonl" "$DIR/new"
	pieces "$DIR/new" "$SESSION" <<-'PY'
	fd = os.open(path, os.O_WRONLY)
	write(fd, line("before"))
	write(fd, b'{"role":"user","con')
	os.rename(sys.argv[2], sys.argv[3])
	# It goes to the session that is there now, or is told that it is stale; the
	# old file is nobody's.
	try:
	    write(fd, b'tent":"after"}\n')
	    print("after")
	except OSError as e:
	    assert e.errno == errno.ESTALE, e
	os.close(fd)
	each([line("then")])
	PY
	is 26 bash -c "wc -l <'$DIR/old'"
	holds "lines[1]['id'] == 'bb000001'" "e['message']['content'] == 'then'" "len(lines) in (20, 21)" \
		"e['parentId'] == lines[-2]['id']"
	is "then" cat "$MNT/HEAD/content"
}

@test "each session of a folder has its own" {
	needs python3
	mkdir -p "$DIR/all/below"
	local name
	for name in one two below/three; do
		SESSION=$DIR/all/$name.jsonl
		write_session "$(user 00000001 "" "$name")"
	done
	cp "$FIXTURES/claude-basic.jsonl" "$DIR/all/c.jsonl"
	"$SESSFS" -o keep=1 "$DIR/all" "$MNT"
	[ ! -e "$MNT/append" ]
	python3 - "$MNT" <<-'PY'
	import os, sys
	# Pieces in turn, while only one session is kept in memory.
	names = "one", "two", "below/three"
	files = [os.open(f"{sys.argv[1]}/{name}/append", os.O_WRONLY) for name in names]
	for i in range(3):
	    texts = [b'{"role":"user","content":"%s %d"}\n' % (name.encode(), i) for name in names]
	    for at in range(0, 60, 6):
	        for fd, text in zip(files, texts):
	            if text[at:at + 6]:
	                os.write(fd, text[at:at + 6])
	PY
	for name in one two below/three; do
		is "[User]: $name

[User]: $name 0

[User]: $name 1

[User]: $name 2" cat "$MNT/$name/context.txt"
		is 5 bash -c "wc -l <'$DIR/all/$name.jsonl'"
	done
	[ "$(stat -c %i "$MNT/one/append")" -ne "$(stat -c %i "$MNT/two/append")" ]
	fails_with "Read-only file system" bash -c "echo '{\"role\":\"user\",\"content\":\"x\"}' >>'$MNT/c/append'"
	cp "$DIR/all/one.jsonl" "$DIR/unchanged"
	fails_with "Invalid argument" bash -c "echo {} >'$MNT/one/append'"
	cmp "$DIR/unchanged" "$DIR/all/one.jsonl"
	grep -q '^last-refused: ' "$MNT/one/info"
	run ! grep -q '^last-refused: ' "$MNT/two/info"
}

# Other formats

@test "pi-harness: messages and entries, below what its leaf entry says" {
	mount_fixture pi-harness-leaf.jsonl
	grep -qx "dialect: pi-harness" "$MNT/info"
	say '{"role":"user","content":"on"}' "$(answer well)" '{"type":"branch_summary","parentId":"ab000004","summary":"s"}'
	came 3 pi-harness-leaf.jsonl
	holds "lines[-3]['parentId'] == 'ab000002'" "lines[-2]['parentId'] == lines[-3]['id']" \
		"e['parentId'] == 'ab000004'" "e['fromId'] == 'ab000004'" "all(made(l) for l in lines[-3:])"
	cat "$MNT/by-id/ab000003/raw.json" >"$MNT/append"
	holds "e['parentId'] == lines[-2]['id']" "made(e)"
	is "[User]: q2" tail -n 1 "$MNT/context.txt"
	refused . '{"role":"user"}'
	refused . '{"type":"leaf","targetId":"nowhere"}'
}

@test "omp: messages of its own roles; a summary says what it hangs on" {
	mount_fixture omp-v3-basic.jsonl
	say '{"role":"user","content":"next"}' '{"role":"developer","content":"note"}' \
		'{"role":"pythonExecution","code":"1+1","output":"2","exitCode":0,"cancelled":false,"truncated":false}' \
		'{"role":"fileMention","files":[{"path":"a.txt","content":"A"}]}' "$(answer good)"
	came 5 omp-v3-basic.jsonl
	holds "all(made(l) for l in lines[-5:])" "lines[-5]['parentId'] == '11000021'" \
		"all(l['parentId'] == p['id'] for p, l in zip(lines[-6:], lines[-5:]))"
	is "[Assistant]: good" tail -n 1 "$MNT/context.txt"
	grep -qx "\[Developer\]: note" "$MNT/context.txt"
	say '{"type":"branch_summary","parentId":"11000010","summary":"s"}'
	holds "e['fromId'] == '11000010'"
	say '{"type":"branch_summary","parentId":null,"summary":"s"}'
	holds "e['fromId'] == 'root'" "e['parentId'] is None"
	say '{"type":"compaction","summary":"S","tokensBefore":9}' '{"type":"reset_boundary"}' \
		'{"type":"model_change","model":"prov/other"}'
	holds "lines[-3]['firstKeptEntryId'] == lines[-3]['id']" "all(made(l) for l in lines[-3:])"
	cat "$MNT/by-id/11000019/raw.json" >"$MNT/append"
	copied 11000019
	refused . '{"type":"session","version":3,"id":"s","timestamp":"2026-03-01T10:00:00.000Z","cwd":"/"}'
	refused_without "$(answer x)" usage usage.cost content
	[ ! -e "$DIR/.session.jsonl.lock" ]
}

@test "omp: while the agent holds its lock, EBUSY" {
	mount_fixture omp-v3-basic.jsonl
	printf '%d:%s000\n' $$ "$(date +%s)" >"$DIR/.session.jsonl.lock"
	fails_with "Device or resource busy" bash -c "echo '{\"role\":\"user\",\"content\":\"x\"}' >'$MNT/append'"
	cmp "$FIXTURES/omp-v3-basic.jsonl" "$SESSION"
	rm "$DIR/.session.jsonl.lock"
	say '{"role":"user","content":"x"}'
	came 1 omp-v3-basic.jsonl
}

@test "draft-uuid: the same with its own members" {
	mount_fixture draft000-uuid.jsonl
	say '{"role":"user","content":"and docs"}'
	holds "e['type'] == 'message'" "e['parentUuid'] == 'm8'" "'id' not in e and 'parentId' not in e" \
		"e['message']['content'] == 'and docs'" "[l.get('uuid') for l in lines].count(e['uuid']) == 1"
	is "[User]: and docs" tail -n 1 "$MNT/context.txt"
	say '{"type":"branch_summary","parentUuid":"m6","summary":"came back"}' '{"type":"stack_summary","summary":"more"}'
	holds "lines[-2]['parentUuid'] == 'm6'" "e['parentUuid'] == lines[-2]['uuid']"
	cat "$MNT/by-id/m3/raw.json" >"$MNT/append"
	holds "e['parentUuid'] == lines[-2]['uuid']" "e['uuid'] not in ('m3', '')" \
		"raw == b'{\"type\":\"message\",\"uuid\":\"%s\",\"parentUuid\":\"%s\",\"message\":{\"role\":\"user\",\"content\":\"Perl\"}}' % (e['uuid'].encode(), e['parentUuid'].encode())"
	is Perl cat "$MNT/HEAD/content"
	came 4 draft000-uuid.jsonl
	say '{"type":"compaction","summary":"S","tokensBefore":5}' '{"role":"user","content":"last"}'
	is "[User]: last" tail -n 1 "$MNT/context.txt"
	run ! grep -q Perl "$MNT/context.txt"
	refused . '{"type":"message","parentUuid":"nowhere","message":{"role":"user","content":"x"}}'
	refused . '{"type":"session","version":2,"uuid":"s2","parentUuid":null,"id":"abc","cwd":"/"}'
	refused . '{"type":"compaction","summary":"S","tokensBefore":5,"firstKeptEntryUuid":"o1"}'
	refused . '{"type":"label","targetUuid":"nowhere","label":"x"}'
	refused . '{"role":"user"}'
	refused . '{"content":"x"}'
}

@test "draft-index: a line names its parent by position, or has the leaf's" {
	mount_fixture draft003-index.jsonl
	say '{"role":"user","content":"on"}'
	holds "e['type'] == 'message'" "e['parent'] == 13 or e['parent'] == 8" "'id' not in e" "e['message']['content'] == 'on'"
	head_is by-id/14
	is "[User]: on" tail -n 1 "$MNT/context.txt"
	say "$(answer fine)"
	holds "e['parent'] == 14"
	say '{"type":"stack_summary","parent":2,"summary":"again"}'
	holds "e['parent'] == 2"
	is ../2 readlink "$MNT/HEAD/parent"
	# There is no id: an entry's own line goes where it was.
	cat "$MNT/by-id/3/raw.json" >"$MNT/append"
	holds "raw.startswith(b'{\"type\":\"message\",\"parent\":2,\"message\":{\"role\":\"user\",\"content\":\"Path A\"}')"
	is ../2 readlink "$MNT/HEAD/parent"
	came 4 draft003-index.jsonl
	say '{"type":"compaction","summary":"S","tokensBefore":5}'
	holds "e['parent'] == 0"
	say '{"role":"user","content":"then"}'
	holds "e['parent'] == 18"
	refused . '{"type":"message","parent":99,"message":{"role":"user","content":"x"}}'
	refused . '{"type":"message","parent":-2,"message":{"role":"user","content":"x"}}'
	refused . '{"type":"message","parent":1.5,"message":{"role":"user","content":"x"}}'
	refused . '{"type":"message","parent":"3","message":{"role":"user","content":"x"}}'
	refused . '{"type":"session","id":"abc","parent":-1,"cwd":"/"}'
	refused . '{"type":"label","target":99,"label":"x"}'
	refused . '{"role":"user"}'
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

@test "go-tree: roles are kinds, lines are payloads, and the sidecar is moved" {
	mount_fixture go-tree.jsonl
	local before head
	before=$(wc -l <"$SESSION")
	say '{"role":"user","content":"q4","x": [1, 2]}'
	holds "e['kind'] == 'turn.user'" "e['parentId'] == '$(ulid 5)'" "re.fullmatch('[0-7][0-9A-HJKMNP-TV-Z]{25}', e['id'])" \
		"e['payload']['content'] == 'q4'" "b'\"payload\":{\"role\":\"user\",\"content\":\"q4\",\"x\": [1, 2]' in raw" \
		"re.fullmatch(r'\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[-+]\d\d:\d\d)', e['ts'])" \
		"not {'type', 'role', 'message', 'timestamp'} & set(e)"
	head=$(last_id)
	json_is "{\"head\":\"$head\"}" "$DIR/session.head.json"
	head_is "by-id/$head"
	is "[User]: q4" tail -n 1 "$MNT/context.txt"
	# The torn line of the fixture stays alone.
	is "$((before + 2))" bash -c "wc -l <'$SESSION'"
	say "$(answer a4)" '{"role":"toolResult","toolCallId":"t","toolName":"n","content":[{"type":"text","text":"r"}]}' \
		'{"role":"system","content":"be brief"}'
	holds "[l['kind'] for l in lines[-3:]] == ['turn.assistant', 'turn.tool_result', 'system.prompt']" \
		"all(l['parentId'] == p['id'] for p, l in zip(lines[-4:], lines[-3:]))"
	head_is "by-id/$(last_id)"
	say '{"kind":"branch_summary","parentId":"'"$(ulid 3)"'","payload":{"summary":"came back"}}'
	holds "e['parentId'] == '$(ulid 3)'" "e['payload'] == {'summary': 'came back'}"
	say '{"kind":"custom.note","payload":{"n":1}}'
	holds "e['kind'] == 'custom.note'" "e['parentId'] == lines[-2]['id']"
	cat "$MNT/by-id/$(ulid 8)/raw.json" >"$MNT/append"
	holds "e['id'] != '$(ulid 8)'" "e['parentId'] == lines[-2]['id']" "e['ts'] == '2026-05-01T00:00:08.5Z'" \
		"raw.endswith(b'\"kind\":\"turn.user\",\"ts\":\"2026-05-01T00:00:08.5Z\",\"payload\":{\"text\":\"q3\"}}')"
	json_is "{\"head\":\"$(last_id)\"}" "$DIR/session.head.json"
	# A label's entry leaves the head where it is.
	head=$(readlink "$MNT/HEAD")
	say '{"kind":"custom.label","payload":{"targetId":"'"$(ulid 2)"'","label":"said"}}'
	is said cat "$MNT/by-id/$(ulid 2)/label"
	head_is "$head"
	json_is "{\"head\":\"${head#by-id/}\"}" "$DIR/session.head.json"
}

@test "go-tree: without a head a line is a root, and is the head" {
	write_go_tree "" "$(go_user 1 "" one)"
	mount_session
	say '{"role":"user","content":"first"}'
	holds "'parentId' not in e or not e['parentId']"
	head_is "by-id/$(last_id)"
	json_is "{\"head\":\"$(last_id)\"}" "$DIR/session.head.json"
	say '{"role":"user","content":"second"}'
	context_is . "[User]: first" "[User]: second"
}

@test "go-tree: what it has no kind for, and what is too long for it, is refused" {
	needs python3
	mount_fixture go-tree.jsonl
	refused . '{"role":"bashExecution","command":"c","output":"o"}'
	refused . '{"role":"custom","content":"x"}'
	refused . '{"role":"developer","content":"x"}'
	refused . '{"type":"message","message":{"role":"user","content":"x"}}'
	refused . '{"kind":5,"payload":{}}'
	refused . '{"kind":"x","payload":"text"}'
	refused . '{"kind":"x","payload":{},"ts":"yesterday"}'
	refused . '{"kind":"x","payload":{},"parentId":"nowhere"}'
	python3 -c 'print("{\"role\":\"user\",\"content\":\"" + "x" * (1 << 20) + "\"}")' >"$DIR/long"
	refused_by . bash -c "cat '$DIR/long' >'$MNT/append'"
	cmp "$FIXTURES/go-tree.head.json" "$DIR/session.head.json"
	python3 -c 'print("{\"role\":\"user\",\"content\":\"" + "x" * 1000000 + "\"}")' >"$MNT/append"
	is 1000000 bash -c "head -c -1 '$MNT/HEAD/content' | wc -c"
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
	json_is "{\"head\":\"$(last_id)\"}" "$DIR/session.head.json"
	is 101 bash -c "grep -c '^\[User\]' '$MNT/context.txt'"
}
