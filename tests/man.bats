# The man page is the contract: what it names is there, what is there it names.
load helpers

setup() {
	PAGE=$ROOT/mount/sessfs.1
	make_folder
}

@test "the page is well-formed" {
	run mandoc -Tlint -Wwarning "$PAGE"
	[ -z "$output" ]
}

page_names() {
	grep -qwe "$1" "$DIR/page" || {
		echo "$1 is not in the page"
		return 1
	}
}

@test "every file of a mount is in the page" {
	mount_fixture pi-v3-branches.jsonl
	mandoc -Tutf8 "$PAGE" | col -b >"$DIR/page"
	local name
	for name in $(ls "$MNT") content label meta parent context.json branch.jsonl raw.json tree.html; do
		page_names "$name"
	done
}

@test "every dialect, and every line of meta in each, is in the page" {
	mandoc -Tutf8 "$PAGE" | col -b >"$DIR/page"
	local fixture name
	for fixture in "$FIXTURES"/*.jsonl; do
		mount_fixture "${fixture##*/}"
		cat "$MNT"/by-id/*/meta | cut -d: -f1 >>"$DIR/names"
		sed -n 's/^dialect: //p' "$MNT/info" >>"$DIR/names"
		unmount
		daemon_is_gone
	done
	[ "$(sort -u "$DIR/names" | wc -l)" -gt 30 ]
	for name in $(sort -u "$DIR/names"); do
		page_names "$name"
	done
}

@test "every option of the page is taken, and those of -h are in the page" {
	local option
	for option in $("$SESSFS" -h | grep -o '^  -[a-zA-Z]' | tr -d ' -'); do
		grep -q "^.It Fl .*\b$option\b" "$PAGE" || {
			echo "-$option is not in the page"
			return 1
		}
	done
	for option in $("$SESSFS" -h | grep -o '^  --[a-z]*' | tr -d ' -'); do
		grep -q "^.It Fl -$option\b" "$PAGE" || {
			echo "--$option is not in the page"
			return 1
		}
	done
}
