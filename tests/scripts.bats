# bats file_tags=shell
# The installed helper scripts, as a user runs them.
load lib/mount
load lib/run
load lib/pi
load lib/claude
load lib/go_tree

setup() {
	needs_mounts
	make_folder
	# No sessions, mounts or settings of the real user.
	export SESSFS HOME=$DIR/home XDG_RUNTIME_DIR=$DIR/run TERM=xterm
	mkdir -p "$HOME/my.proj" "$XDG_RUNTIME_DIR"
	chmod 700 "$XDG_RUNTIME_DIR"
	unset PI_CODING_AGENT_DIR PI_CODING_AGENT_SESSION_DIR PI_CONFIG_DIR \
		CLAUDE_CONFIG_DIR XDG_DATA_HOME TMPDIR TMP TEMP \
		NO_COLOR LESS PAGER FZF_DEFAULT_OPTS FZF_DEFAULT_COMMAND
	PI=$HOME/.pi/agent/sessions
	OMP=$HOME/.omp/agent/sessions
	CLAUDE=$HOME/.claude/projects
}

# Run a helper on a terminal: texts to wait for and keys, --, the helper. Prints
# nothing.
on_terminal() {
	needs python3
	RAW=$DIR/screen python3 "$ROOT/tests/lib/terminal.py" "$@"
}

# The name of an agent's folder for a directory.
dashed() {
	tr / - <<<"${1#/}"
}

# Write a session of Pi with one entry of this text to a file.
session_in() {
	mkdir -p "${1%/*}"
	SESSION=$1 write_session "$(user aa000001 "" "$2")"
}

claude_session_in() {
	mkdir -p "${1%/*}"
	SESSION=$1 write_lines "$(claude_user 1 "" "$2")"
}

# The text of the session that sessfs-open mounts, from a directory or for it.
opens() {
	(
		cd "$2"
		helper open >"$DIR/out"
		[ "$(wc -l <"$DIR/out")" -eq 1 ]
		is "$1" cat "$(cat "$DIR/out")/HEAD/content"
	)
}

# -- usage

wrongly_used() {
	local name
	for name in root open switch log diff; do
		helper "$name" -h >"$DIR/out"
		grep -q "^usage: sessfs-$name" "$DIR/out"
		run -2 helper "$name" -x
		[[ $output == "usage: sessfs-$name"* ]]
		run -2 helper "$name" a b c d
	done
	run -2 helper diff a
	run -2 helper log -n x
	run -2 helper root -d -e HEAD
}

@test "-h prints a summary, and usage errors are reported" {
	in_shells wrongly_used
}

# -- sessfs-root

finds_root() {
	local at
	for at in "" by-id by-id/aa000004 tree/aa000001/aa000003 HEAD by-label/good; do
		is "$MNT" helper root "$MNT/$at"
		(cd "$MNT/$at" && is "$MNT" helper root)
	done
	is "$MNT" helper root "$MNT/HEAD/content"
	cd "$DIR"
	is "$MNT" helper root mnt/HEAD
	fails_in_a_line "not in a mounted session" 1 helper root
	fails_in_a_line "home is not in a mounted session" 1 helper root home
	fails_in_a_line "No such file or directory" 1 helper root mnt/nothing
}

finds_paths() {
	is "$SESSION" helper root -i file mnt/HEAD
	is $'/a\tb\nc\\d\302\205' helper root -i cwd mnt
	(cd mnt && is "$SESSION" helper root -i file)
	fails_in_a_line "sessfs-root: $MNT/info has no parent-session" 1 helper root -i parent-session mnt
	run -2 helper root -i '.*' mnt
	run -2 helper root -i file -e HEAD mnt
	is $'a\nb\tc\302\205\e\\x' helper root -u 'a\nb\tc\u0085\u001b\x'
	run -2 helper root -u a b
	# One that is there is not escaped.
	: >'a\nb'
	is 'a\nb' helper root -u 'a\nb'
	is -d helper root -u -d
}

