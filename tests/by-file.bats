# by-file/: which entries read, wrote or edited a file.
load lib/mount
load lib/run
load lib/pi
load lib/claude
load lib/omp
load lib/codex

# An assistant's message of Pi with calls: id, parent, calls.
calls() {
	message "$1" "$2" "{\"role\":\"assistant\",\"content\":[$3],\"provider\":\"p\",\"model\":\"m\"}"
}

# call ID TOOL ARGUMENTS
call() {
	printf '{"type":"toolCall","id":"%s","name":"%s","arguments":%s}' "$1" "$2" "$3"
}

# The result of a call: id, parent, call, "true" if it failed.
result() {
	message "$1" "$2" "{\"role\":\"toolResult\",\"toolCallId\":\"$3\",\"toolName\":\"x\",\"isError\":${4-false},\"content\":[]}"
}

# Fails unless the links in by-file/ are these, each with its target.
touches_are() {
	local links
	find "$MNT/by-file" -type l -printf '%P %l\n' | LC_ALL=C sort >"$DIR/links"
	whole links "$DIR/links"
	is "${links%$'\n'}" printf '%s\n' "$@"
}

# The entry's folder that a link leads to is that of its target: in the given sessions, or in
# the one that is mounted.
lead_to_entries() {
	local session at to n=0
	for session in "${@:-$MNT}"; do
		find "$session/by-file" -type l -printf '%p\0%l\0' >"$DIR/links"
		while IFS= read -r -d '' at && IFS= read -r -d '' to; do
			[ "$at" -ef "$session/by-id/${to##*/}" ] || {
				echo "$at does not lead to ${to##*/}"
				return 1
			}
			n=$((n + 1))
		done <"$DIR/links"
	done
	[ "$n" -gt 0 ]
}

write_work() {
	write_session "$(user 00000001 "" "Write it")" \
		"$(calls 00000002 00000001 "$(call c1 read '{"path":"src/wc.c"}'),$(call c2 write '{"path":"/work/demo/README","content":"x"}')")" \
		"$(result 00000003 00000002 c1)" "$(result 00000004 00000003 c2 true)" \
		"$(calls 00000005 00000004 "$(call c3 edit '{"path":"./src//wc.c","edits":[]}'),$(call c4 bash '{"command":"cat /etc/hosts"}')")" \
		"$(calls 00000006 00000004 "$(call c5 edit '{"path":"src/wc.c","edits":[]}'),$(call c6 ask_about '{"filename":"/etc/passwd"}')")"
}

# Rules: T1 T2
@test "a file is a folder, with a link to each entry that touched it" {
	write_work
	mount_session
	touches_are "@/etc/passwd/0001-touch ../../../../by-id/00000006" \
		"README/0001-write-failed ../../by-id/00000002" \
		"src/wc.c/0001-read ../../../by-id/00000002" \
		"src/wc.c/0002-edit ../../../by-id/00000005" \
		"src/wc.c/0003-edit ../../../by-id/00000006"
	lead_to_entries
	is "0001-read
0002-edit
0003-edit" ls -U "$MNT/by-file/src/wc.c"
	is "src
README
@" ls -U "$MNT/by-file"
	has 'path: src/wc.c' "$MNT/by-file/src/wc.c/0003-edit/content"
	is "$(stat -c %Y "$MNT/by-id/00000005")" stat -c %Y "$MNT/by-file/src/wc.c/0002-edit"
	is 555 stat -c %a "$MNT/by-file/src"
	# One command reads all that is known of a file.
	is 3 bash -c "cat '$MNT'/by-file/src/wc.c/*/content | grep -c 'src/*wc.c'"
	local name
	for name in src/0001-read src/wc.c/0001-edit src/wc.c/1-read src/wc.c/0004-edit wc.c @/work \
		README/0001-write ./.. ""; do
		[ ! -e "$MNT/by-file/$name" ] || [ "$name" = "" ] || [ "$name" = ./.. ]
	done
	[ "$MNT/by-file" -ef "$MNT/by-file/src/.." ]
	[ "$MNT" -ef "$MNT/by-file/.." ]
	[ "$MNT/by-file/src" -ef "$MNT/by-file/src/wc.c/.." ]
}

