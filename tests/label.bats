# Labels: set, replaced, cleared, and the same everywhere.
load lib/mount
load lib/run
load lib/pi

# Truncate a label; meanwhile set another (file, text); then write no label.
refused_while() {
	needs python3
	python3 - "$@" <<-'PY'
	import errno, os, sys
	label, other, text = sys.argv[1:]
	fd = os.open(label, os.O_WRONLY | os.O_TRUNC)
	open(other, "w").write(text + "\n")
	try:
	    os.write(fd, b"a\nb")
	    sys.exit("two lines were taken")
	except OSError as e:
	    assert e.errno == errno.EINVAL, e
	os.close(fd)
	PY
}

# Fails unless the session's last line has this.
last_line_has() {
	local lines
	mapfile -t lines <"$SESSION"
	[[ ${lines[-1]} == *"$1"* ]]
}

@test "echo sets a label, in both views and by-label, and writes one line" {
	needs python3
	mount_fixture pi-v3-branches.jsonl
	local n
	n=$(wc -l <"$SESSION")
	echo tested >"$MNT/by-id/aa000004/label"
	is tested cat "$MNT/by-id/aa000004/label"
	is tested cat "$MNT/tree/aa000001/aa000003/aa000004/label"
	is ../by-id/aa000004 readlink "$MNT/by-label/tested"
	[ "$(wc -l <"$SESSION")" -eq $((n + 1)) ]
	holds 'e["type"] == "label"' 'e["targetId"] == "aa000004"' 'e["label"] == "tested"' 'e["parentId"] == "aa000025"'
	has 'list the files [tested]' "$MNT/tree.txt"
	head_is by-id/aa000025
}

@test "a label set through tree is seen in by-id at once" {
	mount_fixture pi-v3-branches.jsonl
	is good cat "$MNT/by-id/aa000008/label"
	echo better >"$MNT/tree/aa000001/aa000003/aa000004/aa000005/aa000006/aa000007/aa000008/label"
	is better cat "$MNT/by-id/aa000008/label"
	is "better
dead end" ls "$MNT/by-label"
	echo worse1 >"$MNT/by-id/aa000008/label"
	is worse1 cat "$MNT/tree/aa000001/aa000003/aa000004/aa000005/aa000006/aa000007/aa000008/label"
}

@test "truncating clears; so does an empty line" {
	mount_fixture pi-v3-branches.jsonl
	: >"$MNT/by-id/aa000008/label"
	[ ! -s "$MNT/by-id/aa000008/label" ]
	is "dead end" ls "$MNT/by-label"
	last_line_has '"targetId":"aa000008"}'
	echo >"$MNT/by-id/aa000011/label"
	[ -z "$(ls "$MNT/by-label")" ]
	cp "$SESSION" "$DIR/before"
	: >"$MNT/by-id/aa000008/label"
	truncate -s 0 "$MNT/by-id/aa000004/label"
	cmp "$DIR/before" "$SESSION"
}

# As rsync --inplace and cp --preserve do.
@test "the mode and the owner that a file has can be set, and no others" {
	mount_fixture pi-v3-branches.jsonl
	local file
	for file in HEAD/label name append; do
		chmod "$(stat -c %a "$MNT/$file")" "$MNT/$file"
		chown "$(stat -c %u:%g "$MNT/$file")" "$MNT/$file"
		fails_with "Operation not permitted" chmod 600 "$MNT/$file"
	done
	fails_with "Operation not permitted" chmod 444 "$MNT/info"
	cmp "$FIXTURES/pi-v3-branches.jsonl" "$SESSION"
}

@test "labels survive a new mount" {
	mount_fixture pi-v3-branches.jsonl
	echo kept >"$MNT/by-id/aa000004/label"
	: >"$MNT/by-id/aa000008/label"
	unmount
	daemon_is_gone
	mount_session
	is kept cat "$MNT/by-id/aa000004/label"
	is "dead end
kept" env LC_ALL=C ls "$MNT/by-label"
}

# Rules: L1
@test "no newline is needed, and any UTF-8 will do" {
	mount_fixture pi-v3-branches.jsonl
	printf 'größe ✓ "x" \\' >"$MNT/by-id/aa000004/label"
	is 'größe ✓ "x" \' cat "$MNT/by-id/aa000004/label"
	[ -L "$MNT/by-label/größe ✓ \"x\" \\" ]
	[ "$(stat -c %s "$MNT/by-id/aa000004/label")" -eq "$(wc -c <"$MNT/by-id/aa000004/label")" ]
}

