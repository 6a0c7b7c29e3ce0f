# Sessions of oh-my-pi, and the blobs that it keeps beside them.
. "$ROOT/tests/lib/session.bash"

# A title slot of 256 bytes, as the agent writes it: the title (ASCII).
slot() {
	local line
	printf -v line '{"type":"title","v":1,"title":"%s","source":"user","updatedAt":"2026-03-01T10:00:30.000Z","pad":"' "$1"
	printf '%s%*s"}\n' "$line" $((253 - ${#line})) ''
}

# Write a session: a title slot, a header, and the given lines.
write_omp() {
	{
		slot "The title"
		printf '%s\n' '{"type":"session","version":3,"id":"0198f000-0000-7000-8000-000000000001","timestamp":"2026-03-01T10:00:00.000Z","cwd":"/work/demo","title":"old"}' "$@"
	} >"$SESSION"
}

# An entry other than a message: type, id, parent, other members after a comma.
entry() {
	local parent=${3:+"\"$3\""}
	printf '{"type":"%s","id":"%s","parentId":%s,"timestamp":"2026-03-01T10:00:01.000Z"%s}' "$1" "$2" "${parent:-null}" "$4"
}

# Store a blob, given as base64, in the agent's folder of blobs. Prints its
# reference.
keep_blob() {
	local folder=$HOME/.omp/agent/blobs hash
	mkdir -p "$folder"
	hash=$(base64 -d <<<"$1" | sha256sum | cut -d ' ' -f 1)
	base64 -d <<<"$1" >"$folder/$hash"
	echo "blob:sha256:$hash"
}
