# sessfs rescue: what a shell reads of its report. The other tests are in
# commands/rescue.md.
load lib/mount
load lib/run

setup() {
	make_folder
	cd "$DIR"
}

# A user message: id, parent as JSON, seconds, text.
at() {
	printf '{"type":"message","id":"%s","parentId":%s,"timestamp":"2026-03-01T10:00:%02d.000Z","message":{"role":"user","content":"%s","timestamp":1772359201000}}\n' "$@"
}

HEADER='{"type":"session","version":3,"id":"0198f000-0000-7000-8000-00000000000a","timestamp":"2026-03-01T10:00:00.000Z","cwd":"/work/demo"}'

@test "odd names: on one line, and quoted for a shell" {
	{ echo "$HEADER" && echo x && at 1 null 1 one; } >$'a\nb.jsonl'
	start "$SESSFS" rescue $'it\'s.jsonl' $'a\nb.jsonl' >report
	is "a\\nb.jsonl:2: not JSON: 1 byte can't be read" head -n 1 report
	local word
	word=$(sed -n '$s/open it with: pi --session //p' report)
	[ "$(eval "echo $word")" = "$PWD/it's.jsonl" ]
}
