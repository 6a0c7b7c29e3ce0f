# bats file_tags=large
# Hostile files: too long, too many entries, invalid names; and files that are
# changed or replaced while mounted.
load lib/mount
load lib/run
load lib/pi

# A hang is a failure.
t() {
	timeout 60 "$@"
}

# bats test_tags=full
@test "a line of 256 MiB: its bytes are right, memory is bounded by the file" {
	needs python3
	python3 - "$SESSION" <<-'PY'
	import sys
	with open(sys.argv[1], "w") as f:
	    f.write('{"type":"session","version":3,"id":"big","timestamp":"2026-03-01T10:00:00.000Z","cwd":"/"}\n')
	    f.write('{"type":"message","id":"00000001","parentId":null,"message":{"role":"user","content":"')
	    for i in range(256):
	        f.write("0123456789abcd\\n" * (1 << 16))
	    f.write('"}}\n')
	PY
	t "$SESSFS" "$SESSION" "$MNT"
	is 251658240 t stat -c %s "$MNT/by-id/00000001/content"
	is "$(python3 -c 'import sys; sys.stdout.write("0123456789abcd\n" * (256 << 16))' | sha1sum)" \
		bash -c "timeout 60 sha1sum <'$MNT/by-id/00000001/content'"
	memory_stays_below $((3 * 256 * 1024))
	is 251658249 bash -c "timeout 60 cat '$MNT/context.txt' | wc -c"
	[ "$(t cat "$MNT/tree.txt" | wc -c)" -lt 200 ]
	t cmp "$MNT/HEAD/raw.json" <(tail -n 1 "$SESSION")
	echo tested >"$MNT/HEAD/label"
	is tested cat "$MNT/HEAD/label"
	memory_stays_below $((6 * 256 * 1024))
}

# bats test_tags=full
@test "a chain of a million" {
	write_many chain 1000000
	t "$SESSFS" "$SESSION" "$MNT"
	head_is by-id/000f423f
	memory_stays_below 150000
	is "entry 777777" cat "$MNT/by-id/000bde31/content"
	is ../000bde30 readlink "$MNT/by-id/000bde31/parent"
	is 1000000 bash -c "timeout 60 ls -U '$MNT/by-id' | wc -l"
	is 256 bash -c "timeout 60 find '$MNT'/by-id/000bde[0-9a-f][0-9a-f] -name content | wc -l"
	is 1999999 bash -c "timeout 60 cat '$MNT/context.txt' | wc -l"
	is "[User]: entry 999999" t tail -n 1 "$MNT/context.txt"
	t ln -sfn by-id/000bde31 "$MNT/HEAD"
	is "[User]: entry 777777" t tail -n 1 "$MNT/context.txt"
	grep -qx "depth: 1000000" "$MNT/info"
	# Several times what the file takes, not a number of times its entries.
	memory_stays_below $((3 * $(stat -c %s "$SESSION") / 1024))
}

# bats test_tags=full
@test "200,000 roots are listed in file order, and each is found" {
	write_many roots 200000
	t "$SESSFS" "$SESSION" "$MNT"
	head_is by-id/00030d3f
	memory_stays_below 40000
	is "entry 177777" cat "$MNT/tree/0002b671/content"
	local ids folder
	ids=$(python3 -c 'for i in range(200000): print("%08x" % i)' | sha1sum)
	for folder in tree branches by-id; do
		is "$ids" bash -c "timeout 60 ls -U '$MNT/$folder' | sha1sum"
	done
	is "[User]: entry 199999" cat "$MNT/context.txt"
	is 200000 bash -c "timeout 60 cat '$MNT/tree.txt' | wc -l"
	grep -qx "roots: 200000" "$MNT/info"
}

