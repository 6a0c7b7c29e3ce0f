# A program that follows a session; tests/mounts/test_live.c has what it sees of changes.
load lib/mount
load lib/run
load lib/pi

last_line_is() {
	local lines
	mapfile -t lines <"$2"
	[ ${#lines[@]} -gt 0 ] && [ "${lines[-1]}" = "$1" ]
}

@test "tail -f follows the context" {
	write_session "$(user 00000001 "" one)" "$(user 00000002 00000001 two)" "$(user 00000003 00000002 three)"
	mount_session
	tail -f -s 0.1 "$MNT/context.txt" >"$DIR/followed" 3>&- &
	local tail=$! i
	wait_until last_line_is "[User]: three" "$DIR/followed"
	for i in 4 5 6; do
		append_user "0000000$i" "0000000$((i - 1))"
		wait_until last_line_is "[User]: said by 0000000$i" "$DIR/followed"
	done
	kill "$tail"
	cmp "$DIR/followed" "$MNT/context.txt"
}
