# lines.txt, as tail -f follows it. The rest is in tests/mounts/test_lines.c.
load lib/mount
load lib/run
load lib/pi

# Fails unless lines.txt, with the size that it has before it is read, is what
# --lines prints.
lines_txt_is_whole() {
	local size
	size=$(stat -c %s "$MNT/lines.txt")
	start "$SESSFS" --lines "$SESSION" >"$DIR/want"
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
