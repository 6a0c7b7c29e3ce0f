#!/bin/bash
# Codex 0.171.0 (npm @openai/codex), offline, with a server on loopback that answers "ok" to
# each request and keeps what was sent.
#
# `codex exec resume` takes a thread's id or its name. By its id a thread is resumed from any
# directory, and one that cannot be is refused: an archived one with the command that brings it
# back. By its name, a thread is looked for only among those of the working directory that are not
# archived, and if there is none, no error comes: the prompt goes to a new thread, without a word of
# the conversation, and the status is 0. So a script that resumes by name from a cron job's
# directory, or after somebody has archived the thread, talks to a model that knows
# nothing, and each run leaves another thread behind.
#
# Seen: of a thread with "one", the prompt "go on" is sent behind it by the name in its directory,
# and by the id anywhere. By the name in another directory, and when it is archived, "go on" is
# sent alone, with the status 0; by the id of the archived thread nothing is, with the status 1.
# Fails if that has changed. Needs npm, node, unshare, ip.
set -euo pipefail

if [[ ${1-} != inside ]]; then
	dir=$(mktemp -d)
	trap 'rm -rf "$dir"' EXIT
	npm install --prefix "$dir" --no-audit --no-fund --loglevel=error --ignore-scripts @openai/codex@0.171.0 >&2
	flags=-rn
	[[ $(id -u) -ne 0 ]] || flags=-n
	unshare $flags "$0" inside "$dir"
	exit
fi

dir=$2
codex=$(find "$dir/node_modules" -type f -name codex -perm -u+x -path '*/vendor/*' | head -n 1)
ip link set lo up
export HOME=$dir/home
id=01a20000-0000-7000-8000-000000000001
rollout=rollout-2026-11-01T10-00-00-$id.jsonl
mkdir -p "$dir/work" "$dir/elsewhere" "$HOME/.codex/archived_sessions"

# shellcheck disable=SC2016 # JavaScript
node -e 'require("http").createServer(async (q, a) => {
	let body = "";
	for await (const piece of q) body += piece;
	const said = (JSON.parse(body || "{}").input ?? []).filter(({ role }) => role === "user").flatMap(({ content }) => content).map(({ text }) => text);
	require("fs").writeFileSync(process.argv[1], said.filter((text) => !text.startsWith("<")).join(", "));
	a.writeHead(200, { "content-type": "text/event-stream" });
	const event = (type, rest) => a.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...rest })}\n\n`);
	event("response.created", { response: { id: "r" } });
	event("response.output_item.done", { output_index: 0, item: { type: "message", id: "msg_1", role: "assistant", content: [{ type: "output_text", text: "ok" }] } });
	event("response.completed", { response: { id: "r", usage: { input_tokens: 1, output_tokens: 1, total_tokens: 2 } } });
	a.end();
}).listen(0, "127.0.0.1", function () { console.log(this.address().port) })' "$dir/sent" >"$dir/port" &
server=$!
trap 'kill $server' EXIT
until [[ -s $dir/port ]]; do sleep 0.1; done
cat >"$HOME/.codex/config.toml" <<TOML
model = "gpt-5"
model_provider = "played"
check_for_update_on_startup = false
[analytics]
enabled = false
[model_providers.played]
name = "played"
base_url = "http://127.0.0.1:$(<"$dir/port")/v1"
wire_api = "responses"
requires_openai_auth = false
supports_websockets = false
TOML

# Resume it, in that directory and by that name or id: what is sent and the status. $3: the thread is archived.
resume() {
	local folder=$HOME/.codex/sessions/2026/11/01 status=0
	rm -rf "$HOME/.codex"/{sessions,archived_sessions,*.sqlite*}
	[[ $# -eq 2 ]] || folder=$HOME/.codex/archived_sessions
	mkdir -p "$folder"
	{
		printf '{"timestamp":"2026-11-01T10:00:00.000Z","ordinal":0,"type":"session_meta","payload":{"id":"%s","session_id":"%s","timestamp":"2026-11-01T10:00:00.000Z","cwd":"%s","originator":"x","cli_version":"0.171.0","source":"cli","model_provider":"played","history_mode":"paginated"}}\n' "$id" "$id" "$dir/work"
		echo '{"timestamp":"2026-11-01T10:00:01.000Z","ordinal":1,"type":"event_msg","payload":{"type":"user_message","message":"one","images":[]}}'
		echo '{"timestamp":"2026-11-01T10:00:01.000Z","ordinal":2,"type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"one"}]}}'
	} >"$folder/$rollout"
	echo '{"id":"'$id'","thread_name":"plan","updated_at":"2026-11-01T10:00:02.000Z"}' >"$HOME/.codex/session_index.jsonl"
	rm -f "$dir/sent"
	(cd "$dir/$1" && timeout 300 "$codex" exec resume "$2" 'go on' --skip-git-repo-check) >"$dir/said" 2>&1 </dev/null || status=$?
	echo "$(cat "$dir/sent" 2>/dev/null): $status"
}
named=$(resume work plan)
elsewhere=$(resume elsewhere plan)
elsewhere_id=$(resume elsewhere $id)
archived=$(resume work plan archived)
archived_id=$(resume work $id archived)
printf 'name: "%s"; name elsewhere: "%s"; id elsewhere: "%s"; name of an archived thread: "%s"; id of it: "%s"\n' "$named" "$elsewhere" "$elsewhere_id" "$archived" "$archived_id"
[[ $named == "one, go on: 0" && $elsewhere == "go on: 0" && $elsewhere_id == "one, go on: 0" && $archived == "go on: 0" && $archived_id == ": 1" ]]
