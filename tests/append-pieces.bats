# Programs that write lines to append, each in its own pieces; tests/mounts/test_append_pieces.c
# has what comes of pieces.
load lib/mount
load lib/run
load lib/session

# came N FIXTURE: fails unless N lines were appended to the fixture, and nothing
# else changed.
came() {
	local before after had have
	whole before "$FIXTURES/$2" || return
	whole after "$SESSION" || return
	mapfile -t had <"$FIXTURES/$2"
	mapfile -t have <"$SESSION"
	[[ $after == "$before"* && $after == *$'\n' ]] && [ $((${#have[@]} - ${#had[@]})) -eq "$1" ] || {
		diff -u "$FIXTURES/$2" "$SESSION"
		return 1
	}
}

# Fails unless the appended user messages, those with a random id, have these
# texts.
texts_are() {
	holds "[l['message']['content'] for l in lines if l.get('type') == 'message' and l['message']['role'] == 'user'
		and not re.fullmatch('(aa|00)0000..', l['id'])] == $1"
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
	env cat "$DIR/lines" >>"$MNT/append"
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
