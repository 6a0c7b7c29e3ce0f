# Functions for the tests of append.
. "$ROOT/tests/lib/session.bash"

# came N FIXTURE: fails unless N lines were appended to the fixture, and nothing
# else changed.
came() {
	local before after had have
	whole before "$FIXTURES/$2" || return
	whole after "$SESSION" || return
	mapfile -t had <"$FIXTURES/$2"
	mapfile -t have <"$SESSION"
	[[ $after == "$before"* && $after == *$'\n' ]] && [ $((${#have[@]} - ${#had[@]})) -eq "$1" ] || {
		diff -u "$FIXTURES/$2" "$SESSION"
		return 1
	}
}

# Run Python from standard input. each(pieces) writes the pieces to append with
# one open(2).
pieces() {
	needs python3
	{
		cat <<-'PY'
		import errno, json, os, sys
		path = sys.argv[1]
		def write(fd, data):
		    while data:
		        data = data[os.write(fd, data):]
		def each(pieces):
		    fd = os.open(path, os.O_WRONLY)
		    for piece in pieces:
		        write(fd, piece)
		    os.close(fd)
		def refused(fd, data):
		    try:
		        n = os.write(fd, data)
		    except OSError as e:
		        assert e.errno == errno.EINVAL, e
		        return
		    sys.exit(f"{n} of {data[:60]!r} were taken")
		def line(text):
		    return json.dumps({"role": "user", "content": text}).encode() + b"\n"
		PY
		cat
	} | python3 - "$MNT/append" "$@"
}

# Fails unless the appended user messages, those with a random id, have these
# texts.
texts_are() {
	holds "[l['message']['content'] for l in lines if l.get('type') == 'message' and l['message']['role'] == 'user'
		and not re.fullmatch('(aa|00)0000..', l['id'])] == $1"
}

# copied ID...: fails unless the last lines are copies of these entries' lines, in this
# order: byte for byte except the id, which no other line has, and the parent, which is
# the line above.
copied() {
	needs python3
	python3 - "$SESSION" "$MNT/by-id" "$@" <<-'PY'
	import json, re, sys
	session, by_id, *ids = sys.argv[1:]
	lines = [l.rstrip(b"\n") for l in open(session, "rb")]
	entries = [json.loads(l) for l in lines]
	for n, of in enumerate(ids, len(lines) - len(ids)):
	    old = open(f"{by_id}/{of}/raw.json", "rb").read().rstrip(b"\n")
	    copy, new = entries[n], lines[n]
	    if [e.get("id") for e in entries].count(copy["id"]) != 1 or not re.fullmatch("[0-9a-f]{8}", copy["id"]):
	        sys.exit(f"the id of {new}")
	    if copy["parentId"] != entries[n - 1]["id"]:
	        sys.exit(f"below {copy['parentId']}: {new}")
	    for key in "id", "parentId":
	        was = re.search(rb'"%s"\s*:\s*(null|"[^"]*")' % key.encode(), old)
	        now = re.search(rb'"%s"\s*:\s*(null|"[^"]*")' % key.encode(), new)
	        new = new[:now.start(1)] + was[1] + new[now.end(1):]
	    if new != old:
	        sys.exit(f"copied: {new}\n  from: {old}")
	PY
}

# refused_without MESSAGE CHANGE...: the message is refused with each change:
# PATH removes a member, PATH=JSON replaces it.
refused_without() {
	needs python3
	local changed
	mapfile -t changed < <(python3 - "$@" <<-'PY'
	import json, sys
	for change in sys.argv[2:]:
	    message = json.loads(sys.argv[1])
	    path, _, value = change.partition("=")
	    *into, last = path.split(".")
	    at = message
	    for key in into:
	        at = at[key]
	    if value:
	        at[last] = json.loads(value)
	    else:
	        del at[last]
	    print(json.dumps(message))
	PY
	)
	[ ${#changed[@]} -eq $(($# - 1)) ] && refused . "${changed[@]}"
}
