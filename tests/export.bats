# sessfs --export: the files of a mount, as plain files.
load lib/mount
load lib/run
load lib/pi

setup() {
	make_folder
	cd "$DIR"
	# Not where a folder is mounted.
	OUT=${DIR%/test}/out
}

# same_as_mount MOUNT EXPORT [SESSION]...: fails unless the export equals the mount, except
# for tree/ and what is not listed; and so do modes and times, except that owners can write to
# folders. Of mounts of folders: these sessions in them.
same_as_mount() {
	needs python3
	python3 - "$@" <<-'PY'
	import os, stat, sys
	def read(at):
	    with open(at, "rb") as f:
	        return f.read()
	def compare(mnt, out, attributes):
	    links = os.path.islink(mnt), os.path.islink(out)
	    assert links[0] == links[1], out
	    a, b = os.lstat(mnt), os.lstat(out)
	    mode = a.st_mode | stat.S_IWUSR if stat.S_ISDIR(a.st_mode) else a.st_mode
	    if attributes:
	        assert (mode, a.st_mtime_ns) == (b.st_mode, b.st_mtime_ns), (out, a, b)
	    if links[0]:
	        assert os.readlink(mnt) == os.readlink(out), out
	    elif os.path.isdir(mnt):
	        names = sorted(os.listdir(mnt))
	        assert names == sorted(os.listdir(out)), (out, names)
	        for name in names:
	            compare(f"{mnt}/{name}", f"{out}/{name}", attributes)
	    else:
	        assert a.st_size == b.st_size and read(mnt) == read(out), out
	top, other, *sessions = sys.argv[1:]
	for session in sessions or ["."]:
	    mnt, out = f"{top}/{session}", f"{other}/{session}"
	    names = set(os.listdir(mnt)) - {"tree"}
	    assert names == set(os.listdir(out)) - {"context.json", "tree.html"}, (out, names)
	    for name in [*names, "context.json"]:
	        compare(f"{mnt}/{name}", f"{out}/{name}", name != "context.json")
	PY
}

# Rules: V1
# bats test_tags=large,full
@test "every fixture, exported, is as it is mounted" {
	local fixture
	for fixture in "$FIXTURES"/*.jsonl; do
		mount_fixture "${fixture##*/}"
		refuses 0 "" "$SESSFS" --export "$OUT" "$SESSION"
		same_as_mount "$MNT" "$OUT"
		unmount
		daemon_is_gone
		rm -rf "$OUT" "${SESSION%.jsonl}".*
	done
}

@test "the options of the mount count" {
	write_lines '{"a":1}' '{"b":2}'
	start "$SESSFS" -o dialect=lines,ro --export "$OUT" "$SESSION"
	start "$SESSFS" -o dialect=lines,ro "$SESSION" "$MNT"
	same_as_mount "$MNT" "$OUT"
	start "$SESSFS" -o stats,color --export "$DIR/more" "$FIXTURES/pi-v3-branches.jsonl"
	has $'\ncache-misses: ' "$DIR/more/info"
	has $'\033[1;33maa000001 ' "$DIR/more/tree.txt"
}

# bats test_tags=large
@test "DIR is made, or was an empty folder; nothing is lost" {
	cp "$FIXTURES/pi-v3-branches.jsonl" "$SESSION"
	start "$SESSFS" --export "$OUT" "$SESSION"
	refuses 1 "sessfs: $OUT: is not empty" "$SESSFS" --export "$OUT" "$SESSION"
	mkdir -m 711 empty
	ln -s empty link
	refuses 0 "" "$SESSFS" --export link/ "$SESSION"
	diff -r --no-dereference "$OUT" empty
	is 711 stat -c %a empty
	echo mine >file
	refuses 1 "sessfs: file: Not a directory" "$SESSFS" --export file "$SESSION"
	is mine cat file
	refuses 1 "sessfs: .: is not empty" "$SESSFS" --export . "$SESSION"
	refuses 1 "sessfs: no/out: No such file or directory" "$SESSFS" --export no/out "$SESSION"
	refuses 1 "sessfs: none: No such file or directory" "$SESSFS" --export new none
	refuses 1 "sessfs: file: unknown session format (-o dialect=lines shows it line by line)" \
		"$SESSFS" --export new file
	[ ! -e new ]
}