@test "bad text is EINVAL from write, and the old label stays" {
	needs python3
	mount_fixture pi-v3-branches.jsonl
	python3 - "$MNT/by-id/aa000008/label" "$MNT/by-id/aa000004/label" <<-'PY'
	import errno, os, sys
	bad = [b"two\nlines", b"two\nlines\n", b"\n\n", b"tab\there", b"nul\0", b"\x7f",
	       b"\xff", b"\xc3", "\u0085".encode(), b"x" * 1025, b"x" * 100000]
	for path, old in (sys.argv[1], b"good\n"), (sys.argv[2], b""):
	    for text in bad:
	        fd = os.open(path, os.O_WRONLY | os.O_TRUNC)
	        try:
	            os.write(fd, text)
	            sys.exit(f"{text[:20]!r} was taken")
	        except OSError as e:
	            assert e.errno == errno.EINVAL, e
	        os.close(fd)
	        assert open(path, "rb").read() == old, (text, open(path, "rb").read())
	    # The same without truncating, and a byte at a time.
	    fd = os.open(path, os.O_WRONLY)
	    try:
	        os.write(fd, b"a\nb")
	        sys.exit("two lines were taken")
	    except OSError as e:
	        assert e.errno == errno.EINVAL, e
	    os.close(fd)
	    assert open(path, "rb").read() == old
	fd = os.open(sys.argv[1], os.O_WRONLY | os.O_TRUNC)
	os.write(fd, b"x" * 1024 + b"\n")
	os.close(fd)
	assert open(sys.argv[1], "rb").read() == b"x" * 1024 + b"\n"
	PY
}

@test "a refused text in several writes leaves the label of before" {
	mount_fixture pi-v3-branches.jsonl
	# bash writes a line at a time.
	if printf 'two\nlines\n' >"$MNT/by-id/aa000008/label"; then return 1; fi
	is good cat "$MNT/by-id/aa000008/label"
	if printf 'two\nlines\n' >"$MNT/by-id/aa000004/label"; then return 1; fi
	[ ! -s "$MNT/by-id/aa000004/label" ]
	echo one >"$MNT/by-id/aa000004/label"
	if echo two >>"$MNT/by-id/aa000004/label"; then return 1; fi
	is one cat "$MNT/by-id/aa000004/label"
}

@test "a label in several pieces is put together" {
	needs python3
	mount_fixture pi-v3-branches.jsonl
	python3 - "$MNT/by-id/aa000004/label" <<-'PY'
	import os, sys
	fd = os.open(sys.argv[1], os.O_WRONLY | os.O_TRUNC)
	for c in "pieces\n":
	    os.write(fd, c.encode())
	os.close(fd)
	PY
	is pieces cat "$MNT/by-id/aa000004/label"
	is good cat "$MNT/by-id/aa000008/label"
	# The written bytes end the line, whatever came after them.
	printf X 1<>"$MNT/by-id/aa000008/label"
	is X cat "$MNT/by-id/aa000008/label"
}

@test "labels that can't be file names are escaped in by-label" {
	write_session "$(user 00000001 "" one)" "$(user 00000002 00000001 two)" \
		'{"type":"label","id":"00000003","parentId":"00000002","targetId":"00000001","label":"a/b\nc"}' \
		'{"type":"label","id":"00000004","parentId":"00000003","targetId":"00000002","label":"content"}'
	mount_session
	is "a%2Fb%0Ac
content" ls "$MNT/by-label"
	is two cat "$MNT/by-label/content/content"
}

@test "of two entries with one label by-label shows the one labelled last" {
	mount_fixture pi-v3-branches.jsonl
	echo good >"$MNT/by-id/aa000004/label"
	is ../by-id/aa000004 readlink "$MNT/by-label/good"
	is good cat "$MNT/by-id/aa000008/label"
	: >"$MNT/by-id/aa000004/label"
	is ../by-id/aa000008 readlink "$MNT/by-label/good"
}

@test "a label for a later entry counts when the entry is appended" {
	write_session "$(user 00000001 "" one)" \
		'{"type":"label","id":"00000002","parentId":"00000001","targetId":"00000009","label":"early"}'
	mount_session
	[ -z "$(ls "$MNT/by-label")" ]
	user 00000009 00000002 late >>"$SESSION"
	is early cat "$MNT/by-id/00000009/label"
	is early ls "$MNT/by-label"
}

# bats test_tags=full
@test "a refused text keeps the old label, whoever opened the file" {
	mount_fixture pi-v3-branches.jsonl
	local label=$MNT/by-id/aa000008/label
	if { env printf 'a\nb\n'; } >"$label"; then return 1; fi
	is good cat "$label"
	# A text that comes after the truncation was applied.
	local cleared='"targetId":"aa000008"}$'
	if (wait_until grep -q "$cleared" "$SESSION"; printf 'a\nb\n') >"$label"; then return 1; fi
	grep -q "$cleared" "$SESSION"
	is good cat "$label"
	# Other labels are not changed, and changing them does not end the wait.
	refused_while "$label" "$MNT/by-id/aa000004/label" other
	is good cat "$label"
	is other cat "$MNT/by-id/aa000004/label"
}

@test "a label that another mount has set meanwhile is kept" {
	mount_fixture pi-v3-branches.jsonl
	mount_second
	refused_while "$MNT/by-id/aa000008/label" "$DIR/second/by-id/aa000008/label" newer
	is newer cat "$MNT/by-id/aa000008/label"
}

