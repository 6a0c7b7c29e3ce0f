# The session's name: read, set, cleared, as the owning agent does.
load lib/mount
load lib/run
load lib/pi
load lib/claude

# The first line of an oh-my-pi session, its 256 bytes.
slot_is() {
	needs python3
	python3 - "$SESSION" "$1" <<-'PY'
	import json, re, sys
	slot = open(sys.argv[1], "rb").read(256)
	assert len(slot) == 256 and slot.index(b"\n") == 255, slot
	e = json.loads(slot)
	assert e["type"] == "title" and e["v"] == 1, e
	assert e["title"] == sys.argv[2], e
	assert e.get("source", "user") in ("user", "auto"), e
	assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", e["updatedAt"]), e
	assert set(e["pad"]) <= {" "}, e
	PY
}

# An oh-my-pi session without such a line.
write_without_slot() {
	write_lines '{"type":"session","version":3,"id":"0198f000-0000-7000-8000-000000000001","timestamp":"2026-03-01T10:00:00.000Z","cwd":"/work/demo","title":"old","titleSource":"auto"}' \
		"$(user 00000001 "" one)" "$(user 00000002 00000001 two)"
}

name_is() {
	local text=$1${1:+$'\n'} got info LC_ALL=C
	whole got "$MNT/name"
	whole info "$MNT/info"
	[ "$got" = "$text" ]
	is "${#text}" stat -c %s "$MNT/name"
	if [ -n "$1" ]; then
		[[ $'\n'$info == *$'\n'"name: $1"$'\n'* ]]
	else
		[[ $'\n'$info != *$'\n'name:* ]]
	fi
}

write_name() {
	echo "$1" >"$MNT/name"
}

# Without emptying it.
write_over() {
	printf %s "$1" 1<>"$MNT/name"
}

# Fails unless there is no name: the file is empty.
no_name() {
	name_is ""
}

@test "name is the agent's name of the session, and is listed" {
	mount_fixture pi-v3-branches.jsonl
	name_is "Demo session"
	ls "$MNT" >"$DIR/names"
	has_line name "$DIR/names"
	is "-rw-r--r--" stat -c %A "$MNT/name"
	cp "$FIXTURES/pi-v3-compaction.jsonl" "$SESSION"
	no_name
}

