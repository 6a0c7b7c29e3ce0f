# An entry's own line, written to append, is a copy of it.
load lib/mount
load lib/run
load lib/pi
load lib/append

# Rules: A1 A3
@test "an entry's own line is a copy: another id and parent, else the same bytes" {
	mount_fixture pi-v3-branches.jsonl
	local line entry entries=()
	while IFS= read -r line; do
		[[ $line =~ ^\{\"type\":.*\"id\":\"(aa[0-9]*)\" ]] || continue
		entry=${BASH_REMATCH[1]}
		entries+=("$entry")
		cat "$MNT/by-id/$entry/raw.json" >"$MNT/append"
	done <"$FIXTURES/pi-v3-branches.jsonl"
	copied "${entries[@]}"
	came ${#entries[@]} pi-v3-branches.jsonl
	is good cat "$MNT/by-id/aa000008/label"
	# Of a copy, and where HEAD was moved to.
	ln -sfn by-id/aa000008 "$MNT/HEAD"
	cat "$MNT/by-id/aa000011/raw.json" >"$MNT/append"
	is "[Assistant]: Done with approach A.

[Assistant]: B is worse." tail -n 3 "$MNT/context.txt"
}

@test "a copy of a line that is written otherwise" {
	local odd='{ "type" : "message" ,  "parentId":  null, "message" : {"role":"user","id":"in","parentId":"in","content":"a\u00e9\/ \ud83d","n":1.50,"n":[1e3, 2]} , "id"	:"0000\u00300001","x":null , "timestamp":"2026-03-01T10:00:01Z" }'
	write_session "$odd" "$(user 00000002 000000001 two)"
	mount_session
	is "000000001
00000002" ls -U "$MNT/by-id"
	cat "$MNT/by-id/000000001/raw.json" >"$MNT/append"
	holds "e['parentId'] == '00000002'" "made(dict(e, timestamp='2026-03-01T10:00:01.000Z'))"
	local want=${odd/null/\"00000002\"}
	is "${want/\"0000\\u00300001\"/\"$(sed -n '$s/.*"id"	:"\([^"]*\)".*/\1/p' "$SESSION")\"}" tail -n 1 "$SESSION"
}

@test "a copy of a line with a carriage return, and with repeated members" {
	write_session "$(user 00000001 "" one)" "$(user 00000002 00000001 two)" \
		'{"type":"message","id":"00000003","id":"00000004","parentId":"00000002","parentId":"00000001","timestamp":"x","timestamp":"2026-03-01T10:00:01.000Z","message":{"role":"user","content":"twice"}}'
	sed -i '3s/$/\r/' "$SESSION"
	mount_session
	cat "$MNT/by-id/00000002/raw.json" >"$MNT/append"
	holds "e['message']['content'] == 'two'" "e['parentId'] == '00000004'" "made(e)"
	cat "$MNT/by-id/00000004/raw.json" >"$MNT/append"
	holds "e['message']['content'] == 'twice'" "e['parentId'] == lines[-2]['id']" "made(e)" "raw.count(b'timestamp') == 2"
	# CRLF ends a line as well.
	printf '{"role":"user","content":"dos"}\r\n{"role":"user","content":"end"}\r\n' >"$MNT/append"
	texts_are "['two', 'twice', 'dos', 'end']"
}

@test "entries can be copied from one mounted session to another" {
	mount_fixture pi-v3-branches.jsonl
	local entry
	mkdir "$DIR/second"
	head -n 1 "$SESSION" >"$DIR/other.jsonl"
	"$SESSFS" "$DIR/other.jsonl" "$DIR/second"
	for entry in aa000004 aa000005 aa000006 aa000024; do
		cat "$MNT/by-id/$entry/raw.json"
	done >"$DIR/second/append"
	is "[User]: list the files" head -n 1 "$DIR/second/context.txt"
	is "[User]: part one, part two" tail -n 1 "$DIR/second/context.txt"
	is 5 grep -c '' "$DIR/other.jsonl"
	cmp "$FIXTURES/pi-v3-branches.jsonl" "$SESSION"
}

# Rules: A3
@test "a fork is a session to go on with" {
	mount_fixture pi-v3-branches.jsonl
	say '{"role":"user","content":"forked"}'
	cp "$MNT/HEAD/branch.jsonl" "$DIR/fork.jsonl"
	unmount
	daemon_is_gone
	SESSION=$DIR/fork.jsonl
	mount_session
	grep -qx "parent-session: $DIR/session.jsonl" "$MNT/info"
	is forked cat "$MNT/HEAD/content"
	is good cat "$MNT/by-id/aa000008/label"
	[ ! -e "$MNT/by-id/aa000010" ]
	say "$(answer "in the fork")"
	is "[User]: forked

[Assistant]: in the fork" tail -n 3 "$MNT/context.txt"
}
