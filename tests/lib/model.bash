# A local server of the models' APIs (tests/model_server.py), and questions to it.

APIS="anthropic openai responses"

# Start the server. Each test has its own, which ends with the test.
start_server() {
	needs python3 curl jq
	SERVER=$DIR/server
	mkdir "$SERVER"
	# Not the test's own descriptors, for which bats waits.
	python3 "$ROOT/tests/model_server.py" "$SERVER" >"$SERVER/log" 2>&1 3>&- 4>&- &
	SERVER_PID=$!
	wait_until test -s "$SERVER/port"
	URL=http://127.0.0.1:$(cat "$SERVER/port")
	unset ANTHROPIC_API_KEY OPENAI_API_KEY
	# No proxy of the machine's.
	export no_proxy=127.0.0.1
}

stop_server() {
	[ -n "${SERVER_PID-}" ] || return 0
	kill "$SERVER_PID"
	wait "$SERVER_PID" || :
	[ ! -s "$SERVER/log" ] || {
		cat "$SERVER/log" >&2
		return 1
	}
}

teardown() {
	local status=0
	stop_server || status=1
	leave_nothing || status=1
	return $status
}

# The answers that the server gives, as JSON, one after the other.
answers() {
	printf '[%s]' "$1" >"$SERVER/answers"
}

# Ask with $API.
ask() {
	helper ask --api "$API" --url "$URL" --model m "$@"
}

# The body of the last request, as JSON.
request() {
	tail -n 1 "$SERVER/requests" | jq -r .body | jq "$@"
}

# Run a command for each API, as $API.
for_apis() {
	for API in $APIS; do
		echo "by $API:"
		"$@"
	done
}
