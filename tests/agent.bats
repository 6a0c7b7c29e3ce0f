# bats file_tags=shell,full
# sessfs-say and sessfs-agent, which write to a session through append.
load lib/mount
load lib/run
load lib/pi

setup() {
	needs_mounts
	needs jq
	make_folder
	export HOME=$DIR/home XDG_RUNTIME_DIR=$DIR/run
	mkdir "$HOME"
	MODEL="jq -f '$DIR/model.jq'"
	TOOLS=$DIR/tools
}

# A model for jq: if the last message is the user's, it calls these tools (a
# JSON array of names and arguments); otherwise it prints the results.
write_model() {
	cat >"$DIR/model.jq" <<-END
		def answer(\$reason; \$content): {
		  role: "assistant", api: "a", provider: "p", model: "m", \$content,
		  usage: {input: 1, output: 1, cacheRead: 0, cacheWrite: 0, totalTokens: 2,
		    cost: {input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0}},
		  stopReason: \$reason
		};
		def calls: $1
		  | to_entries | map({type: "toolCall", id: "call-\\(.key)",
		    name: .value[0], arguments: .value[1]});
		if .[-1].role == "user" then
		  answer("toolUse"; [{type: "text", text: "I look."}] + calls)
		else
		  answer("stop"; [{type: "text",
		    text: ("Told: " + (map(select(.role == "toolResult").content[0].text)[-(calls | length):] | join(", ")))}])
		end
	END
}

# A program with tools, chosen by their names.
write_tools() {
	cat >"$TOOLS" <<-'END'
		#!/bin/sh
		[ $# -eq 1 ] || exit 9
		case $1 in
		text) jq -j .text ;;
		fails) echo "it can't"; exit 3 ;;
		deaf) echo "not heard" ;;
		file*) cat "$HOME/$1" ;;
		size) wc -c | tr -d ' \n' ;;
		*) printf 'called %s' "$1"; exit 1 ;;
		esac
	END
	chmod +x "$TOOLS"
}

# Mount a session that ends with a user's message.
mount_spoken() {
	write_session "$(user aa000001 "" "go on")"
	mount_session
}

# Run a command with a new session mounted.
in_new_session() {
	mount_spoken
	"$@"
	unmount
	daemon_is_gone
}

# Print a member of each message of this role in the context, as JSON.
said() {
	jq -c ".[] | select(.role == \"$1\") | $2" "$MNT/context.json"
}

# -- sessfs-say

# The text is in the session unchanged, and content adds the final newline of a
# file.
is_said() {
	cmp "$1" <(jq -j .message.content "$MNT/HEAD/raw.json")
	cmp <(cat "$1" && [ -z "$(tail -c 1 "$1")" ] || echo) "$MNT/HEAD/content"
	is "role: user" grep ^role: "$MNT/HEAD/meta"
}

says() {
	local text=$1 before
	before=$(readlink "$MNT/HEAD")
	helper say -- "$text" "$MNT"
	printf %s "$text" >"$DIR/text"
	is_said "$DIR/text"
	is "../${before#by-id/}" readlink "$MNT/HEAD/parent"
}

says_texts() {
	needs python3
	says hello
	says 'it'\''s "quoted" \ \\ \" \n \u0041 `id` $(id) $HOME %s %d%% *'
	says $'two\nlines\ttab\r\n'
	says $'\n\n'
	says ' '
	says -n
	says --
	says -h
	says '}{]['
	says "$(python3 -c 'print("".join(map(chr, range(1, 0x180))) + "\u2028\uffff\U0001f600", end="x")')"
	helper say "no dashes" "$MNT"
	is "no dashes" cat "$MNT/HEAD/content"
}

@test "sessfs-say appends any text, byte for byte" {
	mount_spoken
	in_shells says_texts
}

says_input() {
	printf 'a\0b "c"\n\nd\n\n' >"$DIR/input"
	helper say - "$MNT" <"$DIR/input"
	head -c -1 "$DIR/input" >"$DIR/text"
	is_said "$DIR/text"
	printf 'no newline\\n' >"$DIR/text"
	helper say - "$MNT" <"$DIR/text"
	is_said "$DIR/text"
	yes 'é "long" \ 😀' | head -c 1000000 | iconv -c -f utf-8 -t utf-8 >"$DIR/text"
	echo x >>"$DIR/text"
	helper say - "$MNT" <"$DIR/text"
	truncate -s -1 "$DIR/text"
	is_said "$DIR/text"
}

@test "sessfs-say - appends standard input without its final newline" {
	mount_spoken
	in_shells says_input
}