@test "sessfs-root finds paths in info, and undoes their escapes" {
	write_session "$(user aa000001 "" x)"
	sed -i '1s|/work/demo|/a\\tb\\nc\\\\d\\u0085|' "$SESSION"
	mount_session
	cd "$DIR"
	in_shells finds_paths
}

@test "sessfs-root finds the root from anywhere in a session" {
	mount_fixture pi-v3-branches.jsonl
	in_shells finds_root
}

# names_entry ID SPELLING
names_entry() {
	is "$MNT/by-id/$1" helper root -e "$2"
}

finds_entries() {
	cd "$MNT/by-id"
	names_entry aa000004 aa000004
	names_entry aa000004 ./aa000004
	names_entry aa000004 by-id/aa000004/content
	names_entry aa000025 HEAD
	names_entry aa000024 HEAD/parent
	names_entry aa000008 good
	names_entry aa000011 "dead end"
	names_entry aa000011 branches/aa000011
	names_entry aa000003 tree/aa000001/aa000003
	names_entry aa000003 "$MNT/tree/aa000001/aa000003"
	names_entry aa000025 "$MNT"
	cd aa000005
	names_entry aa000005 .
	names_entry aa000006 ./aa000006
	cd "$DIR"
	names_entry aa000006 mnt/by-id/aa000006
	is "$MNT/by-id/aa000004" helper root -e aa000004 mnt
	fails_in_a_line "not in a mounted session" 1 helper root -e HEAD
	cd "$MNT"
	fails_in_a_line "several entries start with aa00" 1 helper root -e aa00
	fails_in_a_line "aa: no such entry" 1 helper root -e aa
	fails_in_a_line "by-id: no such entry" 1 helper root -e by-id
	fails_in_a_line "HEAD/nothing: no such entry" 1 helper root -e HEAD/nothing
}

@test "an entry is an id or its start, a label, a branch, or a path" {
	mount_fixture pi-v3-branches.jsonl
	in_shells finds_entries
}

finds_hostile_entries() {
	cd "$MNT/by-id/HEAD"
	is "$MNT" helper root
	names_entry HEAD .
	names_entry by-id by-id
	names_entry -n -n
	names_entry "50%2541" "50%2541"
	names_entry "it's *" "it's *"
	names_entry "it's *" HEAD
	fails_in_a_line "no such entry" 1 helper root -e "*"
}

@test "ids that look like something else do not mislead" {
	write_session "$(user HEAD "" x)" "$(user by-id HEAD x)" "$(user info HEAD x)" \
		"$(user -n info x)" "$(user 50%41 -n x)" "$(user "it's *" 50%41 x)"
	mount_session
	in_shells finds_hostile_entries
}

# -- sessfs-switch

switches() {
	mount_fixture pi-v3-branches.jsonl
	cd "$MNT"
	is by-id/aa000005 helper switch <<<4 2>"$DIR/err"
	grep -q "^    4  aa000005 assistant" "$DIR/err"
	grep -q "└─ aa000012 branch_summary" "$DIR/err"
	cd "$DIR"
	is by-id/aa000011 helper switch mnt <<<aa000011 2>/dev/null
	is by-id/aa000008 helper switch mnt <<<by-label/good 2>/dev/null
	is by-id/aa000007 helper switch mnt <<<HEAD/parent 2>/dev/null
	run -130 helper switch mnt <<<""
	run -130 helper switch mnt </dev/null
	run -1 --separate-stderr helper switch mnt <<<99999
	[[ $stderr = *"sessfs-switch: 99999: no such entry in "* ]]
	head_is by-id/aa000007
	echo here >mnt/by-id/aa000004/label
	is by-id/aa000004 helper switch mnt <<<here 2>/dev/null
	unmount
	daemon_is_gone
}

@test "sessfs-switch moves HEAD to the entry chosen from a list" {
	in_shells switches
}