# Three ways to write a text at once, which is refused. They print how many
# microseconds it took from the open(2) that empties the file.
write_once() {
	python3 - "$@" <<-'PY'
	import errno, os, sys, time
	path, text = sys.argv[1:]
	start = time.monotonic_ns()
	fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
	os.fstat(fd)
	try:
	    os.write(fd, text.encode())
	    sys.exit("it was not refused")
	except OSError as e:
	    if e.errno != errno.EINVAL:
	        sys.exit(e.strerror)
	print((time.monotonic_ns() - start) // 1000)
	PY
}

# As shells other than bash do it.
print_once() {
	local start=${EPOCHREALTIME//[!0-9]/}
	if { env printf '%s' "$2"; } >"$1"; then return 1; fi
	echo $((${EPOCHREALTIME//[!0-9]/} - start))
}

# This one does not empty the file.
print_over() {
	if env printf '%s' "$2" |
		dd of="$1" bs=4096 iflag=fullblock conv=notrunc status=none; then return 1; fi
	echo 0
}

# A truncated file waits a tenth of a second for its text. If the writer was
# slower than that, only the old text must stay.
@test "a refused text writes nothing, and the old label or name stays" {
	needs python3
	mount_fixture pi-v3-branches.jsonl
	local file text way took in_time=0 texts long
	printf -v long 'x%.0s' {1..1025}
	for file in by-id/aa000008/label by-id/aa000004/label HEAD/label name; do
		cat "$MNT/$file" >"$DIR/old"
		texts=($'a\nb')
		[ "$file" != by-id/aa000008/label ] || texts+=($'a\nb\n' $'\t' "$long")
		for text in "${texts[@]}"; do
			for way in write_once print_once print_over; do
				$way "$MNT/$file" "$text" >"$DIR/took"
				read -r took <"$DIR/took"
				cmp "$DIR/old" "$MNT/$file"
				if [ "$took" -lt 100000 ]; then
					cmp "$FIXTURES/pi-v3-branches.jsonl" "$SESSION"
					[ $way = print_over ] || in_time=$((in_time + 1))
				else
					unmount
					daemon_is_gone
					mount_fixture pi-v3-branches.jsonl
				fi
			done
		done
	done
	unmount
	daemon_is_gone
	cmp "$FIXTURES/pi-v3-branches.jsonl" "$SESSION"
	[ $in_time -gt 0 ]
}

@test "another label in a label's place is one line" {
	mount_fixture pi-v3-branches.jsonl
	local n
	n=$(wc -l <"$SESSION")
	echo better >"$MNT/by-id/aa000008/label"
	has_lines $((n + 1)) "$SESSION"
	last_line_has '"label":"better"'
	echo 'other name' >"$MNT/name"
	has_lines $((n + 2)) "$SESSION"
	# The same again is none.
	echo better >"$MNT/by-id/aa000008/label"
	has_lines $((n + 2)) "$SESSION"
}

# Truncate by open(2), with no request to the mount afterwards.
empty() {
	: >"$1"
}

# Rules: L2
@test "a label that is only emptied is cleared soon, or when anybody looks" {
	mount_fixture pi-v3-branches.jsonl
	empty "$MNT/by-id/aa000008/label"
	wait_until grep -q '"targetId":"aa000008"}$' "$SESSION"
	empty "$MNT/by-id/aa000011/label"
	[ -z "$(ls "$MNT/by-label")" ]
	last_line_has '"targetId":"aa000011"}'
	empty "$MNT/name"
	run -1 grep -q '^name:' "$MNT/info"
	last_line_has '"type":"session_info"'
}

@test "a label that is emptied is cleared when the mount ends" {
	mount_fixture pi-v3-branches.jsonl
	empty "$MNT/by-id/aa000008/label"
	unmount
	daemon_is_gone
	last_line_has '"targetId":"aa000008"}'
}

@test "labels that are truncated at the same time are all cleared, and none is torn" {
	needs python3
	mount_fixture pi-v3-branches.jsonl
	local id ids=() pids=()
	mapfile -t ids < <(ls -U "$MNT/by-id" | head -n 20)
	for id in "${ids[@]}"; do echo "of $id" >"$MNT/by-id/$id/label"; done
	for id in "${ids[@]}"; do
		empty "$MNT/by-id/$id/label" &
		pids+=($!)
	done
	wait "${pids[@]}"
	for id in "${ids[@]}"; do [ ! -s "$MNT/by-id/$id/label" ]; done
	[ -z "$(ls "$MNT/by-label")" ]
	grep -qx 'labels: 0' "$MNT/info"
}

# Rules: L2
@test "bash writes line by line: the old label is restored" {
	mount_fixture pi-v3-branches.jsonl
	local n
	n=$(wc -l <"$SESSION")
	if printf 'a\nb\n' >"$MNT/by-id/aa000008/label"; then return 1; fi
	is good cat "$MNT/by-id/aa000008/label"
	# The first line was a label, on the disk; and then the old one again.
	has_lines $((n + 2)) "$SESSION"
	head_is by-id/aa000025
}
