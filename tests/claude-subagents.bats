# The sessions that subagents of Claude Code wrote: below the session whose
# calls started them, and linked from the entries with these calls.
load lib/mount
load lib/run
load lib/claude

# Append a line to a file.
add_to() {
	printf '%s\n' "$(cat)" >>"$1"
}

# none COMMAND...: fails if the command prints anything.
none() {
	"$@" >"$DIR/printed" || true
	cmp "$DIR/printed" /dev/null
}

# bats test_tags=full
@test "tar packs a folder with subagents, and says nothing" {
	folder_with_agents
	tar -cf "$DIR/packed" -C "$MNT" .
	tar -tf "$DIR/packed" | grep -q /subagents/agent-aa11/info
}

# The names in a folder, separated by blanks.
lists() {
	is "${1// /$'\n'}" ls "$2"
}

# Does the root list subagents/?
has_subagents() {
	ls "$MNT" >"$DIR/names" || return 2
	has_line subagents "$DIR/names"
}

folder_with_agents() {
	mkdir -p "$DIR/all/p"
	SESSION=$DIR/all/p/s.jsonl
	write_agents
	start "$SESSFS" "$DIR/all" "$MNT"
}

agent() {
	readlink "$1/${AT[$2]}/agent${3-}"
}

no_agent() {
	fails_with "No such file" stat "$1/${AT[$2]}/agent${3-}"
}

links_are_right() {
	is ../../subagents/agent-aa11 agent "$1" 2
	is ../../subagents/agent-bb22 agent "$1" 3
	is ../../../agent-cc33 agent "$1/subagents/agent-bb22" 41
	is 2 sh -c 'ls -d "$1"/by-id/*/agent* | grep -c .' - "$1"
	is "A walrus." cat "$1/by-id/${UUIDS[2]}/agent/HEAD/content"
	is "An orca." cat "$1/by-id/${UUIDS[3]}/agent/by-id/${UUIDS[41]}/agent/HEAD/content"
	is "A narwhal." cat "$1"/path/0003-*/agent/HEAD/content
}

# Rules: S1
# bats test_tags=full
@test "a session's subagents are sessions in it, linked from their calls" {
	write_agents
	mount_session
	is "agent-aa11
agent-bb22
agent-cc33" ls "$MNT/subagents"
	links_are_right "$MNT"
	[ "$(stat -c %i "$MNT/subagents/..")" = "$(stat -c %i "$MNT")" ]
	has_subagents
}

# bats test_tags=full
@test "in a folder of sessions, too, in place of the folder beside it" {
	folder_with_agents
	is s ls "$MNT/p"
	fails_with "No such file" ls "$MNT/p/s%2F"
	links_are_right "$MNT/p/s"
	is "$(stat -c %i "$MNT/p/s")" stat -c %i "$MNT/p/s/subagents/.."
}

# bats test_tags=full
@test "a folder beside a session of another agent is still there" {
	folder_with_agents
	cp "$FIXTURES/pi-v3-branches.jsonl" "$DIR/all/p/pi.jsonl"
	cp -r "$DIR/all/p/s" "$DIR/all/p/pi"
	is "pi
pi%2F
s" ls "$MNT/p"
	is "agent-aa11
agent-bb22
agent-cc33" ls "$MNT/p/pi%2F/subagents"
	fails_with "No such file" ls "$MNT/p/pi/subagents"
	rm "$DIR/all/p/s.jsonl"
	is "pi
pi%2F
s" ls "$MNT/p"
	is subagents ls "$MNT/p/s"
}

# bats test_tags=full
@test "a subagent's session ends with its last entry, and its context is all of it" {
	write_agents
	mount_session
	local agent=$MNT/subagents/agent-bb22
	is "by-id/${UUIDS[49]}" readlink "$agent/HEAD"
	is 4 sh -c 'ls "$1/path" | grep -c .' - "$agent"
	is "look at the narwhal" cat "$agent"/path/0001-*/content
	has "look at the narwhal" "$agent/context.txt"
	has "A narwhal." "$agent/context.txt"
	grep -q '"type":"tool_use"' "$agent/context.json"
}

# Rules: S3
# bats test_tags=full
@test "branch.jsonl of a subagent's entry is a conversation of its own" {
	write_agents
	mount_session
	cp "$MNT/subagents/agent-bb22/by-id/${UUIDS[49]}/branch.jsonl" "$DIR/branch.jsonl"
	is 0 sh -c 'grep -c "\"isSidechain\":true" "$1"; true' - "$DIR/branch.jsonl"
	unmount
	daemon_is_gone
	start "$SESSFS" "$DIR/branch.jsonl" "$MNT"
	is "by-id/${UUIDS[49]}" readlink "$MNT/HEAD"
	is 4 sh -c 'ls "$1/path" | grep -c .' - "$MNT"
}

