# sessfs restore: the files on the disk, as they were at an entry.
load lib/mount
load lib/run
load lib/pi
load lib/calls

setup() {
	needs_mounts
	make_folder
	make_home
	export XDG_STATE_HOME=$DIR/state
	WORK=$DIR/work
	mkdir -p "$WORK/sub"
	PI_HEADER=${PI_HEADER/\/work\/demo/"$WORK"}
	write_session "$(user 00000001 "" "Write it")" \
		"$(calls 00000002 00000001 "$(call c1 read '{"path":"a.c"}')")" \
		"$(result 00000003 00000002 c1 false 'one\ntwo\n')" \
		"$(calls 00000004 00000003 "$(call c2 edit '{"path":"a.c","edits":[{"oldText":"two","newText":"2"}]}'),$(call c3 write '{"path":"sub/new.c","content":"new\n"}'),$(call c4 write "{\"path\":\"$DIR/out.c\",\"content\":\"out\n\"}")")" \
		"$(result 00000005 00000004 c2)" "$(result 00000006 00000005 c3)" "$(result 00000007 00000006 c4)"
	printf 'one\n2\n' >"$WORK/a.c"
	chmod 750 "$WORK/a.c"
	echo new >"$WORK/sub/new.c"
	echo out >"$DIR/out.c"
}

restore() {
	helper restore "$@"
}

# AT ID: the entry, of the session's file.
at() {
	echo "$SESSION/by-id/$1"
}

@test "a name that is no file of the session is said" {
	fails_with "nosuch.c: no entry touched it" restore "$(at 00000001)" nosuch.c a.c
	is $'one\n2' cat "$WORK/a.c"
}

# Rules: J5
@test "files go back to a prompt, also those that were read or made after it" {
	is "write a.c
remove sub/new.c" restore -n "$(at 00000001)"
	is $'one\n2' cat "$WORK/a.c"
	restore -p "$(at 00000001)" >"$DIR/patch"
	is new cat "$WORK/sub/new.c"
	has $'-2\n+two' "$DIR/patch"
	restore "$(at 00000001)"
	is $'one\ntwo' cat "$WORK/a.c"
	is 750 stat -c %a "$WORK/a.c"
	not test -e "$WORK/sub/new.c"
	# Outside of the working directory only what is named is touched.
	is out cat "$DIR/out.c"
	restore "$(at 00000001)" "$DIR/out.c"
	not test -e "$DIR/out.c"
	prints_nothing restore "$(at 00000001)"
}

# Rules: J5
@test "the entry is HEAD, and a PATH a file or a folder" {
	rm -r "$WORK/sub" "$WORK/a.c"
	(cd "$WORK" && is "write sub/new.c" restore "$SESSION" sub)
	is new cat "$WORK/sub/new.c"
	not test -e "$WORK/a.c"
	# Below it, or before, the session may stand as for other commands.
	(cd "$WORK" && fails_with "sub/new.c: is a file, and no entry" restore sub/new.c "$SESSION")
	is "write a.c" restore -n HEAD "$SESSION" a.c
	# Names may say the same, and "." is the folder that one is in.
	is "write a.c" restore -n HEAD "$SESSION" . a.c a.c
	(cd "$WORK/sub" && prints_nothing restore -n HEAD "$SESSION" .)
	restore --to "$DIR/else" "$SESSION"
	is $'one\n2' cat "$DIR/else/a.c"
	mount_session
	restore "$MNT/by-id/00000003" a.c
	is $'one\ntwo' cat "$WORK/a.c"
}

# Rules: J5
@test "what somebody else has changed is refused, and nothing is changed" {
	echo mine >>"$WORK/a.c"
	fails_with "is not as the session knew it" restore "$(at 00000001)"
	is $'one\n2\nmine' cat "$WORK/a.c"
	is new cat "$WORK/sub/new.c"
	# What would be done is shown.
	has "refused a.c" <(restore -n "$(at 00000001)" 2>/dev/null)
	restore -p "$(at 00000001)" >"$DIR/patch" 2>/dev/null || [ $? -eq 1 ]
	has -mine "$DIR/patch"
	is "remove sub/new.c" restore -n "$(at 00000001)" sub
	restore --force "$(at 00000001)"
	is $'one\ntwo' cat "$WORK/a.c"
	not test -e "$WORK/sub/new.c"
	# The folder was made for it.
	not test -e "$WORK/sub"
}

