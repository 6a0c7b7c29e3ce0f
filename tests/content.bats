# content, meta and pictures of an entry.
load lib/mount
load lib/run
load lib/pi

@test "text, thinking, tool calls and pictures of a message" {
	mount_fixture pi-v3-branches.jsonl
	is '[thinking]
hidden

Looking.

[tool call] read
1[0]: 1
1[1].k: null
2: true
path: a.c
limit: 10

[tool call] ls' cat "$MNT/by-id/aa000005/content"
	is 'line "1"
line 2' cat "$MNT/by-id/aa000006/content"
	is "Injected note" cat "$MNT/by-id/aa000018/content"
	is "Tried B; it was worse." cat "$MNT/by-id/aa000012/content"
	is 'Ran `make`
```
ok

```

Command exited with code 2' cat "$MNT/by-id/aa000019/content"
}

@test "a string of several lines in a tool call is unescaped and indented" {
	write_session "$(message 00000001 "" '{"role":"assistant","content":[{"type":"toolCall","id":"c","name":"write","arguments":{"path":"a b.c","content":"int x;\n\n\tif (x)\n","n":1.50,"deep":{"2":1,"b":"\u00e9"},"empty":""}}]}')"
	mount_session
	is '[tool call] write
path: a b.c
content:
  int x;

  	if (x)
n: 1.5
deep.2: 1
deep.b: é
empty:' cat "$MNT/by-id/00000001/content"
	grep -q "^  	if (x)" "$MNT/by-id/00000001/content"
}

# Pi's edit tool has its changes in a list of objects.
@test "nested arguments are flattened, so that grep finds the lines in them" {
	write_session "$(message 00000001 "" '{"role":"assistant","content":[{"type":"toolCall","id":"c","name":"edit","arguments":{"path":"fs/kernel/ops.c","edits":[{"oldText":"#include \"core/head.h\"","newText":"#include \"core/head.h\"\n#include \"fs/edit/head.h\"\n"},{"oldText":"a","newText":""}],"none":[],"odd key":{"":{}}}}]}')"
	mount_session
	is '[tool call] edit
path: fs/kernel/ops.c
edits[0].oldText: #include "core/head.h"
edits[0].newText:
  #include "core/head.h"
  #include "fs/edit/head.h"
edits[1].oldText: a
edits[1].newText:
none: []
["odd key"][""]: {}' cat "$MNT/by-id/00000001/content"
	is "$MNT/by-id/00000001/content" grep -rlF --include=content '#include "fs/edit/head.h"' "$MNT/by-id"
}

# The size is requested first, for arguments that are wide and deep.
@test "the size of flattened arguments is exact before the first read" {
	needs python3
	python3 - "$SESSION" <<-'PY'
	import json, sys
	line = {"type": "message", "id": "00000001", "parentId": None,
	        "message": {"role": "assistant", "content": [{"type": "toolCall",
	        "id": "c", "name": "t", "arguments": "ARGUMENTS"}]}}
	wide = "[" + ",".join('"\\u00e9\\n"' for i in range(100000)) + "]"
	deep = "[" * 50000 + "]" * 50000
	odd = json.dumps({"k" * 300: {"in": ["#"]}})
	with open(sys.argv[1], "w") as f:
	    f.write('{"type":"session","version":3,"id":"s","cwd":"/"}\n')
	    f.write(json.dumps(line).replace('"ARGUMENTS"',
	        f'{{"wide":{wide},"deep":{deep},"odd":{odd}}}') + "\n")
	PY
	mount_session
	python3 - "$MNT/by-id/00000001/content" <<-'PY'
	import os, sys
	size = os.stat(sys.argv[1]).st_size
	with open(sys.argv[1], encoding="utf-8") as f:
	    text = f.read()
	assert size == len(text.encode()), (size, len(text.encode()))
	assert "\nwide[0]:\n  é\n" in text and "\nwide[99999]:\n  é\n" in text
	deep = next(l for l in text.split("\n") if l.startswith("deep[0]"))
	assert deep.count("[") == deep.count("]") == 50000
	assert len(deep) < 2 * 50000 + 256
	assert f"\nodd.{'k' * 300}: {{\"in\":[\"#\"]}}\n" in text
	PY
}

