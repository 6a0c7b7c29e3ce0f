# Claude Code: what attachment lines are sent as.
load lib/mount
load lib/run
load lib/claude

MEANWHILE="The user sent a new message while you were working:
%s

This is how Claude Code surfaces messages the user sends mid-turn — within the running turn, often alongside the next tool result, rather than as a separate conversation turn. Address the message above as you continue this turn."

# An attachment: number, number of the parent, its members, more of the line.
attachment() {
	claude_line "$1" "$2" attachment "\"attachment\":{$3}${4:+,$4}"
}

# What the user typed during a turn: number, number of the parent, text as JSON,
# more members.
queued() {
	attachment "$1" "$2" "\"type\":\"queued_command\",\"commandMode\":\"prompt\",\"prompt\":$3" "${4:-}"
}

# Lines of an answer that calls a tool, and of its result: number of the first,
# number of the parent.
call_and_result() {
	claude_block "$1" "$2" "msg_$1" "{\"type\":\"tool_use\",\"id\":\"t$1\",\"name\":\"Bash\",\"input\":{\"command\":\"ls\"}}"
	echo
	claude_result "$(($1 + 1))" "$1" "t$1" files
}

# Make the session that of a model without messages of the role system.
of_old_model() {
	sed -i 's/"model":"m-x"/"model":"claude-sonnet-4-5-20250929"/' "$SESSION"
}

# A session in which the user types during a turn: 1, call and result 2 and 3,
# the words 4 (default: typed meanwhile), and the answer 5.
write_queued() {
	write_lines "$(claude_user 1 "" go)" "$(call_and_result 2 1)" \
		"$(queued 4 3 "\"${1:-typed meanwhile}\"")" "$(claude_answer 5 4 ok)"
}

# texts_are FILE TEXT...: fails unless the texts that are sent in a context.json
# are these, in order: of texts, results and strings.
texts_are() {
	needs python3
	python3 - "$@" <<-'PY'
	import json, sys
	def texts(content):
	    if isinstance(content, str):
	        return [content]
	    return [t for b in content for t in
	            ([b["text"]] if b["type"] == "text" else texts(b["content"])
	             if b["type"] == "tool_result" else [])]
	with open(sys.argv[1]) as f:
	    sent = [t for m in json.load(f) for t in texts(m["content"])]
	if sent != sys.argv[2:]:
	    sys.exit(f"{sys.argv[1]}: {json.dumps(sent, indent=1)}")
	PY
}

# A text in the tags of a reminder.
reminder() {
	printf '<system-reminder>\n%s\n</system-reminder>' "$1"
}

meanwhile() {
	# shellcheck disable=SC2059 # the format is above
	printf "$MEANWHILE" "$1"
}

