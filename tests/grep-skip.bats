# What a search finds is what grep -P finds in each content, whatever it passes over.
load lib/mount
load lib/run

# compare SEED SESSIONS TIMES: pairs of a pattern and a session, against grep -P.
compare() {
	needs python3
	echo x | grep -qP '(*UCP)\w' 2>/dev/null || skip "grep has no -P"
	cd "$DIR"
	PYTHONDONTWRITEBYTECODE=1 python3 "$ROOT/tests/grep_judge.py" compare "$@" "$SESSFS" "$FIXTURES"
}

@test "what is found is what grep -P finds: some pairs" {
	compare 1 12 10
}

# bats test_tags=full,alone
@test "what is found is what grep -P finds: 10,000 pairs" {
	compare 2 500 20
}

# bats test_tags=full
@test "each word that sessfs adds to attachments is in their list" {
	needs python3
	PYTHONDONTWRITEBYTECODE=1 python3 "$ROOT/tests/grep_judge.py" words "$ROOT"
}

# bats test_tags=full
@test "a word is found at the end of a large session, and where reading goes on" {
	local size
	mkdir "$DIR/all"
	for size in 131060 131066 131072 9000000; do
		{
			printf '{"type":"session","version":3,"id":"s","timestamp":"2026-03-01T10:00:00.000Z","cwd":"/"}\n'
			printf '{"type":"message","id":"aaaaaaa1","parentId":null,"timestamp":"2026-03-01T10:00:01.000Z","message":{"role":"user","content":"'
			head -c "$((size - 222))" /dev/zero | tr '\0' x
			printf ' frobnicate"}}\n'
		} >"$DIR/all/s.jsonl"
		is "$DIR/all/s/by-id/aaaaaaa1/content:1:frobnicate" "$SESSFS" grep -o frobnicate "$DIR/all"
		exits 1 "$SESSFS" grep frobnicated "$DIR/all"
	done
}

# bats test_tags=full
@test "files that are no sessions are passed over in silence" {
	mkdir "$DIR/all" "$DIR/none"
	cp "$FIXTURES/pi-v3-branches.jsonl" "$DIR/all/s.jsonl"
	echo '{"some":"data"}' >"$DIR/all/a.jsonl"
	echo '{"the list of":"files"}' >"$DIR/all/b.jsonl"
	{
		echo '{"list the":"files"}'
		head -c 9000000 /dev/zero | tr '\0' '\n'
	} >"$DIR/all/large.jsonl"
	cp "$DIR/all"/[abl]*.jsonl "$DIR/none"
	local search
	for search in "grep files" "grep -v files" "grep --sort=path files" "files"; do
		# shellcheck disable=SC2086 # words
		run --separate-stderr "$SESSFS" $search "$DIR/all"
		[[ -z $stderr && $output != *"/a/"* && $output != *"/b/"* && $output != *large* ]]
		# shellcheck disable=SC2086 # words
		run --separate-stderr "$SESSFS" $search "$DIR/none"
		[ -z "$output" ]
		[[ $search != grep* || $stderr == *"none: no sessions in this folder"* ]]
	done
	fails_in_a_line "none: no sessions in this folder" 2 "$SESSFS" grep nothing "$DIR/none"
	start "$SESSFS" grep -q "list the files" "$DIR/all"
}
