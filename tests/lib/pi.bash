# Sessions of Pi.
. "$ROOT/tests/lib/session.bash"

# Write a session of Pi: a header and the given lines.
write_session() {
	write_lines '{"type":"session","version":3,"id":"0198f000-0000-7000-8000-00000000000a","timestamp":"2026-03-01T10:00:00.000Z","cwd":"/work/demo"}' "$@"
}

# A message: id, parent ("" for none), the message as JSON.
message() {
	printf '{"type":"message","id":"%s","parentId":%s,"timestamp":"2026-03-01T10:00:01.000Z","message":%s}' "$1" "$(or_null "$2")" "$3"
}

# A user message: id, parent ("" for none), text (JSON-escaped).
user() {
	message "$1" "$2" "$(printf '{"role":"user","content":"%s","timestamp":1772359201000}' "$3")"
}

# write_many SHAPE N: write N user messages as a "chain", as "roots", or as a
# "cycle". The ids count up from 00000000, and the texts are "entry NUMBER".
write_many() {
	needs python3
	python3 - "$SESSION" "$1" "$2" <<-'PY'
	import sys
	path, shape, n = sys.argv[1], sys.argv[2], int(sys.argv[3])
	with open(path, "w") as f:
	    f.write('{"type":"session","version":3,"id":"deep","timestamp":"2026-03-01T10:00:00.000Z","cwd":"/"}\n')
	    for i in range(n):
	        parent = "null" if shape == "roots" else '"%08x"' % (i - 1)
	        if i == 0:
	            parent = '"%08x"' % (n - 1) if shape == "cycle" else "null"
	        f.write('{"type":"message","id":"%08x","parentId":%s,"timestamp":"2026-03-01T10:00:01.000Z","message":{"role":"user","content":"entry %d"}}\n' % (i, parent, i))
	PY
}

# Write this many small sessions in a folder, $ALL. The texts have the numbers.
many_sessions() {
	local i
	ALL=$DIR/all
	mkdir "$ALL"
	for ((i = 1; i <= $1; i++)); do
		SESSION=$ALL/s$i.jsonl
		write_session "$(user 00000001 "" "I am $i")" "$(user 00000002 00000001 "still $i")"
	done
}

# Write a session with ids and labels that would lead out of the mount if used
# as paths.
write_evil_session() {
	needs python3
	python3 - "$SESSION" <<-'PY'
	import json, sys
	evil = ["../../etc/passwd", "/etc/passwd", "..", ".", "/", "//", "../..", "a/../../../x", "%2e%2e", "%-",
	        "..%2f..", "%2E%2E%2F", "..\n..", "x\u0000/../y", "content", "parent", "label", "meta", "context.txt",
	        "\\..\\..", "../" * 90 + "etc/passwd", "HEAD", "~root", "-rf", "\x1b[2J", "1.png", "\ud800", "a" * 300,
	        "../HEAD", "../../../proc/self/root"]
	with open(sys.argv[1], "w") as f:
	    def line(o):
	        f.write(json.dumps(o) + "\n")
	    line({"type": "session", "version": 3, "id": "../../id", "timestamp": "2026-03-01T10:00:00.000Z", "cwd": "/"})
	    parent = None
	    for e in evil:
	        line({"type": "message", "id": e, "parentId": parent, "timestamp": "2026-03-01T10:00:01.000Z",
	              "message": {"role": "user", "content": "x"}})
	        line({"type": "message", "id": e + "'", "parentId": "../../etc/passwd", "timestamp": "2026-03-01T10:00:01.000Z",
	              "message": {"role": "user", "content": "x"}})
	        parent = e
	    for i, e in enumerate(evil):
	        line({"type": "label", "id": "l%d" % i, "parentId": parent, "targetId": e, "label": e})
	PY
}
