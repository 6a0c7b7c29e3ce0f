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

# A session of Pi with an entry for each kind of message.
write_small() {
	{
		echo "$PI_HEADER"
		user aa000001 "" 'Count the words.\nOne WORD a line.' && echo
		message aa000002 aa000001 '{"role":"assistant","content":[{"type":"text","text":"Running."},{"type":"toolCall","id":"t1","name":"bash","arguments":{"command":"wc -w\nls"}}],"model":"m"}' && echo
		message aa000003 aa000002 '{"role":"toolResult","toolCallId":"t1","toolName":"bash","content":[{"type":"text","text":"3 words"}]}' && echo
		message aa000004 aa000001 '{"role":"assistant","content":[{"type":"text","text":"A sword?"}],"model":"m"}' && echo
		user aa000005 aa000004 'no\nwords\nhere\nnor\nthere' && echo
	} >"$SESSION"
}

# bats test_tags=full
@test "with fzf --open lets choose" {
	needs fzf
	write_small
	cd "$DIR"
	export PAGER=cat
	on_terminal "> Count the words" "A sword" "1/4" $'\r' -- "$SESSFS" grep --open word session.jsonl
	grep -q '/by-id/aa000004' screen
	grep -q '^A sword?' screen
	run -130 on_terminal "3 words" $'\e' -- "$SESSFS" grep --open word session.jsonl
	run -1 on_terminal -- "$SESSFS" grep --open nothing session.jsonl
	grep -q 'sessfs: grep: nothing found' screen
	run -2 on_terminal -- "$SESSFS" grep --open '(' session.jsonl
}

# bats test_tags=full
@test "what is offered shows time, role and text, however long and odd the path is" {
	needs fzf
	local folder at
	folder=$DIR/$(printf '%0150d' 0)
	folder+=$'/a\ttab  and\nmore/by-id'
	mkdir -p "$folder"
	SESSION=$folder/session.jsonl
	write_small
	cd "$DIR"
	export PAGER=cat TZ=UTC
	at="2026-03-01 10:00  "
	on_terminal "> Count the words" "A sword?" "1/4" $'\r' -- "$SESSFS" grep --open word "$folder"
	grep -q '/by-id/aa000004' screen
	grep -q '^A sword?' screen
	# What is typed is looked for in the text, not in the path.
	on_terminal "${at}pi demo           user        Count the words" 0000000000 "0/4" $'\x15Count' "1/4" $'\r' -- \
		"$SESSFS" grep --open word 000*
	grep -q '/by-id/aa000001' screen
}
