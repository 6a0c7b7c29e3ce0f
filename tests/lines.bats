# lines.txt, and sessfs --lines: every line of every entry.
load lib/mount
load lib/run
load lib/pi

# The lines of a mounted session, as grep prints them: an independent rendering.
by_grep() {
	(
		cd "$1"
		ls -U by-id | while IFS= read -r id; do
			grep -Han '' "by-id/$id/content" || :
		done
	)
}

# Fails unless --lines of the session prints what grep finds in its mount.
lines_are_those_of_mount() {
	by_grep "$MNT" >"$DIR/want"
	"$SESSFS" --lines "$SESSION" >"$DIR/got" 2>"$DIR/err"
	[ ! -s "$DIR/err" ]
	cmp "$DIR/want" "$DIR/got"
	cmp "$DIR/want" "$MNT/lines.txt"
}

# bats test_tags=full
@test "--lines prints what grep prints over the contents of every fixture" {
	local fixture
	for fixture in "$FIXTURES"/*.jsonl; do
		mount_fixture "${fixture##*/}"
		lines_are_those_of_mount
		[ -s "$DIR/want" ]
		unmount
		daemon_is_gone
		rm -f "${SESSION%.jsonl}".*
	done
}

@test "NUL, line breaks, empty contents and hostile ids" {
	write_evil_session
	append_user zeros "" 'a\u0000b\n\nc\r\nd'
	append_user empty zeros ''
	append_user surrogate empty 'x\ud800y \ud83d\ude00'
	append_user 'a/b:1' empty 'x'
	mount_session
	lines_are_those_of_mount
	grep -aq '^by-id/a%2Fb:1/content:1:x$' "$DIR/got"
	grep -aq '^by-id/zeros/content:2:$' "$DIR/got"
	not grep -q '^by-id/empty/' "$DIR/got"
}

@test "an id that is repeated stands once, where it was first" {
	write_session
	append_user aa "" one
	append_user bb aa two
	append_user aa "" again
	is "by-id/aa/content:1:again
by-id/bb/content:1:two" "$SESSFS" --lines "$SESSION"
}

@test "a large session is in order, however many threads print it" {
	needs python3
	write_session
	python3 - >>"$SESSION" <<-'PY'
	parent = "null"
	for i in range(20000):
	    text = "\\n".join(f"line {k} of {i} " + "x" * (i % 300) for k in range(i % 7))
	    print(f'{{"type":"message","id":"e{i}","parentId":{parent},"timestamp":"2026-03-01T10:00:01.000Z",'
	          f'"message":{{"role":"user","content":"{text}"}}}}')
	    parent = f'"e{i}"'
	PY
	python3 - "$SESSION" >"$DIR/want" <<-'PY'
	import json, sys
	for line in open(sys.argv[1]):
	    entry = json.loads(line)
	    if entry["type"] == "message":
	        for n, text in enumerate(entry["message"]["content"].split("\n"), 1):
	            if entry["message"]["content"]:
	                print(f"by-id/{entry['id']}/content:{n}:{text}")
	PY
	"$SESSFS" --lines "$SESSION" >"$DIR/got"
	cmp "$DIR/want" "$DIR/got"
	run -141 --separate-stderr bash -o pipefail -c "'$SESSFS' --lines '$SESSION' | head -n 1"
	[ "$output" = "by-id/e1/content:1:line 0 of 1 x" ] && [ -z "$stderr" ]
}

@test "sessions of a folder by their paths; of several SOURCEs, in their order" {
	mkdir -p "$DIR/s/b/c"
	local name
	for name in b/c/z b/a a- a; do
		write_session
		append_user aa "" "in $name"
		mv "$SESSION" "$DIR/s/$name.jsonl"
	done
	echo 'no session' >"$DIR/s/b/text.txt"
	cd "$DIR"
	is "a/by-id/aa/content:1:in a
a-/by-id/aa/content:1:in a-
b/a/by-id/aa/content:1:in b/a
b/c/z/by-id/aa/content:1:in b/c/z" "$SESSFS" --lines s
	is "by-id/aa/content:1:in a" "$SESSFS" --lines s/a.jsonl
	is "s/b/c/z/by-id/aa/content:1:in b/c/z
s/a.jsonl/by-id/aa/content:1:in a" "$SESSFS" --lines s/b/c// s/a.jsonl
}

@test "what can't be read is reported, and the rest is printed" {
	write_session
	append_user aa "" here
	cd "$DIR"
	run -1 --separate-stderr "$SESSFS" --lines none.jsonl session.jsonl
	[ "$stderr" = "sessfs: none.jsonl: No such file or directory" ]
	[ "$output" = "session.jsonl/by-id/aa/content:1:here" ]
	echo text >text.jsonl
	fails_in_a_line "unknown session format" 1 "$SESSFS" --lines text.jsonl
	fails_in_a_line "usage: sessfs lines [OPTIONS] SOURCE..." 2 "$SESSFS" --lines
	refuses 2 "sessfs: lines: no option --check (sessfs lines -h for help)" "$SESSFS" --lines --check x
}

