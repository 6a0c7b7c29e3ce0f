# Every example session matches its .expected.txt: sessfs-formats(5).
load lib/mount
load lib/run

# check_expected NAME DIALECT OPTIONS...
check_expected() {
	needs python3
	mount_fixture "$1.jsonl" "${@:3}"
	grep -qx "dialect: $2" "$MNT/info"
	python3 "$ROOT/tests/check_expected.py" \
		"$FIXTURES/$1.expected.txt" "$SESSION" "$MNT"
}

# What Pi's own serializeConversation made of the example's context.
is_serialized() {
	cmp <(cat "$FIXTURES/$1.serialized.txt"; echo) "$MNT/context.txt"
}

# bats test_tags=full
@test "no example is left out here" {
	local file
	for file in "$FIXTURES"/*.expected.txt; do
		file=$(basename "$file" .expected.txt)
		grep -qE "^	check_expected $file( |$)" "$BATS_TEST_FILENAME" || {
			echo "nothing checks $file"
			return 1
		}
	done
}

@test "pi-v1-linear: migration, a bad line not counted" {
	check_expected pi-v1-linear pi
}

@test "pi-v2-hook: CRLF, hookMessage" {
	check_expected pi-v2-hook pi
}

@test "pi-v3-branches: branches, labels, summary, custom and bash messages" {
	check_expected pi-v3-branches pi
	is_serialized pi-v3-branches
}

@test "pi-v3-compaction: compactions, checkpoint, context edits" {
	check_expected pi-v3-compaction pi
	is_serialized pi-v3-compaction
}

@test "pi-v3-retain-none: own-id anchor, unknown anchor" {
	check_expected pi-v3-retain-none pi
}

@test "pi-v3-broken: bad lines, duplicate, orphan, cycle, forward parent" {
	check_expected pi-v3-broken pi
}

@test "pi-v3-headmove: a head move by a custom entry" {
	check_expected pi-v3-headmove pi
}

@test "pi-v3-headmove-root: a head move to before the first entry" {
	check_expected pi-v3-headmove-root pi
	is '[]' cat "$MNT/context.json"
	[ ! -s "$MNT/context.txt" ]
}

@test "pi-v3-truncate: a tool result is whole, numbers as JavaScript's" {
	needs python3
	check_expected pi-v3-truncate pi
	is "[Assistant tool calls]: read(path=\"größe.txt\", n=1.5, big=1e+21, s=\"tab\\there\")" \
		sed -n 3p "$MNT/context.txt"
	python3 - "$SESSION" "$MNT/context.txt" <<-'PY'
	import json, sys
	text = json.loads(open(sys.argv[1]).readlines()[3])["message"]["content"][0]["text"]
	text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
	assert "\n\n[Tool result]: " + text + "\n\n[Assistant]: \n" in open(sys.argv[2]).read()
	PY
}

@test "omp-v3-basic: title slot, /clear, aborted turns, roles, a missing blob" {
	check_expected omp-v3-basic omp
}

@test "omp-v3-compaction: reset against compaction, a discarded turn" {
	check_expected omp-v3-compaction omp
}

@test "draft000-uuid: summaries, inline compaction, an orphan" {
	check_expected draft000-uuid draft-uuid
}

@test "draft003-index: named heads, detached compaction" {
	check_expected draft003-index draft-index
}

@test "go-tree: sidecar head and its move, corrupt line, bad ts, torn tail" {
	check_expected go-tree go-tree
}

@test "claude-basic: a split response, a sidechain, an edited branch" {
	check_expected claude-basic claude
}

@test "claude-compact: a boundary cuts the context" {
	check_expected claude-compact claude
}

@test "claude-pinned: an explicit pin, and the leaf without it" {
	check_expected claude-pinned claude
}

@test "codex-paginated: parallel calls, a compaction, a call without output" {
	check_expected codex-paginated codex
}

@test "codex-legacy: a rollback, a compaction without a list" {
	check_expected codex-legacy codex
}
