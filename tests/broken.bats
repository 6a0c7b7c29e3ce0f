# Faulty files: a bad line affects only itself.
load lib/mount
load lib/run
load lib/pi

@test "without a header the entries are shown, and nothing is written" {
	{
		user 00000001 "" one
		echo
		user 00000002 00000001 two
		echo
	} >"$SESSION"
	cp "$SESSION" "$DIR/before"
	mount_session
	is two cat "$MNT/HEAD/content"
	grep -q "^not-opened: no header$" "$MNT/info"
	grep -qx "writable: no" "$MNT/info"
	fails_for_root_with "Read-only file system" ln -sfn by-id/00000001 "$MNT/HEAD"
	fails_for_root_with "Read-only file system" bash -c "echo x >'$MNT/HEAD/label'"
	cmp "$DIR/before" "$SESSION"
}

@test "a last line without its newline counts if it parses" {
	write_session "$(user 00000001 "" one)"
	printf '%s' "$(user 00000002 00000001 two)" >>"$SESSION"
	mount_session
	head_is by-id/00000002
	cmp <(user 00000002 00000001 two; echo) "$MNT/HEAD/raw.json"
	echo >>"$SESSION"
	head_is by-id/00000002
	printf '{"type":"message","id":"00000003",' >>"$SESSION"
	head_is by-id/00000002
	grep -qx "torn-last-line: 1 (line 4)" "$MNT/info"
	printf '"parentId":"00000002","message":{"role":"user","content":"three"}}\n' >>"$SESSION"
	is three cat "$MNT/HEAD/content"
	not grep -q torn "$MNT/info"
}

@test "a whole last line to which more is added is read again" {
	write_session "$(user 00000001 "" one)"
	printf '%s' "$(user 00000002 00000001 two)" >>"$SESSION"
	mount_session
	head_is by-id/00000002
	echo ' garbage' >>"$SESSION"
	head_is by-id/00000001
	is 00000001 ls "$MNT/by-id"
	grep -qx "bad-lines: 1 (line 3)" "$MNT/info"
}

@test "an equal id a thousand times is one entry, the last" {
	local line
	line=$(user same "" "number N")
	write_session
	# shellcheck disable=SC2059 # a format for each number
	printf "${line/N/%d}\n" {0..999} >>"$SESSION"
	mount_session
	is same ls "$MNT/by-id"
	is "number 999" cat "$MNT/by-id/same/content"
	grep -qx "entries: 1" "$MNT/info"
}

@test "JSON nested 100,000 deep is an entry like any other" {
	needs python3
	write_session "$(user 00000001 "" one)"
	python3 - "$SESSION" <<-'PY'
	import sys
	n = 100000
	deep = "[" * n + "]" * n
	with open(sys.argv[1], "a") as f:
	    f.write('{"type":"custom","id":"00000002","parentId":"00000001","data":%s}\n' % deep)
	    f.write('{"type":"message","id":"00000003","parentId":"00000002","message":{"role":"assistant","content":[{"type":"toolCall","id":"c","name":"t","arguments":{"a":%s}}]}}\n' % deep)
	PY
	mount_session
	head_is by-id/00000003
	[ "$(wc -c <"$MNT/HEAD/content")" -gt 200000 ]
	local size
	size=$(stat -c %s "$MNT/by-id/00000002/content")
	[ "$size" -gt 200000 ]
	[ "$size" -lt 300000 ]
	[ "$(wc -c <"$MNT/context.txt")" -gt 200000 ]
}

@test "not a session: one line with the reason, status 1, no mount" {
	local what
	for what in junk other; do
		case $what in
		junk) head -c 100000 /dev/urandom >"$SESSION" && echo >>"$SESSION" ;;
		other) echo '{"hello":"world"}' >"$SESSION" ;;
		esac
		run --separate-stderr mount_session
		[ "$status" -eq 1 ]
		[ "$stderr" = "sessfs: $SESSION: unknown session format (-o dialect=lines shows it line by line)" ]
		if mountpoint -q "$MNT"; then return 1; fi
	done
}

@test "an empty file is a session that has not begun" {
	: >"$SESSION"
	mount_session
	head_is tree
	is '[]' cat "$MNT/context.json"
	write_session "$(user 00000001 "" one)"
	head_is by-id/00000001
}
