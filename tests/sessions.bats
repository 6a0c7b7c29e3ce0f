# sessions.txt: a line for each session below a folder.
load lib/mount
load lib/run
load lib/pi

# Write a session with one user message: its path in $ALL, time of day, text.
session_at() {
	local path=$ALL/$1
	mkdir -p "${path%/*}"
	SESSION=$path write_session "$(user aa000001 "" "$3")"
	sed -i "2s/2026-03-01T10:00:01/2026-03-01T$2/" "$path"
}

mount_all() {
	"$SESSFS" "$@" "$ALL" "$MNT"
}

# The columns of a folder's sessions.txt, separated by |.
columns() {
	cut -f "$1" "$MNT/${2:+$2/}sessions.txt" | tr '\t' '|'
}

setup() {
	needs_mounts
	make_folder
	ALL=$DIR/all
	mkdir "$ALL"
}

# Rules: F2
@test "sessions.txt has a line for each session, the newest first" {
	session_at x.jsonl 10:00:02 "in the middle"
	session_at a/y.jsonl 10:00:03 last
	session_at a/b/z.jsonl 10:00:01 first
	cp "$FIXTURES/claude-basic.jsonl" "$FIXTURES/go-tree.jsonl" "$FIXTURES/omp-v3-basic.jsonl" "$ALL"
	echo junk >"$ALL/junk.jsonl"
	mount_all
	is "a/y
x
a/b/z" sh -c "cut -f 2 '$MNT/sessions.txt' | grep '^a/\|^x'"
	is "2026-03-01T10:00:03.000Z|a/y|pi|1|1|||/work/demo|last" \
		sh -c "grep a/y '$MNT/sessions.txt' | tr '\t' '|'"
	is 6 sh -c "wc -l <'$MNT/sessions.txt'"
	is "$(LC_ALL=C sort -r "$MNT/sessions.txt" | cut -f 1)" cut -f 1 "$MNT/sessions.txt"
	# Each folder has its own, with paths that begin there.
	is "y|pi
b/z|pi" columns 2,3 a
	is "z" columns 2 a/b
	is "claude" sh -c "awk -F '\t' '\$2 == \"claude-basic\" { print \$3 }' '$MNT/sessions.txt'"
	# Dialects, counts and words are those of the session's own files.
	local path
	while IFS=$'\t' read -r _ path dialect entries tips _; do
		grep -qx "dialect: $dialect" "$MNT/$path/info"
		grep -qx "entries: $entries" "$MNT/$path/info"
		grep -qx "branches: $tips" "$MNT/$path/info"
	done <"$MNT/sessions.txt"
}

# What is cached of a small file is not found in place of that of a large one.
@test "sessions.txt that grows beyond 64 KiB has the new session at once" {
	local long name
	printf -v long %040000d 0
	for name in a b; do
		session_at $name.jsonl 10:00:02 x
		sed -i "1s,/work/demo,/$long," "$ALL/$name.jsonl"
		[ $name = b ] || mount_all
		cat "$MNT/sessions.txt" >"$DIR/rows"
	done
	has_lines 2 "$DIR/rows"
	[ "$(wc -c <"$DIR/rows")" -eq "$(stat -c %s "$MNT/sessions.txt")" ]
}

@test "sessions.txt is not listed, and can't be written" {
	session_at x.jsonl 10:00:02 x
	mount_all
	is x ls -A "$MNT"
	[ -f "$MNT/sessions.txt" ]
	[ "$(stat -c %s "$MNT/sessions.txt")" -eq "$(wc -c <"$MNT/sessions.txt")" ]
	is "-r--r--r-- 1" stat -c '%A %h' "$MNT/sessions.txt"
	fails_for_root_with "Operation not permitted" rm "$MNT/sessions.txt"
	fails_for_root_with "Operation not permitted" bash -c "echo x >>'$MNT/sessions.txt'"
	fails_for_root_with "Operation not permitted" bash -c ": >'$MNT/sessions.txt'"
	fails_with "Operation not permitted" chmod 600 "$MNT/sessions.txt"
	fails_with "Not a directory" ls "$MNT/sessions.txt/x"
	fails_with "No such file" cat "$MNT/x/sessions.txt"
	# A session or folder of that name comes first.
	session_at a/sessions.txt.jsonl 10:00:03 y
	[ -d "$MNT/a/sessions.txt/by-id" ]
	rm "$ALL/a/sessions.txt.jsonl"
	[ -f "$MNT/a/sessions.txt" ] && [ ! -s "$MNT/a/sessions.txt" ]
}

