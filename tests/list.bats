# sessfs --list: the sessions of files and folders, without a mount.
load lib/mount
load lib/run
load lib/pi

setup() {
	make_folder
	ALL=$DIR/all
	mkdir "$ALL" "$DIR/home"
	export HOME=$DIR/home XDG_CACHE_HOME=$DIR/cache
	CACHE=$DIR/cache/sessfs/list
}

# Write a session with one user message: its path in $ALL, time of day, text.
session_at() {
	local path=$ALL/$1
	[ -d "${path%/*}" ] || mkdir -p "${path%/*}"
	printf '%s\n{"type":"message","id":"aa000001","parentId":null,"timestamp":"2026-03-01T%s.000Z","message":{"role":"user","content":"%s","timestamp":1772359201000}}\n' \
		"$PI_HEADER" "$2" "$3" >"$path"
}

three() {
	session_at x.jsonl 10:00:02 "in the middle"
	session_at a/y.jsonl 10:00:03 last
	session_at a/b/z.jsonl 10:00:01 first
	settle
}

# A file that has just been written is not kept.
settle() {
	sleep 0.1
}

# What --list prints of $ALL: the path and the words.
lists() {
	start "$SESSFS" --list "${@:-$ALL}" >"$DIR/listed"
	listed
}

# The path and the words of each line in $DIR/listed.
listed() {
	local line columns
	while IFS= read -r line; do
		IFS=$'\x1f' read -r -a columns <<<"${line//$'\t'/$'\x1f'}"
		printf '%s|%s\n' "${columns[1]}" "${columns[8]}"
	done <"$DIR/listed"
}

THREE='all/a/y.jsonl|last
all/x.jsonl|in the middle
all/a/b/z.jsonl|first'