says_nothing() {
	fails_in_a_line "sessfs-say: the message is empty" 1 helper say "" "$MNT"
	fails_in_a_line "the message is empty" 1 helper say - "$MNT" </dev/null
	fails_in_a_line "the message is empty" 1 helper say - "$MNT" <<<""
	fails_in_a_line "sessfs-say: not in a mounted session" 1 helper say x
	fails_in_a_line "$DIR is not in a mounted session" 1 helper say x "$DIR"
	fails_in_a_line "No such file or directory" 1 helper say x "$MNT/nothing"
	helper say -h >"$DIR/out"
	grep -q "^usage: sessfs-say " "$DIR/out"
	local words
	for words in "" "-x" "a b c" "--"; do
		run -2 --separate-stderr helper say $words
		[[ -z $output && $stderr == "usage: sessfs-say "* ]]
	done
}

@test "sessfs-say without a text or a session fails, and writes nothing" {
	mount_spoken
	cp "$SESSION" "$DIR/before"
	cd "$HOME"
	in_shells says_nothing
	cmp "$DIR/before" "$SESSION"
}

says_from_within() {
	cd "$MNT/by-id/aa000001"
	helper say "from within"
	is "from within" cat "$MNT/HEAD/content"
	cd "$DIR"
	helper say "from beside" "a  mount's/HEAD/content"
	is "from beside" cat "$MNT/HEAD/content"
}

@test "sessfs-say finds the session as the other helpers do" {
	SESSION="$DIR/a  session's.jsonl"
	MNT="$DIR/a  mount's"
	mkdir "$MNT"
	mount_spoken
	in_shells says_from_within
}

says_in_dialect() {
	helper say "in $SH: é" "$MNT"
	is "in $SH: é" cat "$MNT/HEAD/content"
}

@test "sessfs-say works in every dialect that can be written to" {
	local fixture
	for fixture in pi-v1-linear pi-v3-branches pi-harness-leaf omp-v3-basic \
		draft000-uuid draft003-index go-tree; do
		mount_fixture "$fixture.jsonl"
		in_shells says_in_dialect
		unmount
		daemon_is_gone
	done
}

# Nothing is written, and one line has the reason.
says_why() {
	fails_in_a_line "sessfs-say: $MNT/append: $1" 1 helper say x "$MNT"
	fails_in_a_line "sessfs-agent: $MNT/append: $1" 1 helper agent --model "$MODEL" "$MNT"
}

@test "a refused message is reported in one line, with the reason" {
	write_model '[]'
	mount_fixture pi-v3-branches.jsonl -o ro
	in_shells says_why "Read-only file system"
	unmount
	daemon_is_gone
	cmp "$FIXTURES/pi-v3-branches.jsonl" "$SESSION"
	mount_fixture claude-basic.jsonl
	local why="Read-only file system"
	[ "$(id -u)" -eq 0 ] || why="Permission denied"
	in_shells says_why "$why"
	fails_in_a_line "$why (writable: HEAD and labels)" 1 helper say x "$MNT"
	unmount
	daemon_is_gone
	cmp "$FIXTURES/claude-basic.jsonl" "$SESSION"
}

# -- sessfs-agent

@test "sessfs-agent is a script of less than 60 lines" {
	[ "$(wc -l <"$HELPERS/sessfs-agent")" -lt 60 ]
}

wrongly_used() {
	helper agent -h >"$DIR/out"
	grep -q "^usage: sessfs-agent --model CMD" "$DIR/out"
	local words
	for words in "" -x "$MNT" --model "--model true -x" "--model true a b" \
		"--model true --limit 0 $MNT" "--model true --limit x $MNT" \
		"--model true --limit" "--tools true $MNT" "--model true -- a b"; do
		run -2 --separate-stderr helper agent $words
		[[ -z $output && $stderr == "usage: sessfs-agent "* ]]
	done
	fails_in_a_line "sessfs-agent: not in a mounted session" 1 helper agent --model true
	fails_in_a_line "$DIR is not in a mounted session" 1 helper agent --model true "$DIR"
}

@test "sessfs-agent prints its usage" {
	mount_spoken
	cd "$HOME"
	in_shells wrongly_used
}

runs_tools() {
	is "Told: One, two." helper agent --model "$MODEL" --tools "$TOOLS" "$MNT" 2>"$DIR/err"
	is "sessfs-agent: text
sessfs-agent: text" cat "$DIR/err"
	is '["user","assistant","toolResult","toolResult","assistant"]' \
		jq -c '[.[-5:][].role]' "$MNT/context.json"
	is '["call-0","text","One",false]
["call-1","text","two.",false]' \
		jq -c '.[-3:-1][] | [.toolCallId, .toolName, .content[0].text, .isError]' "$MNT/context.json"
	is '["text","toolCall","toolCall"]' jq -c '[.[-4].content[].type]' "$MNT/context.json"
	# The last message is the model's: it only answers again.
	is "Told: One, two." helper agent --limit 1 --model "$MODEL" "$MNT"
}

