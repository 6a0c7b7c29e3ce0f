# Claude Code: HEAD is moved in the transcript, by the line that the agent writes
# itself, where the agent honours it (sessfs-formats(5), CLAUDE CODE).
load lib/mount
load lib/run
load lib/claude

setup() {
	needs_mounts
	make_folder
}

# pinned N: fails unless the transcript is as remember() saw it, and one line
# that pins entry N ("" for none).
pinned() {
	local to=null before now
	[ -z "$1" ] || to="\"${UUIDS[$1]}\""
	whole before "$DIR/before"
	whole now "$SESSION"
	[ "$now" = "$before{\"type\":\"last-prompt\",\"leafUuid\":$to,\"explicit\":true,\"sessionId\":\"$SESSION_ID\"}"$'\n' ] || {
		printf 'now %s\n' "$now"
		return 1
	}
}

# Put the session where the agent would have it.
at_home() {
	mkdir -p "$DIR/home/projects/w" "$DIR/home/sessions"
	SESSION=$DIR/home/projects/w/$SESSION_ID.jsonl
}

# record PID [SESSION [PROC_START]]: a record of a running agent.
record() {
	printf '{"pid":%s,"sessionId":"%s"%s,"version":"2.1.330"}' "$1" "${2:-$SESSION_ID}" \
		"${3:+,\"procStart\":\"$3\"}" >"$DIR/home/sessions/$1.json"
}

# When a process was started.
start_of() {
	local stat words
	whole stat "/proc/$1/stat"
	read -ra words <<<"${stat##*) }"
	echo "${words[19]}"
}

@test "a head move holds at the next mount, can be made again, and to where HEAD is writes nothing" {
	write_two_branches
	remember
	mount_session
	ln -sfn "${AT[5]}" "$MNT/HEAD"
	untouched
	ln -sfn "${AT[3]}" "$MNT/HEAD"
	ln -sfn "${AT[3]}" "$MNT/HEAD"
	pinned 3
	[ ! -e "$(sidecar)" ]
	ln -sf "${AT[2]}" "$MNT/HEAD"
	head_is "${AT[2]}"
	has_lines 7 "$SESSION"
	remember
	# tree is before the first entry.
	ln -sfn tree "$MNT/HEAD"
	head_is tree
	pinned ""
	context_is .
	is '[]' cat "$MNT/context.json"
	unmount
	daemon_is_gone
	mount_session
	head_is tree
	remember
	ln -sfn "${AT[5]}" "$MNT/HEAD"
	head_is "${AT[5]}"
	pinned 5
}

@test "the later write wins: HEAD follows what the agent appends" {
	write_two_branches
	mount_session
	ln -sfn "${AT[3]}" "$MNT/HEAD"
	{ claude_answer 6 3 newest; echo; pin 6; echo; } >>"$SESSION"
	head_is "${AT[6]}"
	ln -sfn "${AT[5]}" "$MNT/HEAD"
	head_is "${AT[5]}"
	ln -sfn tree "$MNT/HEAD"
	{ claude_user 7 "" "all over again"; echo; claude_answer 8 7 anew; echo; pin 8; echo; } >>"$SESSION"
	head_is "${AT[8]}"
	context_is . "[User]: all over again" "[Assistant]: anew"
}

@test "while the agent has the session open, a move is EBUSY, and a label is not" {
	at_home
	write_two_branches
	remember
	record $$ "" "$(start_of $$)"
	mount_session
	fails_with "Device or resource busy" ln -sfn "${AT[3]}" "$MNT/HEAD"
	grep -qx "last-refused: Claude Code has this session open .* (pid $$)" "$MNT/info"
	has_line "running: yes (pid $$)" "$MNT/info"
	untouched
	# Where it is already nothing is written.
	ln -sfn "${AT[5]}" "$MNT/HEAD"
	echo tested >"$MNT/${AT[3]}/label"
	is tested cat "$MNT/${AT[3]}/label"
	untouched
	rm "$DIR/home/sessions/$$.json"
	run -1 grep '^running' "$MNT/info"
	ln -sfn "${AT[3]}" "$MNT/HEAD"
	pinned 3
}

@test "sessfs switch tells why a move is refused" {
	at_home
	write_two_branches
	record $$ "" "$(start_of $$)"
	mount_session
	run -1 --separate-stderr helper switch "$MNT" <<<"${UUIDS[3]}"
	[[ $stderr = *"sessfs: $MNT: Claude Code has this session open "*"(pid $$)" ]]
}

@test "-o force moves HEAD while the agent has the session open" {
	at_home
	write_two_branches
	remember
	record $$
	mount_session -o force
	ln -sfn "${AT[3]}" "$MNT/HEAD"
	pinned 3
}

@test "a folder of sessions: the record of one leaves the others free" {
	at_home
	write_two_branches
	local other=5e55f500-0000-4000-8000-000000000002
	sed "s/$SESSION_ID/$other/" "$SESSION" >"$DIR/home/projects/w/$other.jsonl"
	record $$
	start "$SESSFS" "$DIR/home/projects" "$MNT"
	fails_with "Device or resource busy" ln -sfn "${AT[3]}" "$MNT/w/$SESSION_ID/HEAD"
	ln -sfn "${AT[3]}" "$MNT/w/$other/HEAD"
	is "${AT[3]}" readlink "$MNT/w/$other/HEAD"
	grep -q "\"sessionId\":\"$other\"}$" "$DIR/home/projects/w/$other.jsonl"
}

# bats test_tags=full
@test "two mounts: moves and labels from both, and lines of the agent" {
	local n
	write_two_branches
	mount_session
	write_from_two_mounts "${AT[2]}" "${AT[3]}" "${AT[4]}" < <(
		for n in {6..25}; do
			claude_answer "$n" "$((n - 1))" "answer $n"
			echo
		done
	)
	needs python3
	python3 - "$SESSION" <<-'PY'
	import json, sys
	lines = [json.loads(l) for l in open(sys.argv[1])]
	assert sum("uuid" in l for l in lines) == 25
	assert all(l["explicit"] for l in lines if l["type"] == "last-prompt")
	PY
}
