# The file append itself, and the session file that its lines go to.
load lib/mount
load lib/run
load lib/pi
load lib/append

@test "append has no size, is not read, and is not listed" {
	cp "$FIXTURES/pi-v3-branches.jsonl" "$SESSION"
	chmod 640 "$SESSION"
	mount_session
	is "--w------- 0 1" stat -c '%A %s %h' "$MNT/append"
	is "$(stat -c '%u:%g' "$SESSION")" stat -c %u:%g "$MNT/append"
	local ino
	ino=$(stat -c %i "$MNT/append")
	printf '{"role":"user"' >"$MNT/append"
	say '{"role":"user","content":"x"}'
	is "$ino" stat -c %i "$MNT/append"
	is 0 stat -c %s "$MNT/append"
	[ -w "$MNT/append" ]
	[ ! -s "$MNT/append" ]
	[[ $(ls -A "$MNT") != *append* ]]
	[ -z "$(find "$MNT" -name append)" ]
	if [ "$(id -u)" -eq 0 ]; then
		[ -z "$(cat "$MNT/append")" ]
	fi
	chmod 600 "$SESSION"
	is "--w-------" stat -c %A "$MNT/append"
	unmount
	daemon_is_gone
	mount_session
	is "$ino" stat -c %i "$MNT/append"
}

@test "append can't be removed, renamed, replaced or changed; truncating does nothing" {
	mount_fixture pi-v3-branches.jsonl
	local no="Operation not permitted"
	: >"$MNT/append"
	: >>"$MNT/append"
	truncate -s 0 "$MNT/append"
	fails_with "$no" rm -f "$MNT/append"
	fails_with "$no" mv "$MNT/append" "$MNT/x"
	fails_with "$no" mv "$MNT/append" "$MNT/HEAD"
	fails_with "$no" chmod 600 "$MNT/append"
	fails_with "$no" chown 1 "$MNT/append"
	fails_with "$no" ln "$MNT/append" "$MNT/x"
	fails_with "File exists" mkdir "$MNT/append"
	fails_with "File exists" ln -s by-id/aa000004 "$MNT/append"
	echo '{"role":"user","content":"x"}' >"$DIR/line"
	fails_with "$no" mv "$DIR/line" "$MNT/append"
	cmp "$FIXTURES/pi-v3-branches.jsonl" "$SESSION"
}

@test "read-only formats, files without a header, and -o ro: EROFS" {
	local no="Read-only file system" fixture
	for fixture in claude-basic claude-compact; do
		mount_fixture $fixture.jsonl
		is "----------" stat -c %A "$MNT/append"
		grep -qx "writable: HEAD and labels" "$MNT/info"
		fails_for_root_with "$no" say '{"role":"user","content":"x"}'
		fails_for_root_with "$no" bash -c "cat '$MNT/HEAD/raw.json' >>'$MNT/append'"
		cmp "$FIXTURES/$fixture.jsonl" "$SESSION"
		[ ! -e "${SESSION%.jsonl}.sessfs.json" ]
		unmount
		daemon_is_gone
	done
	write_lines '{"a":1}'
	mount_session -o dialect=lines
	fails_for_root_with "$no" bash -c "echo '{\"b\":1}' >>'$MNT/append'"
	is '{"a":1}' cat "$SESSION"
	unmount
	daemon_is_gone
	write_lines "$(user 00000001 "" one)"
	cp "$SESSION" "$DIR/before"
	mount_session
	fails_for_root_with "$no" bash -c "echo '{\"role\":\"user\",\"content\":\"x\"}' >>'$MNT/append'"
	cmp "$DIR/before" "$SESSION"
	unmount
	daemon_is_gone
	mount_fixture pi-v3-branches.jsonl -o ro
	fails_with "$no" say '{"role":"user","content":"x"}'
	fails_with "$no" bash -c "echo '{\"role\":\"user\",\"content\":\"x\"}' >>'$MNT/append'"
	cmp "$FIXTURES/pi-v3-branches.jsonl" "$SESSION"
}

@test "a missing final newline is supplied first; a torn line stays alone" {
	write_session "$(user 00000001 "" one)"
	user 00000002 00000001 two >>"$SESSION"
	mount_session
	say '{"role":"user","content":"three"}'
	holds "len(lines) == 4" "e['parentId'] == '00000002'"
	is 4 grep -c '' "$SESSION"
	printf '{"type":"mess' >>"$SESSION"
	say '{"role":"user","content":"four"}'
	is '{"type":"mess' sed -n 5p "$SESSION"
	holds "len(lines) == 5" "e['parentId'] == lines[-2]['id']"
	is four cat "$MNT/HEAD/content"
}

@test "a session of version 1 is migrated first" {
	mount_fixture pi-v1-linear.jsonl
	local leaf
	leaf=$(readlink "$MNT/HEAD")
	say '{"role":"user","content":"six"}'
	cmp "$FIXTURES/pi-v1-linear.jsonl" "$SESSION.v1.bak"
	holds "lines[0]['version'] == 3" "'by-id/' + e['parentId'] == '$leaf'" "made(e)"
	is six cat "$MNT/HEAD/content"
	is "../${leaf#by-id/}" readlink "$MNT/HEAD/parent"
	grep -qx "version: 3" "$MNT/info"
}

