# The rows of tree.txt: the kind and the words of entries (core/show/words.h).
load lib/mount
load lib/run

# rows ROW...: fails unless tree.txt has these rows, without ids and drawing.
rows() {
	printf '%s\n' "$@" >"$DIR/rows"
	sed -E 's/^([│├└─ ]|⋯[0-9]+ )*[^ ]+ //' "$MNT/tree.txt" | diff "$DIR/rows" -
}

# A call of Pi's and oh-my-pi's: id, name, arguments.
call() {
	printf '{"type":"toolCall","id":"%s","name":"%s","arguments":%s}' "$1" "$2" "$3"
}

# The message with these blocks.
calls() {
	local IFS=,
	printf '{"role":"assistant","content":[%s]}' "$*"
}

# A result: id of the call, name of the tool, is it an error, text.
result() {
	printf '{"role":"toolResult","toolCallId":"%s","toolName":"%s","isError":%s,"content":[{"type":"text","text":"%s"}]}' "$@"
}

# The entries of a small session of Pi, which all tools of the family have.
pi_entries() {
	message a0000001 "" '{"role":"system","content":"You are an agent.\nBe brief."}'
	echo
	user a0000002 a0000001 'Write a word counter in C'
	echo
	message a0000003 a0000002 "$(calls '{"type":"thinking","thinking":"C, then."}')"
	echo
	message a0000004 a0000003 "$(calls '{"type":"text","text":"I will compile it."}' \
		"$(call c1 bash '{"command":"cc -o wc wc.c"}')" \
		"$(call c2 read '{"path":"/work/demo/wc.c","offset":1,"limit":40}')" \
		"$(call c3 deploy '{"n":1,"where":"staging"}')" "$(call c4 status '{}')")"
	echo
	message a0000005 a0000004 "$(result c1 bash true "wc.c:3: error\nstopped")"
	echo
	message a0000006 a0000005 "$(result c2 read false "int main")"
	echo
	message a0000007 a0000006 "$(result c3 deploy false "")"
	echo
	message a0000008 a0000007 "$(result c9 deploy false "not asked for")"
	echo
	message a0000009 a0000008 '{"role":"bashExecution","command":"make","output":"x","exitCode":2}'
	echo
	message a000000a a0000009 '{"role":"assistant","content":[],"stopReason":"aborted"}'
	echo
	printf '{"type":"compaction","id":"a000000b","parentId":"a000000a","timestamp":"2026-03-01T10:00:01.000Z","summary":"The counter is done.","tokensBefore":12345,"firstKeptEntryId":"a000000a"}\n'
	printf '{"type":"thinking_level_change","id":"a000000c","parentId":"a000000b","timestamp":"2026-03-01T10:00:01.000Z","thinkingLevel":"high"}\n'
}

PI_ROWS=(
	'system  You are an agent. Be brief.'
	'user  Write a word counter in C'
	'assistant  [thinking] C, then.'
	'assistant  I will compile it. [bash: cc -o wc wc.c] [read: wc.c:1-40] [deploy: staging] [status]'
	'toolResult  [bash: cc -o wc wc.c] error: wc.c:3: error stopped'
	'toolResult  [read: wc.c:1-40] int main'
	'toolResult  [deploy: staging]'
	'toolResult  [deploy] not asked for'
	'bashExecution  $ make (exit 2)'
	'assistant  aborted'
	'compaction  [12,345 tokens] The counter is done.'
	'thinking_level_change  high ← HEAD'
)

# Rules: K1 K2
@test "Pi: rows show commands, files, what results answer, errors and tokens" {
	load lib/pi
	write_session "$(pi_entries)"
	mount_session -o columns=120
	rows "${PI_ROWS[@]}"
}

@test "oh-my-pi: the same, and its own tools" {
	load lib/pi
	load lib/omp
	write_omp "$(pi_entries)" \
		"$(message a000000d a000000c "$(calls "$(call o1 edit '{"i":"Fixing","input":"[wc.c#1A2B]\nPUT 3.=3:\n+x"}')" \
			"$(call o2 eval '{"i":"Trying","language":"py","title":"imports","code":"import x"}')")")" \
		"$(message a000000e a000000d "$(result o1 edit false "done")")" \
		"$(message a000000f a000000e '{"role":"pythonExecution","code":"1+1","output":"2","exitCode":0}')"
	mount_session -o columns=120
	grep -qx "dialect: omp" "$MNT/info"
	rows "${PI_ROWS[@]:0:11}" 'thinking_level_change  high' \
		'assistant  [edit: wc.c] [eval: imports]' 'toolResult  [edit: wc.c] done' \
		'pythonExecution  >>> 1+1 ← HEAD'
}

@test "Claude Code: the same, and results are not the user's" {
	load lib/claude
	local failed
	failed=$(claude_result 5 4 t1 "wc.c:3: error" | sed 's/"type":"tool_result"/&,"is_error":true/')
	write_lines "$(claude_user 1 "" "Write a word counter")" \
		"$(claude_block 2 1 m '{"type":"thinking","thinking":"C, then.","signature":"A=="}')" \
		"$(claude_block 3 2 m '{"type":"tool_use","id":"t1","name":"Bash","input":{"command":"cc -o wc wc.c","description":"Compile"}}')" \
		"$(claude_block 4 3 m '{"type":"tool_use","id":"t2","name":"Read","input":{"file_path":"/work/demo/wc.c","offset":1,"limit":40}}')" \
		"$failed" "$(claude_result 6 5 t2 "int main")" \
		"$(claude_block 7 6 n '{"type":"tool_use","id":"t3","name":"Task","input":{"description":"Look","prompt":"p","subagent_type":"x"}}')" \
		"$(claude_result 8 7 t9 "not asked for")" \
		"$(boundary 9 "\"logicalParentUuid\":\"$(uuid 8)\"")"
	mount_session
	rows 'user  Write a word counter' 'assistant  [thinking] C, then.' \
		'assistant  [Bash: cc -o wc wc.c]' 'assistant  [Read: wc.c:1-40]' \
		'toolResult  [Bash: cc -o wc wc.c] error: wc.c:3: error' \
		'toolResult  [Read: wc.c:1-40] int main' 'assistant  [Task: Look]' \
		'toolResult  not asked for ← HEAD' 'system  [1,000 tokens] Conversation compacted'
	# meta has what the file says.
	grep -qx "role: user" "$MNT/$(at 5)/meta"
}

