# sessfs resume, and agents that only say how they were started.

# Agents in $PATH, and $WORK, in which they are to go on.
stub_agents() {
	WORK=$DIR/work
	mkdir "$DIR/bin" "$WORK"
	cat >"$DIR/bin/pi" <<-END
		#!/bin/sh
		{ pwd && printf '%s\\0' "\${0##*/}" "\$@"; } >"$DIR/called"
		exit "\${STATUS:-0}"
	END
	chmod +x "$DIR/bin/pi"
	ln -s pi "$DIR/bin/omp"
	ln -s pi "$DIR/bin/claude"
	ln -s pi "$DIR/bin/codex"
	PATH=$DIR/bin:$PATH
}

# prints LINE ARGUMENT...
prints() {
	is "$1" helper resume "${@:2}"
}

# called WORD...: fails unless the last agent was started so, in $WORK or $AT.
called() {
	diff -u <(printf '%s\n' "${AT-$WORK}" && printf '%s\0' "$@" | tr '\0' '|') \
		<(tr '\0' '|' <"$DIR/called")
	rm "$DIR/called"
}

# Evaluate what it prints, as a user who is elsewhere, and stays there.
resume() {
	local line
	line=$(helper resume "$@")
	[ "$(wc -l <<<"$line")" -eq 1 ]
	# shellcheck disable=SC2086 # words
	is / env -C / ${SH:-sh} -c "$line"' && pwd'
}

# The folder of $AGENT for $WORK.
agent_folder() {
	helper sources -m -a "$AGENT" -c "$WORK" | head -n 1 | cut -f 2
}