@test "a refused line does not migrate a session of version 1" {
	mount_fixture pi-v1-linear.jsonl
	refused . '{"role":"user"}'
	refused . '{"type":"custom","customType":"x","parentId":"nowhere"}'
	[ ! -e "$SESSION.v1.bak" ]
	cmp "$FIXTURES/pi-v1-linear.jsonl" "$SESSION"
}

# Rules: A1
@test "a line is on the disk before write returns" {
	cp "$FIXTURES/pi-v3-branches.jsonl" "$SESSION"
	make_slow
	meets hold sync
	"$SLOW" "$SESSION" "$MNT"
	touch "$DIR/while"
	{ say '{"role":"user","content":"durable"}' && touch "$DIR/returned"; } &
	wait_until grep -qsx "met fdatasync" "$DIR/met"
	grep -q '"durable"' "$SESSION"
	sleep 0.3
	[ ! -e "$DIR/returned" ]
	rm "$DIR/while"
	wait $!
	[ -e "$DIR/returned" ]
	came 1 pi-v3-branches.jsonl
}

# bats test_tags=root
@test "a full disk: the line is not there, not even a part of it" {
	needs_root
	mkdir "$DIR/small"
	mount -t tmpfs -o size=256k tmpfs "$DIR/small" || skip "tmpfs can't be mounted here"
	SESSION=$DIR/small/session.jsonl
	cp "$FIXTURES/pi-v3-branches.jsonl" "$SESSION"
	"$SESSFS" "$SESSION" "$MNT"
	printf '{"role":"user","content":"%0400000d"}\n' 1 >"$DIR/line"
	fails_with "No space left" bash -c "cat '$DIR/line' >'$MNT/append'"
	cmp "$FIXTURES/pi-v3-branches.jsonl" "$SESSION"
	say '{"role":"user","content":"small"}'
	is small cat "$MNT/HEAD/content"
	came 1 pi-v3-branches.jsonl
}

@test "a lock that is not let go: EBUSY, and the line can be written later" {
	mount_fixture pi-v3-branches.jsonl
	hold_lock
	fails_with "busy" say '{"role":"user","content":"x"}'
	cmp "$FIXTURES/pi-v3-branches.jsonl" "$SESSION"
	release_lock
	say '{"role":"user","content":"later"}'
	is later cat "$MNT/HEAD/content"
}

@test "the session is replaced while a writer has append open" {
	mount_fixture pi-v3-branches.jsonl
	ln "$SESSION" "$DIR/old"
	cp "$FIXTURES/pi-v3-compaction.jsonl" "$DIR/new"
	pieces "$DIR/new" "$SESSION" <<-'PY'
	fd = os.open(path, os.O_WRONLY)
	write(fd, line("before"))
	write(fd, b'{"role":"user","con')
	os.rename(sys.argv[2], sys.argv[3])
	# The line goes to the current session, or fails with ESTALE, but never
	# to the old file.
	try:
	    write(fd, b'tent":"after"}\n')
	    print("after")
	except OSError as e:
	    assert e.errno == errno.ESTALE, e
	os.close(fd)
	each([line("then")])
	PY
	is 26 grep -c '' "$DIR/old"
	holds "lines[1]['id'] == 'bb000001'" "e['message']['content'] == 'then'" "len(lines) in (20, 21)" \
		"e['parentId'] == lines[-2]['id']"
	is "then" cat "$MNT/HEAD/content"
}

@test "each session of a folder has an append of its own" {
	needs python3
	mkdir -p "$DIR/all/below"
	local name
	for name in one two below/three; do
		SESSION=$DIR/all/$name.jsonl
		write_session "$(user 00000001 "" "$name")"
	done
	cp "$FIXTURES/claude-basic.jsonl" "$DIR/all/c.jsonl"
	"$SESSFS" -o keep=1 "$DIR/all" "$MNT"
	[ ! -e "$MNT/append" ]
	python3 - "$MNT" <<-'PY'
	import os, sys
	# Write pieces in turn, while only one session is kept in memory.
	names = "one", "two", "below/three"
	files = [os.open(f"{sys.argv[1]}/{name}/append", os.O_WRONLY) for name in names]
	for i in range(3):
	    texts = [b'{"role":"user","content":"%s %d"}\n' % (name.encode(), i) for name in names]
	    for at in range(0, 60, 6):
	        for fd, text in zip(files, texts):
	            if text[at:at + 6]:
	                os.write(fd, text[at:at + 6])
	PY
	for name in one two below/three; do
		is "[User]: $name

[User]: $name 0

[User]: $name 1

[User]: $name 2" cat "$MNT/$name/context.txt"
		is 5 grep -c '' "$DIR/all/$name.jsonl"
	done
	[ "$(stat -c %i "$MNT/one/append")" -ne "$(stat -c %i "$MNT/two/append")" ]
	fails_for_root_with "Read-only file system" bash -c "echo '{\"role\":\"user\",\"content\":\"x\"}' >>'$MNT/c/append'"
	cp "$DIR/all/one.jsonl" "$DIR/unchanged"
	MNT=$MNT/one fails_with "Invalid argument" say '{}'
	cmp "$DIR/unchanged" "$DIR/all/one.jsonl"
	grep -q '^last-refused: ' "$MNT/one/info"
	not grep '^last-refused: ' "$MNT/two/info"
}
