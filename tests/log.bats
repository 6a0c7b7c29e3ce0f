# sessfs log, switch and diff, as a user runs them.
load lib/mount
load lib/run
load lib/pi
load lib/go_tree

setup() {
	needs_mounts
	make_folder
	make_home
}

# Run a command on a terminal: texts to wait for and keys, --, the command. Prints
# nothing.
on_terminal() {
	needs python3
	RAW=$DIR/screen python3 "$ROOT/tests/lib/terminal.py" "$@"
}

@test "-h prints a summary, and usage errors are reported" {
	local name
	for name in root switch log diff say; do
		helper "$name" -h >"$DIR/out"
		grep -q "^usage: sessfs $name" "$DIR/out"
		run -2 helper "$name" -x
		[[ $output == "sessfs: $name: no option -x (sessfs $name -h for help)" ]]
		run -2 helper "$name" a b c d
	done
	run -2 helper diff a
	run -2 helper log -n x
	run -2 helper root -d -e HEAD
}

# -- sessfs switch

@test "sessfs switch moves HEAD to the entry chosen from a list" {
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
	[[ $stderr = *"sessfs: 99999: no such entry in "* ]]
	head_is by-id/aa000007
	echo here >mnt/by-id/aa000004/label
	is by-id/aa000004 helper switch mnt <<<here 2>/dev/null
	unmount
	daemon_is_gone
}

# Each line of the list has its entry.
@test "ids with the same start are distinguished by their places" {
	# Children are drawn by their time, which is that of their number.
	write_go_tree 1 "$(go_user 1 "" 1)" "$(go_user 5 1 5)" "$(go_user 3 1 3)" \
		"$(go_user 2 1 2)" "$(go_user 4 2 4)" "$(go_user 6 5 6)" "$(go_user 8 2 8)" \
		"$(go_user 7 3 7)"
	mount_session
	local number id
	helper switch "$MNT" </dev/null 2>"$DIR/list" || [ $? -eq 130 ]
	sed -n 's/ ← HEAD$//; s/^ *\([0-9]*\) .* \([0-9]*\)$/\1 \2/p' "$DIR/list" >"$DIR/numbers"
	is "1 2 4 8 3 7 5 6" sh -c "cut -d ' ' -f 2 '$DIR/numbers' | paste -sd ' '"
	while read -r number id; do
		is "by-id/$(ulid "$id")" helper switch "$MNT" <<<"$number" 2>/dev/null
	done <"$DIR/numbers"
}

@test "ids with spaces are listed too" {
	write_session "$(user a "" x)" "$(user "b c" a y)" "$(user -n "b c" z)"
	mount_session
	is "by-id/b c" helper switch "$MNT" <<<2 2>"$DIR/err"
	grep -qx "    2  b c user  y" "$DIR/err"
	is "by-id/-n" helper switch "$MNT" <<<3 2>/dev/null
}

@test "sessfs switch shows fzf the tree, from HEAD on, and previews" {
	needs fzf python3
	mount_fixture pi-v3-branches.jsonl
	ln -sfn by-id/aa000010 "$MNT/HEAD"
	# Enter alone leaves HEAD.
	on_terminal "parent: aa000009" $'\r' -- "$SESSFS" switch "$MNT"
	head_is by-id/aa000010
	grep -q "├─" "$DIR/screen"
	on_terminal "parent: aa000009" "part one" "parent: aa000023" $'\r' -- \
		"$SESSFS" switch "$MNT"
	head_is by-id/aa000024
	grep -qF "[image/png 8 bytes: 1.png]" "$DIR/screen"
	run -130 on_terminal "parent: aa000023" $'\e' -- "$SESSFS" switch "$MNT"
	run -130 on_terminal "parent: aa000023" "no such line" "0/" $'\r' -- \
		"$SESSFS" switch "$MNT"
	head_is by-id/aa000024
}

@test "sessfs switch reports a session without entries" {
	write_session
	mount_session
	fails_in_a_line "sessfs: $MNT: there are no entries yet" 1 helper switch "$MNT" <<<1
}

