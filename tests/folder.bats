# SOURCE is a folder: its folders as folders, and each session in them as one.
load lib/mount
load lib/run
load lib/pi

# A tree of sessions in $DIR/all, mounted with these options.
mount_folder() {
	ALL=$DIR/all
	mkdir -p "$ALL/a/deep" "$ALL/b"
	cp "$FIXTURES/pi-v3-branches.jsonl" "$ALL/a/one.jsonl"
	cp "$FIXTURES/omp-v3-basic.jsonl" "$ALL/a/two.jsonl"
	cp "$FIXTURES/pi-v1-linear.jsonl" "$ALL/a/deep/old.jsonl"
	cp "$FIXTURES/go-tree.jsonl" "$FIXTURES/go-tree.head.json" "$ALL/b"
	cp "$FIXTURES/claude-basic.jsonl" "$ALL/top.jsonl"
	chmod -R u=rwX,go=rX "$ALL"
	start "$SESSFS" "$@" "$ALL" "$MNT"
}

# The sessions' folders in the mount, as a sorted list of paths.
sessions() {
	(cd "$MNT" && find . -name by-id -printf '%h\n' | LC_ALL=C sort)
}

# Rules: F1
@test "folders are folders, sessions are sessions, each as if mounted alone" {
	mount_folder
	is "./a/deep/old
./a/one
./a/two
./b/go-tree
./top" sessions
	is "a
b
top" ls "$MNT"
	is "deep
one
two" ls "$MNT/a"
	local session
	for session in a/one a/two a/deep/old b/go-tree top; do
		mkdir -p "$DIR/alone/$session"
		start "$SESSFS" "$ALL/$session.jsonl" "$DIR/alone/$session"
		cmp "$DIR/alone/$session/HEAD/context.json" "$MNT/$session/HEAD/context.json"
	done
	# Only in a folder others can go on from it.
	diff -r --no-dereference -x forks "$DIR/alone" "$MNT"
}

# Rules: F3
@test "files that are not sessions are not shown, and links are not followed" {
	ALL=$DIR/all
	mkdir -p "$ALL/sub" "$DIR/outside"
	cp "$FIXTURES/pi-v3-branches.jsonl" "$DIR/outside/secret.jsonl"
	cp "$FIXTURES/pi-v3-branches.jsonl" "$ALL/good.jsonl"
	cp "$FIXTURES/pi-v3-branches.jsonl" "$ALL/good.txt"
	cp "$FIXTURES/pi-v3-branches.jsonl" "$ALL/.jsonl"
	cp "$FIXTURES/pi-v3-branches.jsonl" "$ALL/...jsonl"
	echo '{"hello":"world"}' >"$ALL/other.jsonl"
	head -c 100000 /dev/urandom >"$ALL/junk.jsonl"
	printf hello >"$ALL/hello.jsonl"
	head -c 3000 /dev/zero >"$ALL/zero.jsonl"
	truncate -s 4G "$ALL/sparse.jsonl"
	printf '{"type":"sess' >"$ALL/begun.jsonl"
	mkfifo "$ALL/fifo.jsonl"
	ln -s ../outside/secret.jsonl "$ALL/link.jsonl"
	ln -s ../outside "$ALL/out"
	ln -s . "$ALL/sub/loop"
	: >"$ALL/new.jsonl"
	start "$SESSFS" "$ALL" "$MNT"
	is "begun
good
new
sub" ls -A "$MNT"
	[ -z "$(ls -A "$MNT/sub")" ]
	local name
	for name in other junk hello zero sparse fifo link out good.txt good.jsonl .jsonl .. sub/loop none; do
		[ "$name" != .. ] || continue
		[ ! -e "$MNT/$name" ]
		[ ! -L "$MNT/$name" ]
	done
	fails_with "No such file" timeout 10 stat "$MNT"/{other,junk,hello,zero,sparse,fifo,link,none}
	is tree readlink "$MNT/new/HEAD"
	# A file that stops being a session, and one that becomes one.
	echo '{"hello":"world"}' >"$ALL/good.jsonl"
	cp "$FIXTURES/pi-v3-branches.jsonl" "$ALL/other.jsonl"
	is "begun
new
other
sub" ls "$MNT"
	fails_with "No such file" ls "$MNT/good"
	is "list the files" cat "$MNT/other/by-id/aa000004/content"
}