@test "by-file/ grows with the session, and nothing in it is stale" {
	write_work
	mount_session
	exec 9<"$MNT/by-file/src/wc.c"
	is $'0001-read\n0002-edit\n0003-edit' ls /proc/self/fd/9/
	calls 00000007 00000006 "$(call c7 read '{"path":"src/wc.c"}'),$(call c8 read '{"path":"src/new/x"}')" >>"$SESSION"
	echo >>"$SESSION"
	is ../../../by-id/00000007 readlink "$MNT/by-file/src/wc.c/0004-read"
	is "0001-read
0002-edit
0003-edit
0004-read" ls /proc/self/fd/9/
	is "wc.c
new" ls -U "$MNT/by-file/src"
	is x ls "$MNT/by-file/src/new"
	# A result that comes later renames the link.
	result 00000008 00000007 c7 true >>"$SESSION"
	echo >>"$SESSION"
	fails_with "No such file" stat "$MNT/by-file/src/wc.c/0004-read"
	is ../../../by-id/00000007 readlink "$MNT/by-file/src/wc.c/0004-read-failed"
	ls /proc/self/fd/9/ >"$DIR/listed"
	has_lines 4 "$DIR/listed"
	exec 9<&-
	# Another file in its place.
	write_session "$(calls 00000001 "" "$(call c1 read '{"path":"other"}')")"
	touches_are "other/0001-read ../../by-id/00000001"
	fails_with "No such file" stat "$MNT/by-file/src"
}

@test "without calls by-file/ is empty; nothing can be made in it" {
	write_session "$(user 00000001 "" x)"
	mount_session
	[ -z "$(ls -A "$MNT/by-file")" ]
	write_work
	fails_for_root_with "Operation not permitted" mkdir "$MNT/by-file/x"
	fails_for_root_with "Operation not permitted" ln -s x "$MNT/by-file/src/x"
	fails_for_root_with "Operation not permitted" rm "$MNT/by-file/src/wc.c/0001-read"
	fails_for_root_with "Operation not permitted" touch "$MNT/by-file/x"
	: >"$DIR/empty.jsonl"
	unmount
	daemon_is_gone
	SESSION=$DIR/empty.jsonl
	mount_session
	[ -z "$(ls -A "$MNT/by-file")" ]
}

@test "ln moves HEAD to the entry that a link leads to" {
	write_work
	mount_session
	local target
	for target in by-file/src/wc.c/0002-edit ./by-file/src/wc.c/0002-edit/ "$MNT/by-file/src/wc.c/0002-edit/content" \
		by-file/src/../src/wc.c/0002-edit; do
		ln -sfn "$target" "$MNT/HEAD"
		head_is by-id/00000005
		ln -sfn by-id/00000001 "$MNT/HEAD"
	done
	ln -sfn by-file/src/wc.c/0002-edit/parent "$MNT/HEAD"
	head_is by-id/00000004
	for target in by-file by-file/ by-file/src by-file/src/wc.c by-file/src/wc.c/0002-read by-file/x/0001-read; do
		fails_with "No such file" ln -sfn "$target" "$MNT/HEAD"
	done
	head_is by-id/00000004
}

