# Lines that are written to append in pieces, by many writers, and in any size.
load lib/mount
load lib/run
load lib/pi
load lib/append

# Rules: A4
@test "a line in pieces of any size is one entry" {
	mount_fixture pi-v3-branches.jsonl
	pieces <<-'PY'
	text = line("byte by byte é 😀")
	each(text[i:i + 1] for i in range(len(text)))
	text = line("x" * 30000)
	each(text[i:i + 4096] for i in range(0, len(text), 4096))
	text = line("one") + line("two") + b"\n  \n" + line("three")
	each(text[i:i + 7] for i in range(0, len(text), 7))
	each([text])
	PY
	came 8 pi-v3-branches.jsonl
	texts_are "['byte by byte é 😀', 'x' * 30000] + ['one', 'two', 'three'] * 2"
}

@test "several processes that share the open file write one line" {
	needs python3
	mount_fixture pi-v3-branches.jsonl
	seq 1 3000 >"$DIR/numbers"
	{
		printf '{"role":"user",'
		env printf '"content":'
		python3 -c 'import json, sys; sys.stdout.write(json.dumps(sys.stdin.read()))' <"$DIR/numbers"
		(printf ' }')
		echo
		printf '{"role":"user","content":"second"}\n'
	} >>"$MNT/append"
	came 2 pi-v3-branches.jsonl
	diff "$DIR/numbers" "$MNT/HEAD/parent/content"
	is second cat "$MNT/HEAD/content"
}

# Rules: A4
@test "two open files never mix their pieces" {
	mount_fixture pi-v3-branches.jsonl
	pieces <<-'PY'
	# Opened the same way at the same time by one process, with pieces of
	# equal length.
	files = [os.open(path, os.O_WRONLY) for _ in range(5)]
	texts = [line(f"number {i} " + "abcde"[i] * 5000) for i in range(5)]
	for at in range(0, len(texts[0]), 100):
	    for fd, text in zip(files, texts):
	        write(fd, text[at:at + 100])
	# And with O_TRUNC and O_APPEND, while others are half-way.
	half = os.open(path, os.O_WRONLY)
	write(half, b'{"role":"user",')
	each([line("between")])
	other = os.open(path, os.O_WRONLY | os.O_TRUNC)
	write(other, line("truncated"))
	os.close(other)
	other = os.open(path, os.O_WRONLY | os.O_APPEND)
	write(other, line("appended"))
	os.truncate(path, 0)
	write(half, b'"content":"half"}\n')
	write(other, line("again"))
	# Descriptors that share an open file share its line.
	twice = os.dup(other)
	write(other, b'{"role":"user",')
	write(twice, b'"content":"twice"}\n')
	PY
	texts_are "(['number %d ' % i + c * 5000 for i, c in enumerate('abcde')] +
		['between', 'truncated', 'appended', 'half', 'again', 'twice'])"
}

# bats test_tags=large
@test "20 writers at once: every line is one entry, none is lost, each is below the last" {
	mount_fixture pi-v3-branches.jsonl
	local p i pids=()
	for p in {1..20}; do
		for i in {1..50}; do
			printf '{"role":"user","content":"%s %s"}\n' "$p" "$i" >"$MNT/append" || exit 1
		done &
		pids+=($!)
	done
	for p in "${pids[@]}"; do wait "$p"; done
	came 1000 pi-v3-branches.jsonl
	holds "sorted(l['message']['content'] for l in lines[-1000:]) == sorted('%d %d' % (p, i) for p in range(1, 21) for i in range(1, 51))" \
		"all(l['parentId'] == p['id'] for p, l in zip(lines[-1001:], lines[-1000:]))" \
		"len({l['id'] for l in lines}) == len(lines)"
	# Each writer's lines are in its order.
	holds "all([int(l['message']['content'].split()[1]) for l in lines[-1000:] if l['message']['content'].split()[0] == str(p)] == list(range(1, 51)) for p in range(1, 21))"
	head_is "by-id/$(last_id)"
}

