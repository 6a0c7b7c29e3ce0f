# Sessions of oh-my-pi (sessfs-formats(5), OH-MY-PI).
load lib/mount
load lib/run
load lib/pi
load lib/omp

PICTURE=iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=

# The JSON of context.json at an entry, by a Python expression on it.
context() {
	python3 -c "import json, sys; c = json.load(open(sys.argv[1])); print($2)" "$MNT/by-id/$1/context.json"
}

@test "no reference leaves the folder of the blobs" {
	needs python3
	export HOME=$DIR
	keep_blob $PICTURE
	echo secret >"$HOME/.omp/agent/auth.json"
	write_omp "$(message 00000001 "" '{"role":"user","content":[{"type":"image","data":"blob:sha256:../auth.json","mimeType":"image/png"}]}')"
	mount_session
	is "blob:sha256:../auth.json" context 00000001 'c[0]["content"][0]["data"]'
	run -1 grep -rq secret "$MNT"
}

@test "the title is the slot's, and follows it in place" {
	write_omp "$(user 00000001 "" q)" "$(entry session_info 00000002 00000001 ',"name":"no"')" "$(entry title_change 00000003 00000002 ',"title":"no"')"
	mount_session
	has_line "name: The title" "$MNT/info"
	slot "Another one" | dd of="$SESSION" conv=notrunc status=none
	has_line "name: Another one" "$MNT/info"
	slot "" | dd of="$SESSION" conv=notrunc status=none
	not has $'\nname:' "$MNT/info"
	# Whoever set it, it is a name, so it is bookkeeping.
	head_is by-id/00000001
}

# The pid is another process's by now.
@test "a lock from before the machine was started is ignored" {
	local start
	needs python3
	start=$(python3 -c 'import time; print(int(time.time() - time.clock_gettime(time.CLOCK_BOOTTIME)))')
	write_omp "$(user 00000001 "" one)"
	mount_session
	printf '%d:%d\n' $$ $(((start - 60) * 1000)) >"$DIR/.session.jsonl.lock"
	echo later >"$MNT/by-id/00000001/label"
	is later cat "$MNT/by-id/00000001/label"
	[ ! -e "$DIR/.session.jsonl.lock" ]
}

# A session whose directory is there, and a program in it that looks like the
# agent. It ends with the test; its arguments are files that it has open for
# appending.
write_running() {
	mkdir "$DIR/work"
	write_omp "$(user 00000001 "" one)" "$(user 00000002 00000001 two)"
	sed -i "s|/work/demo|$DIR/work|" "$SESSION"
	cp "$SESSION" "$DIR/before"
	cp "$(command -v tail)" "$DIR/omp"
	chmod 755 "$DIR/omp" "$DIR/work"
}

start_agent() {
	local test=$$
	(
		cd "$DIR/work"
		exec "$DIR/omp" --pid=$test -f /dev/null 3>&-
	) &
	AGENT=$!
	wait_until grep -qx omp "/proc/$AGENT/comm"
}

end_agent() {
	kill "$AGENT"
	wait "$AGENT" || :
}

# Fails unless the command fails because the agent runs, info names it, and
# nothing is written.
refused_by_agent() {
	fails_with "Device or resource busy" "$@"
	cmp "$DIR/before" "$SESSION"
	grep -q "^last-refused: oh-my-pi has this session open.*-o force (pid $AGENT)$" "$MNT/info"
}

# bats test_tags=full
@test "while the agent runs with the session open, nothing is written" {
	write_running
	mount_session
	not has $'\nlast-refused' "$MNT/info"
	start_agent
	refused_by_agent ln -sfn by-id/00000001 "$MNT/HEAD"
	refused_by_agent write_label no "$MNT/by-id/00000001"
	refused_by_agent bash -c "echo no >'$MNT/name'"
	refused_by_agent say '{"role":"user","content":"no"}'
	head_is by-id/00000002
	has_line "writable: yes" "$MNT/info"
	is "[User]: one

[User]: two" cat "$MNT/context.txt"
	is "before
mnt
omp
session.jsonl
work" ls -A "$DIR"
	end_agent
	ln -sfn by-id/00000001 "$MNT/HEAD"
	head_is by-id/00000001
	echo yes >"$MNT/by-id/00000001/label"
	echo yes >"$MNT/name"
	say '{"role":"user","content":"yes"}'
}

@test "nor is a label or the name cleared" {
	write_running
	mount_session
	echo kept >"$MNT/by-id/00000001/label"
	echo kept >"$MNT/name"
	cp "$SESSION" "$DIR/before"
	start_agent
	refused_by_agent eval ": >'$MNT/by-id/00000001/label'"
	refused_by_agent eval ": >'$MNT/name'"
	end_agent
	is kept cat "$MNT/by-id/00000001/label"
	: >"$MNT/by-id/00000001/label"
	[ ! -e "$MNT/by-label/kept" ]
}

@test "-o force writes although the agent runs" {
	write_running
	mount_session -o force
	start_agent
	ln -sfn by-id/00000001 "$MNT/HEAD"
	head_is by-id/00000001
	echo yes >"$MNT/by-id/00000001/label"
	echo yes >"$MNT/name"
	say '{"role":"user","content":"yes"}'
	not has $'\nlast-refused' "$MNT/info"
	end_agent
}

@test "in a folder of sessions only what the agent has open is refused" {
	write_running
	mkdir "$DIR/sessions"
	sed "s|$DIR/work|$DIR|" "$SESSION" >"$DIR/sessions/b.jsonl"
	mv "$SESSION" "$DIR/sessions/a.jsonl"
	start "$SESSFS" "$DIR/sessions" "$MNT"
	start_agent
	fails_with "Device or resource busy" ln -sfn by-id/00000001 "$MNT/a/HEAD"
	ln -sfn by-id/00000001 "$MNT/b/HEAD"
	grep -q '^last-refused: ' "$MNT/a/info"
	run -1 grep -q '^last-refused: ' "$MNT/b/info"
	end_agent
}

# bats test_tags=root
@test "SYS_PTRACE: root sees what an agent of another user has open" {
	needs_root
	write_running
	mount_session
	start_agent
	end_agent
	(
		cd "$DIR/work"
		exec setpriv --reuid=12345 --regid=12345 --clear-groups "$DIR/omp" --pid=$$ -f /dev/null 3>&-
	) &
	AGENT=$!
	wait_until grep -qx omp "/proc/$AGENT/comm"
	refused_by_agent ln -sfn by-id/00000001 "$MNT/HEAD"
	end_agent
}

@test "-o ro writes nothing, and acquires no lock" {
	write_omp "$(user 00000001 "" one)" "$(user 00000002 00000001 two)"
	mount_session -o ro
	fails_with "Read-only file system" ln -sfn by-id/00000001 "$MNT/HEAD"
	fails_with "Read-only file system" write_label no "$MNT/by-id/00000001"
	is "mnt
session.jsonl" ls -A "$DIR"
}

@test "a new title leaves open folders alone" {
	write_omp "$(user 00000001 "" one)" "$(user 00000002 00000001 two)"
	mount_session
	cd "$MNT/by-id/00000002"
	slot "Another" | dd of="$SESSION" conv=notrunc status=none
	is two cat content
	ls . >/dev/null
	has_line "name: Another" "$MNT/info"
	cd "$MNT"
}
