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

# Run on a terminal so wide: what is on it in the end goes to $DIR/screen, and
# what was there on the way to $DIR/states.
on_terminal() {
	local status=0 width=$1
	shift
	WIDTH=$width STATES=yes python3 "$ROOT/tests/lib/terminal.py" -- "$@" >"$DIR/seen" || status=$?
	sed '/^--$/,$d' "$DIR/seen" >"$DIR/screen"
	sed '0,/^--$/d' "$DIR/seen" >"$DIR/states"
	return $status
}

says_nothing() {
	diff /dev/null "$DIR/screen"
	diff /dev/null "$DIR/states"
}

@test "a session that takes long to read has a progress bar, which is wiped" {
	write_large
	on_terminal 80 "$SLOW" "$SESSION" "$MNT"
	diff /dev/null "$DIR/screen"
	grep -qE '^sessfs: reading session\.jsonl \[#+\.+\]  [0-9][0-9]%$' "$DIR/states"
	run grep -vE '^sessfs: reading session\.jsonl \[#*\.*\] [ 0-9]{3}%$' "$DIR/states"
	[ -z "$output" ]
	is 48 bash -c "ls '$MNT/by-id' | wc -l"
}

@test "a fast session has no progress bar, and neither has one without a terminal" {
	write_session "$(user 00000001 "" one)"
	on_terminal 80 "$SESSFS" "$SESSION" "$MNT"
	says_nothing
	unmount
	daemon_is_gone
	write_large
	"$SLOW" "$SESSION" "$MNT" 2>"$DIR/stderr"
	diff /dev/null "$DIR/stderr"
	on_terminal 80 sh -c "'$SLOW' --check '$SESSION' 2>'$DIR/stderr'"
	diff /dev/null "$DIR/stderr"
}

@test "nor does a terminal that can't take it back" {
	write_large
	TERMINAL=dumb on_terminal 80 sh -c "'$SLOW' --check '$SESSION' >/dev/null"
	says_nothing
}

# Fails if a line was wider than this many columns.
no_wider_than() {
	python3 - "$DIR/states" "$1" <<-'PY'
	import sys, unicodedata
	for line in open(sys.argv[1]).read().splitlines():
	    width = sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in line)
	    assert width < int(sys.argv[2]), (width, line)
	PY
}

@test "the bar fits the terminal, whatever the session's name" {
	SESSION=$DIR/$'セッションの名前がとても長い時\e[31m.jsonl'
	write_large
	on_terminal 61 sh -c "'$SLOW' --check '$SESSION' >/dev/null"
	grep -q '^sessfs: reading セッション.*… \[#' "$DIR/states"
	no_wider_than 61
	# The bar would leave too little of the name.
	on_terminal 60 sh -c "'$SLOW' --check '$SESSION' >/dev/null"
	grep -q '^sessfs: reading セッションの名前がとても長い時.*%$' "$DIR/states"
	not grep -q '\[[#.]' "$DIR/states"
	no_wider_than 60
	on_terminal 30 sh -c "'$SLOW' --check '$SESSION' >/dev/null"
	grep -qE '^sessfs: reading セッ.*…  [0-9]+%$' "$DIR/states"
	no_wider_than 30
	on_terminal 9 sh -c "'$SLOW' --check '$SESSION' >/dev/null"
	no_wider_than 9
	on_terminal 3 sh -c "'$SLOW' --check '$SESSION' >/dev/null"
	no_wider_than 3
}

@test "--check prints faults in place of the bar" {
	write_large
	echo x >>"$SESSION"
	local status=0
	cd "$DIR"
	on_terminal 80 "$SLOW" --check session.jsonl || status=$?
	[ "$status" -eq 1 ]
	is "session.jsonl:50: not JSON" head -n 1 "$DIR/screen"
	grep -q '^sessfs: reading session.jsonl \[#' "$DIR/states"
}

@test "--export shows its progress at once, and wipes it" {
	cp "$FIXTURES/pi-v3-branches.jsonl" "$SESSION"
	on_terminal 80 "$SESSFS" --export "$DIR/out" "$SESSION"
	diff /dev/null "$DIR/screen"
	grep -qE '^sessfs: writing session\.jsonl \[\.+\]   0%$' "$DIR/states"
	TERMINAL=dumb on_terminal 80 "$SESSFS" --export "$DIR/dumb" "$SESSION"
	says_nothing
	diff -r --no-dereference "$DIR/out" "$DIR/dumb"
}

@test "of a folder, --export shows each session being read and written" {
	mkdir "$DIR/all"
	write_large
	mv "$SESSION" "$DIR/all/large.jsonl"
	cp "$FIXTURES/pi-v3-branches.jsonl" "$DIR/all/small.jsonl"
	on_terminal 80 "$SLOW" --export "$DIR/out" "$DIR/all"
	diff /dev/null "$DIR/screen"
	grep -q '^sessfs: reading large.jsonl \[#' "$DIR/states"
	grep -q '^sessfs: writing large.jsonl \[' "$DIR/states"
	grep -q '^sessfs: writing small.jsonl \[' "$DIR/states"
}

# bats test_tags=root
@test "an error is printed without a bar before it" {
	cp "$FIXTURES/pi-v3-branches.jsonl" "$SESSION"
	mkdir "$DIR/small"
	mount -t tmpfs -o nr_inodes=20 tmpfs "$DIR/small" || skip "tmpfs can't be mounted here"
	local status=0
	cd "$DIR"
	on_terminal 80 "$SESSFS" --export small/out session.jsonl || status=$?
	[ "$status" -eq 1 ]
	is 1 bash -c "wc -l <screen"
	grep -qE '^sessfs: small/out/.*: No space left on device; small/out is incomplete$' screen
}