@test "with -o dialect every .jsonl is a session" {
	ALL=$DIR/all
	mkdir "$ALL"
	echo '{"hello":"world"}' >"$ALL/other.jsonl"
	start "$SESSFS" -o dialect=lines "$ALL" "$MNT"
	is by-id/1 readlink "$MNT/other/HEAD"
}

# Rules: F1
@test "a folder beside a session of its name is there as NAME%2F" {
	ALL=$DIR/all
	mkdir -p "$ALL/x" "$ALL/y%2F"
	cp "$FIXTURES/pi-v3-branches.jsonl" "$ALL/x.jsonl"
	cp "$FIXTURES/pi-v3-headmove.jsonl" "$ALL/x/sub.jsonl"
	cp "$FIXTURES/pi-v3-headmove.jsonl" "$ALL/y%2F/sub.jsonl"
	start "$SESSFS" "$ALL" "$MNT"
	is "x
x%2F
y%2F%2F" ls "$MNT"
	is by-id/aa000025 readlink "$MNT/x/HEAD"
	is by-id/dd000002 readlink "$MNT/x%2F/sub/HEAD"
	is by-id/dd000002 readlink "$MNT/y%2F%2F/sub/HEAD"
	rm "$ALL/x.jsonl"
	is "x
y%2F%2F" ls "$MNT"
	is by-id/dd000002 readlink "$MNT/x/sub/HEAD"
}

@test "sessions and folders come and go" {
	mount_folder
	is by-id/aa000025 readlink "$MNT/a/one/HEAD"
	local i
	for i in 1 2 3; do
		mkdir "$ALL/new$i"
		is "a
b
$(seq -f new%g "$i")
top" ls "$MNT"
		cp "$FIXTURES/pi-v3-headmove.jsonl" "$ALL/new$i/s.jsonl"
		is s ls "$MNT/new$i"
		is by-id/dd000002 readlink "$MNT/new$i/s/HEAD"
	done
	cd "$MNT/new1/s/by-id/dd000001"
	rm -r "$ALL/new1"
	fails_with "No such file" ls "$MNT/new1"
	fails_with "Stale file handle" cat content
	cd "$MNT"
	is "a
b
new2
new3
top" ls
	# Back again, as another.
	mkdir "$ALL/new1"
	write_session "$(user 00000001 "" "another")"
	mv "$SESSION" "$ALL/new1/s.jsonl"
	is another cat "$MNT/new1/s/HEAD/content"
	mv "$ALL/new1/s.jsonl" "$ALL/b/moved.jsonl"
	[ -z "$(ls -A "$MNT/new1")" ]
	is another cat "$MNT/b/moved/HEAD/content"
	# A session in the place of a folder, and the other way round.
	rm -r "$ALL/new2"
	cp "$FIXTURES/pi-v3-headmove.jsonl" "$ALL/new2.jsonl"
	is by-id/dd000002 readlink "$MNT/new2/HEAD"
	rm "$ALL/new2.jsonl"
	mkdir "$ALL/new2"
	[ -z "$(ls -A "$MNT/new2")" ]
	[ -d "$MNT/new2" ]
}

@test "lines that an agent appends are seen at once in every session" {
	many_sessions 20
	start "$SESSFS" -o keep=4 "$ALL" "$MNT"
	local i
	for i in {1..20}; do
		is "still $i" cat "$MNT/s$i/HEAD/content"
	done
	for i in {1..20}; do
		SESSION=$ALL/s$i.jsonl append_user 00000003 00000002 "more of $i"
		is "more of $i" cat "$MNT/s$i/HEAD/content"
		[ -d "$MNT/s$i/tree/00000001/00000002/00000003" ]
	done
}

