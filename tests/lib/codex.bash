# Rollouts of Codex.
. "$ROOT/tests/lib/session.bash"

# The n-th id of a thread or a rollout, of a time in March 2026, and what a rollout with it is
# called: formats of printf.
ROLLOUT_ID=019ca8f0-0000-7000-8000-%012d
ROLLOUT=rollout-2026-03-01T10-00-00-$ROLLOUT_ID

rollout_id() {
	# shellcheck disable=SC2059 # a format
	printf "$ROLLOUT_ID" "$1"
}

# Where $CODEX_HOME has the rollout with the n-th id.
rollout_path() {
	printf "%s/sessions/2026/03/01/$ROLLOUT.jsonl\n" "$CODEX_HOME" "$1"
}

# An empty $CODEX_HOME; the session is the first rollout.
make_codex_home() {
	CODEX_HOME=$DIR/codex
	SESSION=$(rollout_path 1)
	mkdir -p "${SESSION%/*}"
}

# session_meta N [MEMBERS]: the first line of a paginated thread.
session_meta() {
	local id
	# shellcheck disable=SC2059 # a format
	printf -v id "$ROLLOUT_ID" "$1"
	printf '{"timestamp":"2026-03-01T10:00:00.000Z","ordinal":0,"type":"session_meta","payload":{"id":"%s","timestamp":"2026-03-01T10:00:00.000Z","cwd":"/work/demo","originator":"x","cli_version":"0.171.0","history_mode":"paginated"%s}}\n' \
		"$id" "${2:+,$2}"
}

# based_on N ORDINAL BYTES: the member of a session_meta.
based_on() {
	printf '"history_base":{"thread_id":"%s","end_ordinal_exclusive":%s,"end_byte_offset":%s}' "$(rollout_id "$1")" "$2" "$3"
}

legacy_meta() {
	printf '{"timestamp":"2026-03-01T10:00:00.000Z","type":"session_meta","payload":{"id":"%s","timestamp":"2026-03-01T10:00:00.000Z","cwd":"/work/demo","originator":"x","cli_version":"0.171.0"}}\n' "$(rollout_id "$1")"
}

# line TYPE PAYLOAD [ORDINAL]
line() {
	printf '{"timestamp":"2026-03-01T10:00:01.000Z",%s"type":"%s","payload":%s}\n' "${3:+\"ordinal\":$3,}" "$1" "$2"
}

# said ID ROLE TEXT [ORDINAL]: a message.
said() {
	local type=input_text
	[ "$2" != assistant ] || type=output_text
	line response_item "{\"type\":\"message\",\"id\":\"$1\",\"role\":\"$2\",\"content\":[{\"type\":\"$type\",\"text\":\"$3\"}]}" "${4-}"
}

event() {
	line event_msg "$1" "${2-}"
}

rolled_back() {
	event "{\"type\":\"thread_rolled_back\",\"num_turns\":$1}"
}
