# Changes of a file during a write to it: sessfs waits a moment for a torn last
# line, and for locks of other processes.
load lib/mount
load lib/run
load lib/pi

# A head and its first entry; the second is torn until the agent ends it.
torn_session() {
	write_session "$(user 00000001 "" one)"
	user 00000002 00000001 two >"$DIR/line"
	head -c -20 "$DIR/line" >>"$SESSION"
}

# Mount it so that the next write, once it waits for something, waits until go_on.
mount_waiting() {
	make_slow
	meets hold sleep
	SESSFS=$SLOW mount_session
	touch "$DIR/while"
}

wait_for_write() {
	wait_until grep -qsx "met nanosleep" "$DIR/met"
}

go_on() {
	rm "$DIR/while"
}

@test "a label hangs on the line that the agent ends meanwhile" {
	torn_session
	mount_waiting
	echo tested >"$MNT/by-id/00000001/label" &
	wait_for_write
	{ tail -c 20 "$DIR/line"; echo; } >>"$SESSION"
	go_on
	wait $!
	is tested cat "$MNT/by-id/00000001/label"
	head_is by-id/00000002
	grep -q '^\[User\]: two$' "$MNT/context.txt"
	is 4 bash -c "wc -l <'$SESSION'"
}

@test "a line that stays torn is not waited for without end" {
	torn_session
	mount_session
	echo tested >"$MNT/by-id/00000001/label"
	is tested cat "$MNT/by-id/00000001/label"
	head_is by-id/00000001
}

@test "a session that is replaced by a shorter one: only the write fails" {
	torn_session
	mount_waiting
	write_session
	mv "$SESSION" "$DIR/shorter"
	torn_session
	cp "$DIR/shorter" "$DIR/new"
	bash -c "echo tested >'$MNT/by-id/00000001/label'" 2>"$DIR/err" &
	wait_for_write
	mv "$DIR/new" "$SESSION"
	go_on
	if wait $!; then return 1; fi
	# The write is stale; if it was the open that truncates, the kernel looks
	# the name up again.
	grep -qE "Stale file handle|No such file" "$DIR/err"
	cmp "$DIR/shorter" "$SESSION"
	head_is tree
}

@test "a version 1 file with a line on its way is migrated with all of it" {
	cp "$FIXTURES/pi-v1-linear.jsonl" "$SESSION"
	printf '{"type":"message","message":{"role":"user","content":"la' >>"$SESSION"
	mount_waiting
	local first
	first=$(ls -U "$MNT/by-id" | head -n 1)
	echo tested >"$MNT/by-id/$first/label" &
	wait_for_write
	printf 'te"}}\n' >>"$SESSION"
	go_on
	wait $!
	is tested cat "$MNT/by-id/$first/label"
	is late cat "$MNT/HEAD/content"
	grep -q '"content":"late"' "$SESSION"
}

@test "a version 1 file that is replaced while it is migrated stays replaced" {
	needs python3
	python3 - "$SESSION" <<-'PY'
	import sys
	with open(sys.argv[1], "w") as f:
	    f.write('{"type":"session","id":"v1","timestamp":"2026-03-01T10:00:00.000Z","cwd":"/"}\n')
	    for i in range(5000):
	        f.write('{"type":"message","message":{"role":"user","content":"%s"}}\n' % ("x" * 4000))
	PY
	mount_session
	mv "$SESSION" "$DIR/old"
	write_session "$(user 00000001 "" new)"
	mv "$SESSION" "$DIR/new"
	mv "$DIR/old" "$SESSION"
	cp "$DIR/new" "$DIR/incoming"
	# The agent puts its file in place as soon as the migrated one is begun.
	python3 - "$DIR" <<-'PY' &
	import os, sys, time
	os.chdir(sys.argv[1])
	open("ready", "w").close()
	end = time.monotonic() + 30
	while not any(".sessfs-" in name for name in os.listdir(".")):
	    if time.monotonic() > end:
	        sys.exit("there was no migration")
	os.rename("incoming", "session.jsonl")
	PY
	wait_until [ -e "$DIR/ready" ]
	ln -sfn tree "$MNT/HEAD" || true
	wait $!
	cmp -n "$(stat -c %s "$DIR/new")" "$DIR/new" "$SESSION"
	is new cat "$MNT/by-id/00000001/content"
	[ -z "$(find "$DIR" -name '*.sessfs-*')" ]
}

@test "a session that turns read-only while a lock is waited for: EROFS" {
	cp "$FIXTURES/omp-v3-basic.jsonl" "$SESSION"
	mount_waiting
	# A living owner: this shell.
	printf '%d:%s000\n' $$ "$(date +%s)" >"$DIR/.session.jsonl.lock"
	local v4='{"v":4,"kind":"header","id":"x","storageVersion":1,"cwd":"/"}'$'\n{"kind":"tx"}'
	echo "$v4" >"$DIR/v4"
	ln -sfn tree "$MNT/HEAD" 2>"$DIR/err" &
	wait_for_write
	echo "$v4" >"$SESSION"
	rm "$DIR/.session.jsonl.lock"
	go_on
	if wait $!; then return 1; fi
	grep -q "Read-only file system" "$DIR/err"
	cmp "$DIR/v4" "$SESSION"
	grep -qx "dialect: lines" "$MNT/info"
}
