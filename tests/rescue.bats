# sessfs --rescue: a damaged session is written anew, with everything in it that
# can be read.
load lib/mount
load lib/run
load lib/pi

setup() {
	make_folder
	cd "$DIR"
}

# A user message: id, parent as JSON, seconds, text.
at() {
	printf '{"type":"message","id":"%s","parentId":%s,"timestamp":"2026-03-01T10:00:%02d.000Z","message":{"role":"user","content":"%s","timestamp":1772359201000}}\n' "$@"
}

# A line of Claude Code: uuid, parent as JSON, seconds, text, more members.
said() {
	printf '{"parentUuid":%s,"isSidechain":false,"type":"user","message":{"role":"user","content":"%s"},"uuid":"%s","timestamp":"2026-03-01T10:00:%02d.000Z","sessionId":"5e55f500-0000-4000-8000-000000000009","version":"2.1.330"%s}\n' \
		"$2" "$4" "$1" "$3" "${5-}"
}

HEADER='{"type":"session","version":3,"id":"0198f000-0000-7000-8000-00000000000a","timestamp":"2026-03-01T10:00:00.000Z","cwd":"/work/demo"}'

# rescues REPORT OPTIONS...: fails unless session.jsonl is rescued with this
# report, but for its last two lines, to new.jsonl, which is fine then.
rescues() {
	local report=$1
	shift
	rm -f new.jsonl
	cp session.jsonl before
	run --separate-stderr "$SESSFS" "$@" --rescue new.jsonl session.jsonl
	[ "$status" -eq 0 ] && [ -z "$stderr" ] || {
		echo "status $status: $stderr"
		return 1
	}
	is "$report" head -n -2 <(echo "$output")
	cmp before session.jsonl
	is "0 600" bash -c '"$1" --check new.jsonl >/dev/null; echo "$? $(stat -c %a new.jsonl)"' - "$SESSFS"
}

# parents_are "ID PARENT"...: fails unless these are the entries of new.jsonl,
# in this order.
parents_are() {
	is "$(printf '%s\n' "$@")" sed -nE 's/.*"id":"([^"]*)","parentId":"?([^",]*).*/\1 \2/p' new.jsonl
}

@test "broken links are joined in the order of time, each with a line of report" {
	{
		echo "$HEADER"
		at 1 null 1 one
		at 2 '"1"' 2 two
		at 4 '"3"' 4 four
		at 5 '"4"' 5 five
		at 9 '"8"' 3 late
		at 6 '"5"' 6 six
		at 0 '"gone"' 0 first
		at c '"d"' 7 cycle
		at d '"c"' 8 cycle
		at r null 9 "a second root"
	} >session.jsonl
	rescues 'session.jsonl:4: 4: the parent 3 is missing: joined to 9, line 6
session.jsonl:6: 9: the parent 8 is missing: joined to 2, line 3
session.jsonl:8: 0: the parent gone is missing: nothing is older, made a root
session.jsonl:9: c: parents form a cycle: joined to 6, line 7'
	parents_are "1 null" "2 1" "4 9" "5 4" "9 2" "6 5" "0 null" "c 6" "d c" "r null"
	[ "${lines[-2]}" = "new.jsonl: 10 entries; the agent continues from r, line 11" ]
	[ "${lines[-1]}" = "open it with: pi --session $PWD/new.jsonl" ]
	# All other lines keep their bytes.
	diff <(grep -E '"id":"(1|2|5|6|d|r)"' session.jsonl) <(grep -E '"id":"(1|2|5|6|d|r)"' new.jsonl)
	[ "$(head -n 1 new.jsonl | cut -c 1-35)" = "${HEADER:0:35}" ]
	[ "$(head -n 1 new.jsonl)" != "$HEADER" ]
}

@test "an entry that is older than its own parents hangs on none of them" {
	{
		echo "$HEADER"
		at 1 null 1 one
		at 9 '"gone"' 9 nine
		at 8 '"9"' 8 eight
		at 7 '"8"' 7 seven
	} >session.jsonl
	rescues 'session.jsonl:3: 9: the parent gone is missing: joined to 1, line 2'
}

