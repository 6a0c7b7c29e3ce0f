# Rollouts of Codex CLI (sessfs-formats(5), CODEX). What the agent makes of them is in
# tests/interop/codex.
load lib/mount
load lib/run
load lib/codex

setup() {
	needs_mounts
	make_folder
	make_codex_home
}

# The texts of HEAD's context, joined by spaces. In these tests none has a quotation mark.
texts() {
	local lines line texts=()
	mapfile -t lines <"$MNT/context.json"
	for line in "${lines[@]}"; do
		while [[ $line == *'"text":"'* ]]; do
			line=${line#*'"text":"'}
			texts+=("${line%%\"*}")
			line=${line#*\"}
		done
	done
	echo "${texts[*]}"
}

write_thread() {
	{
		session_meta 1
		event '{"type":"task_started","turn_id":"t"}' 1
		said msg_1 user one 2
		event '{"type":"user_message","message":"one"}' 3
		said msg_2 assistant two 4
		line response_item '{"type":"function_call","id":"fc_1","name":"shell","arguments":"{\"command\":\"ls -l\",\"timeout\":5}","call_id":"c1"}' 5
		line response_item '{"type":"function_call_output","id":"fco_1","call_id":"c1","output":"total 0\n"}' 6
		event '{"type":"agent_message","message":"three"}' 7
		said msg_3 assistant three 8
		event '{"type":"task_complete","turn_id":"t"}' 9
	} >"$SESSION"
}

# bats test_tags=full
@test "a fork is read while its base is appended to, and after that was written over" {
	local pid i
	{
		session_meta 1
		for i in {1..40}; do
			said "msg_$i" user "text $i" "$i"
		done
	} >"$SESSION"
	base=$SESSION
	SESSION=$(rollout_path 2)
	{
		session_meta 2 "$(based_on 1 41 "$(wc -c <"$base")")"
		said msg_41 user last 42
	} >"$SESSION"
	mount_session
	while :; do
		said msg_x user "$(date +%N)" 41
	done >>"$base" 3>&- &
	pid=$!
	for _ in {1..100}; do
		cat "$MNT/context.txt" "$MNT/by-id/msg_20/content" >"$DIR/got" || break
	done
	kill "$pid"
	is "text 20" tail -n 1 "$DIR/got"
	# In place, far from the cut, and while it was growing.
	sed 's/text 2/TEXT 2/' "$base" >"$DIR/other"
	cat "$DIR/other" >"$base"
	is "TEXT 21" cat "$MNT/by-id/msg_21/content"
	is "TEXT 20" cat "$MNT/by-id/msg_20/content"
	said msg_42 user more 43 >>"$SESSION"
	is by-id/msg_42 readlink "$MNT/HEAD"
}

@test "a base that is missing may appear" {
	local base=$SESSION bytes
	write_thread
	bytes=$(wc -c <"$base")
	mv "$base" "$DIR/base"
	SESSION=$(rollout_path 2)
	{
		session_meta 2 "$(based_on 1 10 "$bytes")"
		said msg_4 user other 11
	} >"$SESSION"
	mount_session
	is other texts
	grep -qx "missing-base: there is no such rollout: $(rollout_id 1)" "$MNT/info"
	head -c 500 "$DIR/base" >"$base"
	is "missing-base: it has fewer bytes than are based on: $(rollout_id 1)" grep ^missing-base "$MNT/info"
	cat "$DIR/base" >"$base"
	is "one two three other" texts
	not grep -q ^missing-base "$MNT/info"
	rm "$base"
	is other texts
	# In a folder that was not there, either.
	mkdir "$CODEX_HOME/archived_sessions"
	mv "$DIR/base" "$CODEX_HOME/archived_sessions/${base##*/}"
	is "one two three other" texts
}

@test "a base that is compressed is named as such, and read when it is decompressed" {
	local base=$SESSION
	write_thread
	SESSION=$(rollout_path 2)
	{
		session_meta 2 "$(based_on 1 10 "$(wc -c <"$base")")"
		said msg_4 user four 10
	} >"$SESSION"
	# Its bytes do not matter. It may have been archived before.
	mkdir "$CODEX_HOME/archived_sessions"
	cp "$base" "$DIR/base"
	mv "$base" "$CODEX_HOME/archived_sessions/${base##*/}.zst"
	mount_session
	is four texts
	is "missing-base: compressed, so not read; zstd -d makes it readable: $CODEX_HOME/archived_sessions/${base##*/}.zst" grep ^missing-base "$MNT/info"
	run "$SESSFS" check "$SESSION"
	[ "$status" -eq 1 ]
	is "$SESSION: base $CODEX_HOME/archived_sessions/${base##*/}.zst: compressed, so not read; zstd -d makes it readable" head -n 1 <<<"$output"
	cp "$DIR/base" "$CODEX_HOME/archived_sessions/${base##*/}"
	is "one two three four" texts
	not grep -q ^missing-base "$MNT/info"
}

@test "lines with one ordinal, and ordinals that are large" {
	{
		session_meta 1
		said msg_1 user one 5
		line response_item '{"type":"message","role":"user","content":[]}' 5
		line response_item '{"type":"message","role":"user","content":[]}' 5
		line response_item '{"type":"message","role":"user","content":[]}' 9007199254740993
	} >"$SESSION"
	mount_session
	is "msg_1
5
5~4
9007199254740993" ls -U "$MNT/by-id"
	is 9007199254740994,9007199254740994 bash -c "grep -o 90071992547409[0-9]* '$MNT/by-id/9007199254740993/branch.jsonl' | paste -s -d ,"
	yes "$(tail -n 1 "$SESSION" | sed 's/9007199254740993/5/')" | head -n 20000 >>"$SESSION"
	is by-id/5~20005 readlink "$MNT/HEAD"
}

# What the agent says in a user's or the developer's name.
write_notes() {
	said msg_2 developer "<managed_developer_instructions>x</managed_developer_instructions>"
	said msg_3 user "<recommended_plugins>x</recommended_plugins>"
	said msg_4 user '<codex_internal_context source=\"goal\">x</codex_internal_context>'
}

@test "a session's title is what a person typed, not a message of the agent's own" {
	{
		session_meta 1
		write_notes
		said msg_5 user "Count the words" 5
	} >"$SESSION"
	is "Count the words" cut -f 9 <("$SESSFS" list "$CODEX_HOME/sessions")
	start "$SESSFS" "$CODEX_HOME/sessions" "$MNT"
	is "Count the words" cut -f 9 "$MNT/sessions.txt"
}

@test "rollbacks over what many compactions have left" {
	local i
	{
		session_meta 1
		printf '{"timestamp":"2026-03-01T10:00:01.000Z","ordinal":%d,"type":"response_item","payload":{"type":"message","role":"user","content":[]}}\n' {1..4000}
		for i in {1..1000}; do
			line compacted "{\"message\":\"s$i\"}" "$((4000 + i))"
			rolled_back 2
		done
		said msg_1 user last 9000
	} >"$SESSION"
	mount_session
	is 3001 grep -c '"role"' "$MNT/context.json"
	is last texts
}

@test "thousands of compactions, each of which keeps what the others have left" {
	{
		session_meta 1
		said msg_1 user first 1
		for i in {2..3000}; do
			line compacted "{\"message\":\"summary $i\"}" "$i"
		done
		said msg_2 user last 3001
	} >"$SESSION"
	mount_session
	texts >"$DIR/texts"
	is "first summary 2 summary 3" cut -d ' ' -f 1-5 "$DIR/texts"
	is "summary 3000 last" cut -d ' ' -f 5998- "$DIR/texts"
}

@test "HEAD and labels are beside the file, which is never written to" {
	write_thread
	cp "$SESSION" "$DIR/before"
	mount_session
	ln -sfn by-id/msg_2 "$MNT/HEAD"
	is by-id/msg_2 readlink "$MNT/HEAD"
	echo mine >"$MNT/by-id/fc_1/label"
	is mine cat "$MNT/by-label/mine/label"
	is "one two" texts
	fails_with "Read-only file system" say '{}'
	grep -q "^last-refused: an agent that has the thread open would not see the line" "$MNT/info"
	fails_with "Read-only file system" bash -c "echo x >'$MNT/name'"
	cmp "$DIR/before" "$SESSION"
	is '{"head":"msg_2","leaf":"msg_3","labels":{"fc_1":"mine"}}' cat "${SESSION%.jsonl}.sessfs.json"
	# The agent goes on: the later write wins.
	said msg_7 user more 10 >>"$SESSION"
	is by-id/msg_7 readlink "$MNT/HEAD"
}

@test "a branch of a thread is a line that bases a new one on it" {
	write_thread
	mount_session
	cat "$MNT/by-id/msg_2/branch.jsonl" >"$DIR/branch"
	is 1 grep -c '' "$DIR/branch"
	unmount
	daemon_is_gone
	SESSION=$(rollout_path 2)
	mv "$DIR/branch" "$SESSION"
	mount_session
	is "one two" texts
	is by-id/msg_2 readlink "$MNT/HEAD"
	# The agent asks its configuration for the provider, if a thread has one.
	not grep model_provider "$MNT/by-id/msg_1/branch.jsonl"
	session_meta 2 '"model_provider":"mine"' >"$SESSION"
	said msg_1 user one >>"$SESSION"
	grep -q '"model_provider":"mine"' "$MNT/by-id/msg_1/branch.jsonl"
	# A thread can't be based on a line that has not ended.
	truncate -s -1 "$SESSION"
	not grep history_base "$MNT/by-id/msg_1/branch.jsonl"
	is "$(said msg_1 user one)" sed -n 2p "$MNT/by-id/msg_1/branch.jsonl"
}
