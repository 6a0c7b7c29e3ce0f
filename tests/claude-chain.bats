# Claude Code: which lines are entries, and which of them is the leaf (FORMATS 6.1
# and 6.2).
load lib/mount
load lib/run
load lib/claude

@test "the format is recognized from the lines; info names the session and the folder" {
	write_two_branches
	mount_session
	grep -qx "dialect: claude" "$MNT/info"
	grep -qx "session: $SESSION_ID" "$MNT/info"
	grep -qx "cwd: /work/demo" "$MNT/info"
	head_is "$(at 5)"
	context_is . "[User]: question" "[Assistant]: second" "[User]: thanks again"
}

@test "lines without uuid are no entries, and no problems" {
	write_lines '{"type":"file-history-snapshot","messageId":"x","snapshot":{}}' \
		'{"type":"queue-operation","operation":"enqueue","sessionId":"'$SESSION_ID'"}' \
		"$(claude_user 1 "" one)" '{"type":"mode","mode":"plan","sessionId":"'$SESSION_ID'"}' \
		"$(claude_answer 2 1 two)" '{"type":"cost-state","sessionId":"'$SESSION_ID'"}'
	mount_session
	grep -qx "dialect: claude" "$MNT/info"
	is "$(uuid 1)
$(uuid 2)" ls -U "$MNT/by-id"
	head_is "$(at 2)"
	if grep -q -e bad-lines -e lines-without -e header "$MNT/info"; then return 1; fi
}

@test "system, progress and unknown attachment lines are links, and send nothing" {
	write_lines "$(claude_user 1 "" one)" "$(claude_line 2 1 progress '"data":{"type":"hook_progress"}')" \
		"$(claude_line 3 2 attachment '"attachment":{"type":"hook_success","content":"no"}')" \
		"$(claude_line 4 3 system '"subtype":"turn_duration","content":"no"')" "$(claude_answer 5 4 two)"
	mount_session
	context_is . "[User]: one" "[Assistant]: two"
	is "../$(uuid 4)" readlink "$MNT/$(at 5)/parent"
}

@test "titles: custom-title before ai-title before summary" {
	write_two_branches
	mount_session
	if grep -q "^name:" "$MNT/info"; then return 1; fi
	echo '{"type":"custom-title","customTitle":"Mine","sessionId":"x"}' >>"$SESSION"
	grep -qx "name: Mine" "$MNT/info"
	echo '{"type":"ai-title","aiTitle":"Made","sessionId":"x"}' >>"$SESSION"
	echo '{"type":"summary","summary":"Old","leafUuid":"x"}' >>"$SESSION"
	grep -qx "name: Mine" "$MNT/info"
}

@test "titles: the last of a kind" {
	write_two_branches
	mount_session
	echo '{"type":"summary","summary":"Old","leafUuid":"x"}' >>"$SESSION"
	grep -qx "name: Old" "$MNT/info"
	echo '{"type":"summary","summary":"Older","leafUuid":"x"}' >>"$SESSION"
	grep -qx "name: Older" "$MNT/info"
	echo '{"type":"ai-title","aiTitle":"Made","sessionId":"x"}' >>"$SESSION"
	grep -qx "name: Made" "$MNT/info"
	echo '{"type":"ai-title","aiTitle":"Remade","sessionId":"x"}' >>"$SESSION"
	grep -qx "name: Remade" "$MNT/info"
}

@test "the leaf is the last line in the file, whatever its time" {
	write_lines "$(claude_user 1 "" question)" "$(claude_answer 4 1 newer)" "$(claude_answer 3 1 older)"
	mount_session
	head_is "$(at 3)"
}

@test "before 2.1.101 the leaf is the tip with the newest timestamp" {
	write_lines "$(claude_user 1 "" question)" "$(claude_answer 4 1 newer)" "$(claude_answer 3 1 older)"
	of_version 2.1.98
	mount_session
	head_is "$(at 4)"
}