@test "HEAD moves and labels go to the session that they are made in" {
	mount_folder
	ln -sfn by-id/aa000004 "$MNT/a/one/HEAD"
	is by-id/aa000004 readlink "$MNT/a/one/HEAD"
	ln -sfn "$MNT/a/one/by-id/aa000005" "$MNT/a/one/HEAD"
	is by-id/aa000005 readlink "$MNT/a/one/HEAD"
	ln -sf "$MNT/a/one/by-id/aa000004" "$MNT/a/one/HEAD"
	is by-id/aa000004 readlink "$MNT/a/one/HEAD"
	(cd "$DIR" && ln -sfn mnt/a/one/by-id/aa000008 mnt/a/one/HEAD)
	is by-id/aa000008 readlink "$MNT/a/one/HEAD"
	ln -sfn by-id/aa000005 "$MNT/a/one/HEAD"
	is by-id/aa000005 readlink "$MNT/a/one/HEAD"
	rm "$MNT/a/one/HEAD"
	# Hidden in its own session only.
	fails_with "No such file" readlink -v "$MNT/a/one/HEAD"
	readlink "$MNT/a/two/HEAD"
	ln -sfn "by-id/$(ls "$MNT/a/two/by-id" | head -n 1)" "$MNT/a/two/HEAD"
	rm "$MNT/a/two/HEAD"
	ln -s by-id/aa000008 "$MNT/a/one/HEAD"
	is by-id/aa000008 readlink "$MNT/a/one/HEAD"
	ln -s tree "$MNT/a/two/HEAD"
	echo mine >"$MNT/a/one/by-id/aa000004/label"
	is mine cat "$MNT/a/one/by-label/mine/label"
	fails_with "No such file" stat "$MNT/a/two/by-label/mine"
	# An entry of another session is none of this one.
	fails_with "No such file" ln -sfn "$MNT/b/go-tree/by-id/$(ls "$MNT/b/go-tree/by-id" | head -n 1)" "$MNT/a/one/HEAD"
	is by-id/aa000008 readlink "$MNT/a/one/HEAD"
	# Version 1 is migrated in its place.
	echo x >"$MNT/a/deep/old/HEAD/label"
	is x cat "$MNT/a/deep/old/HEAD/label"
	[ -e "$ALL/a/deep/old.jsonl.v1.bak" ]
	is old ls "$MNT/a/deep"
}

@test "nothing can be made, removed or renamed among the sessions" {
	mount_folder
	local no="Operation not permitted" before
	before=$(find "$ALL" | sort)
	fails_for_root_with "$no" mkdir "$MNT/x"
	fails_for_root_with "$no" touch "$MNT/a/x"
	fails_with "$no" rm "$MNT/top/info"
	fails_for_root_with "$no" rmdir "$MNT/a/deep"
	fails_for_root_with "$no" ln -s a "$MNT/x"
	fails_for_root_with "$no" mv "$MNT/top" "$MNT/x"
	fails_for_root_with "$no" mv "$MNT/top" "$MNT/a/top"
	fails_with "$no" chmod 700 "$MNT/a"
	[ "$(find "$ALL" | sort)" = "$before" ]
}

@test "-o ro refuses every write in every session" {
	mount_folder -o ro
	local no="Read-only file system"
	fails_with "$no" ln -sfn by-id/aa000004 "$MNT/a/one/HEAD"
	fails_with "$no" write_label x "$MNT/a/two/HEAD"
	fails_with "$no" mkdir "$MNT/x"
	fails_with "$no" mkdir "$MNT/a/one/x"
	cmp "$FIXTURES/pi-v3-branches.jsonl" "$ALL/a/one.jsonl"
	is drwxr-xr-x stat -c %A "$ALL"
	is dr-xr-xr-x stat -c %A "$MNT/a/one"
}

# bats test_tags=large
@test "no two files share an inode number, but an entry's in both views" {
	needs python3
	many_sessions 6
	cp "$ALL/s1.jsonl" "$ALL/copy.jsonl"
	start "$SESSFS" -o keep=2 "$ALL" "$MNT"
	python3 - "$MNT" <<-'PY'
	import os, sys
	seen = {}
	for at, folders, files in os.walk(sys.argv[1]):
	    for name in folders + files:
	        path = os.path.join(at, name)
	        st = os.lstat(path)
	        rel = os.path.relpath(path, sys.argv[1])
	        session = rel.split("/")[0]
	        seen.setdefault(st.st_ino, []).append((session, os.path.basename(at), name, st.st_nlink))
	for ino, files in seen.items():
	    assert len(files) == 1 or (len(files) == files[0][3] == 2 and files[0][:3] == files[1][:3]), (ino, files)
	assert len(seen) > 100
	PY
}