# bats test_tags=root
@test "a file in a folder that may not be read is reported" {
	needs_root
	as_user() { setpriv --reuid=65534 --regid=65534 --clear-groups "$@"; }
	mkdir -m 755 "$DIR/all"
	SESSION=$DIR/all/a.jsonl write_session "$(user aa "" here)"
	cp "$DIR/all/a.jsonl" "$DIR/all/b.jsonl"
	chmod 755 "$DIR"
	chmod 644 "$DIR/all/a.jsonl"
	chmod 600 "$DIR/all/b.jsonl"
	cd "$DIR"
	is_reported() {
		run "-$1" --separate-stderr as_user "$SESSFS" "${@:3}"
		is "sessfs: $2: Permission denied" echo "$stderr"
		[[ $output == *here && ${#lines[@]} -eq 1 ]]
	}
	is_reported 1 "$DIR/all/b.jsonl" --lines all
	is_reported 1 all/b.jsonl --list all
	is_reported 2 "$DIR/all/b.jsonl" grep here all
}

@test "a full disk is reported" {
	write_session
	append_user aa "" here
	[ -c /dev/full ] || skip "no /dev/full"
	run -1 --separate-stderr bash -c "'$SESSFS' --lines '$SESSION' >/dev/full"
	[ "$stderr" = "sessfs: standard output: No space left on device" ]
}

# Fails unless lines.txt, with the size that it has before it is read, is what
# --lines prints.
lines_txt_is_whole() {
	local size
	size=$(stat -c %s "$MNT/lines.txt")
	"$SESSFS" --lines "$SESSION" >"$DIR/want"
	[ "$size" -eq "$(stat -c %s "$DIR/want")" ]
	cmp "$DIR/want" "$MNT/lines.txt"
}

@test "lines.txt is there when it is named, not listed, and has its size unread" {
	write_session
	mount_session
	[ "$(stat -c %s "$MNT/lines.txt")" -eq 0 ]
	cmp "$MNT/lines.txt" /dev/null
	append_user aa "" 'one\ntwo'
	lines_txt_is_whole
	is "by-id/aa/content:1:one
by-id/aa/content:2:two" cat "$MNT/lines.txt"
	not bash -c "ls -a '$MNT' | grep -x lines.txt"
	fails_with "not permitted" bash -c ": >'$MNT/lines.txt'"
	is "by-id/aa/content:2:two" grep two "$MNT/lines.txt"
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

@test "lines.txt of a session that is rewritten is the new one's" {
	write_session
	append_user aa "" 'the old one'
	append_user bb aa 'stays'
	mount_session
	cat "$MNT/lines.txt" >/dev/null
	write_session
	append_user cc "" 'the new one, which is longer'
	lines_txt_is_whole
	# An older entry gets another content, and all that follow move.
	append_user dd cc x
	append_user cc "" short
	lines_txt_is_whole
	rm "$SESSION"
	[ "$(stat -c %s "$MNT/lines.txt")" -eq 0 ]
	cmp "$MNT/lines.txt" /dev/null
}

@test "lines.txt at any offset: small entries, many of them, and large ones" {
	needs python3
	write_session
	python3 - >>"$SESSION" <<-'PY'
	import random
	rng = random.Random(7)
	parent = "null"
	for i in range(2000):
	    lines = 9000 if i % 400 == 7 else rng.randrange(12)
	    text = "\\n".join("x" * rng.randrange(40) + str(i) for k in range(lines))
	    print(f'{{"type":"message","id":"e{i}","parentId":{parent},"timestamp":"2026-03-01T10:00:01.000Z",'
	          f'"message":{{"role":"user","content":"{text}"}}}}')
	    parent = f'"e{i}"'
	PY
	mount_session
	lines_txt_is_whole
	python3 - "$MNT/lines.txt" "$DIR/want" <<-'PY'
	import os, random, sys
	rng = random.Random(8)
	ours, theirs = (os.open(name, os.O_RDONLY) for name in sys.argv[1:])
	direct = os.open(sys.argv[1], os.O_RDONLY | os.O_DIRECT)
	size = os.fstat(theirs).st_size
	for _ in range(400):
	    at, n = rng.randrange(size + 10000), rng.choice((1, 100, 4096, 70000, 200000))
	    want = os.pread(theirs, n, at)
	    assert os.pread(ours, n, at) == want and os.pread(direct, min(n, 65536), at) == want[:65536], (at, n)
	PY
}

# bats test_tags=full
@test "lines.txt of 100,000 entries, read while the session grows" {
	write_many chain 100000
	mount_session
	tail -c 30 "$MNT/lines.txt" | tail -n 1 >"$DIR/last"
	is "by-id/0001869f/content:1:entry 99999" tail -n 1 "$MNT/lines.txt"
	(for i in 1 2 3 4 5; do append_user "new$i" "" "added $i"; done) &
	wc -l <"$MNT/lines.txt" >/dev/null
	wait $!
	lines_txt_is_whole
	is 100005 bash -c "wc -l <'$MNT/lines.txt'"
}

@test "an export has no lines.txt" {
	write_session
	append_user aa "" here
	"$SESSFS" --export "${DIR%/test}/out" "$SESSION"
	[ -f "${DIR%/test}/out/context.json" ] && [ ! -e "${DIR%/test}/out/lines.txt" ]
}
