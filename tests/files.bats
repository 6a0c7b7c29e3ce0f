# files/: the files as they were at an entry, on a real mount. What each agent's
# tools make of a text is in corpus/ and interop/.
load lib/mount
load lib/run
load lib/pi
load lib/calls

# 2 reads a file of two lines, 4 edits it and writes another; below 5 two
# branches: 6 edits it again, 9 deletes nothing and writes src/x/deep.c.
write_work() {
	write_session "$(user 00000001 "" "Write it")" \
		"$(calls 00000002 00000001 "$(call c1 read '{"path":"wc.c"}')")" \
		"$(result 00000003 00000002 c1 false 'one\ntwo\n')" \
		"$(calls 00000004 00000003 "$(call c2 edit '{"path":"wc.c","edits":[{"oldText":"two","newText":"2"}]}'),$(call c3 write '{"path":"src/.hidden","content":"x"}'),$(call c4 edit '{"path":"other.c","edits":[{"oldText":"a","newText":"b"}]}'),$(call c5 write '{"path":"/etc/out","content":"out\n"}')")" \
		"$(result 00000005 00000004 c2)" "$(result 00000006 00000005 c3)" "$(result 00000007 00000006 c4)" "$(result 00000008 00000007 c5)" \
		"$(calls 00000009 00000008 "$(call c6 edit '{"path":"wc.c","edits":[{"oldText":"one","newText":"1"}]}'),$(call c7 write '{"path":"no.c","content":"x"}'),$(call c8 bash '{"command":"make"}')")" \
		"$(result 0000000a 00000009 c6)" "$(result 0000000b 0000000a c7 true)" "$(result 0000000c 0000000b c8)" \
		"$(calls 0000000d 00000008 "$(call d1 write '{"path":"src/x/deep.c","content":"deep\n"}')")" \
		"$(result 0000000e 0000000d d1)"
	mount_session
}

# Rules: J1
@test "each entry has the files of its own way, from the result of a call on" {
	write_work
	is "src" ls "$MNT/files" --ignore=@ --ignore=wc.c
	is $'one\n2' cat "$MNT/files/wc.c"
	is $'one\ntwo' cat "$MNT/by-id/00000003/files/wc.c"
	is $'one\ntwo' cat "$MNT/by-id/00000004/files/wc.c"
	is $'one\n2' cat "$MNT/by-id/00000005/files/wc.c"
	is $'1\n2' cat "$MNT/by-id/0000000a/files/wc.c"
	prints_nothing ls "$MNT/by-id/00000002/files"
	not test -e "$MNT/by-id/0000000c/files/src/x"
	is deep cat "$MNT/tree/00000001/00000002/00000003/00000004/00000005/00000006/00000007/00000008/0000000d/0000000e/files/src/x/deep.c"
	not test -e "$MNT/by-id/0000000b/files/no.c"
	ln -sfn by-id/0000000a "$MNT/HEAD"
	is $'1\n2' cat "$MNT/files/wc.c"
	not test -e "$MNT/files/src/x"
	ln -sfn tree "$MNT/HEAD"
	prints_nothing ls "$MNT/files"
}

# Rules: J1
@test "what the agent appends is there at once" {
	write_work
	is $'one\n2' cat "$MNT/files/wc.c"
	{
		calls 00000010 0000000e "$(call e1 write '{"path":"wc.c","content":"new\n"}')"
		echo
		result 00000011 00000010 e1
		echo
	} >>"$SESSION"
	is new cat "$MNT/files/wc.c"
	is $'one\n2' cat "$MNT/by-id/0000000e/files/wc.c"
}

# Rules: J2
@test "names, sizes, times and modes are those of a project" {
	write_work
	is ".hidden" ls -A "$MNT/by-id/00000008/files/src"
	is out cat "$MNT/by-id/00000008/files/@/etc/out"
	is 6 stat -c %s "$MNT/files/wc.c"
	is "$(stat -c '%Y %A' "$SESSION" | sed "s/^[0-9]*/$(date -d 2026-03-01T10:00:01Z +%s)/")" stat -c '%Y %A' "$MNT/files/wc.c"
	fails_with "Operation not permitted" rm "$MNT/files/wc.c"
	# An entry that changes nothing has the same file.
	is "$(stat -c %i "$MNT/by-id/00000005/files/wc.c")" stat -c %i "$MNT/by-id/0000000e/files/wc.c"
	mkdir "$DIR/copy"
	cp -r "$MNT/files/." "$DIR/copy"
	diff -r "$MNT/files" "$DIR/copy"
	echo more >>"$DIR/copy/src/x/deep.c"
	is "Only in $MNT/by-id/0000000e/files/src: x" diff -rq "$MNT/by-id/00000008/files" "$MNT/by-id/0000000e/files"
}