# bats test_tags=full
@test "cycles of every length to 300, and one of 100,000" {
	needs python3
	write_many cycle 100000
	python3 - "$SESSION" <<-'PY'
	import sys
	with open(sys.argv[1], "a") as f:
	    for n in range(1, 301):
	        for i in range(n):
	            f.write('{"type":"message","id":"c%d-%d","parentId":"c%d-%d","message":{"role":"user","content":"x"}}\n' % (n, i, n, (i + 1) % n))
	PY
	t "$SESSFS" "$SESSION" "$MNT"
	grep -q "^cycles: 301 " "$MNT/info"
	grep -qx "entries: 145150" "$MNT/info"
	grep -qx "depth: 100000" "$MNT/info"
	# The first of each is a root.
	is "$(echo 00000000; for ((n = 1; n <= 300; n++)); do echo "c$n-0"; done)" ls -U "$MNT/tree"
	is 300 bash -c "timeout 60 find '$MNT/tree/c300-0' -type d | wc -l"
	is "entry 99999" bash -c "timeout 60 cat '$MNT/by-id/0001869f/content'"
	is 199999 bash -c "timeout 60 cat '$MNT/by-id/0001869f/context.txt' | wc -l"
	# One entry in a cycle can't be the head: its agent would hang.
	fails_with "Too many levels" t ln -sfn by-id/c300-7 "$MNT/HEAD"
	is 145150 bash -c "timeout 60 cat '$MNT/tree.txt' | wc -l"
}

# A session whose entries have these ids, with a text that tells each by its
# number; and one label on each of as many entries, with the same texts.
write_odd_names() {
	needs python3
	python3 - "$SESSION" "$DIR/odd.json" <<-'PY'
	import json, sys
	odd = ["/", "//", "/etc/passwd", "..", ".", "...", "../..", "../../etc/passwd", "a/../../b", "\n", "a\nb", "\r\n",
	       "\u0000", "a\u0000b", "\u0000/..", "\u001b[2J", "\u007f", "\u0085", "\ud800", "x\udc00y", "%", "%2F", "%2f", "%-",
	       "%%", "%00", "HEAD", "by-id", "tree", "content", "label", "meta", "parent", "context.txt", "context.json",
	       "branch.jsonl", "raw.json", "1.png", "2.png", "32767.gif", ".hidden", " ", "  x  ", "-rf", "*", "\\", "'", '"',
	       "$(touch /tmp/x)", "|", "\u202e", "\ufeff", "\U0001f600" * 64, "x" * 255, "x" * 256, "x" * 65536, "y" * 65535 + "/",
	       "y" * 65536, "/" * 65536, "\u0000" * 30000]
	with open(sys.argv[1], "w") as f:
	    f.write('{"type":"session","version":3,"id":"odd","timestamp":"2026-03-01T10:00:00.000Z","cwd":"/"}\n')
	    def line(**fields):
	        f.write(json.dumps({**fields, "timestamp": "2026-03-01T10:00:01.000Z"}) + "\n")
	    parent = None
	    for i, name in enumerate(odd):
	        line(type="message", id=name, parentId=parent, message={"role": "user", "content": f"odd {i}"})
	        parent = name
	    for i, name in enumerate(odd):
	        line(type="message", id=f"plain{i}", parentId=parent, message={"role": "user", "content": f"plain {i}"})
	        parent = f"plain{i}"
	        line(type="label", id=f"label{i}", parentId=parent, targetId=parent, label=name)
	        parent = f"label{i}"
	with open(sys.argv[2], "w") as f:
	    json.dump(odd, f)
	PY
}

