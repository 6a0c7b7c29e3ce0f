# Claude Code: HEAD is moved in the transcript, by the line that the agent writes
# itself, where the agent honours it (sessfs-formats(5), CLAUDE CODE).
load lib/mount
load lib/run
load lib/claude

setup() {
	needs_mounts
	make_folder
	CLAUDE_VERSION=2.1.330
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

@test "a head move appends one last-prompt line, and no sidecar" {
	write_two_branches
	remember
	mount_session
	ln -sfn "${AT[3]}" "$MNT/HEAD"
	head_is "${AT[3]}"
	pinned 3
	[ ! -e "$(sidecar)" ]
	context_is . "[User]: question" "[Assistant]: first" "[User]: thanks"
	grep -qx "head: ${UUIDS[3]}" "$MNT/info"
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

@test "a missing newline is supplied, a torn line is ended" {
	write_two_branches
	truncate -s -1 "$SESSION"
	mount_session
	ln -sfn "${AT[3]}" "$MNT/HEAD"
	has_lines 6 "$SESSION"
	head_is "${AT[3]}"
	unmount
	daemon_is_gone
	printf '{"type":"user","uu' >>"$SESSION"
	mount_session
	ln -sfn "${AT[2]}" "$MNT/HEAD"
	head_is "${AT[2]}"
	has_lines 8 "$SESSION"
	is "$(printf '{"type":"last-prompt","leafUuid":"%s","explicit":true,"sessionId":"%s"}' "${UUIDS[2]}" "$SESSION_ID")" \
		tail -n 1 "$SESSION"
}

@test "entries from which the agent would not go on are refused with the reason" {
	write_lines "$(claude_line 8 "" system '"subtype":"informational"')" \
		"$(claude_user 1 8 question)" "$(sidechain claude_answer 2 1 side)" \
		"$(claude_line 3 1 progress '"data":{}')" "$(claude_line 4 1 future '"x":1')" \
		"$(claude_answer 5 1 answer)" "$(boundary 6 "\"logicalParentUuid\":\"${UUIDS[5]}\"")" \
		"$(summary 7 6)"
	mount_session
	refused_by "a subagent" ln -sfn "${AT[2]}" "$MNT/HEAD"
	refused_by "of a type" ln -sfn "${AT[3]}" "$MNT/HEAD"
	refused_by "of a type" ln -sfn "${AT[4]}" "$MNT/HEAD"
	refused_by "boundary of a compaction" ln -sfn "${AT[6]}" "$MNT/HEAD"
	refused_by "nobody has said anything" ln -sfn "${AT[8]}" "$MNT/HEAD"
	head_is "${AT[7]}"
	# This compaction keeps nothing, so the agent still loads all of it.
	ln -sfn "${AT[5]}" "$MNT/HEAD"
	head_is "${AT[5]}"
	[ ! -e "$(sidecar)" ]
}

# bats test_tags=full
@test "entries that a compaction has dropped are refused, those that it keeps are not" {
	write_lines "$(claude_user 1 "" old)" "$(claude_answer 2 1 "old answer")" \
		"$(claude_user 3 2 kept)" "$(claude_answer 4 3 "kept answer")" \
		"$(claude_line 5 "" system "\"subtype\":\"compact_boundary\",\"logicalParentUuid\":\"${UUIDS[4]}\",\"compactMetadata\":{\"preservedMessages\":{\"anchorUuid\":\"${UUIDS[6]}\",\"uuids\":[\"${UUIDS[3]}\",\"${UUIDS[4]}\"]}}")" \
		"$(summary 6 5)" "$(claude_user 7 6 new)" "$(claude_answer 8 7 "new answer")"
	mount_session
	refused_by "dropped by a compaction" ln -sfn "${AT[2]}" "$MNT/HEAD"
	refused_by "dropped by a compaction" ln -sfn "${AT[1]}" "$MNT/HEAD"
	head_is "${AT[8]}"
	remember
	ln -sfn "${AT[4]}" "$MNT/HEAD"
	pinned 4
	remember
	ln -sfn "${AT[6]}" "$MNT/HEAD"
	pinned 6
	# A segment keeps its chain. A later boundary ends what this one keeps.
	sed -i 's/"preservedMessages":.*]}}/"preservedSegment":{"headUuid":"'"${UUIDS[3]}"'","anchorUuid":"'"${UUIDS[6]}"'","tailUuid":"'"${UUIDS[4]}"'"}}/' "$SESSION"
	refused_by "dropped by a compaction" ln -sfn "${AT[2]}" "$MNT/HEAD"
	remember
	ln -sfn "${AT[3]}" "$MNT/HEAD"
	pinned 3
	{ boundary 9 "\"logicalParentUuid\":\"${UUIDS[8]}\""; echo; summary 10 9; echo; } >>"$SESSION"
	refused_by "dropped by a compaction" ln -sfn "${AT[4]}" "$MNT/HEAD"
	refused_by "dropped by a compaction" ln -sfn "${AT[8]}" "$MNT/HEAD"
}