# Rules: J2
@test "names that files/ has itself" {
	write_session "$(calls 00000001 "" "$(call c1 write '{"path":"@@/x","content":"a\n"}'),$(call c2 write '{"path":"%40/x","content":"b\n"}'),$(call c3 write '{"path":"/@/~","content":"c\n"}'),$(call c4 write '{"path":"%%40","content":"d\n"}'),$(call c5 write '{"path":"~/y","content":"e\n"}')")" \
		"$(result 00000002 00000001 c1)" "$(result 00000003 00000002 c2)" "$(result 00000004 00000003 c3)" "$(result 00000005 00000004 c4)" "$(result 00000006 00000005 c5)"
	mount_session
	is a cat "$MNT/files/%40/x"
	is b cat "$MNT/files/%%40/x"
	is c cat "$MNT/files/@/%40/%7E"
	is d cat "$MNT/files/%%%40"
	is e cat "$MNT/files/@/~/y"
	is "5" bash -c "find '$MNT/files' -type f | wc -l"
}

# Rules: J2
@test "names that no file can have lead nowhere else" {
	local long
	long=$(printf 'a%.0s' {1..300})
	write_session "$(calls 00000001 "" "$(call c1 write "{\"path\":\"a\\u0000b\",\"content\":\"1\\n\"}"),$(call c2 write "{\"path\":\"d/$long\",\"content\":\"2\\n\"}"),$(call c3 write '{"path":"a\ud800","content":"3\n"}'),$(call c4 write '{"path":"../../../../x","content":"4\n"}'),$(call c5 write '{"path":"a\nb","content":"5\n"}')")" \
		"$(result 00000002 00000001 c1)" "$(result 00000003 00000002 c2)" "$(result 00000004 00000003 c3)" "$(result 00000005 00000004 c4)" "$(result 00000006 00000005 c5)"
	mount_session
	is "1
2
3
4
5" bash -c "find '$MNT/files' -type f -print0 | xargs -0 cat | sort"
	is 4 cat "$MNT/files/@/x"
	is 5 cat "$MNT/files"/$'a\nb'
	mkdir "$DIR/to"
	helper restore --to "$DIR/to" "$SESSION" >/dev/null 2>&1 || true
	is "a"$'\n'"b
to" bash -c "cd '$DIR' && find to -mindepth 1 -maxdepth 1 -name 'a?b' -printf '%f\n'; ls -d to"
}

# Rules: J3 J4
@test "files.txt says what is known, and why not" {
	write_work
	is "/etc/out	known	00000004	4
other.c	edited unseen	00000004	-
src/.hidden	known	00000004	1
src/x/deep.c	known	0000000d	5
wc.c	known	00000004	6" cat "$MNT/files.txt"
	is "/etc/out	known, shell since	00000004	4
no.c	failed	00000009	-
other.c	edited unseen	00000004	-
src/.hidden	known, shell since	00000004	1
wc.c	known, shell since	00000009	4" cat "$MNT/by-id/0000000c/files.txt"
	not bash -c "ls -a '$MNT' '$MNT/by-id/0000000c' | grep -x 'files.txt'"
	# by-file/ has the same paths.
	is "$(cat "$MNT"/by-id/{0000000c,0000000e}/files.txt | cut -f1 | sed 's:^/:@/:; s:/\.hidden:/%2Ehidden:' | LC_ALL=C sort -u)" \
		bash -c "cd '$MNT/by-file' && find . -type l -printf '%h\n' | cut -c3- | LC_ALL=C sort -u"
}

