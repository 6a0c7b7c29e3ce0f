# Functions for the tests of append.
. "$ROOT/tests/lib/session.bash"

# came N FIXTURE: fails unless N lines were appended to the fixture, and nothing
# else changed.
came() {
	local before=$FIXTURES/$2
	cmp -n "$(stat -c %s "$before")" "$before" "$SESSION"
	is "$1" bash -c "tail -c +$(($(stat -c %s "$before") + 1)) '$SESSION' | wc -l"
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

# Fails unless the last line is a copy of the entry's line, byte for byte except
# the id and the parent.
copied() {
	needs python3
	local line
	line=$(cat "$MNT/by-id/$1/raw.json")
	holds "made(e) or e['timestamp']" "e['id'] != '$1'" "[l.get('id') for l in lines].count(e['id']) == 1"
	python3 - "$SESSION" "$MNT/by-id/$1/raw.json" <<-'PY'
	import json, re, sys
	last = open(sys.argv[1], "rb").readlines()[-1].rstrip(b"\n")
	old = open(sys.argv[2], "rb").read().rstrip(b"\n")
	e, o = json.loads(last), json.loads(old)
	for key in "id", "parentId":
	    was = re.search(rb'"%s"\s*:\s*(null|"[^"]*")' % key.encode(), old)
	    now = re.search(rb'"%s"\s*:\s*(null|"[^"]*")' % key.encode(), last)
	    last = last[:now.start(1)] + was[1] + last[now.end(1):]
	if last != old:
	    sys.exit(f"copied: {last}\n  from: {old}")
	PY
}

# refused_without MESSAGE CHANGE...: the message is refused with each change:
# PATH removes a member, PATH=JSON replaces it.
refused_without() {
	needs python3
	local message=$1 change
	shift
	for change in "$@"; do
		refused . "$(python3 - "$message" "$change" <<-'PY'
		import json, sys
		message = json.loads(sys.argv[1])
		path, _, value = sys.argv[2].partition("=")
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
		)" || {
			echo "of $message: $change"
			return 1
		}
	done
}
