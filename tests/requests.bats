# What the kernel caches and what it requests, counted by -o stats.

load lib/mount
load lib/run
load lib/pi

# Write a chain of this many messages.
chain() {
	local i words up id
	write_session
	printf -v words 'a word %.0s' {1..700}
	for ((i = 0; i < $1; i++)); do
		printf -v up '%08x' "$i"
		[ "$i" -ne 0 ] || up=
		printf -v id '%08x' $((i + 1))
		message "$id" "$up" "{\"role\":\"user\",\"content\":\"entry $i says ${words:0:i*7}\"}"
		echo
	done >>"$SESSION"
}

# Put the value of a counter, now or in a copy of info, into COUNT; print it.
count() {
	local info
	whole info "${2:-$MNT/info}"
	[[ $'\n'$info =~ $'\n'"$1":\ +([0-9]+) ]] && COUNT=${BASH_REMATCH[1]}
}

counter() {
	count "$@" && echo "$COUNT"
}

# counts TEST: of a counter, such as "requests-read -eq 1".
counts() {
	count "$1" && test "$COUNT" "$2" "$3" || {
		echo "$1 is $COUNT"
		return 1
	}
}

# The same of its growth between two copies of info.
grows() {
	count "$1" "$DIR/before" || return
	local before=$COUNT
	count "$1" "$DIR/after" || return
	test $((COUNT - before)) "$2" "$3" || {
		echo "$1 has grown by $((COUNT - before))"
		return 1
	}
}

# Read all entries, as a search over all branches does.
search() {
	(cd "$DIR" && LC_ALL=C grep -rc word mnt/by-id >"$DIR/found")
}

# Run a command, with info before and after it in $DIR/before and $DIR/after.
counted() {
	local info
	whole info "$MNT/info" && printf %s "$info" >"$DIR/before" && "$@" &&
		whole info "$MNT/info" && printf %s "$info" >"$DIR/after"
}

@test "info counts requests by kind, with -o stats only" {
	chain 3
	mount_session -o stats
	cat "$MNT/by-id/00000001/content" "$MNT/by-id/00000002/content" >/dev/null
	readlink "$MNT/HEAD" >/dev/null
	ls "$MNT/tree" >/dev/null
	counts requests-read -eq 2
	counts requests-readlink -eq 1
	counts requests-readdir -ge 2
	counts requests-lookup -ge 8
	counts requests-getattr -ge 1
	counts requests-write -eq 0
	# Two names in by-id/, and a name and a read in each.
	counts of-entries -ge 6
	[ "$(counter of-entries)" -lt "$(counter requests)" ]
	echo x >"$MNT/HEAD/label"
	counts requests-write -eq 1
	counts requests-setattr -eq 1
	counts cache-hits -ge 2
	counts cache-misses -ge 2
	is "$(wc -c <"$SESSION")" counter indexed-bytes
	cat "$MNT/info" >"$DIR/after"
	is "$(counter requests "$DIR/after")" \
		awk '/^requests-/ { n += $2 } END { print n }' "$DIR/after"
	unmount
	mount_session
	not has $'\nrequests' "$MNT/info"
}

# One READ is for info. The other requests are for the walk to by-id/ and its
# listing, and for the leaf's folder, where the next entry is to be expected.
asks_little() {
	counted search && grows requests-read -eq 1 && grows requests-readdir -le 8 &&
		grows requests -le 40
}

search_but_leaf() {
	(cd "$MNT/by-id" && printf '%08x\n' {1..399} | xargs grep -rc word >/dev/null)
}

asks_for_no_entry() {
	counted search_but_leaf && grows of-entries -eq 0
}

# Rules: C1
# Pages are given once two threads have served, which may be late; what was read
# before that is asked for its attributes the next time.
@test "a second read of all entries makes no request for them" {
	chain 400
	mount_session -o stats
	search
	cp "$DIR/found" "$DIR/first"
	wait_until asks_little
	diff "$DIR/first" "$DIR/found"
	has_lines 1200 "$DIR/found"
	wait_until asks_for_no_entry
}

@test "a program that walks and reads gets pages in advance: they are the files' bytes" {
	chain 400
	mount_session -o stats
	search
	# None before two threads have served, which may be late: what was not
	# given is read, and nothing that was given.
	counts files-stored -ge 100
	[ $(($(counter requests-read) + $(counter files-stored))) -le 810 ]
	cp -r "$MNT/by-id" "$DIR/stored"
	unmount
	# With one thread none are given: another READ might wait for it.
	mount_session -s -o stats
	search
	counts files-stored -eq 0
	counts requests-read -ge 800
	diff -r --no-dereference "$DIR/stored" "$MNT/by-id"
}

