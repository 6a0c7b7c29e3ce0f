# Sessions of the two drafts, whose lines name their parent by uuid or by position.
. "$ROOT/tests/lib/session.bash"

# A session of the uuid draft: a header with uuid s1 and these lines.
write_uuid_draft() {
	write_lines '{"type":"session","version":2,"uuid":"s1","parentUuid":null,"id":"abc","cwd":"/work/demo"}' "$@"
}

# A user message of the uuid draft: uuid, parent ("" for none), text.
uuid_user() {
	printf '{"type":"message","uuid":"%s","parentUuid":%s,"message":{"role":"user","content":"%s"}}' "$1" "$(or_null "$2")" "$3"
}

# User messages that follow each other below a parent; each says its uuid.
uuid_chain() {
	local parent=$1 id
	for id in "${@:2}"; do
		uuid_user "$id" "$parent" "$id"
		echo
		parent=$id
	done
}

# A session of the index draft: a header, which is entry 0, and these lines.
write_index_draft() {
	write_lines '{"type":"session","id":"abc","parent":-1,"cwd":"/work/demo"}' "$@"
}

# A user message of the index draft: parent, text.
index_user() {
	printf '{"type":"message","parent":%s,"message":{"role":"user","content":"%s"}}' "$1" "$2"
}
