# Claude Code: the context, and what entries say (FORMATS 6.2 and 6.3).
load lib/mount
load lib/run
load lib/claude

@test "a response is one message, then all its results, in order" {
	write_parallel
	mount_session
	json_is '[{"role":"user","content":"look at both"},
		{"role":"assistant","content":[
			{"type":"thinking","thinking":"hm","signature":"AA=="},
			{"type":"tool_use","id":"t1","name":"Read","input":{"file_path":"a"}},
			{"type":"tool_use","id":"t2","name":"Read","input":{"file_path":"b"}}]},
		{"role":"user","content":[{"tool_use_id":"t1","type":"tool_result","content":"A-body"}]},
		{"role":"user","content":[{"tool_use_id":"t2","type":"tool_result","content":"B-body"}]},
		{"role":"assistant","content":[{"type":"text","text":"Both read."}]}]' "$MNT/context.json"
}

@test "parallel results are in file order; before 2.1.261 those off the chain come first" {
	write_parallel
	sed -i "s/\"parentUuid\":\"$(uuid 6)\"/\"parentUuid\":\"$(uuid 5)\"/" "$SESSION"
	mount_session
	context_is . "[User]: look at both" \
		'[Assistant tool calls]: Read(file_path="a"); Read(file_path="b")' \
		"[Tool result]: A-body" "[Tool result]: B-body" "[Assistant]: Both read."
	of_version 2.1.260
	context_is . "[User]: look at both" \
		'[Assistant tool calls]: Read(file_path="a"); Read(file_path="b")' \
		"[Tool result]: B-body" "[Tool result]: A-body" "[Assistant]: Both read."
}

@test "the same as text" {
	write_parallel
	mount_session
	context_is . "[User]: look at both" \
		'[Assistant tool calls]: Read(file_path="a"); Read(file_path="b")' \
		"[Tool result]: A-body" "[Tool result]: B-body" "[Assistant]: Both read."
}

@test "responses with other message ids stay apart" {
	write_lines "$(claude_user 1 "" one)" "$(claude_answer 2 1 two)" "$(claude_answer 3 2 three)"
	mount_session
	context_is . "[User]: one" "[Assistant]: two" "[Assistant]: three"
	is 3 bash -c "grep -c '\"role\"' '$MNT/context.json'"
}

@test "pictures beside results and inside of them are numbered through" {
	local image='{"type":"image","source":{"type":"base64","media_type":"image/%s","data":"%s"}}'
	local blocks i
	# shellcheck disable=SC2059 # the format is above
	blocks=$(printf "$image" png AAEC)
	for i in {1..300}; do
		blocks+=",{\"type\":\"tool_result\",\"tool_use_id\":\"t$i\",\"content\":[{\"type\":\"text\",\"text\":\"x\"},$(printf "$image" gif AAECAw==),{\"type\":\"image\",\"source\":{\"type\":\"url\",\"url\":\"u\"}}]}"
	done
	blocks+=,$(printf "$image" jpeg AAECAwQ=)
	write_lines "$(claude_user 1 "" go)" "$(claude_line 2 1 user '"message":{"role":"user","content":['"$blocks"']}')"
	mount_session
	cd "$MNT/$(at 2)"
	is "1.png 3
$(printf '%s.gif 4\n' {2..301})
302.jpg 5" bash -c "stat -c '%n %s' [0-9]* | sort -n"
	printf '\0\1\2' | cmp - 1.png
	# The same bytes in all of them.
	is "    300 $(printf '\0\1\2\3' | md5sum)" bash -c "md5sum {2..301}.gif | sed 's/ .*/  -/' | uniq -c"
	printf '\0\1\2\3\4' | cmp - 302.jpg
	cd /
}

@test "blocks of a user line: text, pictures, results of blocks" {
	write_lines "$(claude_user 1 "" go)" \
		"$(claude_block 2 1 msg_a '{"type":"tool_use","id":"t1","name":"Bash","input":{"command":"ls -l\npwd"}}')" \
		"$(claude_line 3 2 user '"message":{"role":"user","content":[{"tool_use_id":"t1","type":"tool_result","content":[{"type":"text","text":"a.c"}],"is_error":true}]},"toolUseResult":{"stdout":"a.c"}')" \
		"$(claude_line 4 3 user '"message":{"role":"user","content":[{"type":"text","text":"see"},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"AAEC"}}]}')"
	mount_session
	context_is . "[User]: go" '[Assistant tool calls]: Bash(command="ls -l\npwd")' \
		"[Tool result]: a.c" "[User]: see"
	is "see

[image/png 3 bytes: 1.png]" cat "$MNT/$(at 4)/content"
	printf '\0\1\2' | cmp - "$MNT/$(at 4)/1.png"
	is "[tool call] Bash
command:
  ls -l
  pwd" cat "$MNT/$(at 2)/content"
	is a.c cat "$MNT/$(at 3)/content"
}