@test "the words of the command line" {
	cp "$FIXTURES/pi-v3-branches.jsonl" "$SESSION"
	local usage="usage: sessfs export [OPTIONS] DIR SOURCE (-h for help)"
	refuses 2 "$usage" "$SESSFS" --export
	refuses 2 "$usage" "$SESSFS" --export new
	refuses 2 "sessfs: export: unexpected argument: x (sessfs export -h for help)" "$SESSFS" --export new "$SESSION" x
	refuses 2 "sessfs: check: no option --export (sessfs check -h for help)" "$SESSFS" --check --export new "$SESSION"
	refuses 2 "sessfs: unknown option(s): \`-o nosuch'" "$SESSFS" -o nosuch --export new "$SESSION"
	[ ! -e new ]
	start "$SESSFS" --export new "$SESSION"
	[ -L new/HEAD ]
}

@test "private sessions stay private" {
	cp "$FIXTURES/pi-v3-branches.jsonl" "$SESSION"
	chmod 600 "$SESSION"
	(umask 0 && "$SESSFS" --export "$OUT" "$SESSION")
	diff /dev/null <(find "$OUT" ! -type l -perm /077)
	is 700 stat -c %a "$OUT"
}

# bats test_tags=root
@test "an ordinary user, without /dev/fuse, and nothing is written to the session" {
	needs_root
	cp "$FIXTURES/pi-v1-linear.jsonl" "$SESSION"
	cp "$SESSION" before
	mkdir home
	chown 65534:65534 home
	chmod 644 "$SESSION"
	in_namespace sh -c "mount --bind /dev/null /dev/fuse &&
		setpriv --reuid=65534 --regid=65534 --clear-groups '$SESSFS' --export home/out '$SESSION'"
	cmp before "$SESSION"
	diff /dev/null <(find home/out ! -user 65534)
	chown 65534:65534 "$MNT"
	start "$SESSFS" "$SESSION" "$MNT"
	# They can't write to the session, root can: "writable" in info.
	for name in by-id by-label by-file branches path context.txt tree.txt name; do
		diff -r --no-dereference "$MNT/$name" "home/out/$name"
	done
	# And they can remove it.
	setpriv --reuid=65534 --regid=65534 --clear-groups rm -r home/out
}

# bats test_tags=root
@test "a DIR that can't be written to" {
	needs_root
	cp "$FIXTURES/pi-v3-branches.jsonl" "$SESSION"
	chmod 644 "$SESSION"
	mkdir -m 755 empty
	refuses 1 "sessfs: new: Permission denied" \
		setpriv --reuid=65534 --regid=65534 --clear-groups "$SESSFS" --export new "$SESSION"
	refuses 1 "sessfs: empty/HEAD: Permission denied; empty is incomplete" \
		setpriv --reuid=65534 --regid=65534 --clear-groups "$SESSFS" --export empty "$SESSION"
	diff /dev/null <(ls -A empty)
}

# bats test_tags=root
@test "a full disk: the file is named, DIR is said to be incomplete" {
	mkdir small
	mount -t tmpfs -o size=64k tmpfs small || skip "tmpfs can't be mounted here"
	cp "$FIXTURES/pi-v3-branches.jsonl" "$SESSION"
	run --separate-stderr "$SESSFS" --export small/out "$SESSION"
	[ "$status" -eq 1 ]
	[ -z "$output" ]
		[[ $stderr =~ ^sessfs:\ small/out/.*:\ No\ space\ left\ on\ device\;\ small/out\ is\ incomplete$ ]]
}

@test "a limit on file sizes is an error as well" {
	write_session "$(user 00000001 "" "$(printf '%010000d' 0)")"
	run --separate-stderr bash -c "ulimit -f 4 && '$SESSFS' --export out '$SESSION'"
	[ "$status" -eq 1 ]
	[ "$stderr" = "sessfs: out/context.txt: File too large; out is incomplete" ]
}