@test "inode numbers of many folders differ where the kernel looks" {
	needs python3
	mkdir "$DIR/all"
	(cd "$DIR/all" && seq 1000 | xargs mkdir)
	start "$SESSFS" "$DIR/all" "$MNT"
	# It takes the upper bits for little: all would be in one row of its table.
	is 1000 python3 -c "import os; print(len({e.inode() % 2**46 for e in os.scandir('$MNT')}))"
}

# tar compares the times from before and after it has read a folder.
packs() {
	tar -cf "$DIR/packed" -C "$1" . 2>"$DIR/complaints" || {
		cat "$DIR/complaints"
		return 1
	}
}

mtime() {
	stat -c %y "$1"
}

@test "tar packs sessions of several agents, and says nothing" {
	mount_folder
	packs "$MNT"
	packs "$MNT"
	tar -tf "$DIR/packed" >"$DIR/listed"
	is 5 grep -c '/info$' "$DIR/listed"
}

# Rules: F3
@test "a folder's mtime changes with its set of names, and only then" {
	mount_folder
	local before
	before=$(mtime "$MNT/a")
	for _ in 1 2 3; do
		ls "$MNT/a" >/dev/null
		cat "$MNT/a/sessions.txt" >/dev/null
		is "$before" mtime "$MNT/a"
	done
	# A session whose lines become those of none, and again of one: the folder on
	# the disk stays as it is.
	cp "$ALL/a/two.jsonl" "$DIR/two"
	echo '{"hello":"world"}' >"$ALL/a/two.jsonl"
	is "deep
one" ls "$MNT/a"
	[ "$(mtime "$MNT/a")" != "$before" ]
	before=$(mtime "$MNT/a")
	cat "$DIR/two" >"$ALL/a/two.jsonl"
	is "deep
one
two" ls "$MNT/a"
	[ "$(mtime "$MNT/a")" != "$before" ]
	before=$(mtime "$MNT/a")
	cp "$DIR/two" "$ALL/a/three.jsonl"
	[ "$(mtime "$MNT/a")" != "$before" ]
	is "deep
one
three
two" ls "$MNT/a"
	before=$(mtime "$MNT/a")
	rm "$ALL/a/three.jsonl"
	is "deep
one
two" ls "$MNT/a"
	[ "$(mtime "$MNT/a")" != "$before" ]
}

@test "modes, owners and times are those of the files" {
	mount_folder
	chmod 750 "$ALL/a"
	chmod 640 "$ALL/a/one.jsonl"
	touch -d 2026-02-03T04:05:06Z "$ALL/a/two.jsonl" "$ALL/b"
	is dr-xr-x--- stat -c %A "$MNT/a"
	is drwxr-x--- stat -c %A "$MNT/a/one"
	is -r--r----- stat -c %A "$MNT/a/one/info"
	is $'1770091506\n1770091506' stat -c %Y "$MNT/a/two" "$MNT/b"
}

# The files that the daemon has open.
open_files() {
	local pid
	pid=$(pgrep -f "sessfs .*$DIR/all" | head -n 1)
	find "/proc/$pid/fd" -lname "$ALL/*" | wc -l
}