@test "an agent runs the tools that its model calls, until it calls none" {
	write_model '[["text", {text: "One"}], ["text", {text: "two."}]]'
	write_tools
	in_shells in_new_session runs_tools
}

fails_tools() {
	helper agent --model "$MODEL" --tools "$TOOLS" "$MNT" >"$DIR/out" 2>"$DIR/err"
	is "Told: it can't
, not heard
, called nosuch" cat "$DIR/out"
	is '["fails",true]
["deaf",false]
["nosuch",true]' said toolResult '[.toolName, .isError]'
}

@test "tools that fail, read no input, or do not exist" {
	write_model '[["fails", {}], ["deaf", {}], ["nosuch", {}]]'
	write_tools
	in_shells in_new_session fails_tools
}

has_no_tools() {
	helper agent --model "$MODEL" "$MNT" >"$DIR/out" 2>"$DIR/err"
	is '["call-0","text","there are no tools here\n",true]' \
		said toolResult '[.toolCallId, .toolName, .content[0].text, .isError]'
	is "Told: there are no tools here" cat "$DIR/out"
}

@test "without tools each call gets an error as its result" {
	write_model '[["text", {text: "x"}]]'
	in_shells in_new_session has_no_tools
}

# tool_gets TEXT CMD
tool_gets() {
	helper say "go on" "$MNT"
	is "$1" helper agent --model "$MODEL" --tools "$2" "$MNT" 2>/dev/null
}

gets_names() {
	tool_gets "Told: a name" "printf %s"
	tool_gets "Told: [a name]" 'printf "[%s]" "$1"'
	tool_gets 'Told: a: {"n":[1,"two"]}' 'printf "${1% name}: "; tr -d "\n"'
	tool_gets "Told: 1 a name" 'set -- $# "$@"; printf "%s %s" "$@"'
	tool_gets "Told: a name!" 'say() { printf "%s!" "$@"; }; say "${1}"'
}

@test "the tools' command is a program, or has the name where it wants it" {
	write_model '[["a name", {n: [1, "two"]}]]'
	in_shells in_new_session gets_names
}

is_limited() {
	local status=0
	helper agent --limit "$1" --model "cat '$DIR/answer'" --tools echo "$MNT" \
		>"$DIR/out" 2>"$DIR/err" ||
		status=$?
	[ "$status" -eq 3 ]
	[ ! -s "$DIR/out" ]
	is "sessfs-agent: stopped after $1 answers" tail -n 1 "$DIR/err"
	# Every call has its result, so the session can be continued.
	is "$1" grep -c '"toolResult"' "$MNT/context.json"
	is "$1" grep -c '"assistant"' "$MNT/context.json"
}

@test "a model that does not end is stopped, by default after 20 answers" {
	write_model '[["again", {}]]'
	jq -f "$DIR/model.jq" >"$DIR/answer" <<<'[{"role": "user"}]'
	in_shells in_new_session is_limited 1
	in_shells in_new_session is_limited 3
	mount_spoken
	run -3 helper agent --model "cat '$DIR/answer'" --tools true "$MNT"
	is 20 grep -c '"assistant"' "$MNT/context.json"
}

# agent_fails TEXT CMD: nothing is written.
agent_fails() {
	cp "$SESSION" "$DIR/before"
	fails_in_a_line "$1" 1 helper agent --model "$2" "$MNT"
	cmp "$DIR/before" "$SESSION"
}

fails_with_model() {
	agent_fails "sessfs-agent: the model failed with status 7" "exit 7"
	agent_fails "the model failed with status 1" "echo '{\"role\":\"assistant\"}'; false"
	local answer
	for answer in "" " " '{"role":"assistant"' 'Hello!' '[{"role":"assistant"}]' 7 \
		'{"role":"assistant"}{"role":"assistant"}' '{"role":"user","content":"x"}' \
		'{"type":"error","error":{"message":"busy"}}' '"role"' null; do
		printf %s "$answer" >"$DIR/answer"
		agent_fails "sessfs-agent: the model printed no assistant message" "cat '$DIR/answer'"
	done
}

@test "a model that fails, or prints no answer: one line, and nothing is written" {
	mount_spoken
	in_shells fails_with_model
}