@test "hostile ids and labels lead nowhere else" {
	write_evil_session
	mount_session
	mkdir "$OUT"
	start "$SESSFS" --export "$OUT/in" "$SESSION"
	same_as_mount "$MNT" "$OUT/in"
	is in ls -A "$OUT"
	# The links are the mount's, of which user.bats says that none leads out; here
	# each leads to something.
	find "$OUT/in" -type l -printf '%l\n' >"$DIR/targets"
	mapfile -t targets <"$DIR/targets"
	[ ${#targets[@]} -gt 100 ]
	not grep '^/' "$DIR/targets"
	find "$OUT/in" -xtype l >"$DIR/dangling"
	[ ! -s "$DIR/dangling" ]
}

@test "before the first entry HEAD leads to the tree that is not there" {
	mount_fixture pi-v3-headmove-root.jsonl
	start "$SESSFS" --export "$OUT" "$SESSION"
	is tree readlink "$OUT/HEAD"
	[ ! -e "$OUT/tree" ]
	same_as_mount "$MNT" "$OUT"
}

# Sessions in folders, as $DIR/all.
make_all() {
	mkdir -p all/a/deep all/empty all/top
	cp "$FIXTURES/pi-v3-branches.jsonl" all/a/one.jsonl
	cp "$FIXTURES/claude-basic.jsonl" all/a/deep/two.jsonl
	cp "$FIXTURES/go-tree.jsonl" "$FIXTURES/go-tree.head.json" all
	cp "$FIXTURES/omp-v3-basic.jsonl" all/top.jsonl
	cp "$FIXTURES/omp-v3-basic.jsonl" all/top/in.jsonl
	echo nothing >all/a/notes.txt
}

@test "a folder of sessions: folders, with each session as a folder" {
	make_all
	start "$SESSFS" all "$MNT"
	refuses 0 "" "$SESSFS" --export "$OUT" all
	same_as_mount "$MNT" "$OUT" a/one a/deep/two go-tree top top%2F/in
	(cd "$MNT" && find . \( -name tree -o -name by-id \) -prune -o -print) | LC_ALL=C sort >want
	(cd "$OUT" && find . -name by-id -prune -o ! -name context.json ! -name tree.html ! -name sessions.txt -print) |
		LC_ALL=C sort >got
	diff want got
	local folder
	for folder in . a a/deep empty top%2F; do
		cmp "$MNT/$folder/sessions.txt" "$OUT/$folder/sessions.txt"
	done
	has_lines 5 "$OUT/sessions.txt"
	is "$(stat -c '%a %Y %s' "$MNT/a/sessions.txt")" stat -c '%a %Y %s' "$OUT/a/sessions.txt"
	[ -d "$OUT/empty" ]
	refuses 1 "sessfs: all/out: is inside SOURCE, which is to be exported" "$SESSFS" --export all/out all
	mkdir all/empty/dir
	refuses 1 "sessfs: all/empty/dir: is inside SOURCE, which is to be exported" "$SESSFS" --export all/empty/dir all
	[ ! -e all/out ]
	[ -d all/empty/dir ]
}

# bats test_tags=root
@test "unreadable sessions of a folder are reported; the others are exported" {
	needs_root
	make_all
	chmod -R a+rX all
	chmod 700 all/a/deep
	mkdir -m 777 home
	refuses 1 "sessfs: home/out/a/deep: Permission denied; home/out is incomplete" \
		setpriv --reuid=65534 --regid=65534 --clear-groups "$SESSFS" --export home/out all
	start "$SESSFS" -o ro all "$MNT"
	local session
	for session in a/one go-tree top top%2F/in; do
		diff -r --no-dereference "$MNT/$session/by-id" "home/out/$session/by-id"
	done
}

# Start an export in the background that waits before it makes a folder.
export_until() {
	make_slow
	meets hold "$1"
	touch while
	"$SLOW" --export "$OUT" "$2" 2>stderr 3>&- &
	EXPORT=$!
	wait_until grep -qsx "met mkdirat" met
}

go_on() {
	EXIT=0
	rm while
	wait "$EXPORT" || EXIT=$?
}

@test "lines appended during an export are left out" {
	local to name
	cp "$FIXTURES/pi-v3-branches.jsonl" "$SESSION"
	mount_session
	mkdir want
	cp -dR "$MNT"/{by-id,branches,context.txt} want
	to=$(readlink "$MNT/HEAD")
	export_until aa000008 "$SESSION"
	append_user bb000001 aa000025 "one more"
	append_user bb000002 aa000025 "and another"
	go_on
	[ "$EXIT" -eq 0 ]
	for name in by-id branches context.txt; do
		diff -r --no-dereference "want/$name" "$OUT/$name"
	done
	is "$to" readlink "$OUT/HEAD"
	rm -rf "$OUT"
	start "$SESSFS" --export "$OUT" "$SESSION"
	is "and another" cat "$OUT/HEAD/content"
}

# Rules: V2
@test "a session rewritten during an export is abandoned, with one line; others are not" {
	make_all
	export_until aa000008 all
	head -n 1 all/a/one.jsonl >one
	cat one >all/a/one.jsonl
	go_on
	[ "$EXIT" -eq 1 ]
	is "sessfs: $OUT/a/one/by-id/aa000008/content: the session was rewritten or removed during the export; $OUT is incomplete" \
		cat stderr
	start "$SESSFS" all "$MNT"
	same_as_mount "$MNT" "$OUT" a/deep/two go-tree top top%2F/in
}

@test "a session that goes before it is entered" {
	make_all
	export_until one all
	rm all/top.jsonl
	go_on
	[ "$EXIT" -eq 1 ]
	is "sessfs: $OUT/top: the session was rewritten or removed during the export; $OUT is incomplete" cat stderr
	[ ! -e "$OUT/top" ]
	[ -L "$OUT/go-tree/HEAD" ]
	[ -L "$OUT/a/one/HEAD" ]
	[ -L "$OUT/top%2F/in/HEAD" ]
}

@test "SIGINT stops an export, and DIR is reported as incomplete" {
	needs python3
	cp "$FIXTURES/pi-v3-branches.jsonl" "$SESSION"
	make_slow
	meets hold aa000008
	python3 - "$SLOW" "$OUT" "$SESSION" <<-'PY'
	import os, shutil, signal, subprocess, sys, time
	sessfs, out, session = sys.argv[1:]
	for number in signal.SIGINT, signal.SIGTERM, signal.SIGHUP:
	    open("while", "w").close()
	    p = subprocess.Popen([sessfs, "--export", out, session], stderr=subprocess.PIPE, text=True,
	        preexec_fn=lambda: signal.signal(number, signal.SIG_DFL))
	    end = time.monotonic() + 30
	    while not os.path.exists("met"):
	        assert p.poll() is None and time.monotonic() < end
	        time.sleep(0.02)
	    p.send_signal(number)
	    os.unlink("while")
	    said = p.communicate(timeout=60)[1]
	    assert p.returncode == -number, p.returncode
	    assert said == f"sessfs: {out}: interrupted; the export is incomplete\n", said
	    assert os.path.isdir(out + "/by-id/aa000008") and not os.path.lexists(out + "/branches")
	    shutil.rmtree(out)
	    os.unlink("met")
	PY
}

@test "a signal that is ignored is" {
	cp "$FIXTURES/pi-v3-branches.jsonl" "$SESSION"
	trap '' HUP
	export_until aa000008 "$SESSION"
	trap - HUP
	kill -HUP "$EXPORT"
	go_on
	[ "$EXIT" -eq 0 ]
	[ -d "$OUT/branches" ]
}

# bats test_tags=large,full
@test "a chain of thousands" {
	write_many chain 3000
	mount_session
	start "$SESSFS" --export "$OUT" "$SESSION"
	is 3000 bash -c "ls '$OUT/by-id' | wc -l"
	diff "$MNT/context.json" "$OUT/context.json"
	diff -r --no-dereference "$MNT/by-id" "$OUT/by-id"
}

# bats test_tags=full
@test "folders below folders, a hundred deep" {
	local path=all i
	for ((i = 0; i < 100; i++)); do path=$path/d; done
	mkdir -p "$path"
	cp "$FIXTURES/pi-v3-branches.jsonl" "$path/s.jsonl"
	start "$SESSFS" --export "$OUT" all
	is by-id/aa000025 readlink "$OUT${path#all}/s/HEAD"
}

@test "a signal that the parent process has blocked does not stop an export" {
	needs python3
	write_session "$(user 00000001 "" one)" "$(user 00000002 00000001 two)"
	python3 - "$SESSFS" "$DIR/out" "$SESSION" >"$DIR/said" 2>&1 <<-'PY'
	import os, signal, subprocess, sys
	signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM])
	def pend():
	    os.kill(os.getpid(), signal.SIGTERM)
	sys.exit(subprocess.run([sys.argv[1], "--export", *sys.argv[2:]], preexec_fn=pend).returncode)
	PY
	[ ! -s "$DIR/said" ]
	is two cat "$DIR/out/HEAD/content"
}
