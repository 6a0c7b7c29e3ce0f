# README.md and the pages beside the man pages show what the program does, and name what
# exists.

load lib/mount

# As installed: sessfs in PATH, the bundled session here.
prepare() {
	mkdir "$DIR/bin"
	ln -s "$SESSFS" "$DIR/bin/sessfs"
	PATH=$DIR/bin:$PATH
	cp "$ROOT/scripts/demo.jsonl" "$SESSION"
	chmod 600 "$SESSION"
}

@test "the tour goes as its page says" {
	needs python3
	prepare
	rmdir "$MNT"
	cd "$DIR"
	LC_ALL=C.UTF-8 python3 "$ROOT/tests/readme.py" "$ROOT/mount/share/doc/tour.md" "A tour"
}

# bats test_tags=full
@test "the picture shows what the program prints" {
	needs python3
	python3 "$ROOT/tests/drawn.py" "$ROOT/scripts/picture.svg" >"$DIR/drawn"
	"$ROOT/scripts/picture" --text | diff "$DIR/drawn" -
}

# Links, and files and folders that are named, of the given document.
names_in() {
	grep -o '](\([^)#]*\))' "$1" | tr -d ']()'
	grep -oE '`(core|fs|mount|scripts|tests)/[a-z_./-]*`' "$1" | tr -d '`'
}

@test "the files and links that the pages name are there" {
	local name page
	cd "$ROOT"
	for page in README.md CONTRIBUTING.md mount/share/doc/*.md; do
		for name in $(names_in "$ROOT/$page"); do
			[ -e "$ROOT/$name" ] || [ -e "${page%/*}/$name" ] || {
				echo "$page: $name is not there"
				return 1
			}
		done
		for name in $(grep -o '`make [a-z-]*`' "$ROOT/$page" | tr -d '`' | cut -d' ' -f2); do
			grep -q "^$name:" "$ROOT/Makefile" || [ -x "$ROOT/tests/${name#test-}/run" ]
		done
	done
}
