# Progress bars on a terminal.
load lib/mount
load lib/run
load lib/pi

setup() {
	needs_mounts
	needs python3
	make_folder
	make_slow
	export SLOW_MS=120
}

# A session of 3 MB, which is read in a dozen pieces. With SLOW_MS for each, that
# takes longer than the second after which it is shown.
write_large() {
	local text
	printf -v text '%*s' 65536 ''
	write_many roots 48 "${text// /x}"
}

# on_terminals "WIDTH COMMAND"...: run each on a terminal so wide. What is on it in the
# end goes to SCREEN[N], and what was there on the way to STATES[N]; no line may have been
# wider. The last one's status is returned.
on_terminals() {
	local status=0 i
	python3 - "$DIR" "$@" <<-'PY' || status=$?
	import os, sys, unicodedata
	from terminal import Terminal, states_of
	for i, run in enumerate(sys.argv[2:]):
	    width, _, command = run.partition(" ")
	    terminal = Terminal(["sh", "-c", command], {**os.environ, "TERM": "xterm"}, int(width))
	    status = terminal.end()
	    screen, states = ("\n" + states_of(terminal.raw) + "\n").split("\n--\n")
	    for line in states.splitlines():
	        wide = sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in line)
	        assert wide < int(width), (width, line)
	    for name, text in ("screen", screen[1:]), ("states", states):
	        with open(f"{sys.argv[1]}/{name}.{i}", "w") as f:
	            f.write(text)
	sys.exit(status)
	PY
	for ((i = 0; i < $#; i++)); do
		whole "SCREEN[$i]" "$DIR/screen.$i"
		whole "STATES[$i]" "$DIR/states.$i"
	done
	return $status
}

# bats test_tags=full
@test "a session that takes long to read has a progress bar, which is wiped, on a terminal that can" {
	local line
	cp "$FIXTURES/pi-v3-branches.jsonl" "$DIR/fast.jsonl"
	write_large
	on_terminals "80 exec '$SLOW' '$SESSION' '$MNT'" \
		"80 exec '$SLOW' check '$DIR/fast.jsonl' >/dev/null" \
		"80 exec '$SLOW' check '$SESSION' 2>'$DIR/stderr'" \
		"80 TERM=dumb '$SLOW' check '$SESSION' >/dev/null"
	[ -z "${SCREEN[0]}${SCREEN[1]}${SCREEN[3]}${STATES[1]}${STATES[2]}${STATES[3]}" ]
	[ ! -s "$DIR/stderr" ]
	"$SLOW" check "$SESSION" 2>"$DIR/stderr"
	[ ! -s "$DIR/stderr" ]
	[[ $'\n'${STATES[0]} =~ $'\nsessfs: reading session.jsonl ['#+\.+\]\ \ [0-9][0-9]%$'\n' ]]
	while IFS= read -r line; do
		[[ $line =~ ^sessfs:\ reading\ session\.jsonl\ \[#*\.*\]\ [\ 0-9]{3}%$ ]]
	done <<<"${STATES[0]%$'\n'}"
	ls "$MNT/by-id" >"$DIR/ids"
	has_lines 48 "$DIR/ids"
}

# bats test_tags=full
@test "the bar fits the terminal, whatever the session's name" {
	SESSION=$DIR/$'セッションの名前がとても長い時\e[31m.jsonl'
	write_large
	local check="exec '$SLOW' check '$SESSION' >/dev/null"
	on_terminals "61 $check" "60 $check" "30 $check" "9 $check" "3 $check"
	[[ $'\n'${STATES[0]} =~ $'\nsessfs: reading セッション'[^$'\n']*…\ \[# ]]
	# The bar would leave too little of the name.
	[[ $'\n'${STATES[1]} =~ $'\nsessfs: reading セッションの名前がとても長い時'[^$'\n']*%$'\n' ]]
	[[ ! ${STATES[1]} =~ \[[#.] ]]
	[[ $'\n'${STATES[2]} =~ $'\nsessfs: reading セッ'[^$'\n']*…\ \ [0-9]+%$'\n' ]]
}

# bats test_tags=full
@test "check prints faults in place of the bar" {
	write_large
	echo x >>"$SESSION"
	local status=0
	cd "$DIR"
	on_terminals "80 exec '$SLOW' check session.jsonl" || status=$?
	[ "$status" -eq 1 ]
	[[ ${SCREEN[0]} == $'session.jsonl:50: not JSON\n'* ]]
	[[ $'\n'${STATES[0]} == *$'\nsessfs: reading session.jsonl [#'* ]]
}

# bats test_tags=full
@test "export shows its progress at once, of a folder each session's, and wipes it" {
	mkdir "$DIR/all"
	SESSION=$DIR/all/large.jsonl write_large
	cp "$FIXTURES/pi-v3-branches.jsonl" "$DIR/all/small.jsonl"
	cp "$FIXTURES/pi-v3-branches.jsonl" "$SESSION"
	on_terminals "80 exec '$SESSFS' export '$DIR/out' '$SESSION'" \
		"80 TERM=dumb '$SESSFS' export '$DIR/dumb' '$SESSION'" \
		"80 exec '$SLOW' export '$DIR/folder' '$DIR/all'"
	[ -z "${SCREEN[0]}${SCREEN[1]}${SCREEN[2]}${STATES[1]}" ]
	[[ $'\n'${STATES[0]} =~ $'\nsessfs: writing session.jsonl ['\.+\]\ \ \ 0%$'\n' ]]
	diff -r --no-dereference "$DIR/out" "$DIR/dumb"
	has $'sessfs: reading large.jsonl [#' "$DIR/states.2"
	has $'sessfs: writing large.jsonl [' "$DIR/states.2"
	has $'sessfs: writing small.jsonl [' "$DIR/states.2"
}

# bats test_tags=root
@test "an error is printed without a bar before it" {
	cp "$FIXTURES/pi-v3-branches.jsonl" "$SESSION"
	mkdir "$DIR/small"
	mount -t tmpfs -o nr_inodes=20 tmpfs "$DIR/small" || skip "tmpfs can't be mounted here"
	local status=0
	cd "$DIR"
	on_terminals "80 exec '$SESSFS' export small/out session.jsonl" || status=$?
	[ "$status" -eq 1 ]
	[[ ${SCREEN[0]} =~ ^sessfs:\ small/out/[^$'\n']*:\ No\ space\ left\ on\ device\;\ small/out\ is\ incomplete$ ]]
}