@test "a line that is not sent stands for the nearest user or assistant line above it" {
	write_lines "$(claude_user 1 "" question)" "$(claude_answer 3 1 newer)" "$(claude_answer 2 1 older)" \
		"$(claude_line 9 3 system '"subtype":"turn_duration","durationMs":5')"
	mount_session
	head_is "$(at 3)"
	{ claude_line 10 2 progress '"data":{}'; echo; } >>"$SESSION"
	head_is "$(at 3)"
	{ claude_line 11 2 attachment '"attachment":{"type":"prompt_snapshot","text":"long"}'; echo; } >>"$SESSION"
	head_is "$(at 2)"
	is "$(uuid 1)
$(uuid 2)" sh -c 'readlink "$1"/path/* | sed "s,.*/,,"' - "$MNT"
	grep -qx "bookkeeping: yes" "$MNT/by-id/$(uuid 11)/meta"
	{ claude_line 12 2 attachment '"attachment":{"type":"queued_command","prompt":"and this","commandMode":"prompt"}'; echo; } >>"$SESSION"
	head_is "$(at 12)"
}

@test "a parent that is written after its children: the newest tip below it" {
	write_lines "$(claude_answer 3 1 newer)" "$(claude_answer 2 1 older)" "$(claude_user 1 "" question)"
	mount_session
	head_is "$(at 3)"
}

@test "with a pin on the conversation the last line is the leaf, though a copy" {
	write_lines "$(claude_user 1 "" question)" "$(claude_answer 2 1 first)" "$(claude_user 3 2 thanks)" "$(claude_answer 2 1 again)"
	mount_session
	head_is "$(at 3)"
	{ pin 1; echo; } >>"$SESSION"
	head_is "$(at 2)"
}

@test "a response of thinking alone is passed over; one with an open call is not" {
	write_lines "$(claude_user 1 "" go)" "$(claude_block 2 1 m '{"type":"thinking","thinking":"hm","signature":"AA=="}')"
	mount_session
	head_is "$(at 1)"
	{ claude_block 3 2 m '{"type":"tool_use","id":"t1","name":"Bash","input":{}}'; echo; } >>"$SESSION"
	head_is "$(at 3)"
	context_is . "[User]: go" "[Assistant tool calls]: Bash()"
}

@test "of two calls at the tip, one answered: the leaf is the other" {
	write_lines "$(claude_user 1 "" go)" "$(claude_block 2 1 m '{"type":"tool_use","id":"t1","name":"A","input":{}}')" \
		"$(claude_block 3 2 m '{"type":"tool_use","id":"t2","name":"B","input":{}}')" "$(claude_result 4 2 t1 "done")"
	mount_session
	head_is "$(at 3)"
	context_is . "[User]: go" "[Assistant tool calls]: A(); B()" "[Tool result]: done"
}

@test "a sidechain is never the leaf, but its entries are there" {
	write_lines "$(claude_user 1 "" one)" "$(sidechain claude_user 20 "" "subagent prompt")" \
		"$(sidechain claude_answer 21 20 "subagent reply")" "$(claude_answer 2 1 two)" \
		"$(sidechain claude_answer 30 1 "side of the chain")"
	mount_session
	head_is "$(at 2)"
	is "subagent reply" cat "$MNT/tree/$(uuid 20)/$(uuid 21)/content"
	context_is . "[User]: one" "[Assistant]: two"
}

@test "an explicit pin of a known entry is the leaf" {
	write_two_branches
	mount_session
	head_is "$(at 5)"
	{ pin 3 '"explicit":true,'; echo; } >>"$SESSION"
	head_is "$(at 3)"
	context_is . "[User]: question" "[Assistant]: first" "[User]: thanks"
}

@test "a pin that is not explicit counts off the conversation" {
	write_two_branches
	mount_session
	{ pin 3; echo; } >>"$SESSION"
	head_is "$(at 3)"
	{ pin 4; echo; } >>"$SESSION"
	head_is "$(at 5)"
	{ pin 3 '"explicit":"true",'; echo; } >>"$SESSION"
	head_is "$(at 3)"
	{ claude_answer 6 3 "gone on"; echo; } >>"$SESSION"
	head_is "$(at 6)"
}

@test "an explicit pin is over when the conversation goes on" {
	write_two_branches
	{ pin 2 '"explicit":true,'; echo; } >>"$SESSION"
	mount_session
	head_is "$(at 2)"
	# Off the conversation it counts still.
	{ claude_line 6 5 system '"subtype":"turn_duration"'; echo; } >>"$SESSION"
	head_is "$(at 2)"
	{ claude_user 7 2 "on"; echo; } >>"$SESSION"
	head_is "$(at 7)"
	{ pin 1 '"explicit":true,'; echo; } >>"$SESSION"
	head_is "$(at 1)"
	{ sidechain claude_user 8 "" side; echo; claude_line 9 7 progress '"data":{}'; echo; } >>"$SESSION"
	head_is "$(at 1)"
}

