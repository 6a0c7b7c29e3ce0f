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

# The sidecar

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