# Rules: T1
@test "names are escaped as ids are, and none stands for two files" {
	needs python3
	python3 - "$SESSION" <<-'PY'
	import json, sys
	paths = ["a/b", "./a//b", "/work/demo/a/b", "a/c/../b", "@a/b", "file:///work/demo/a/b",  # one file
	         "a", ".", "/", "/work", "/work/demo", "../demo2/x", "~/x", "./~/x", "/~/x", "~", "./@/x", "@@/x",
	         ".git/config", "%2Egit/config", "..", "a\u0000b", "a%00b", "a\nb", "a\\nb", "\x7f", "\ud800", "%ED%A0%80",
	         "0001-read", "%30001-read", "0001-read/0001-read", "x" * 255, "x" * 256, "x" * 256 + "y", "ä" * 200,
	         "deep/" + "/".join("d%d" % i for i in range(600)), "y" * 4000, "z/" * 999 + "z", "\ufffd", "", "x" * 5000,
	         "http://x/y", "a:b", " ", "-rf", "*", "w/" * 2000]
	with open(sys.argv[1], "wb") as f:
	    def line(o):
	        f.write(json.dumps(o).encode() + b"\n")
	    line({"type": "session", "version": 3, "id": "x", "timestamp": "2026-03-01T10:00:00.000Z", "cwd": "/work/demo"})
	    for i, p in enumerate(paths):
	        line({"type": "message", "id": "%08x" % i, "parentId": None, "timestamp": "2026-03-01T10:00:01.000Z",
	              "message": {"role": "assistant", "provider": "p", "model": "m", "content": [
	                  {"type": "toolCall", "id": "c%d" % i, "name": "read", "arguments": {"path": p}}]}})
	    # Bytes that are not UTF-8 are what the agent reads them as.
	    f.write(b'{"type":"message","id":"bad","parentId":null,"timestamp":"2026-03-01T10:00:01.000Z","message":{"role":'
	            b'"assistant","provider":"p","model":"m","content":[{"type":"toolCall","id":"b","name":"read","arguments":'
	            b'{"path":"\xff"}}]}}\n')
	PY
	mount_session
	# 6 of one file, 2 of the root's folder, 2 of "\ufffd"; "" and three others are none.
	python3 - "$MNT" <<-'PY'
	import os, sys
	os.chdir(sys.argv[1] + "/by-file")
	def names(): return sorted(os.listdir("."))
	# By steps: whole paths are too long.
	links = {}
	def look(way):
	    got = os.listdir(".")
	    assert len(got) == len(set(got))
	    for name in got:
	        st = os.lstat(name)
	        assert len(os.fsencode(name)) <= 255, name
	        if os.path.islink(name):
	            links[way + (name,)] = os.path.basename(os.readlink(name))
	            assert os.path.samefile(name, os.path.join(sys.argv[1], "by-id", links[way + (name,)]))
	            assert st.st_size == len(os.readlink(name))
	        else:
	            os.chdir(name)
	            look(way + (name,))
	            os.chdir("..")
	sys.setrecursionlimit(5000)
	look(())
	def at(*way): return links[way]
	assert [at("a", "b", "%04d-read" % i) for i in range(1, 7)] == ["%08x" % i for i in range(6)]
	assert at("a", "0001-read") == "%08x" % 6
	assert at("0001-read") == "%08x" % 7 and at("0002-read") == "%08x" % 10
	assert at("@", "0001-read") == "%08x" % 8
	assert at("@", "work", "0001-read") == "%08x" % 9
	assert at("@", "work", "demo2", "x", "0001-read") == "%08x" % 11
	assert at("@", "~", "x", "0001-read") == "%08x" % 12
	assert at("%7E", "x", "0001-read") == "%08x" % 13
	assert at("@", "%7E", "x", "0001-read") == "%08x" % 14
	assert at("%40", "x", "0001-read") == "%08x" % 16 and at("%40", "x", "0002-read") == "%08x" % 17
	assert at("%2Egit", "config", "0001-read") == "%08x" % 18
	assert at("%252Egit", "config", "0001-read") == "%08x" % 19
	assert at("%30001-read", "0001-read") == "%08x" % 28
	assert at("\ufffd", "0001-read") == "%08x" % 38 and at("\ufffd", "0002-read") == "bad"
	assert sorted(links.values()) == sorted(["%08x" % i for i in range(46) if i not in (39, 40, 41, 46)] + ["bad"]), \
	    set("%08x" % i for i in range(47)) ^ set(links.values())
	PY
}

@test "Claude Code's tools, and the directory of each line" {
	use() {
		printf '{"type":"tool_use","id":"%s","name":"%s","input":%s}' "$1" "$2" "$3"
	}
	write_lines "$(claude_user 1 "" x)" \
		"$(claude_block 2 1 m1 "$(use t1 Read '{"file_path":"/work/demo/a.c"}')")" \
		"$(claude_block 3 2 m1 "$(use t2 Edit '{"file_path":"/work/demo/a.c","old_string":"x","new_string":"y"}')")" \
		"$(claude_result 4 2 t1 ok)" \
		"$(claude_result 5 3 t2 no | sed 's/"type":"tool_result",/&"is_error":true,/')" \
		"$(claude_block 6 4 m2 "$(use t3 NotebookEdit '{"notebook_path":"n.ipynb"}')" | sed 's,/work/demo,/work/demo/sub,')" \
		"$(claude_block 7 6 m3 "$(use t4 Bash '{"command":"rm a.c","path":"a.c"}')")" \
		"$(claude_block 8 7 m4 "$(use t5 Grep '{"pattern":"x","path":"/work/demo"}')")" \
		"$(claude_block 9 8 m5 "$(use t6 mcp__fs__open '{"path":"/work/demo/b.c"}')")"
	mount_session
	touches_are "0001-touch ../$(at 8)" "a.c/0001-read ../../$(at 2)" "a.c/0002-edit-failed ../../$(at 3)" \
		"b.c/0001-touch ../../$(at 9)" "sub/n.ipynb/0001-edit ../../../$(at 6)"
	lead_to_entries
}