@test "its size is exact before the first read" {
	session_at x.jsonl 10:00:02 x
	mount_all
	local size
	size=$(stat -c %s "$MNT/sessions.txt")
	is "$size" sh -c "wc -c <'$MNT/sessions.txt'"
	[ "$size" -gt 40 ]
}

@test "changes show at once" {
	session_at x.jsonl 10:00:02 x
	session_at y.jsonl 10:00:03 y
	mount_all
	is "y|1
x|1" columns 2,4
	exec 9<"$MNT/sessions.txt"
	cat <&9 >/dev/null
	local i
	for i in {1..20}; do
		printf '%s\n' "$(user "bb$i" aa000001 more)" >>"$ALL/x.jsonl"
		is "$((i + 1))" sh -c "awk -F '\t' '\$2 == \"x\" { print \$4 }' '$MNT/sessions.txt'"
	done
	# Also where the session is in memory.
	ls "$MNT/y/by-id" >/dev/null
	for i in {1..20}; do
		printf '%s\n' "$(user "bb$i" aa000001 more)" >>"$ALL/y.jsonl"
		is "$((i + 1))" sh -c "awk -F '\t' '\$2 == \"y\" { print \$4 }' '$MNT/sessions.txt'"
	done
	exec 9<&-
	session_at new/z.jsonl 10:00:09 z
	is "new/z" sh -c "head -n 1 '$MNT/sessions.txt' | cut -f 2"
	rm -r "$ALL/new" "$ALL/y.jsonl"
	is x columns 2
	echo junk >"$ALL/x.jsonl"
	[ ! -s "$MNT/sessions.txt" ]
	session_at x.jsonl 10:00:09 "another"
	is another columns 9
	# A name of the same length, in the same place.
	cp "$FIXTURES/omp-v3-basic.jsonl" "$ALL/omp.jsonl"
	local name
	name=$(grep '	omp	' "$MNT/sessions.txt" | cut -f 9)
	[ -n "$name" ]
	sed "1s/$name/$(tr '[:lower:]' '[:upper:]' <<<"$name")/" "$ALL/omp.jsonl" >"$DIR/omp"
	cat "$DIR/omp" 1<>"$ALL/omp.jsonl" >&1
	is "$(tr '[:lower:]' '[:upper:]' <<<"$name")" sh -c "grep '	omp	' '$MNT/sessions.txt' | cut -f 9"
}

@test "hostile names and texts keep a line a session, and eight tabs a line" {
	session_at $'tab\there.jsonl' 10:00:01 'one\ttwo\nthree\u001b[31m\u0000\u0085four'
	session_at $'new\nline/\e[7mx.jsonl' 10:00:02 '\u2028'
	session_at $'\xff\xfe.jsonl' 10:00:03 "$(printf 'long %.0s' {1..100})"
	sed -i '1s,/work/demo,/w\\to\\nr\\u001bk,' "$ALL"/tab*
	mount_all
	is 3 sh -c "wc -l <'$MNT/sessions.txt'"
	is 8 sh -c "awk -F '\t' '{ print NF - 1 }' '$MNT/sessions.txt' | sort -u"
	not env LC_ALL=C grep -P '[\x00-\x08\x0b-\x1f\x7f]|\xc2\x85' "$MNT/sessions.txt"
	is 'tab\there|/w o r|one two three four' sh -c "grep tab '$MNT/sessions.txt' | cut -f 2,8,9 | tr '\t' '|'"
	LC_ALL=C grep -q 'new\\nline/\\u001b\[7mx' "$MNT/sessions.txt"
	LC_ALL=C grep -aq $'\t\xff\xfe\t' "$MNT/sessions.txt"
}