@test "ids and labels that are no names: each is found, and no link leads out" {
	needs python3
	write_odd_names
	t "$SESSFS" "$SESSION" "$MNT"
	timeout 60 python3 - "$MNT" "$DIR/odd.json" <<-'PY'
	import json, os, sys
	mnt = os.fsencode(sys.argv[1])
	odd = json.load(open(sys.argv[2]))
	def read(*path):
	    with open(os.path.join(mnt, *path), "rb") as f:
	        return f.read()
	names = os.listdir(mnt + b"/by-id")
	assert len(set(names)) == len(names) == 3 * len(odd), len(names)
	texts = {}
	for name in names:
	    assert len(name) <= 255 and not name.startswith(b"."), name
	    assert not any(c < 32 or c == 127 for c in name), name
	    texts[read(b"by-id", name, b"content").rstrip()] = name
	    assert read(b"by-id", name, b"meta").startswith(b"id: "), name
	for i in range(len(odd)):
	    assert b"odd %d" % i in texts, odd[i]
	    name = texts[b"odd %d" % i]
	    # A name that is taken back is the same entry.
	    assert os.stat(mnt + b"/by-id/" + name).st_ino == os.stat(mnt + b"/by-id/./" + name).st_ino
	    if i > 0:
	        assert os.readlink(mnt + b"/by-id/" + name + b"/parent") == b"../" + texts[b"odd %d" % (i - 1)]
	# As labels: the links lead to the entries, the texts are whole.
	labels = os.listdir(mnt + b"/by-label")
	assert len(labels) == len(odd), labels
	where = {os.readlink(mnt + b"/by-label/" + l): l for l in labels}
	for i, text in enumerate(odd):
	    assert b"../by-id/plain%d" % i in where, text
	    shown = read(b"by-id/plain%d/label" % i)
	    assert shown == text.encode("utf-16", "surrogatepass").decode("utf-16", "replace").encode() + b"\n", (text, shown)
	    assert read(b"by-label", where[b"../by-id/plain%d" % i], b"content") == b"plain %d\n" % i
	# No link leads out, whoever follows it.
	links = 0
	for folder, dirs, files in os.walk(mnt, followlinks=False):
	    for name in dirs + files:
	        path = os.path.join(folder, name)
	        if os.path.islink(path):
	            links += 1
	            assert os.path.realpath(path).startswith(mnt + b"/"), path
	    if folder.count(b"/") > mnt.count(b"/") + 2:
	        dirs.clear()
	assert links > 4 * len(odd), links
	PY
}

@test "the head can be moved to any odd id, and any can be labelled" {
	needs python3
	write_odd_names
	mount_session
	timeout 60 python3 - "$MNT" "$SESSION" <<-'PY'
	import json, os, sys
	mnt, session = os.fsencode(sys.argv[1]), sys.argv[2]
	names = os.listdir(mnt + b"/by-id")
	for i, name in enumerate(names):
	    with open(mnt + b"/by-id/" + name + b"/content", "rb") as f:
	        if not f.read().startswith(b"odd"):
	            continue
	    os.symlink(b"by-id/" + name, mnt + b"/moving")
	    os.rename(mnt + b"/moving", mnt + b"/HEAD")
	    assert os.readlink(mnt + b"/HEAD") == b"by-id/" + name
	    with open(mnt + b"/HEAD/label", "wb") as f:
	        f.write(b"now %d\n" % i)
	    lines = [json.loads(l) for l in open(session)]
	    head, label = lines[-2:]
	    assert head["parentId"] == label["targetId"], name
	    content = next(l for l in lines if l["id"] == head["parentId"])["message"]["content"]
	    with open(mnt + b"/HEAD/content") as f:
	        assert f.read() == content + "\n", name
	    assert label["label"] == "now %d" % i
	PY
}

@test "a header of 10 MiB" {
	needs python3
	python3 - "$SESSION" <<-'PY'
	import sys
	with open(sys.argv[1], "w") as f:
	    f.write('{"type":"session","version":3,"id":"big","timestamp":"2026-03-01T10:00:00.000Z","x":"%s","cwd":"/%s"}\n' % ("y" * (5 << 20), "w" * (5 << 20)))
	    f.write('{"type":"message","id":"00000001","parentId":null,"message":{"role":"user","content":"one"}}\n')
	    f.write('{"type":"message","id":"00000002","parentId":"00000001","message":{"role":"user","content":"two"}}\n')
	PY
	t "$SESSFS" "$SESSION" "$MNT"
	is "session: big" head -n 1 "$MNT/info"
	grep -qx "writable: yes" "$MNT/info"
	is 1 bash -c "grep -cx 'cwd: /w*' '$MNT/info'"
	t ln -sfn by-id/00000001 "$MNT/HEAD"
	is one cat "$MNT/HEAD/content"
	t cat "$MNT/HEAD/branch.jsonl" >"$DIR/branch"
	[ "$(stat -c %s "$DIR/branch")" -eq "$(stat -Lc %s "$MNT/HEAD/branch.jsonl")" ]
	is 2 bash -c "wc -l <'$DIR/branch'"
}

