# Outputs that Claude Code has put into files beside the session, as they change.
# What of them is shown is in tests/corpus/claude/outputs-*.
load lib/mount
load lib/run
load lib/claude

# A session with one result, 3, in the file big.txt; and the files' folder.
write_big() {
	RESULTS=${SESSION%.jsonl}/tool-results
	mkdir -p "$RESULTS"
	write_lines "$(claude_user 1 "" "print much")" \
		"$(claude_block 2 1 msg_2 '{"type":"tool_use","id":"t3","name":"Bash","input":{"command":"seq 20000"}}')" \
		"$(in_file 3 2 big.txt)" "$(claude_answer 4 3 Done.)"
	seq 1 20000 >"$RESULTS/big.txt"
	BIG=$MNT/by-id/$(uuid 3)/content
}

# The text in the transcript.
preview() {
	grep -qx '<persisted-output>' "$1" && grep -qx 'Preview (first 2KB):' "$1" &&
		not grep -qx 300 "$1"
}

# The size, the lines and the bytes of the content are those of the file.
big_is() {
	is "$(stat -c %s "$1")" stat -c %s "$BIG"
	cmp "$1" "$BIG"
	is "$(wc -l <"$1")" sh -c 'grep -c "by-id/$2/content:" "$1/lines.txt"' - "$MNT" "$(uuid 3)"
	is "$(stat -c %s "$MNT/lines.txt")" sh -c 'cat "$1" | wc -c' - "$MNT/lines.txt"
}

# bats test_tags=full
@test "grep and lines find what is in the file" {
	write_big
	is "${SESSION%.jsonl}/by-id/$(uuid 3)/content:17777:17777" "$SESSFS" grep -w 17777 "$SESSION"
	is "$SESSION" helper grep -l 17777 "$SESSION"
	mount_session
	is "by-id/$(uuid 3)/content:17777:17777" grep -w 17777 "$MNT/lines.txt"
}

@test "subagents use the folder of their session" {
	write_big
	local own=${SESSION%.jsonl}
	mkdir -p "$own/subagents"
	sidechain in_file 3 "" sub.txt >"$own/subagents/agent-a1.jsonl"
	echo "the output of a subagent" >"$RESULTS/sub.txt"
	mount_session
	is "the output of a subagent" cat "$MNT/subagents/agent-a1/by-id/$(uuid 3)/content"
}

@test "a file that comes, changes and goes is followed" {
	write_big
	mv "$RESULTS" "$DIR/away"
	mount_session
	preview "$BIG"
	cp "$BIG" "$DIR/preview"
	big_is "$DIR/preview"
	mkdir "$RESULTS"
	preview "$BIG"
	mv "$DIR/away/big.txt" "$RESULTS"
	big_is "$RESULTS/big.txt"
	seq 5 30000 >"$RESULTS/big.txt"
	big_is "$RESULTS/big.txt"
	# As many bytes as before.
	sed -i s/29999/X9999/ "$RESULTS/big.txt"
	big_is "$RESULTS/big.txt"
	: >"$RESULTS/big.txt"
	big_is "$RESULTS/big.txt"
	rm "$RESULTS/big.txt"
	big_is "$DIR/preview"
	rm -r "$RESULTS"
	big_is "$DIR/preview"
}

@test "a file that is too large is named, and not shown" {
	write_big
	truncate -s 70M "$RESULTS/big.txt"
	mount_session
	grep -qx '\[73400320 bytes, too large to be shown: tool-results/big.txt\]' "$BIG"
	grep -qx 'Preview (first 2KB):' "$BIG"
}

# bats test_tags=full
@test "tree.html keeps to the text in the session" {
	write_big
	mount_session
	cat "$BIG" >"$DIR/got"
	grep -q "Preview (first 2KB)" "$MNT/tree.html"
	not grep -q 19999 "$MNT/tree.html"
	big_is "$RESULTS/big.txt"
}

@test "a file that may not be read is as none" {
	[ "$(id -u)" -ne 0 ] || skip "root may read everything"
	write_big
	chmod 0 "$RESULTS/big.txt"
	mount_session
	preview "$BIG"
}
