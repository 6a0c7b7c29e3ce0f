# Claude Code through a mount: what a user sees, and what is written. Which lines are
# entries, and what is sent of them, is in corpus/claude; moves of HEAD in the
# transcript are in claude-head.bats.
load lib/mount
load lib/run
load lib/claude

# Versions before 2.1.120 know no pins: sessfs keeps HEAD in the sidecar.
write_unpinned() {
	export CLAUDE_VERSION=2.1.100
	write_two_branches
	remember
}

files_are() {
	is "$1" env LC_ALL=C ls -A "$DIR"
}

# bats test_tags=full
@test "grep finds what was typed during a turn, in the entry, the lines and the program's output" {
	write_lines "$(claude_user 1 "" go)" "$(claude_line 2 1 attachment '"attachment":{"type":"queued_command","commandMode":"prompt","prompt":"typed größer meanwhile"}')"
	mount_session
	is "$(at 2)/content" bash -c "cd '$MNT' && grep -l größer by-id/*/content"
	is "$(at 2)" bash -c "grep größer '$MNT/lines.txt' | sed 's,/content:.*,,'"
	is 1 bash -c "'$SESSFS' grep --all größer '$SESSION' | wc -l"
	is 1 bash -c "'$SESSFS' grep größer '$SESSION' | grep -c größer"
}

@test "what the agent appends is everywhere at once" {
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
	grep -q "newest ← HEAD$" "$MNT/tree.txt"
	# More of the same response, and what calls for another head.
	{ claude_block 7 6 msg_6 '{"type":"text","text":"and more"}'; echo; } >>"$SESSION"
	is "and more" tail -n 1 "$MNT/context.txt"
	is 1 grep -c '^\[Assistant\]: newest' "$MNT/context.txt"
	{ pin 3 '"explicit":true,'; echo; } >>"$SESSION"
	head_is "$(at 3)"
	is "[User]: thanks" tail -n 1 "$MNT/context.txt"
}

@test "lines that are never sent are bookkeeping, and HEAD is above them" {
	write_two_branches
	mount_session
	{ claude_line 6 3 attachment '"attachment":{"type":"prompt_snapshot","text":"long"}'; echo; } >>"$SESSION"
	head_is "$(at 3)"
	grep -qx "bookkeeping: yes" "$MNT/$(at 6)/meta"
	is "$(uuid 1)
$(uuid 2)
$(uuid 3)" sh -c 'readlink "$1"/path/* | sed "s,.*/,,"' - "$MNT"
	{ claude_line 7 3 attachment '"attachment":{"type":"queued_command","prompt":"and this","commandMode":"prompt"}'; echo; } >>"$SESSION"
	head_is "$(at 7)"
}

@test "a bad line is passed over, a torn one read when it is whole" {
	local line
	line=$(claude_answer 2 1 two)
	write_lines "$(claude_user 1 "" one)" '{bad' null '{"uuid":7,"type":"user"}'
	printf '%s' "${line:0:200}" >>"$SESSION"
	mount_session
	head_is "$(at 1)"
	context_is . "[User]: one"
	grep -qx "bad-lines: 1 (line 2)" "$MNT/info"
	grep -qx "torn-last-line: 1 (line 5)" "$MNT/info"
	printf '%s' "${line:200}" >>"$SESSION"
	head_is "$(at 2)"
	context_is . "[User]: one" "[Assistant]: two"
	run -1 grep "^torn-last-line" "$MNT/info"
}

# bats test_tags=full
@test "an entry whose parent was never written hangs on the newest line before it" {
	write_lines "$(claude_user 1 "" one)" "$(claude_answer 2 1 two)" "$(sidechain claude_user 4 "" side)" \
		"$(claude_user 5 99 orphan)" "$(claude_answer 6 5 reply)"
	mount_session
	is "$(uuid 1)
$(uuid 4)" ls "$MNT/tree"
	is "../$(uuid 2)" readlink "$MNT/$(at 5)/parent"
	context_is . "[User]: one" "[Assistant]: two" "[User]: orphan" "[Assistant]: reply"
	grep -qx "bridged: yes" "$MNT/$(at 5)/meta"
	grep -qx "bridged: 1 (line 4)" "$MNT/info"
	run -1 "$SESSFS" check "$SESSION"
	grep -q ":4: missing parent: the agent goes on from the newest line before it" <<<"$output"
	# The time decides, not the place; and the parent, when it is written.
	{ claude_user 3 2 three; echo; } >>"$SESSION"
	is "../$(uuid 3)" readlink "$MNT/$(at 5)/parent"
	{ claude_answer 99 1 late; echo; } >>"$SESSION"
	is "../$(uuid 99)" readlink "$MNT/$(at 5)/parent"
	run -1 grep bridged "$MNT/$(at 5)/meta" "$MNT/info"
}