@test "whole lines in lines that are not JSON are taken, and other bytes counted" {
	{
		echo "$HEADER"
		at 1 null 1 one
		head -c 4096 /dev/zero
		at 2 '"1"' 2 two
		at 3 '"2"' 3 "torn {" | head -c 120
		at 4 '"3"' 4 four
		at 5 '"4"' 5 five | tr -d '\n'
		at 6 '"5"' 6 six
		echo '{"type":"custom","id":"x","data":{"type":"message","id":"inner"},'
		at 7 '"6"' 7 "the last" | head -c 100
	} >session.jsonl
	rescues 'session.jsonl:3: not JSON: 1 object in it taken; 4096 bytes can'"'"'t be read, all NUL
session.jsonl:4: not JSON: 1 object in it taken; 120 bytes can'"'"'t be read
session.jsonl:5: not JSON: 2 objects in it taken
session.jsonl:6: not JSON: 65 bytes can'"'"'t be read
session.jsonl:7: not JSON: 100 bytes can'"'"'t be read
session.jsonl:4: 4: the parent 3 is missing: joined to 2, line 3'
	parents_are "1 null" "2 1" "4 2" "5 4" "6 5"
}

@test "control characters in strings are escaped, if that is all that is wrong with a line" {
	{
		echo "$HEADER"
		at 1 null 1 one
		at 2 '"1"' 2 'say \"aXb\" eY' | sed $'s/X/\t/; s/Y/\x1b/'
		at 3 '"2"' 3 tXree | sed $'s/X/\t/; s/"role"/,&/'
	} >session.jsonl
	rescues 'session.jsonl:3: control characters in a string: escaped
session.jsonl:4: not JSON: 152 bytes can'"'"'t be read'
	parents_are "1 null" "2 1"
	grep -qF '"say \"a\u0009b\" e\u001b"' new.jsonl
}

@test "a session without a single newline" {
	{
		echo "$HEADER"
		at 1 null 1 one
		at 2 '"1"' 2 two
	} | tr -d '\n' >session.jsonl
	rescues "session.jsonl:1: not JSON: 3 objects in it taken"
	parents_are "1 null" "2 1"
}

