# bats file_tags=shell
# sessfs resume, which prints or runs the command that continues in the agent.
load lib/mount
load lib/run
load lib/pi
load lib/omp
load lib/claude
load lib/codex
load lib/resume

setup() {
	needs_mounts
	make_folder
	make_home
	stub_agents
}

# Two branches, 1-2-3 and 1-2-4, the second newer, in $WORK.
write_pi() {
	{
		printf '%s\n' "${PI_HEADER/\/work\/demo/"${1-$WORK}"}"
		lines_of_pi aa000001 "" one aa000002 aa000001 two aa000003 aa000002 three aa000004 aa000002 four
	} >"$SESSION"
}

# Messages: id, parent, text of each.
lines_of_pi() {
	while [ $# -gt 0 ]; do
		user "$1" "$2" "$3"
		echo
		shift 3
	done
}

# The same where Claude Code has it.
write_claude() {
	local folder
	find_folder claude
	mkdir -p "$folder"
	SESSION=$folder/$SESSION_ID.jsonl
	write_two_branches
	sed -i "s|/work/demo|$WORK|" "$SESSION"
}

# -- usage

wrongly_used() {
	local usage
	helper resume -h >"$DIR/out"
	whole usage "$DIR/out"
	[[ $usage == "usage: sessfs resume [OPTIONS] [ENTRY] [PATH]"* ]]
	local words
	for words in -z "-x -z" "a b c" "-x a b c"; do
		fails_in_a_line "sessfs: resume: " 2 helper resume $words
	done
	fails_in_a_line "not in a mounted session, and sessfs open has printed none for it" 1 helper resume
	fails_in_a_line "No such file or directory" 1 helper resume HEAD "$DIR/nothing"
	fails_in_a_line "99999: no such entry in $MNT" 1 helper resume 99999 "$MNT"
	fails_in_a_line "aa00: several entries start with this" 1 helper resume -x aa00 "$MNT"
	fails_in_a_line ": no such entry" 1 helper resume "" "$MNT"
	nothing_was_called
}

# -- the entry

names_entry() {
	local at=$MNT/HEAD entry
	local pi="(cd $WORK && pi --session $SESSION)"
	prints "$pi" HEAD "$MNT"
	prints "$pi" aa000004 "$MNT/by-id/aa000001/content"
	prints "$pi" "$MNT"
	prints "$pi" mnt/HEAD
	for entry in aa000003 three branches/aa000003 by-id/aa000003/content "$MNT/tree/aa000001/aa000002/aa000003"; do
		prints "ln -sfn by-id/aa000003 $at && $pi" "$entry" "$MNT"
	done
	prints "ln -sfn by-id/aa000002 $at && $pi" HEAD/parent mnt
	prints "ln -sfn by-id/aa000001 $at && $pi" mnt/path/0001*
	prints "ln -sfn tree $at && $pi" tree "$MNT"
	(
		cd "$MNT/by-id/aa000003"
		prints "$pi"
		prints "ln -sfn by-id/aa000003 $at && $pi" .
	)
}

@test "wrong usage, entries that are not there, and how an entry is named" {
	write_pi
	mount_session
	cd "$HOME"
	wrongly_used
	echo three >"$MNT/by-id/aa000003/label"
	cp "$SESSION" "$DIR/before"
	cd "$DIR"
	names_entry
	# Nothing is changed by printing.
	cmp "$DIR/before" "$SESSION"
	head_is by-id/aa000004
}

@test "outside a mount it is the session that sessfs-open printed last" {
	mkdir -p "$HOME/.pi/agent/sessions/x"
	SESSION=$HOME/.pi/agent/sessions/x/2026-03-01T10-00-00-000Z_a.jsonl
	write_pi
	cd "$WORK"
	local at
	at=$(helper open "$SESSION")
	prints "(cd $WORK && pi --session $SESSION)"
	prints "ln -sfn by-id/aa000002 $at/HEAD && (cd $WORK && pi --session $SESSION)" aa000002
	resume aa000002
	called pi --session "$SESSION"
	is by-id/aa000002 readlink "$at/HEAD"
}

@test "an entry that is named like a folder of the session" {
	write_session "$(user tree "" one)" "$(user by-id tree two)" "$(user "a/tree" tree three)"
	mkdir "$DIR/by-id"
	MNT=$DIR/by-id/by-id
	mkdir "$MNT"
	mount_session
	prints "ln -sfn by-id/tree $MNT/HEAD && pi --session $SESSION" by-id/tree "$MNT"
	prints "ln -sfn tree $MNT/HEAD && pi --session $SESSION" tree "$MNT"
	prints "ln -sfn by-id/by-id $MNT/HEAD && pi --session $SESSION" by-id/by-id "$MNT"
	prints "pi --session $SESSION" "by-id/a%2Ftree" "$MNT"
}

moves_and_starts() {
	resume aa000003 "$MNT"
	called pi --session "$SESSION"
	head_is by-id/aa000003
	cp "$SESSION" "$DIR/before"
	resume aa000003 "$MNT"
	called pi --session "$SESSION"
	cmp "$DIR/before" "$SESSION"
	resume tree "$MNT"
	called pi --session "$SESSION"
	head_is tree
	prints "(cd $WORK && pi --session $SESSION)" HEAD "$MNT"
	# From before the first entry.
	helper resume -x aa000002 "$MNT"
	called pi --session "$SESSION"
	head_is by-id/aa000002
	# -x in $PATH, with its status.
	STATUS=7 exits 7 helper resume -x aa000004 "$MNT"
	[ -z "$output" ]
	called pi --session "$SESSION"
	head_is by-id/aa000004
	cp "$SESSION" "$DIR/before"
	helper resume -x HEAD "$MNT"
	called pi --session "$SESSION"
	helper resume -x "$MNT/HEAD"
	called pi --session "$SESSION"
	cmp "$DIR/before" "$SESSION"
}

@test "HEAD is moved unless it is there, and the agent starts in the session's directory" {
	write_pi
	mount_session
	moves_and_starts
	mounted_here >/dev/null
	# -x says that the agent is not there before anything is moved.
	mkdir "$DIR/empty"
	is_missing
}

@test "the agent, and the folder of a copy for it, have the user's umask" {
	local folder
	write_pi
	printf '#!/bin/sh\numask >"%s/umask"\n' "$DIR" >"$DIR/bin/pi"
	find_folder pi
	(umask 077 && helper resume -x --fork HEAD "$SESSION")
	is 0077 cat "$DIR/umask"
	is 700 stat -c %a "$folder"
}

@test "without a directory that exists the agent starts where the user is" {
	local cwd name=0
	mkdir "$DIR/all"
	for cwd in /no/such/place relative "" "$DIR/all/0.jsonl"; do
		SESSION=$DIR/all/$((name++)).jsonl write_pi "$cwd"
	done
	SESSION=$DIR/all/none.jsonl write_session "$(user aa000001 "" one)"
	sed -i '1s/,"cwd":"[^"]*"//' "$DIR/all/none.jsonl"
	start "$SESSFS" "$DIR/all" "$MNT"
	cd "$HOME"
	for name in 0 1 2 3 none; do
		prints "pi --session $DIR/all/$name.jsonl" HEAD "$MNT/$name"
		helper resume -x HEAD "$MNT/$name"
		AGENT_IN=$HOME called pi --session "$DIR/all/$name.jsonl"
	done
}

is_missing() {
	fails_in_a_line "sessfs: pi: command not found" 127 \
		env PATH="$DIR/empty" "$SESSFS" resume -x aa000001 "$MNT"
	head_is by-id/aa000004
}

# -- sessions that are not mounted, and copies

@test "a session that is not mounted is continued at its HEAD, or in a copy" {
	write_pi
	remember
	prints "(cd $WORK && pi --session $SESSION)" HEAD "$SESSION"
	prints "(cd $WORK && pi --session $SESSION)" "$SESSION"
	helper resume -x --fork aa000003 "$SESSION"
	local folder copies
	find_folder pi
	copies=("$folder"/*.jsonl)
	[ ${#copies[@]} -eq 1 ]
	called pi --session "${copies[0]}"
	untouched
}

# forks_to ENTRY COPY OPTION NAME: --fork continues ENTRY in COPY, which is made once,
# where `sessfs sources` has it.
forks_to() {
	local line="cp -f $MNT/by-id/$1/branch.jsonl $2.part && mv $2.part $2"
	[ -e "${2%/*}" ] || line="mkdir -p ${2%/*} && $line"
	prints "test -e $2 || { $line; } && (cd $WORK && $AGENT $3 $4)" --fork "$1" "$MNT"
	resume --fork "$1" "$MNT"
	called "$AGENT" "$3" "$4"
	cmp "$2" "$MNT/by-id/$1/branch.jsonl"
	rm "$2"
	helper resume -x --fork "$1" "$MNT"
	called "$AGENT" "$3" "$4"
	cmp "$2" "$MNT/by-id/$1/branch.jsonl"
	[ -w "$2" ]
	# It is continued, not made again.
	echo more >>"$2"
	helper resume -x --fork "$1" "$MNT"
	called "$AGENT" "$3" "$4"
	has_line more "$2"
	helper sources -a "$AGENT" -c "$WORK" >"$DIR/folders"
	grep -qF $'\t'"${5-${2%/*}}" "$DIR/folders"
	fails_in_a_line "before the first entry there is nothing to fork" 1 helper resume --fork tree "$MNT"
	untouched
}

@test "--fork continues in a copy where Pi and oh-my-pi find it" {
	needs jq
	local AGENT name folder
	write_pi
	remember
	mount_session
	name=$(jq -r 'select(.type == "session") | "\(.timestamp)_\(.id)" | gsub("[:.]"; "-")' "$MNT/by-id/aa000003/branch.jsonl").jsonl
	AGENT=pi
	find_folder pi
	forks_to aa000003 "$folder/$name" --session "$folder/$name"
	unmount
	daemon_is_gone
	write_omp "$(user aa000001 "" one)" "$(user aa000002 aa000001 two)"
	sed -i "2s|/work/demo|$WORK|" "$SESSION"
	remember
	mount_session
	name=$(jq -r 'select(.type == "session") | "\(.timestamp)_\(.id)" | gsub("[:.]"; "-")' "$MNT/by-id/aa000001/branch.jsonl").jsonl
	AGENT=omp
	find_folder omp
	forks_to aa000001 "$folder/$name" --resume "$folder/$name"
}

@test "a copy that was cut short is not continued" {
	local folder line
	write_pi
	find_folder pi
	mkdir -p "$folder"
	printf '#!/bin/sh\nfor to; do :; done\necho torn >"$to"\nexit 1\n' >"$DIR/bin/cp"
	chmod +x "$DIR/bin/cp"
	helper resume --fork aa000003 "$SESSION" >"$DIR/line"
	whole line "$DIR/line"
	exits 1 sh -c "$line"
	rm "$DIR/bin/cp"
	sh -c "$line"
	has_lines 4 "$folder"/*.jsonl
}

@test "--fork continues in a copy where Claude Code and Codex find it" {
	needs jq
	local AGENT id folder
	write_claude
	remember
	mount_session
	id=$(jq -r .sessionId "$MNT/$(at 3)/branch.jsonl" | head -n 1)
	AGENT=claude
	find_folder claude
	forks_to "$(uuid 3)" "$folder/$id.jsonl" --resume "$id"
	unmount
	daemon_is_gone
	write_codex
	remember
	mount_session
	local id copy
	find_copy msg_3
	AGENT=codex
	forks_to msg_3 "$copy" resume "$id" "$CODEX_HOME/sessions"
}

# -- the formats

@test "omp has options of its own" {
	write_omp "$(user aa000001 "" one)" "$(user aa000002 aa000001 two)"
	sed -i "2s|/work/demo|$WORK|" "$SESSION"
	mount_session
	prints "(cd $WORK && omp --resume $SESSION)" HEAD "$MNT"
	helper resume -x aa000001 "$MNT"
	called omp --resume "$SESSION"
	head_is by-id/aa000001
	unmount
	daemon_is_gone
	mount_session -o ro
	prints "(cd $WORK && omp --fork $MNT/by-id/aa000002/branch.jsonl)" aa000002 "$MNT"
}

@test "formats of which no agent is known, and sessions that their agent does not open" {
	local name dialect
	mkdir "$DIR/all"
	cp "$FIXTURES"/{pi-harness-leaf,draft000-uuid,draft003-index,go-tree}.jsonl "$FIXTURES/go-tree.head.json" "$DIR/all"
	{ legacy_meta 1 && said m1 user one && printf '\xff\n'; } >"$DIR/all/codex.jsonl"
	start "$SESSFS" "$DIR/all" "$MNT"
	for name in pi-harness-leaf=pi-harness draft000-uuid=draft-uuid draft003-index=draft-index go-tree=go-tree; do
		dialect=${name#*=} name=${name%=*}
		fails_in_a_line "sessfs: $DIR/all/$name.jsonl: no agent is known that continues a session of format $dialect" 1 \
			helper resume HEAD "$MNT/$name"
		fails_in_a_line "of format $dialect" 1 helper resume -x HEAD "$MNT/$name"
	done
	fails_in_a_line "sessfs: $DIR/all/codex.jsonl: codex does not open it: bytes that are not UTF-8 (line 3)" 1 \
		helper resume m1 "$MNT/codex"
	unmount
	daemon_is_gone
	write_lines '{"a":1}' '{"a":2}'
	mount_session -o dialect=lines
	fails_in_a_line "of format lines" 1 helper resume HEAD "$MNT"
	unmount
	daemon_is_gone
	write_lines "$(user aa000001 "" one)"
	mount_session -o dialect=pi
	fails_in_a_line "sessfs: $SESSION: pi does not open it: no header; try sessfs rescue" 1 \
		helper resume HEAD "$MNT"
}

# -- Claude Code

in_claude() {
	local claude="(cd $WORK && claude --resume $SESSION_ID)"
	ln -sfn "$(at 5)" "$MNT/HEAD"
	prints "$claude" HEAD "$MNT"
	prints "ln -sfn $(at 3) $MNT/HEAD && $claude" "$(uuid 3)" "$MNT"
	resume "$(uuid 3)" "$MNT"
	called claude --resume "$SESSION_ID"
	head_is "$(at 3)"
	prints "$claude" HEAD "$MNT"
	helper resume -x tree "$MNT"
	called claude --resume "$SESSION_ID"
	head_is tree
	prints "$claude" HEAD "$MNT"
}

@test "Claude Code resumes by the id, in the folder of which the session is" {
	write_claude
	mount_session
	in_claude
}

forks_in_claude() {
	local folder=${SESSION%/*}
	prints "(cd $WORK && claude --resume $SESSION --fork-session)" HEAD "$MNT"
	prints "(cd $WORK && claude --resume $MNT/$(at 3)/branch.jsonl --fork-session)" "$(uuid 3)" "$MNT"
	helper resume -x "$(uuid 3)" "$MNT"
	called claude --resume "$MNT/$(at 3)/branch.jsonl" --fork-session
	head_is "$(at 5)"
	fails_in_a_line "sessfs: $SESSION: before the first entry there is nothing to fork" 1 helper resume tree "$MNT"
}

@test "Claude Code gets a fork of a session that it would not find" {
	write_claude
	mv "$SESSION" "$DIR/$SESSION_ID.jsonl"
	SESSION=$DIR/$SESSION_ID.jsonl
	remember
	mount_session
	forks_in_claude
	unmount
	daemon_is_gone
	# Nor by a name that is no id.
	write_claude
	mv "$SESSION" "${SESSION%/*}/notes.jsonl"
	SESSION=${SESSION%/*}/notes.jsonl
	remember
	mount_session
	forks_in_claude
	untouched
}

@test "Claude Code gets a fork where it does not see a move of HEAD" {
	CLAUDE_VERSION=2.1.112
	write_claude
	mount_session
	local claude="(cd $WORK && claude --resume $SESSION_ID)"
	local fork
	fork="(cd $WORK && claude --resume $MNT/$(at 3)/branch.jsonl --fork-session)"
	prints "$claude" HEAD "$MNT"
	echo tested >"$MNT/$(at 3)/label"
	prints "$claude" HEAD "$MNT"
	prints "$fork" "$(uuid 3)" "$MNT"
	ln -sfn "$(at 3)" "$MNT/HEAD"
	prints "$fork" HEAD "$MNT"
	helper resume -x HEAD "$MNT"
	called claude --resume "$MNT/$(at 3)/branch.jsonl" --fork-session
	ln -sfn tree "$MNT/HEAD"
	fails_in_a_line "there is nothing to fork" 1 helper resume HEAD "$MNT"
}

@test "Claude Code from 2.1.120 on sees all moves but that before the first entry" {
	export CLAUDE_VERSION=2.1.150
	write_claude
	mount_session
	local claude="(cd $WORK && claude --resume $SESSION_ID)"
	prints "ln -sfn $(at 3) $MNT/HEAD && $claude" "$(uuid 3)" "$MNT"
	fails_in_a_line "there is nothing to fork" 1 helper resume tree "$MNT"
	ln -sfn tree "$MNT/HEAD"
	fails_in_a_line "there is nothing to fork" 1 helper resume HEAD "$MNT"
	ln -sfn "$(at 3)" "$MNT/HEAD"
	prints "$claude" HEAD "$MNT"
}

@test "Claude Code gets a fork of a subagent's session" {
	write_claude
	mkdir -p "${SESSION%.jsonl}/subagents"
	sed 's/"isSidechain":false/"isSidechain":true,"agentId":"1"/' "$SESSION" >"${SESSION%.jsonl}/subagents/agent-1.jsonl"
	mount_session
	local at=$MNT/subagents/agent-1
	prints "(cd $WORK && claude --resume $at/$(at 5)/branch.jsonl --fork-session)" HEAD "$at"
	prints "(cd $WORK && claude --resume $at/$(at 3)/branch.jsonl --fork-session)" "$(uuid 3)" "$at"
}

is_busy() {
	fails_in_a_line "sessfs: $MNT/HEAD: Claude Code has this session open" 1 helper resume -x "$(uuid 3)" "$MNT"
	nothing_was_called
	untouched
}

@test "-x tells why HEAD is not moved, and starts nothing" {
	write_claude
	# Where it finds records of running agents.
	mkdir -p "$HOME/.claude/sessions"
	printf '{"pid":%s,"sessionId":"%s","version":"2.1.330"}' $$ "$SESSION_ID" >"$HOME/.claude/sessions/$$.json"
	remember
	mount_session
	is_busy
	rm "$HOME/.claude/sessions/$$.json"
	unmount
	daemon_is_gone
	write_compacted
	sed -i "s|/work/demo|$WORK|" "$SESSION"
	mount_session
	fails_in_a_line "sessfs: $MNT/HEAD: the boundary of a compaction: Claude Code goes on from its summary" 1 \
		helper resume -x "$(uuid 3)" "$MNT"
}

# -- what can't be written

is_forked() {
	local branch=$MNT/by-id/aa000003/branch.jsonl
	prints "(cd $WORK && pi --fork $branch)" aa000003 "$MNT"
	resume aa000003 "$MNT"
	called pi --fork "$branch"
	helper resume -x aa000003 "$MNT"
	called pi --fork "$branch"
	fails_in_a_line "sessfs: $SESSION: before the first entry there is nothing to fork" 1 helper resume tree "$MNT"
	head_is by-id/aa000004
}

@test "in a read-only mount an entry that is not HEAD is forked" {
	write_pi
	cp "$SESSION" "$DIR/before"
	mount_session -o ro
	is_forked
	prints "(cd $WORK && pi --session $SESSION)" HEAD "$MNT"
	cmp "$DIR/before" "$SESSION"
}

# bats test_tags=root
@test "an ordinary user moves HEAD, or gets a fork of what is not theirs" {
	needs_root
	local id
	id=$(id -u nobody)
	write_pi
	chown -R "$id:$(id -g nobody)" "$DIR"
	as_user() { setpriv --reuid="$id" --regid="$(id -g nobody)" --clear-groups "$@"; }
	as_user "$SESSFS" "$SESSION" "$MNT"
	as_user "$SESSFS" resume -x aa000003 "$MNT"
	called pi --session "$SESSION"
	is by-id/aa000003 as_user readlink "$MNT/HEAD"
	chown 0:0 "$SESSION"
	is "(cd $WORK && pi --fork $SESSION)" as_user "$SESSFS" resume HEAD "$MNT"
	is "(cd $WORK && pi --fork $MNT/by-id/aa000001/branch.jsonl)" as_user "$SESSFS" resume aa000001 "$MNT"
}

# -- paths

# bats test_tags=full
@test "any path is quoted, for eval and for pasting" {
	local name n=0 shells=(sh bash "busybox sh")
	for name in "a b" "it's" "'" "\$HOME \`x\`;&" $'new\nline' $'end\n' $'\e[2J%d\\' '"~"' -dash "\\n" "é*?"; do
		mkdir -p "$DIR/all/$name/cwd"
		WORK=$DIR/all/$name/cwd
		SESSION=$DIR/all/$name/s.jsonl
		MNT=$DIR/all/$name/mnt
		mkdir "$MNT"
		write_session "$(user "it's" "" one)" "$(user aa000002 "it's" two)"
		python3 - "$SESSION" "$WORK" <<-'PY'
			import json, sys
			text = open(sys.argv[1]).read()
			open(sys.argv[1], "w").write(text.replace('"/work/demo"', json.dumps(sys.argv[2])))
		PY
		mount_session
		SH=${shells[n++ % ${#shells[@]}]}
		local command
		command=$(helper resume "it's" "$MNT")
		not env LC_ALL=C grep '[[:cntrl:]]' <<<"$command"
		# shellcheck disable=SC2086 # words
		(cd / && $SH -c "$command")
		called pi --session "$SESSION"
		is "by-id/it's" readlink "$MNT/HEAD"
		helper resume -x aa000002 "$MNT"
		called pi --session "$SESSION"
		is by-id/aa000002 readlink "$MNT/HEAD"
		fusermount3 -u "$MNT"
		daemon_is_gone
	done
}

@test "a path that ends with a newline" {
	SESSION=$DIR/$'end\n' MNT=$DIR/$'mnt\n'
	mkdir "$MNT"
	write_pi
	mount_session
	# It can't be a word on one line.
	bash -c "cd / && $(helper resume aa000001 "$MNT")"
	called pi --session "$SESSION"
	is by-id/aa000001 readlink "$MNT/HEAD"
	helper resume -x aa000002 "$MNT"
	called pi --session "$SESSION"
	is by-id/aa000002 readlink "$MNT/HEAD"
	fusermount3 -u "$MNT"
}

# -- Codex

# A thread of two turns in $WORK, as Codex has it.
write_codex() {
	export CODEX_HOME=$DIR/codex
	SESSION=$(rollout_path 1)
	mkdir -p "${SESSION%/*}"
	{
		session_meta 1
		said msg_1 user one 1
		said msg_2 assistant two 2
		said msg_3 user three 3
	} | sed "s|/work/demo|$WORK|" >"$SESSION"
}

# Set $id, and $copy to where the branch of an entry belongs.
find_copy() {
	id=$(jq -r .payload.id "$MNT/by-id/$1/branch.jsonl")
	copy=$CODEX_HOME/sessions/2026/03/01/rollout-2026-03-01T10-00-01-$id.jsonl
}

resumes_codex() {
	local id copy
	prints "(cd $WORK && codex resume $(rollout_id 1))" HEAD "$MNT"
	find_copy msg_2
	prints "test -e $copy || { cp -f $MNT/by-id/msg_2/branch.jsonl $copy.part && mv $copy.part $copy; } && (cd $WORK && codex resume $id)" msg_2 "$MNT"
	resume msg_2 "$MNT"
	called codex resume "$id"
	cmp "$copy" "$MNT/by-id/msg_2/branch.jsonl"
	# One that was made before, and has gone on, is continued.
	echo more >>"$copy"
	helper resume -x msg_2 "$MNT"
	called codex resume "$id"
	has_line more "$copy"
	rm "$copy"
	# Codex does not see where HEAD was moved to.
	ln -sfn by-id/msg_2 "$MNT/HEAD"
	helper resume -x HEAD "$MNT"
	called codex resume "$id"
	rm "$copy" "${SESSION%.jsonl}.sessfs.json"
	is by-id/msg_3 readlink "$MNT/HEAD"
}

@test "Codex resumes the thread at its end, and a fork of it elsewhere" {
	needs jq
	write_codex
	mount_session
	cp "$SESSION" "$DIR/before"
	resumes_codex
	cmp "$DIR/before" "$SESSION"
}

# bats test_tags=root
@test "a copy for Codex that can't be written" {
	needs jq
	needs_root
	local copy folder
	write_codex
	chown -R "$(id -u nobody):$(id -g nobody)" "$DIR"
	as_user() { setpriv --reuid="$(id -u nobody)" --regid="$(id -g nobody)" --clear-groups "$@"; }
	as_user "$SESSFS" "$SESSION" "$MNT"
	folder=$CODEX_HOME/sessions/2026/03/01
	copy=$folder/rollout-2026-03-01T10-00-01-$(as_user jq -r .payload.id "$MNT/by-id/msg_2/branch.jsonl").jsonl
	chmod a-w "$folder"
	fails_in_a_line "sessfs: $folder: you can't write to it" 1 as_user "$SESSFS" resume msg_2 "$MNT"
	chmod u+w "$folder"
	as_user "$SESSFS" resume -x msg_2 "$MNT"
	[ -e "$copy" ]
	# Then only the copy has to be writable.
	chmod a-w "$folder"
	as_user "$SESSFS" resume msg_2 "$MNT" >/dev/null
	chmod a-w "$copy"
	fails_in_a_line "$copy: you can't write to it" 1 as_user "$SESSFS" resume -x msg_2 "$MNT"
	chmod u+w "$folder"
}

@test "a thread that a Codex has open, and one that was reverted, are forked" {
	local id copy
	needs jq
	write_codex
	mount_session
	find_copy msg_3
	mkdir "$CODEX_HOME/thread-writer-locks"
	hold_lock "$CODEX_HOME/thread-writer-locks/$(rollout_id 1).lock"
	wait_until grep -q ^running "$MNT/info"
	helper resume -x HEAD "$MNT"
	called codex resume "$id"
	release_lock
	wait_until_not grep -q ^running "$MNT/info"
	helper resume -x HEAD "$MNT"
	called codex resume "$(rollout_id 1)"
	mkdir "$CODEX_HOME/sessions/2026/03/02"
	: >"$CODEX_HOME/sessions/2026/03/02/rollout-2026-03-02T10-00-00-$(rollout_id 1)_$(rollout_id 2).jsonl"
	helper resume -x HEAD "$MNT"
	called codex resume "$id"
}

@test "a fork goes where Codex finds it, or is refused" {
	local id copy
	needs jq
	write_codex
	mkdir -p "$CODEX_HOME/archived_sessions"
	mv "$SESSION" "$CODEX_HOME/archived_sessions"
	SESSION=$CODEX_HOME/archived_sessions/${SESSION##*/}
	rmdir "$CODEX_HOME/sessions/2026/03/01"
	mount_session
	find_copy msg_3
	prints "test -e $copy || { mkdir -p ${copy%/*} && cp -f $MNT/by-id/msg_3/branch.jsonl $copy.part && mv $copy.part $copy; } && (cd $WORK && codex resume $id)" "$MNT"
	resume "$MNT"
	called codex resume "$id"
	[ -s "$copy" ]
	# Elsewhere nobody finds the base.
	CODEX_HOME=$DIR/other fails_in_a_line "is not in $DIR/other/sessions, where codex would look for it" 1 \
		helper resume "$MNT"
	unmount
	# A legacy thread needs no base.
	{
		legacy_meta 5
		said msg_1 user one
	} >"$DIR/legacy.jsonl"
	SESSION=$DIR/legacy.jsonl
	mount_session
	helper resume -x "$MNT"
	id=$(jq -r .payload.id "$MNT/by-id/msg_1/branch.jsonl" | head -n 1)
	AGENT_IN=$PWD called codex resume "$id"
	is one jq -r 'select(.type == "response_item").payload.content[0].text' \
		"$CODEX_HOME/sessions/2026/03/01/rollout-2026-03-01T10-00-00-$id.jsonl"
}