# Rules: S3
# bats test_tags=full
@test "HEAD of a subagent's session can't be moved, and labels can be set" {
	write_agents
	mount_session
	local agent=$MNT/subagents/agent-bb22
	has_line "writable: labels" "$agent/info"
	fails_with "Invalid argument" ln -sfn "by-id/${UUIDS[40]}" "$agent/HEAD"
	grep -q "^last-refused: .*a subagent's session" "$agent/info"
	is "by-id/${UUIDS[49]}" readlink "$agent/HEAD"
	# Nor where a move would be a line in the transcript.
	sed -i 's/"version":"[^"]*"/"version":"2.1.330"/' "${SESSION%.jsonl}/subagents/agent-bb22.jsonl"
	cp "${SESSION%.jsonl}/subagents/agent-bb22.jsonl" "$DIR/before"
	fails_with "Invalid argument" ln -sfn "by-id/${UUIDS[40]}" "$agent/HEAD"
	cmp "$DIR/before" "${SESSION%.jsonl}/subagents/agent-bb22.jsonl"
	is "by-id/${UUIDS[49]}" readlink "$agent/HEAD"
	echo seen >"$agent/HEAD/label"
	is seen cat "$agent/HEAD/label"
	fails_for_root_with "Operation not permitted" mkdir "$MNT/subagents/x"
}

# Rules: S2
# bats test_tags=full
@test "new subagents and their links appear while the mount is there" {
	write_agents
	mv "${SESSION%.jsonl}" "$DIR/later"
	mount_session
	none sh -c 'ls "$1" | grep sub; ls "$1"/by-id/*/ | grep agent' - "$MNT"
	fails_with "No such file" ls "$MNT/subagents"
	mkdir -p "${SESSION%.jsonl}/subagents"
	has_subagents
	none ls "$MNT/subagents"
	cp "$DIR/later/subagents/agent-aa11.jsonl" "${SESSION%.jsonl}/subagents"
	is agent-aa11 ls "$MNT/subagents"
	cp "$DIR/later/subagents"/* "${SESSION%.jsonl}/subagents"
	is 3 sh -c 'ls "$1" | grep -c .' - "$MNT/subagents"
	call_agent 10 6 t9 | add_to "$SESSION"
	lists "content label meta parent" "$MNT/by-id/${UUIDS[10]}"
	write_agent "${SESSION%.jsonl}/subagents/agent-dd44.jsonl" 25 "look at the seal" "A seal."
	# Its parent is not the call, but a line below it.
	claude_line 11 10 progress '"data":{"type":"hook"}' | add_to "$SESSION"
	agent_result 12 11 t9 dd44 ",\"sourceToolAssistantUUID\":\"${UUIDS[10]}\"" | add_to "$SESSION"
	lists "agent ${UUIDS[11]} content label meta parent" "$MNT/by-id/${UUIDS[10]}"
	is "A seal." cat "$MNT/by-id/${UUIDS[10]}/agent/HEAD/content"
	sidechain claude_answer 35 34 "Another seal." | add_to "${SESSION%.jsonl}/subagents/agent-dd44.jsonl"
	is "Another seal." cat "$MNT/by-id/${UUIDS[10]}/agent/HEAD/content"
	rm -r "${SESSION%.jsonl}"
	not has_subagents
}

# bats test_tags=full
@test "a link comes and goes with its file, whatever was listed before" {
	write_agents
	mount_session
	local own=${SESSION%.jsonl}/subagents dir without
	dir=$MNT/by-id/${UUIDS[2]}
	without="${UUIDS[3]} ${UUIDS[4]} content label meta parent"
	mv "$own/agent-aa11.jsonl" "$DIR/later.jsonl"
	lists "$without" "$dir"
	no_agent "$MNT" 2
	for _ in 1 2 3; do
		cp "$DIR/later.jsonl" "$own/agent-aa11.jsonl"
		lists "agent $without" "$dir"
		is ../../subagents/agent-aa11 agent "$MNT" 2
		rm "$own/agent-aa11.jsonl"
		lists "$without" "$dir"
		no_agent "$MNT" 2
	done
	# Also for a program that stays in the folder.
	cd "$dir"
	none sh -c 'ls | grep agent'
	cp "$DIR/later.jsonl" "$own/agent-aa11.jsonl"
	is agent sh -c 'ls | grep agent'
	is "A walrus." cat agent/HEAD/content
}

# bats test_tags=full
@test "an entry that started several has numbered links" {
	write_agents
	write_lines "$(claude_user 1 "" "look at both")" \
		"$(claude_block 2 1 msg_2 '{"type":"tool_use","id":"t1","name":"Agent","input":{}},{"type":"tool_use","id":"t2","name":"Agent","input":{}},{"type":"tool_use","id":"t3","name":"Agent","input":{}}')" \
		"$(agent_result 3 2 t1 aa11)" "$(agent_result 4 3 t2 bb22 ",\"sourceToolAssistantUUID\":\"${UUIDS[2]}\"")" \
		"$(agent_result 5 2 t3 cc33)" "$(agent_result 5 2 t3 cc33)"
	mount_session
	is "agent agent-2 agent-3" sh -c 'ls "$1" | grep agent | xargs' - "$MNT/by-id/${UUIDS[2]}"
	is ../../subagents/agent-aa11 agent "$MNT" 2
	is ../../subagents/agent-bb22 agent "$MNT" 2 -2
	is ../../subagents/agent-cc33 agent "$MNT" 2 -3
	local name
	for name in -1 -0 -02 -4 - -x -99999999999999; do
		no_agent "$MNT" 2 "$name"
	done
}

# Rules: S2
@test "transcripts beside the session, of older versions, are linked in a folder" {
	folder_with_agents
	mv "$DIR/all/p/s/subagents/agent-aa11.jsonl" "$DIR/all/p"
	is ../../../agent-aa11 agent "$MNT/p/s" 2
	is "A walrus." cat "$MNT/p/s/by-id/${UUIDS[2]}/agent/HEAD/content"
	is "agent-aa11
s" ls "$MNT/p"
}

# bats test_tags=full
@test "a link is there only for a file that is, and never leads elsewhere" {
	write_agents
	mkdir "$DIR/elsewhere"
	cp "${SESSION%.jsonl}/subagents/agent-aa11.jsonl" "$DIR/elsewhere/agent-evil.jsonl"
	ln -s "$DIR/elsewhere/agent-evil.jsonl" "${SESSION%.jsonl}/subagents/agent-ln.jsonl"
	mkdir "${SESSION%.jsonl}/subagents/agent-dir.jsonl"
	write_lines "$(claude_user 1 "" "go")" "$(call_agent 2 1 t1)" \
		"$(agent_result 3 2 t1 ../../elsewhere/agent-evil)" "$(agent_result 4 2 t1 gone)" \
		"$(agent_result 5 2 t1 ln)" "$(agent_result 6 2 t1 dir)" "$(agent_result 7 2 t1 "$(printf '%0300d' 7)")" \
		"$(agent_result 8 2 t1 'a\u0000b')" "$(agent_result 9 2 t1 '')" "$(agent_result 10 99 t1 aa11)"
	mount_session
	none sh -c 'ls "$1"/by-id/*/ | grep agent' - "$MNT"
	is "agent-aa11
agent-bb22
agent-cc33
agent-dir.jsonl" ls "$MNT/subagents"
	unmount
	daemon_is_gone
	mv "${SESSION%.jsonl}/subagents" "$DIR/elsewhere"
	ln -s "$DIR/elsewhere/subagents" "${SESSION%.jsonl}/subagents"
	mount_session
	fails_with "No such file" ls "$MNT/subagents"
	rm "${SESSION%.jsonl}/subagents"
	echo file >"${SESSION%.jsonl}/subagents"
	fails_with "No such file" ls "$MNT/subagents"
	rm -r "${SESSION%.jsonl}"
	ln -s "$DIR/elsewhere" "${SESSION%.jsonl}"
	fails_with "No such file" ls "$MNT/subagents"
}

