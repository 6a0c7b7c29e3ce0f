# Claude Code: which lines are entries, and which of them is the leaf (FORMATS 6.1
# and 6.2).
load lib/mount
load lib/run
load lib/claude

@test "FORMATS 6.1: the format is recognized from the lines; info names the session and the folder" {
	write_two_branches
	mount_session
	grep -qx "dialect: claude" "$MNT/info"
	grep -qx "session: $SESSION_ID" "$MNT/info"
	grep -qx "cwd: /work/demo" "$MNT/info"
	head_is "$(at 5)"
	context_is . "[User]: question" "[Assistant]: second" "[User]: thanks again"
}

@test "FORMATS 6.1: lines without uuid are no entries, and no problems" {
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

@test "FORMATS 6.1: system, progress and attachment lines are links, and send nothing" {
	write_lines "$(claude_user 1 "" one)" "$(claude_line 2 1 progress '"data":{"type":"hook_progress"}')" \
		"$(claude_line 3 2 attachment '"attachment":{"type":"hook_success","content":"no"}')" \
		"$(claude_line 4 3 system '"subtype":"local_command","content":"no"')" "$(claude_answer 5 4 two)"
	mount_session
	context_is . "[User]: one" "[Assistant]: two"
	is "../$(uuid 4)" readlink "$MNT/$(at 5)/parent"
}

@test "FORMATS 6.1: titles: custom-title before ai-title before summary" {
	write_two_branches
	mount_session
	if grep -q "^name:" "$MNT/info"; then return 1; fi
	echo '{"type":"custom-title","customTitle":"Mine","sessionId":"x"}' >>"$SESSION"
	grep -qx "name: Mine" "$MNT/info"
	echo '{"type":"ai-title","aiTitle":"Made","sessionId":"x"}' >>"$SESSION"
	echo '{"type":"summary","summary":"Old","leafUuid":"x"}' >>"$SESSION"
	grep -qx "name: Mine" "$MNT/info"
}

@test "FORMATS 6.1: titles: the last of a kind" {
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

@test "FORMATS 6.2: the leaf is the tip with the newest timestamp, wherever it stands" {
	write_lines "$(claude_user 1 "" question)" "$(claude_answer 4 1 newer)" "$(claude_answer 3 1 older)"
	mount_session
	head_is "$(at 4)"
}

@test "FORMATS 6.2: a tip stands for the nearest user or assistant line above it" {
	# 9 is the newest line, but its parent is older than 3.
	write_lines "$(claude_user 1 "" question)" "$(claude_answer 2 1 older)" "$(claude_answer 3 1 newer)" \
		"$(claude_line 9 2 system '"subtype":"turn_duration","durationMs":5')"
	mount_session
	head_is "$(at 3)"
	{ claude_line 10 3 attachment '"attachment":{}'; echo; } >>"$SESSION"
	head_is "$(at 3)"
}

@test "FORMATS 6.2: a sidechain is never the leaf, but its entries are there" {
	write_lines "$(claude_user 1 "" one)" "$(sidechain claude_user 20 "" "subagent prompt")" \
		"$(sidechain claude_answer 21 20 "subagent reply")" "$(claude_answer 2 1 two)" \
		"$(sidechain claude_answer 30 1 "side of the chain")"
	mount_session
	head_is "$(at 2)"
	is "subagent reply" cat "$MNT/tree/$(uuid 20)/$(uuid 21)/content"
	context_is . "[User]: one" "[Assistant]: two"
}

@test "FORMATS 6.2: an explicit pin of a known entry is the leaf" {
	write_two_branches
	mount_session
	head_is "$(at 5)"
	{ pin 3 '"explicit":true,'; echo; } >>"$SESSION"
	head_is "$(at 3)"
	context_is . "[User]: question" "[Assistant]: first" "[User]: thanks"
}

@test "FORMATS 6.2: a pin that is not explicit is ignored" {
	write_two_branches
	mount_session
	{ pin 3; echo; pin 3 '"explicit":false,'; echo; pin 3 '"explicit":"true",'; echo; } >>"$SESSION"
	head_is "$(at 5)"
}

@test "FORMATS 6.2: a pin of an unknown entry or a sidechain is ignored" {
	write_two_branches
	{ sidechain claude_user 20 "" side; echo; pin 20 '"explicit":true,'; echo; } >>"$SESSION"
	mount_session
	head_is "$(at 5)"
	{ pin 99 '"explicit":true,'; echo; } >>"$SESSION"
	head_is "$(at 5)"
}

@test "FORMATS 6.2: a pin stays while later records name the same entry" {
	write_two_branches
	{ pin 3 '"explicit":true,'; echo; pin 3; echo; } >>"$SESSION"
	mount_session
	head_is "$(at 3)"
	{ pin 5; echo; } >>"$SESSION"
	head_is "$(at 5)"
}

@test "FORMATS 11: claude-pinned without its pin has the newest tip" {
	grep -v '"explicit":true' "$FIXTURES/claude-pinned.jsonl" >"$SESSION"
	mount_session
	head_is "$(at 6)"
	context_is . "[User]: root" "[Assistant]: answer 1" "[User]: branch Y" "[Assistant]: Y done"
}
