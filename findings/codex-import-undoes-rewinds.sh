#!/bin/bash
# Codex 0.171.0 (npm @openai/codex), offline, with a server on loopback that refuses each
# request and keeps what was sent. The session that it imports has the form of Claude Code's.
#
# Codex imports a session of Claude Code as a thread of its own (/import, or
# externalAgentConfig/import of its app-server). A transcript is a tree: where the user went back,
# two prompts name the same line as their parent, and Claude Code sends what is above the end. It
# is also cut: nothing is above the boundary of a compaction, whose summary stands for that. The
# import looks at neither, and takes the lines as they stand in the file. So all that the user
# has gone back from is in the thread, as if it were still meant, and so is what was compacted,
# before its own summary. The import is reported as a success.
#
# Seen: of a transcript that says "one, answer, gone, wrong", goes back to the answer, says "two,
# right", is compacted to "SUMMARY", and ends with "end", the thread sends all in that order; above
# the last line is only the summary. Fails if that has changed. Needs npm, node, unshare, ip.
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
mkdir -p "$dir/work" "$HOME/.codex"
cd "$dir/work"
session=11111111-2222-4333-8444-555555555555
transcript=$HOME/.claude/projects/${PWD//[^a-zA-Z0-9]/-}/$session.jsonl
mkdir -p "${transcript%/*}"

node -e 'require("http").createServer(async (q, a) => {
	let body = "";
	for await (const piece of q) body += piece;
	const said = (JSON.parse(body || "{}").input ?? []).flatMap(({ role, content }) => (role === "developer" ? [] : content)).map(({ text }) => text);
	if (said.includes("go on"))
		require("fs").writeFileSync(process.argv[1], said.filter((text) => !text.startsWith("<")).join(", ") + "\n");
	a.writeHead(400, { "content-type": "application/json" });
	a.end(JSON.stringify({ error: { message: "refused", type: "invalid_request_error" } }));
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
request_max_retries = 0
stream_max_retries = 0
TOML

id_of() { [[ $1 == 0 ]] && echo null || echo "\"aaaa0000-0000-4000-8000-00000000000$1\""; }
line() {
	printf '{"parentUuid":%s,"isSidechain":false,"userType":"external","cwd":"%s","sessionId":"%s","version":"2.1.332","type":"%s",%s,"uuid":%s,"timestamp":"2026-11-01T10:00:0%d.000Z"}\n' "$(id_of "$2")" "$PWD" "$session" "$3" "$4" "$(id_of "$1")" "$1"
}
user() { line "$1" "$2" user "${4-}"'"message":{"role":"user","content":"'"$3"'"}'; }
answer() { line "$1" "$2" assistant '"message":{"id":"msg_'"$1"'","type":"message","role":"assistant","model":"claude-opus-4-6","content":[{"type":"text","text":"'"$3"'"}],"stop_reason":"end_turn","usage":{"input_tokens":1,"output_tokens":1}}'; }
{
	user 1 0 one
	answer 2 1 answer
	user 3 2 gone
	answer 4 3 wrong
	user 5 2 two
	answer 6 5 right
	line 7 0 system '"subtype":"compact_boundary","content":"Conversation compacted","logicalParentUuid":'"$(id_of 6)"',"level":"info","compactMetadata":{"trigger":"manual","preTokens":100}'
	user 8 7 SUMMARY '"isCompactSummary":true,"isVisibleInTranscriptOnly":true,'
	answer 9 8 end
} >"$transcript"

# shellcheck disable=SC2154 # agent and agent_PID are the coproc's
import() {
	coproc agent { exec timeout 300 "$codex" app-server 2>"$dir/log"; }
	{
		echo '{"id":1,"method":"initialize","params":{"clientInfo":{"name":"finding","version":"1"},"capabilities":{"experimentalApi":true}}}'
		echo '{"method":"initialized"}'
		echo '{"id":2,"method":"externalAgentConfig/import","params":{"migrationItems":[{"itemType":"SESSIONS","description":"","details":{"sessions":[{"path":"'"$transcript"'","cwd":"'"$PWD"'"}]}}]}}'
	} >&"${agent[1]}"
	until IFS= read -r told <&"${agent[0]}" && [[ $told == *'"externalAgentConfig/import/completed"'* ]]; do :; done
	kill "$agent_PID"
	wait "$agent_PID" || true
	grep -oE '"target":"[^"]*"' <<<"$told" | cut -d '"' -f 4
}
thread=$(import)
timeout 300 "$codex" exec resume "$thread" 'go on' --skip-git-repo-check >"$dir/said" 2>&1 </dev/null || true
sent=$(<"$dir/sent")
printf 'sent: %s\n' "$sent"
[[ $sent == "one, answer, gone, wrong, two, right, SUMMARY, end, go on" ]]