@test "a program that only walks gets no pages in advance" {
	chain 400
	mount_session -o stats
	find "$MNT/tree" "$MNT/by-id" >/dev/null
	counts files-stored -eq 0
	counts requests-read -eq 1
}

@test "a label set by another program shows, although the kernel has cached the file" {
	needs python3
	local i
	chain 20
	mount_session
	for i in {1..8}; do
		search
		printf '{"type":"label","id":"l%s","parentId":"00000014","timestamp":"2026-03-01T10:00:00.000Z","targetId":"00000003","label":"said %s"}\n' \
			"$i" "$i" >>"$SESSION"
		is "said $i" cat "$MNT/by-id/00000003/label"
		is "said $i" grep -rh said "$MNT/by-id/00000003" --include=label
	done
	# A program there makes no request, and sees it.
	cd "$MNT/by-id/00000003"
	is "said 8" cat label
	printf '{"type":"label","id":"last","parentId":"00000014","timestamp":"2026-03-01T10:00:00.000Z","targetId":"00000003","label":"last"}\n' >>"$SESSION"
	wait_until grep -qx last label
}

@test "a label is written right where the kernel has kept the file" {
	needs python3
	chain 5
	mount_session
	local file=$MNT/by-id/00000002/label
	search
	echo one >"$file"
	is one cat "$file"
	search
	is one cat "$file"
	echo two >"$file"
	is two cat "$MNT/tree/00000001/00000002/label"
	search
	# An append makes two lines of it, which no label is; it stays.
	fails_with "Invalid argument" eval 'echo three >>"$file"'
	is two cat "$file"
	fails_with "Invalid argument" eval 'printf "a\nb" >"$file"'
	is two cat "$file"
	search
	: >"$file"
	[ -z "$(cat "$file")" ]
	search
	printf four >>"$file"
	is four cat "$file"
}

@test "a file that is open when its session is replaced is stale, not old" {
	needs python3
	chain 5
	mount_session
	search
	python3 - "$MNT" "$SESSION" <<-'PY'
	import errno, os, sys
	mnt, session = sys.argv[1:]
	names = "content", "meta", "context.txt", "context.json", "raw.json", "branch.jsonl", "label"
	fds = [os.open(f"{mnt}/by-id/00000002/{name}", os.O_RDONLY) for name in names]
	for fd in fds:
	    os.pread(fd, 1000, 0)
	with open(session) as f:
	    text = f.read()
	with open(session + ".new", "w") as f:
	    f.write(text.replace("says", "SAYS"))
	os.rename(session + ".new", session)
	assert b"SAYS" in open(f"{mnt}/by-id/00000002/content", "rb").read()
	for name, fd in zip(names, fds):
	    try:
	        assert not os.pread(fd, 1000, 0), name
	    except OSError as e:
	        assert e.errno == errno.ESTALE, (name, e)
	    else:
	        assert name == "label", name
	PY
}

@test "a folder has its entry's time, and another when it gets a child" {
	export TZ=UTC
	chain 3
	mount_session
	local at=$MNT/by-id/00000002
	is "2026-03-01 10:00:01.000000000 +0000" stat -c %y "$at"
	append_user 0000000b 00000002
	is "2026-03-01 10:00:01.000000001 +0000" stat -c %y "$at"
	append_user 0000000c 00000002
	is "2026-03-01 10:00:01.000000002 +0000" stat -c %y "$at"
	is "$(printf '%s\n' 00000003 0000000b 0000000c)" bash -c "ls '$at' | grep '^0'"
	is "2026-03-01 10:00:01.000000000 +0000" stat -c %y "$MNT/by-id/00000001"
}

# Open each entry's files by full paths, after names that programs such as rg
# look for in each folder. Several threads do it, as rg's.
walk_by_paths() {
	python3 - "$MNT/by-id" <<-'PY'
	import os, sys, threading
	at = sys.argv[1]
	ids = os.listdir(at)
	def walk():
	    for id in ids:
	        for name in ".git", ".gitignore", ".ignore", ".rgignore":
	            assert not os.path.lexists(f"{at}/{id}/{name}")
	        for name in "content", "meta", "label":
	            with open(f"{at}/{id}/{name}", "rb", 0) as f:
	                f.read()
	threads = [threading.Thread(target=walk) for _ in range(2)]
	for t in threads: t.start()
	for t in threads: t.join()
	PY
}

