# Faulty files: a bad line affects only itself.
load lib/mount
load lib/run
load lib/pi

@test "info counts faults, with line numbers" {
	mount_fixture pi-v3-broken.jsonl
	is "bad-lines: 1 (line 5)
duplicate-ids: 1 (line 12)
missing-parents: 1 (line 8)
torn-last-line: 1 (line 15)" tail -n 4 "$MNT/info"
	is "answer (second copy, same id)" cat "$MNT/by-id/cc000002/content"
}

@test "orphans are roots; every entry is in both views" {
	mount_fixture pi-v3-broken.jsonl
	is "cc000001
cc000004" ls "$MNT/tree"
	is "$(env LC_ALL=C ls "$MNT/by-id")" bash -c \
		"find '$MNT/tree' -mindepth 1 -type d -printf '%f\n' | LC_ALL=C sort"
	fails_with "No such file" stat "$MNT/by-id/cc000004/parent"
}

# bats test_tags=full
@test "cycles of every length, and one's own parent" {
	local lines=() n i
	for n in 1 2 3 4 5; do
		for ((i = 0; i < n; i++)); do
			lines+=("$(user "c$n$i" "c$n$(((i + 1) % n))" "cycle")")
		done
		lines+=("$(user "t$n" "c${n}0" "tail")")
	done
	# Of oh-my-pi, which walks once around a cycle.
	{
		echo '{"type":"session","version":3,"id":"x","timestamp":"2026-03-01T10:00:00.000Z","cwd":"/","titleSource":"auto"}'
		printf '%s\n' "${lines[@]}"
	} >"$SESSION"
	mount_session
	is "c10
c20
c30
c40
c50" ls "$MNT/tree"
	is 20 bash -c "find '$MNT/tree' -mindepth 1 -type d | wc -l"
	grep -qx "cycles: 5 (lines 2, 4, 7, 11, 16)" "$MNT/info"
	is "[User]: cycle

[User]: tail" cat "$MNT/by-id/t1/context.txt"
}

@test "lines that are no entries are counted and passed over" {
	write_session "$(user 00000001 "" one)" 5 '[1]' '{}' null '"x"' '{"type":"message","id":""}' \
		'{"type":"message","id":7}' "$(user 00000002 00000001 two)" '' '   ' \
		'{"type":"session","version":3,"id":"again"}' 'x' '{"type":"message"}'
	mount_session
	is "00000001
00000002" ls "$MNT/by-id"
	head_is by-id/00000002
	is "bad-lines: 1 (line 14)
lines-without-id: 8 (lines 3-9, 15)
extra-headers: 1 (line 13)" tail -n 3 "$MNT/info"
}

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

@test "CRLF, a byte order mark, blank lines before the header" {
	{
		printf '\xef\xbb\xbf\r\n  \r\n'
		printf '{"type":"session","version":3,"id":"x","timestamp":"2026-03-01T10:00:00.000Z","cwd":"/"}\r\n'
		printf '%s\r\n' "$(user 00000001 "" one)"
	} >"$SESSION"
	mount_session
	is one cat "$MNT/HEAD/content"
	is "session: x" head -n 1 "$MNT/info"
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
