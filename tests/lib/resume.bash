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

# For documents: agents in $PATH that print where and how they were started, and end with
# $STATUS. What they go on with is in the file "last".
printing_agents() {
	local agent
	mkdir bin work
	for agent in pi omp claude codex; do
		printf '%s\n' '#!/bin/bash' 'printf %s: "$PWD"; printf " %q" "${0##*/}" "$@"; echo' \
			"echo \"\$2\" >'$DIR/last'" 'exit ${STATUS:-0}' >bin/$agent
	done
	chmod +x bin/*
	export PATH=$DIR/bin:$PATH
}

# Words stand for what is another in each run: sessfs, the encoded path of work, ids.
mask() {
	local folder=${DIR//\//-}/work
	folder=${folder//./[-.]}
	sed -e "s,$SESSFS,sessfs,g" -e "s/${folder//\//-}/WORK/g" -e "s/$SESSION_ID/SESSION/g" -e "s/pid $$/pid PID/" \
		-e 's/\(c1a0de00\|019ca8f0\)-[-0-9]*\([0-9]\)/ID\2/g' -e 's/[0-9a-f]\{8\}\(-[0-9a-f]\{4\}\)\{3\}-[0-9a-f]\{12\}/ID/g'
}

masked() {
	local status=0
	"$@" >"$DIR/out" 2>"$DIR/err" || status=$?
	mask <"$DIR/out"
	mask <"$DIR/err" >&2
	return $status
}

masked_resume() {
	masked sessfs resume "$@"
}

# Do what is printed, as a user who is elsewhere, and stays there.
go() {
	masked sh -c "cd / && $(sessfs resume "$@") && pwd"
}

# The folder of an agent for what is done in work.
folder_of() {
	sessfs sources -m -a "$1" -c "$DIR/work" | sed -n '1s/^[^\t]*\t\([^\t]*\).*/\1/p'
}

# The copy that the last agent goes on with.
copy() {
	find "$HOME" "${CODEX_HOME-$HOME}" -name "*$(basename "$(cat "$DIR/last")" .jsonl).jsonl" | sort -u
}

# Sessions that go on in work: two branches, the second newer; Claude Code's and Codex's are
# where their agents have them.
in_work() {
	sed -i "s,/work/demo,$DIR/work,g" "$SESSION"
}

pi_session() {
	write_session "$(user aa000001 "" one)" "$(user aa000002 aa000001 two)" "$(user aa000003 aa000002 three)" \
		"$(user aa000004 aa000002 four)"
	in_work
}

omp_session() {
	write_omp "$(user aa000001 "" one)" "$(user aa000002 aa000001 two)"
	in_work
}

claude_session() {
	SESSION=$(folder_of claude)/$SESSION_ID.jsonl
	mkdir -p "${SESSION%/*}"
	write_two_branches
	in_work
}

codex_session() {
	make_codex_home
	{ session_meta 1 && said msg_1 user one 1 && said msg_2 assistant two 2 && said msg_3 user three 3; } >"$SESSION"
	in_work
}
