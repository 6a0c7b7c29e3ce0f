# Sums of tokens and costs: in info, and in the meta of each entry.
load lib/mount
load lib/run
load lib/pi
load lib/claude
load lib/omp

# An answer of Pi: id, parent, input tokens, cost.
paid() {
	message "$1" "$2" "{\"role\":\"assistant\",\"content\":[{\"type\":\"text\",\"text\":\"x\"}],\"provider\":\"p\",\"model\":\"m\",\"usage\":{\"input\":$3,\"output\":1,\"cacheRead\":2,\"cacheWrite\":3,\"totalTokens\":$(($3 + 6)),\"cost\":{\"input\":0,\"output\":0,\"cacheRead\":0,\"cacheWrite\":0,\"total\":$4}}}"
}

# sums_are FILE LINE...: fails unless the file has exactly these lines of sums.
sums_are() {
	is "$(printf '%s\n' "${@:2}")" grep -E '^(path|session)-(tokens|cost): ' "$1"
}

# Rules: R2 P3
@test "Pi: the path to HEAD, and the whole session" {
	write_session "$(user 00000001 "" "one")" "$(paid 00000002 00000001 4 0.5)" \
		"$(paid 00000003 00000002 14 0.25)" "$(paid 00000004 00000001 94 0.125)"
	mount_session
	sums_are "$MNT/info" "path-tokens: 100" "path-cost: 0.125" "session-tokens: 130" "session-cost: 0.875"
	run grep -h tokens "$MNT/by-id/00000001/meta"
	[ -z "$output" ]
	sums_are "$MNT/by-id/00000002/meta" "path-tokens: 10" "path-cost: 0.5"
	sums_are "$MNT/by-id/00000003/meta" "path-tokens: 30" "path-cost: 0.75"
	sums_are "$MNT/by-id/00000004/meta" "path-tokens: 100" "path-cost: 0.125"
	grep -qx "tokens: 20" "$MNT/by-id/00000003/meta"
	ln -sfn by-id/00000003 "$MNT/HEAD"
	sums_are "$MNT/info" "path-tokens: 30" "path-cost: 0.75" "session-tokens: 130" "session-cost: 0.875"
	ln -sfn tree "$MNT/HEAD"
	sums_are "$MNT/info" "session-tokens: 130" "session-cost: 0.875"
}

@test "sums grow with the session, and start again with a new file" {
	write_session "$(user 00000001 "" "one")" "$(paid 00000002 00000001 4 0.5)"
	cp "$SESSION" "$DIR/before"
	mount_session
	sums_are "$MNT/info" "path-tokens: 10" "path-cost: 0.5" "session-tokens: 10" "session-cost: 0.5"
	printf '%s\n' "$(paid 00000003 00000002 4 0.5)" >>"$SESSION"
	sums_are "$MNT/info" "path-tokens: 20" "path-cost: 1" "session-tokens: 20" "session-cost: 1"
	sums_are "$MNT/by-id/00000003/meta" "path-tokens: 20" "path-cost: 1"
	echo new >"$MNT/HEAD/label"
	sums_are "$MNT/info" "path-tokens: 20" "path-cost: 1" "session-tokens: 20" "session-cost: 1"
	mv "$DIR/before" "$SESSION"
	sums_are "$MNT/info" "path-tokens: 10" "path-cost: 0.5" "session-tokens: 10" "session-cost: 0.5"
	sums_are "$MNT/by-id/00000002/meta" "path-tokens: 10" "path-cost: 0.5"
}

@test "oh-my-pi counts its task tool, too" {
	local usage='"usage":{"input":1,"output":2,"cacheRead":3,"cacheWrite":4,"totalTokens":50,"cost":{"total":0.01}}'
	write_omp "$(entry message 1 "" ",\"message\":{\"role\":\"assistant\",\"content\":[],$usage}")" \
		"$(entry message 2 1 ",\"message\":{\"role\":\"toolResult\",\"toolName\":\"task\",\"content\":[],\"details\":{$usage}}")" \
		"$(entry model_usage 3 2 ",$usage")"
	mount_session
	sums_are "$MNT/info" "path-tokens: 150" "path-cost: 0.03" "session-tokens: 150" "session-cost: 0.03"
	sums_are "$MNT/by-id/2/meta" "path-tokens: 100" "path-cost: 0.02"
}

@test "Claude Code: a response in several lines counts once" {
	write_parallel
	mount_session
	sums_are "$MNT/info" "path-tokens: 4" "session-tokens: 4"
	sums_are "$MNT/by-id/$(uuid 4)/meta" "path-tokens: 2"
	unmount
	daemon_is_gone
	write_two_branches
	mount_session
	sums_are "$MNT/info" "path-tokens: 2" "session-tokens: 4"
}

@test "a path of 20,000 entries is summed from its end" {
	needs python3
	python3 - "$SESSION" <<-'PY'
	import sys
	with open(sys.argv[1], "w") as f:
	    f.write('{"type":"session","version":3,"id":"deep","timestamp":"2026-03-01T10:00:00.000Z","cwd":"/"}\n')
	    for i in range(20000):
	        f.write('{"type":"message","id":"%08x","parentId":%s,"timestamp":"2026-03-01T10:00:01.000Z","message":{"role":"assistant","content":[],"usage":{"input":1,"output":1,"cost":{"total":0.001}}}}\n'
	                % (i, '"%08x"' % (i - 1) if i else "null"))
	PY
	mount_session
	sums_are "$MNT/HEAD/meta" "path-tokens: 40000" "path-cost: 20"
	sums_are "$MNT/by-id/000003e7/meta" "path-tokens: 2000" "path-cost: 1"
	sums_are "$MNT/info" "path-tokens: 40000" "path-cost: 20" "session-tokens: 40000" "session-cost: 20"
}

@test "Claude Code: what the agent says that the session has cost" {
	write_lines "$(claude_user 1 "" one)" \
		"{\"type\":\"cost-state\",\"sessionId\":\"$SESSION_ID\",\"totalCostUSD\":0.5}" \
		"{\"type\":\"cost-state\",\"sessionId\":\"$SESSION_ID\",\"totalCostUSD\":0.75}"
	mount_session
	sums_are "$MNT/info" "session-cost: 0.75"
	is 0.75 sh -c "'$SESSFS' list '$SESSION' | cut -f 7"
	echo "{\"type\":\"cost-state\",\"sessionId\":\"$SESSION_ID\",\"totalCostUSD\":1}" >>"$SESSION"
	sums_are "$MNT/info" "session-cost: 1"
}