@test "sessfs switch does without fzf on a terminal" {
	needs less python3
	mount_fixture pi-v3-branches.jsonl
	without fzf
	on_terminal "number or id: " $'aa000004\n' -- \
		env PATH="$DIR/bin" "$SESSFS" switch "$MNT"
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

@test "sessfs switch - moves HEAD back to where it was" {
	mount_fixture pi-v3-branches.jsonl
	cd "$DIR"
	fails_in_a_line "sessfs: $MNT: sessfs switch has not moved its HEAD" 1 helper switch - mnt
	helper switch mnt <<<aa000011 2>/dev/null
	is by-id/aa000025 helper switch - mnt
	is by-id/aa000011 helper switch - "$MNT/HEAD"
	cd mnt
	helper say more
	is by-id/aa000025 helper switch -
	head_is by-id/aa000025
	fails_in_a_line "session.jsonl: not in a mounted session" 1 helper switch "$SESSION"
}

@test "sessfs switch moves HEAD to an entry that is named" {
	mount_fixture pi-v3-branches.jsonl
	cd "$MNT"
	is by-id/aa000011 helper switch aa000011
	is by-id/aa000008 helper switch by-label/good
	is by-id/aa000007 helper switch HEAD/parent
	is by-id/aa000008 helper switch good
	cd "$DIR"
	is by-id/aa000011 helper switch aa000011 mnt
	is by-id/aa000008 helper switch mnt/by-id/aa000008
	is by-id/aa000011 helper switch - mnt
	fails_in_a_line "sessfs: nosuch: no such entry in $MNT" 1 helper switch nosuch mnt
	head_is by-id/aa000011
}

@test "where HEAD can't be moved, sessfs switch says why" {
	mount_fixture pi-v3-branches.jsonl -o ro
	run -1 --separate-stderr helper switch "$MNT" <<<4
	[[ $stderr == *"sessfs: $MNT/HEAD: Read-only file system" ]]
}

# -- sessfs log

@test "sessfs log shows the path to HEAD, newest first" {
	mount_fixture pi-v3-branches.jsonl
	ln -sfn by-id/aa000011 "$MNT/HEAD"
	cd "$MNT"
	TZ=America/New_York helper log -n 2 >"$DIR/out"
	is "$(
		cat <<-END
			session pi /work/demo 2026-03-01 "Demo session"

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
	is "entry aa000004" sh -c "'$SESSFS' log -n 1 aa000004 | grep ^entry"
	is "entry aa000008 (good)" sh -c "'$SESSFS' log -n 1 good | grep ^entry"
	# Bookkeeping is left out, unless requested.
	is "$(printf 'entry aa0000%s\n' 09 "08 (good)")" \
		sh -c "'$SESSFS' log -n 2 aa000009 | grep ^entry"
	[ -z "$(helper log -n 0)" ]
	[ -z "$(helper log tree)" ]
	cd "$DIR"
	is "entry aa000011 (HEAD, dead end)" sh -c "'$SESSFS' log mnt | grep -m 1 ^entry"
	is "entry aa000004" sh -c "'$SESSFS' log mnt/by-id/aa000004 | grep -m 1 ^entry"
	fails_in_a_line "nothing: no such entry" 1 helper log mnt/by-id/nothing
	fails_in_a_line "can't be empty" 2 helper log ""
}

@test "sessfs log follows parents of any name" {
	write_session "$(user a/b "" x)" "$(user "b c" a/b x)" "$(user content "b c" x)" \
		"$(user -n content x)" "$(user 50%41 -n x)" "$(user "it's *" 50%41 x)" \
		"$(user b a x)" "$(user a "" x)" '{"type":"custom","customType":"sessfs.head","data":{},"id":"h","parentId":"it'"'"'s *","timestamp":"2026-03-01T10:00:09.000Z"}'
	mount_session
	is "$(printf 'entry %s\n' "it's * (HEAD)" "50%2541" -n "%63onten" "b c" a%2Fb)" \
		sh -c "'$SESSFS' log '$MNT' | grep ^entry"
}

@test "sessfs log cuts long texts" {
	write_session "$(user aa000001 "" "$(printf 'line %d\\n' {1..20})")" \
		"$(user aa000002 aa000001 "$(printf 'é%.0s' {1..900})")"
	mount_session
	helper log "$MNT" >"$DIR/out"
	grep -qx "    line 10" "$DIR/out"
	[ "$(tail -n 1 "$DIR/out")" = "    …" ]
	is "    $(printf 'é%.0s' {1..500})…" sed -n 7p "$DIR/out"
}

@test "a thousand entries deep" {
	needs python3
	write_many chain 1000
	mount_session
	is 1000 sh -c "'$SESSFS' log '$MNT' | grep -c ^entry"
	is by-id/000001f4 helper switch "$MNT" <<<501 2>/dev/null
	ln -sfn by-id/000003e7 "$MNT/HEAD"
	helper diff 00000000 000003e7 "$MNT" >"$DIR/out" || [ $? -eq 1 ]
	is 999 grep -c '^+.*entry' "$DIR/out"
}

# ids_are IDS ARGUMENT...: fails unless the log has these entries.
ids_are() {
	local ids
	helper log --oneline "${@:2}" >"$DIR/log" || return
	ids=$(sed -n 's/^aa0000\([0-9]*\) .*/\1/p' "$DIR/log" | paste -sd " ")
	[ "$ids" = "$1" ] || {
		echo "$ids"
		return 1
	}
}

@test "sessfs log shows what comes after an entry, or a part of the path" {
	cp "$FIXTURES/pi-v3-branches.jsonl" "$SESSION"
	cd "$DIR"
	local all="25 24 23 21 20 19 18 17 12 08 07 06 05 04 03 01"
	# Of a file that is not mounted.
	ids_are "$all" session.jsonl
	ids_are "$all" session
	ids_are "08 07 06 05 04 03 01" session/by-id/aa000008
	mount_session
	cd mnt
	ids_are "$all"
	ids_are "25 24" -n 2
	ids_are "24 25" --after aa000023
	ids_are "05 06" -n 2 --after aa000004
	ids_are "10 11" --after good "dead end"
	ids_are "11" --after aa000010
	ids_are "" --after HEAD
	ids_are "" --after aa000011
	ids_are "11 10" "good..dead end"
	ids_are "25 24 23 21 20 19 18 17 12" "dead end.."
	ids_are "11 10" "HEAD..aa000011"
	ids_are "11 10" "..aa000011"
	ids_are "" "aa000025..aa000005"
	fails_in_a_line "aa000025: is not above the entry" 1 helper log --after aa000025 aa000011
	fails_in_a_line "nothing: no such entry in $MNT" 1 helper log good..nothing
	fails_in_a_line "can't be empty" 2 helper log --after ""
	run -2 helper log --after
	is "$(printf '%s\n' 'session pi /work/demo 2026-03-01 "Demo session"' "aa000008 assistant  Done with approach A. (good)")" \
		helper log --oneline -n 1 good
	# Nothing is below it, but the next one is beside it.
	echo '{"role":"user","content":"C","parentId":"aa000010"}' >append
	ids_are "" --after aa000011
	ln -sfn tree HEAD
	ids_are "01 03" -n 2 --after tree
}

# Rules: K4
@test "sessfs log --said leaves out what nobody said or did" {
	mount_fixture pi-v3-branches.jsonl
	cd "$MNT"
	helper log --oneline --said >"$DIR/out"
	run -1 grep " system " "$DIR/out"
	grep -q " user  list the files" "$DIR/out"
	is 2 sh -c "'$SESSFS' log --said -n 1 --oneline | wc -l"
}

@test "a link called sessfs-log is sessfs log" {
	mount_fixture pi-v3-branches.jsonl
	ln -s "$SESSFS" "$DIR/sessfs-log"
	is "$(helper log "$MNT")" "$DIR/sessfs-log" "$MNT"
}

# -- sessfs diff

@test "sessfs diff compares two contexts" {
	mount_fixture pi-v3-branches.jsonl
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
	fails_in_a_line "home: is a folder, not a session" 2 helper diff HEAD HEAD home
}

@test "sessfs diff compares sessions that are not mounted" {
	cp "$FIXTURES/pi-v3-branches.jsonl" "$SESSION"
	cp "$SESSION" "$DIR/other.jsonl"
	cd "$DIR"
	run -0 helper diff session.jsonl other.jsonl
	run -1 helper diff session/by-id/aa000004 other
	[ "${lines[0]} ${lines[1]}" = "--- aa000004 +++ aa000025" ]
	run -1 helper diff good "dead end" session.jsonl
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
	not env LC_ALL=C grep -aP '(?<!3)7m|\x07|\xc2\x9b|\x1b\]0' "$DIR/screen"
	grep -q "a b" "$DIR/screen"
}

@test "control characters of entries do not reach the terminal" {
	write_controls
	export PAGER=cat
	on_terminal -- "$SESSFS" log "$MNT"
	says_no_controls
	run -1 on_terminal -- "$SESSFS" diff tree HEAD "$MNT"
	says_no_controls
	on_terminal "parent: aa000001" aa000001 "id: aa000001" $'\r' -- "$SESSFS" switch "$MNT"
	says_no_controls
	# Nor a file.
	helper log "$MNT" >"$DIR/screen"
	says_no_controls
}

@test "log --oneline keeps to the columns of a terminal" {
	write_session "$(user aa000001 "" "$(printf 'word %.0s' {1..40})")" "$(user aa000002 aa000001 "漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字")"
	mount_session
	export PAGER=cat NO_COLOR=1
	echo "a label" >"$MNT/by-id/aa000001/label"
	WIDTH=60 on_terminal -- "$SESSFS" log --oneline "$MNT"
	tr -d '\r' <"$DIR/screen" >"$DIR/shown"
	is 'session pi /work/demo 2026-03-01 "word word word word word…"
aa000002 user  漢字漢字漢字漢字漢字漢字漢字漢字漢字… (HEAD)
aa000001 user  word word word word word word word… (a label)' cat "$DIR/shown"
	printf 'label %.0s' {1..20} >"$MNT/by-id/aa000001/label"
	WIDTH=40 on_terminal -- "$SESSFS" log --oneline "$MNT/by-id/aa000001"
	grep -qx $'aa000001 user  word word word word word…\r' "$DIR/screen"
	# Elsewhere words are cut at their own columns.
	helper log --oneline "$MNT" | grep -qE '(word ){20}.*\((label ){19}label'
}

@test "what nobody named is said on a terminal, and only there" {
	needs python3
	mkdir "$HOME/work"
	SESSION=$DIR/one.jsonl write_session "$(user aa000001 "" "go on")"
	cd "$HOME/work"
	MNT=$(helper open "$DIR/one.jsonl")
	local said='sessfs: the session last opened here: pi /work/demo 2026-03-01 "go on"'
	for command in "switch aa000001" resume "diff HEAD tree" "say again"; do
		# shellcheck disable=SC2086 # words
		NO_COLOR=1 PAGER=cat on_terminal -- "$SESSFS" $command || [ $? -eq 1 ]
		[ "$(head -n 1 "$DIR/screen")" = "$said"$'\r' ]
	done
	is "$said" tr -d '\r' <"$DIR/screen"
	# The log begins with it anyway.
	PAGER="cat" on_terminal -- "$SESSFS" log
	not grep -q "last opened" "$DIR/screen"
	# Not of one that is named, nor in one, nor where nobody looks.
	on_terminal -- "$SESSFS" say "again" "$MNT"
	[ ! -s "$DIR/screen" ]
	(cd "$MNT/HEAD" && on_terminal -- "$SESSFS" say "again")
	[ ! -s "$DIR/screen" ]
	run -0 --separate-stderr helper resume
	[ -z "$stderr" ]
	helper open --close
}

@test "nor can an id" {
	write_session "$(user aa000001 "" one)" "$(user '\u009b7m' aa000001 two)"
	mount_session
	helper switch "$MNT" </dev/null 2>"$DIR/screen" || [ $? -eq 130 ]
	cat "$MNT/tree.txt" "$MNT/HEAD/meta" >>"$DIR/screen"
	grep -q 7m "$DIR/screen"
	not grep -q $'\u9b' "$DIR/screen"
}

@test "on a terminal output has colors and goes through a pager" {
	needs less python3
	mount_fixture pi-v3-branches.jsonl
	on_terminal : q -- "$SESSFS" log "$MNT"
	grep -qF $'\e[33mentry aa000025 (HEAD)' "$DIR/screen"
	# Output that fits on the screen does not wait for a key.
	on_terminal -- "$SESSFS" log -n 1 "$MNT"
	run -1 on_terminal -- "$SESSFS" diff aa000024 aa000025 "$MNT"
	grep -qF $'\e[32m+[Assistant]: Final.' "$DIR/screen"
	run -1 on_terminal "@@" q -- "$SESSFS" diff tree HEAD "$MNT"
	run -0 on_terminal -- "$SESSFS" diff HEAD HEAD "$MNT"
	PAGER="sed s/^/:/" NO_COLOR=1 on_terminal -- "$SESSFS" log "$MNT"
	grep -q "^:entry aa000025 (HEAD)" "$DIR/screen"
	TERMINAL=dumb PAGER="" on_terminal -- "$SESSFS" log "$MNT"
	grep -q "^entry aa000025 (HEAD)" "$DIR/screen"
	helper log "$MNT" >"$DIR/out"
	grep -qx "entry aa000025 (HEAD)" "$DIR/out"
}