@test "lists in a tool's input are flattened" {
	write_lines "$(claude_user 1 "" go)" \
		"$(claude_block 2 1 msg_a '{"type":"tool_use","id":"t1","name":"MultiEdit","input":{"file_path":"a.c","edits":[{"old_string":"x\ny","new_string":"#include \"fs/edit/head.h\""}]}}')"
	mount_session
	is '[tool call] MultiEdit
file_path: a.c
edits[0].old_string:
  x
  y
edits[0].new_string: #include "fs/edit/head.h"' cat "$MNT/$(at 2)/content"
	is "$MNT/$(at 2)/content" grep -rlF --include=content '#include "fs/edit/head.h"' "$MNT/by-id"
}

@test "meta, content, mtime and raw.json of entries" {
	write_parallel
	mount_session
	local key
	for key in "id: $(uuid 3)" "parent: $(uuid 2)" "type: assistant" "role: assistant" \
		"timestamp: 2026-03-01T10:00:03.000Z" "line: 3" "model: m-x" "tool: Read"; do
		grep -qx "$key" "$MNT/$(at 3)/meta" || {
			echo "no $key"
			return 1
		}
	done
	is "[thinking]
hm" cat "$MNT/$(at 2)/content"
	is "2026-03-01 10:00:03.000000000 +0000" env TZ=UTC stat -c %y "$MNT/$(at 3)"
	cmp <(sed -n 3p "$SESSION") "$MNT/$(at 3)/raw.json"
}

@test "a boundary cuts the context, and the tree goes on above it" {
	write_compacted
	mount_session
	head_is "$(at 6)"
	context_is . "[User]: SUM" "[User]: new question" "[Assistant]: new answer"
	is "../$(uuid 2)" readlink "$MNT/$(at 3)/parent"
	is "$(uuid 1)" ls "$MNT/tree"
	is "new answer" cat "$MNT/tree/$(uuid 1)/$(uuid 2)/$(uuid 3)/$(uuid 4)/$(uuid 5)/$(uuid 6)/content"
	context_is "$(at 2)" "[User]: old question" "[Assistant]: old answer"
	grep -qx "depth: 6" "$MNT/info"
}

@test "a boundary whose logical parent is not in the file is a root" {
	write_lines "$(boundary 3 "\"logicalParentUuid\":\"$(uuid 2)\"")" "$(summary 4 3)" "$(claude_user 5 4 new)" \
		"$(boundary 6 '"level":"info"')"
	mount_session
	is "$(uuid 3)
$(uuid 6)" ls "$MNT/tree"
	fails_with "No such file" stat "$MNT/$(at 3)/parent"
	context_is "$(at 5)" "[User]: SUM" "[User]: new"
}

@test "after two boundaries the last one counts" {
	write_compacted
	{
		boundary 7 "\"logicalParentUuid\":\"$(uuid 6)\""; echo
		claude_line 8 7 user '"isCompactSummary":true,"message":{"role":"user","content":"SUM 2"}'; echo
		claude_user 9 8 newest; echo
	} >>"$SESSION"
	mount_session
	context_is . "[User]: SUM 2" "[User]: newest"
	context_is "$(at 6)" "[User]: SUM" "[User]: new question" "[Assistant]: new answer"
}

@test "a microcompact_boundary does not cut" {
	write_lines "$(claude_user 1 "" one)" \
		"$(claude_line 2 1 system '"subtype":"microcompact_boundary","content":"x"')" "$(claude_answer 3 2 two)"
	mount_session
	context_is . "[User]: one" "[Assistant]: two"
}

@test "the messages that a compaction preserves stand after its anchor" {
	write_lines "$(claude_user 1 "" old)" "$(claude_answer 2 1 "old answer")" "$(claude_user 3 2 kept)" \
		"$(claude_answer 4 3 "kept answer")" \
		"$(boundary 5 "\"logicalParentUuid\":\"$(uuid 4)\"" | sed "s/\"preTokens\":1000/&,\"preservedSegment\":{\"headUuid\":\"$(uuid 3)\",\"anchorUuid\":\"$(uuid 6)\",\"tailUuid\":\"$(uuid 4)\"}/")" \
		"$(summary 6 5)" "$(claude_user 7 6 new)"
	mount_session
	context_is . "[User]: SUM" "[User]: kept" "[Assistant]: kept answer" "[User]: new"
	sed -i "s/\"preservedSegment\":{[^}]*}/\"preservedMessages\":{\"anchorUuid\":\"$(uuid 6)\",\"uuids\":[\"$(uuid 3)\",\"$(uuid 4)\"]}/" "$SESSION"
	context_is . "[User]: SUM" "[User]: kept" "[Assistant]: kept answer" "[User]: new"
}

