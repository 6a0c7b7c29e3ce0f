# bats file_tags=shell
# The example of an agent, mount/share/examples/agent, with a model and tools made here.
load lib/mount
load lib/run
load lib/pi

setup() {
	needs_mounts
	needs jq
	make_folder
	AGENT=$ROOT/mount/share/examples/agent
	write_session "$(user aa000001 "" "Count.")"
	mount_session
}

# program NAME: write a program, standard input, to $DIR.
program() {
	{ echo "#!/bin/sh" && cat; } >"$DIR/$1"
	chmod +x "$DIR/$1"
}

# A model that calls two tools, and then tells what they said.
model_calls() {
	program model <<-'END'
		exec jq '
			def answer($reason; $content): {role: "assistant", api: "a", provider: "p",
				model: "m", usage: {cost: {total: 0}}, stopReason: $reason, $content};
			if .[-1].role == "user" then
				answer("toolUse"; [{type: "toolCall", id: "1", name: "count", arguments: {text: "é😀"}},
					{type: "toolCall", id: "2", name: "guess", arguments: {}}])
			else
				answer("stop"; [{type: "text",
					text: (map(select(.role == "toolResult").content[0].text) | join("; "))}])
			end'
	END
}

# bats test_tags=full
@test "the model's calls are run, and its last answer is printed" {
	model_calls
	program tools <<-'END'
		case $1 in
		count) jq -r '"\(.text | length)\n\(.text * 20000)"' ;;
		*) echo "there is no $1" >&2; exit 1 ;;
		esac
	END
	"$AGENT" "$MNT" "$DIR/model" "$DIR/tools" >"$DIR/out"
	printf '2\n%s; there is no guess\n' "$(printf 'é😀%.0s' {1..20000})" | cmp - "$DIR/out"
	cmp "$DIR/out" "$MNT/HEAD/content"
	is '["user",null,null]
["assistant",null,null]
["toolResult","1",false]
["toolResult","2",true]
["assistant",null,null]' jq -c '.[] | [.role, .toolCallId, .isError]' "$MNT/context.json"
}

# bats test_tags=full
@test "the reason is named when the session refuses an answer" {
	program model <<-'END'
		echo '{"role": "assistant", "content": [], "usage": {}}'
	END
	cp "$SESSION" "$DIR/before"
	refuses 1 "agent: $MNT/append: assistant message: \`provider\` must be a string" \
		"$AGENT" "$MNT" "$DIR/model"
	program model <<-'END'
		echo '{"role": "assistant", "content": "x"}'
	END
	refuses 1 "agent: $MNT/append: assistant message: \`content\` must be an array" \
		"$AGENT" "$MNT" "$DIR/model"
	cmp "$DIR/before" "$SESSION"
}

# bats test_tags=full
@test "a model that fails, or gives no answer" {
	program model <<<'exit 7'
	cp "$SESSION" "$DIR/before"
	refuses 1 "agent: $DIR/model failed" "$AGENT" "$MNT" "$DIR/model"
	program model <<<'echo'
	refuses 1 "agent: $DIR/model printed no message of an assistant" "$AGENT" "$MNT" "$DIR/model"
	cmp "$DIR/before" "$SESSION"
}

# bats test_tags=full
@test "a model that always calls tools is stopped, with a result for each call" {
	model_calls
	jq -cn '[{role: "user"}]' | "$DIR/model" >"$DIR/answer"
	program model <<<"cat '$DIR/answer'"
	LIMIT=2 refuses 3 "agent: stopped after 2 answers" "$AGENT" "$MNT" "$DIR/model"
	is '["1",true]
["2",true]
["1",true]
["2",true]' jq -c '.[] | select(.role == "toolResult") | [.toolCallId, .isError]' "$MNT/context.json"
}