@test "oh-my-pi's edits of several files, and lines behind a path" {
	make_home
	write_omp "$(calls aaaa0001 "" "$(call c1 read '{"path":"src/wc.c:1-40"}')")" \
		"$(calls aaaa0002 aaaa0001 "$(call c2 edit '{"input":"[src/wc.c#1A2B]\nPUT 1.=1:\n+x\n[old.c#0000]\nREM\n[a.c#0000]\nMV b.c\n"}')")" \
		"$(calls aaaa0003 aaaa0002 "$(call c3 write '{"path":"xd://browser","content":"{}"}')")"
	mount_session
	grep -qx "dialect: omp" "$MNT/info"
	touches_are "a.c/0001-move ../../by-id/aaaa0002" "b.c/0001-move ../../by-id/aaaa0002" \
		"old.c/0001-delete ../../by-id/aaaa0002" \
		"src/wc.c/0001-read ../../../by-id/aaaa0001" "src/wc.c/0002-edit ../../../by-id/aaaa0002"
}

# Rules: T3
@test "Codex's patches, and what it has parsed of its commands" {
	make_codex_home
	item() {
		line response_item "{\"type\":\"$2\",\"id\":\"$1\",\"call_id\":\"call_$1\",\"name\":\"$3\",$4}"
	}
	{
		session_meta 1
		item i1 custom_tool_call apply_patch '"input":"*** Begin Patch\n*** Add File: a.c\n+x\n*** Update File: b.c\n*** Move to: c.c\n*** End Patch"'
		item i2 function_call exec_command '"arguments":"{\"cmd\":\"cat a.c; rm b.c\"}"'
		event '{"type":"item_completed","item":{"type":"CommandExecution","id":"call_i2","cwd":"file:///work/demo/sub","parsed_cmd":[{"type":"read","cmd":"cat a.c","name":"a.c","path":"a.c"},{"type":"unknown","cmd":"rm b.c"}],"exit_code":0}}'
		item i3 function_call exec_command '"arguments":"{\"cmd\":\"apply_patch <<E\"}"'
	} >"$SESSION"
	mount_session
	touches_are "a.c/0001-write ../../by-id/i1" "b.c/0001-move ../../by-id/i1" "c.c/0001-move ../../by-id/i1" \
		"sub/a.c/0001-read ../../../by-id/i2"
	event '{"type":"item_completed","item":{"type":"FileChange","id":"call_i3","changes":{"/work/demo/d.c":{"type":"delete"},"/etc/x":{"type":"update","move_path":null}},"status":"failed"}}' >>"$SESSION"
	touches_are "@/etc/x/0001-edit-failed ../../../../by-id/i3" \
		"a.c/0001-write ../../by-id/i1" "b.c/0001-move ../../by-id/i1" "c.c/0001-move ../../by-id/i1" \
		"d.c/0001-delete-failed ../../by-id/i3" "sub/a.c/0001-read ../../../by-id/i2"
	# A thread that goes on from this one has its lines.
	unmount
	daemon_is_gone
	local bytes
	bytes=$(stat -c %s "$SESSION")
	SESSION=$(rollout_path 2)
	{
		session_meta 2 "$(based_on 1 9 "$bytes")"
		item i9 function_call exec_command '"arguments":"{}"'
		event '{"type":"item_completed","item":{"type":"CommandExecution","id":"call_i9","cwd":"file:///work/demo","parsed_cmd":[{"type":"read","path":"a.c"}],"exit_code":0}}'
	} >"$SESSION"
	mount_session
	is "a.c/0001-write ../../by-id/i1
a.c/0002-read ../../by-id/i9
sub/a.c/0001-read ../../../by-id/i2" bash -c "cd '$MNT/by-file' && find . -name '*a.c' -prune -exec find {} -type l -printf '%p %l\n' ';' | sed 's,^./,,' | LC_ALL=C sort"
}

