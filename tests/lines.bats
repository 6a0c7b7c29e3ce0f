# lines.txt, as tail -f follows it. The rest is in commands/lines.md and mounts/test_lines.c.
load lib/mount
load lib/run
load lib/pi

# Fails unless lines.txt, with the size that it has before it is read, is what
# grep prints, but for the session's path.
lines_txt_is_whole() {
	local size
	size=$(stat -c %s "$MNT/lines.txt")
	start "$SESSFS" grep --all '' "$SESSION" >"$DIR/printed"
	sed "s|^${SESSION%.jsonl}/||" "$DIR/printed" >"$DIR/want"
	[ "$size" -eq "$(stat -c %s "$DIR/want")" ]
	cmp "$DIR/want" "$MNT/lines.txt"
}

@test "lines.txt grows with the session; tail -f follows it" {
	write_session
	append_user aa "" first
	mount_session
	cat "$MNT/lines.txt" >/dev/null
	tail -n +1 -f -s 0.1 "$MNT/lines.txt" >"$DIR/followed" 3>&- &
	local tail=$! i
	for ((i = 0; i < 300; i++)); do
		append_user "id$i" aa "line $i\\n and more"
		[ $((i % 50)) -ne 0 ] || lines_txt_is_whole
	done
	lines_txt_is_whole
	wait_until cmp "$DIR/want" "$DIR/followed"
	kill "$tail"
}

@test "tail -f goes on when the agent writes a title, over the first line or with all anew" {
	cp "$BATS_TEST_DIRNAME/fixtures/omp-v3-basic.jsonl" "$SESSION"
	mount_session
	tail -n 1 -f -s 0.1 "$MNT/lines.txt" >"$DIR/followed" 2>&1 3>&- &
	local tail=$!
	wait_until [ -s "$DIR/followed" ]
	printf '{"type":"title","v":1,"title":"X' 1<>"$SESSION"
	append_user 00000001 11000021 one
	wait_until grep -qx by-id/00000001/content:1:one "$DIR/followed"
	sed '2s/{/{"title":"new",/' "$SESSION" >"$DIR/anew"
	SESSION=$DIR/anew append_user 00000002 00000001 two
	mv "$DIR/anew" "$SESSION"
	wait_until grep -qx by-id/00000002/content:1:two "$DIR/followed"
	is 3 grep -c '' "$DIR/followed"
	kill "$tail"
}