# 5,600 paths, of which each would need two requests, and the absent names one. On a
# machine with much else to do, programs pause too often for that.
walks_with_few_requests() {
	counted walk_by_paths && grows requests -lt 1000
}

# Rules: C2
# bats test_tags=large,full
@test "a program that walks by full paths makes few requests the second time" {
	chain 400
	mount_session -o stats
	walk_by_paths
	wait_until walks_with_few_requests
	# The session changes: it is read as it is now.
	append_user 0000000b 00000001
	[ -d "$MNT/by-id/00000001/0000000b" ]
	is "said by 0000000b" cat "$MNT/by-id/0000000b/content"
}

# bats test_tags=large,full
@test "a walk by full paths in folders of sessions makes few requests the second time" {
	chain 400
	mkdir -p "$DIR/all/of them"
	mv "$SESSION" "$DIR/all/of them/a.jsonl"
	"$SESSFS" -o stats "$DIR/all" "$MNT"
	local top=$MNT
	MNT="$top/of them/a"
	walk_by_paths
	wait_until walks_with_few_requests
	# The folder and the session disappear: what is in them, at once.
	mv "$DIR/all/of them" "$DIR/all/others"
	fails_with "No such file or directory" cat "$MNT/info"
	is others ls "$top"
	wait_until not test -e "$top/of them"
	MNT=$top/others/a
	walk_by_paths
	mv "$DIR/all/others/a.jsonl" "$DIR/a"
	fails_with "No such file or directory" ls "$MNT/by-id"
	is 0 bash -c "ls '$top/others' | wc -l"
	wait_until not test -e "$MNT"
}

@test "a name that no entry can have is asked for once, and can be made all the same" {
	chain 3
	mount_session -o stats
	local at
	for at in by-id/00000001 tree/00000001; do
		ls "$MNT/$at" >/dev/null
		if [ -e "$MNT/$at/.gitignore" ]; then return 1; fi
		cd "$MNT/$at"
		counted not test -e .gitignore
		grows of-entries -eq 0
		# One that an entry could have.
		counted not test -e gitignore
		grows of-entries -eq 1
		cd "$DIR"
	done
	if [ -e "$MNT/HEAD/.next" ] || [ -e "$MNT/.HEAD" ]; then return 1; fi
	ln -s ../00000001 "$MNT/HEAD/.next"
	is ../00000001 readlink "$MNT/HEAD/.next"
	rm "$MNT/HEAD/.next"
	if [ -L "$MNT/HEAD/.next" ]; then return 1; fi
	ln -s ../00000002 "$MNT/HEAD/.next"
	is ../00000002 readlink "$MNT/HEAD/.next"
	ln -s by-id/00000001 "$MNT/.HEAD"
	mv -T "$MNT/.HEAD" "$MNT/HEAD"
	if [ -L "$MNT/.HEAD" ]; then return 1; fi
	is by-id/00000001 readlink "$MNT/HEAD"
}

# Rules: C2
@test "who appends and looks beside a walk by full paths is late once at most" {
	chain 200
	mount_session
	cat >"$DIR/walk.py" <<-'PY'
	import os, sys
	at, done = sys.argv[1:]
	ids = os.listdir(at)
	while not os.path.exists(done):
	    for id in ids:
	        open(f"{at}/{id}/label").close()
	PY
	python3 "$DIR/walk.py" "$MNT/by-id" "$DIR/done" &
	local walk=$!
	python3 - "$MNT" "$SESSION" <<-'PY'
	import os, sys, time
	mnt, session = sys.argv[1:]
	line = '{"type":"label","id":"l%d-%d","parentId":"000000c8","targetId":"00000003","label":"%d-%d"}\n'
	def label():
	    with open(f"{mnt}/by-id/00000003/label") as f:
	        return f.read().strip()
	label()
	for turn in range(3):
	    time.sleep(1.2)
	    before = None
	    for i in range(100):
	        with open(session, "a") as f:
	            f.write(line % (turn, i, turn, i))
	        now = time.monotonic()
	        late = label() != f"{turn}-{i}"
	        # The first one may be late. So may one after a second's pause.
	        assert not late or before is None or now - before > 0.5, (turn, i)
	        end = now + 10
	        while label() != f"{turn}-{i}":
	            assert time.monotonic() < end, (turn, i)
	        before = now
	        os.stat(f"{mnt}/by-id/l{turn}-{i}")
	        assert len(os.listdir(f"{mnt}/by-id")) == 200 + 100 * turn + i + 1
	PY
	touch "$DIR/done"
	wait "$walk"
}

