# A folder with more sessions than the limit on open files: -o keep= and
# descriptors.
load lib/mount
load lib/run
load lib/pi

# Start the daemon with these soft and hard limits on open files: "64:64".
mount_limited() {
	local limits=$1
	shift
	prlimit --nofile="$limits" "$SESSFS" "$@" "$ALL" "$MNT"
}

# The number of session files that the daemon has open.
open_files() {
	find "/proc/$(daemon)/fd" -lname "$ALL/*.jsonl" | wc -l
}

# Read all sessions: fails on an error, prints how many files were found.
search() {
	(cd "$MNT" && LC_ALL=C grep -rc am --include=content .) >"$DIR/found" || {
		[ $? -eq 1 ] || return 1
	}
	wc -l <"$DIR/found"
}

# The inode numbers of all entries' folders.
numbers() {
	(cd "$MNT" && stat -c '%i %n' ./*/by-id/*)
}

# limit_is PID COLUMN N: fails unless this limit on open files is N. Column 4 is
# the soft limit, 5 the hard one.
limit_is() {
	is "$3" awk -v column="$2" '/^Max open files/ { print $column }' "/proc/$1/limits"
}

# sessions_are_watched N: each of them, and perhaps the folder, if it was scanned lately.
sessions_are_watched() {
	local n
	n=$(watches "$(daemon)")
	[ "$n" -eq "$1" ] || [ "$n" -eq $(($1 + 1)) ] || {
		echo "$n watches for $1 sessions"
		return 1
	}
}

# Rules: M2
# bats test_tags=large,full
@test "many more sessions are kept than files may be open" {
	local limits
	many_sessions 100
	for limits in 64:64 64:; do
		mount_limited "$limits" -o keep=1000
		is 400 search
		numbers >"$DIR/before"
		cd "$MNT/s1/by-id/00000001"
		is 400 search
		is 100 bash -c "ls '$MNT' | wc -l"
		# All are in memory, and the same as before.
		sessions_are_watched 100
		is "$(cat "$DIR/before")" numbers
		is "I am 1" cat content
		cd "$DIR"
		[ "$(open_files)" -le 8 ]
		unmount
		daemon_is_gone
	done
}

# bats test_tags=large,full
@test "many read all sessions at once with few descriptors" {
	local i pids=()
	many_sessions 60
	mount_limited 64:64 -o keep=1000
	for i in {1..12}; do
		(cd "$MNT" && LC_ALL=C grep -rh am --include=content . |
			wc -l >"$DIR/found$i") 2>>"$DIR/errors" &
		pids+=($!)
	done
	for i in "${pids[@]}"; do wait "$i"; done
	[ ! -s "$DIR/errors" ]
	is "12 120" bash -c "cat '$DIR'/found* | sort | uniq -c | xargs"
	# Threads are in twelve at most.
	[ "$(open_files)" -le 12 ]
}

# bats test_tags=large,full
@test "sessions whose file was closed show new lines, and can be written to" {
	local i
	many_sessions 80
	cp "$FIXTURES/go-tree.jsonl" "$FIXTURES/go-tree.head.json" "$ALL"
	cp "$FIXTURES/omp-v3-basic.jsonl" "$ALL/omp.jsonl"
	mount_limited 64:64 -o keep=1000
	search >/dev/null
	readlink "$MNT/go-tree/HEAD" >"$DIR/go-head"
	numbers >"$DIR/before"
	for i in {1..80}; do
		SESSION=$ALL/s$i.jsonl append_user 00000003 00000002 "more of $i"
	done
	for i in {1..80}; do
		is "more of $i" cat "$MNT/s$i/HEAD/content"
		ln -sfn by-id/00000001 "$MNT/s$i/HEAD"
		echo "label $i" >"$MNT/s$i/by-id/00000002/label"
	done
	for i in {1..80}; do
		is by-id/00000001 readlink "$MNT/s$i/HEAD"
		is "label $i" cat "$MNT/s$i/by-label/label $i/label"
		is 1 grep -c "\"label $i\"" "$ALL/s$i.jsonl"
	done
	is "$(cat "$DIR/go-head")" readlink "$MNT/go-tree/HEAD"
	echo mine >"$MNT/omp/HEAD/label"
	is mine cat "$MNT/omp/HEAD/label"
	# The old entries are the ones that they were.
	is "$(cat "$DIR/before")" bash -c "cd '$MNT' && stat -c '%i %n' \$(cut -d' ' -f2 '$DIR/before')"
	# Others than they were.
	SESSION=$ALL/s1.jsonl
	write_session "$(user 00000001 "" "other")"
	is other cat "$MNT/s1/HEAD/content"
	rm "$ALL/s2.jsonl"
	fails_with "No such file" ls "$MNT/s2"
}

# bats test_tags=large
@test "programs in a session whose file was closed see new lines" {
	local option
	many_sessions 80
	for option in keep=1000 keep=1000,poll=0.05; do
		mount_limited 64:64 -o "$option"
		cd "$MNT/s1/by-id/00000001"
		ls -U >/dev/null
		search >/dev/null
		cat label >/dev/null
		printf '{"type":"label","id":"%s","parentId":"00000002","timestamp":"2026-03-01T10:00:00.000Z","targetId":"00000001","label":"%s"}\n' \
			"$option" "$option" >>"$ALL/s1.jsonl"
		wait_until grep -qx "$option" label
		cd "$DIR"
		unmount
		daemon_is_gone
	done
}

# bats test_tags=full
@test "without a free descriptor another session's file is closed" {
	many_sessions 60
	mount_limited 1024: -o keep=1000
	cat "$MNT"/s?/HEAD/content "$MNT"/s[12]?/HEAD/content >/dev/null
	is 29 open_files
	# As many as are already in use.
	prlimit --pid "$(daemon)" --nofile=32:32
	is 240 search
	is 60 bash -c "ls '$MNT' | wc -l"
	sessions_are_watched 60
	echo x >"$MNT/s60/HEAD/label"
	is x cat "$MNT/s60/HEAD/label"
	cp "$ALL/s1.jsonl" "$ALL/new.jsonl"
	is "still 1" cat "$MNT/new/HEAD/content"
	[ "$(open_files)" -lt 29 ]
}

@test "the daemon may open all that the hard limit allows, its children not" {
	local pid child
	[ "${SESSFS##*/}" != valgrind ] || skip "valgrind keeps the soft limit for itself"
	cp "$FIXTURES/pi-v3-branches.jsonl" "$SESSION"
	prlimit --nofile=100:500 "$SESSFS" -o auto_unmount "$SESSION" "$MNT"
	head_is by-id/aa000025
	pid=$(daemon)
	limit_is "$pid" 4 500
	limit_is "$pid" 5 500
	child=$(pgrep -f "fusermount3 .*$MNT")
	limit_is "$child" 4 100
	limit_is "$child" 5 500
}

@test "the largest number of sessions to keep, and one more" {
	many_sessions 1
	start "$SESSFS" -o keep=131072 "$ALL" "$MNT"
	unmount
	refuses 2 "sessfs: keep=131073: must be a number from 1 to 131072" \
		"$SESSFS" -o keep=131073 "$ALL" "$MNT"
}
