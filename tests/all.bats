# Several SOURCEs in one mount: the agents' folders (--all), or those that are named,
# with by-project/ and by-day/.
load lib/mount
load lib/run
load lib/pi

setup() {
	needs_mounts
	make_folder
	make_home
	export TZ=UTC CODEX_HOME=$HOME/.codex
	PI=$HOME/.pi/agent/sessions
	CLAUDE=$HOME/.claude/projects
	CODEX=$CODEX_HOME/sessions
}

# pi_at FILE TIME TEXT [CWD]: a session of Pi, last used on 2026-03-01 at a time.
pi_at() {
	mkdir -p "${1%/*}"
	SESSION=$1 write_session "$(user aa000001 "" "$3")"
	sed -i "2s/2026-03-01T10:00:01/2026-03-01T$2/; 1s,/work/demo,${4:-/work/demo}," "$1"
}

# A session of each of four agents.
four() {
	mkdir -p "$PI/--work--" "$HOME/.omp/agent/sessions/-x" "$CLAUDE/-work-demo" "$CODEX/2026/03/01"
	cp "$FIXTURES/pi-v3-branches.jsonl" "$PI/--work--"
	cp "$FIXTURES/omp-v3-basic.jsonl" "$HOME/.omp/agent/sessions/-x"
	cp "$FIXTURES/claude-basic.jsonl" "$CLAUDE/-work-demo"
	cp "$FIXTURES/codex-legacy.jsonl" "$CODEX/2026/03/01"
}

# The names of links in a view, sorted.
links() {
	(cd "$MNT/$1" && find . -type l | LC_ALL=C sort | cut -c 3-)
}