# Pi 1.5.2 writes its prompt as sections, beside a content that is empty.
@test "Pi's system prompt is found in content, tree.txt and tree.html" {
	write_session "$(message 00000001 "" '{"role":"system","content":"","sections":{"preamble":"You are a coding assistant.","rules":"<rules>\n- Be concise\n</rules>"},"toolsAdded":[{"name":"read","description":"d","parameters":{}},{"name":"bash","description":"d","parameters":{}}],"timestamp":1772359201000}')" \
		"$(user 00000002 00000001 go)" \
		"$(message 00000003 00000002 '{"role":"system","content":"","sections":{"rules":null},"toolsRemoved":[{"name":"bash"}],"timestamp":1772359202000}')"
	mount_session
	is "You are a coding assistant.

<rules>
- Be concise
</rules>

[tools added] read, bash" cat "$MNT/by-id/00000001/content"
	is "[section removed] rules
[tools removed] bash" cat "$MNT/by-id/00000003/content"
	is "$MNT/by-id/00000001/content" grep -rl --include=content "Be concise" "$MNT/by-id"
	grep -q "system .*You are a coding assistant. <rules> - Be concise" "$MNT/tree.txt"
	grep -q "system .*\[section removed\] rules \[tools removed\] bash" "$MNT/tree.txt"
	grep -q "Be concise" "$MNT/tree.html"
}

@test "strings are decoded wholly: NUL, pairs, lone surrogates, invalid UTF-8" {
	write_session "$(user 00000001 "" 'a\u0000b \ud83d\ude00 \ud83d. \u00e9')"
	printf '%s\xff%s\n' '{"type":"message","id":"00000002","parentId":null,"message":{"role":"user","content":"bad ' ' byte"}}' >>"$SESSION"
	mount_session
	printf 'a\0b \xf0\x9f\x98\x80 \xef\xbf\xbd. \xc3\xa9\n' | cmp - "$MNT/by-id/00000001/content"
	printf 'bad \xef\xbf\xbd byte\n' | cmp - "$MNT/by-id/00000002/content"
	printf '[User]: a\0b \xf0\x9f\x98\x80 \xef\xbf\xbd. \xc3\xa9\n' | cmp - "$MNT/by-id/00000001/context.txt"
}

@test "of two equal keys the last counts" {
	write_session '{"type":"custom","type":"message","id":"0000000x","id":"00000001","parentId":"zzz","parentId":null,"message":{"role":"assistant"},"message":{"role":"user","content":"first","content":"second"}}'
	mount_session
	is 00000001 ls "$MNT/by-id"
	is second cat "$MNT/by-id/00000001/content"
	is "[User]: second" cat "$MNT/context.txt"
}

@test "other types show their own fields as indented JSON" {
	mount_fixture pi-v3-branches.jsonl
	is '{
  "provider": "prov",
  "modelId": "model-a"
}' cat "$MNT/by-id/aa000001/content"
	is '{
  "targetId": "aa000004"
}' cat "$MNT/by-id/aa000016/content"
	write_session '{"type":"future","id":"00000001","parentId":null,"timestamp":"x","a":[],"b":{"1":{}}}'
	is '{
  "a": [],
  "b": {
    "1": {}
  }
}' cat "$MNT/by-id/00000001/content"
}

@test "nothing is cut, and an empty message is an empty file" {
	local long
	long=$(printf 'x%.0s' {1..5000})
	write_session "$(message 00000001 "" "{\"role\":\"toolResult\",\"toolCallId\":\"c\",\"toolName\":\"t\",\"content\":[{\"type\":\"text\",\"text\":\"$long\"}]}")" \
		"$(user 00000002 00000001 "")"
	mount_session
	is "$long" cat "$MNT/by-id/00000001/content"
	is "[Tool result]: $long" cat "$MNT/context.txt"
	[ ! -s "$MNT/by-id/00000002/content" ]
}