is_refused() {
	write_model '[]'
	agent_fails "sessfs-agent: $MNT/append: assistant message: \`usage\`" \
		"$MODEL | jq 'del(.usage)'"
	# An earlier reason is not reported again.
	agent_fails "\`stopReason\`" "$MODEL | jq 'del(.stopReason)'"
	grep -qxF "last-refused: $(sed 's/.*append: //' "$DIR/err")" "$MNT/info"
}

@test "a refusal of the session is reported with its reason" {
	mount_spoken
	in_shells is_refused
}

# The text of each result is the file that the tool prints.
results_are_whole() {
	helper agent --model "$MODEL" --tools "$TOOLS" "$MNT" >"$DIR/out" 2>/dev/null
	local i
	for i in 1 2 3; do
		echo "file$i:"
		cmp "$HOME/file$i" <(jq -j ".[-5 + $i].content[0].text" "$MNT/context.json")
	done
	is '["file1",false]
["file2",false]
["file3",false]' said toolResult '[.toolName, .isError]'
}

@test "results of any text and length" {
	needs python3
	write_model '[["file1", {}], ["file2", {}], ["file3", {}]]'
	write_tools
	python3 -c 'print("x" + "é😀" * 100000, end="")' >"$HOME/file1"
	printf 'a\0b\n"\\\n\n\177\033[m\302\233ok\nno\n\n' >"$HOME/file2"
	: >"$HOME/file3"
	in_shells in_new_session results_are_whole
}

results_are_text() {
	helper agent --model "$MODEL" --tools "$TOOLS" "$MNT" >"$DIR/out" 2>/dev/null
	is '["file1",true,false]
["file2",true,false]
["file3",true,false]
["file4",true,false]
["file5",true,false]
["file6",true,false]' said toolResult \
		'[.toolName, (.content[0].text | startswith("a\ufffd")), .isError]'
}

@test "bytes of a result that are not UTF-8 are left out of the session" {
	write_model '[range(1; 7) | ["file\(.)", {}]]'
	write_tools
	printf 'a\377' >"$HOME/file1"
	printf 'a\360\237' >"$HOME/file2"
	printf 'a\355\240\200' >"$HOME/file3"
	printf 'a\302' >"$HOME/file4"
	printf 'a\360' >"$HOME/file5"
	printf 'a\342\202' >"$HOME/file6"
	in_shells in_new_session results_are_text
}

# shellcheck disable=SC1078 # the text has such quotes
passes_arguments() {
	is "Told: it's \"\$(touch x)\" \`touch x\` \\n

-, 300012, called x'; touch x; "$'\e'"[31m#
y" helper agent --model "$MODEL" --tools "$TOOLS" "$MNT" 2>"$DIR/err"
	[ ! -e x ]
	is "sessfs-agent: text
sessfs-agent: size
sessfs-agent: x'; touch x; [31m#y" cat "$DIR/err"
	is '"x'\''; touch x; \u001b[31m#\ny"' said toolResult 'select(.isError).toolName'
}

@test "arguments and names of any text and length" {
	write_model '[["text", {text: "it'\''s \"$(touch x)\" `touch x` \\n\n\n-"}],
		["size", {text: ("x" * 300000)}], ["x'\''; touch x; \u001b[31m#\ny", {}]]'
	write_tools
	mkdir "$DIR/here"
	cd "$DIR/here"
	in_shells in_new_session passes_arguments
}

answers_over_lines() {
	is "Told: two
  lines" helper agent --model "cat '$DIR/answer'" "$MNT"
	is 1 said assistant .n
}

@test "an answer may be JSON over several lines" {
	write_model '[]'
	jq -f "$DIR/model.jq" >"$DIR/answer" \
		<<<'[{"role": "toolResult", "content": [{"text": "two\n  lines"}]}]'
	sed -i 's/^{/&"n":\n1,/; s/$/\r/' "$DIR/answer"
	[ "$(wc -l <"$DIR/answer")" -gt 10 ]
	in_shells in_new_session answers_over_lines
}

works_anywhere() {
	cd "$MNT/by-id/aa000001"
	is "Told: $DIR/here's" bash -c 'cd "$1"; shift; "$@"' bash "$DIR/here's" \
		$SH "$HELPERS/sessfs-agent" --model "cat '$DIR/a  model.jq' >/dev/null; $MODEL" \
		--tools "'$DIR/a  tool'" "$MNT/HEAD" 2>/dev/null
	is "Told: $DIR/here's" helper agent --model "$MODEL"
	cd "$DIR"
	is "Told: $DIR/here's" helper agent --model "$MODEL" -- "-a  mount"
}