# bats test_tags=large
@test "writers in pieces, from two mounts, while the agent appends" {
	needs python3
	mount_fixture pi-v3-branches.jsonl
	mount_second
	local p i outside pids=()
	for p in "$MNT" "$DIR/second"; do
		for i in 1 2 3 4; do
			pieces "$p/append" "$p $i" <<-'PY' &
			path, name = sys.argv[2:]
			size = 11 + 17 * int(name[-1])
			text = b"".join(line(f"{name} {i} " + "x" * 200) for i in range(25))
			each(text[i:i + size] for i in range(0, len(text), size))
			PY
			pids+=($!)
		done
	done
	for i in {1..25}; do
		outside=$(user "000001$i" aa000025 "outside $i")
		printf '%s\n' "${outside/1772359201000/1790000000000}" >>"$SESSION"
	done
	for p in "${pids[@]}"; do wait "$p"; done
	unmount_second
	holds "sorted(l['message']['content'].rstrip('x') for l in lines[25:]) == sorted(
		['%s %d %d ' % (m, i, n) for m in ('$MNT', '$DIR/second') for i in (1, 2, 3, 4) for n in range(25)] + ['outside %d' % i for i in range(1, 26)])"
	is 250 grep -c '' "$SESSION"
	not grep -E '^(bad|dup|miss|cyc|torn)' "$MNT/info"
}

@test "a last line needs no newline: it counts when its object is closed" {
	mount_fixture pi-v3-branches.jsonl
	printf '{"role":"user","content":"no newline }"}' >"$MNT/append"
	is "no newline }" cat "$MNT/HEAD/content"
	printf '%s' "$(answer yes)" >>"$MNT/append"
	is yes cat "$MNT/HEAD/content"
	pieces <<-'PY'
	fd = os.open(path, os.O_WRONLY)
	write(fd, b'{"role":"user","content":"before it is closed"}')
	print(open(os.path.dirname(path) + "/HEAD/content").read(), end="")
	write(fd, b"\n")
	write(fd, line("next"))
	PY
	texts_are "['no newline }', 'before it is closed', 'next']"
	came 4 pi-v3-branches.jsonl
}

@test "an abandoned half line is not put before the next line" {
	mount_fixture pi-v3-branches.jsonl
	printf '{"role":"user","content":"ha' >"$MNT/append"
	say '{"role":"user","content":"whole"}'
	printf 'lf"}\n' >"$DIR/rest"
	refused . "$(cat "$DIR/rest")"
	# The writer is killed while another one has append open.
	bash -c 'printf "{\"role\":\"user\",\"content\":\"kil"; touch "$1"; exec sleep 60' - "$DIR/begun" >"$MNT/append" &
	local writer=$!
	wait_until [ -e "$DIR/begun" ]
	say '{"role":"user","content":"meanwhile"}'
	kill -9 $writer
	wait $writer || true
	say '{"role":"user","content":"after"}'
	texts_are "['whole', 'meanwhile', 'after']"
	came 3 pi-v3-branches.jsonl
}

# Rules: A5
@test "of several lines in one write, those before a bad one are appended" {
	mount_fixture pi-v3-branches.jsonl
	pieces <<-'PY'
	good, bad, more = line("one") + line("two"), b'{"role":"user"}\n', line("three")
	fd = os.open(path, os.O_WRONLY)
	n = os.write(fd, good + bad + more)
	assert n == len(good), n
	refused(fd, bad + more)
	n = os.write(fd, more)
	assert n == len(more), n
	PY
	texts_are "['one', 'two', 'three']"
	came 3 pi-v3-branches.jsonl
	# A shell's command fails.
	fails_with "Invalid argument" bash -c "printf '%s\n' '{\"role\":\"user\",\"content\":\"a\"}' no >'$DIR/lines'; cat '$DIR/lines' >'$MNT/append'"
	came 4 pi-v3-branches.jsonl
}

@test "a refused line that was written in pieces does not spoil the next" {
	mount_fixture pi-v3-branches.jsonl
	pieces <<-'PY'
	fd = os.open(path, os.O_WRONLY)
	write(fd, b'{"role":"us')
	refused(fd, b'er"}\n')
	write(fd, line("next"))
	write(fd, b"junk")
	refused(fd, b"\n")
	write(fd, line("last"))
	PY
	texts_are "['next', 'last']"
	came 2 pi-v3-branches.jsonl
}