# Each line of sessions.txt has one link in each view, which leads to its session.
views_are_whole() {
	local view
	for view in by-project by-day; do
		diff <(cut -f 2 "$MNT/sessions.txt" | LC_ALL=C sort) \
			<(cd "$MNT" && find "$view" -mindepth 2 -maxdepth 2 -type l -printf '%l\n' |
				sed 's,^\.\./\.\./,,' | LC_ALL=C sort)
		# shellcheck disable=SC2012 # names are of letters, digits and such
		ls "$MNT/$view" "$MNT/$view"/* | not grep '^[-.]'
		prints_nothing find -L "$MNT/$view" -mindepth 2 -maxdepth 2 ! -type d
		find "$MNT/$view" -printf '%P\n' >"$DIR/names"
		sort -o "$DIR/names" "$DIR/names"
		[ -s "$DIR/names" ]
		sort -cu "$DIR/names"
	done
}

# Elsewhere than where udev runs only root has it.
teardown() {
	[ -z "${FUSE_MODE-}" ] || chmod "$FUSE_MODE" /dev/fuse
	leave_nothing
}

# Rules: O1 O3
@test "--all has a folder for each agent, by-project/ and by-day/" {
	four
	start "$SESSFS" --all "$MNT"
	is "by-day
by-project
claude
codex
omp
pi" ls "$MNT"
	is "-work-demo/claude-basic
2026/03/01/codex-legacy" sh -c "cd '$MNT' && (cd claude && find . -mindepth 2 -maxdepth 2; cd ../codex && find . -mindepth 4 -maxdepth 4) | cut -c 3-"
	is 4 grep -c . "$MNT/sessions.txt"
	is "2026-03-01/1000-claude-Reading-files
2026-03-01/1000-codex-Write-a-haiku
2026-03-01/1000-omp-Über-title
2026-03-01/1000-pi-Demo-session" links by-day
	is "demo/2026-03-01-claude-Reading-files
demo/2026-03-01-codex-Write-a-haiku
demo/2026-03-01-omp-Über-title
demo/2026-03-01-pi-Demo-session" links by-project
	views_are_whole
	# Each is what it is when it is mounted alone.
	mkdir "$DIR/alone"
	start "$SESSFS" "$PI" "$DIR/alone"
	diff -r --no-dereference "$DIR/alone" "$MNT/pi"
	diff -r --no-dereference "$DIR/alone/--work--/pi-v3-branches" "$MNT/by-day/2026-03-01/1000-pi-Demo-session/"
	fusermount3 -u "$DIR/alone"
	rmdir "$DIR/alone"
	# What is written by way of a link is the session's.
	echo tested >"$MNT/by-project/demo/2026-03-01-pi-Demo-session/HEAD/label"
	grep -q tested "$PI/--work--/pi-v3-branches.jsonl"
}

# Rules: O3
@test "agents' folders appear when they are made, and sessions when they are written" {
	start "$SESSFS" --all "$MNT"
	is "by-day
by-project" ls "$MNT"
	[ -z "$(links by-day)" ]
	[ ! -s "$MNT/sessions.txt" ]
	before=$(stat -c %y "$MNT")
	four
	is "by-day by-project claude codex omp pi" sh -c "ls '$MNT' | xargs"
	[ "$(stat -c %y "$MNT")" != "$before" ]
	views_are_whole
	mkdir -p "$CODEX_HOME/archived_sessions"
	mv "$CODEX/2026/03/01/codex-legacy.jsonl" "$CODEX_HOME/archived_sessions"
	is "../../codex+archived_sessions/codex-legacy" readlink "$MNT/by-day/2026-03-01/1000-codex-Write-a-haiku"
	pi_at "$PI/new/x.jsonl" 11:30:00 "Another one" /else/where
	is "../../pi/new/x" readlink "$MNT/by-day/2026-03-01/1130-pi-Another-one"
	is "../../pi/new/x" readlink "$MNT/by-project/where/2026-03-01-pi-Another-one"
	views_are_whole
	rm "$PI/new/x.jsonl"
	fails_with "No such file" ls "$MNT/by-project/where"
	rm -r "$HOME/.claude"
	is "by-day by-project codex+archived_sessions codex omp pi" sh -c "ls '$MNT' | LC_ALL=C sort | xargs | sed 's/codex codex+archived_sessions/codex+archived_sessions codex/'"
	views_are_whole
}

@test "SOURCEs that are named have the last parts of their paths as names" {
	mkdir -p "$DIR/a/x" "$DIR/b/x" "$DIR/-c" "$DIR/.d" "$DIR/by-day" "$DIR/mnt2"
	cp "$FIXTURES/pi-v3-branches.jsonl" "$DIR/a/x/one.jsonl"
	cp "$FIXTURES/claude-basic.jsonl" "$DIR/b/x/two.jsonl"
	cp "$FIXTURES/go-tree.jsonl" "$DIR/tree.jsonl"
	pi_at "$DIR/-c/three.jsonl" 10:00:05 third
	(cd "$DIR" && "$SESSFS" a/x b/x ./-c .d by-day tree.jsonl "$MNT")
	is "a+x
b+x
by-day
by-project
test+-c
test+.d
test+by-day
tree" sh -c "LC_ALL=C ls '$MNT'"
	is "one" ls "$MNT/a+x"
	[ -d "$MNT/tree/by-id" ]
	is "test+-c/three" sh -c "cut -f 2 '$MNT/sessions.txt' | grep three"
	views_are_whole
	# One that goes is not shown, and all others are as before.
	mv "$DIR/b/x" "$DIR/b/y"
	fails_with "No such file" ls "$MNT/b+x"
	views_are_whole
	mv "$DIR/b/y" "$DIR/b/x"
	is "two" ls "$MNT/b+x"
	# A single one is mounted as ever.
	start "$SESSFS" "$DIR/a/x" "$DIR/mnt2"
	is "one" ls "$DIR/mnt2"
	fails_with "No such file" ls "$DIR/mnt2/by-day"
	fusermount3 -u "$DIR/mnt2"
}

@test "what can't be mounted so is refused in a line" {
	mkdir -p "$DIR/a" "$DIR/b/mnt"
	echo '{"hello":"world"}' >"$DIR/no.jsonl"
	refuses 1 "sessfs: $DIR/none: No such file or directory" "$SESSFS" "$DIR/a" "$DIR/none" "$MNT"
	refuses 1 "sessfs: $DIR/a/.: the SOURCE is named twice" "$SESSFS" "$DIR/a" "$DIR/a/." "$MNT"
	fails_in_a_line "no.jsonl: " 1 "$SESSFS" "$DIR/a" "$DIR/no.jsonl" "$MNT"
	refuses 1 "sessfs: $DIR/b/mnt: is inside SOURCE" "$SESSFS" "$DIR/a" "$DIR/b" "$DIR/b/mnt"
	refuses 1 "sessfs: $DIR/b: the mount would hide the session" "$SESSFS" "$DIR/a" "$DIR/b/mnt" "$DIR/b"
	# Also of a folder that is not there yet.
	refuses 1 "sessfs: $HOME: the mount would hide the session" "$SESSFS" --all "$HOME"
	refuses 2 "sessfs: unexpected argument with --all: $DIR/a" "$SESSFS" --all "$DIR/a" "$MNT"
	run "$SESSFS" --all
	[ "$status" -eq 2 ]
	not_mounted "$MNT"
}

# Rules: O2
@test "hostile titles and directories become names that differ" {
	local long
	long=$(printf '%0300d' 0)
	mkdir -p "$DIR/all" "$DIR/none"
	pi_at "$DIR/all/s1_0198aaaa-1.jsonl" 10:01:00 "../../etc/passwd" /
	pi_at "$DIR/all/s2_0198bbbb-2.jsonl" 10:02:00 'a\nb\u0001\u001b[31m/c' "a/../b"
	pi_at "$DIR/all/s3_0198cccc-3.jsonl" 10:03:00 "$long" "/$long"
	pi_at "$DIR/all/s4_0198dddd-4.jsonl" 10:04:00 "--rf -x" "/work/-rf"
	pi_at "$DIR/all/s5_0198eeee-5.jsonl" 10:05:00 "" "/work/.x"
	pi_at "$DIR/all/s6_0198ffff-6.jsonl" 10:06:00 "..." ".."
	pi_at "$DIR/all/s7_0198abab-7.jsonl" 10:07:00 "同じ題 für äöü" "/a/wc"
	pi_at "$DIR/all/s8_0198acac-8.jsonl" 10:07:30 "同じ題 für äöü" "/b/wc/"
	pi_at "$DIR/all/s9.jsonl" 10:07:59 "同じ題 für äöü" "/b/wc"
	pi_at "$DIR/all/sa.jsonl" 10:07:59 "同じ題 für äöü" "/b/wc"
	pi_at "$DIR/all/sb.jsonl" 10:08:59 "nowhere" ""
	sed -i 's/"cwd":"\/work\/demo"/"cwd":""/' "$DIR/all/sb.jsonl"
	pi_at "$DIR/all/sc.jsonl" 10:09:59 "undated"
	sed -i 's/"timestamp":"[^"]*"/"timestamp":"soon"/' "$DIR/all/sc.jsonl"
	start "$SESSFS" "$DIR/all" "$DIR/none" "$MNT"
	views_are_whole
	is 12 grep -c . "$MNT/sessions.txt"
	is "1001-pi-etc-passwd
1002-pi-a-b-c
1003-pi-0000000000000000000000000000000000000000
1004-pi-rf-x
1005-pi
1006-pi
1007-pi-同じ題-für-äöü-0198abab
1007-pi-同じ題-für-äöü-0198acac
1007-pi-同じ題-für-äöü-s9
1007-pi-同じ題-für-äöü-sa
1008-pi-nowhere" sh -c "LC_ALL=C ls '$MNT/by-day/2026-03-01'"
	is "pi-undated" ls "$MNT/by-day/undated"
	is "2026-03-01-pi-nowhere" ls "$MNT/by-project/no-directory"
	is "2026-03-01-pi-同じ題-für-äöü" ls "$MNT/by-project/a+wc"
	is 3 sh -c "ls '$MNT/by-project/b+wc' | wc -l"
	is "2026-03-01-pi-rf-x" ls "$MNT/by-project/work+-rf"
}

# Rules: O2
@test "sessions that get one name are told apart, also without ids" {
	mkdir -p "$DIR/a" "$DIR/b"
	pi_at "$DIR/a/one.jsonl" 10:00:01 same
	pi_at "$DIR/b/one.jsonl" 10:00:02 other
	start "$SESSFS" "$DIR/a" "$DIR/b" "$MNT"
	is "1000-pi-other
1000-pi-same" ls "$MNT/by-day/2026-03-01"
	local inode
	inode=$(stat -c %i "$MNT/by-day/2026-03-01/1000-pi-same")
	pi_at "$DIR/b/one.jsonl" 10:00:02 same
	is "1000-pi-same-one
1000-pi-same-one=2" ls "$MNT/by-day/2026-03-01"
	is "../../b/one" readlink "$MNT/by-day/2026-03-01/1000-pi-same-one=2"
	is "$inode" stat -c %i "$MNT/by-day/2026-03-01/1000-pi-same-one"
	not readlink "$MNT/by-day/2026-03-01/1000-pi-same"
	rm "$DIR/a/one.jsonl"
	is "1000-pi-same" ls "$MNT/by-day/2026-03-01"
	is "../../b/one" readlink "$MNT/by-day/2026-03-01/1000-pi-same"
}

@test "a link's name follows the title and the time, and its number stays" {
	four
	pi_at "$PI/x/one.jsonl" 10:00:01 "first words"
	start "$SESSFS" --all "$MNT"
	local day=$MNT/by-day/2026-03-01 inode project
	inode=$(stat -c %i "$day/1000-pi-first-words")
	project=$(stat -c %i "$MNT/by-project/demo")
	is "named it" sh -c "echo named it >'$day/1000-pi-first-words/name' && cat '$MNT/pi/x/one/name'"
	not readlink "$day/1000-pi-first-words"
	is "$inode" stat -c %i "$day/1000-pi-named-it"
	# Another process appends: a message of the next day.
	sed -n '2s/aa000001/aa000009/; 2s/"parentId":null/"parentId":"aa000001"/; 2s/2026-03-01T10/2026-03-02T12/; 2p' "$PI/x/one.jsonl" >"$DIR/line"
	cat "$DIR/line" >>"$PI/x/one.jsonl"
	is "$inode" stat -c %i "$MNT/by-day/2026-03-02/1200-pi-named-it"
	not test -e "$day/1000-pi-named-it"
	is "2026-03-02" stat -c %.10y "$MNT/by-day/2026-03-02"
	is "$project" stat -c %i "$MNT/by-project/demo"
	# A folder of a day that is over stays what it was to who is in it.
	rm "$PI/x/one.jsonl"
	views_are_whole
	# Names that Codex keeps elsewhere.
	local id=019ca8f0-0000-7000-8000-000000000001
	mv "$CODEX/2026/03/01/codex-legacy.jsonl" "$CODEX/2026/03/01/rollout-2026-03-01T10-00-00-$id.jsonl"
	printf '{"id":"%s","thread_name":"Of the index"}\n' $id >"$CODEX_HOME/session_index.jsonl"
	is 1 sh -c "ls '$day' | grep -cx 1000-codex-Of-the-index"
}

@test "a walk over the mount meets each session once, and finds it as it is" {
	four
	start "$SESSFS" --all "$MNT"
	is 4 sh -c "find '$MNT' -name by-id | wc -l"
	is 4 sh -c "grep -rl 'dialect: ' '$MNT' --include=info | wc -l"
	tar -C "$MNT" -cf "$DIR/x.tar" by-project by-day
	tar -C "$MNT" -df "$DIR/x.tar"
	grep -qx /by-day/ "$MNT/.ignore"
	is '*' cat "$MNT/.gitignore"
	is "$(cd "$MNT/by-day/2026-03-01" && ls ..)" ls "$MNT/by-day"
	is "$(stat -c %i "$MNT")" stat -c %i "$MNT/by-day/2026-03-01/../.."
	df "$MNT" >/dev/null
}

@test "nothing can be made or removed in the views" {
	four
	start "$SESSFS" --all "$MNT"
	fails_for_root_with "Operation not permitted" touch "$MNT/by-day/x"
	fails_for_root_with "Operation not permitted" mkdir "$MNT/by-project/x"
	fails_for_root_with "Operation not permitted" ln -s x "$MNT/by-project/demo/x"
	fails_for_root_with "Operation not permitted" rm "$MNT/by-day/2026-03-01/1000-pi-Demo-session"
	fails_for_root_with "Operation not permitted" mv "$MNT/pi" "$MNT/by-day/2026-03-01"
	fails_for_root_with "Operation not permitted" rmdir "$MNT/by-day"
	fails_with "Is a directory" cat "$MNT/by-day"
	fails_with "No such file" ls "$MNT/by-day/2026-03-01/x" "$MNT/by-day/2026-03-02"
	unmount
	start "$SESSFS" -o ro --all "$MNT"
	fails_with "Read-only file system" touch "$MNT/by-day/x"
}

@test "a set may be read by those who may read all of its sources" {
	mkdir -m 755 "$DIR/a"
	mkdir -m 700 "$DIR/b"
	start "$SESSFS" "$DIR/a" "$DIR/b" "$MNT"
	is "500 $(id -u)" stat -c '%a %u' "$MNT"
	is "500" stat -c %a "$MNT/by-day"
	chmod 755 "$DIR/b"
	is "555" stat -c %a "$MNT"
	rmdir "$DIR/b"
	is "555" stat -c %a "$MNT"
}

@test "several readers at once, while sessions come and go" {
	local i pids=()
	for i in 1 2 3 4 5 6 7 8; do pi_at "$PI/p/s$i.jsonl" "10:00:0$i" "number $i"; done
	start "$SESSFS" --all "$MNT"
	for i in 1 2 3 4; do
		(for _ in 1 2 3 4 5 6 7 8 9 10; do
			ls -lR "$MNT/by-day" "$MNT/by-project" >/dev/null 2>&1 || :
			cat "$MNT/sessions.txt" >/dev/null || exit 1
		done) 3>&- &
		pids+=($!)
	done
	for i in 1 2 3 4 5 6 7 8 9 10; do
		pi_at "$PI/q/t$i.jsonl" 11:00:00 "more $i"
		rm "$PI/p/s$((i % 8 + 1)).jsonl"
		pi_at "$PI/p/s$((i % 8 + 1)).jsonl" 12:00:00 "again $i"
	done
	for i in "${pids[@]}"; do wait "$i"; done
	is 18 grep -c . "$MNT/sessions.txt"
	views_are_whole
}

# Rules: O4
@test "an unchanged mount is not scanned again, and a change shows at once" {
	needs python3
	four
	start "$SESSFS" --all "$MNT"
	python3 - "$MNT" "$PI/--work--/pi-v3-branches.jsonl" <<'PY'
import os, sys
mnt, session = sys.argv[1:]
listed = f"{mnt}/sessions.txt"
def entries():
    return [line.split("\t")[3] for line in open(listed) if "\tpi\t" in line][0]
before = int(entries())
line = '{"type":"message","id":"ee%06d","parentId":null,"timestamp":"2026-03-01T10:00:%02d.000Z","message":{"role":"user","content":"x"}}\n'
for i in range(50):
    with open(session, "a") as f:
        f.write(line % (i, i))
    assert int(entries()) == before + i + 1, i
    # A new session, a new name and a new folder: each is there with the next look.
    os.makedirs(f"{os.path.dirname(session)}/new{i}")
    text = open(session).read().replace("Demo session", f"name {i}")
    with open(f"{os.path.dirname(session)}/new{i}/s.jsonl", "w") as f:
        f.write(text)
    assert sum(f"pi-name-{i}" in name for day in os.listdir(f"{mnt}/by-day") for name in os.listdir(f"{mnt}/by-day/{day}")) == 1, i
    assert f"name {i}\n" in open(listed).read(), i
    os.rename(f"{os.path.dirname(session)}/new{i}", f"{os.path.dirname(session)}/old{i}")
    assert f"/old{i}/s\t" in open(listed).read(), i
PY
}

@test "sessfs open -a mounts them once, where open --mounts lists it" {
	four
	is "$XDG_RUNTIME_DIR/sessfs/all" "$SESSFS" open -a
	is "$XDG_RUNTIME_DIR/sessfs/all" "$SESSFS" open --all
	is 4 grep -c . "$XDG_RUNTIME_DIR/sessfs/all/sessions.txt"
	is "$XDG_RUNTIME_DIR/sessfs/all	--all	" "$SESSFS" open --mounts
	is "$XDG_RUNTIME_DIR/sessfs/all-2" "$SESSFS" open -a -o ro
	refuses 2 "sessfs: open: -a, -l, --close and --mounts stand alone (sessfs open -h for help)" "$SESSFS" open -a -l
	is "$XDG_RUNTIME_DIR/sessfs/all
$XDG_RUNTIME_DIR/sessfs/all-2" "$SESSFS" open --close
	[ ! -e "$XDG_RUNTIME_DIR/sessfs/all" ]
}

@test "commands that are given the mount take all of its sources" {
	cd "$DIR"
	four
	pi_at "$DIR/one.jsonl" 11:00:00 "wrote a haiku"
	start "$SESSFS" "$DIR/one.jsonl" "$PI" "$CODEX" "$MNT"
	start "$SESSFS" grep -i haiku "$MNT" >found
	has "$MNT/one/by-id/aa000001/content:1:wrote a haiku" found
	has "$MNT/home+.codex+sessions/2026/03/01/codex-legacy/by-id/" found
	is "$MNT/one
$MNT/home+.codex+sessions/2026/03/01/codex-legacy" "$SESSFS" grep -il haiku "$MNT"
	start "$SESSFS" list "$MNT" >listed
	has_lines 3 listed
	has "	$DIR/one.jsonl	" listed
	start "$SESSFS" lines "$MNT" >lines
	has "one/by-id/aa000001/content:1:wrote a haiku" lines
	refuses 1 "sessfs: $MNT: is a mount of several sources: name one of its folders" "$SESSFS" export "$DIR/out" "$MNT"
	start "$SESSFS" export "$DIR/out" "$MNT/one"
}

# bats test_tags=root
@test "as an ordinary user, with the folders of that user" {
	needs_root
	local user group
	user=$(id -u nobody) group=$(id -g nobody)
	four
	chown -R "$user:$group" "$HOME" "$MNT" "$XDG_RUNTIME_DIR"
	chmod 700 "$HOME/.claude"
	FUSE_MODE=$(stat -c %a /dev/fuse)
	chmod 666 /dev/fuse
	as() { setpriv --reuid="$1" --regid="$1" --clear-groups "${@:2}"; }
	as "$user" "$SESSFS" --all "$MNT"
	is 4 as "$user" grep -c . "$MNT/sessions.txt"
	as "$user" find -L "$MNT/by-day" -maxdepth 2 -mindepth 2 -type d -name '*pi*' | grep -q Demo
	as "$user" touch "$HOME/.codex/x"
	fails_with "Permission denied" as 12345 ls "$MNT"
	fails_with "Permission denied" as "$user" touch "$MNT/by-day/x"
}

@test "a session is deleted while the links to it are listed: the others are" {
	needs python3
	many_sessions 60
	mkdir "$DIR/other"
	cp "$FIXTURES/pi-v3-branches.jsonl" "$DIR/other"
	start "$SESSFS" "$ALL" "$DIR/other" "$MNT"
	python3 - "$ALL" "$MNT" <<-'PY'
	import ctypes, os, struct, sys
	folder, mnt = sys.argv[1:]
	project = f"{mnt}/by-project/demo"
	names = os.listdir(project)
	assert len(names) >= 60, names
	late = os.path.basename(os.readlink(f"{project}/{names[-5]}"))
	fd = os.open(f"{mnt}/by-day/2026-03-01", os.O_RDONLY)
	libc = ctypes.CDLL(None, use_errno=True)
	getdents = getattr(libc, "getdents64", None) or libc.getdents
	room = ctypes.create_string_buffer(512)
	listed = 0
	while (got := getdents(fd, room, len(room))) > 0:
	    if listed == 0:
	        # Listing its folder finds that it is gone.
	        os.unlink(f"{folder}/{late}.jsonl")
	        os.listdir(f"{mnt}/{os.path.basename(folder)}")
	    at = 0
	    while at < got:
	        at += struct.unpack_from("<H", room, at + 16)[0]
	        listed += 1
	assert got == 0, os.strerror(ctypes.get_errno())
	assert listed == len(names) - 1 + 2, (listed, len(names))
	PY
}