# Rules: N1
@test "writing it is an entry, which HEAD looks through, and truncating clears it" {
	mount_fixture pi-v3-branches.jsonl
	cat "$MNT/name" "$MNT/info" "$MNT/context.txt" >/dev/null
	cat "$MNT/context.txt" >"$DIR/context"
	printf 'another name\n' | dd of="$MNT/name" conv=notrunc status=none
	name_is "another name"
	holds "made(e)" "e['type'] == 'session_info'" "e['name'] == 'another name'" "e['parentId'] == 'aa000025'" "len(lines) == 26"
	head_is by-id/aa000025
	mapfile -t lines <"$SESSION"
	[[ ${lines[-1]} =~ \"id\":\"([^\"]*)\" ]]
	has_line "leaf: ${BASH_REMATCH[1]}" "$MNT/info"
	cmp -n "$(stat -c %s "$FIXTURES/pi-v3-branches.jsonl")" "$FIXTURES/pi-v3-branches.jsonl" "$SESSION"
	cmp "$DIR/context" "$MNT/context.txt"
	not has "another name" "$MNT/tree.txt"
	: >"$MNT/name"
	no_name
	holds "e['type'] == 'session_info'" "not e.get('name')" "e['parentId'] == lines[-2]['id']"
	# A missing name is not cleared again; the same name can be set again.
	cp "$SESSION" "$DIR/before"
	: >"$MNT/name"
	truncate -s 0 "$MNT/name"
	cmp "$DIR/before" "$SESSION"
	echo third >"$MNT/name"
	name_is third
	echo >"$MNT/name"
	no_name
	unmount
	daemon_is_gone
	mount_session
	no_name
}

@test "a name of any UTF-8, in pieces, from cp and tee, at the next mount" {
	needs python3
	mount_fixture pi-v3-branches.jsonl
	printf 'größe ✓ "x" \\' >"$MNT/name"
	name_is 'größe ✓ "x" \'
	echo copied >"$DIR/text"
	cp "$DIR/text" "$MNT/name"
	name_is copied
	echo teed | tee "$MNT/name" >/dev/null
	name_is teed
	python3 - "$MNT/name" <<-'PY'
	import os, sys
	fd = os.open(sys.argv[1], os.O_WRONLY | os.O_TRUNC)
	for c in "pieces\n":
	    os.write(fd, c.encode())
	os.close(fd)
	PY
	name_is pieces
	unmount
	daemon_is_gone
	mount_session
	name_is pieces
}

@test "a name in pieces that end in blanks, or that its format cuts" {
	needs python3
	local fixture
	for fixture in pi-v3-branches omp-v3-basic; do
		mount_fixture $fixture.jsonl
		echo 'a name of words' | dd of="$MNT/name" bs=1 status=none
		name_is "a name of words"
		{ printf 'two '; env printf 'halves\n'; } >"$MNT/name"
		name_is "two halves"
		printf 'x%.0s' {1..1000} | dd of="$MNT/name" bs=100 status=none
		has xxxxxxxxxx "$MNT/name"
		unmount
		daemon_is_gone
	done
}

@test "bad text is EINVAL from write, and the old name stays" {
	needs python3
	mount_fixture pi-v3-branches.jsonl
	python3 - "$MNT/name" <<-'PY'
	import errno, os, sys
	path = sys.argv[1]
	bad = [b"two\nlines", b"two\nlines\n", b"\n\n", b"tab\there", b"nul\0", b"\x7f", b"\x1b[2J",
	       b"\xff", b"\xc3", "\u0085".encode(), b"x" * 1025, b"x" * 100000]
	for flags in 0, os.O_TRUNC:
	    for text in bad:
	        fd = os.open(path, os.O_WRONLY | flags)
	        try:
	            os.write(fd, text)
	            sys.exit(f"{text[:20]!r} was taken")
	        except OSError as e:
	            assert e.errno == errno.EINVAL, e
	        os.close(fd)
	        assert open(path, "rb").read() == b"Demo session\n", (text, open(path, "rb").read())
	fd = os.open(path, os.O_WRONLY | os.O_TRUNC)
	os.write(fd, b"x" * 1024 + b"\n")
	os.close(fd)
	assert open(path, "rb").read() == b"x" * 1024 + b"\n"
	PY
	if { env printf 'a\nb\n'; } >"$MNT/name"; then return 1; fi
	if echo more >>"$MNT/name"; then return 1; fi
	name_is "$(printf 'x%.0s' {1..1024})"
}

@test "a name and labels that are written at once do not disturb each other" {
	needs python3
	mount_fixture pi-v3-branches.jsonl
	python3 - "$MNT" <<-'PY'
	import errno, os, sys
	mnt = sys.argv[1]
	name = os.open(mnt + "/name", os.O_WRONLY | os.O_TRUNC)
	label = os.open(mnt + "/by-id/aa000004/label", os.O_WRONLY | os.O_TRUNC)
	os.write(name, b"na")
	os.write(label, b"la")
	os.write(name, b"me\n")
	os.write(label, b"bel\n")
	append = os.open(mnt + "/append", os.O_WRONLY)
	os.write(append, b'{"role":"user","con')
	other = os.open(mnt + "/name", os.O_WRONLY | os.O_TRUNC)
	os.write(append, b'tent":"x"}\n')
	try:
	    os.write(other, b"a\nb")
	    sys.exit("two lines were taken")
	except OSError as e:
	    assert e.errno == errno.EINVAL, e
	PY
	name_is name
	is label cat "$MNT/by-id/aa000004/label"
	holds "any(l.get('type') == 'message' and l['message']['content'] == 'x' for l in lines[-4:])"
}

@test "a name that an agent appends is read at once" {
	mount_fixture pi-v3-branches.jsonl
	name_is "Demo session"
	echo '{"type":"session_info","id":"bb000001","parentId":"aa000025","timestamp":"2026-03-01T10:01:00.000Z","name":"by the agent"}' >>"$SESSION"
	name_is "by the agent"
	say '{"type":"session_info","name":"by append"}'
	name_is "by append"
	echo '{"type":"session_info","id":"bb000002","parentId":"bb000001","timestamp":"2026-03-01T10:01:00.000Z"}' >>"$SESSION"
	no_name
}

@test "a name that is no one line is read as one that shows" {
	write_session '{"type":"session_info","id":"00000001","parentId":null,"timestamp":"2026-03-01T10:00:01.000Z","name":" a\u00e9 b "}'
	mount_session
	name_is "aé b"
}

@test "it can't be removed, renamed, replaced or changed" {
	mount_fixture pi-v3-branches.jsonl
	local no="Operation not permitted"
	fails_with "$no" rm -f "$MNT/name"
	fails_with "$no" mv "$MNT/name" "$MNT/x"
	fails_with "$no" chmod 600 "$MNT/name"
	fails_with "$no" ln "$MNT/name" "$MNT/x"
	fails_with "$no" sed -i s/Demo/x/ "$MNT/name"
	cmp "$FIXTURES/pi-v3-branches.jsonl" "$SESSION"
}

@test "a session of version 1 is migrated first" {
	mount_fixture pi-v1-linear.jsonl
	no_name
	echo old >"$MNT/name"
	name_is old
	holds "lines[0]['version'] == 3" "e['type'] == 'session_info'" "e['name'] == 'old'"
	cmp "$FIXTURES/pi-v1-linear.jsonl" "$SESSION.v1.bak"
}

@test "pi-harness: an entry below the target of its leaf entry" {
	mount_fixture pi-harness-leaf.jsonl
	echo named >"$MNT/name"
	name_is named
	holds "e['type'] == 'session_info'" "e['name'] == 'named'" "e['parentId'] == 'ab000002'" "made(e)"
}

# Rules: N1
@test "omp: the slot is overwritten in place, and an entry is appended" {
	mount_fixture omp-v3-basic.jsonl
	name_is "Über title"
	local inode size
	inode=$(stat -c %i "$SESSION")
	size=$(stat -c %s "$SESSION")
	echo 'Größe "2" \ ✓' >"$MNT/name"
	name_is 'Größe "2" \ ✓'
	slot_is 'Größe "2" \ ✓'
	is "$inode" stat -c %i "$SESSION"
	cmp <(tail -c +257 "$FIXTURES/omp-v3-basic.jsonl") <(head -c "$size" "$SESSION" | tail -c +257)
	holds "made(e)" "e['type'] == 'title_change'" "e['title'] == 'Größe \"2\" \\\\ ✓'" "e['source'] == 'user'" "e['parentId'] == '11000021'" \
		"len([l for l in lines if l.get('type') == 'session_info']) == 0"
	: >"$MNT/name"
	no_name
	slot_is ""
	is "$inode" stat -c %i "$SESSION"
	unmount
	daemon_is_gone
	mount_session
	no_name
	head_is by-id/11000021
	[ ! -e "$DIR/.session.jsonl.lock" ]
}

@test "omp: a name that is too long for the slot is cut there, at a character" {
	needs python3
	mount_fixture omp-v3-basic.jsonl
	local char long title
	for char in x é ✓ 😀 '"'; do
		long=$(printf "$char%.0s" {1..200})
		echo "$long" >"$MNT/name"
		whole title "$MNT/name"
		title=${title%$'\n'}
		[ -n "$title" ]
		[ "$title" != "$long" ]
		[[ $long == "$title"* ]]
		slot_is "$title"
		name_is "$title"
	done
	echo short >"$MNT/name"
	name_is short
	slot_is short
}

@test "omp: a file without a slot is replaced by one that has it" {
	write_without_slot
	chmod 640 "$SESSION"
	cp "$SESSION" "$DIR/before"
	mount_session
	name_is old
	# To clear it empties the slot only, so there has to be one.
	echo new >"$MNT/name"
	name_is new
	slot_is new
	cmp "$DIR/before" <(tail -c +257 "$SESSION" | head -c "$(stat -c %s "$DIR/before")")
	is 640 stat -c %a "$SESSION"
	holds "e['type'] == 'title_change'" "e['title'] == 'new'" "e['parentId'] == '00000002'"
	is two cat "$MNT/by-id/00000002/content"
	[ -z "$(find "$DIR" -name '*.sessfs-*')" ]
	: >"$MNT/name"
	no_name
	slot_is ""
}

@test "omp: without a slot, clearing wins over the header's title" {
	write_without_slot
	mount_session
	: >"$MNT/name"
	no_name
	unmount
	daemon_is_gone
	mount_session
	no_name
}

@test "omp: while the agent holds its lock, EBUSY, and the slot stays" {
	mount_fixture omp-v3-basic.jsonl
	printf '%d:%s000\n' $$ "$(date +%s)" >"$DIR/.session.jsonl.lock"
	fails_with "Device or resource busy" write_name no
	cmp "$FIXTURES/omp-v3-basic.jsonl" "$SESSION"
	name_is "Über title"
}

@test "omp: the slot changes while files of the mount are open" {
	mount_fixture omp-v3-basic.jsonl
	cd "$MNT/HEAD/"
	echo renamed >"$MNT/name"
	cat content >/dev/null
	name_is renamed
	is "ok

[tool call] bash
command: ls" cat "$MNT/by-id/11000010/content"
	cd /
}

@test "drafts and Go trees know no names: EOPNOTSUPP" {
	local fixture top=$MNT
	mkdir "$DIR/all"
	cp "$FIXTURES"/{draft000-uuid,draft003-index,go-tree}.jsonl "$DIR/all"
	"$SESSFS" "$DIR/all" "$top"
	for fixture in draft000-uuid draft003-index go-tree; do
		MNT=$top/$fixture
		no_name
		fails_for_root_with "Operation not supported" write_over x
		fails_for_root_with "Operation not supported" write_name x
		no_name
		is "-r--r--r--" stat -c %A "$MNT/name"
		cmp "$FIXTURES/$fixture.jsonl" "$DIR/all/$fixture.jsonl"
	done
	MNT=$top
}

@test "read-only formats, files without a header, and -o ro: EROFS" {
	local no="Read-only file system" top=$MNT
	mkdir "$DIR/all"
	cp "$FIXTURES/claude-basic.jsonl" "$DIR/all/claude.jsonl"
	user 00000001 "" one >"$DIR/all/no-header.jsonl"
	"$SESSFS" "$DIR/all" "$top"
	MNT=$top/claude
	is "-r--r--r--" stat -c %A "$MNT/name"
	fails_for_root_with "$no" write_name x
	fails_for_root_with "$no" write_over x
	cmp "$FIXTURES/claude-basic.jsonl" "$DIR/all/claude.jsonl"
	[ ! -e "$DIR/all/claude.sessfs.json" ]
	MNT=$top/no-header
	fails_for_root_with "$no" write_name x
	mkdir "$DIR/lines" "$DIR/ro"
	write_lines '{"a":1}'
	"$SESSFS" -o dialect=lines "$SESSION" "$DIR/lines"
	MNT=$DIR/lines
	fails_for_root_with "$no" write_name x
	"$SESSFS" -o ro "$FIXTURES/pi-v3-branches.jsonl" "$DIR/ro"
	MNT=$DIR/ro
	fails_with "$no" write_name x
	name_is "Demo session"
	MNT=$top
}

# Rules: N1
@test "Claude Code's title is the name" {
	write_lines "$(claude_user 1 "" one)" "$(claude_answer 2 1 two)" \
		'{"type":"custom-title","customTitle":"a title","sessionId":"5e55f500-0000-4000-8000-000000000001"}'
	mount_session
	is "$(sed -n 's/^name: //p' "$MNT/info")" cat "$MNT/name"
}

@test "each session of a folder has a name of its own" {
	mkdir "$DIR/all"
	cp "$FIXTURES/pi-v3-branches.jsonl" "$DIR/all/one.jsonl"
	cp "$FIXTURES/omp-v3-basic.jsonl" "$DIR/all/two.jsonl"
	chmod 644 "$DIR/all"/*
	"$SESSFS" "$DIR/all" "$MNT"
	[ ! -e "$MNT/name" ]
	echo first >"$MNT/one/name"
	is "Über title" cat "$MNT/two/name"
	echo second >"$MNT/two/name"
	is first cat "$MNT/one/name"
	is second cat "$MNT/two/name"
}
