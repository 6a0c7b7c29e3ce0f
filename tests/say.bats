# sessfs say, which appends a user's message.
load lib/mount
load lib/run
load lib/pi

setup() {
	needs_mounts
	needs jq
	make_folder
	export HOME=$DIR/home XDG_RUNTIME_DIR=$DIR/run
	mkdir "$HOME"
}

# Mount a session that ends with a user's message.
mount_spoken() {
	write_session "$(user aa000001 "" "go on")"
	mount_session
}

# The text is in the session unchanged, and content adds the final newline of a
# file.
is_said() {
	cmp "$1" <(jq -j .message.content "$MNT/HEAD/raw.json")
	cmp <(cat "$1" && [ -z "$(tail -c 1 "$1")" ] || echo) "$MNT/HEAD/content"
	is "role: user" grep ^role: "$MNT/HEAD/meta"
}

says() {
	local text=$1 before
	before=$(readlink "$MNT/HEAD")
	helper say -- "$text" "$MNT"
	printf %s "$text" >"$DIR/text"
	is_said "$DIR/text"
	is "../${before#by-id/}" readlink "$MNT/HEAD/parent"
}

says_texts() {
	needs python3
	says hello
	says 'it'\''s "quoted" \ \\ \" \n \u0041 `id` $(id) $HOME %s %d%% *'
	says $'two\nlines\ttab\r\n'
	says $'\n\n'
	says ' '
	says -n
	says --
	says -h
	says '}{]['
	says "$(python3 -c 'print("".join(map(chr, range(1, 0x180))) + "\u2028\uffff\U0001f600", end="x")')"
	helper say "no dashes" "$MNT"
	is "no dashes" cat "$MNT/HEAD/content"
}

@test "sessfs say appends any text, byte for byte" {
	mount_spoken
	says_texts
}

says_input() {
	printf 'a\0b "c"\n\nd\n\n' >"$DIR/input"
	helper say - "$MNT" <"$DIR/input"
	head -c -1 "$DIR/input" >"$DIR/text"
	is_said "$DIR/text"
	printf 'no newline\\n' >"$DIR/text"
	helper say - "$MNT" <"$DIR/text"
	is_said "$DIR/text"
	yes 'é "long" \ 😀' | head -c 1000000 | iconv -c -f utf-8 -t utf-8 >"$DIR/text"
	echo x >>"$DIR/text"
	helper say - "$MNT" <"$DIR/text"
	truncate -s -1 "$DIR/text"
	is_said "$DIR/text"
}

@test "sessfs say - appends standard input without its final newline" {
	mount_spoken
	says_input
}

says_nothing() {
	fails_in_a_line "sessfs: $MNT: the message is empty" 1 helper say "" "$MNT"
	fails_in_a_line "the message is empty" 1 helper say - "$MNT" </dev/null
	fails_in_a_line "the message is empty" 1 helper say - "$MNT" <<<""
	fails_in_a_line "sessfs: $HOME: not in a mounted session" 1 helper say x
	fails_in_a_line "sessfs: $DIR: not in a mounted session" 1 helper say x "$DIR"
	fails_in_a_line "No such file or directory" 1 helper say x "$MNT/nothing"
	helper say -h >"$DIR/out"
	grep -q "^usage: sessfs say " "$DIR/out"
	local words
	for words in "" "-x" "a b c" "--"; do
		run -2 --separate-stderr helper say $words
		[[ -z $output && $stderr == *"sessfs say "*"-h for help)" ]]
	done
}

@test "sessfs say without a text or a session fails, and writes nothing" {
	mount_spoken
	cp "$SESSION" "$DIR/before"
	cd "$HOME"
	says_nothing
	cmp "$DIR/before" "$SESSION"
}

says_from_within() {
	cd "$MNT/by-id/aa000001"
	helper say "from within"
	is "from within" cat "$MNT/HEAD/content"
	cd "$DIR"
	helper say "from beside" "a  mount's/HEAD/content"
	is "from beside" cat "$MNT/HEAD/content"
}

@test "sessfs say finds the session as the other helpers do" {
	SESSION="$DIR/a  session's.jsonl"
	MNT="$DIR/a  mount's"
	mkdir "$MNT"
	mount_spoken
	says_from_within
}

says_in_dialect() {
	helper say "in it: é" "$MNT"
	is "in it: é" cat "$MNT/HEAD/content"
}

@test "sessfs say works in every dialect that can be written to" {
	local fixture
	for fixture in pi-v1-linear pi-v3-branches pi-harness-leaf omp-v3-basic \
		draft000-uuid draft003-index go-tree; do
		mount_fixture "$fixture.jsonl"
		says_in_dialect
		unmount
		daemon_is_gone
	done
}

refuses_with() {
	fails_in_a_line "sessfs: $MNT/append: $1" 1 helper say x "$MNT"
}

@test "where nothing can be written, sessfs say says so in one line" {
	mount_fixture pi-v3-branches.jsonl -o ro
	refuses_with "Read-only file system (writable: no)"
	unmount
	daemon_is_gone
	cmp "$FIXTURES/pi-v3-branches.jsonl" "$SESSION"
	mount_fixture claude-basic.jsonl
	local why="Read-only file system"
	[ "$(id -u)" -eq 0 ] || why="Permission denied"
	refuses_with "$why (writable: HEAD and labels)"
	cmp "$FIXTURES/claude-basic.jsonl" "$SESSION"
}

@test "a failed move or message has its own reason, and not that of an earlier one" {
	cp "$FIXTURES/pi-v3-branches.jsonl" "$SESSION"
	(ulimit -f 1 && mount_session)
	fails_with "Invalid argument" bash -c "echo '{}' >'$MNT/append'"
	grep -q '^last-refused: a line must have ' "$MNT/info"
	fails_in_a_line "sessfs: $MNT/HEAD: File too large" 1 helper switch aa000004 "$MNT"
	refuses_with "File too large"
	local why="another process has locked the session for seconds"
	hold_lock
	helper switch aa000004 "$MNT" 2>"$DIR/switched" &
	refuses_with "$why"
	exits 1 wait $!
	release_lock
	is "sessfs: $MNT/HEAD: $why" cat "$DIR/switched"
	grep -qx "last-refused: $why" "$MNT/info"
}
