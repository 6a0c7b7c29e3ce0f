# sessfs restore, when calls fail or it is killed. commands/restore.md has the rest.
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