# large
# How often files are opened and read for the first sessions.txt of so many sessions, which
# have settled. (How many reads of inotify there are is up to the scheduler.)
calls_of() {
	rm -rf "$ALL" "$DIR/calls"
	many_sessions "$1"
	touch -d '1 hour ago' "$ALL"/*
	CALL_KINDS=openat,pread64 CALL_NTH=0 CALL_REPORT=$DIR/calls "$SLOW" "$ALL" "$MNT"
	is "$1" sh -c "wc -l <'$MNT/sessions.txt'"
	unmount
	wait_until grep -q ^calls "$DIR/calls"
	calls=$(awk '$1 == "calls" && $2 > most { most = $2 } END { print most }' "$DIR/calls")
}

# Two threads may both look for the folder at first, which is a few calls more, once.
@test "each session is opened once and read once" {
	local few calls
	make_slow
	calls_of 10
	few=$calls
	calls_of 60
	is 2 echo $(((calls - few + 25) / 50))
}

@test "2,000 sessions, of which none stays in memory or is put out of it" {
	local i
	needs python3
	python3 - "$ALL" <<-'PY'
	import json, os, sys
	for i in range(1, 2001):
	    folder = os.path.join(sys.argv[1], "f%d" % (i % 40))
	    os.makedirs(folder, exist_ok=True)
	    with open(os.path.join(folder, "s%d.jsonl" % i), "w") as f:
	        time = "2026-03-01T10:00:00.000Z"
	        said = {"role": "user", "content": "number %d" % i}
	        for line in ({"type": "session", "version": 3, "id": "s", "timestamp": time, "cwd": "/w"},
	                     {"type": "message", "id": "a", "parentId": None, "timestamp": time, "message": said}):
	            f.write(json.dumps(line) + "\n")
	PY
	mount_all -o keep=1,stats
	ls "$MNT/f1/s1/by-id" >/dev/null
	local before
	before=$(grep -h ^indexed-bytes: "$MNT/f1/s1/info")
	is 2000 sh -c "wc -l <'$MNT/sessions.txt'"
	is "$(seq -f 'number %.0f' 2000 | LC_ALL=C sort)" sh -c "cut -f 9 '$MNT/sessions.txt' | LC_ALL=C sort"
	is "$before" grep -h ^indexed-bytes: "$MNT/f1/s1/info"
	is 50 sh -c "wc -l <'$MNT/f7/sessions.txt'"
	# Many at once, while sessions come, grow and go.
	local pids=()
	for i in {1..4}; do
		(for _ in {1..5}; do wc -l <"$MNT/sessions.txt" >>"$DIR/counts"; done) &
		pids+=($!)
	done
	for i in {1..50}; do
		printf '{"type":"message","id":"b","parentId":"a","message":{"role":"user","content":"x"}}\n' >>"$ALL/f1/s1.jsonl"
		mv "$ALL/f2/s2.jsonl" "$ALL/f2/t.jsonl"
		mv "$ALL/f2/t.jsonl" "$ALL/f2/s2.jsonl"
	done
	for i in "${pids[@]}"; do wait "$i"; done
	is 20 sh -c "grep -cxE '1999|2000|2001' '$DIR/counts'"
	is 2000 sh -c "wc -l <'$MNT/sessions.txt'"
}

@test "a session that begins with a skill has the title that a person gave it" {
	local skill='<skill name=\"x\" location=\"/s\">\nDo this.\n</skill>'
	SESSION=$ALL/bare.jsonl write_session "$(user aa000001 "" "$skill")" "$(user aa000002 aa000001 "and now")"
	SESSION=$ALL/called.jsonl write_session "$(user aa000001 "" "$skill\n\nfix it")"
	mount_all
	is "bare|and now
called|fix it" bash -c "cut -f 2,9 '$MNT/sessions.txt' | tr '\t' '|' | sort"
	is "aa000001 user  fix it ← HEAD" cat "$MNT/called/tree.txt"
	grep -q "Do this" "$MNT/called/HEAD/content"
	is 'bare  pi /work/demo 2026-03-01 "and now"' \
		bash -c "cd '$ALL' && '$SESSFS' grep --heading now bare.jsonl | head -n 1"
}