@test "a symlink's target is asked for once, and a new target is seen at once" {
	chain 5
	mount_session -o stats
	local i
	readlink "$MNT/by-id/00000002/parent" >/dev/null
	counted is ../00000001 readlink "$MNT/by-id/00000002/parent"
	grows requests-readlink -eq 0
	for i in 3 1 4 1; do
		ln -sfn "by-id/0000000$i" "$MNT/HEAD"
		is "by-id/0000000$i" readlink "$MNT/HEAD"
		grep -q "^entry $((i - 1)) says " "$MNT/HEAD/content"
		counted is "by-id/0000000$i" readlink "$MNT/HEAD"
		grows requests-readlink -eq 0
		: >"$MNT/by-id/0000000$((i % 4 + 1))/label"
		echo mine >"$MNT/by-id/0000000$i/label"
		is "../by-id/0000000$i" readlink "$MNT/by-label/mine"
	done
	ln -sfn tree "$MNT/HEAD"
	is tree readlink "$MNT/HEAD"
	[ "$(readlink "$MNT/HEAD" | wc -c)" -eq 5 ]
	append_user 0000000b 00000002
	is by-id/0000000b readlink "$MNT/HEAD"
	is ../00000002 readlink "$MNT/HEAD/parent"
	is "$(stat -c %i "$MNT/HEAD")" bash -c "ls -i '$MNT' | sed -n 's/ *\([0-9]*\) HEAD\$/\1/p'"
	# Staged links are made in few slots, one after the other.
	python3 - "$MNT" <<-'PY'
	import os, sys
	for i in range(300):
	    target = "by-id/0000000%d" % (i % 5 + 1)
	    at = os.path.join(sys.argv[1], ".next%d" % i)
	    os.symlink(target, at)
	    if os.readlink(at) != target:
	        sys.exit(at)
	    os.remove(at)
	PY
}

# List everything and then read it.
list_and_read() {
	find "$MNT/by-id" -type f -exec cat {} + >"$1"
}

@test "files that are read in order, long after they were listed, get pages in advance" {
	chain 400
	mount_session -s
	list_and_read "$DIR/read"
	unmount
	daemon_is_gone
	mount_session -o stats
	# A thread stores only if another one has served, which may be late.
	cat "$MNT/info" "$MNT/by-id/00000001/content" >/dev/null
	list_and_read "$DIR/ahead"
	cmp "$DIR/read" "$DIR/ahead"
	[ $(($(counter requests-read) + $(counter files-stored))) -ge 800 ]
	counts requests-read -lt 810
	unmount
	daemon_is_gone
	# Read by many at once, while the session grows.
	mount_session -o stats
	local i pids=()
	for i in 1 2 3 4 5 6; do
		timeout 60 find "$MNT/by-id" -type f -exec cat {} + >"$DIR/read.$i" & pids+=($!)
		timeout 60 grep -rc word "$MNT/by-id" >/dev/null & pids+=($!)
	done
	for i in {10..30}; do append_user "0000a0$i" 00000190; done
	for i in "${pids[@]}"; do wait "$i"; done
	counts files-stored -gt 0
}

# Put into WAITS how often the daemon's threads have begun to wait.
waits() {
	local at status
	WAITS=0
	for at in "/proc/$1/task/"*/status; do
		whole status "$at"
		[[ $status =~ $'\nvoluntary_ctxt_switches:'[[:space:]]+([0-9]+) ]] || return
		WAITS=$((WAITS + BASH_REMATCH[1]))
	done
}

idles() {
	local before
	waits "$1" || return
	before=$WAITS
	sleep 0.5
	waits "$1" || return
	[ $((WAITS - before)) -lt 10 ]
}

# The kernel knows an entry's folder only in the view in which it was looked up. For some
# seconds it is notified again of the other one, less and less often.
@test "a mount that nobody uses does nothing" {
	local pid i
	chain 20
	mount_session
	find "$MNT/by-id" >/dev/null
	for i in {1..9}; do
		append_user "0000010$i" "0000000$i"
		[ -d "$MNT/by-id/0000000$i/0000010$i" ]
		echo "label $i" >"$MNT/by-id/0000000$i/label"
	done
	pid=$(daemon)
	for i in {1..15}; do
		if idles "$pid"; then return; fi
	done
	echo "it has had $WAITS waits"
	return 1
}
