# sessfs check of files that find names. The other tests are in commands/check.md.
load lib/mount
load lib/run
load lib/pi

setup() {
	make_folder
	cd "$DIR"
}

@test "with find, for a folder; and its status" {
	mkdir -p all/a
	cp "$FIXTURES/pi-v3-branches.jsonl" all/a/fine.jsonl
	write_session x
	mv session.jsonl all/bad.jsonl
	is "all/bad.jsonl:2: not JSON" find all -name '*.jsonl' -exec "$SESSFS" check {} +
}