# bats test_tags=full
@test "what is typed during a turn is glued to the result before it" {
	write_queued
	of_old_model
	mount_session
	json_is "[{\"role\":\"user\",\"content\":\"go\"},
		{\"role\":\"assistant\",\"content\":[{\"type\":\"tool_use\",\"id\":\"t2\",\"name\":\"Bash\",\"input\":{\"command\":\"ls\"}}]},
		{\"role\":\"user\",\"content\":[{\"tool_use_id\":\"t2\",\"type\":\"tool_result\",\"content\":\"files\\n\\n$(reminder "$(meanwhile "typed meanwhile")" | sed -z 's/\n/\\n/g')\"}]},
		{\"role\":\"assistant\",\"content\":[{\"type\":\"text\",\"text\":\"ok\"}]}]" "$MNT/context.json"
	context_is . "[User]: go" '[Assistant tool calls]: Bash(command="ls")' \
		"[Tool result]: files" "$(reminder "$(meanwhile "typed meanwhile")")" "[Assistant]: ok"
}

@test "what is glued to the second result of a call is not sent, as that is not" {
	write_lines "$(claude_user 1 "" go)" "$(call_and_result 2 1)" "$(claude_result 4 3 t2 again)" \
		"$(queued 5 4 '"typed meanwhile"')" "$(claude_answer 6 5 ok)"
	of_old_model
	mount_session
	texts_are "$MNT/context.json" go files ok
}

@test "newer models get it as a message of the role system" {
	write_queued
	mount_session
	json_is "[{\"role\":\"user\",\"content\":\"go\"},
		{\"role\":\"assistant\",\"content\":[{\"type\":\"tool_use\",\"id\":\"t2\",\"name\":\"Bash\",\"input\":{\"command\":\"ls\"}}]},
		{\"role\":\"user\",\"content\":[{\"tool_use_id\":\"t2\",\"type\":\"tool_result\",\"content\":\"files\"}]},
		{\"role\":\"system\",\"content\":\"$(meanwhile "typed meanwhile" | sed -z 's/\n/\\n/g')\"},
		{\"role\":\"assistant\",\"content\":[{\"type\":\"text\",\"text\":\"ok\"}]}]" "$MNT/context.json"
	context_is . "[User]: go" '[Assistant tool calls]: Bash(command="ls")' \
		"[Tool result]: files" "[System]: $(meanwhile "typed meanwhile")" "[Assistant]: ok"
}

# bats test_tags=full
@test "an entry's context has the attachments above it, its own, and those that hang on it" {
	write_queued
	mount_session
	texts_are "$MNT/$(at 1)/context.json" go
	texts_are "$MNT/$(at 3)/context.json" go files "$(meanwhile "typed meanwhile")"
	texts_are "$MNT/$(at 4)/context.json" go files "$(meanwhile "typed meanwhile")"
	texts_are "$MNT/$(at 5)/context.json" go files "$(meanwhile "typed meanwhile")" ok
	context_is "$(at 3)" "[User]: go" '[Assistant tool calls]: Bash(command="ls")' \
		"[Tool result]: files" "[System]: $(meanwhile "typed meanwhile")"
}

# bats test_tags=full
@test "grep finds what was typed, in the entry, the lines and the program's output" {
	write_queued "typed größer meanwhile"
	mount_session
	is "$(at 4)/content" bash -c "cd '$MNT' && grep -l größer by-id/*/content"
	is "$(at 4)" bash -c "grep größer '$MNT/lines.txt' | sed 's,/content:.*,,'"
	is 1 bash -c "'$SESSFS' grep --all größer '$SESSION' | wc -l"
	is 1 bash -c "'$SESSFS' grep größer '$SESSION' | grep -c größer"
}

# bats test_tags=full
@test "what the agent recorded as sent is sent, whatever the type" {
	write_lines "$(claude_user 1 "" go)" \
		"$(queued 2 1 '"not this"' '"rendered":[{"content":"<system-reminder>\nA\n</system-reminder>"},{"content":[{"type":"text","text":"<system-reminder>\nB\n</system-reminder>"}]}],"renderedRole":"user"')" \
		"$(attachment 3 2 '"type":"future"' '"rendered":[{"content":"<system-reminder>\nC\n</system-reminder>"}]')" \
		"$(claude_answer 4 3 ok)"
	of_old_model
	mount_session
	texts_are "$MNT/context.json" "$(reminder A)" "$(reminder B)" "$(reminder C)" go ok
	context_is . "[User]: $(reminder A)
$(reminder B)
$(reminder C)
go" "[Assistant]: ok"
}

@test "the recorded role says who sends it" {
	write_lines "$(claude_user 1 "" go)" \
		"$(attachment 2 1 '"type":"date_change"' '"rendered":[{"content":"<system-reminder>\nA\n</system-reminder>"}],"renderedRole":"user"')" \
		"$(attachment 3 2 '"type":"date_change"' '"rendered":[{"content":"<system-reminder>\nB\n</system-reminder>"}],"renderedRole":"system"')" \
		"$(claude_answer 4 3 ok)"
	mount_session
	context_is . "[User]: $(reminder A)
go" "[System]: B" "[Assistant]: ok"
}

@test "files of @, hooks and changed files are sent before what was typed" {
	write_lines "$(claude_user 1 "" "see @a.txt")" \
		"$(attachment 2 1 '"type":"hook_additional_context","content":["hook words"],"hookName":"UserPromptSubmit","toolUseID":"x","hookEvent":"UserPromptSubmit"')" \
		"$(attachment 3 2 '"type":"hook_success","content":"said","hookName":"UserPromptSubmit","toolUseID":"x","hookEvent":"UserPromptSubmit","stdout":"said","stderr":"","exitCode":0')" \
		"$(attachment 4 3 '"type":"file","filename":"/w/a.txt","displayPath":"a.txt","content":{"type":"text","file":{"filePath":"/w/a.txt","content":"alpha\nbeta","numLines":2,"startLine":1,"totalLines":2}}')" \
		"$(attachment 5 4 '"type":"edited_text_file","filename":"/w/b.txt","snippet":"1\tnew"')" \
		"$(claude_answer 6 5 ok)"
	of_old_model
	mount_session
	is "[User]: <system-reminder>
UserPromptSubmit hook additional context: hook words
UserPromptSubmit hook success: said
Called the Read tool with the following input: {\"file_path\":\"/w/a.txt\"}
Result of calling the Read tool:
1	alpha
2	beta
1	new
see @a.txt" grep -E '^\[User|^UserPrompt|^Called|^Result|^[12]	|^see' <(sed '/^<\/*system-reminder>$/d' "$MNT/context.txt")
}

# bats test_tags=full
@test "attachments of other types are in the tree, and not sent" {
	write_lines "$(claude_user 1 "" go)" "$(attachment 2 1 '"type":"future","content":"words"')" "$(claude_answer 3 2 ok)"
	mount_session
	texts_are "$MNT/context.json" go ok
	grep -q words "$MNT/$(at 2)/content"
	is "$(uuid 3)" bash -c "ls '$MNT/$(at 2)' | grep -x '$(uuid 3)'"
}

@test "an attachment that is appended to the file shows at once" {
	write_lines "$(claude_user 1 "" go)" "$(call_and_result 2 1)"
	mount_session
	texts_are "$MNT/context.json" go files
	queued 4 3 '"now"' >>"$SESSION"
	echo >>"$SESSION"
	texts_are "$MNT/context.json" go files "$(meanwhile now)"
}

# bats test_tags=full
@test "attachments that are no such: wrong types, nothing, too much" {
	local n=1 parent="" line text
	local hostile=(
		'"attachment":null' '"attachment":[]' '"attachment":"queued_command"' '"attachment":{}' '"x":1'
		'"attachment":{"type":null}' '"attachment":{"type":["queued_command"]}' '"attachment":{"type":{}}'
		'"attachment":{"type":"file"}' '"attachment":{"type":"file","content":7}' '"attachment":{"type":"file","content":{"type":"text","file":[]}}'
		'"attachment":{"type":"hook_additional_context","content":{"a":1},"hookName":[1]}'
		'"attachment":{"type":"hook_success","hookEvent":"UserPromptSubmit","content":[{}]}'
		'"attachment":{"type":"queued_command","prompt":{"a":1}}' '"attachment":{"type":"diagnostics","files":[null,{"diagnostics":{"a":[]}}]}'
		'"attachment":{"type":"task_status","status":{}}' '"attachment":{"type":"relevant_memories","memories":"x"}'
		'"attachment":{"type":"selected_lines_in_ide","lineStart":1e400,"content":[]}'
		'"attachment":{"type":"edited_text_file"},"rendered":{}'
		'"attachment":{"type":"date_change"},"rendered":[]'
		'"attachment":{"type":"date_change"},"rendered":[null,{"content":"x"}]'
		'"attachment":{"type":"date_change"},"rendered":[{"content":[{"type":"image"}]}]'
		'"attachment":{"type":"date_change"},"rendered":[{"content":""}],"renderedRole":{}'
	)
	{
		claude_user 1 "" go
		for line in "${hostile[@]}"; do
			parent=$n n=$((n + 1))
			printf '\n%s' "$(claude_line $n $parent attachment "$line")"
		done
		text=$(printf '<%.0s' {1..100000})
		parent=$n n=$((n + 1))
		printf '\n%s' "$(queued $n $parent "\"$text\\u0000\\ud800\"")"
		printf '\n%s\n' "$(claude_answer $((n + 1)) $n ok)"
	} >"$SESSION"
	for of in true of_old_model; do
		$of
		mount_session
		needs python3
		python3 - "$MNT/context.json" <<-'PY'
		import json, sys
		sent = json.load(open(sys.argv[1], encoding="utf-8"))
		assert sent[0]["role"] == "user" and sent[-1]["content"][0]["text"] == "ok", sent
		words = json.dumps(sent)
		assert words.count("<" * 100000 + "\\u0000\\ufffd") == 1, len(words)
		PY
		is 26 bash -c "ls '$MNT/by-id' | wc -l"
		cat "$MNT"/by-id/*/{content,meta,context.json,context.txt} >/dev/null
		start "$SESSFS" check "$SESSION" >"$DIR/check" || true
		unmount
	done
}

# bats test_tags=full
@test "the content of an attachment is what is sent, without tags" {
	write_lines "$(claude_user 1 "" go)" \
		"$(attachment 2 1 '"type":"date","date":"2026-03-01"' '"rendered":[{"content":"<system-reminder>\nThe date is X.\n</system-reminder>"},{"content":"and\nmore"}],"renderedRole":"system"')" \
		"$(attachment 3 2 '"type":"file","filename":"/work/demo/a.txt","displayPath":"a.txt","content":{"type":"text","file":{"filePath":"/work/demo/a.txt","content":"alpha","numLines":1,"startLine":1,"totalLines":1}}')" \
		"$(attachment 4 3 '"type":"prompt_snapshot","text":"long"')" "$(claude_answer 5 4 ok)"
	mount_session
	is "The date is X.
and
more" cat "$MNT/$(at 2)/content"
	grep -qx "Result of calling the Read tool:" "$MNT/$(at 3)/content"
	run -1 grep -rq system-reminder "$MNT/by-id"
	is "attachment  file a.txt" cat "$MNT/$(at 3)/words"
	grep -qx "subtype: date" "$MNT/$(at 2)/meta"
	# Nothing is sent for this one: its fields.
	grep -qx '    "text": "long"' "$MNT/$(at 4)/content"
	is "by-id/$(uuid 3)/content:2:Result of calling the Read tool:" grep Result "$MNT/lines.txt"
}

# bats test_tags=full
@test "what the user types during a turn is a user's entry, and its content" {
	write_lines "$(claude_user 1 "" go)" "$(call_and_result 2 1)" \
		"$(queued 4 3 '"typed meanwhile"' '"rendered":[{"content":"<system-reminder>\nwrapped\n</system-reminder>"}]')" \
		"$(queued 5 4 '[{"type":"text","text":"look"},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"iVBORw=="}}]')" \
		"$(attachment 6 5 '"type":"queued_command","commandMode":"task-notification","prompt":"a task has ended"')" \
		"$(claude_answer 7 6 ok)"
	mount_session
	is "typed meanwhile" cat "$MNT/$(at 4)/content"
	is "user  typed meanwhile" cat "$MNT/$(at 4)/words"
	is "look

[image/png 4 bytes: 1.png]" cat "$MNT/$(at 5)/content"
	is 4 stat -c %s "$MNT/$(at 5)/1.png"
	is "a task has ended" cat "$MNT/$(at 6)/content"
	is "attachment  a task has ended" cat "$MNT/$(at 6)/words"
	is "${SESSION%.jsonl}/by-id/$(uuid 4)/content:1:typed meanwhile" "$SESSFS" grep --role=user meanwhile "$SESSION"
	# It is sent as before.
	grep -q wrapped "$MNT/context.txt"
}
