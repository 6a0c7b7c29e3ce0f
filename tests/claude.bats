# Claude Code: what FORMATS 6, 9 and 12 promise.
load helpers

SESSION_ID=5e55f500-0000-4000-8000-000000000001

# A question, and two answers to it: 1-2-3 and 1-4-5; the second is newer.
write_two_branches() {
	write_lines "$(claude_user 1 "" question)" "$(claude_answer 2 1 first)" "$(claude_user 3 2 thanks)" \
		"$(claude_answer 4 1 second)" "$(claude_user 5 4 "thanks again")"
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

# A compaction's boundary: number, more members.
boundary() {
	claude_line "$1" "" system "\"subtype\":\"compact_boundary\",\"content\":\"Conversation compacted\",\"compactMetadata\":{\"trigger\":\"manual\",\"preTokens\":1000},$2"
}

summary() {
	claude_line "$1" "$2" user '"isCompactSummary":true,"isVisibleInTranscriptOnly":true,"message":{"role":"user","content":"SUM"}'
}

# A record of the last prompt: the entry's number, more members.
pin() {
	printf '{"type":"last-prompt","lastPrompt":"x","leafUuid":"%s",%s"sessionId":"%s"}' "$(uuid "$1")" "${2:-}" "$SESSION_ID"
}

at() {
	printf 'by-id/%s' "$(uuid "$1")"
}

sidecar() {
	printf '%s' "$DIR/session.sessfs.json"
}

# The sidecar says this head and these labels (none if not given), as JSON;
# entries go by number.
sidecar_says() {
	needs python3
	python3 - "$(sidecar)" "$@" <<-'PY'
	import json, sys
	ours = json.load(open(sys.argv[1]))
	uuid = "c1a0de00-0000-4000-8000-{:012}".format
	head, labels = map(json.loads, (sys.argv[2:] + ["{}"])[:2])
	assert ours["head"] == (head and uuid(head)), ours
	assert ours.get("labels", {}) == {uuid(int(n)): l for n, l in labels.items()}, ours
	assert set(ours) <= {"head", "leaf", "labels"}, ours
	PY
}

# The transcript as it is now, for untouched().
remember() {
	touch -d '2026-03-02 00:00:00 UTC' "$SESSION"
	cp "$SESSION" "$DIR/before"
	stat -c '%i %Y %Z' "$SESSION" >"$DIR/times"
}

untouched() {
	cmp "$DIR/before" "$SESSION"
	stat -c '%i %Y %Z' "$SESSION" | diff "$DIR/times" -
}

# The chain

@test "FORMATS 6.1: it is known by its lines; the session and the folder are named" {
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

# The leaf

@test "FORMATS 6.2: the leaf is the tip with the newest timestamp, wherever it stands" {
	write_lines "$(claude_user 1 "" question)" "$(claude_answer 4 1 newer)" "$(claude_answer 3 1 older)"
	mount_session
	head_is "$(at 4)"
}

@test "FORMATS 6.2: a tip stands for the nearest user or assistant line above it" {
	# 9 is the newest line of all; what it hangs on is older than 3.
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

@test "FORMATS 6.2: a pin that is not explicit is none" {
	write_two_branches
	mount_session
	{ pin 3; echo; pin 3 '"explicit":false,'; echo; pin 3 '"explicit":"true",'; echo; } >>"$SESSION"
	head_is "$(at 5)"
}

@test "FORMATS 6.2: a pin of an unknown entry or a sidechain is none" {
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

# The context

@test "FORMATS 6.2: a response is one message, then all its results, in order" {
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

@test "FORMATS 6.2: the same as text" {
	write_parallel
	mount_session
	context_is . "[User]: look at both" \
		'[Assistant tool calls]: Read(file_path="a"); Read(file_path="b")' \
		"[Tool result]: A-body" "[Tool result]: B-body" "[Assistant]: Both read."
}

@test "FORMATS 6.2: responses with other message ids stay apart" {
	write_lines "$(claude_user 1 "" one)" "$(claude_answer 2 1 two)" "$(claude_answer 3 2 three)"
	mount_session
	context_is . "[User]: one" "[Assistant]: two" "[Assistant]: three"
	is 3 bash -c "grep -c '\"role\"' '$MNT/context.json'"
}

@test "FORMATS 6.1: pictures beside results and inside of them are numbered through" {
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
	for i in {2..301}; do
		printf '\0\1\2\3' | cmp - $i.gif
	done
	printf '\0\1\2\3\4' | cmp - 302.jpg
	cd /
}

@test "FORMATS 6.1: blocks of a user line: text, pictures, results of blocks" {
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

@test "DESIGN, content: lists in a tool's input are flattened" {
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

@test "DESIGN, entry folder: meta, content, mtime and raw.json of entries" {
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

@test "FORMATS 6.3: a boundary cuts the context, and the tree goes on above it" {
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

@test "FORMATS 6.3: a boundary whose logical parent is not in the file is a root" {
	write_lines "$(boundary 3 "\"logicalParentUuid\":\"$(uuid 2)\"")" "$(summary 4 3)" "$(claude_user 5 4 new)" \
		"$(boundary 6 '"level":"info"')"
	mount_session
	is "$(uuid 3)
$(uuid 6)" ls "$MNT/tree"
	fails_with "No such file" stat "$MNT/$(at 3)/parent"
	context_is "$(at 5)" "[User]: SUM" "[User]: new"
}

@test "FORMATS 6.3: after two boundaries the last one counts" {
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

@test "FORMATS 6.3: a microcompact_boundary does not cut" {
	write_lines "$(claude_user 1 "" one)" \
		"$(claude_line 2 1 system '"subtype":"microcompact_boundary","content":"x"')" "$(claude_answer 3 2 two)"
	mount_session
	context_is . "[User]: one" "[Assistant]: two"
}

@test "FORMATS 6.3: the messages that a compaction preserves stand after its anchor" {
	write_lines "$(claude_user 1 "" old)" "$(claude_answer 2 1 "old answer")" "$(claude_user 3 2 kept)" \
		"$(claude_answer 4 3 "kept answer")" \
		"$(boundary 5 "\"logicalParentUuid\":\"$(uuid 4)\"" | sed "s/\"preTokens\":1000/&,\"preservedSegment\":{\"headUuid\":\"$(uuid 3)\",\"anchorUuid\":\"$(uuid 6)\",\"tailUuid\":\"$(uuid 4)\"}/")" \
		"$(summary 6 5)" "$(claude_user 7 6 new)"
	mount_session
	context_is . "[User]: SUM" "[User]: kept" "[Assistant]: kept answer" "[User]: new"
	sed -i "s/\"preservedSegment\":{[^}]*}/\"preservedMessages\":{\"anchorUuid\":\"$(uuid 6)\",\"uuids\":[\"$(uuid 3)\",\"$(uuid 4)\"]}/" "$SESSION"
	context_is . "[User]: SUM" "[User]: kept" "[Assistant]: kept answer" "[User]: new"
}

# HEAD: the sidecar of sessfs

@test "FORMATS 12: a head move is written to the sidecar, never to the transcript" {
	write_two_branches
	remember
	mount_session
	ln -sfn "$(at 3)" "$MNT/HEAD"
	head_is "$(at 3)"
	sidecar_says 3
	json_is "{\"head\":\"$(uuid 3)\",\"leaf\":\"$(uuid 5)\",\"labels\":{}}" "$(sidecar)"
	untouched
	context_is . "[User]: question" "[Assistant]: first" "[User]: thanks"
}

@test "FORMATS 12: a head move holds at the next mount, and leaves nothing temporary" {
	write_two_branches
	mount_session
	ln -sfn "$(at 3)" "$MNT/HEAD"
	ln -sf "$(at 2)" "$MNT/HEAD"
	is "mnt
session.jsonl
session.sessfs.json" env LC_ALL=C ls -A "$DIR"
	unmount
	daemon_is_gone
	mount_session
	head_is "$(at 2)"
}

@test "FORMATS 12: the sidecar is replaced by rename" {
	write_two_branches
	mount_session
	ln -sfn "$(at 3)" "$MNT/HEAD"
	ln "$(sidecar)" "$DIR/link"
	ln -sfn "$(at 2)" "$MNT/HEAD"
	sidecar_says 2
	grep -q "$(uuid 3)" "$DIR/link"
}

@test "DESIGN, HEAD: tree is before the first entry" {
	write_two_branches
	remember
	mount_session
	ln -sfn tree "$MNT/HEAD"
	head_is tree
	sidecar_says null
	context_is .
	is '[]' cat "$MNT/context.json"
	untouched
	unmount
	daemon_is_gone
	mount_session
	head_is tree
}

@test "DESIGN, HEAD: the later write wins: a new leaf of the transcript takes HEAD" {
	write_two_branches
	mount_session
	ln -sfn "$(at 3)" "$MNT/HEAD"
	{ claude_answer 6 5 newest; echo; } >>"$SESSION"
	head_is "$(at 6)"
	is "[Assistant]: newest" tail -n 1 "$MNT/context.txt"
	ln -sfn "$(at 2)" "$MNT/HEAD"
	head_is "$(at 2)"
}

@test "DESIGN, HEAD: what leaves the transcript's leaf where it is leaves HEAD too" {
	write_two_branches
	mount_session
	ln -sfn "$(at 3)" "$MNT/HEAD"
	{
		echo '{"type":"custom-title","customTitle":"T","sessionId":"x"}'
		sidechain claude_user 20 "" side; echo
		claude_line 21 5 system '"subtype":"turn_duration"'; echo
	} >>"$SESSION"
	head_is "$(at 3)"
}

@test "FORMATS 12: a sidecar that names no leaf is honoured" {
	write_two_branches
	printf '{"head":"%s","labels":{}}' "$(uuid 3)" >"$(sidecar)"
	mount_session
	head_is "$(at 3)"
}

@test "DESIGN, rule 3: a sidecar that somebody else replaces shows at once" {
	write_two_branches
	mount_session
	head_is "$(at 5)"
	printf '{"head":"%s","labels":{"%s":"theirs"}}' "$(uuid 3)" "$(uuid 2)" >"$DIR/new"
	mv "$DIR/new" "$(sidecar)"
	head_is "$(at 3)"
	is theirs cat "$MNT/$(at 2)/label"
	is "[User]: thanks" tail -n 1 "$MNT/context.txt"
	rm "$(sidecar)"
	head_is "$(at 5)"
	[ ! -s "$MNT/$(at 2)/label" ]
	[ -z "$(ls "$MNT/by-label")" ]
}

@test "a damaged sidecar: reading goes on, a write is EIO and leaves it" {
	write_two_branches
	printf '{"head":"' >"$(sidecar)"
	cp "$(sidecar)" "$DIR/damaged"
	remember
	mount_session
	head_is "$(at 5)"
	fails_with "Input/output error" ln -sfn "$(at 3)" "$MNT/HEAD"
	fails_with "Input/output error" bash -c "echo x >'$MNT/$(at 3)/label'"
	cmp "$DIR/damaged" "$(sidecar)"
	head_is "$(at 5)"
	grep -qx "sidecar: damaged; nothing is written" "$MNT/info"
	echo '{"head":"nobody"}' >"$(sidecar)"
	grep -qx "sidecar: its head is no entry" "$MNT/info"
	echo '{}' >"$(sidecar)"
	run ! grep -q "^sidecar:" "$MNT/info"
	untouched
}

@test "-o ro refuses every write with EROFS" {
	write_two_branches
	remember
	mount_session -o ro
	fails_with "Read-only file system" ln -sfn "$(at 3)" "$MNT/HEAD"
	fails_with "Read-only file system" bash -c "echo x >'$MNT/HEAD/label'"
	untouched
	[ ! -e "$(sidecar)" ]
}

@test "DESIGN, rule 2: reading writes nothing, no sidecar either" {
	write_parallel
	remember
	mount_session
	find "$MNT" -type f -exec cat {} + >/dev/null
	cat "$MNT/HEAD/branch.jsonl" "$MNT/HEAD/raw.json" "$MNT/context.json" >/dev/null
	untouched
	[ ! -e "$(sidecar)" ]
}

# Labels

@test "FORMATS 12: a label is written to the sidecar, never to the transcript" {
	needs python3
	write_two_branches
	remember
	mount_session
	echo tested >"$MNT/$(at 3)/label"
	python3 - "$(sidecar)" "$(uuid 3)" <<-'PY'
	import json, sys
	assert json.load(open(sys.argv[1]))["labels"] == {sys.argv[2]: "tested"}
	PY
	is tested cat "$MNT/$(at 3)/label"
	is "../by-id/$(uuid 3)" readlink "$MNT/by-label/tested"
	untouched
}

@test "FORMATS 12: a label moves no head: HEAD follows the transcript as before" {
	write_two_branches
	mount_session
	echo tested >"$MNT/$(at 3)/label"
	head_is "$(at 5)"
	{ claude_answer 6 5 newest; echo; } >>"$SESSION"
	head_is "$(at 6)"
	echo again >"$MNT/$(at 3)/label"
	head_is "$(at 6)"
	unmount
	daemon_is_gone
	mount_session
	head_is "$(at 6)"
}

@test "FORMATS 12: head and labels are kept side by side" {
	write_two_branches
	mount_session
	echo one >"$MNT/$(at 2)/label"
	ln -sfn "$(at 3)" "$MNT/HEAD"
	echo 'größe "x"' >"$MNT/$(at 4)/label"
	sidecar_says 3 '{"2":"one","4":"größe \"x\""}'
	head_is "$(at 3)"
	unmount
	daemon_is_gone
	mount_session
	head_is "$(at 3)"
	is one cat "$MNT/$(at 2)/label"
	is 'größe "x"' cat "$MNT/$(at 4)/label"
}

@test "DESIGN, label: replaced and cleared" {
	write_two_branches
	mount_session
	ln -sfn "$(at 3)" "$MNT/HEAD"
	echo one >"$MNT/$(at 2)/label"
	echo two >"$MNT/$(at 2)/label"
	echo three >"$MNT/$(at 4)/label"
	is two cat "$MNT/$(at 2)/label"
	: >"$MNT/$(at 2)/label"
	[ ! -s "$MNT/$(at 2)/label" ]
	is three ls "$MNT/by-label"
	sidecar_says 3 '{"4":"three"}'
}

# branch.jsonl: a file that a resume accepts

# The branch of an entry has lines of these numbers, as one chain in this order,
# and ends with a pin of the last one.
branch_has() {
	needs python3
	python3 - "$SESSION" "$MNT/$(at "$1")/branch.jsonl" "$2" <<-'PY'
	import json, re, sys
	source, branch, want = sys.argv[1:]
	entries = {}
	for l in map(json.loads, open(source)):
	    entries[l.get("uuid")] = l
	uuid = "c1a0de00-0000-4000-8000-{:012}".format
	text = open(branch).read()
	assert text == open(branch).read(), "it is another one at each reading"
	assert text.endswith("}\n"), text[-20:]
	*chain, pin = map(json.loads, text.splitlines())
	(session,) = {l["sessionId"] for l in [*chain, pin]}
	assert re.fullmatch("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", session), session
	source_session = "5e55f500-0000-4000-8000-000000000001"
	assert session != source_session
	assert [l.get("uuid") for l in chain] == [uuid(int(n)) for n in want.split()], chain
	before = None
	for l in chain:
	    same = dict(entries[l["uuid"]], sessionId=session, parentUuid=before)
	    same["forkedFrom"] = {"sessionId": source_session, "messageUuid": l["uuid"]}
	    assert l == same, (l, same)
	    before = l["uuid"]
	assert pin["type"] == "last-prompt" and pin["explicit"] is True, pin
	assert pin["leafUuid"] == before, pin
	PY
}

@test "FORMATS 6.4: a branch is the chain alone, as a session of its own" {
	write_two_branches
	sed -i '1i {"type":"summary","summary":"T","leafUuid":"x"}' "$SESSION"
	echo '{"type":"mode","mode":"plan","sessionId":"x"}' >>"$SESSION"
	mount_session
	branch_has 3 "1 2 3"
	branch_has 5 "1 4 5"
	branch_has 1 "1"
}

@test "FORMATS 6.4: a branch has every fragment of its responses and every result" {
	write_parallel
	mount_session
	branch_has 7 "1 2 3 4 5 6 7"
}

@test "FORMATS 6.4: a branch is never cut between a call and its result" {
	write_parallel
	mount_session
	branch_has 2 "1 2 3 4 5 6"
	branch_has 4 "1 2 3 4 5 6"
	branch_has 5 "1 2 3 4 5 6"
	branch_has 6 "1 2 3 4 5 6"
}

@test "FORMATS 6.4: a branch is the same at the next mount" {
	write_parallel
	mount_session
	cp "$MNT/$(at 7)/branch.jsonl" "$DIR/first"
	unmount
	daemon_is_gone
	mount_session
	cmp "$DIR/first" "$MNT/$(at 7)/branch.jsonl"
}

@test "FORMATS 6.4: a branch opened gives the entry as head, and its context" {
	mount_fixture claude-basic.jsonl
	cp "$MNT/$(at 10)/context.json" "$DIR/context"
	mount_branch "$(uuid 10)"
	grep -qx "dialect: claude" "$MNT/info"
	head_is "$(at 10)"
	cmp "$DIR/context" "$MNT/context.json"
	if grep -q -e bad-lines -e missing-parents "$MNT/info"; then return 1; fi
}

@test "FORMATS 6.4: a branch below a boundary has the context of its entry" {
	write_compacted
	mount_session
	cp "$MNT/$(at 5)/context.json" "$DIR/context"
	mount_branch "$(uuid 5)"
	head_is "$(at 5)"
	cmp "$DIR/context" "$MNT/context.json"
}

@test "FORMATS 6.4: an entry's line keeps its bytes in a branch, but for where it is" {
	write_lines "$(claude_block 1 "" msg_a '{"type":"thinking","thinking":"a\u00e9\/ \ud83d","signature":"AA==","n":1.50}' | sed 's/,"version"/ , "version"/')"
	mount_session
	local forked
	forked="\"forkedFrom\":{\"sessionId\":\"$SESSION_ID\",\"messageUuid\":\"$(uuid 1)\"}"
	is "$(sed "s/$SESSION_ID/ID/; s/}\$/,$forked}/" "$SESSION")" bash -c \
		"head -n 1 '$MNT/$(at 1)/branch.jsonl' | sed 's/\"sessionId\":\"[^\"]*\"/\"sessionId\":\"ID\"/'"
}

# Seen at once

@test "DESIGN, rule 3: an appended line is everywhere at once" {
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

@test "DESIGN, rule 3: a fragment and a result that come later join their response" {
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

# Files that are not what they should be: FORMATS 9

@test "FORMATS 9: a bad line is skipped" {
	write_lines "$(claude_user 1 "" one)" '{bad' "$(claude_answer 2 1 two)"
	mount_session
	context_is . "[User]: one" "[Assistant]: two"
	grep -qx "bad-lines: 1 (line 2)" "$MNT/info"
}

@test "FORMATS 9: null, other values and objects without uuid are passed over" {
	write_lines "$(claude_user 1 "" one)" null 5 '[1]' '{}' '{"uuid":7,"type":"user"}' \
		'{"uuid":"","type":"user","message":{"role":"user","content":"x"}}' "$(claude_answer 2 1 two)"
	mount_session
	is "$(uuid 1)
$(uuid 2)" ls -U "$MNT/by-id"
	context_is . "[User]: one" "[Assistant]: two"
}

@test "FORMATS 9: the same as last lines do not choose the leaf" {
	write_lines "$(claude_user 1 "" one)" '{"type":"user","message":{"role":"user","content":"x"}}' '{}' 5 null '{bad'
	mount_session
	head_is "$(at 1)"
	context_is . "[User]: one"
}

@test "FORMATS 9: a torn last line is skipped, and read when it is whole" {
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

@test "FORMATS 9: writes leave a torn transcript as it is" {
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

@test "FORMATS 9: a whole last line without LF is read" {
	write_lines "$(claude_user 1 "" one)"
	claude_answer 2 1 two >>"$SESSION"
	mount_session
	head_is "$(at 2)"
	context_is . "[User]: one" "[Assistant]: two"
}

@test "FORMATS 9: a byte order mark costs nothing" {
	write_lines "$(claude_user 1 "" one)" "$(claude_answer 2 1 two)"
	printf '\xef\xbb\xbf' | cat - "$SESSION" >"$DIR/bom"
	mv "$DIR/bom" "$SESSION"
	mount_session
	grep -qx "dialect: claude" "$MNT/info"
	context_is . "[User]: one" "[Assistant]: two"
}

@test "FORMATS 9: an empty file is a session that has not begun" {
	: >"$SESSION"
	mount_session -o dialect=claude
	head_is tree
	is '[]' cat "$MNT/context.json"
	write_lines "$(claude_user 1 "" one)"
	head_is "$(at 1)"
	context_is . "[User]: one"
}

@test "FORMATS 9: of equal uuids the last copy is the node" {
	write_lines "$(claude_user 1 "" one)" "$(claude_answer 2 1 two)" "$(claude_user 3 2 three)" "$(claude_answer 2 "" again)"
	mount_session
	head_is "$(at 3)"
	context_is . "[Assistant]: again" "[User]: three"
	grep -qx "duplicate-ids: 1 (line 4)" "$MNT/info"
}

@test "FORMATS 9: at a parent that was never written the chain stops; an extra root" {
	write_lines "$(claude_user 1 "" one)" "$(claude_user 3 99 orphan)" "$(claude_answer 4 3 reply)"
	mount_session
	is "$(uuid 1)
$(uuid 3)" ls "$MNT/tree"
	head_is "$(at 4)"
	context_is . "[User]: orphan" "[Assistant]: reply"
	grep -qx "missing-parents: 1 (line 2)" "$MNT/info"
}

@test "FORMATS 9: a parent may stand later in the file" {
	write_lines "$(claude_answer 2 1 two)" "$(claude_user 1 "" one)"
	mount_session
	head_is "$(at 2)"
	context_is . "[User]: one" "[Assistant]: two"
	is "$(uuid 1)" ls "$MNT/tree"
}

@test "FORMATS 9: a cycle is cut at its first entry" {
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

@test "FORMATS 6.3, 9: a logical parent that closes a cycle is cut as well" {
	write_lines "$(claude_user 1 3 one)" "$(claude_answer 2 1 two)" \
		"$(boundary 3 "\"logicalParentUuid\":\"$(uuid 2)\"")" "$(summary 4 3)"
	mount_session
	is "$(uuid 1)" ls "$MNT/tree"
	context_is "$(at 4)" "[User]: SUM"
	grep -q "^cycles: 1 " "$MNT/info"
}

@test "FORMATS 9: an entry of an unknown type is an inert link" {
	write_lines "$(claude_user 1 "" one)" \
		"$(claude_line 2 1 future '"message":{"role":"user","content":"x"},"summary":"y"')" "$(claude_answer 3 2 two)"
	mount_session
	context_is . "[User]: one" "[Assistant]: two"
	grep -q '"summary": "y"' "$MNT/$(at 2)/content"
}

@test "FORMATS 6.2: one response of 20,000 fragments, each with a result off the chain" {
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

# Many at once, and what they leave behind

@test "DESIGN, rule 6: labels and moves from two mounts at once: none is lost" {
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

@test "DESIGN, entry folder: the sidecar is not open to more people than the transcript" {
	write_two_branches
	chmod 600 "$SESSION"
	mount_session
	echo x >"$MNT/$(at 2)/label"
	is 600 stat -c %a "$(sidecar)"
	ln -sfn "$(at 2)" "$MNT/HEAD"
	is 600 stat -c %a "$(sidecar)"
}
