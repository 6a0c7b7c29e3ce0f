# Claude Code: transcripts that grow, are damaged, or are written by several
# (FORMATS 9).
load lib/mount
load lib/run
load lib/claude

@test "an appended line is everywhere at once" {
	write_two_branches
	mount_session
	find "$MNT" >/dev/null
	cat "$MNT/context.txt" "$MNT/info" "$MNT/tree.txt" >/dev/null
	{ claude_answer 6 5 newest; echo; } >>"$SESSION"
	head_is "$(at 6)"
	is "[Assistant]: newest" tail -n 1 "$MNT/context.txt"
	is "$(uuid 3)
$(uuid 6)" ls -U "$MNT/branches"
	[ -d "$MNT/$(at 5)/$(uuid 6)" ]
	grep -qx "entries: 6" "$MNT/info"
	grep -q "newest ← HEAD$" "$MNT/tree.txt"
}

@test "a fragment and a result that come later join their response" {
	write_lines "$(claude_user 1 "" go)" \
		"$(claude_block 2 1 msg_a '{"type":"tool_use","id":"t1","name":"Read","input":{"file_path":"a"}}')"
	mount_session
	context_is . "[User]: go" '[Assistant tool calls]: Read(file_path="a")'
	{
		claude_block 3 2 msg_a '{"type":"tool_use","id":"t2","name":"Read","input":{"file_path":"b"}}'; echo
		claude_result 4 2 t1 A-body; echo
		claude_result 5 3 t2 B-body; echo
	} >>"$SESSION"
	head_is "$(at 5)"
	context_is . "[User]: go" '[Assistant tool calls]: Read(file_path="a"); Read(file_path="b")' \
		"[Tool result]: A-body" "[Tool result]: B-body"
}

@test "a bad line is skipped" {
	write_lines "$(claude_user 1 "" one)" '{bad' "$(claude_answer 2 1 two)"
	mount_session
	context_is . "[User]: one" "[Assistant]: two"
	grep -qx "bad-lines: 1 (line 2)" "$MNT/info"
}

@test "null, other values and objects without uuid are passed over" {
	write_lines "$(claude_user 1 "" one)" null 5 '[1]' '{}' '{"uuid":7,"type":"user"}' \
		'{"uuid":"","type":"user","message":{"role":"user","content":"x"}}' "$(claude_answer 2 1 two)"
	mount_session
	is "$(uuid 1)
$(uuid 2)" ls -U "$MNT/by-id"
	context_is . "[User]: one" "[Assistant]: two"
}

@test "such lines at the end do not choose the leaf" {
	write_lines "$(claude_user 1 "" one)" '{"type":"user","message":{"role":"user","content":"x"}}' '{}' 5 null '{bad'
	mount_session
	head_is "$(at 1)"
	context_is . "[User]: one"
}

@test "a torn last line is skipped, and read when it is whole" {
	local line
	line=$(claude_answer 2 1 two)
	write_lines "$(claude_user 1 "" one)"
	printf '%s' "${line:0:200}" >>"$SESSION"
	mount_session
	head_is "$(at 1)"
	grep -qx "torn-last-line: 1 (line 2)" "$MNT/info"
	printf '%s\n' "${line:200}" >>"$SESSION"
	head_is "$(at 2)"
	context_is . "[User]: one" "[Assistant]: two"
}

@test "writes to the sidecar leave a torn transcript as it is" {
	export CLAUDE_VERSION=2.1.100
	write_two_branches
	printf '{"parentUuid":"c1a0' >>"$SESSION"
	remember
	mount_session
	ln -sfn "$(at 3)" "$MNT/HEAD"
	echo x >"$MNT/$(at 2)/label"
	head_is "$(at 3)"
	is x cat "$MNT/$(at 2)/label"
	untouched
}

@test "a whole last line without LF is read" {
	write_lines "$(claude_user 1 "" one)"
	claude_answer 2 1 two >>"$SESSION"
	mount_session
	head_is "$(at 2)"
	context_is . "[User]: one" "[Assistant]: two"
}

@test "a byte order mark is skipped" {
	write_lines "$(claude_user 1 "" one)" "$(claude_answer 2 1 two)"
	printf '\xef\xbb\xbf' | cat - "$SESSION" >"$DIR/bom"
	mv "$DIR/bom" "$SESSION"
	mount_session
	grep -qx "dialect: claude" "$MNT/info"
	context_is . "[User]: one" "[Assistant]: two"
}

