# Messages of Pi with calls of tools, for lib/pi.

# An assistant's message with calls: id, parent, calls.
calls() {
	message "$1" "$2" "{\"role\":\"assistant\",\"content\":[$3],\"provider\":\"p\",\"model\":\"m\"}"
}

# call ID TOOL ARGUMENTS
call() {
	printf '{"type":"toolCall","id":"%s","name":"%s","arguments":%s}' "$1" "$2" "$3"
}

# The result of a call: id, parent, call, "true" if it failed, its text in JSON.
result() {
	local text=${5+"{\"type\":\"text\",\"text\":\"$5\"}"}
	message "$1" "$2" "{\"role\":\"toolResult\",\"toolCallId\":\"$3\",\"toolName\":\"x\",\"isError\":${4:-false},\"content\":[$text]}"
}