@test "--list prints what sessions.txt has, with paths that can be opened" {
	needs_mounts
	three
	cp "$FIXTURES"/*.jsonl "$ALL/a"
	echo junk >"$ALL/junk.jsonl"
	ln -s "$ALL/x.jsonl" "$ALL/link.jsonl"
	start "$SESSFS" "$ALL" "$MNT"
	start "$SESSFS" --list "$ALL" >"$DIR/list"
	sed "s,\t,\t$ALL/,; s,\t,.jsonl\t,2" "$MNT/sessions.txt" | diff - "$DIR/list"
	cd "$DIR"
	"$SESSFS" --list all | diff <(sed "s,$ALL/,all/," "$DIR/list") -
	"$SESSFS" --list all/ | diff <(sed "s,$ALL/,all/," "$DIR/list") -
	cut -f 2 "$DIR/list" | while IFS= read -r path; do [ -f "$path" ] || exit; done
	is "$(head -n 3 "$DIR/list")" sh -c "'$SESSFS' --list all | head -n 3 | sed 's,\tall,\t$ALL,'"
}

@test "several sources, sessions among them, each file once" {
	three
	cd "$DIR"
	is "$THREE" lists all
	is "$THREE" lists all/a all/a/y.jsonl all all/x.jsonl
	is "all/x.jsonl|in the middle" lists all/x.jsonl
	is "all/x.jsonl|in the middle" lists all/x.jsonl
}

@test "a source that can't be listed is reported, and the others are printed" {
	three
	cd "$DIR"
	echo junk >all/junk.jsonl
	run -1 --separate-stderr "$SESSFS" --list nothing all/x.jsonl
	is "sessfs: nothing: No such file or directory" echo "$stderr"
	[[ $output == *"all/x.jsonl"* ]]
	run -1 --separate-stderr "$SESSFS" --list all/junk.jsonl all/x.jsonl
	[[ $stderr == "sessfs: all/junk.jsonl: "* && $output == *"all/x.jsonl"* ]]
	local again
	again=$stderr
	run -1 --separate-stderr "$SESSFS" --list all/junk.jsonl all/x.jsonl
	is "$again" echo "$stderr"
	run -2 "$SESSFS" --list --check all
	run -2 "$SESSFS" --export out --list all
	[ -w /dev/full ] || return 0
	fails_with "No space left" bash -c "'$SESSFS' --list all >/dev/full"
}

@test "a second look reads no session" {
	needs strace
	three
	cd "$DIR"
	is "$THREE" lists all
	# The leak sanitizer can't run under it.
	ASAN_OPTIONS=detect_leaks=0 strace -f -e trace=openat -o "$DIR/trace" \
		"$SESSFS" --list all >/dev/null || skip "strace can't trace here"
	not grep '\.jsonl' "$DIR/trace"
}

# How many calls for files --list makes when it has to read this many sessions.
calls_of() {
	local i
	rm -rf "$DIR/cache" "$ALL" "$DIR/calls"
	for ((i = 1; i <= $1; i++)); do session_at "a/$i.jsonl" 10:00:01 "$i"; done
	# Those that have settled are not read again.
	touch -d '1 hour ago' "$ALL/a"/*
	CALL_KINDS=openat,read,stat,access,xattr CALL_NTH=0 CALL_REPORT=$DIR/calls "$SLOW" --list "$ALL" >"$DIR/listed"
	has_lines "$1" "$DIR/listed"
	calls=$(awk '$1 == "calls" { print $2 }' "$DIR/calls")
}

@test "a first look opens each session once, and reads it once" {
	local few calls
	make_slow
	calls_of 10
	few=$calls
	calls_of 30
	# One to open it, and one to read; three attributes: when it is found, opened and
	# has been read. Two threads may both look for the folder at first, once.
	is 5 echo $(((calls - few + 10) / 20))
}

# change_at N CHANGE: while --list waits before its N-th call for files.
change_at() {
	local pid
	rm -rf "$DIR/cache" "$DIR/met"
	session_at x.jsonl 10:00:02 "the old words"
	session_at .y 10:00:02 "the new words"
	touch -d 2026-03-01 "$ALL/x.jsonl" "$ALL/.y"
	settle
	touch "$DIR/while"
	meets hold openat,read,stat
	CALL_NTH=$1 "$SLOW" --list "$ALL" >"$DIR/out" 2>"$DIR/err" &
	pid=$!
	wait_until eval "[ -s '$DIR/met' ] || ! kill -0 $pid 2>/dev/null"
	if grep -q met "$DIR/met"; then "$2"; fi
	rm -f "$DIR/while"
	wait "$pid"
}

replaced() {
	mv "$ALL/.y" "$ALL/x.jsonl"
}

rewritten() {
	cat "$ALL/.y" >"$ALL/x.jsonl"
	touch -d 2026-03-01 "$ALL/x.jsonl"
}

appended() {
	user aa000002 aa000001 "more" >>"$ALL/x.jsonl"
}

# bats test_tags=full
@test "a session that changes during a first look: one or the other, and the new one from then on" {
	local n change
	make_slow
	for change in replaced rewritten appended; do
		for n in $(seq 40); do
			change_at "$n" "$change"
			grep -q met "$DIR/met" || break
			cut -f 4,9 "$DIR/out" | grep -qxE $'1\t(the old words|the new words)|2\tthe old words'
			"$SESSFS" --list "$ALL" | cut -f 4,9 >"$DIR/again"
			case $change in
			appended) is $'2\tthe old words' cat "$DIR/again" ;;
			*) is $'1\tthe new words' cat "$DIR/again" ;;
			esac
		done
		[ "$n" -gt 6 ]
	done
}

@test "the cache is this user's alone" {
	three
	lists >/dev/null
	is "700" stat -c %a "$DIR/cache/sessfs"
	is "600" stat -c %a "$CACHE"
	is list ls -A "$DIR/cache/sessfs"
	unset XDG_CACHE_HOME
	lists >/dev/null
	[ -f "$HOME/.cache/sessfs/list" ]
	XDG_CACHE_HOME=relative lists >/dev/null
	[ ! -e relative ]
}

@test "what changes is read again" {
	three
	cd "$DIR"
	is "$THREE" lists all
	local i
	for i in {1..10}; do
		printf '%s\n' "$(user "bb$i" aa000001 more)" >>all/x.jsonl
		start "$SESSFS" --list all/x.jsonl all >list
		has $'.000Z\tall/x.jsonl\t'"pi"$'\t'"$((i + 1))"$'\t' list
	done
	# Of the same size and mtime.
	settle
	lists all >/dev/null
	touch -r all/a/y.jsonl stamp
	sed -i 's/last/LAST/' all/a/y.jsonl
	touch -r stamp all/a/y.jsonl
	is "all/a/y.jsonl|LAST" sh -c "'$SESSFS' --list all | cut -f 2,9 | tr '\t' '|' | grep y.jsonl"
	settle
	lists all >/dev/null
	mv all/a/y.jsonl all/a/moved.jsonl
	session_at a/y.jsonl 10:00:09 other
	is "all/a/moved.jsonl|LAST
all/a/y.jsonl|other" sh -c "'$SESSFS' --list all | cut -f 2,9 | tr '\t' '|' | grep /a/[my] | LC_ALL=C sort"
	echo junk >all/x.jsonl
	rm -r all/a/b
	is "2" sh -c "'$SESSFS' --list all | wc -l"
}

@test "records of files that are gone are dropped" {
	three
	session_at other/o.jsonl 10:00:04 o
	settle
	lists >/dev/null
	grep -qaF other/o.jsonl "$CACHE"
	lists "$ALL/a" >/dev/null
	grep -qaF other/o.jsonl "$CACHE" # not looked at, but there
	rm -r "$ALL/other"
	lists "$ALL/a" >/dev/null
	not grep -qaF other/o.jsonl "$CACHE"
	grep -qaF x.jsonl "$CACHE"
}

# Is the list right, and the cache whole again?
heals() {
	is "$THREE" lists all
	cp "$CACHE" "$DIR/now"
	is "$THREE" lists all
	cmp "$CACHE" "$DIR/now"
}

# Each 13th byte of the cache in turn is another one, and the list is right.
believes_no_damage() {
	needs python3
	python3 - "$SESSFS" "$CACHE" "$THREE" <<-'PY'
	import os, sys
	sessfs, cache, wanted = sys.argv[1:]
	with open("good", "rb") as f:
	    good = f.read()
	out = [(os.POSIX_SPAWN_OPEN, 1, "out", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)]
	for i in range(0, len(good), 13):
	    with open(cache, "wb") as f:
	        f.write(good[:i] + b"\xff" + good[i + 1:])
	    child = os.posix_spawn(sessfs, [sessfs, "--list", "all"], os.environ, file_actions=out)
	    assert os.waitpid(child, 0)[1] == 0, i
	    with open("out", encoding="utf-8") as f:
	        lines = [line.split("\t") for line in f.read().splitlines()]
	    assert [f"{line[1]}|{line[8]}" for line in lines] == wanted.split("\n"), (i, lines)
	PY
}

@test "a cache that is damaged, hostile or of another version is not believed" {
	three
	cd "$DIR"
	is "$THREE" lists all
	cp "$CACHE" good
	local i size
	size=$(stat -c %s good)
	believes_no_damage
	for i in 0 1 40 100 $((size - 1)); do
		head -c "$i" good >"$CACHE"
		heals
	done
	head -c 300 /dev/urandom >"$CACHE"
	heals
	rm "$CACHE"
	mkdir "$CACHE"
	is "$THREE" lists all
	rmdir "$CACHE"
	mkfifo "$CACHE"
	timeout 20 "$SESSFS" --list all >listed
	is "$THREE" listed
	rm -f "$CACHE"
	ln -s "$DIR/target" "$CACHE"
	echo untouched >target
	is "$THREE" lists all
	is untouched cat target
}

@test "a cache that others can write to is not used" {
	three
	cd "$DIR"
	is "$THREE" lists all
	sed -i 's/last/EVIL/' "$CACHE"
	chmod 777 "$DIR/cache/sessfs"
	is "$THREE" lists all
	grep -qa EVIL "$CACHE"
	chmod 700 "$DIR/cache/sessfs"
	chmod 666 "$CACHE"
	is "$THREE" lists all
}

@test "without a folder for the cache sessions are read each time" {
	three
	cd "$DIR"
	XDG_CACHE_HOME=/dev/null is "$THREE" lists all
	XDG_CACHE_HOME=$DIR/no/such/folder is "$THREE" lists all
	[ ! -e no ]
	env -u HOME -u XDG_CACHE_HOME "$SESSFS" --list all >out
	is 3 sh -c "wc -l <out"
}

# bats test_tags=root
@test "another user's cache is neither read nor written" {
	needs_root
	three
	chmod 755 "$ALL" "$ALL/a" "$ALL/a/b"
	cd "$DIR"
	is "$THREE" lists all
	local before
	before=$(cksum <"$CACHE")
	chmod -R a+rX cache
	session_at new.jsonl 10:00:00 new
	chmod 644 all/new.jsonl
	settle
	is "$THREE
all/new.jsonl|new" setpriv --reuid=65534 --regid=65534 --clear-groups "$BASH" -c "'$SESSFS' --list all | cut -f 2,9 | tr '\t' '|'"
	[ "$before" = "$(cksum <"$CACHE")" ]
	# A folder that the user can't enter is reported.
	chmod 700 all/a
	run -1 --separate-stderr setpriv --reuid=65534 --regid=65534 --clear-groups "$SESSFS" --list all
	is "sessfs: all/a: Permission denied" echo "$stderr"
	[[ $output == *all/x.jsonl* ]]
}

# bats test_tags=root
@test "root leaves no cache in another user's home" {
	needs_root
	three
	cd "$DIR"
	unset XDG_CACHE_HOME
	chown 65534 home
	is "$THREE" env HOME="$DIR/home" "$BASH" -c "'$SESSFS' --list all | cut -f 2,9 | tr '\t' '|'"
	prints_nothing ls -A home
	mkdir home/.cache
	chown 65534 home/.cache
	HOME=$DIR/home "$SESSFS" --list all >/dev/null
	prints_nothing ls -A home/.cache
	chown 0 home/.cache
	HOME=$DIR/home "$SESSFS" --list all >/dev/null
	[ -f home/.cache/sessfs/list ]
}

@test "compressed sessions are not read, and named once for each source" {
	three
	: >"$ALL/a/old.jsonl.zst"
	is "$THREE" sh -c "cd '$DIR' && '$SESSFS' --list all 2>err | cut -f 2,9 | tr '\t' '|'"
	is "sessfs: all: 1 compressed session is not read: $ALL/a/old.jsonl.zst (zstd -d makes it readable)" cat "$DIR/err"
	: >"$ALL/older.jsonl.zst"
	run -0 --separate-stderr "$SESSFS" grep last "$ALL"
	is 1 grep -c "^$ALL/a/y/.*last$" <<<"$output"
	is "sessfs: $ALL: 2 compressed sessions are not read: $ALL/older.jsonl.zst and others (zstd -d makes it readable)" echo "$stderr"
	# Not if they are not looked for.
	run -0 --separate-stderr "$SESSFS" --list "$ALL/x.jsonl"
	[ -z "$stderr" ]
}

@test "-o resumable leaves out what the agent would not go on from, also from the cache" {
	three
	sed -i 2d "$ALL/x.jsonl"
	sed -i '1s/^/\xef\xbb\xbf/' "$ALL/a/y.jsonl"
	settle
	lists >"$DIR/all-of-them"
	is 3 grep -c . "$DIR/all-of-them"
	settle
	is "$ALL/a/b/z.jsonl|first" lists -o resumable "$ALL"
	is "$(cat "$DIR/all-of-them")" lists
	[ -z "$(lists -o resumable "$ALL/a/y.jsonl")" ]
}

@test "-o dialect=NAME lists every file as that, and leaves the cache alone" {
	three
	cd "$DIR"
	lists all >/dev/null
	echo junk >all/junk.jsonl
	cp "$CACHE" before
	is 4 sh -c "'$SESSFS' -o dialect=lines --list all | cut -f 3 | grep -c '^lines$'"
	cmp "$CACHE" before
}

@test "a source that is mounted stands for what the mount shows" {
	needs_mounts
	local sources=$DIR/sessions
	mkdir -p "$sources/a" "$DIR/mnt" "$DIR/other"
	MNT=$DIR/mnt
	SESSION=$sources/a/x.jsonl write_session "$(user aa000001 "" "Hi there")"
	start "$SESSFS" "$sources" "$MNT"
	[[ $(helper list "$MNT") == "$(helper list "$sources")" ]]
	[[ $(helper list "$MNT/a/x") == "$(helper list "$sources/a/x.jsonl")" ]]
	helper outline "$MNT/a/x" | grep -q "user  Hi there"
	helper outline "$MNT/a/x/HEAD" | grep -q "user  Hi there"
	helper lines "$MNT" | grep -q "a/x/by-id/aa000001/content:1:Hi there"
	helper check "$MNT/a/x" | grep -q "1 entry"
	helper export "$DIR/out" "$MNT"
	grep -q "Hi there" "$DIR/out/a/x/by-id/aa000001/content"
}