# opens_as_branch N: the branch of an entry, opened, has it as head, and its context.
opens_as_branch() {
	cp "$MNT/$(at "$1")/context.json" "$DIR/context"
	mount_branch "$(uuid "$1")"
	grep -qx "dialect: claude" "$MNT/info"
	head_is "$(at "$1")"
	cmp "$DIR/context" "$MNT/context.json"
	run -1 grep -E "^(bad-lines|missing-parents|session: $SESSION_ID)" "$MNT/info"
}

# bats test_tags=full
@test "branch.jsonl is a session of its own, and another mount's is the same" {
	mount_fixture claude-basic.jsonl
	cp "$MNT/$(at 10)/branch.jsonl" "$DIR/first"
	unmount
	daemon_is_gone
	mount_session
	cmp "$DIR/first" "$MNT/$(at 10)/branch.jsonl"
	opens_as_branch 10
}

# bats test_tags=full
@test "branch.jsonl below a compaction has the compaction" {
	write_compacted
	mount_session
	opens_as_branch 5
	is "$(uuid 1)" ls "$MNT/tree"
}

# bats test_tags=full
@test "branch.jsonl is not cut between a call and its result" {
	write_parallel
	mount_session
	local n chain
	chain=$(for n in {1..6}; do uuid "$n"; echo; done)
	for n in 2 4 5 6; do
		is "$chain" sed -n 's/.*"uuid":"\([^"]*\).*/\1/p' "$MNT/$(at "$n")/branch.jsonl"
	done
}

# The sidecar

# bats test_tags=full
@test "before 2.1.120 HEAD is in the sidecar, and the transcript stays as it is" {
	write_unpinned
	mount_session
	ln -sfn "$(at 3)" "$MNT/HEAD"
	head_is "$(at 3)"
	context_is . "[User]: question" "[Assistant]: first" "[User]: thanks"
	json_is "{\"head\":\"$(uuid 3)\",\"leaf\":\"$(uuid 5)\",\"labels\":{}}" "$(sidecar)"
	ln "$(sidecar)" "$DIR/link"
	ln -sf "$(at 2)" "$MNT/HEAD"
	sidecar_says 2
	grep -q "$(uuid 3)" "$DIR/link"
	rm "$DIR/link"
	untouched
	rm "$DIR/before" "$DIR/times"
	files_are "mnt
session.jsonl
session.sessfs.json"
	unmount
	daemon_is_gone
	mount_session
	head_is "$(at 2)"
	ln -sfn tree "$MNT/HEAD"
	sidecar_says null
	head_is tree
	is '[]' cat "$MNT/context.json"
	unmount
	daemon_is_gone
	mount_session
	head_is tree
}

@test "HEAD in the sidecar is over when the conversation goes on, and not before" {
	write_unpinned
	mount_session
	ln -sfn "$(at 3)" "$MNT/HEAD"
	{
		echo '{"type":"custom-title","customTitle":"T","sessionId":"x"}'
		sidechain claude_user 20 "" side
		echo
		claude_line 21 5 system '"subtype":"turn_duration"'
		echo
	} >>"$SESSION"
	head_is "$(at 3)"
	{ claude_answer 22 5 newest; echo; } >>"$SESSION"
	head_is "$(at 22)"
	is "[Assistant]: newest" tail -n 1 "$MNT/context.txt"
	ln -sfn "$(at 2)" "$MNT/HEAD"
	head_is "$(at 2)"
}

