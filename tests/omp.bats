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

# bats test_tags=full
@test "pictures in blobs are files, and in context.json base64" {
	needs python3
	export HOME=$DIR
	local there missing
	there=$(keep_blob $PICTURE)
	missing=blob:sha256:$(printf '%064d' 0)
	write_omp "$(message 00000001 "" "{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"see\"},{\"type\":\"image\",\"data\":\"$there\",\"mimeType\":\"image/png\"},{\"type\":\"image\",\"data\":\"$missing\",\"mimeType\":\"image/png\"}]}")"
	mount_session
	cmp "$MNT/by-id/00000001/1.png" <(base64 -d <<<$PICTURE)
	[ "$(stat -c %s "$MNT/by-id/00000001/1.png")" -eq 68 ]
	grep -qx '\[image/png 68 bytes: 1.png\]' "$MNT/by-id/00000001/content"
	is $PICTURE context 00000001 'c[0]["content"][1]["data"]'
	# A missing blob is shown as its reference.
	fails_with "No such file" stat "$MNT/by-id/00000001/2.png"
	grep -qF "\"data\": \"$missing\"" "$MNT/by-id/00000001/content"
	is "$missing" context 00000001 'c[0]["content"][2]["data"]'
	# raw.json is the line, byte for byte.
	grep -qF "$there" "$MNT/by-id/00000001/raw.json"
}