# Each line of the list has its entry.
lines_are_right() {
	local number id
	helper switch "$MNT" </dev/null 2>"$DIR/list" || [ $? -eq 130 ]
	sed -n 's/ ← HEAD$//; s/^ *\([0-9]*\) .* \([0-9]*\)$/\1 \2/p' "$DIR/list" >"$DIR/numbers"
	is "1 2 4 8 3 7 5 6" sh -c "cut -d ' ' -f 2 '$DIR/numbers' | paste -sd ' '"
	while read -r number id; do
		is "by-id/$(ulid "$id")" helper switch "$MNT" <<<"$number" 2>/dev/null
	done <"$DIR/numbers"
}

@test "ids with the same start are distinguished by their places" {
	# Children are drawn by their time, which is that of their number.
	write_go_tree 1 "$(go_user 1 "" 1)" "$(go_user 5 1 5)" "$(go_user 3 1 3)" \
		"$(go_user 2 1 2)" "$(go_user 4 2 4)" "$(go_user 6 5 6)" "$(go_user 8 2 8)" \
		"$(go_user 7 3 7)"
	mount_session
	in_shells lines_are_right
}

switches_by_time() {
	is "by-id/b c" helper switch "$MNT" <<<2 2>"$DIR/err"
	grep -qx "    2  b c  user  2026-03-01T10:00:01.000Z" "$DIR/err"
	is "by-id/-n" helper switch "$MNT" <<<3 2>/dev/null
}

@test "ids with spaces are listed too" {
	write_session "$(user a "" x)" "$(user "b c" a y)" "$(user -n "b c" z)"
	mount_session
	in_shells switches_by_time
}

@test "sessfs-switch shows fzf the tree, from HEAD on, and previews" {
	needs fzf python3
	mount_fixture pi-v3-branches.jsonl
	ln -sfn by-id/aa000010 "$MNT/HEAD"
	# Enter alone leaves HEAD.
	on_terminal "parent: aa000009" $'\r' -- sh "$HELPERS/sessfs-switch" "$MNT"
	head_is by-id/aa000010
	grep -q "├─" "$DIR/screen"
	on_terminal "parent: aa000009" "part one" "parent: aa000023" $'\r' -- \
		sh "$HELPERS/sessfs-switch" "$MNT"
	head_is by-id/aa000024
	grep -qF "[image/png 8 bytes: 1.png]" "$DIR/screen"
	run -130 on_terminal "parent: aa000023" $'\e' -- sh "$HELPERS/sessfs-switch" "$MNT"
	run -130 on_terminal "parent: aa000023" "no such line" "0/" $'\r' -- \
		sh "$HELPERS/sessfs-switch" "$MNT"
	head_is by-id/aa000024
}

@test "sessfs-switch reports a session without entries" {
	write_session
	mount_session
	fails_in_a_line "sessfs-switch: there are no entries yet" 1 helper switch "$MNT" <<<1
}

@test "sessfs-switch does without fzf on a terminal" {
	needs less python3
	mount_fixture pi-v3-branches.jsonl
	without fzf
	on_terminal "number or id: " $'aa000004\n' -- \
		env PATH="$DIR/bin" sh "$HELPERS/sessfs-switch" "$MNT"
	head_is by-id/aa000004
}

# A PATH with what the helpers use, and not these.
without() {
	local name
	mkdir "$DIR/bin"
	for name in awk sh sed find sort tr head tail cut diff readlink ln cksum \
		dirname id grep mkdir rmdir cat less fzf; do
		[[ " $* " == *" $name "* ]] ||
			ln -s "$(command -v "$name")" "$DIR/bin/$name"
	done
}

# -- sessfs-log

