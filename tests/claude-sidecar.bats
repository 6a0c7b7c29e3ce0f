# Claude Code: HEAD and labels are kept in a sidecar, never in the transcript
# (FORMATS 12). HEAD is so in transcripts of versions that know no pins.
load lib/mount
load lib/run
load lib/claude
export CLAUDE_VERSION=2.1.100

@test "a head move is written to the sidecar, never to the transcript" {
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

@test "a head move holds at the next mount, and leaves nothing temporary" {
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

@test "the sidecar is replaced by rename" {
	write_two_branches
	mount_session
	ln -sfn "$(at 3)" "$MNT/HEAD"
	ln "$(sidecar)" "$DIR/link"
	ln -sfn "$(at 2)" "$MNT/HEAD"
	sidecar_says 2
	grep -q "$(uuid 3)" "$DIR/link"
}

@test "tree is before the first entry" {
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

@test "the later write wins: HEAD follows a new leaf of the transcript" {
	write_two_branches
	mount_session
	ln -sfn "$(at 3)" "$MNT/HEAD"
	{ claude_answer 6 5 newest; echo; } >>"$SESSION"
	head_is "$(at 6)"
	is "[Assistant]: newest" tail -n 1 "$MNT/context.txt"
	ln -sfn "$(at 2)" "$MNT/HEAD"
	head_is "$(at 2)"
}

@test "lines that do not change the transcript's leaf do not change HEAD" {
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

@test "a sidecar that names no leaf is honoured" {
	write_two_branches
	printf '{"head":"%s","labels":{}}' "$(uuid 3)" >"$(sidecar)"
	mount_session
	head_is "$(at 3)"
}

@test "a sidecar that somebody else replaces shows at once" {
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
	grep -qx "sidecar: damaged and can't be changed" "$MNT/info"
	echo '{"head":"nobody"}' >"$(sidecar)"
	grep -qx "sidecar: its head is not an entry" "$MNT/info"
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

@test "reading writes nothing, no sidecar either" {
	write_parallel
	remember
	mount_session
	find "$MNT" -type f -exec cat {} + >/dev/null
	cat "$MNT/HEAD/branch.jsonl" "$MNT/HEAD/raw.json" "$MNT/context.json" >/dev/null
	untouched
	[ ! -e "$(sidecar)" ]
}

@test "a label is written to the sidecar, never to the transcript" {
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

@test "a label moves no head: HEAD follows the transcript as before" {
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

@test "head and labels are kept side by side" {
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

@test "replaced and cleared" {
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
