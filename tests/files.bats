# sessfs files and sessfs log --file: what was done with files, over many sessions.
load lib/mount
load lib/run
load lib/pi
load lib/claude

setup() {
	needs_mounts
	make_folder
	make_home
}

calls() {
	message "$1" "$2" "{\"role\":\"assistant\",\"content\":[$3],\"provider\":\"p\",\"model\":\"m\"}"
}

call() {
	printf '{"type":"toolCall","id":"%s","name":"%s","arguments":%s}' "$1" "$2" "$3"
}

# Two sessions in $DIR/all, of Pi and of Claude Code, in the same directory.
write_all() {
	mkdir -p "$DIR/all/deep"
	SESSION=$DIR/all/pi.jsonl
	write_session "$(user 00000001 "" "Write it")" \
		"$(calls 00000002 00000001 "$(call c1 read '{"path":"src/count.c"}'),$(call c2 edit '{"path":"src/count.c","edits":[{"oldText":"a\nb\nc","newText":"a\nB\nc"},{"oldText":"x","newText":"y"}]}')")" \
		"$(calls 00000003 00000001 "$(call c3 write '{"path":"/work/demo/src/count.c","content":"int main"}'),$(call c4 read '{"path":"/etc/hosts"}')")" \
		"$(message 00000004 00000003 '{"role":"toolResult","toolCallId":"c3","toolName":"write","isError":true,"content":[]}')"
	SESSION=$DIR/all/deep/claude.jsonl
	write_lines "$(claude_user 1 "" x)" \
		"$(claude_block 2 1 m1 '{"type":"tool_use","id":"t1","name":"Edit","input":{"file_path":"/work/demo/src/count.c","old_string":"one\ntwo\n","new_string":"one\n2\n"}}')" \
		"$(claude_block 3 2 m2 '{"type":"tool_use","id":"t2","name":"Read","input":{"file_path":"/work/other"}}')"
}

# The columns after the time.
files_are() {
	local want=$1
	shift
	is "$want" bash -c '"$@" | cut -f 2-' - "$SESSFS" files "$@"
}

# Rules: T4
@test "a line for each touch of each session: time, session, entry, what, path" {
	write_all
	files_are "deep/claude	$(uuid 2)	edit	src/count.c
deep/claude	$(uuid 3)	read	/work/other
pi	00000002	read	src/count.c
pi	00000002	edit	src/count.c
pi	00000003	write-failed	src/count.c
pi	00000003	read	/etc/hosts" "$DIR/all"
	is "2026-03-01T10:00:02.000Z" bash -c "'$SESSFS' files '$DIR/all' | head -n 1 | cut -f 1"
}

@test "a PATH is a file or a folder, from the session's directory, ours, or the root" {
	write_all
	local three path
	three="deep/claude	$(uuid 2)	edit	src/count.c
pi	00000002	read	src/count.c
pi	00000002	edit	src/count.c
pi	00000003	write-failed	src/count.c"
	for path in src/count.c src src/ ./src//x/../count.c /work/demo/src/count.c /work/demo/src; do
		files_are "$three" "$path" "$DIR/all"
	done
	files_are "pi	00000003	read	/etc/hosts" /etc "$DIR/all"
	files_are "$DIR/all/pi.jsonl	00000003	read	/etc/hosts" /etc/hosts "$DIR/all/deep" "$DIR/all/pi.jsonl"
	files_are "deep/claude	$(uuid 3)	read	/work/other" ../other "$DIR/all"
	cd /
	files_are "pi	00000003	read	/etc/hosts" etc/hosts "$DIR/all"
	# What is called nearly so.
	for path in src/count count.c /etc/host src/count.c/x; do
		fails_in_a_line "no entry touched it" 1 helper files "$path" "$DIR/all"
	done
	# An empty one is any.
	is 8 bash -c "'$SESSFS' files '' '$DIR/all' '$DIR/all/deep' | grep -c ."
}

@test "sessions without the name are passed over, and spellings of it are not" {
	write_all
	# An escape in the session stands for a part of the name.
	sed 's,src/count\.c,src/c\\u006funt.c,' "$DIR/all/pi.jsonl" >"$DIR/all/escaped.jsonl"
	is 3 bash -c "'$SESSFS' files src/count.c '$DIR/all' | grep -c '	escaped	'"
	is 7 bash -c "'$SESSFS' files src/./x/../count.c '$DIR/all' | wc -l"
	# One that has the name in another place.
	SESSION=$DIR/all/other.jsonl
	write_session "$(user 00000001 "" "count.c")"
	is 7 bash -c "'$SESSFS' files src/count.c '$DIR/all' | wc -l"
	# Short names can't be looked for.
	is 1 bash -c "'$SESSFS' files ../other '$DIR/all' | wc -l"
}

@test "files says what is wrong, and goes on" {
	write_all
	fails_in_a_line "usage: sessfs files" 2 helper files
	fails_in_a_line "No such file" 1 helper files src "$DIR/none"
	is 4 bash -c "'$SESSFS' files src '$DIR/none' '$DIR/all' 2>/dev/null | wc -l"
	run helper files -h
	[ "$status" -eq 0 ]
}

@test "log --file shows diffs, on any branch, or on the way to an entry" {
	write_all
	helper log --file src/count.c "$DIR/all/pi.jsonl" >"$DIR/log"
	is "entry 00000003
    write-failed src/count.c
    +int main
entry 00000002
    read src/count.c
    edit src/count.c
    @@
     a
    -b
    +B
     c
    @@
    -x
    +y" bash -c "sed 's/ (HEAD)//' '$DIR/log' | grep -E '^(entry|   )'"
	start "$SESSFS" "$DIR/all/pi.jsonl" "$MNT"
	is "entry 00000002" bash -c "'$SESSFS' log --file src '$MNT/by-id/00000002' | grep ^entry"
	is "entry 00000003" bash -c "'$SESSFS' log --file src '$MNT/by-id/00000003' | grep ^entry | sed 's/ (HEAD)//'"
	cd "$MNT"
	is 2 bash -c "'$SESSFS' log --file src | grep -c ^entry"
	is 1 bash -c "'$SESSFS' log --file src -n 1 | grep -c ^entry"
	is 2 bash -c "'$SESSFS' log --file src --oneline | grep -c ^0000"
	[ -z "$(helper log --file none)" ]
	cd /
	is "    edit src/count.c
     one
    -two
    +2" bash -c "'$SESSFS' log --file src/count.c '$DIR/all/deep/claude.jsonl' | grep '^    '"
}

@test "log --file: an empty line is an addition" {
	write_session "$(calls 00000001 "" "$(call c1 edit '{"path":"a.c","oldText":"one","newText":"one\n\nthree"}')")"
	is "    edit a.c
     one
    +
    +three" bash -c "'$SESSFS' log --file a.c '$SESSION' | grep '^    '"
}

@test "log --file shows the part of a patch" {
	write_session "$(calls 00000001 "" "$(call c1 edit '{"input":"*** Begin Patch\n*** Update File: a.c\n@@\n-x\n+y\n*** Delete File: b.c\n*** End Patch"}')")"
	is "    edit a.c
    @@
    -x
    +y" bash -c "'$SESSFS' log --file a.c '$SESSION' | grep '^    '"
	is "    delete b.c" bash -c "'$SESSFS' log --file b.c '$SESSION' | grep '^    '"
}