logs() {
	cd "$MNT"
	TZ=America/New_York helper log -n 2 >"$DIR/out"
	is "$(
		cat <<-END
			entry aa000011 (HEAD, dead end)
			Kind:  assistant prov/model-a
			Date:  2026-03-01 05:00:10 -0500

			    B is worse.

			entry aa000010
			Kind:  user
			Date:  2026-03-01 05:00:09 -0500

			    try approach B
		END
	)" cat "$DIR/out"
	helper log >"$DIR/out"
	is "$(printf 'entry aa0000%s\n' "11 (HEAD, dead end)" 10 "08 (good)" 07 06 05 04 03 01)" \
		grep ^entry "$DIR/out"
	# What is not the start of the content.
	is "$(printf '%s\n' "toolResult" "[ls] error: no such dir" "toolResult" \
		'[read: a.c:1-10] line "1" line 2' "assistant prov/model-a" "Looking. [read: a.c:1-10] [ls]" \
		"model_change prov/model-a" prov/model-a)" \
		sh -c "sed -n '/^Words/{x;G;p;};h' '$DIR/out' | sed 's/^[A-Z][a-z]*: *//'"
	is "entry aa000004" sh -c "'$HELPERS/sessfs-log' -n 1 aa000004 | grep ^entry"
	is "entry aa000008 (good)" sh -c "'$HELPERS/sessfs-log' -n 1 good | grep ^entry"
	# Bookkeeping is left out, unless requested.
	is "$(printf 'entry aa0000%s\n' 09 "08 (good)")" \
		sh -c "'$HELPERS/sessfs-log' -n 2 aa000009 | grep ^entry"
	[ -z "$(helper log -n 0)" ]
	[ -z "$(helper log tree)" ]
	cd "$DIR"
	is "entry aa000011 (HEAD, dead end)" sh -c "'$HELPERS/sessfs-log' mnt | head -n 1"
	is "entry aa000004" sh -c "'$HELPERS/sessfs-log' mnt/by-id/aa000004 | head -n 1"
	fails_in_a_line "nothing: no such entry" 1 helper log mnt/by-id/nothing
	fails_in_a_line "can't be empty" 2 helper log ""
}

@test "sessfs-log shows the path to HEAD, newest first" {
	mount_fixture pi-v3-branches.jsonl
	ln -sfn by-id/aa000011 "$MNT/HEAD"
	in_shells logs
}

@test "sessfs-log has UTC where awk can't tell the local time" {
	mount_fixture pi-v3-branches.jsonl
	mkdir "$DIR/bin"
	printf '#!/bin/sh\ncase $* in *strftime*) exit 2 ;; esac\nexec %s "$@"\n' "$(command -v awk)" >"$DIR/bin/awk"
	chmod +x "$DIR/bin/awk"
	is "Date:  2026-03-01T10:00:10.000Z" env PATH="$DIR/bin:$PATH" TZ=America/New_York sh -c "sh '$HELPERS/sessfs-log' -n 1 '$MNT/by-id/aa000011' | grep Date"
}

logs_odd_ids() {
	is "$(printf 'entry %s\n' "it's * (HEAD)" "50%2541" -n "%63ontent" "b c" a%2Fb)" \
		sh -c "${SH:-sh} '$HELPERS/sessfs-log' '$MNT' | grep ^entry"
}

