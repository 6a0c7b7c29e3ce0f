#!/bin/bash
# oh-my-pi 18.2.3 (npm @oh-my-pi/pi-coding-agent), on bun 1.4.5 (npm @oven/bun-linux-x64), in
# RPC mode, offline.
#
# A label is an entry of its own, and what is said after it hangs on it. When oh-my-pi makes a
# new session of a branch, it leaves the labels of the path out and writes them anew at the
# end, but what hung on a label still names it as its parent. That line is not in the new
# file, so the conversation begins there: all that was said before the last label is in the
# file, and no longer in what the model gets. Nothing is reported. Pi, of which oh-my-pi was
# made, gives these entries another parent.
#
# Seen: of a conversation "one two three four" a branch has all four, and if "two" has a label,
# only "three four"; with 18.3.4, whose packages are not all on npm, the same. Fails if that
# has changed. Needs npm, tar, unshare.
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

line() { printf '{"type":"%s","id":"aa00000%d","parentId":%s,"timestamp":"2026-11-01T10:00:0%d.000Z",%s}\n' "$1" "$2" "$3" "$2" "$4"; }
said() { line message "$1" "$2" '"message":{"role":"user","content":"'"$3"'","timestamp":5}'; }
answered() {
	line message "$1" "\"aa00000$2\"" '"message":{"role":"assistant","content":[{"type":"text","text":"'"$3"'"}],"api":"x","provider":"p","model":"m","usage":{"input":1,"output":1,"cacheRead":0,"cacheWrite":0,"totalTokens":2,"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0}},"stopReason":"stop","timestamp":5}'
}

# shellcheck disable=SC2154 # agent and agent_PID are the coproc's
# What a session that was made of the branch up to the last prompt has for the model. $1 is
# what "three" hangs on.
branched() {
	{
		printf '{"type":"session","version":3,"id":"0198f000-0000-7000-8000-000000000001","timestamp":"2026-11-01T10:00:00.000Z","cwd":"%s","title":"T"}\n' "$dir/work"
		said 1 null one
		answered 2 1 two
		[[ $1 != 3 ]] || line label 3 '"aa000002"' '"targetId":"aa000002","label":"good"'
		said 4 "\"aa00000$1\"" three
		answered 5 4 four
		said 6 '"aa000005"' five
	} >session.jsonl
	coproc agent { cd work && HOME=$dir/home ANTHROPIC_API_KEY=none exec timeout 300 "${alone[@]}" ../node_modules/@oven/bun-linux-x64/bin/bun "../$agent/dist/cli.js" --mode rpc --resume ../session.jsonl; }
	for ask in '{"id":"1","type":"branch","entryId":"aa000006"}' '{"id":"2","type":"get_messages"}'; do
		echo "$ask" >&"${agent[1]}"
		until IFS= read -r answer <&"${agent[0]}" && [[ $answer == *'"type":"response"'* ]]; do :; done
	done
	kill "$agent_PID"
	wait "$agent_PID" || true
	grep -oE '"(text|content)":"[^"]*"' <<<"$answer" | cut -d '"' -f 4 | paste -sd ' '
}
without=$(branched 2)
with=$(branched 3)
printf 'without a label: %s\nwith a label: %s\n' "$without" "$with"
[[ $without == "one two three four" && $with == "three four" ]]
