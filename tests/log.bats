# sessfs log, switch and diff where one types to them. commands/{log,log-terminal,switch}.md have the
# rest.
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

# bats test_tags=full
@test "control characters of entries do not reach the terminal from fzf" {
	needs fzf python3
	write_session "$(user aa000001 "" 'a \u001b[7mb\u0007 \u0000\u009b7mc')" \
		"$(user aa000002 aa000001 'd\u001b]0;e\u0007')"
	mount_session
	on_terminal "entry aa000002" aa000001 "entry aa000001" $'\r' -- "$SESSFS" switch "$MNT"
	# Only control sequences for colors and the screen are left.
	not env LC_ALL=C grep -aP '(?<!3)7m|\x07|\xc2\x9b|\x1b\]0' "$DIR/screen"
	grep -q "a b" "$DIR/screen"
}

# bats test_tags=full
@test "on a terminal output goes through less, which waits for a key if that does not fit" {
	needs less python3
	mount_fixture pi-v3-branches.jsonl
	on_terminal : q -- "$SESSFS" log "$MNT"
	grep -qF $'\e[33mentry aa000025 (HEAD)' "$DIR/screen"
	on_terminal : q -- "$SESSFS" log --oneline "$MNT"
	on_terminal -- "$SESSFS" log -n 1 "$MNT"
	run -1 on_terminal "@@" q -- "$SESSFS" diff tree HEAD "$MNT"
	run -0 on_terminal -- "$SESSFS" diff HEAD HEAD "$MNT"
}