@test "a result on another branch finds its call, and one elsewhere does not" {
	load lib/pi
	write_session "$(user 00000001 "" one)" \
		"$(message 00000002 00000001 "$(calls "$(call c bash '{"command":"make"}')")")" \
		"$(message 00000003 00000002 "$(result c bash false built)")" \
		"$(message 00000004 00000002 "$(result c bash false again)")" \
		"$(message 00000005 00000001 "$(result c bash false elsewhere)")"
	mount_session
	rows 'user  one' 'assistant  [bash: make]' 'toolResult  [bash: make] built' \
		'toolResult  [bash: make] again' 'toolResult  [bash] elsewhere ← HEAD'
}

@test "words in an entry's folder is its row, and sessfs log shows it" {
	load lib/pi
	write_session "$(pi_entries)"
	mount_session
	is "${PI_ROWS[4]}" cat "$MNT/by-id/a0000005/words"
	is "${PI_ROWS[3]}" cat "$MNT/by-id/a0000004/words"
	is "${PI_ROWS[11]% ← HEAD}" cat "$MNT/HEAD/words"
	is "$(stat -c %s "$MNT/HEAD/words")" bash -c "wc -c <'$MNT/HEAD/words'"
	not bash -c "ls '$MNT/HEAD' | grep words"
	helper log -n 2 "$MNT/by-id/a0000005" >"$DIR/out"
	grep -qx "Kind:  toolResult" "$DIR/out"
	grep -qxF "Words: ${PI_ROWS[4]#*  }" "$DIR/out"
	grep -qxF "Words: ${PI_ROWS[3]#*  }" "$DIR/out"
	# Words that the content begins with are not repeated.
	helper log -n 1 "$MNT/by-id/a0000002" >"$DIR/out"
	is 1 sh -c "grep -v ^session '$DIR/out' | grep -c 'Write a word counter in C'"
	# An entry of that id is escaped, as those of other files' names are.
	append_user words a000000c last
	is "by-id/%77ords" readlink "$MNT/HEAD"
	is "user  last" cat "$MNT/HEAD/words"
}

@test "-o columns: lines are as wide, and keep the kind and the tool" {
	load lib/pi
	local long n
	long=$(printf 'word %.0s' {1..400})
	write_session "$(message 00000001 "" "$(calls "{\"type\":\"text\",\"text\":\"$long\"}" \
		"$(call c bash "{\"command\":\"$long\"}")")")" \
		"$(message 00000002 00000001 "$(result c bash true "$long")")"
	for n in 40 72 100 250 1000; do
		mount_session -o "columns=$n"
		is "$n $n" env LC_ALL=C.UTF-8 bash -c "wc -L <(sed -n 1p '$MNT/tree.txt') <(sed -n 2p '$MNT/tree.txt') |
			awk '/dev/ { print \$1 }' | paste -sd' '"
		is 2 grep -cE '^0000000[12] (assistant|toolResult)  .*\[bash' "$MNT/tree.txt"
		unmount
	done
	mount_session
	is 100 env LC_ALL=C.UTF-8 bash -c "wc -L <'$MNT/tree.txt'"
	unmount
	"$SESSFS" --export "$DIR/out" -o columns=72 "$SESSION"
	is 72 env LC_ALL=C.UTF-8 bash -c "wc -L <'$DIR/out/tree.txt'"
	for n in 0 39 1001 x -1 "" 99999999999999999999; do
		refuses 2 "sessfs: columns=$n: must be a number from 40 to 1000" \
			"$SESSFS" -o "columns=$n" "$SESSION" "$MNT"
	done
}

@test "control characters in names, arguments and ids do no harm" {
	load lib/pi
	write_session "$(message 00000001 "" "$(calls "$(call 'c\u0000\n' 'b\u001b[2Jsh\n' '{"command":"a\u0007\u009b\nb\u0000\ud83d"}')")")" \
		"$(message 00000002 00000001 "$(result 'c\u0000\n' x true '\u001b]0;title\u0007')")"
	mount_session
	rows 'assistant  [bsh: a b �]' 'toolResult  [bsh: a b �] error ← HEAD'
}
