# Sessions of Pi.
. "$ROOT/tests/lib/session.bash"

PI_HEADER='{"type":"session","version":3,"id":"0198f000-0000-7000-8000-00000000000a","timestamp":"2026-03-01T10:00:00.000Z","cwd":"/work/demo"}'

# Write a session of Pi: a header and the given lines.
write_session() {
	write_lines "$PI_HEADER" "$@"
}

# A message: id, parent ("" for none), the message as JSON.
message() {
	local parent=${2:+"\"$2\""}
	printf '{"type":"message","id":"%s","parentId":%s,"timestamp":"2026-03-01T10:00:01.000Z","message":%s}' "$1" "${parent:-null}" "$3"
}

# A user message: id, parent ("" for none), text (JSON-escaped).
user() {
	message "$1" "$2" "{\"role\":\"user\",\"content\":\"$3\",\"timestamp\":1772359201000}"
}

# append_user ID PARENT [TEXT]: append a user message to the session, in one write, as agents do.
append_user() {
	printf '%s\n' "$(user "$1" "$2" "${3-said by $1}")" >>"$SESSION"
}

# write_many SHAPE N [TEXT]: write N user messages as a "chain" or as "roots". The ids count
# up from 00000000. %d in the text, "entry %d", is the number.
write_many() {
	# shellcheck disable=SC2016 # awk's
	awk 'BEGIN {
		shape = ARGV[1]
		n = ARGV[2]
		# Once: sub() in mawk takes longer with each call.
		numbered = split(ARGV[3], text, "%d") == 2
		print "{\"type\":\"session\",\"version\":3,\"id\":\"deep\",\"timestamp\":\"2026-03-01T10:00:00.000Z\",\"cwd\":\"/\"}"
		for (i = 0; i < n; i++) {
			up = shape == "roots" ? -1 : i - 1
			parent = up < 0 ? "null" : sprintf("\"%08x\"", up)
			printf "{\"type\":\"message\",\"id\":\"%08x\",\"parentId\":%s,\"timestamp\":\"2026-03-01T10:00:01.000Z\",\"message\":{\"role\":\"user\",\"content\":\"", i, parent
			print text[1] (numbered ? i text[2] : "") "\"}}"
		}
	}' "$1" "$2" "${3-entry %d}" >"$SESSION"
}

# Write this many small sessions in a folder, $ALL. The texts have the numbers.
many_sessions() {
	local i
	ALL=$DIR/all
	mkdir "$ALL"
	for ((i = 1; i <= $1; i++)); do
		SESSION=$ALL/s$i.jsonl
		{
			echo "$PI_HEADER"
			user 00000001 "" "I am $i"
			echo
			user 00000002 00000001 "still $i"
			echo
		} >"$SESSION"
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

# is_told_of FOLDER ID...: with the folder open and listed, append these
# messages below its entry. The process that has it open must see all of them
# without any other request (a shell would look up its working directory).
is_told_of() {
	needs python3
	local folder=$1 lines=() id
	shift
	for id in "$@"; do lines+=("$(user "$id" "${folder##*/}" new)"); done
	python3 - "$SESSION" "$folder" "$*" "${lines[@]}" <<-'PY'
	import os, sys, time
	session, folder, ids, *lines = sys.argv[1:]
	fd = os.open(folder, os.O_RDONLY)
	def missing():
	    return set(ids.split()) - set(os.listdir(fd))
	assert missing() == set(ids.split())
	out = os.open(session, os.O_WRONLY | os.O_APPEND)
	for line in lines:
	    os.listdir(fd)
	    os.write(out, line.encode() + b"\n")
	end = time.monotonic() + 20
	while missing():
	    assert time.monotonic() < end, missing()
	    time.sleep(0.02)
	PY
}