# Agents show a text with LF for CRLF, and without blanks at the ends of lines.
# Rules: J5
@test "a file that was only read is not refused for what the agent did not see of it" {
	write_session "$(user 00000001 "" "Write it")" \
		"$(calls 00000002 00000001 "$(call c1 read '{"path":"mixed.c"}'),$(call c2 read '{"path":"dos.c"}')")" \
		"$(result 00000003 00000002 c1 false 'one\ntwo\n')" "$(result 00000004 00000003 c2 false 'one\ntwo\n')" \
		"$(calls 00000005 00000004 "$(call c3 edit '{"path":"dos.c","edits":[{"oldText":"two","newText":"2"}]}')")" \
		"$(result 00000006 00000005 c3)"
	printf 'one  \r\ntwo\n' >"$WORK/mixed.c"
	printf 'one\r\n2\r\n' >"$WORK/dos.c"
	prints_nothing restore -n "$(at 00000006)"
	is "write dos.c" restore "$(at 00000001)"
	is $'one\r\ntwo\r' cat "$WORK/dos.c"
	is $'one  \r\ntwo' cat "$WORK/mixed.c"
	echo three >>"$WORK/mixed.c"
	fails_with "is not as the session knew it" restore "$(at 00000006)"
}

# qwen N PARENT FIELDS: a line of Qwen Code.
qwen() {
	echo "{\"uuid\":\"$1\",\"parentUuid\":$2,\"sessionId\":\"s\",\"timestamp\":\"2026-03-01T10:00:0$1.000Z\",\"cwd\":\"$WORK\",\"version\":\"0.24.4\",$3}"
}

# Rules: J5
@test "a file of which Qwen Code has noted that it was not there is removed" {
	SESSION=$DIR/qwen.jsonl
	{
		qwen 1 null '"type":"user","provenance":"real_user","message":{"role":"user","parts":[{"text":"Write it"}]}'
		qwen 2 '"1"' '"type":"assistant","message":{"role":"model","parts":[{"functionCall":{"id":"c1","name":"write_file","args":{"file_path":"made.c","content":"made\n"}}}]}'
		qwen 3 '"2"' '"type":"system","subtype":"file_history_snapshot","systemPayload":{"snapshots":[{"trackedFileBackups":{"made.c":{"backupFileName":null,"version":1,"backupTime":"2026-03-01T10:00:03.000Z"}}}]}'
		qwen 4 '"3"' '"type":"tool_result","message":{"role":"user","parts":[{"functionResponse":{"id":"c1","name":"write_file","response":{"output":"Successfully created and wrote to new file"}}}]}'
	} >"$SESSION"
	echo made >"$WORK/made.c"
	is "remove made.c" restore -n "$(at 1)"
}

# Rules: J5
@test "what a shell may have removed comes back only by its name" {
	write_session "$(user 00000001 "" "Write it")" \
		"$(calls 00000002 00000001 "$(call c1 write '{"path":"a.c","content":"one\n"}')")" \
		"$(result 00000003 00000002 c1)" \
		"$(calls 00000004 00000003 "$(call c2 bash '{"command":"rm a.c"}')")" "$(result 00000005 00000004 c2)"
	rm "$WORK/a.c"
	restore -n HEAD "$SESSION" >"$DIR/out" 2>"$DIR/err"
	[ ! -s "$DIR/out" ]
	has "a.c: is left away: a shell that ran later may have removed it" "$DIR/err"
	prints_nothing bash -c "'$SESSFS' restore -n --force HEAD '$SESSION' 2>/dev/null"
	is "write a.c" restore -n "$(at 00000003)"
	is "write a.c" restore -n HEAD "$SESSION" a.c
	restore --to "$DIR/else" HEAD "$SESSION"
	is one cat "$DIR/else/a.c"
}

