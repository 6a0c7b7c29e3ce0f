#!/bin/bash
# oh-my-pi 18.2.3 (npm @oh-my-pi/pi-coding-agent), on bun 1.4.5 (npm @oven/bun-linux-x64), in
# RPC mode, offline.
#
# Another program may append a line to the session that oh-my-pi has open, and all seems well:
# the agent's next lines stand behind it. But when the agent has to rewrite the file, here
# to give a title to a session that was written before there were titles, it finds a size
# that it has not made, and from then on it saves nothing. Its notice says that writes are
# tried again and what is unsaved is kept until they are taken. They are never taken: what was
# said from there on is gone when it ends.
#
# Seen: of "before", said before another program's label, and "behind", said after it, both are
# saved; of "lost", said after the title was refused, there is nothing in the file when the agent
# has ended. Without that label all three are. 18.3.4, whose packages are not all on npm, does the
# same. Fails if that has changed. Needs npm, tar, unshare.
set -euo pipefail

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm install --prefix . --no-audit --no-fund --loglevel=error --ignore-scripts @oven/bun-linux-x64@1.4.5 \
	@oh-my-pi/pi-natives@18.2.3 @oh-my-pi/pi-natives-linux-x64@18.2.3 @babel/parser@7.29.14 >&2
agent=node_modules/@oh-my-pi/pi-coding-agent
# Its program alone: npm would bring 1 GB more.
mkdir -p "$agent" home work
tar -xzf "$(npm pack @oh-my-pi/pi-coding-agent@18.2.3 --ignore-scripts --silent)" -C "$agent" --strip-components=1 package/package.json package/dist
alone=(unshare -n)
[[ $(id -u) -eq 0 ]] || alone=(unshare -rn)

# shellcheck disable=SC2154 # agent is the coproc's
ask() {
	echo "$1" >&"${agent[1]}"
	until IFS= read -r answer <&"${agent[0]}" && [[ $answer == *'"type":"response"'* ]]; do :; done
}
# The agent runs a command and writes down that the user wanted it.
say() { ask '{"id":"1","type":"bash","command":"echo '"$1"'"}'; }

# What is saved of three commands. $1: another program adds a label between the first two.
saved() {
	{
		printf '{"type":"session","version":3,"id":"0198f000-0000-7000-8000-000000000001","timestamp":"2026-11-01T10:00:00.000Z","cwd":"%s"}\n' "$dir/work"
		echo '{"type":"message","id":"aa000001","parentId":null,"timestamp":"2026-11-01T10:00:01.000Z","message":{"role":"user","content":"q","timestamp":5}}'
		echo '{"type":"message","id":"aa000002","parentId":"aa000001","timestamp":"2026-11-01T10:00:02.000Z","message":{"role":"assistant","content":[{"type":"text","text":"a"}],"api":"x","provider":"p","model":"m","usage":{"input":1,"output":1,"cacheRead":0,"cacheWrite":0,"totalTokens":2,"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0}},"stopReason":"stop","timestamp":5}}'
	} >session.jsonl
	coproc agent { cd work && HOME=$dir/home ANTHROPIC_API_KEY=none exec timeout 300 "${alone[@]}" ../node_modules/@oven/bun-linux-x64/bin/bun "../$agent/dist/cli.js" --mode rpc --resume "$dir/session.jsonl" 2>/dev/null; }
	say before
	if [[ $1 == label ]]; then
		echo '{"type":"label","id":"ffffff01","parentId":"aa000002","timestamp":"2026-11-01T11:00:00.000Z","targetId":"aa000002","label":"good"}' >>session.jsonl
	fi
	say behind
	ask '{"id":"2","type":"set_session_name","name":"A title"}'
	say lost
	# shellcheck disable=SC2154
	kill "$agent_PID"
	wait "$agent_PID" || true
	grep -o '"command":"echo [a-z]*' session.jsonl | sed 's/.* //' | paste -sd ' '
}
alone_saved=$(saved nothing)
beside_saved=$(saved label)
printf 'alone: %s\nwith a line of another program: %s\n' "$alone_saved" "$beside_saved"
[[ $alone_saved == "before behind lost" && $beside_saved == "before behind" ]]