@test "paths with spaces; tools run where the agent does" {
	write_model '[["x", {}]]'
	cp "$DIR/model.jq" "$DIR/a  model.jq"
	printf '#!/bin/sh\nprintf %%s "$PWD"\n' >"$DIR/a  tool"
	chmod +x "$DIR/a  tool"
	SESSION="$DIR/a  session's.jsonl"
	MNT="$DIR/-a  mount"
	mkdir "$MNT" "$DIR/here's"
	in_shells in_new_session works_anywhere
}

# ends_by_signal SIGNAL OPTIONS...: when $DIR/begun exists, the agent and its
# children get the signal, as from a terminal.
ends_by_signal() {
	needs python3
	rm -f "$DIR/begun"
	TMPDIR=$DIR/tmp python3 - "$1" "$DIR/begun" $SH "$HELPERS/sessfs-agent" "${@:2}" "$MNT" <<-'PY'
	import os, signal, subprocess, sys, time
	number, begun = getattr(signal, sys.argv[1]), sys.argv[2]
	agent = subprocess.Popen(sys.argv[3:], stdout=subprocess.PIPE, start_new_session=True,
	                         preexec_fn=lambda: signal.signal(number, signal.SIG_DFL))
	for i in range(200):
	    if os.path.exists(begun):
	        break
	    time.sleep(0.05)
	else:
	    sys.exit("waited in vain")
	os.killpg(agent.pid, number)
	assert agent.stdout.read() == b""
	assert agent.wait() in (-number, 128 + number), agent.returncode
	PY
	[ -z "$(ls -A "$DIR/tmp")" ]
}

ends_by_signals() {
	local signal
	mkdir -p "$DIR/tmp"
	for signal in SIGINT SIGTERM SIGHUP; do
		cp "$SESSION" "$DIR/before"
		ends_by_signal "$signal" --model "touch '$DIR/begun'; sleep 60"
		cmp "$DIR/before" "$SESSION"
		ends_by_signal "$signal" --model "$MODEL" --tools "touch '$DIR/begun'; sleep 60; echo"
		is '"assistant"' jq '.[-1].role' "$MNT/context.json"
		helper say again "$MNT"
	done
}

@test "a signal ends an agent, and incomplete lines are not written" {
	write_model '[["x", {}]]'
	in_shells in_new_session ends_by_signals
}

@test "control characters of a model do not reach the terminal" {
	needs python3
	write_model '[["text", {text: "a\u001b[7mb\u0007\u009b7mc"}], ["\u001b[7mx\u009b7m\u0007", {}]]'
	write_tools
	mount_spoken
	RAW=$DIR/screen python3 "$ROOT/tests/terminal.py" -- \
		sh "$HELPERS/sessfs-agent" --model "$MODEL" --tools "$TOOLS" "$MNT"
	grep -qF "a[7mb7mc" "$DIR/screen"
	grep -qF "sessfs-agent: [7mx7m" "$DIR/screen"
	if LC_ALL=C grep -qP '\x1b|\x07|\xc2\x9b' "$DIR/screen"; then return 1; fi
}

# A PATH of these programs of busybox, then of others.
only() {
	mkdir "$DIR/bin"
	local name
	for name in sh awk cat dirname find id od sed tr base64 env; do
		ln -s "$(command -v busybox)" "$DIR/bin/$name"
	done
	for name; do ln -s "$(command -v "$name")" "$DIR/bin/$name"; done
}

@test "on busybox and jq alone, and without jq" {
	needs busybox
	mount_spoken
	write_model '[["text", {text: "é"}]]'
	write_tools
	only busybox jq
	SH="busybox sh"
	PATH=$DIR/bin helper say "é
\"" "$MNT"
	is 'é
"' cat "$MNT/HEAD/content"
	is "Told: é" env PATH="$DIR/bin" busybox sh "$HELPERS/sessfs-agent" --model "$MODEL" \
		--tools "$TOOLS" "$MNT" 2>/dev/null
	rm "$DIR/bin/jq"
	PATH=$DIR/bin helper say "no jq" "$MNT"
	fails_in_a_line "sessfs-agent: jq is not installed" 1 env PATH="$DIR/bin" \
		busybox sh "$HELPERS/sessfs-agent" --model true "$MNT"
}

@test "the user speaks while the agent works" {
	write_model '[["say", {}]]'
	mount_spoken
	SH="sh"
	is "Told: said" helper agent --model "$MODEL" \
		--tools "'$HELPERS/sessfs-say' meanwhile '$MNT' && printf said; : \$1" "$MNT" 2>/dev/null
	is '["user","assistant","user","toolResult","assistant"]' jq -c '[.[].role]' "$MNT/context.json"
}