# Rules: J5
@test "no symbolic link is followed" {
	mkdir "$DIR/elsewhere"
	echo new >"$DIR/elsewhere/new.c"
	rm -r "$WORK/sub"
	ln -s "$DIR/elsewhere" "$WORK/sub"
	fails_with "is a symlink, or behind one" restore "$(at 00000001)"
	fails_with "is a symlink, or behind one" restore --force "$(at 00000001)"
	is new cat "$DIR/elsewhere/new.c"
	rm "$WORK/sub" "$WORK/a.c" "$DIR/elsewhere/new.c"
	ln -s "$DIR/elsewhere" "$WORK/sub"
	fails_with "is a symlink, or behind one" restore --force "$SESSION"
	prints_nothing ls "$DIR/elsewhere"
}

# Rules: J6
@test "undo takes back the last one, and then the one before it" {
	restore "$(at 00000001)"
	restore "$(at 00000007)" a.c
	is $'one\n2' cat "$WORK/a.c"
	mkdir "$WORK/sub"
	(cd "$WORK/sub" && restore --undo -p >"$DIR/patch" && has "+two" "$DIR/patch")
	(cd "$WORK/sub" && restore --undo)
	is $'one\ntwo' cat "$WORK/a.c"
	not test -e "$WORK/sub/new.c"
	restore --undo --to "$WORK"
	is $'one\n2' cat "$WORK/a.c"
	is 750 stat -c %a "$WORK/a.c"
	is new cat "$WORK/sub/new.c"
	fails_with "nothing was restored here" restore --undo --to "$WORK"
}

# Rules: J6
@test "undo refuses what was changed since" {
	restore "$(at 00000001)"
	mkdir "$WORK/sub"
	echo mine >"$WORK/sub/new.c"
	fails_with "was changed since" restore --undo --to "$WORK"
	is mine cat "$WORK/sub/new.c"
	is $'one\ntwo' cat "$WORK/a.c"
	is "write a.c
write sub/new.c" bash -c "'$SESSFS' restore --undo --force -n --to '$WORK' | sort"
	restore --undo --force --to "$WORK"
	is new cat "$WORK/sub/new.c"
	grep -rqx mine "$XDG_STATE_HOME"
}

# Rules: J6
@test "where the disk is full each file is the old or the new one, and undo works" {
	local n
	for n in $(seq 1 12); do
		strace -qq -o /dev/null -e trace=write,fsync -e inject=write,fsync:error=ENOSPC:when="$n" \
			"$SESSFS" restore "$(at 00000001)" >"$DIR/out" 2>&1 && break
		case $(cat "$WORK/a.c") in
		$'one\n2' | $'one\ntwo') ;;
		*) return 1 ;;
		esac
		restore --undo --to "$WORK" || [ -e "$WORK/sub/new.c" ]
		is $'one\n2' cat "$WORK/a.c"
		is new cat "$WORK/sub/new.c"
	done
	[ "$n" -gt 5 ]
}

# Rules: J6
@test "killed at any call, each file is the old or the new one, and undo works" {
	local n
	for n in $(seq 1 40); do
		printf 'one\n2\n' >"$WORK/a.c"
		echo new >"$WORK/sub/new.c"
		rm -rf "$XDG_STATE_HOME"
		strace -qq -o /dev/null -e trace=openat,write,fsync,renameat,renameat2,unlinkat,mkdir,mkdirat \
			-e inject=openat,write,fsync,renameat,renameat2,unlinkat,mkdir,mkdirat:signal=KILL:when="$n" \
			"$SESSFS" restore "$(at 00000001)" >/dev/null 2>&1 || true
		case $(cat "$WORK/a.c") in
		$'one\n2' | $'one\ntwo') ;;
		*) return 1 ;;
		esac
		[ ! -e "$WORK/sub/new.c" ] || [ "$(cat "$WORK/sub/new.c")" = new ]
		[ "$(cat "$WORK/a.c")" = $'one\n2' ] && [ -e "$WORK/sub/new.c" ] || restore --undo --to "$WORK"
		is $'one\n2' cat "$WORK/a.c"
		is new cat "$WORK/sub/new.c"
	done
}
