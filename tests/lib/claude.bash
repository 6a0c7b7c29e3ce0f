# Claude Code's transcripts, and the sidecar that sessfs keeps beside one.
. "$ROOT/tests/lib/session.bash"

SESSION_ID=5e55f500-0000-4000-8000-000000000001
# Of the agent that has written the lines.
CLAUDE_VERSION=2.1.330

UUID=c1a0de00-0000-4000-8000-%012d

# These of the first entries, and their folders.
UUIDS=() AT=()
for n in {0..60}; do
	# shellcheck disable=SC2059 # a format
	printf -v "UUIDS[$n]" "$UUID" "$n"
	# shellcheck disable=SC2034 # tests read it
	AT[n]=by-id/${UUIDS[n]}
done
unset n

uuid() {
	# shellcheck disable=SC2059 # a format
	printf "$UUID" "$1"
}

# A line of Claude Code: number (for the uuid and the time), number of the
# parent ("" for none), type, other fields as JSON members.
claude_line() {
	local parent=null uuid
	# shellcheck disable=SC2059 # a format
	[ -z "$2" ] || printf -v parent "\"$UUID\"" "$2"
	# shellcheck disable=SC2059
	printf -v uuid "$UUID" "$1"
	printf '{"parentUuid":%s,"isSidechain":%s,"userType":"external","cwd":"/work/demo","sessionId":"5e55f500-0000-4000-8000-000000000001","version":"%s","gitBranch":"main","type":"%s",%s,"uuid":"%s","timestamp":"2026-03-01T10:00:%02d.000Z"}' "$parent" "${SIDECHAIN:-false}" "$CLAUDE_VERSION" "$3" "$4" "$uuid" "$1"
}

# A user's message: number, number of the parent, text.
claude_user() {
	claude_line "$1" "$2" user "\"message\":{\"role\":\"user\",\"content\":\"$3\"}"
}

# A fragment of a response: number, number of the parent, message id, block.
claude_block() {
	claude_line "$1" "$2" assistant "\"message\":{\"id\":\"$3\",\"type\":\"message\",\"role\":\"assistant\",\"model\":\"m-x\",\"content\":[$4],\"stop_reason\":null,\"usage\":{\"input_tokens\":1,\"output_tokens\":1}}"
}

# A complete response with one text: number (also for the message id), number of
# the parent, text.
claude_answer() {
	claude_block "$1" "$2" "msg_$1" "{\"type\":\"text\",\"text\":\"$3\"}"
}

# The result of a tool call: number, number of the parent, id of the call, text.
claude_result() {
	claude_line "$1" "$2" user "\"message\":{\"role\":\"user\",\"content\":[{\"tool_use_id\":\"$3\",\"type\":\"tool_result\",\"content\":\"$4\"}]}"
}

# Run a command that prints a line, and make it a subagent's line.
sidechain() {
	SIDECHAIN=true "$@"
	echo
}

# The text of a result that stands for a file, in JSON: its path.
persisted() {
	printf '%s' "<persisted-output>\\nOutput too large (106.3KB). Full output saved to: $1\\n\\nPreview (first 2KB):\\n1\\n2\\n...\\n</persisted-output>"
}

# The result of a tool in a file: number, number of the parent, name.
in_file() {
	claude_result "$1" "$2" "t$1" "$(persisted "/home/x/.claude/projects/p/s/tool-results/$3")"
}

# A call of the tool Agent: number, number of the parent, id of the call.
call_agent() {
	claude_block "$1" "$2" "msg_$1" "{\"type\":\"tool_use\",\"id\":\"$3\",\"name\":\"Agent\",\"input\":{\"prompt\":\"look\"}}"
}

# Its result: number, number of the parent, id of the call, id of the subagent,
# other fields.
agent_result() {
	claude_line "$1" "$2" user "\"message\":{\"role\":\"user\",\"content\":[{\"tool_use_id\":\"$3\",\"type\":\"tool_result\",\"content\":\"seen\"}]},\"toolUseResult\":{\"status\":\"completed\",\"agentId\":\"$4\"}${5-}"
}

