# Two things at once, in orders that no other file tries: tests/crash/README.md has the
# table of all.
load lib/mount
load lib/run
load lib/pi

setup() {
	needs_mounts
	make_folder
	write_session "$(user 00000001 "" one)" "$(user 00000002 00000001 two)"
}

# move_head ID: in the background. Returns when it waits for the lock. $MOVING is its
# process.
move_head() {
	ln -sfn "by-id/$1" "$MNT/HEAD" 3>&- 2>"$DIR/err" &
	MOVING=$!
	wait_until grep -q request_wait_answer "/proc/$MOVING/wchan"
}

@test "a session is removed while a write waits for its lock: the write fails, and makes no file" {
	mount_session
	hold_lock
	move_head 00000001
	rm "$SESSION"
	release_lock
	if wait "$MOVING"; then return 1; fi
	[ ! -e "$SESSION" ]
	# Nor later, and a new file is a new session.
	write_session "$(user 00000003 "" three)"
	wait_until head_is by-id/00000003
}

@test "SIGTERM while a write waits for a lock: it is written whole, or refused" {
	mount_session
	cp "$SESSION" "$DIR/before"
	hold_lock
	move_head 00000001
	kill "$(daemon)"
	release_lock
	if wait "$MOVING"; then
		wait_until not_mounted "$MNT"
		mount_session
		head_is by-id/00000001
	else
		wait_until not_mounted "$MNT"
		cmp "$DIR/before" "$SESSION"
	fi
}

@test "a session is renamed while a program has its append open: no line goes astray" {
	needs python3
	IN_FOLDER=yes mount_session
	cp "$SESSION" "$DIR/before"
	python3 - "$MNT/append" "$SESSION" "$DIR/renamed.jsonl" <<-'PY'
	import errno, os, sys
	append, old, new = sys.argv[1:]
	fd = os.open(append, os.O_WRONLY)
	os.rename(old, new)
	try:
	    os.write(fd, b'{"role":"user","content":"three"}\n')
	    sys.exit("a line for a session that is gone was taken")
	except OSError as e:
	    assert e.errno in (errno.ESTALE, errno.ENOENT), e
	assert not os.path.exists(old)
	PY
	cmp "$DIR/before" "$DIR/renamed.jsonl"
	echo '{"role":"user","content":"three"}' >"${MNT%/*}/renamed/append"
	is three cat "${MNT%/*}/renamed/HEAD/content"
	mv "$DIR/renamed.jsonl" "$SESSION"
	is three cat "$MNT/HEAD/content"
}

# Notifications are under way at each unmounting, and the first requests of each mount
# come while the file grows.
@test "a session is mounted and unmounted again and again while its agent appends" {
	local i daemon entries lines status
	{
		i=2
		while [ ! -e "$DIR/enough" ]; do
			i=$((i + 1))
			printf '%s\n' "$(user "$(printf %08d $i)" "$(printf %08d $((i - 1)))" "message $i")" >>"$SESSION"
		done
	} 3>&- &
	local agent=$!
	for i in 1 2 3 4 5 6 7 8; do
		"$SESSFS" -f "$SESSION" "$MNT" 3>&- 2>"$DIR/err" &
		daemon=$!
		wait_for_mount
		lines=$(wc -l <"$SESSION")
		entries=$(ls -U "$MNT/by-id" | wc -l)
		[ "$entries" -ge $((lines - 1)) ]
		unmount
		status=0
		wait "$daemon" || status=$?
		[[ $status -eq 0 && ! -s $DIR/err ]]
	done
	: >"$DIR/enough"
	wait "$agent"
	mount_session
	lines=$(wc -l <"$SESSION")
	is $((lines - 1)) bash -c "ls -U '$MNT/by-id' | wc -l"
	is "message $((lines - 1))" cat "$MNT/HEAD/content"
}
