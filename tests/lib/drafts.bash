# Sessions of the two drafts, whose lines name their parents by uuid or by
# position.
. "$ROOT/tests/lib/session.bash"

# Write a session of the uuid draft: a header with uuid s1, and the given lines.
write_uuid_draft() {
	write_lines '{"type":"session","version":2,"uuid":"s1","parentUuid":null,"id":"abc","cwd":"/work/demo"}' "$@"
}

# A user message of the uuid draft: uuid, parent ("" for none), text.
uuid_user() {
	local parent=${2:+"\"$2\""}
	printf '{"type":"message","uuid":"%s","parentUuid":%s,"message":{"role":"user","content":"%s"}}' "$1" "${parent:-null}" "$3"
}

# Write a session of the index draft: a header, which is entry 0, and the given
# lines.
write_index_draft() {
	write_lines '{"type":"session","id":"abc","parent":-1,"cwd":"/work/demo"}' "$@"
}

# A user message of the index draft: parent, text.
index_user() {
	printf '{"type":"message","parent":%s,"message":{"role":"user","content":"%s"}}' "$1" "$2"
}