@test "what goes on from before a compaction that keeps nothing, behind one that did, hangs by time" {
	write_lines "$(claude_user 1 "" old)" "$(claude_answer 2 1 "old answer")" \
		"$(boundary 3 "\"logicalParentUuid\":\"$(uuid 2)\"" | sed "s/\"preTokens\":1000/&,\"preservedMessages\":{\"anchorUuid\":\"$(uuid 4)\",\"uuids\":[\"$(uuid 1)\",\"$(uuid 2)\"]}/")" \
		"$(summary 4 3)" "$(claude_user 5 4 new)" "$(claude_answer 6 5 "new answer")" \
		"$(boundary 7 "\"logicalParentUuid\":\"$(uuid 6)\"")" "$(summary 8 7)" "$(claude_user 9 8 newest)" \
		"$(claude_user 10 2 again)" "$(claude_answer 11 10 "other answer")"
	mount_session
	context_is . "[User]: SUM" "[User]: newest" "[User]: again" "[Assistant]: other answer"
	is "../$(uuid 2)" readlink "$MNT/$(at 10)/parent"
	# Nothing there is so new.
	sed -i '/"again"/s/10:00:10/10:01:10/' "$SESSION"
	context_is . "[User]: again" "[Assistant]: other answer"
}

@test "results without their calls leave a text, at the start since 2.1.268" {
	local removed="[Orphaned tool result removed due to conversation resume]"
	write_lines "$(claude_result 1 "" t1 R1)" "$(claude_answer 2 1 one)" "$(claude_result 3 2 t1 R2)" "$(claude_answer 4 3 two)"
	mount_session
	context_is . "[User]: $removed" "[Assistant]: one" "[User]: (no content)" "[Assistant]: two"
	of_version 2.1.267
	context_is . "[Assistant]: one" "[User]: (no content)" "[Assistant]: two"
}

@test "a response without words is not sent: (no content) since 2.1.124, empty texts beside a call since 2.1.277" {
	local empty='{"type":"text","text":""}' call='{"type":"tool_use","id":"t1","name":"Read","input":{}}'
	write_lines "$(claude_user 1 "" one)" "$(claude_answer 2 1 "(no content)")" "$(claude_user 3 2 three)" \
		"$(claude_block 4 3 m4 "$empty,$call")" "$(claude_result 5 4 t1 R1)" "$(claude_answer 6 5 six)"
	mount_session
	context_is . "[User]: one" "[User]: three" "[Assistant tool calls]: Read()" "[Tool result]: R1" "[Assistant]: six"
	if grep -qF "$empty" "$MNT/context.json"; then return 1; fi
	of_version 2.1.276
	context_is . "[User]: one" "[User]: three" "[Assistant]: " "[Assistant tool calls]: Read()" "[Tool result]: R1" "[Assistant]: six"
	of_version 2.1.123
	grep -qF "$empty" "$MNT/context.json"
	context_is . "[User]: one" "[Assistant]: (no content)" "[User]: three" "[Assistant]: " "[Assistant tool calls]: Read()" "[Tool result]: R1" "[Assistant]: six"
}

@test "calls of Task are sent as of Agent, its new name since 2.1.63" {
	write_lines "$(claude_user 1 "" one)" "$(claude_block 2 1 m2 '{"type":"tool_use","id":"t1","name":"Task","input":{"prompt":"p"}}')" \
		"$(claude_result 3 2 t1 R1)" "$(claude_answer 4 3 four)"
	mount_session
	context_is . "[User]: one" '[Assistant tool calls]: Agent(prompt="p")' "[Tool result]: R1" "[Assistant]: four"
	of_version 2.1.62
	context_is . "[User]: one" '[Assistant tool calls]: Task(prompt="p")' "[Tool result]: R1" "[Assistant]: four"
}

@test "a call without a result is sent until its turn has ended" {
	local call='{"type":"tool_use","id":"t%d","name":"Read","input":{"file_path":"f"}}'
	# shellcheck disable=SC2059 # the format is above
	write_lines "$(claude_user 1 "" go)" "$(claude_block 2 1 msg_a "$(printf "$call" 1)")" \
		"$(claude_block 3 2 msg_a "$(printf "$call" 2)")" "$(claude_result 4 3 t2 R2)" \
		"$(claude_block 5 4 msg_b "$(printf "$call" 3)")" "$(claude_result 6 5 t3 R3)"
	mount_session
	context_is . "[User]: go" '[Assistant tool calls]: Read(file_path="f"); Read(file_path="f")' \
		"[Tool result]: [Tool result missing due to internal error]" "[Tool result]: R2" \
		'[Assistant tool calls]: Read(file_path="f")' "[Tool result]: R3"
	{ claude_answer 7 6 "done"; echo; } >>"$SESSION"
	context_is . "[User]: go" '[Assistant tool calls]: Read(file_path="f")' "[Tool result]: R2" \
		'[Assistant tool calls]: Read(file_path="f")' "[Tool result]: R3" "[Assistant]: done"
}
