# sessfs open where one types what to open. commands/open.md has the rest.
load lib/mount
load lib/run
load lib/pi
load lib/claude

setup() {
	needs_mounts
	make_folder
	make_home
	mkdir "$HOME/my.proj"
	PI=$HOME/.pi/agent/sessions
	OMP=$HOME/.omp/agent/sessions
	CLAUDE=$HOME/.claude/projects
	WORK=$HOME/my.proj
	BIN=$DIR/bin
	mkdir "$BIN"
}

# session_in FILE DIR TIME TEXT: of Pi, with its working directory.
session_in() {
	mkdir -p "${1%/*}"
	SESSION=$1 write_session "$(user aa000001 "" "$4")"
	sed -i "s,/work/demo,$2,; 2s/2026-03-01T10:00:01/2026-03-01T$3/" "$1"
}

# Four sessions of three agents; two of them are of $WORK.
four() {
	local work
	work=--$(tr / - <<<"${WORK#/}")--
	session_in "$PI/$work/2026-03-01T10-00-00-000Z_0198aaaa-1111.jsonl" "$WORK" 10:00:04 "newest of Pi"
	session_in "$PI/--elsewhere--/2026-03-01T10-00-00-000Z_0198bbbb-2222.jsonl" /elsewhere 10:00:03 "from elsewhere"
	session_in "$OMP/-my.proj/2026-03-01T10-00-00-000Z_0198cccc-3333.jsonl" "$WORK" 10:00:02 "of omp"
	mkdir -p "$CLAUDE/-x"
	SESSION=$CLAUDE/-x/dddddddd-4444.jsonl write_lines "$(claude_user 1 "" "to Claude")"
	touch -d 2030-01-01 "$PI/$work"/*_0198aaaa*.jsonl
}

# Run a helper on a terminal: texts to wait for and keys, --, the helper.
on_terminal() {
	needs python3
	RAW=$DIR/screen python3 "$ROOT/tests/lib/terminal.py" "$@"
}

# The text of the session that was opened last.
opened() {
	is "$1" cat "$(cat "$DIR/out")/HEAD/content"
}

# bats test_tags=full
@test "on a terminal it chooses with the real fzf" {
	needs fzf python3
	four
	on_terminal "from elsewhere ← HEAD|newest of Pi" "elsew" "1/4" $'\r' -- sh -c \
		"cd '$WORK' && '$SESSFS' open >'$DIR/out'"
	opened "from elsewhere"
}

# A PATH without fzf.
without_fzf() {
	local name
	for name in sh env stty fusermount3; do
		ln -s "$(command -v "$name")" "$BIN/$name"
	done
}

# bats test_tags=full
@test "without fzf it chooses by number or id" {
	needs less python3
	four
	without_fzf
	local answer
	for answer in "2:from elsewhere" "0198cccc:of omp" "$CLAUDE/-x/dddddddd-4444.jsonl:to Claude"; do
		on_terminal "number or id, or q: " "${answer%:*}"$'\n' -- env PATH="$BIN" sh -c \
			"cd '$WORK' && '$SESSFS' open >'$DIR/out'"
		opened "${answer#*:}" || {
			cat "$DIR/screen"
			return 1
		}
	done
	run -130 on_terminal "number or id, or q: " $'\n' -- env PATH="$BIN" sh -c \
		"cd '$WORK' && '$SESSFS' open >'$DIR/out'"
	run -1 on_terminal "number or id, or q: " $'99\n' -- env PATH="$BIN" sh -c \
		"cd '$WORK' && '$SESSFS' open >'$DIR/out'"
}

# bats test_tags=full
@test "without fzf a screen of sessions comes at a time, the newest first" {
	needs less python3
	without_fzf
	local n
	for n in {10..40}; do
		session_in "$PI/--a--/1_0198aa$n.jsonl" / "10:00:$n" "number $n"
	done
	# The terminal has 24 lines.
	on_terminal "Enter: 9 more; number or id, or q: " $'\n' "number or id, or q: " $'31\n' -- env PATH="$BIN" sh -c \
		"cd '$WORK' && '$SESSFS' open >'$DIR/out'"
	opened "number 10"
	grep -q "^ *1  .*number 40" "$DIR/screen"
}

# numbered WIDTH: lines of the numbered list, on a terminal of that width.
numbered() {
	on_terminal "number or id, or q: " $'\n' -- env PATH="$BIN" sh -c \
		"stty cols $1; cd '$WORK' && '$SESSFS' open >'$DIR/out'" || [ $? -eq 130 ]
	tr -d '\r' <"$DIR/screen" | grep "^ *[1-9]  "
}

# bats test_tags=full
@test "the numbered list is cut to the terminal, between characters" {
	needs less python3
	without_fzf
	export TZ=UTC
	# The words begin in column 67.
	session_in "$PI/--a--/1_0198aaaa.jsonl" / 10:00:04 "short"
	session_in "$PI/--a--/1_0198bbbb.jsonl" / 10:00:03 "012345678901234567890123"
	session_in "$PI/--a--/1_0198cccc.jsonl" / 10:00:02 "0123456789012345678901234"
	session_in "$PI/--a--/1_0198dddd.jsonl" / 10:00:01 "$(printf 'é%.0s' {1..40})"
	session_in "$PI/--a--/1_0198eeee.jsonl" / 10:00:00 "$(printf '漢%.0s' {1..40})"
	is "    1  0198aaaa  pi      2026-03-01 10:00  /               short
    2  0198bbbb  pi      2026-03-01 10:00  /               012345678901234567890123
    3  0198cccc  pi      2026-03-01 10:00  /               01234567890123456789012…
    4  0198dddd  pi      2026-03-01 10:00  /               $(printf 'é%.0s' {1..23})…
    5  0198eeee  pi      2026-03-01 10:00  /               $(printf '漢%.0s' {1..11})…" numbered 83
}