@test "an explicit null is before the first entry; a plain one, a boundary and the null uuid clear a pin" {
	write_two_branches
	mount_session
	printf '{"type":"last-prompt","leafUuid":null,"explicit":true,"sessionId":"x"}\n' >>"$SESSION"
	head_is tree
	printf '{"type":"last-prompt","leafUuid":null,"sessionId":"x"}\n' >>"$SESSION"
	head_is tree
	{ pin 3; echo; } >>"$SESSION"
	head_is "$(at 3)"
	printf '{"type":"last-prompt","leafUuid":"00000000-0000-0000-0000-000000000000","explicit":true,"sessionId":"x"}\n' >>"$SESSION"
	head_is "$(at 5)"
	{ pin 3 '"explicit":true,'; echo; boundary 6 "\"logicalParentUuid\":\"$(uuid 5)\""; echo; } >>"$SESSION"
	head_is "$(at 5)"
}

@test "a pin in the middle of a response is at its last result" {
	write_parallel
	{ pin 3 '"explicit":true,'; echo; } >>"$SESSION"
	mount_session
	head_is "$(at 6)"
	context_is . "[User]: look at both" '[Assistant tool calls]: Read(file_path="a"); Read(file_path="b")' \
		"[Tool result]: A-body" "[Tool result]: B-body"
}

@test "up to 2.1.119 there are no pins" {
	write_two_branches
	of_version 2.1.119
	{ pin 3; echo; } >>"$SESSION"
	mount_session
	head_is "$(at 5)"
	grep -qx "rules: 2.1.101" "$MNT/info"
}

@test "the newest version of a transcript chooses its rules" {
	write_two_branches
	of_version 2.1.60
	mount_session
	grep -qx "rules: 2.0" "$MNT/info"
	{ claude_answer 6 5 six; echo; } >>"$SESSION"
	grep -qx "rules: 2.1.281" "$MNT/info"
}

@test "a pin is of version 2.1.120 or newer, but does not hide that no line names one" {
	write_two_branches
	of_version 2.1.60
	{ pin 3 '"explicit":true,'; echo; } >>"$SESSION"
	mount_session
	grep -qx "rules: 2.1.120" "$MNT/info"
	unmount
	sed -i 's/"version":"[^"]*",//' "$SESSION"
	mount_session
	grep -qx "rules: 2.1.281" "$MNT/info"
}

@test "a pin of an unknown entry or a sidechain is ignored" {
	write_two_branches
	{ sidechain claude_user 20 "" side; echo; pin 20 '"explicit":true,'; echo; } >>"$SESSION"
	mount_session
	head_is "$(at 5)"
	{ pin 99 '"explicit":true,'; echo; } >>"$SESSION"
	head_is "$(at 5)"
}

@test "a pin stays while later records name the same entry" {
	write_two_branches
	{ pin 3 '"explicit":true,'; echo; pin 3; echo; } >>"$SESSION"
	mount_session
	head_is "$(at 3)"
	{ pin 5; echo; } >>"$SESSION"
	head_is "$(at 5)"
}

@test "claude-pinned without its pin has the newest tip" {
	grep -v '"explicit":true' "$FIXTURES/claude-pinned.jsonl" >"$SESSION"
	mount_session
	head_is "$(at 6)"
	context_is . "[User]: root" "[Assistant]: answer 1" "[User]: branch Y" "[Assistant]: Y done"
}

@test "a pin takes what hangs on its entry along, in the order of time, whichever of it is pinned" {
	write_two_branches
	local_command() {
		claude_line "$1" "$2" system "\"subtype\":\"local_command\",\"content\":\"<command-name>/$3</command-name>\",\"level\":\"info\""
	}
	{
		local_command 8 2 later; echo; local_command 6 2 first; echo; local_command 7 6 second; echo
		claude_user 9 4 on; echo; pin 2 '"explicit":true,'; echo
	} >>"$SESSION"
	mount_session
	local names="[User]: <command-name>/first</command-name>
[User]: <command-name>/second</command-name>
[User]: <command-name>/later</command-name>"
	head_is "$(at 8)"
	local at
	is "$names" grep command "$MNT/context.txt"
	for at in "$(at 2)" "$(at 6)" "$(at 8)"; do
		is "$names" grep command "$MNT/$at/context.txt"
		is 3 grep -c command "$MNT/$at/branch.jsonl"
	done
	if grep command "$MNT/$(at 1)/context.txt"; then return 1; fi
}