# bats test_tags=full
@test "many pictures, in blobs and in the line, are as large as they read" {
	export HOME=$DIR
	local blocks="" want="" name i
	for i in {1..30}; do
		name=$(keep_blob "$(printf "%0${i}d" 0 | base64 -w 0)")
		blocks+="{\"type\":\"image\",\"data\":\"$name\",\"mimeType\":\"image/png\"},{\"type\":\"image\",\"data\":\"AAEC\",\"mimeType\":\"image/gif\"},"
		want+="$((2 * i - 1)).png $i"$'\n'"$((2 * i)).gif 3"$'\n'
	done
	write_omp "$(message 00000001 "" "{\"role\":\"user\",\"content\":[${blocks%,}]}")"
	mount_session
	cd "$MNT/by-id/00000001"
	is "${want%$'\n'}" bash -c "stat -c '%n %s' [0-9]* | sort -n"
	for i in [0-9]*; do
		[ "$(stat -c %s "$i")" -eq "$(cat "$i" | wc -c)" ]
	done
	printf '%027d' 0 | cmp - 53.png
	cd /
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

@test "writes are appended, and touch neither slot nor anything else" {
	write_omp "$(user 00000001 "" one)" "$(user 00000002 00000001 two)"
	mount_session
	cp "$SESSION" "$DIR/before"
	ln -sfn by-id/00000001 "$MNT/HEAD"
	head_is by-id/00000001
	echo tested >"$MNT/by-id/00000002/label"
	is tested cat "$MNT/by-id/00000002/label"
	ln -sfn tree "$MNT/HEAD"
	head_is tree
	cmp "$DIR/before" <(head -c "$(stat -c %s "$DIR/before")" "$SESSION")
	is 7 wc -l <"$SESSION"
	is '"parentId":null' grep -o '"parentId":null' <(tail -n 1 "$SESSION")
	# Only the session is left.
	is "before
mnt
session.jsonl" ls -A "$DIR"
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

@test "while the agent holds its lock, writes fail with EBUSY" {
	write_omp "$(user 00000001 "" one)" "$(user 00000002 00000001 two)"
	mount_session
	cp "$SESSION" "$DIR/before"
	printf '%d:%s000\n' $$ "$(date +%s)" >"$DIR/.session.jsonl.lock"
	fails_with "Device or resource busy" ln -sfn by-id/00000001 "$MNT/HEAD"
	fails_with "Device or resource busy" write_label no "$MNT/by-id/00000001"
	cmp "$DIR/before" "$SESSION"
	head_is by-id/00000002
	# A lock left by a process that has ended is ignored.
	bash -c 'printf "%d:%s000\n" $$ "$(date +%s)"' >"$DIR/.session.jsonl.lock"
	ln -sfn by-id/00000001 "$MNT/HEAD"
	head_is by-id/00000001
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
	local test=$$ file fd
	(
		cd "${CWD:-$DIR/work}"
		# shellcheck disable=SC2034 # each stays open
		for file in "$@"; do exec {fd}>>"$file"; done
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

@test "an agent elsewhere has the session if it has the file open" {
	write_running
	mount_session
	CWD=$DIR start_agent
	ln -sfn by-id/00000001 "$MNT/HEAD"
	head_is by-id/00000001
	end_agent
	cp "$SESSION" "$DIR/before"
	CWD=$DIR start_agent "$SESSION"
	refused_by_agent ln -sfn by-id/00000002 "$MNT/HEAD"
	end_agent
}

@test "an agent that writes another session of its directory does not have this" {
	write_running
	mount_session
	echo >"$DIR/other.jsonl"
	start_agent "$DIR/other.jsonl"
	ln -sfn by-id/00000001 "$MNT/HEAD"
	head_is by-id/00000001
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

@test "sessions of other agents are written to while oh-my-pi runs" {
	write_running
	write_session "$(user 00000001 "" one)" "$(user 00000002 00000001 two)"
	sed -i "s|/work/demo|$DIR/work|" "$SESSION"
	mount_session
	has_line "dialect: pi" "$MNT/info"
	start_agent
	ln -sfn by-id/00000001 "$MNT/HEAD"
	head_is by-id/00000001
	end_agent
}

# bats test_tags=full
@test "the agent's lease forbids writes" {
	needs python3
	write_running
	mount_session
	# As omp 18.4.9 and 18.5.0 name it; the hash is libxxhash's.
	python3 - "$SESSION" "$DIR/held" <<-'PY' 3>&- &
	import ctypes, os, socket, sys, time
	xxh = ctypes.CDLL("libxxhash.so.0").XXH64
	xxh.restype, xxh.argtypes = ctypes.c_uint64, [ctypes.c_char_p, ctypes.c_size_t, ctypes.c_uint64]
	folder, name = os.path.split(sys.argv[1])
	path = f"{folder}/.{name}.owner.lock".encode()
	high, low = (xxh(path, len(path), seed) for seed in (0x4f4d502d4c4f434b, 0x50492d46494c454c))
	lease = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
	lease.bind(f"\0omp-file-lock-{high:016x}{low:016x}")
	open(sys.argv[2], "w").close()
	time.sleep(60)
	PY
	local holder=$!
	wait_until [ -e "$DIR/held" ]
	fails_with "Device or resource busy" ln -sfn by-id/00000001 "$MNT/HEAD"
	cmp "$DIR/before" "$SESSION"
	grep -qx "last-refused: oh-my-pi has this session open.*-o force" "$MNT/info"
	kill "$holder"
	wait "$holder" || :
	ln -sfn by-id/00000001 "$MNT/HEAD"
	head_is by-id/00000001
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

@test "a second header is an entry, and the leaf if it is last" {
	write_omp "$(user 00000001 "" q)" '{"type":"session","version":3,"id":"second","timestamp":"2026-03-01T10:00:02.000Z","cwd":"/work/demo"}'
	mount_session
	head_is by-id/second
	is "00000001
second" ls -U "$MNT/tree"
	[ ! -s "$MNT/context.txt" ]
	has_line "extra-headers: 1 (line 4)" "$MNT/info"
	has_line "session: 0198f000-0000-7000-8000-000000000001" "$MNT/info"
}

@test "broken lines cost themselves alone" {
	write_omp "$(user 00000001 "" one)" 'null' '{"type":"message","id":"x' "$(user 00000002 00000001 two){\"type\":\"custom\",\"id\":\"lost\"}" '5' '[]' "$(user 00000002 00000001 again)" "$(user 00000003 nowhere orphan)" "$(user 00000004 00000005 a)" "$(user 00000005 00000004 b)" "$(user 00000006 00000002 last)"
	printf '{"type":"message","id":"torn' >>"$SESSION"
	mount_session
	is "[User]: one

[User]: again

[User]: last" cat "$MNT/context.txt"
	is "00000001
00000003
00000004" ls -U "$MNT/tree"
	is b cat "$MNT/tree/00000004/00000005/content"
	is 'bad-lines: 2 (lines 5-6)
lines-without-id: 3 (lines 4, 7-8)
duplicate-ids: 1 (line 9)
missing-parents: 1 (line 10)
cycles: 1 (line 11)
torn-last-line: 1 (line 14)' grep -E '^(bad|lines-|dup|miss|cyc|torn)' "$MNT/info"
}

@test "after a torn line the agent reads the written lines" {
	write_omp "$(user 00000001 "" one)" "$(user 00000002 00000001 two)"
	printf '{"type":"custom","data":[1,' >>"$SESSION"
	mount_session
	ln -sfn by-id/00000001 "$MNT/HEAD"
	head_is by-id/00000001
	# Its parser would take a single line for a part of the torn one.
	is 2 grep -c '"customType":"sessfs.head"' "$SESSION"
	ln -sfn by-id/00000002 "$MNT/HEAD"
	is 3 grep -c '"customType":"sessfs.head"' "$SESSION"
}

@test "branch.jsonl is a session of the agent's own kind" {
	write_omp "$(user 00000001 "" one)" "$(user 00000002 00000001 two)" "$(entry label 00000003 00000002 ',"targetId":"00000001","label":"L"')" "$(user 00000004 00000003 three)" "$(user 00000005 00000001 other)"
	mount_session
	cat "$MNT/by-id/00000004/branch.jsonl" >"$DIR/branch.jsonl"
	is "$(slot "The title" | sed 's/2026-03-01T10:00:30/2026-03-01T10:00:01/')" head -n 1 "$DIR/branch.jsonl"
	[ "$(head -n 1 "$DIR/branch.jsonl" | wc -c)" -eq 256 ]
	local context
	context=$(cat "$MNT/by-id/00000004/context.txt")
	unmount
	daemon_is_gone
	SESSION=$DIR/branch.jsonl
	mount_session
	has_line "dialect: omp" "$MNT/info"
	has_line "name: The title" "$MNT/info"
	head_is by-id/00000004
	is "$context" cat "$MNT/context.txt"
	is L cat "$MNT/by-id/00000001/label"
	is 00000001 ls "$MNT/tree"
	[ ! -e "$MNT/by-id/00000005" ]
}

@test "lines that the agent appends are there at once" {
	write_omp "$(user 00000001 "" one)"
	mount_session
	is "[User]: one" cat "$MNT/context.txt"
	{ message 00000002 00000001 '{"role":"assistant","content":[{"type":"toolCall","id":"t1","name":"read","arguments":{}}],"provider":"p","model":"m","stopReason":"toolUse"}'; echo; } >>"$SESSION"
	is "[User]: one" cat "$MNT/context.txt"
	{ message 00000003 00000002 '{"role":"toolResult","toolCallId":"t1","content":[{"type":"text","text":"R"}]}'; echo; } >>"$SESSION"
	is "[User]: one

[Assistant tool calls]: read()

[Tool result]: R" cat "$MNT/context.txt"
	has_line "model: p/m" "$MNT/info"
	# A rewrite: another file, under the same name.
	sed '/00000003/d' "$SESSION" >"$DIR/new"
	mv "$DIR/new" "$SESSION"
	head_is by-id/00000002
	is "[User]: one" cat "$MNT/context.txt"
}

@test "a version 1 session is migrated, its slot kept" {
	{
		slot "The title"
		printf '%s\n' '{"type":"session","id":"s","timestamp":"2026-03-01T10:00:00.000Z","cwd":"/work/demo"}' \
			'{"type":"message","timestamp":"2026-03-01T10:00:01.000Z","message":{"role":"user","content":"one"}}' \
			'{"type":"message","timestamp":"2026-03-01T10:00:02.000Z","message":{"role":"hookMessage","content":"two"}}'
	} >"$SESSION"
	cp "$SESSION" "$DIR/before"
	mount_session
	is "[User]: one

[Developer]: two" cat "$MNT/context.txt"
	ln -sfn HEAD/parent "$MNT/HEAD"
	is "[User]: one" cat "$MNT/context.txt"
	cmp "$DIR/before" "$SESSION.v1.bak"
	cmp <(head -n 1 "$DIR/before") <(head -n 1 "$SESSION")
	has_line "version: 3" "$MNT/info"
	is 0 grep -c hookMessage "$SESSION"
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
