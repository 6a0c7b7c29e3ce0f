# Changes of the file by another process are seen at once.
load lib/mount
load lib/run
load lib/pi

# Rules: C1
@test "an appended entry is everywhere as soon as the append has returned" {
	mount_fixture pi-v3-branches.jsonl
	find "$MNT" >/dev/null
	cat "$MNT/context.txt" "$MNT/info" "$MNT/tree.txt" >/dev/null
	{ message 00000001 aa000025 '{"role":"user","content":"more"}'; echo; } >>"$SESSION"
	head_is by-id/00000001
	is more cat "$MNT/HEAD/content"
	has $'[User]: more\n' "$MNT/context.txt"
	is "$(wc -c <"$MNT/context.txt")" stat -c %s "$MNT/context.txt"
	has $' 00000001 user  more ← HEAD\n' "$MNT/tree.txt"
	is "aa000011
00000001" ls -U "$MNT/branches"
	[ -d "$MNT/by-id/aa000025/00000001" ]
	has_line "entries: 25" "$MNT/info"
	echo '{"type":"label","id":"00000002","parentId":"00000001","targetId":"00000001","label":"new"}' >>"$SESSION"
	is new cat "$MNT/by-id/00000001/label"
	[ -L "$MNT/by-label/new" ]
	echo '{"type":"session_info","id":"00000003","parentId":"00000002","name":"other"}' >>"$SESSION"
	has_line "name: other" "$MNT/info"
}

@test "same size, same second: still seen" {
	write_session "$(user 00000001 "" one)"
	mount_session
	local i
	for i in {1..30}; do
		echo '{"type":"label","id":"l'$i'","parentId":"00000001","targetId":"00000001","label":"'$((i % 10))'"}' >>"$SESSION"
		is $((i % 10)) cat "$MNT/by-id/00000001/label"
	done
	for i in {1..30}; do
		echo $((i % 7)) >"$MNT/by-id/00000001/label"
		is $((i % 7)) cat "$MNT/by-id/00000001/label"
	done
}

