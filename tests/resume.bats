# bats file_tags=shell
# What a shell makes of what sessfs resume prints. All else of it is in
# commands/resume.md.
load lib/mount
load lib/run
load lib/pi
load lib/resume

setup() {
	needs_mounts
	make_folder
	make_home
	stub_agents
}

# Two branches, 1-2-3 and 1-2-4, the second newer, in $WORK.
write_pi() {
	{
		printf '%s\n' "${PI_HEADER/\/work\/demo/"$WORK"}"
		lines_of_pi aa000001 "" one aa000002 aa000001 two aa000003 aa000002 three aa000004 aa000002 four
	} >"$SESSION"
}

# Messages: id, parent, text of each.
lines_of_pi() {
	while [ $# -gt 0 ]; do
		user "$1" "$2" "$3"
		echo
		shift 3
	done
}

# bats test_tags=full
@test "any path is quoted, for eval and for pasting" {
	local name n=0 shells=(sh bash "busybox sh")
	for name in "a b" "it's" "'" "\$HOME \`x\`;&" $'new\nline' $'end\n' $'\e[2J%d\\' '"~"' -dash "\\n" "é*?"; do
		mkdir -p "$DIR/all/$name/cwd"
		WORK=$DIR/all/$name/cwd
		SESSION=$DIR/all/$name/s.jsonl
		MNT=$DIR/all/$name/mnt
		mkdir "$MNT"
		write_session "$(user "it's" "" one)" "$(user aa000002 "it's" two)"
		python3 - "$SESSION" "$WORK" <<-'PY'
			import json, sys
			text = open(sys.argv[1]).read()
			open(sys.argv[1], "w").write(text.replace('"/work/demo"', json.dumps(sys.argv[2])))
		PY
		mount_session
		SH=${shells[n++ % ${#shells[@]}]}
		local command
		command=$(helper resume "it's" "$MNT")
		not env LC_ALL=C grep '[[:cntrl:]]' <<<"$command"
		# shellcheck disable=SC2086 # words
		(cd / && $SH -c "$command")
		called pi --session "$SESSION"
		is "by-id/it's" readlink "$MNT/HEAD"
		helper resume -x aa000002 "$MNT"
		called pi --session "$SESSION"
		is by-id/aa000002 readlink "$MNT/HEAD"
		fusermount3 -u "$MNT"
		daemon_is_gone
	done
}

@test "a path that ends with a newline" {
	SESSION=$DIR/$'end\n' MNT=$DIR/$'mnt\n'
	mkdir "$MNT"
	write_pi
	mount_session
	# It can't be a word on one line.
	bash -c "cd / && $(helper resume aa000001 "$MNT")"
	called pi --session "$SESSION"
	is by-id/aa000001 readlink "$MNT/HEAD"
	helper resume -x aa000002 "$MNT"
	called pi --session "$SESSION"
	is by-id/aa000002 readlink "$MNT/HEAD"
	fusermount3 -u "$MNT"
}