@test "binary junk after a good header affects only its own lines" {
	needs python3
	python3 - "$SESSION" <<-'PY'
	import random, sys
	r = random.Random(1)
	with open(sys.argv[1], "wb") as f:
	    f.write(b'{"type":"session","version":3,"id":"junk","timestamp":"2026-03-01T10:00:00.000Z","cwd":"/"}\n')
	    f.write(b'{"type":"message","id":"00000001","parentId":null,"message":{"role":"user","content":"one"}}\n')
	    f.write(r.randbytes(8 << 20) + b"\n" + bytes(1 << 20) + b"\n")
	    for size in range(1, 300):
	        f.write(b'{"type":"message","id":"' + r.randbytes(size) + b'"}\n')
	    f.write(b'{"type":"message","id":"00000002","parentId":"00000001","message":{"role":"user","content":"two"}}\n')
	PY
	cp "$SESSION" "$DIR/before"
	t "$SESSFS" "$SESSION" "$MNT"
	head_is by-id/00000002
	is "[User]: one

[User]: two" cat "$MNT/context.txt"
	[ "$(sed -n 's/^bad-lines: \([0-9]*\) .*/\1/p' "$MNT/info")" -gt 30000 ]
	# Whatever else became an entry can be read.
	t find "$MNT/by-id" "$MNT/tree" -type f -exec cat {} + | wc -c | grep -qvx 0
	t ln -sfn by-id/00000001 "$MNT/HEAD"
	is "[User]: one" cat "$MNT/context.txt"
	cmp -n "$(stat -c %s "$DIR/before")" "$DIR/before" "$SESSION"
	is 1 bash -c "tail -c +$(($(stat -c %s "$DIR/before") + 1)) '$SESSION' | wc -l"
}

# Replace the session with something else.
put() {
	needs python3
	case $1 in
	fifo) mkfifo "$SESSION" ;;
	folder) mkdir "$SESSION" "$SESSION/below" ;;
	device) mknod "$SESSION" c 1 5 ;; # /dev/zero
	socket) python3 -c 'import socket, sys; socket.socket(socket.AF_UNIX).bind(sys.argv[1])' "$SESSION" ;;
	link) ln -s kept "$SESSION" ;;
	loop) ln -s session.jsonl "$SESSION" ;;
	nothing) ;;
	esac
}

# Requests on the replacement do not hang, and the mount recovers with the file.
recovers_from() {
	local what
	write_session "$(user 00000001 "" one)" "$(user 00000002 00000001 two)"
	mount_session
	for what in "$@"; do
		t cat "$MNT/context.txt" "$MNT/by-id/00000001/content" >/dev/null
		mv "$SESSION" "$DIR/kept"
		put "$what"
		[ -z "$(t ls "$MNT/by-id")" ]
		is tree t readlink "$MNT/HEAD"
		[ -z "$(t cat "$MNT/context.txt")" ]
		t cat "$MNT/info" "$MNT/tree.txt" >/dev/null
		fails_with "No such file" t cat "$MNT/by-id/00000001/content"
		run t ln -sfn by-id/00000001 "$MNT/HEAD"
		[ "$status" -ne 0 ]
		[ "$status" -ne 124 ]
		t ls "$MNT" >/dev/null
		rm -rf "$SESSION"
		mv "$DIR/kept" "$SESSION"
		is two t cat "$MNT/HEAD/content"
		echo "after $what" >"$MNT/by-id/00000001/label"
		is "after $what" t cat "$MNT/by-id/00000001/label"
	done
}

@test "a FIFO, a folder, a socket or a link in place of the file" {
	recovers_from fifo folder socket link loop nothing fifo
}

# bats test_tags=root
@test "a device in place of the file" {
	mknod "$DIR/zero" c 1 5 2>/dev/null || skip "only root makes devices"
	recovers_from device
}

# bats test_tags=full
@test "readers of a file that is replaced, rewritten, truncated and removed: no mix, no hang" {
	needs python3
	local how
	write_session "$(user 00000001 "" one)"
	mount_session
	for how in rename rewrite truncate remove append; do
		timeout 60 python3 "$ROOT/tests/readers.py" "$SESSION" "$MNT" "$how" 1
	done
	is "[User]: version" bash -c "head -c 15 '$MNT/context.txt'; echo"
}

# bats test_tags=root,full
@test "those readers do without /dev/shm" {
	needs python3
	write_session "$(user 00000001 "" one)"
	mount_session
	without_shm timeout 60 \
		python3 "$ROOT/tests/readers.py" "$SESSION" "$MNT" rename 1
}
