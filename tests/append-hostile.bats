# Unusual and faulty writes to `append`.
load lib/mount

# A message line of this many bytes, in which no part is repeated.
long_line() {
	local text
	text=$(seq 1000000 9999999 | tr '\n' ' ' | head -c $(($1 - 31)))
	printf '{"role":"user","content":"%sxx"}\n' "$text"
}

@test "a long line in one write past the page cache is one line" {
	needs jq
	mount_fixture pi-v3-branches.jsonl
	long_line $((8 << 20)) >"$DIR/line"
	[ "$(stat -c %s "$DIR/line")" -eq $((8 << 20)) ]
	local before
	before=$(stat -c %s "$SESSION")
	for _ in 1 2 3; do
		dd if="$DIR/line" of="$MNT/append" bs=8M iflag=fullblock \
			oflag=direct status=none
	done
	tail -c +$((before + 1)) "$SESSION" >"$DIR/added"
	[ "$(wc -l <"$DIR/added")" -eq 3 ]
	jq -ej --slurpfile line "$DIR/line" \
		'.message.content == $line[0].content' "$DIR/added"
}

@test "lines that fdatasync failed for are an error, whatever follows them" {
	make_slow
	meets EIO sync
	SESSFS=$SLOW mount_fixture pi-v3-branches.jsonl
	# Enough lines that the locks are released in between.
	seq -f '{"role":"user","content":"%06.0f"}' 25000 >"$DIR/lines"
	touch "$DIR/while"
	run dd if="$DIR/lines" of="$MNT/append" bs=1M status=none
	[ "$status" -ne 0 ]
	[[ $output == *"Input/output error"* ]]
	grep -qx "met fdatasync" "$DIR/met"
}