# bats test_tags=large,full
@test "cp, tee, dd, sed and python write it, with > and >>" {
	needs busybox python3
	mount_fixture pi-v3-branches.jsonl
	local i
	for i in {1..9}; do
		printf '{"role":"user","content":"%s %0300d"}\n' "$i" "$i"
	done >"$DIR/lines"
	cp "$DIR/lines" "$MNT/append"
	tee "$MNT/append" <"$DIR/lines" >/dev/null
	tee -a "$MNT/append" <"$DIR/lines" >/dev/null
	dd if="$DIR/lines" of="$MNT/append" bs=1 status=none
	dd if="$DIR/lines" of="$MNT/append" bs=777 status=none
	dd if="$DIR/lines" of="$MNT/append" bs=13 conv=notrunc oflag=append status=none
	sed '' "$DIR/lines" >"$MNT/append"
	cat "$DIR/lines" >>"$MNT/append"
	busybox cp "$DIR/lines" "$MNT/append"
	busybox sh -c "cat '$DIR/lines' >>'$MNT/append'"
	python3 - "$DIR/lines" "$MNT/append" <<-'PY'
	import sys
	with open(sys.argv[2], "a") as f:
	    f.write(open(sys.argv[1]).read())
	with open(sys.argv[2], "ab", buffering=0) as f:
	    f.write(open(sys.argv[1], "rb").read())
	with open(sys.argv[2], "w") as f:
	    for line in open(sys.argv[1]):
	        print(line, end="", file=f)
	PY
	came 117 pi-v3-branches.jsonl
	texts_are "['%d %0300d' % (i, i) for i in range(1, 10)] * 13"
}

# bats test_tags=large
@test "a line of 20 MB" {
	needs python3
	mount_fixture pi-v3-branches.jsonl
	python3 - >"$DIR/line" <<-'PY'
	import json
	print(json.dumps({"role": "user", "content": "0123456789é\n" * 1600000}, ensure_ascii=False))
	PY
	[ "$(stat -c %s "$DIR/line")" -gt 20000000 ]
	cat "$DIR/line" >"$MNT/append"
	python3 - "$DIR/line" >"$DIR/text" <<-'PY'
	import json, sys
	print(json.load(open(sys.argv[1]))["content"], end="")
	PY
	cmp "$DIR/text" "$MNT/HEAD/content"
	cp "$DIR/line" "$MNT/append"
	cmp "$DIR/text" "$MNT/HEAD/content"
	cmp "$DIR/text" "$MNT/HEAD/parent/content"
	is ../aa000025 readlink "$MNT/HEAD/parent/parent"
}

# tests/unit/test_line_splitter.c has what is refused then.
# bats test_tags=large,full
@test "a line longer than 256 MiB is refused, and its memory is freed" {
	needs python3
	mount_fixture pi-v3-branches.jsonl
	python3 - "$MNT/append" <<-'PY'
	import errno, os, sys
	fd = os.open(sys.argv[1], os.O_WRONLY)
	os.write(fd, b'{"role":"user","content":"')
	written = 0
	try:
	    while written < 300 << 20:
	        written += os.write(fd, b"x" * (1 << 20))
	    sys.exit("all of it was taken")
	except OSError as e:
	    assert e.errno == errno.EFBIG, e
	assert 255 << 20 <= written <= 257 << 20, written
	os.close(fd)
	PY
	cmp "$FIXTURES/pi-v3-branches.jsonl" "$SESSION"
	grep -q "^last-refused: line longer than 256 MiB" "$MNT/info"
	say '{"role":"user","content":"small"}'
	is small cat "$MNT/HEAD/content"
}

# bats test_tags=large
@test "at most a thousand lines can be begun at once" {
	mount_fixture pi-v3-branches.jsonl
	pieces <<-'PY'
	import resource
	hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
	resource.setrlimit(resource.RLIMIT_NOFILE, (2000, hard))
	begun = []
	for i in range(1000):
	    begun.append(os.open(path, os.O_WRONLY))
	    write(begun[-1], b'{"role":"user",')
	more = os.open(path, os.O_WRONLY)
	try:
	    os.write(more, b'{"role":"user",')
	    sys.exit("one more was begun")
	except OSError as e:
	    assert e.errno == errno.ENOBUFS, e
	for fd in begun[:500]:
	    write(fd, b'"content":"%d"}\n' % fd)
	for fd in begun:
	    os.close(fd)
	write(more, line("one more"))
	PY
	came 501 pi-v3-branches.jsonl
	is "one more" cat "$MNT/HEAD/content"
}