@test "an entry whose id is agent keeps a name of its own" {
	write_lines "$(claude_user 1 "" go)" \
		"$(claude_answer 2 1 a | sed "s/${UUIDS[2]}/agent/")" "$(claude_answer 3 1 b | sed "s/${UUIDS[3]}/agent-2/")"
	mount_session
	is "%61gent %61gent-2" sh -c 'ls "$1" | grep gent | xargs' - "$MNT/by-id/${UUIDS[1]}"
}

# Rules: S4
# bats test_tags=full
@test "a grep of all finds what subagents said; lists of sessions leave them out" {
	folder_with_agents
	is "$DIR/all/p/s/subagents/agent-aa11/by-id/${UUIDS[29]}/content:1:A walrus." \
		helper grep "A walrus" "$DIR/all"
	is "$DIR/all/p/s/subagents/agent-aa11.jsonl" helper grep -l "A walrus" "$DIR/all"
	is p/s sh -c 'cut -f2 "$1"' - "$MNT/sessions.txt"
	is "agent-aa11 agent-bb22 agent-cc33" sh -c 'cut -f2 "$1" | sort | xargs' - "$MNT/p/s/subagents/sessions.txt"
	is "$DIR/all/p/s.jsonl" sh -c '"$1" list "$2" | cut -f2' - "$SESSFS" "$DIR/all"
	is 3 sh -c '"$1" list "$2" | grep -c agent-' - "$SESSFS" "$DIR/all/p/s/subagents"
}

# bats test_tags=full
@test "an export has them" {
	write_agents
	start "$SESSFS" export "$DIR/out" "$SESSION"
	is "A walrus." cat "$DIR/out/by-id/${UUIDS[2]}/agent/HEAD/content"
	is "A narwhal." cat "$DIR/out/subagents/agent-bb22/HEAD/content"
	is "An orca." cat "$DIR/out/subagents/agent-bb22/by-id/${UUIDS[41]}/agent/HEAD/content"
}