@test "mounts of all formats have it" {
	mkdir "$DIR/all"
	cp "$FIXTURES"/*.json* "$DIR/all"
	start "$SESSFS" "$DIR/all" "$MNT"
	local sessions=("$MNT"/*/by-file)
	[ "${#sessions[@]}" -ge 18 ]
	lead_to_entries "${sessions[@]%/by-file}"
}

@test "in a folder of sessions each has its own, also when it was out of memory" {
	needs python3
	mkdir "$DIR/all"
	local i
	for i in 1 2 3; do
		SESSION=$DIR/all/s$i.jsonl
		write_work
		calls "$((10000010 + i))" 00000006 "$(call "x$i" write "{\"path\":\"own/$i\"}")" >>"$SESSION"
		echo >>"$SESSION"
	done
	start "$SESSFS" -o keep=1 "$DIR/all" "$MNT"
	cd "$MNT/s1/by-file/own/1"
	is 0001-write ls
	is 2 ls "$MNT/s2/by-file/own"
	is 3 ls "$MNT/s3/by-file/own"
	is 0001-write ls
	is ../../../by-id/10000011 readlink 0001-write
	is "$(stat -c %i "$MNT/s1/by-file/own")" stat -c %i ..
	calls 00000021 10000011 "$(call y edit '{"path":"own/1","edits":[]}')" >>"$DIR/all/s1.jsonl"
	echo >>"$DIR/all/s1.jsonl"
	is ../../../by-id/00000021 readlink 0002-edit
	cd /
}

@test "an export has it, as the mount shows it" {
	write_work
	mount_session
	start "$SESSFS" --export "$DIR/out" "$SESSION"
	is "$(cd "$MNT/by-file" && find . -printf '%P %l %TY-%Tm-%Td %TH:%TM:%TS\n' | grep -v '^ ' | LC_ALL=C sort)" \
		bash -c "cd '$DIR/out/by-file' && find . -printf '%P %l %TY-%Tm-%Td %TH:%TM:%TS\n' | grep -v '^ ' | LC_ALL=C sort"
	grep -q 'path: src/wc.c' "$DIR/out/by-file/src/wc.c/0003-edit/content"
}

@test "grep -r over the root finds nothing in it twice" {
	write_work
	mount_session
	is "$MNT/by-id/00000006/content
$MNT/context.txt
$MNT/tree.txt
$MNT/tree/00000001/00000002/00000003/00000004/00000006/content" bash -c \
		"grep -rl /etc/passwd '$MNT' | LC_ALL=C sort"
}

# bats test_tags=full
@test "ten thousand files and calls" {
	awk 'BEGIN {
		print "{\"type\":\"session\",\"version\":3,\"id\":\"many\",\"timestamp\":\"2026-03-01T10:00:00.000Z\",\"cwd\":\"/w\"}"
		for (i = 0; i < 10000; i++)
			printf "{\"type\":\"message\",\"id\":\"%08x\",\"parentId\":null,\"timestamp\":\"2026-03-01T10:00:01.000Z\",\"message\":{\"role\":\"assistant\",\"provider\":\"p\",\"model\":\"m\",\"content\":[{\"type\":\"toolCall\",\"id\":\"c%d\",\"name\":\"read\",\"arguments\":{\"path\":\"d%d/same.c\"}},{\"type\":\"toolCall\",\"id\":\"e%d\",\"name\":\"edit\",\"arguments\":{\"path\":\"one.c\"}}]}}\n", i, i, i, i
	}' >"$SESSION"
	mount_session
	is 10001 bash -c "ls '$MNT/by-file' | wc -l"
	is 10000 bash -c "ls '$MNT/by-file/one.c' | wc -l"
	is ../../by-id/0000270f readlink "$MNT/by-file/one.c/10000-edit"
	is ../../../by-id/00001388 readlink "$MNT/by-file/d5000/same.c/0001-read"
}