@test "an empty file is a session that has not begun" {
	: >"$SESSION"
	mount_session -o dialect=claude
	head_is tree
	is '[]' cat "$MNT/context.json"
	write_lines "$(claude_user 1 "" one)"
	head_is "$(at 1)"
	context_is . "[User]: one"
}

@test "of equal uuids the last copy is the node" {
	write_lines "$(claude_user 1 "" one)" "$(claude_answer 2 1 two)" "$(claude_user 3 2 three)" "$(claude_answer 2 "" again)"
	mount_session
	head_is "$(at 3)"
	context_is . "[Assistant]: again" "[User]: three"
	grep -qx "duplicate-ids: 1 (line 4)" "$MNT/info"
}

@test "up to 2.1.90 the chain stops at a parent that was never written; an extra root" {
	write_lines "$(claude_user 1 "" one)" "$(claude_user 3 99 orphan)" "$(claude_answer 4 3 reply)"
	of_version 2.1.90
	mount_session
	is "$(uuid 1)
$(uuid 3)" ls "$MNT/tree"
	head_is "$(at 4)"
	context_is . "[User]: orphan" "[Assistant]: reply"
	grep -qx "missing-parents: 1 (line 2)" "$MNT/info"
}

@test "an entry whose parent was never written hangs on the newest line before it" {
	write_lines "$(claude_user 1 "" one)" "$(claude_answer 2 1 two)" "$(sidechain claude_user 4 "" side)" \
		"$(claude_user 5 99 orphan)" "$(claude_answer 6 5 reply)"
	mount_session
	is "$(uuid 1)
$(uuid 4)" ls "$MNT/tree"
	is "../$(uuid 2)" readlink "$MNT/by-id/$(uuid 5)/parent"
	context_is . "[User]: one" "[Assistant]: two" "[User]: orphan" "[Assistant]: reply"
	grep -qx "bridged: yes" "$MNT/by-id/$(uuid 5)/meta"
	grep -qx "bridged: 1 (line 4)" "$MNT/info"
	if grep -q missing-parents "$MNT/info"; then return 1; fi
	run -1 "$SESSFS" --check "$SESSION"
	grep -q ":4: missing parent: the agent goes on from the newest line before it" <<<"$output"
	# The time decides, not the place; and the parent, when it is written.
	{ claude_user 3 2 three; echo; } >>"$SESSION"
	is "../$(uuid 3)" readlink "$MNT/by-id/$(uuid 5)/parent"
	{ claude_answer 99 1 late; echo; } >>"$SESSION"
	is "../$(uuid 99)" readlink "$MNT/by-id/$(uuid 5)/parent"
	if grep -q bridged "$MNT/by-id/$(uuid 5)/meta" "$MNT/info"; then return 1; fi
}

@test "an orphan that is older than all, or than what hangs on it, stays a root" {
	write_lines "$(claude_user 5 "" five)" "$(claude_user 3 99 old)" "$(claude_user 9 98 late)" "$(claude_answer 8 9 "its child")"
	mount_session
	is "$(uuid 3)
$(uuid 5)
$(uuid 9)" ls "$MNT/tree"
	grep -qx "missing-parents: 2 (lines 2-3)" "$MNT/info"
}

@test "an orphan hangs on no line that is over five seconds older" {
	write_lines "$(claude_user 1 "" one)" "$(claude_answer 2 1 two)" "$(claude_user 8 99 orphan)"
	mount_session
	is "$(uuid 1)
$(uuid 8)" ls "$MNT/tree"
	context_is . "[User]: orphan"
	grep -qx "missing-parents: 1 (line 3)" "$MNT/info"
	{ claude_user 3 2 three; echo; } >>"$SESSION"
	is "$(uuid 1)" ls "$MNT/tree"
	is "../$(uuid 3)" readlink "$MNT/$(at 8)/parent"
	grep -qx "bridged: 1 (line 3)" "$MNT/info"
}

@test "a parent may stand later in the file" {
	write_lines "$(claude_answer 2 1 two)" "$(claude_user 1 "" one)"
	mount_session
	head_is "$(at 2)"
	context_is . "[User]: one" "[Assistant]: two"
	is "$(uuid 1)" ls "$MNT/tree"
}