# bats test_tags=full
@test "of a file above 5 MiB the agent does not load what is before the last boundary" {
	needs python3
	write_compacted
	python3 - "$SESSION" <<-'PY'
	import os, sys
	with open(sys.argv[1], "r+b") as f:
	    lines = f.readlines()
	    pad = (5 << 20) - sum(map(len, lines))
	    lines[1] = lines[1].replace(b"old answer", b"old answer" + b"x" * pad)
	    f.seek(0)
	    f.writelines(lines)
	PY
	is $((5 << 20)) stat -c %s "$SESSION"
	mount_session
	remember
	ln -sfn "${AT[2]}" "$MNT/HEAD"
	pinned 2
	refused_by "dropped by a compaction" ln -sfn "${AT[1]}" "$MNT/HEAD"
	remember
	ln -sfn "${AT[5]}" "$MNT/HEAD"
	pinned 5
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

@test "records that are no running agent's do not count" {
	at_home
	write_two_branches
	remember
	record $$ 5e55f500-0000-4000-8000-000000000002
	record 4194305 # above the kernel's limit
	record $PPID "" "$(($(start_of $PPID) + 1))"
	cp "$DIR/home/sessions/$$.json" "$DIR/home/sessions/x.json"
	record 1
	mv "$DIR/home/sessions/1.json" "$DIR/home/sessions/1.json.tmp"
	echo '{"pid":1,"sess' >"$DIR/home/sessions/1.json"
	mkdir "$DIR/home/sessions/2.json"
	mkfifo "$DIR/home/sessions/3.json"
	ln -s /dev/zero "$DIR/home/sessions/4.json"
	mount_session
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

@test "the newest version in the transcript decides between it and the sidecar" {
	CLAUDE_VERSION=2.1.112
	write_two_branches
	remember
	mount_session
	ln -sfn "${AT[3]}" "$MNT/HEAD"
	head_is "${AT[3]}"
	sidecar_says 3
	untouched
	has_line "unseen-moves: all" "$MNT/info"
	# The agent is updated. Its own place counts, and no longer the sidecar's.
	CLAUDE_VERSION=2.1.330
	{ claude_user 6 5 updated; echo; } >>"$SESSION"
	head_is "${AT[6]}"
	not grep "^unseen-moves" "$MNT/info"
	remember
	ln -sfn "${AT[3]}" "$MNT/HEAD"
	head_is "${AT[3]}"
	pinned 3
	is '{"labels":{}}' cat "$(sidecar)"
}

@test "versions that honour no null keep the place before the first entry in the sidecar" {
	export CLAUDE_VERSION=2.1.150
	write_two_branches
	remember
	mount_session
	ln -sfn tree "$MNT/HEAD"
	head_is tree
	sidecar_says null
	untouched
	has_line "unseen-moves: before the first entry" "$MNT/info"
	ln -sfn "${AT[3]}" "$MNT/HEAD"
	head_is "${AT[3]}"
	pinned 3
	is '{"labels":{}}' cat "$(sidecar)"
}

@test "a head that an older sessfs has left in the sidecar does not count" {
	write_two_branches
	printf '{"head":"%s","leaf":"%s","labels":{"%s":"mine"}}' "${UUIDS[3]}" "${UUIDS[5]}" "${UUIDS[2]}" >"$(sidecar)"
	remember
	mount_session
	head_is "${AT[5]}"
	is mine cat "$MNT/${AT[2]}/label"
	ln -sfn "${AT[3]}" "$MNT/HEAD"
	head_is "${AT[3]}"
	pinned 3
	is "{\"labels\":{\"${UUIDS[2]}\":\"mine\"}}" cat "$(sidecar)"
}

@test "labels are in the sidecar, and a move leaves them" {
	write_two_branches
	remember
	mount_session
	echo one >"$MNT/${AT[2]}/label"
	untouched
	cp "$(sidecar)" "$DIR/sidecar"
	ln -sfn by-label/one "$MNT/HEAD"
	head_is "${AT[2]}"
	pinned 2
	cmp "$DIR/sidecar" "$(sidecar)"
}

@test "a damaged sidecar: HEAD moves in the transcript, labels stay as they are" {
	write_two_branches
	echo '{"head":"' >"$(sidecar)"
	remember
	mount_session
	ln -sfn "${AT[3]}" "$MNT/HEAD"
	head_is "${AT[3]}"
	pinned 3
	fails_with "Input/output error" write_label x "$MNT/${AT[3]}"
	is '{"head":"' cat "$(sidecar)"
}

@test "-o ro refuses a move with EROFS" {
	write_two_branches
	remember
	mount_session -o ro
	fails_with "Read-only file system" ln -sfn "${AT[3]}" "$MNT/HEAD"
	untouched
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