@test "sessions are read when entered, and only so many stay in memory" {
	many_sessions 40
	start "$SESSFS" -o keep=5 "$ALL" "$MNT"
	ls -l "$MNT" >"$DIR/listed"
	is 40 grep -c ^d "$DIR/listed"
	is 0 open_files
	cat "$MNT/s1/HEAD/content"
	is 1 open_files
	cat "$MNT"/*/by-id/*/content >"$DIR/read"
	has_lines 80 "$DIR/read"
	is 5 open_files
	# One that comes back is the same: a shell that stands in it stays.
	cd "$MNT/s1/by-id/00000001"
	cat "$MNT"/*/HEAD/content >"$DIR/read"
	has_lines 40 "$DIR/read"
	SESSION=$ALL/s1.jsonl append_user 00000003 00000002 "more"
	is "I am 1" cat content
	is more cat ../00000003/content
	is "[User]: more" tail -n 1 "$MNT/s1/context.txt"
	cat "$MNT"/*/HEAD/content >"$DIR/read"
	has_lines 40 "$DIR/read"
	is "I am 1" cat content
	# Unless it was replaced meanwhile.
	SESSION=$ALL/s1.jsonl
	write_session "$(user 00000001 "" "other")" "$(user 00000002 00000001 "other")" "$(user 00000003 00000002 "third")"
	is other cat "$MNT/s1/by-id/00000001/content"
	fails_with "Stale file handle" cat content
	cd "$MNT"
}

@test "a session that is not in memory is neither cached nor watched" {
	many_sessions 3
	start "$SESSFS" -o keep=1 "$ALL" "$MNT"
	cd "$MNT/s1/by-id/00000001"
	ls -U >/dev/null
	cat "$MNT/s2/HEAD/content" "$MNT/s3/HEAD/content" >/dev/null
	is 1 watches "$(daemon)"
	is 1 open_files
	SESSION=$ALL/s1.jsonl append_user 00000003 00000001 "new"
	ls -U >"$DIR/names"
	has_line 00000003 "$DIR/names"
	is new cat 00000003/content
	cd "$DIR"
}

@test "a deleted SOURCE is not an empty folder" {
	many_sessions 2
	start "$SESSFS" "$ALL" "$MNT"
	mv "$ALL" "$DIR/away"
	fails_with "Stale file handle" ls "$MNT"
	fails_with "No such file" ls "$MNT/s1"
	mv "$DIR/away" "$ALL"
	is "s1
s2" ls "$MNT"
}

@test "a bad number of sessions or seconds: one line, status 2" {
	mkdir "$DIR/all"
	local option
	for option in keep=0 keep=x keep=-1 keep= poll=0 poll=x poll=-1 poll=1e9; do
		fails_in_a_line "sessfs: $option: must be a number " 2 "$SESSFS" -o "$option" "$DIR/all" "$MNT"
	done
}

@test "a mount point inside of SOURCE, or SOURCE inside of it, is refused" {
	mkdir -p "$DIR/all/mnt" "$DIR/mnt/all"
	local at
	for at in "$DIR/all/mnt" "$DIR/all"; do
		fails_in_a_line "sessfs: $at: " 1 "$SESSFS" "$DIR/all" "$at"
		not_mounted "$at"
	done
	refuses 1 "sessfs: $MNT: the mount would hide the session" "$SESSFS" "$DIR/mnt/all" "$MNT"
	# A name that only begins alike is no folder of the other.
	mkdir "$DIR/all-mnt"
	start "$SESSFS" "$DIR/all" "$DIR/all-mnt"
	is mnt ls "$DIR/all-mnt"
}

# bats test_tags=large,full
@test "many at once: readers of all sessions while they grow, come and go" {
	many_sessions 12
	start "$SESSFS" -o keep=3 "$ALL" "$MNT"
	local i r pids=()
	for r in 1 2 3 4; do
		(
			for i in {1..8}; do
				# Of files that come and go.
				grep -rh "" "$MNT" --include=content >/dev/null 2>&1 || :
				find "$MNT" -ls >/dev/null 2>&1 || :
			done
		) &
		pids+=($!)
	done
	for i in {1..60}; do
		SESSION=$ALL/s$((i % 12 + 1)).jsonl append_user "n$i" 00000002 "line $i"
		cp "$ALL/s1.jsonl" "$ALL/x$((i % 5)).jsonl"
		rm -f "$ALL/x$(((i + 2) % 5)).jsonl"
		echo "l$i" >"$MNT/s$((i % 12 + 1))/by-id/00000001/label"
	done
	for r in "${pids[@]}"; do wait "$r"; done
	for i in {1..12}; do
		is "entries: $(($(wc -l <"$ALL/s$i.jsonl") - 1))" grep ^entries: "$MNT/s$i/info"
	done
}