@test "a cycle is cut at its first entry" {
	write_lines "$(claude_user 1 2 a)" "$(claude_answer 2 1 b)" "$(claude_user 3 2 c)" \
		"$(claude_user 4 4 own)" "$(claude_user 5 "" good)"
	mount_session
	is "$(uuid 1)
$(uuid 4)
$(uuid 5)" ls "$MNT/tree"
	context_is "$(at 3)" "[User]: a" "[Assistant]: b" "[User]: c"
	grep -qx "cycles: 2 (lines 1, 4)" "$MNT/info"
	head_is "$(at 5)"
}

@test "a logical parent that closes a cycle is cut as well" {
	write_lines "$(claude_user 1 3 one)" "$(claude_answer 2 1 two)" \
		"$(boundary 3 "\"logicalParentUuid\":\"$(uuid 2)\"")" "$(summary 4 3)"
	mount_session
	is "$(uuid 1)" ls "$MNT/tree"
	context_is "$(at 4)" "[User]: SUM"
	grep -q "^cycles: 1 " "$MNT/info"
}

@test "an entry of an unknown type is an inert link" {
	write_lines "$(claude_user 1 "" one)" \
		"$(claude_line 2 1 future '"message":{"role":"user","content":"x"},"summary":"y"')" "$(claude_answer 3 2 two)"
	mount_session
	context_is . "[User]: one" "[Assistant]: two"
	grep -q '"summary": "y"' "$MNT/$(at 2)/content"
}

# bats test_tags=large
@test "one response of 20,000 fragments, each with a result off the chain" {
	needs python3
	python3 - "$SESSION" <<-'PY'
	import json, sys
	def uuid(n): return "c1a0de00-0000-4000-8000-%012d" % n
	with open(sys.argv[1], "w") as f:
	    def line(n, parent, kind, message):
	        f.write(json.dumps({"parentUuid": parent and uuid(parent), "isSidechain": False,
	            "sessionId": "x", "type": kind, "message": message, "uuid": uuid(n),
	            "timestamp": "2026-03-01T10:00:01.000Z"}) + "\n")
	    line(1, None, "user", {"role": "user", "content": "go"})
	    for i in range(2, 20002):
	        line(i, i - 1, "assistant", {"id": "m", "role": "assistant", "content": [
	            {"type": "tool_use", "id": f"t{i}", "name": "Read", "input": {}}]})
	    for i in range(2, 20002):
	        line(i + 20000, i, "user", {"role": "user", "content": [
	            {"type": "tool_result", "tool_use_id": f"t{i}", "content": f"result {i}"}]})
	PY
	timeout 60 "$SESSFS" "$SESSION" "$MNT"
	timeout 60 cat "$MNT/$(at 40001)/context.json" >"$DIR/context"
	python3 - "$DIR/context" <<-'PY'
	import json, sys
	go, response, *results = json.load(open(sys.argv[1]))
	assert [b["id"] for b in response["content"]] == [f"t{i}" for i in range(2, 20002)]
	assert [m["content"][0]["content"] for m in results] == [f"result {i}" for i in range(2, 20002)]
	PY
}

@test "labels and moves from two mounts at once: none is lost" {
	local lines=() i m pids=()
	lines+=("$(claude_user 1 "" one)")
	for i in {2..41}; do lines+=("$(claude_user "$i" 1 "number $i")"); done
	write_lines "${lines[@]}"
	mount_session
	mount_second
	for m in "$MNT:2" "$DIR/second:12" "$MNT:22" "$DIR/second:32"; do
		(
			for ((i = ${m##*:}; i < ${m##*:} + 10; i++)); do
				echo "label $i" >"${m%:*}/$(at "$i")/label" || exit 1
				ln -sfn "$(at "$i")" "${m%:*}/HEAD" || exit 1
			done
		) &
		pids+=($!)
	done
	for i in "${pids[@]}"; do wait "$i"; done
	for i in {2..41}; do
		is "label $i" cat "$MNT/$(at "$i")/label"
		is "label $i" cat "$DIR/second/$(at "$i")/label"
	done
	is "$(readlink "$MNT/HEAD")" readlink "$DIR/second/HEAD"
	unmount_second
	is "mnt
session.jsonl
session.sessfs.json" env LC_ALL=C ls -A "$DIR"
}

@test "the sidecar is not open to more people than the transcript" {
	write_two_branches
	chmod 600 "$SESSION"
	mount_session
	echo x >"$MNT/$(at 2)/label"
	is 600 stat -c %a "$(sidecar)"
	ln -sfn "$(at 2)" "$MNT/HEAD"
	is 600 stat -c %a "$(sidecar)"
}