@test "sessfs-log follows parents of any name" {
	write_session "$(user a/b "" x)" "$(user "b c" a/b x)" "$(user content "b c" x)" \
		"$(user -n content x)" "$(user 50%41 -n x)" "$(user "it's *" 50%41 x)" \
		"$(user b a x)" "$(user a "" x)" '{"type":"custom","customType":"sessfs.head","data":{},"id":"h","parentId":"it'"'"'s *","timestamp":"2026-03-01T10:00:09.000Z"}'
	mount_session
	in_shells logs_odd_ids
}

@test "sessfs-log cuts long texts" {
	write_session "$(user aa000001 "" "$(printf 'line %d\\n' {1..20})")" \
		"$(user aa000002 aa000001 "$(printf 'é%.0s' {1..900})")"
	mount_session
	helper log "$MNT" >"$DIR/out"
	grep -qx "    line 10" "$DIR/out"
	[ "$(tail -n 1 "$DIR/out")" = "    …" ]
	is "    $(printf 'é%.0s' {1..499})…" sed -n 5p "$DIR/out"
}

a_thousand() {
	is 1000 sh -c "${SH:-sh} '$HELPERS/sessfs-log' '$MNT' | grep -c ^entry"
	is by-id/000001f4 helper switch "$MNT" <<<501 2>/dev/null
	ln -sfn by-id/000003e7 "$MNT/HEAD"
	helper diff 00000000 000003e7 "$MNT" >"$DIR/out" || [ $? -eq 1 ]
	is 999 grep -c '^+.*entry' "$DIR/out"
}

@test "a thousand entries deep" {
	needs python3
	write_many chain 1000
	mount_session
	in_shells a_thousand
	# From a folder with a longer path than any.
	is "$MNT" python3 - "$MNT/tree" "$HELPERS/sessfs-root" <<-'PY'
	import os, sys
	os.chdir(sys.argv[1])
	for i in range(1000):
	    os.chdir("%08x" % i)
	os.execl(sys.argv[2], sys.argv[2])
	PY
}

# -- sessfs-diff

compares() {
	cd "$MNT"
	run -1 helper diff aa000004 aa000008
	[ "${lines[0]} ${lines[1]}" = "--- aa000004 +++ aa000008" ]
	[[ $output == *"+[Assistant]: Done with approach A."* ]]
	run -1 helper diff "dead end" good
	[ "${lines[0]} ${lines[1]}" = "--- aa000011 +++ aa000008" ]
	run -0 helper diff HEAD aa000025
	[ -z "$output" ]
	run -1 helper diff tree HEAD/parent
	[ "${lines[0]}" = "--- tree" ]
	cd "$DIR"
	run -1 helper diff aa000004 HEAD mnt
	run -1 helper diff mnt/by-id/aa000004 mnt
	[ "${lines[1]}" = "+++ aa000025" ]
	fails_in_a_line "nothing: no such entry" 2 helper diff HEAD nothing mnt
	fails_in_a_line "not in a mounted session" 2 helper diff mnt/HEAD mnt/HEAD home
}

@test "sessfs-diff compares two contexts" {
	mount_fixture pi-v3-branches.jsonl
	in_shells compares
}

# -- terminals

write_controls() {
	write_session "$(user aa000001 "" 'a \u001b[7mb\u0007 \u0000\u009b7mc')" \
		"$(user aa000002 aa000001 'd\u001b]0;e\u0007')"
	mount_session
	echo "f" >"$MNT/by-id/aa000001/label"
}

# Only control sequences for colors and the screen are left.
says_no_controls() {
	if LC_ALL=C grep -aP '\x1b\[7m|\x07|\xc2\x9b|\x1b\]0' "$DIR/screen"; then return 1; fi
	grep -q "7mb" "$DIR/screen"
}

controls_are_stripped() {
	export PAGER=cat
	on_terminal -- $SH "$HELPERS/sessfs-log" "$MNT"
	says_no_controls
	run -1 on_terminal -- $SH "$HELPERS/sessfs-diff" tree HEAD "$MNT"
	says_no_controls
	on_terminal "parent: aa000001" aa000001 "id: aa000001" $'\r' -- $SH "$HELPERS/sessfs-switch" "$MNT"
	says_no_controls
	# Output to a file is unchanged.
	helper log "$MNT" | grep -qF $'\e[7m'
	ln -sfn by-id/aa000002 "$MNT/HEAD"
}

@test "control characters of entries do not reach the terminal" {
	write_controls
	in_shells controls_are_stripped
}

@test "nor can an id" {
	write_session "$(user aa000001 "" one)" "$(user '\u009b7m' aa000001 two)"
	mount_session
	helper switch "$MNT" </dev/null 2>"$DIR/screen" || [ $? -eq 130 ]
	cat "$MNT/tree.txt" "$MNT/HEAD/meta" >>"$DIR/screen"
	grep -q 7m "$DIR/screen"
	if grep -q $'\u9b' "$DIR/screen"; then return 1; fi
}

@test "on a terminal output has colors and goes through a pager" {
	needs less python3
	mount_fixture pi-v3-branches.jsonl
	on_terminal : q -- sh "$HELPERS/sessfs-log" "$MNT"
	grep -qF $'\e[33mentry aa000025 (HEAD)' "$DIR/screen"
	# Output that fits on the screen does not wait for a key.
	on_terminal -- sh "$HELPERS/sessfs-log" -n 1 "$MNT"
	run -1 on_terminal -- sh "$HELPERS/sessfs-diff" aa000024 aa000025 "$MNT"
	grep -qF $'\e[32m+[Assistant]: Final.' "$DIR/screen"
	run -1 on_terminal "@@" q -- sh "$HELPERS/sessfs-diff" tree HEAD "$MNT"
	run -0 on_terminal -- sh "$HELPERS/sessfs-diff" HEAD HEAD "$MNT"
	PAGER="sed s/^/:/" NO_COLOR=1 on_terminal -- sh "$HELPERS/sessfs-log" "$MNT"
	grep -q "^:entry aa000025 (HEAD)" "$DIR/screen"
	TERMINAL=dumb PAGER="" on_terminal -- sh "$HELPERS/sessfs-log" "$MNT"
	grep -q "^entry aa000025 (HEAD)" "$DIR/screen"
	helper log "$MNT" >"$DIR/out"
	grep -qx "entry aa000025 (HEAD)" "$DIR/out"
}

# -- elsewhere

# bats test_tags=full
@test "the helpers run on busybox alone" {
	needs busybox
	mkdir "$DIR/bin"
	local name
	for name in awk sh sed find sort tr head tail cut diff readlink ln \
		dirname id grep mkdir rmdir cat uniq paste od; do
		ln -s "$(command -v busybox)" "$DIR/bin/$name"
	done
	# Debian's has no cksum.
	for name in busybox cksum fusermount3; do
		ln -s "$(command -v "$name")" "$DIR/bin/$name"
	done
	mount_fixture pi-v3-branches.jsonl
	# The program itself may need more, as under valgrind.
	printf '#!/bin/sh\nPATH=%q exec %q "$@"\n' "$PATH" "$SESSFS" >"$DIR/sessfs"
	chmod +x "$DIR/sessfs"
	local work=$HOME/my.proj
	claude_session_in "$CLAUDE/-$(dashed "$work" | tr . -)/a.jsonl" claude
	SH="busybox sh"
	in_busybox() { PATH=$DIR/bin SESSFS=$DIR/sessfs helper "$@"; }
	is by-id/aa000005 in_busybox switch "$MNT" <<<4 2>/dev/null
	in_busybox log -n 1 "$MNT" >"$DIR/out"
	is "entry aa000005 (HEAD)" head -n 1 "$DIR/out"
	run -1 in_busybox diff HEAD HEAD/parent "$MNT"
	[ "${lines[0]}" = "--- aa000005" ]
	in_busybox say $'é\n"' "$MNT"
	is $'é\n"' cat "$MNT/HEAD/content"
	is claude cat "$(in_busybox open "$work")/HEAD/content"
	is "$(in_busybox open "$work")" helper open "$work"
}

@test "the helpers find each other, and sessfs, where they are installed" {
	mkdir "$DIR/in stalled"
	cp "$HELPERS"/sessfs-* "$DIR/in stalled"
	ln -s "$SESSFS" "$DIR/in stalled/sessfs"
	session_in "$PI/--$(dashed "$HOME/my.proj")--/a.jsonl" x
	unset SESSFS
	cd "$HOME/my.proj"
	"$DIR/in stalled/sessfs-open" >"$DIR/out"
	PATH="$DIR/in stalled:$PATH" sessfs-log >"$DIR/out"
	is "entry aa000001 (HEAD)" head -n 1 "$DIR/out"
	PATH="$DIR/in stalled:$PATH" sessfs-diff HEAD HEAD
}
