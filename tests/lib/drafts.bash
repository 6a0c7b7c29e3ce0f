# Sessions of the two drafts, whose lines name their parents by uuid or by
# position.
. "$ROOT/tests/lib/session.bash"

# A user message of the uuid draft: uuid, parent ("" for none), text.
uuid_user() {
	local parent=${2:+"\"$2\""}
	printf '{"type":"message","uuid":"%s","parentUuid":%s,"message":{"role":"user","content":"%s"}}' "$1" "${parent:-null}" "$3"
}

# A user message of the index draft: parent, text.
index_user() {
	printf '{"type":"message","parent":%s,"message":{"role":"user","content":"%s"}}' "$1" "$2"
}