@test "pictures are files of their own, decoded" {
	local png=iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==
	write_session "$(message 00000001 "" '{"role":"user","content":[{"type":"image","data":"'$png'","mimeType":"image/png"},{"type":"text","text":"and"},{"type":"image","data":"/9j/","mimeType":"image/jpeg"},{"type":"image","data":"PHN2Zy8+","mimeType":"image/svg+xml"},{"type":"image","data":"AAEC"}]}')"
	mount_session
	is "1.png
2.jpg
3.svg
4.bin
content
label
meta" env LC_ALL=C ls "$MNT/by-id/00000001"
	base64 -d <<<$png | cmp - "$MNT/by-id/00000001/1.png"
	base64 -d <<<$png | cmp - "$MNT/tree/00000001/1.png"
	is "<svg/>" bash -c "cat '$MNT/by-id/00000001/3.svg'; echo"
	is "[image/png 70 bytes: 1.png]

and

[image/jpeg 3 bytes: 2.jpg]

[image/svg+xml 6 bytes: 3.svg]

[image 3 bytes: 4.bin]" cat "$MNT/by-id/00000001/content"
	fails_with "No such file" cat "$MNT/by-id/00000001/5.png"
	fails_with "No such file" cat "$MNT/by-id/00000001/1.jpg"
}

# Blocks of Pi's: picture N, for each N, is N dots; they are png and jpeg by turns.
pictures() {
	python3 - "$@" <<-'PY'
	import base64, json, sys
	first, last = int(sys.argv[1]), int(sys.argv[2])
	data = lambda i: base64.b64encode(b"." * i).decode()
	print(json.dumps([{"type": "image", "data": data(i),
	    "mimeType": ("image/png", "image/jpeg")[i % 2]}
	    for i in range(first, last + 1)]))
	PY
}

# bats test_tags=large,full
@test "thousands of pictures in one message: names, sizes and bytes" {
	needs python3
	local n=4000 at
	write_session "$(message 00000001 "" '{"role":"toolResult","toolName":"t","content":'"$(pictures 1 $n)"'}')"
	mount_session
	at=$MNT/by-id/00000001
	python3 - "$at" $n <<-'PY'
	import os, sys
	at, n = sys.argv[1], int(sys.argv[2])
	want = {f"{i}.{('png', 'jpg')[i % 2]}": i for i in range(1, n + 1)}
	sizes = {e.name: e.stat().st_size for e in os.scandir(at)
	         if e.name[0].isdigit()}
	assert sizes == want, "names and sizes"
	for name, size in want.items():
	    with open(f"{at}/{name}", "rb") as f:
	        assert f.read() == b"." * size, name
	PY
	fails_with "No such file" stat "$at/1.png"
	fails_with "No such file" stat "$at/$((n + 1)).jpg"
	grep -qx "\[image/png $n bytes: $n.png\]" "$at/content"
}

# Rules: E1
@test "meta says what an entry is, a line for each thing it has" {
	mount_fixture pi-v3-branches.jsonl
	is "id: aa000005
parent: aa000004
type: message
timestamp: 2026-03-01T10:00:04.000Z
line: 5
role: assistant
model: prov/model-a
tokens: 2
cost: 0
stop: toolUse
tool: read, ls
path-tokens: 2" cat "$MNT/by-id/aa000005/meta"
	is "id: aa000007
parent: aa000006
type: message
timestamp: 2026-03-01T10:00:06.000Z
line: 7
role: toolResult
tool: ls
error: yes
path-tokens: 2" cat "$MNT/by-id/aa000007/meta"
}

@test "a value in meta or info stays on its line" {
	write_session "$(message 'a\nid: b' "" '{"role":"us\ner","content":"x"}')" \
		'{"type":"session_info","id":"2","parentId":null,"name":" two\nlines "}'
	mount_session
	is 'id: a\nid: b' head -n 1 "$MNT/by-id/a%0Aid: b/meta"
	grep -qx 'role: us\\ner' "$MNT/by-id/a%0Aid: b/meta"
	grep -qx 'name: two\\nlines' "$MNT/info"
}
