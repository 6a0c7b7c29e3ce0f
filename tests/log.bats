# sessfs log, switch and diff on a terminal. commands/{log,switch}.md have them without one.
load lib/mount
load lib/run
load lib/pi

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

# bats test_tags=full
@test "sessfs switch shows fzf the tree, from HEAD on, and previews" {
	needs fzf python3
	mount_fixture pi-v3-branches.jsonl
	ln -sfn by-id/aa000010 "$MNT/HEAD"
	# Enter alone leaves HEAD.
	on_terminal "entry aa000010" $'\r' -- "$SESSFS" switch "$MNT"
	head_is by-id/aa000010
	grep -q "├─" "$DIR/screen"
	on_terminal "entry aa000010" "part one" "entry aa000024" $'\r' -- \
		"$SESSFS" switch "$MNT"
	head_is by-id/aa000024
	grep -qF "part two [picture]" "$DIR/screen"
	run -130 on_terminal "entry aa000024" $'\e' -- "$SESSFS" switch "$MNT"
	run -130 on_terminal "entry aa000024" "no such line" "0/" $'\r' -- \
		"$SESSFS" switch "$MNT"
	head_is by-id/aa000024
}

# bats test_tags=full
@test "sessfs switch does without fzf on a terminal" {
	needs less python3
	mount_fixture pi-v3-branches.jsonl
	without fzf
	on_terminal "number or id, or q: " $'aa000004\n' -- \
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

# bats test_tags=full
@test "control characters of entries do not reach the terminal" {
	write_controls
	export PAGER=cat
	on_terminal -- "$SESSFS" log "$MNT"
	says_no_controls
	run -1 on_terminal -- "$SESSFS" diff tree HEAD "$MNT"
	says_no_controls
	on_terminal "entry aa000002" aa000001 "entry aa000001" $'\r' -- "$SESSFS" switch "$MNT"
	says_no_controls
	# Nor a file.
	helper log "$MNT" >"$DIR/screen"
	says_no_controls
}

# bats test_tags=full
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

# bats test_tags=full
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

# bats test_tags=full
@test "on a terminal output has colors and goes through a pager" {
	needs less python3
	mount_fixture pi-v3-branches.jsonl
	on_terminal : q -- "$SESSFS" log "$MNT"
	grep -qF $'\e[33mentry aa000025 (HEAD)' "$DIR/screen"
	# Roles have the colors that tree.txt gives them.
	grep -qF $'Kind:  \e[36massistant\e[m' "$DIR/screen"
	on_terminal : q -- "$SESSFS" log --oneline "$MNT"
	grep -qF $'\e[33maa000025\e[m \e[36massistant\e[m  Final.' "$DIR/screen"
	grep -qF $'\e[1;32muser\e[m' "$DIR/screen"
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