@test "a header is made of what can be read of the old one" {
	{
		head -c 120 /dev/zero
		echo "${HEADER#??}" | sed 's/demo"}/demo","mo/'
		at 1 null 1 one
	} >session.jsonl
	rescues "session.jsonl:1: not JSON: 253 bytes can't be read, 120 of them NUL
session.jsonl:1: no header: made of what is known"
	is "$(echo "$HEADER" | sed 's/"id":"[^"]*"//')" sh -c 'head -n 1 new.jsonl | sed "s/\"id\":\"[^\"]*\"//"'
	at 1 null 1 one >session.jsonl
	rescues "session.jsonl:1: no header: made, without a directory"
	is '{"type":"session","version":3,,"timestamp":"2026-03-01T10:00:01.000Z"}' \
		sh -c 'head -n 1 new.jsonl | sed "s/\"id\":\"[^\"]*\"//"'
}

@test "headers: a late one, two, one without an id, one after a byte order mark" {
	{ at 1 null 1 one && echo "$HEADER"; } >session.jsonl
	rescues "session.jsonl:2: a late header: moved to the start"
	{ echo "$HEADER" && at 1 null 1 one && echo "$HEADER"; } >session.jsonl
	rescues "session.jsonl:3: another header: left out"
	{ echo '{"type":"session","version":3,"cwd":"/x"}' && at 1 null 1 one; } >session.jsonl
	rescues "session.jsonl:1: a header without an id: given one"
	is '{"type":"session","version":3,"cwd":"/x","id":""}' sh -c 'head -n 1 new.jsonl | sed "s/\"id\":\"[^\"]*/\"id\":\"/"'
	{ printf '\xef\xbb\xbf' && echo "$HEADER" && at 1 null 1 one; } >session.jsonl
	rescues "session.jsonl:1: a byte order mark: left out"
}

@test "what agents can't load, or would take for the leaf" {
	{
		echo "$HEADER"
		at 1 null 1 one
		echo null
		echo 7
		echo
		at 2 '"1"' 2 two
		echo '{"type":"custom"}'
	} >session.jsonl
	run "$SESSFS" --rescue new.jsonl session.jsonl
	is 'session.jsonl:3: null: left out
session.jsonl:4: not an object: left out
session.jsonl:6: 2: moved to the end, as the lines after it are no entries' head -n -2 <(echo "$output")
	[ "$(sed -n 3p new.jsonl)" = '{"type":"custom"}' ]
	parents_are "1 null" "2 1"
}

@test "entries that are there twice" {
	{
		echo "$HEADER"
		at 1 null 1 one
		at 2 '"1"' 2 two
		at 1 null 1 one
		at 2 '"1"' 2 "two again"
	} >session.jsonl
	start "$SESSFS" --rescue new.jsonl session.jsonl >report
	is "session.jsonl:2: repeated by line 4: left out
session.jsonl:3: replaced by the same id on line 5: kept" head -n -2 report
	is 4 grep -c . new.jsonl
}

@test "version 1: entries without ids stay as they are" {
	{
		echo '{"type":"session","id":"v1","timestamp":"2026-03-01T10:00:00.000Z","cwd":"/"}'
		echo '{"type":"message","timestamp":"2026-03-01T10:00:01.000Z","message":{"role":"user","content":"one"}}{"type":"message","timestamp":"2026-03-01T10:00:02.000Z","message":{"role":"user","content":"two"}}'
	} >session.jsonl
	rescues "session.jsonl:2: not JSON: 2 objects in it taken"
	is 2 grep -c '^{"type":"message","timestamp"' new.jsonl
	sed -i 1d session.jsonl
	rescues "session.jsonl:1: not JSON: 2 objects in it taken
session.jsonl:1: no header: made, without a directory" -o dialect=pi
	run cat new.jsonl
	[[ ${lines[0]} == *'"version":1,'* ]]
}

@test "oh-my-pi: the title stays first, and a second header is no entry" {
	{
		head -n 2 "$FIXTURES/omp-v3-basic.jsonl"
		at 1 null 1 one
		sed -n 2p "$FIXTURES/omp-v3-basic.jsonl"
		at 2 '"1"' 2 two | head -c 50
		at 3 '"2"' 3 three
	} >session.jsonl
	rescues "session.jsonl:4: another header: left out
session.jsonl:5: not JSON: 1 object in it taken; 50 bytes can't be read
session.jsonl:5: 3: the parent 2 is missing: joined to 1, line 3"
	[ "${lines[-1]}" = "open it with: omp --resume $PWD/new.jsonl" ]
	cmp <(head -n 1 session.jsonl) <(head -n 1 new.jsonl)
	# Without anything that only oh-my-pi writes, its name is needed.
	{ at 1 null 1 one | cut -c 2- && at 2 '"1"' 2 two; } >session.jsonl
	start "$SESSFS" -o dialect=omp --rescue omp.jsonl session.jsonl >report
	grep -q "^open it with: omp " report
}

@test "Claude Code: links, sidechains, the session's id, missing times" {
	local u=11111111-2222-4333-8444-555555555555
	{
		said a null 1 one
		said b '"a"' 2 two | sed 's/"isSidechain":false/"isSidechain":true/'
		said d '"c"' 3 three
		said e '"d"' 4 four | sed 's/"timestamp":"[^"]*",//'
		said f '"x"' 5 side | sed 's/"isSidechain":false/"isSidechain":true/'
		said g '"e"' 6 five
		said r null 7 "a second root"
		echo '{"type":"summary","summary":"s","leafUuid":"g"}'
	} >session.jsonl
	start "$SESSFS" --rescue $u.jsonl session.jsonl >report
	is "session.jsonl:3: d: the parent c is missing: joined to a, line 1
session.jsonl:4: no timestamp: given that of the line before
session.jsonl:5: f: the parent x is missing: joined to b, line 2
$u.jsonl: 7 entries; the agent continues from r, line 7
open it with: claude --resume $PWD/$u.jsonl --fork-session" cat report
	is "a null,b a,d a,e d,f b,g e,r null" \
		sh -c "sed -nE 's/.*\"parentUuid\":\"?([^\",]*).*\"uuid\":\"([^\"]*)\".*/\\2 \\1/p' $u.jsonl | paste -sd,"
	is 7 grep -c "\"sessionId\":\"$u\"" $u.jsonl
	start "$SESSFS" --check $u.jsonl
}

@test "Claude Code: HEAD that was moved stays where it is" {
	{
		said a null 1 one '' | sed 's/2.1.330/2.1.90/'
		said b '"a"' 2 two | sed 's/2.1.330/2.1.90/'
		echo 'torn'
	} >session.jsonl
	echo '{"head":"a","leaf":"b","labels":{}}' >session.sessfs.json
	start "$SESSFS" --rescue new.jsonl session.jsonl >report
	grep -q 'continues from a, line 1$' report
	is '"leafUuid":"a","explicit":true' grep -o '"leafUuid":"a","explicit":true' new.jsonl
}

@test "nothing to rescue: status 1, and no file" {
	{ echo "$HEADER" && at 1 null 1 one; } >session.jsonl
	run --separate-stderr "$SESSFS" --rescue new.jsonl session.jsonl
	[ "$status" -eq 1 ]
	[ "$output" = "session.jsonl: nothing to rescue: every line can be read, and no link is broken" ]
	[ ! -e new.jsonl ]
	# A last line without its newline is fine, too.
	truncate -s -1 session.jsonl
	run -1 "$SESSFS" --rescue new.jsonl session.jsonl
}

@test "no file is overwritten, and nothing is left after a failure" {
	{ echo "$HEADER" && echo x && at 1 null 1 one; } >session.jsonl
	echo mine >there
	ln -s nowhere link
	mkdir folder
	refuses 2 "sessfs: there: File exists" "$SESSFS" --rescue there session.jsonl
	refuses 2 "sessfs: session.jsonl: File exists" "$SESSFS" --rescue session.jsonl session.jsonl
	refuses 2 "sessfs: link: File exists" "$SESSFS" --rescue link session.jsonl
	refuses 2 "sessfs: folder: Is a directory" "$SESSFS" --rescue folder session.jsonl
	refuses 2 "sessfs: new/: Is a directory" "$SESSFS" --rescue new/ session.jsonl
	refuses 2 "sessfs: no/new: No such file or directory" "$SESSFS" --rescue no/new session.jsonl
	refuses 2 "sessfs: none: No such file or directory" "$SESSFS" --rescue new none
	refuses 2 "sessfs: folder: Is a directory" "$SESSFS" --rescue new folder
	refuses 2 "usage: sessfs rescue [OPTIONS] OUT FILE (-h for help)" "$SESSFS" --rescue new
	echo junk >junk
	refuses 2 "sessfs: junk: no line of it can be read as one of an agent that is known (-o dialect=NAME)" \
		"$SESSFS" --rescue new junk
	refuses 2 "sessfs: $FIXTURES/draft000-uuid.jsonl: sessions of the format draft-uuid can't be rescued, only those of pi, omp and claude" \
		"$SESSFS" --rescue new "$FIXTURES/draft000-uuid.jsonl"
	is "mine" cat there
	is "folder junk link mnt session.jsonl there" bash -c 'echo *'
}

@test "what can't be written is named, and not what was read" {
	{ echo "$HEADER" && at aa000001 null 1 x && echo torn; } >session.jsonl
	at aa000002 '"aa000001"' 2 "$(printf '%1500s' "")" >>session.jsonl
	refuses 2 "sessfs: new.jsonl: File too large" bash -c 'ulimit -f 1 && "$@"' - "$SESSFS" rescue new.jsonl session.jsonl
	is "mnt session.jsonl" bash -c "echo *"
}

@test "odd names: on one line, and quoted for a shell" {
	{ echo "$HEADER" && echo x && at 1 null 1 one; } >$'a\nb.jsonl'
	start "$SESSFS" --rescue $'it\'s.jsonl' $'a\nb.jsonl' >report
	is "a\\nb.jsonl:2: not JSON: 1 byte can't be read" head -n 1 report
	local word
	word=$(sed -n '$s/open it with: pi --session //p' report)
	[ "$(eval "echo $word")" = "$PWD/it's.jsonl" ]
}

@test "thousands of broken links, and braces that open nothing" {
	needs python3
	python3 - >session.jsonl <<-'PY'
	print('{"type":"session","version":3,"id":"s","timestamp":"2026-03-01T10:00:00.000Z","cwd":"/"}')
	def entry(i, parent, time):
	    print('{"type":"custom","customType":"x","id":"%s","parentId":"%s","timestamp":"2026-03-01T%02d:%02d:%02d.000Z"}'
	        % (i, parent, time // 3600, time // 60 % 60, time % 60))
	n = 30000
	for i in range(n):
	    entry(f"z{i}", f"gone{i}", 36000 + i)
	    entry(f"c{i}", f"z{i}", 32000 - i)
	print('{' * 1000000)
	print('{"a":' * 300000)
	PY
	start "$SESSFS" --rescue new.jsonl session.jsonl >report
	is "30004" sh -c 'grep -c : report | cat'
	grep -q ': 60000 entries; the agent continues from ' report
	run -0 "$SESSFS" --check new.jsonl
}