# As rsync --inplace --times does, and editors that keep times.
@test "same size, and the old time put back: still seen" {
	local text
	write_session "$(user 00000001 "" one)" "$(user 00000002 00000001 two)"
	touch -d 2026-03-01 "$SESSION"
	mount_session
	cat "$MNT"/by-id/*/content "$MNT/path/0001-user-one/content"
	whole text "$SESSION"
	touch -r "$SESSION" "$DIR/times"
	printf %s "${text/one/six}" 1<>"$SESSION"
	touch -r "$DIR/times" "$SESSION"
	is six cat "$MNT/by-id/00000001/content"
	is six cat "$MNT/path/0001-user-six/content"
	is $'0001-user-six\n0002-user-two' ls "$MNT/path"
}

@test "a late parent gets its children; a late cycle is cut" {
	write_session "$(user 00000001 00000009 orphan)"
	mount_session
	is 00000001 ls "$MNT/tree"
	cd "$MNT/tree/00000001"
	append_user 00000009 "" parent
	cd "$MNT"
	is 00000009 ls "$MNT/tree"
	is orphan cat "$MNT/tree/00000009/00000001/content"
	is ../00000009 readlink "$MNT/by-id/00000001/parent"
	fails_with "No such file" stat "$MNT/tree/00000001"
	{ user 0000000a 0000000b a; echo; user 0000000b 0000000a b; echo; } >>"$SESSION"
	is "00000009
0000000a" ls "$MNT/tree"
	is b cat "$MNT/tree/0000000a/0000000b/content"
}

@test "a repeated id shows the new line" {
	write_session "$(user 00000001 "" one)" "$(user 00000002 00000001 two)"
	mount_session
	is two cat "$MNT/by-id/00000002/content"
	append_user 00000002 "" again
	is again cat "$MNT/by-id/00000002/content"
	is "00000001
00000002" ls "$MNT/tree"
}

# A message of Pi's with pictures: id, then media type and base64 of each.
picture_message() {
	local blocks="" id=$1
	shift
	while [ $# -gt 0 ]; do
		blocks+="{\"type\":\"image\",\"mimeType\":\"$1\",\"data\":\"$2\"},"
		shift 2
	done
	message "$id" "" "{\"role\":\"user\",\"content\":[${blocks%,}]}"
}

# Fails unless the pictures of the first entry are these: "NAME SIZE" lines.
pictures_are() {
	(cd "$MNT/by-id/00000001" && is "$1" stat -c '%n %s' [0-9]*.*)
}

@test "the pictures of an entry are those of its last line" {
	local picture
	write_session "$(picture_message 00000001 image/png QQ== image/gif QUI=)" "$(user 00000002 00000001 two)"
	mount_session
	pictures_are "1.png 1
2.gif 2"
	whole picture "$MNT/by-id/00000001/1.png"
	[ "$picture" = A ]
	# The same id again, with other pictures.
	{ picture_message 00000001 image/jpeg QkJC; echo; } >>"$SESSION"
	pictures_are "1.jpg 3"
	whole picture "$MNT/by-id/00000001/1.jpg"
	[ "$picture" = BBB ]
	fails_with "No such file" cat "$MNT/by-id/00000001/2.gif"
	# Written anew, in as many bytes.
	write_session "$(picture_message 00000001 image/png QkI= image/gif Qw==)" "$(user 00000002 00000001 two)"
	pictures_are "1.png 2
2.gif 1"
	write_session "$(picture_message 00000001 image/gif Qw== image/png QkI=)" "$(user 00000002 00000001 two)"
	pictures_are "1.gif 1
2.png 2"
	cat "$MNT/by-id/00000001/1.gif" "$MNT/by-id/00000001/2.png" >"$DIR/both"
	whole picture "$DIR/both"
	[ "$picture" = CBB ]
}

@test "a file that is rewritten, replaced, truncated or deleted is shown in its new state" {
	mount_fixture pi-v3-branches.jsonl
	cat "$MNT/by-id/aa000004/content" >/dev/null
	# In place, as Pi does when it migrates.
	write_session "$(user aa000004 "" rewritten)"
	is rewritten cat "$MNT/by-id/aa000004/content"
	is aa000004 ls "$MNT/by-id"
	# By rename, as oh-my-pi does.
	cp "$FIXTURES/pi-v3-headmove.jsonl" "$DIR/new"
	mv "$DIR/new" "$SESSION"
	is "dd000001
dd000002
dd000003
dd000004
dd000005" ls "$MNT/by-id"
	head_is by-id/dd000002
	truncate -s 0 "$SESSION"
	head_is tree
	[ -z "$(ls "$MNT/by-id")" ]
	rm "$SESSION"
	[ -z "$(ls "$MNT/by-id")" ]
	fails_with "" write_label x "$MNT/by-id/dd000001"
	cp "$FIXTURES/pi-v3-branches.jsonl" "$SESSION"
	is "list the files" cat "$MNT/by-id/aa000004/content"
	head_is by-id/aa000025
	echo 'no session at all' >"$SESSION"
	[ -z "$(ls "$MNT/by-id")" ]
	head_is tree
}

@test "a shell in a stale folder gets ESTALE, not other contents" {
	mount_fixture pi-v3-branches.jsonl
	cd "$MNT/by-id/aa000004"
	is "list the files" cat content
	write_session "$(user 00000001 "" other)"
	# Before any other request.
	fails_with "Stale file handle" cat content
	is 00000001 ls "$MNT/by-id"
	fails_with "Stale file handle" ls .
	cd "$DIR"
}

@test "a header that is rewritten in place while the file grows is noticed" {
	local text
	mount_fixture pi-v2-hook.jsonl
	has_line "version: 2" "$MNT/info"
	whole text "$SESSION"
	text=${text/'"version":2'/'"version":3'}
	printf '%s%s\n' "$text" '{"type":"message","id":"new","parentId":null,"message":{"role":"user","content":"x"}}' 1<>"$SESSION"
	has_line "version: 3" "$MNT/info"
	head_is by-id/new
}

@test "two mounts of one file see each other's writes" {
	mount_fixture pi-v3-branches.jsonl
	mount_second
	local i
	for i in {1..6}; do
		ln -sfn by-id/aa00000$((3 + i % 5)) "$MNT/HEAD"
		is "by-id/aa00000$((3 + i % 5))" readlink "$DIR/second/HEAD"
		echo "l$i" >"$DIR/second/by-id/aa000001/label"
		is "l$i" cat "$MNT/by-id/aa000001/label"
	done
	unmount_second
}

@test "many writers at once: every line is whole, every write is there" {
	needs python3
	write_session "$(user 00000001 "" one)" "$(user 00000002 00000001 two)"
	mount_session
	mount_second
	local w i pids=()
	for w in 1 2 3 4; do
		(
			m=$MNT
			if [ $((w % 2)) -eq 0 ]; then m=$DIR/second; fi
			for i in {1..25}; do
				echo "$w-$i" >"$m/by-id/0000000$((w % 2 + 1))/label"
				[ $((i % 5)) -ne 0 ] || ln -sfn "by-id/0000000$((i % 2 + 1))" "$m/HEAD" || exit 1
			done
		) &
		pids+=($!)
	done
	for i in {1..100}; do
		append_user "c$i" 00000002 "outside $i"
	done
	for i in "${pids[@]}"; do wait "$i"; done
	unmount_second
	python3 - "$SESSION" <<-'PY'
	import json, sys
	lines = [json.loads(l) for l in open(sys.argv[1])]
	labels = {l["label"] for l in lines if l.get("label")}
	assert labels == {f"{w}-{i}" for w in range(1, 5) for i in range(1, 26)}, labels
	ids = [l["id"] for l in lines]
	assert len(set(ids)) == len(ids)
	assert sum(i.startswith("c") and i[1:].isdigit() for i in ids) >= 100
	assert all(l.get("parentId") in (None, *ids) for l in lines)
	PY
	has_line "entries: $(($(wc -l <"$SESSION") - 1))" "$MNT/info"
}

# A session with a chain of three entries from 00000001.
three_entries() {
	write_session "$(user 00000001 "" one)" "$(user 00000002 00000001 two)" "$(user 00000003 00000002 three)"
}

last_line_is() {
	local lines
	mapfile -t lines <"$2"
	[ ${#lines[@]} -gt 0 ] && [ "${lines[-1]}" = "$1" ]
}

# Rules: C1
@test "a program in the leaf's folder sees each child at once" {
	three_entries
	mount_session
	local view i
	for view in by-id tree/00000001/00000002; do
		cd "$MNT/$view/00000003"
		for i in 1 2 3 4 5; do
			ls -U >/dev/null
			append_user "${view%%/*}$i" 00000003
			[ -e "${view%%/*}$i" ]
			ls -U >"$DIR/names"
			last_line_is "${view%%/*}$i" "$DIR/names"
			# The leaf, and with it what is expected, moves back.
			ln -sfn by-id/00000003 "$MNT/HEAD"
		done
	done
	cd "$DIR"
}

@test "an older folder that is open shows its new child without a request" {
	local options
	for options in "" "-o poll=0.1"; do
		three_entries
		# shellcheck disable=SC2086 # none or two words
		mount_session $options
		is_told_of "$MNT/by-id/00000001" 00000004
		is new cat "$MNT/by-id/00000001/00000004/content"
		# What is not looked at in the other view yet.
		is_told_of "$MNT/tree/00000001/00000002" 00000005
		is new cat "$MNT/tree/00000001/00000002/00000005/content"
		unmount
		daemon_is_gone
	done
}

@test "a wait of sessfs that fails ends no watching" {
	make_slow
	local nth id=aa000008
	for nth in 1 2; do
		CALL_DO=ENOMEM CALL_KINDS=poll CALL_NTH=$nth CALL_REPORT=$DIR/met \
			SESSFS=$SLOW mount_fixture pi-v3-branches.jsonl
		wait_until grep -qx "met poll" "$DIR/met"
		is_told_of "$MNT/by-id/aa000004" bb000001
		# Nobody asks for anything after this.
		: >"$MNT/by-id/$id/label"
		wait_until grep -q "\"targetId\":\"$id\"}\$" "$SESSION"
		unmount
		daemon_is_gone
		rm "$DIR/met"
	done
}

@test "many changes in a row: a watching program misses none" {
	three_entries
	mount_session
	# shellcheck disable=SC2046 # words are meant
	is_told_of "$MNT/by-id/00000001" $(seq -f 000000%g 10 60)
}

@test "a folder that is open shows what is new when it is read again" {
	needs python3
	three_entries
	mount_session
	python3 - "$MNT" "$SESSION" <<-'PY'
	import os, sys
	mnt, session = sys.argv[1:]
	line = '{"type":"message","id":"%s","parentId":"00000003","message":{"role":"user","content":"x"}}\n'
	fds = {at: os.open(f"{mnt}/{at}", os.O_RDONLY) for at in (".", "by-id", "branches", "tree", "by-id/00000003")}
	for i in range(20):
	    new = "new%05d" % i
	    for fd in fds.values():
	        os.listdir(fd)
	    with open(session, "a") as f:
	        f.write(line % new)
	    for at in "by-id", "branches", "by-id/00000003":
	        names = os.listdir(fds[at])
	        assert new in names, (at, i, names)
	        assert len(names) == len(set(names))
	    with os.scandir(fds["by-id"]) as d:
	        assert sum(1 for e in d if e.name == new) == 1
	    assert os.readlink("HEAD", dir_fd=fds["."]) == "by-id/" + new
	PY
}

@test "a large folder that grows while it is listed shows nothing twice and misses nothing" {
	needs python3
	write_many roots 3000
	mount_session
	python3 - "$MNT" "$SESSION" <<-'PY'
	import os, sys
	mnt, session = sys.argv[1:]
	for at in "by-id", "tree":
	    seen = []
	    with os.scandir(f"{mnt}/{at}") as d, open(session, "a") as f:
	        for i, entry in enumerate(d):
	            seen.append(entry.name)
	            if i % 500 == 0:
	                f.write('{"type":"message","id":"%s%05d","parentId":null,"message":{"role":"user","content":"x"}}\n' % (at[:2], i))
	                f.flush()
	    assert len(seen) == len(set(seen))
	    assert {"%08x" % i for i in range(3000)} <= set(seen)
	PY
}

@test "tail -f follows the context" {
	three_entries
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

@test "a file that is open when its session grows reads on, when it is replaced it is stale" {
	three_entries
	mount_session
	exec 4<"$MNT/by-id/00000001/content" 5<"$MNT/context.txt"
	append_user 00000004 00000003
	is one cat <&4
	is "[User]: said by 00000004" tail -n 1 <&5
	exec 4<&- 5<&- 4<"$MNT/by-id/00000002/content" 5<"$MNT/context.txt"
	write_session "$(user 00000001 "" other)"
	fails_with "Stale file handle" cat <&4
	fails_with "Stale file handle" cat <&5
	exec 4<&- 5<&-
	is "[User]: other" cat "$MNT/context.txt"
}

@test "a source on a filesystem that reports no changes is looked at instead" {
	mount_fixture pi-v3-branches.jsonl
	local first second
	first=$(daemon)
	cat "$MNT/HEAD/content" >/dev/null
	is 1 watches "$first"
	# Another sessfs is such a filesystem.
	mkdir "$DIR/second"
	"$SESSFS" "$MNT/HEAD/branch.jsonl" "$DIR/second"
	second=$(daemon | grep -vx "$first")
	cat "$DIR/second/HEAD/content" >/dev/null
	is 0 watches "$second"
	# Each request checks the file.
	echo seen >"$MNT/by-id/aa000004/label"
	is seen cat "$DIR/second/by-id/aa000004/label"
	fusermount3 -u "$DIR/second"
}

@test "more events than the kernel queues: no change is lost" {
	needs python3
	ALL=$DIR/all
	mkdir "$ALL"
	for SESSION in "$ALL/a.jsonl" "$ALL/b.jsonl" "$ALL/c.jsonl"; do
		three_entries
	done
	"$SESSFS" "$ALL" "$MNT"
	cat "$MNT"/*/HEAD/content >/dev/null
	python3 - "$MNT" "$ALL" "$(daemon)" "$(user 00000004 00000001 new)" <<-'PY'
	import os, signal, sys, time
	mnt, sessions, pid, new = sys.argv[1:]
	line = b'{"type":"label","id":"l%d","parentId":null,"targetId":"x","label":"y"}\n'
	kept = int(open("/proc/sys/fs/inotify/max_queued_events").read())
	fds = [os.open(f"{sessions}/{name}.jsonl", os.O_WRONLY | os.O_APPEND) for name in "abc"]
	folder = os.open(f"{mnt}/c/by-id/00000001", os.O_RDONLY)
	os.listdir(folder)
	os.kill(int(pid), signal.SIGSTOP)
	try:
	    for i in range(kept + 100):
	        os.write(fds[i % 2], line % i)
	    os.write(fds[2], new.encode() + b"\n")
	finally:
	    os.kill(int(pid), signal.SIGCONT)
	end = time.monotonic() + 20
	while "00000004" not in os.listdir(folder):
	    assert time.monotonic() < end, os.listdir(folder)
	    time.sleep(0.05)
	PY
}

@test "where no file can be watched, files are looked at every second" {
	in_namespace -Ur true 2>/dev/null || skip "no user namespaces here"
	three_entries
	export -f mount_session is_told_of user message needs lacks
	export SESSFS SESSION MNT DIR
	run in_namespace -Ur bash -ec '
		echo 0 >/proc/sys/user/max_inotify_watches
		mount_session
		is_told_of "$MNT/by-id/00000001" 00000004
		fusermount3 -u "$MNT"
	'
	[ "$status" -eq 0 ] || {
		echo "$output"
		return 1
	}
}

@test "a file that is made again under its old number is watched again" {
	three_entries
	mount_session
	local i
	for i in 1 2; do
		rm "$SESSION"
		ls "$MNT/by-id" >/dev/null
		three_entries
		is_told_of "$MNT/by-id/00000001" 00000004
	done
}
