# sessfs resume, and agents that only say how they were started.

# Agents in $PATH, and $WORK, in which they are to go on.
stub_agents() {
	local agent
	WORK=$DIR/work
	mkdir "$DIR/bin" "$WORK"
	for agent in pi omp claude codex; do
		printf '#!/bin/sh\n{ pwd && printf "%%s\\0" "${0##*/}" "$@"; } >"%s/called"\n' "$DIR" >"$DIR/bin/$agent"
	done
	chmod +x "$DIR/bin"/*
	PATH=$DIR/bin:$PATH
}

# prints LINE ARGUMENT...
prints() {
	is "$1" helper resume "${@:2}"
}

# called WORD...: fails unless the last agent was started so, in $WORK or $AGENT_IN.
called() {
	local got want
	mapfile -d '' -t got <"$DIR/called"
	printf -v got '%q\n' "${got[@]}"
	printf -v want '%q\n' "${AGENT_IN-$WORK}"$'\n'"$1" "${@:2}"
	[ "$got" = "$want" ] || {
		printf 'called:\n%snot:\n%s' "$got" "$want"
		return 1
	}
	: >"$DIR/called"
}

# Evaluate what it prints, as a user who is elsewhere, and stays there.
resume() {
	local line
	helper resume "$@" >"$DIR/line"
	has_lines 1 "$DIR/line"
	whole line "$DIR/line"
	# shellcheck disable=SC2086 # words
	is / env -C / ${SH:-sh} -c "${line%$'\n'} && pwd"
}