# The transcript of a subagent: its file, its first number, what it was told,
# what it says, lines in between.
write_agent() {
	local file=$1 n=$2 told=$3 says=$4
	shift 4
	mkdir -p "${file%/*}"
	printf '%s\n' "$(sidechain claude_user "$n" "" "$told")" "$@" \
		"$(sidechain claude_answer "$((n + 9))" "$((n + $#))" "$says")" >"$file"
}

# 1, then 2 calls two subagents in two lines, whose results are 4 and 5; 6 says
# so. The second one has started a third.
write_agents() {
	local own=${SESSION%.jsonl}
	write_lines "$(claude_user 1 "" "look at both")" \
		"$(call_agent 2 1 t1)" "$(call_agent 3 2 t2 | sed s/msg_3/msg_2/)" \
		"$(agent_result 4 2 t1 aa11)" "$(agent_result 5 3 t2 bb22)" "$(claude_answer 6 5 "Both seen.")"
	write_agent "$own/subagents/agent-aa11.jsonl" 20 "look at the walrus" "A walrus."
	write_agent "$own/subagents/agent-bb22.jsonl" 40 "look at the narwhal" "A narwhal." \
		"$(sidechain call_agent 41 40 t3)" \
		"$(sidechain claude_result 42 41 t3 'seen\nagentId: cc33 (to go on with it)\nmore: no')"
	write_agent "$own/subagents/agent-cc33.jsonl" 50 "look at the orca" "An orca."
	echo '{"agentType":"general-purpose"}' >"$own/subagents/agent-aa11.meta.json"
}

# A question, and two answers to it: 1-2-3 and 1-4-5; the second is newer.
write_two_branches() {
	{
		claude_user 1 "" question && echo
		claude_answer 2 1 first && echo
		claude_user 3 2 thanks && echo
		claude_answer 4 1 second && echo
		claude_user 5 4 "thanks again" && echo
	} >"$SESSION"
}

# One response in three lines, its two calls answered side by side: 2-3-4 and
# the results 5 (below 3, off the chain) and 6 (below 4); then the answer 7.
write_parallel() {
	write_lines "$(claude_user 1 "" "look at both")" \
		"$(claude_block 2 1 msg_a '{"type":"thinking","thinking":"hm","signature":"AA=="}')" \
		"$(claude_block 3 2 msg_a '{"type":"tool_use","id":"t1","name":"Read","input":{"file_path":"a"}}')" \
		"$(claude_block 4 3 msg_a '{"type":"tool_use","id":"t2","name":"Read","input":{"file_path":"b"}}')" \
		"$(claude_result 5 3 t1 A-body)" "$(claude_result 6 4 t2 B-body)" "$(claude_answer 7 6 "Both read.")"
}

# An old turn, the boundary 3, its summary 4, a new turn.
write_compacted() {
	write_lines "$(claude_user 1 "" "old question")" "$(claude_answer 2 1 "old answer")" \
		"$(boundary 3 "\"logicalParentUuid\":\"$(uuid 2)\"")" "$(summary 4 3)" \
		"$(claude_user 5 4 "new question")" "$(claude_answer 6 5 "new answer")"
}

# The boundary of a compaction: number, more members.
boundary() {
	claude_line "$1" "" system "\"subtype\":\"compact_boundary\",\"content\":\"Conversation compacted\",\"compactMetadata\":{\"trigger\":\"manual\",\"preTokens\":1000},$2"
}

summary() {
	claude_line "$1" "$2" user '"isCompactSummary":true,"isVisibleInTranscriptOnly":true,"message":{"role":"user","content":"SUM"}'
}

# A last-prompt record: number of the entry, more members.
pin() {
	printf '{"type":"last-prompt","lastPrompt":"x","leafUuid":"%s",%s"sessionId":"%s"}' "$(uuid "$1")" "${2:-}" "$SESSION_ID"
}

at() {
	printf 'by-id/%s' "$(uuid "$1")"
}

sidecar() {
	printf '%s' "$DIR/session.sessfs.json"
}

# Save the transcript's bytes and times for untouched().
remember() {
	touch -d '2026-03-02 00:00:00 UTC' "$SESSION"
	cp "$SESSION" "$DIR/before"
	stat -c '%i %Y %Z' "$SESSION" >"$DIR/times"
}

untouched() {
	cmp "$DIR/before" "$SESSION"
	local times
	whole times "$DIR/times"
	is "${times%$'\n'}" stat -c '%i %Y %Z' "$SESSION"
}
