# Sessions of oh-my-pi, and the blobs that it keeps beside them.
. "$ROOT/tests/lib/session.bash"

# A title slot as the agent writes it, 256 bytes: the title (ASCII).
slot() {
	local line
	printf -v line '{"type":"title","v":1,"title":"%s","source":"user","updatedAt":"2026-03-01T10:00:30.000Z","pad":"' "$1"
	printf '%s%*s"}\n' "$line" $((253 - ${#line})) ''
}

# A session with a title slot and one line per argument behind the header.
write_omp() {
	{
		slot "The title"
		printf '%s\n' '{"type":"session","version":3,"id":"0198f000-0000-7000-8000-000000000001","timestamp":"2026-03-01T10:00:00.000Z","cwd":"/work/demo","title":"old"}' "$@"
	} >"$SESSION"
}

# An entry that is no message: type, id, parent, other members after a comma.
entry() {
	local parent=null
	[ -z "$3" ] || parent="\"$3\""
	printf '{"type":"%s","id":"%s","parentId":%s,"timestamp":"2026-03-01T10:00:01.000Z"%s}' "$1" "$2" "$parent" "$4"
}

# Keep a blob where the agent looks for it: its base64. Prints the reference.
keep_blob() {
	local folder=$HOME/.omp/agent/blobs hash
	mkdir -p "$folder"
	hash=$(base64 -d <<<"$1" | sha256sum | cut -d ' ' -f 1)
	base64 -d <<<"$1" >"$folder/$hash"
	echo "blob:sha256:$hash"
}
