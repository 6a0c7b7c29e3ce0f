# context.txt and context.json: what the model would be sent.
load helpers

# The contexts of a fixture as its .expected.txt has them: at the leaf, and
# where it says "leaf forced to ID". Prints role and text of each message as
# the expected file does, from context.json.
check_expected() {
	mount_fixture "$1.jsonl"
	python3 "$ROOT/tests/check_expected.py" \
		"$FIXTURES/$1.expected.txt" "$SESSION" "$MNT"
}

@test "branches, labels, summary, custom and bash messages (pi-v3-branches)" {
	check_expected pi-v3-branches
	cmp <(cat "$FIXTURES/pi-v3-branches.serialized.txt"; echo) "$MNT/context.txt"
}

@test "compactions, checkpoint, context edits (pi-v3-compaction)" {
	check_expected pi-v3-compaction
	cmp <(cat "$FIXTURES/pi-v3-compaction.serialized.txt"; echo) "$MNT/context.txt"
}

@test "retain-none and unknown anchor (pi-v3-retain-none)" {
	check_expected pi-v3-retain-none
}

@test "bad lines, duplicate, orphan, forward parent (pi-v3-broken)" {
	check_expected pi-v3-broken
}

@test "head moves, to an entry and to before the first" {
	check_expected pi-v3-headmove
	unmount
	daemon_is_gone
	check_expected pi-v3-headmove-root
	is '[]' cat "$MNT/context.json"
	[ ! -s "$MNT/context.txt" ]
}

@test "a tool result is whole, numbers are as JavaScript prints them (pi-v3-truncate)" {
	check_expected pi-v3-truncate
	is "[Assistant tool calls]: read(path=\"größe.txt\", n=1.5, big=1e+21, s=\"tab\\there\")" \
		sed -n 3p "$MNT/context.txt"
	python3 - "$SESSION" "$MNT/context.txt" <<-'PY'
	import json, sys
	text = json.loads(open(sys.argv[1]).readlines()[3])["message"]["content"][0]["text"]
	text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
	assert "\n\n[Tool result]: " + text + "\n\n[Assistant]: \n" in open(sys.argv[2]).read()
	PY
}

@test "versions 1 and 2 read as Pi reads them after migrating" {
	check_expected pi-v1-linear
	unmount
	daemon_is_gone
	check_expected pi-v2-hook
}

@test "a message that passes through is its own bytes" {
	local m='{"role":"user" , "content":"x\u00e9\ud800","n":1.50,"big":12345678901234567890,"n":2}'
	write_session "$(message 00000001 "" "$m")"
	mount_session
	is "[
$m
]" cat "$MNT/context.json"
}

@test "the root has the context of the leaf, a folder that of its entry" {
	mount_fixture pi-v3-branches.jsonl
	cmp "$MNT/context.txt" "$MNT/by-id/aa000025/context.txt"
	cmp "$MNT/context.json" "$MNT/HEAD/context.json"
	is "[User]: list the files" cat "$MNT/by-id/aa000004/context.txt"
	cmp "$MNT/by-id/aa000004/context.txt" "$MNT/tree/aa000001/aa000003/aa000004/context.txt"
}