# bats test_tags=full
@test "labels are in the sidecar beside HEAD, which is no wider than the transcript" {
	write_unpinned
	chmod 600 "$SESSION"
	printf '{"parentUuid":"c1a0' >>"$SESSION"
	remember
	mount_session
	echo one >"$MNT/$(at 2)/label"
	head_is "$(at 5)"
	is 600 stat -c %a "$(sidecar)"
	ln -sfn "$(at 3)" "$MNT/HEAD"
	echo 'größe "x"' >"$MNT/$(at 4)/label"
	is "../$(at 4)" readlink "$MNT/by-label/größe \"x\""
	sidecar_says 3 '{"2":"one","4":"größe \"x\""}'
	is 600 stat -c %a "$(sidecar)"
	echo two >"$MNT/$(at 2)/label"
	is two cat "$MNT/$(at 2)/label"
	: >"$MNT/$(at 4)/label"
	wait_until sidecar_says 3 '{"2":"two"}'
	untouched
	unmount
	daemon_is_gone
	mount_session
	head_is "$(at 3)"
	is two ls "$MNT/by-label"
}

# bats test_tags=full
@test "a sidecar that somebody else writes shows at once; a damaged one is left alone" {
	write_unpinned
	mount_session
	head_is "$(at 5)"
	printf '{"head":"%s","labels":{"%s":"theirs"}}' "$(uuid 3)" "$(uuid 2)" >"$DIR/new"
	mv "$DIR/new" "$(sidecar)"
	head_is "$(at 3)"
	is theirs cat "$MNT/$(at 2)/label"
	is "[User]: thanks" tail -n 1 "$MNT/context.txt"
	echo '{"head":"' >"$(sidecar)"
	head_is "$(at 5)"
	[ ! -s "$MNT/$(at 2)/label" ]
	grep -qx "sidecar: damaged and can't be changed" "$MNT/info"
	fails_with "Input/output error" ln -sfn "$(at 3)" "$MNT/HEAD"
	fails_with "Input/output error" bash -c "echo x >'$MNT/$(at 3)/label'"
	is '{"head":"' cat "$(sidecar)"
	echo '{"head":"nobody"}' >"$(sidecar)"
	grep -qx "sidecar: its head is not an entry" "$MNT/info"
	rm "$(sidecar)"
	run -1 grep "^sidecar:" "$MNT/info"
	prints_nothing ls -A "$MNT/by-label"
	untouched
}

@test "reading writes nothing, and with -o ro nothing does" {
	write_unpinned
	mount_session -o ro
	find "$MNT" -type f -exec cat {} + >/dev/null
	cat "$MNT/HEAD/branch.jsonl" "$MNT/HEAD/raw.json" "$MNT/context.json" >/dev/null
	fails_with "Read-only file system" ln -sfn "$(at 3)" "$MNT/HEAD"
	fails_with "Read-only file system" bash -c "echo x >'$MNT/HEAD/label'"
	untouched
	[ ! -e "$(sidecar)" ]
}

# Claude Code 2.1.330 sends them so.
# bats test_tags=full
@test "a turn of blank texts alone is sent, and beside words it is not" {
	local made
	for made in '""' '"\\n"' '[{"type":"text","text":""}]'; do
		write_lines "$(claude_user 1 "" one)" "$(claude_answer 2 1 two)" \
			"$(claude_line 3 2 user "\"message\":{\"role\":\"user\",\"content\":$made}")" "$(claude_answer 4 3 four)"
		mount_session
		[[ $made != \[* ]] || made='[{"type":"text","text":"(no content)"}]'
		json_is '[{"role":"user","content":"one"},{"role":"assistant","content":[{"type":"text","text":"two"}]},
			{"role":"user","content":'"$made"'},{"role":"assistant","content":[{"type":"text","text":"four"}]}]' "$MNT/context.json"
		unmount
		daemon_is_gone
	done
	write_lines "$(claude_user 1 "" one)" "$(claude_answer 2 1 two)" "$(claude_user 3 2 "")" "$(claude_user 4 3 words)" \
		"$(claude_answer 5 4 five)" "$(claude_user 6 5 "")" "$(claude_user 7 6 "")"
	mount_session
	json_is '[{"role":"user","content":"one"},{"role":"assistant","content":[{"type":"text","text":"two"}]},
		{"role":"user","content":"words"},{"role":"assistant","content":[{"type":"text","text":"five"}]},
		{"role":"user","content":[{"type":"text","text":"(no content)"}]}]' "$MNT/context.json"
}
