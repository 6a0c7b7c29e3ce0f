# The man page is the contract: what it names is there, what is there it names.
load helpers

setup() {
	PAGE=$ROOT/mount/sessfs.1
	DIR=$(mktemp -d)
	MNT=$DIR/mnt
	mkdir "$MNT"
	SESSION=$DIR/session.jsonl
}

@test "the page is well-formed" {
	run mandoc -Tlint -Wwarning "$PAGE"
	[ -z "$output" ]
}

@test "every file of a mount and every line of info and meta is in the page" {
	mount_fixture pi-v3-branches.jsonl
	mandoc -Tutf8 "$PAGE" | col -b >"$DIR/page"
	local name
	for name in $(ls "$MNT") content label meta parent context.json branch.jsonl raw.json; do
		grep -qw "$name" "$DIR/page" || {
			echo "$name is not in the page"
			return 1
		}
	done
	cat "$MNT"/by-id/*/meta | cut -d: -f1 | sort -u | while read -r name; do
		grep -qw "$name" "$DIR/page" || {
			echo "$name of meta is not in the page"
			exit 1
		}
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
}