# Rules: J3
@test "a text that contradicts what was computed counts, and is said to" {
	write_session "$(calls 00000001 "" "$(call c1 write '{"path":"a","content":"one\n"}')")" "$(result 00000002 00000001 c1)" \
		"$(calls 00000003 00000002 "$(call c2 read '{"path":"a"}')")" "$(result 00000004 00000003 c2 false 'two\n')" \
		"$(calls 00000005 00000004 "$(call c3 edit '{"path":"a","edits":[{"oldText":"one","newText":"x"}]}')")" "$(result 00000006 00000005 c3)" \
		"$(calls 00000007 00000006 "$(call c4 read '{"path":"a","offset":2}')")" "$(result 00000008 00000007 c4 false 'x')" \
		"$(calls 00000009 00000008 "$(call c5 write '{"path":"a","content":"new\n"}')")" "$(result 0000000a 00000009 c5)"
	mount_session
	is "a	known, changed outside	00000003	4" cat "$MNT/by-id/00000004/files.txt"
	is two cat "$MNT/by-id/00000004/files/a"
	is "a	changed outside	00000005	-" cat "$MNT/by-id/00000006/files.txt"
	is "a	changed outside	00000005	-" cat "$MNT/by-id/00000008/files.txt"
	is "a	known	00000009	4" cat "$MNT/files.txt"
}

@test "a recursive grep reads nothing twice" {
	write_work
	is "$MNT/by-id/0000000d/content" grep -rl deep "$MNT/by-id"
	not grep -rl deep "$MNT/tree" --include=deep.c
	has_line /files/ "$MNT/.ignore"
	is "$MNT/context.txt
$MNT/tree.txt" bash -c "grep -rl deep '$MNT' --exclude-dir=files --exclude-dir=by-id --exclude-dir=tree | LC_ALL=C sort"
}

@test "an export has files/, and fast-export commits it" {
	write_work
	"$SESSFS" export "$DIR/out" "$SESSION"
	diff -r "$MNT/files" "$DIR/out/files"
	git init -q --bare "$DIR/git"
	"$SESSFS" fast-export --files "$SESSION" | git -C "$DIR/git" fast-import --quiet
	is $'1\n2' git -C "$DIR/git" show 0000000c:files/wc.c
	is $'one\n2' git -C "$DIR/git" show HEAD:files/wc.c
}

# Rules: J1
@test "what Claude Code has saved beside its session is exact" {
	. "$ROOT/tests/lib/claude.bash"
	mkdir -p "$DIR/c/projects/p" "$DIR/c/file-history/$SESSION_ID"
	SESSION=$DIR/c/projects/p/$SESSION_ID.jsonl
	printf 'one\r\ntwo\r\n' >"$DIR/c/file-history/$SESSION_ID/abc@v1"
	printf 'by a shell\n' >"$DIR/c/file-history/$SESSION_ID/abc@v2"
	touch -d 2026-03-01T10:00:02.5Z "$DIR/c/file-history/$SESSION_ID/abc@v1"
	touch -d 2026-03-01T10:00:04.5Z "$DIR/c/file-history/$SESSION_ID/abc@v2"
	local edit='{"type":"tool_use","id":"t1","name":"Edit","input":{"file_path":"/work/demo/a","old_string":"two","new_string":"2"}}'
	write_lines "$(claude_user 1 "" one)" "$(claude_block 2 1 m1 "$edit")" \
		"{\"type\":\"file-history-delta\",\"messageId\":\"$(uuid 2)\",\"snapshotMessageId\":\"$(uuid 1)\",\"trackingPath\":\"a\",\"backup\":{\"backupFileName\":\"abc@v1\",\"version\":1,\"backupTime\":\"2026-03-01T10:00:02.000Z\"}}" \
		"$(claude_result 3 2 t1 "done")" "$(claude_user 4 3 two)" \
		"{\"type\":\"file-history-snapshot\",\"messageId\":\"$(uuid 4)\",\"snapshot\":{\"messageId\":\"$(uuid 4)\",\"trackedFileBackups\":{\"a\":{\"backupFileName\":\"abc@v2\",\"version\":2,\"backupTime\":\"2026-03-01T10:00:04.000Z\"}}},\"isSnapshotUpdate\":false}" \
		"$(claude_answer 5 4 three)" "$(claude_answer 6 3 other)"
	mount_session
	is $'one\r\n2\r' cat "$MNT/by-id/$(uuid 3)/files/a"
	is "by a shell" cat "$MNT/by-id/$(uuid 5)/files/a"
	has "known, changed outside" "$MNT/by-id/$(uuid 5)/files.txt"
	# A snapshot is that of a prompt, and of no other branch.
	is $'one\r\n2\r' cat "$MNT/by-id/$(uuid 6)/files/a"
	# Gone, or written over for another branch.
	rm "$DIR/c/file-history/$SESSION_ID/abc@v2"
	touch "$DIR/c/file-history/$SESSION_ID/abc@v1"
	unmount
	mount_session
	has "edited unseen" "$MNT/by-id/$(uuid 5)/files.txt"
}
