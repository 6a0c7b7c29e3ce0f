# Lines that append refuses: those that are not entries, or that the agent could
# not load.
load lib/mount
load lib/run
load lib/pi
load lib/append

# Rules: A5
@test "lines that are not entries are refused, and info has the reason" {
	mount_fixture pi-v3-branches.jsonl
	not grep -q '^last-refused' "$MNT/info"
	local REPLY why
	refused . hello 5 null true '"x"' '[{"role":"user","content":"x"}]' '{"role":"user"' \
		'{"role":"user","content":"x"} x' '{"role":"user","content":"x"}{' "{'role':'user'}" \
		'{"role":"user","content":"x",}' '{"role":"user","content":"	"}' '{}' '{"content":"x"}' \
		'{"role":5,"content":"x"}' '{"type":5}' '{"type":null,"summary":"x"}' '{"type":"x","id":""}' '{"type":"x","id":null}' '{"type":"x","id":5}' \
		'{"type":"session","version":3,"id":"s","timestamp":"2026-03-01T10:00:00.000Z","cwd":"/"}' \
		'{"type":"session","version":3,"timestamp":"2026-03-01T10:00:00.000Z","cwd":"/"}'
	head_is by-id/aa000025
	# The reason stays until another line is refused.
	why_refused
	why=$REPLY
	say '{"role":"user","content":"good"}'
	why_refused
	[ "$REPLY" = "$why" ]
	refused "unknown|parent|known" '{"type":"custom","customType":"x","parentId":"nowhere"}'
	why_refused
	[ "$REPLY" != "$why" ]
	printf -v why '{"type":"custom","customType":"x","parentId":"no\\nhead: \\u001b[2J%0900d"}' 1
	refused . "$why"
	not grep -c $'\033' "$MNT/info"
	is 1 grep -c '^head: ' "$MNT/info"
	refused . '{"type":"custom","customType":"x","parentId":5}' \
		'{"type":"custom","customType":"x","parentId":["aa000004"]}'
	came 1 pi-v3-branches.jsonl
}

@test "a title is refused, as a header is" {
	local name at=$MNT MNT
	mkdir "$DIR/all"
	cp "$FIXTURES/pi-v3-branches.jsonl" "$FIXTURES/omp-v3-basic.jsonl" "$DIR/all"
	"$SESSFS" "$DIR/all" "$at"
	for name in pi-v3-branches omp-v3-basic; do
		SESSION=$DIR/all/$name.jsonl MNT=$at/$name
		refused . '{"type":"title","v":1,"title":"x","updatedAt":"2026-03-01T10:00:00.000Z","pad":""}' \
			'{"type":"session","version":3,"id":"s","timestamp":"2026-03-01T10:00:00.000Z","cwd":"/"}'
	done
}

@test "messages that the agent could not load are refused" {
	mount_fixture pi-v3-branches.jsonl
	local role
	refused_without "$(answer x)" content content='"text"' content=null provider model stopReason \
		usage usage=null usage.cost usage.cost=5 usage.cost.total usage.cost.total='"0"' provider=null \
		model='[]' stopReason=5
	for role in user system custom; do
		refused_without "{\"role\":\"$role\",\"customType\":\"x\",\"content\":\"x\"}" content content=5 content='{}' content=null
	done
	refused_without '{"role":"toolResult","toolCallId":"t","toolName":"n","content":[{"type":"text","text":"x"}],"isError":false}' \
		content content=5 content=null
	refused_without '{"role":"bashExecution","command":"c","output":"o","exitCode":0,"cancelled":false,"truncated":false}' \
		command output command=5
	# What a tool has used is added up, too, where it is there.
	refused usage '{"role":"toolResult","toolCallId":"t","toolName":"n","content":[],"isError":false,"usage":{"input":1}}'
	refused . '{"role":"branchSummary"}' '{"role":"compactionSummary","tokensBefore":1}' '{"role":"compactionSummary","summary":"x"}' \
		'{"type":"message"}' \
		'{"type":"message","message":"x"}' \
		'{"type":"message","message":{"content":"x"}}' \
		'{"type":"message","message":{"role":"user"}}' \
		'{"type":"message","message":{"role":"assistant","content":"x"}}'
	# A copy is checked as well.
	refused . '{"type":"message","id":"old","parentId":"older","timestamp":"2026-03-01T10:00:00.000Z","message":{"role":"assistant","content":[]}}'
	cmp "$FIXTURES/pi-v3-branches.jsonl" "$SESSION"
}

@test "entries that the agent could not load are refused" {
	mount_fixture pi-v3-branches.jsonl
	refused . '{"type":"compaction","tokensBefore":5}' \
		'{"type":"compaction","summary":5,"tokensBefore":5}' \
		'{"type":"compaction","summary":"x"}' \
		'{"type":"compaction","summary":"x","tokensBefore":"5"}' \
		'{"type":"compaction","summary":"x","tokensBefore":5,"firstKeptEntryId":"nowhere"}' \
		'{"type":"compaction","summary":"x","tokensBefore":5,"firstKeptEntryId":5}'
	refused usage '{"type":"compaction","summary":"x","tokensBefore":5,"usage":{"input":1}}' \
		'{"type":"branch_summary","summary":"x","usage":5}'
	# On another branch, or below what is named as the parent.
	refused path '{"type":"compaction","summary":"x","tokensBefore":5,"firstKeptEntryId":"aa000011"}'
	refused path '{"type":"compaction","summary":"x","tokensBefore":5,"firstKeptEntryId":"aa000024","parentId":"aa000008"}'
	refused . '{"type":"context_edit","targetId":"aa000024"}' \
		'{"type":"context_edit","targetId":"aa000024","replacement":5}' \
		'{"type":"context_edit","targetId":"aa000024","replacement":{}}' \
		'{"type":"context_edit","replacement":null}' \
		'{"type":"context_edit","targetId":"nowhere","replacement":null}'
	refused path '{"type":"context_edit","targetId":"aa000011","replacement":null}'
	refused path '{"type":"context_edit","targetId":"aa000024","replacement":null,"parentId":"aa000011"}'
	refused . '{"type":"label","label":"x"}' \
		'{"type":"label","targetId":"nowhere","label":"x"}' \
		'{"type":"label","targetId":5,"label":"x"}' \
		'{"type":"label","targetId":"aa000004","label":5}' \
		'{"type":"session_info","name":5}' \
		'{"type":"branch_summary"}' \
		'{"type":"branch_summary","summary":5}' \
		'{"type":"custom_message","customType":"x"}' \
		'{"type":"custom_message","customType":"x","content":5}'
	cmp "$FIXTURES/pi-v3-branches.jsonl" "$SESSION"
	head_is by-id/aa000025
}

@test "a line below a cycle of parents is refused: the agent would hang" {
	write_session "$(user c1 c2 a)" "$(user c2 c1 b)" "$(user good "" d)"
	mount_session
	cp "$SESSION" "$DIR/before"
	fails_with "Too many levels" say '{"type":"custom","customType":"x","parentId":"c1"}'
	cmp "$DIR/before" "$SESSION"
	say '{"role":"user","content":"x"}'
	holds "e['parentId'] == 'good'"
}
