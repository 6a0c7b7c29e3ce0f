# sessfs grep on a terminal: what is printed for people.
load lib/mount
load lib/run
load lib/pi

setup() {
	needs_mounts
	needs less python3
	make_folder
	make_home
	SESSION=$DIR/session.jsonl
}

# Run a command on a terminal: texts to wait for and keys, --, the command.
on_terminal() {
	NO_COLOR=1 RAW=$DIR/screen python3 "$ROOT/tests/lib/terminal.py" "$@"
}

# bats test_tags=full
@test "hits have no escape sequences of entries, nor what is left of them" {
	write_session "$(user aa000001 "" 'a \u001b[30;42mgreen\u001b[0m \u001b]8;;http://x\u0007link\u001b]8;;\u0007 word')"
	on_terminal -- "$SESSFS" grep word "$SESSION"
	grep -q "^1:a green link word" "$DIR/screen"
	not grep -qF -e "30;42" -e "http:" "$DIR/screen"
	# Elsewhere a hit is the line as it stands.
	helper grep word "$SESSION" | grep -qF $'\e[30;42mgreen'
}

# bats test_tags=full
@test "that nothing was found is said" {
	write_session "$(user aa000001 "" word)"
	run -1 on_terminal -- "$SESSFS" grep wrod "$SESSION"
	grep -q "sessfs: grep: nothing found" "$DIR/screen"
	run -1 on_terminal -- "$SESSFS" grep --here wrod "$SESSION"
	grep -q "nothing found in sessions of this directory and below" "$DIR/screen"
	run -1 on_terminal -- "$SESSFS" grep -q wrod "$SESSION"
	not grep -q nothing "$DIR/screen"
	run -1 helper grep wrod "$SESSION"
	[[ -z $output ]]
}

# bats test_tags=full
@test "more hits than fit go through a pager, from the newest on" {
	local n lines=()
	for n in {10..60}; do
		lines+=("$(user "aa0000$n" "" "word $n")")
	done
	write_session "${lines[@]}"
	on_terminal : q -- "$SESSFS" grep word "$SESSION"
	grep -q "word 10" "$DIR/screen"
	not grep -q "word 60" "$DIR/screen"
	# An interrupt ends both.
	run on_terminal : '\x03' -- "$SESSFS" grep word "$SESSION"
	[[ $status -ne 99 ]]
	# Few hits do not wait for a key.
	on_terminal -- "$SESSFS" grep "word 10" "$SESSION"
	PAGER="sed s/^/:/" on_terminal -- "$SESSFS" grep word "$SESSION"
	grep -q "^:.*word 60" "$DIR/screen"
	# As in Emacs, where less would ask whether to go on.
	TERMINAL=dumb on_terminal -- "$SESSFS" grep word "$SESSION"
	grep -q "word 60" "$DIR/screen"
	not grep -q WARNING "$DIR/screen"
}

@test "days have names" {
	write_session "$(user aa000001 "" word)"
	sed -i "s/2026-03-01T10:00:01/$(date -u -d yesterday +%FT%T)/" "$SESSION"
	helper grep --since yesterday word "$SESSION"
	run -1 helper grep --until 2026-03-02 word "$SESSION"
}

@test "without a PATH an entry is headed by what commands take" {
	local folder=$HOME/.pi/agent/sessions/--x-- id
	mkdir -p "$folder"
	SESSION=$folder/2026-03-01T10-00-00-000Z_0198aaaa-1111-7222-8333-0123456789ab.jsonl \
		write_session "$(user aa000001 "" word)"
	on_terminal -- "$SESSFS" grep word
	id=$(grep -oE "[0-9a-f]{8}/by-id/aa000001" "$DIR/screen")
	is word cat "$(helper open "${id%%/*}")/HEAD/content"
	helper log "$id" | grep -q "entry aa000001"
	helper log aa000001 "${id%%/*}" | grep -q "entry aa000001"
	# The start of what is shown does.
	helper log "${id:0:5}" | grep -q "entry aa000001"
	helper resume "${id%%/*}" | grep -q "pi --session"
	is "${id%%/*}:1" helper grep -c word "${id%%/*}"
}
