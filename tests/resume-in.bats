# bats file_tags=shell
# sessfs resume --in, which goes on in another agent.
load lib/mount
load lib/run
load lib/pi
load lib/claude
load lib/codex
load lib/omp
load lib/resume

setup() {
	needs_mounts
	make_folder
	make_home
	stub_agents
}

# A session of an agent, in $WORK or another directory, with two branches where it has
# them; $ENTRY is the end of the older one.
write_of() {
	ENTRY=aa000002
	case $1 in
	pi | omp)
		{
			if [ "$1" = pi ]; then
				echo "$PI_HEADER"
			else
				write_omp
				whole header "$SESSION"
				printf %s "$header"
			fi
			user aa000001 "" one && echo
			user aa000002 aa000001 two && echo
			user aa000003 aa000001 three && echo
		} >"$DIR/written"
		;;
	claude)
		SESSION=$DIR/written write_two_branches
		printf -v ENTRY "$UUID" 3
		;;
	codex)
		{ legacy_meta 1 && said msg_1 user one && said msg_2 assistant two && said msg_3 user three; } >"$DIR/written"
		ENTRY=msg_2
		;;
	esac
	local text
	whole text "$DIR/written"
	printf %s "${text//\/work\/demo/"${2-$WORK}"}" >"$SESSION"
}

# Set $made to all sessions that an agent would find for $WORK, or another directory.
find_all() {
	local folder
	helper sources -m -a "$1" -c "${2-$WORK}" >"$DIR/folders"
	made=()
	shopt -s globstar nullglob
	while IFS=$'\t' read -r _ folder _; do
		made+=("$folder"/**/*.jsonl)
	done <"$DIR/folders"
	shopt -u globstar nullglob
}

# Set $copy, the only session of an agent, and $words, with which it is opened.
find_made() {
	local made id
	find_all "$@"
	[ "${#made[@]}" -eq 1 ] || {
		echo "sessions of $1: ${made[*]}"
		return 1
	}
	copy=${made[0]}
	id=${copy##*/}
	id=${id%.jsonl}
	case $1 in
	pi) words="--session $copy" ;;
	omp) words="--resume $copy" ;;
	claude) words="--resume $id" ;;
	codex) words="resume ${id: -36}" ;;
	esac
}

# $ENTRY of the session is gone on from in another agent, by -x and by what is printed.
goes_on() {
	local agent=$1 copy words line
	refuses 0 "" helper resume -x --in "$agent" "$ENTRY" "$MNT"
	find_made "$agent"
	# shellcheck disable=SC2086 # words
	called "$agent" $words
	cmp "$copy" "$MNT/by-id/$ENTRY/as/$agent.jsonl"
	[ -w "$copy" ]
	# It is there now, and is gone on with.
	refuses 0 "" helper resume -x --in "$agent" "$ENTRY" "$MNT"
	# shellcheck disable=SC2086
	called "$agent" $words
	rm "$copy"
	line="cp -f $MNT/by-id/$ENTRY/as/$agent.jsonl $copy.part && mv $copy.part $copy"
	prints "test -e $copy || { $line; } && (cd $WORK && $agent $words)" --in "$agent" "$ENTRY" "$MNT"
	rmdir "${copy%/*}"
	prints "test -e $copy || { mkdir -p ${copy%/*} && $line; } && (cd $WORK && $agent $words)" --in "$agent" "$ENTRY" "$MNT"
	resume --in "$agent" "$ENTRY" "$MNT"
	# shellcheck disable=SC2086
	called "$agent" $words
	cmp "$copy" "$MNT/by-id/$ENTRY/as/$agent.jsonl"
	rm "$copy"
}

# go_on_from SOURCE AGENT...
go_on_from() {
	local source=$1 agent
	write_of "$source"
	remember
	mount_session
	for agent in "${@:2}"; do
		echo "$source in $agent"
		goes_on "$agent"
	done
	untouched
	unmount
	daemon_is_gone
}

# Each is gone on from, and goes on, once.
@test "an agent goes on from an entry of another" {
	go_on_from pi claude
	go_on_from claude codex
	go_on_from codex omp
	go_on_from omp pi
}

# bats test_tags=large,full
@test "any agent goes on from an entry of any other" {
	go_on_from pi codex omp
	go_on_from claude pi omp
	go_on_from codex pi claude
	go_on_from omp claude codex
}

# Rules: X7
@test "what was added to the session is kept, and said" {
	local copy words said
	write_of pi
	said="goes on where that session is now:"
	helper resume -x --in claude aa000002 "$SESSION"
	find_made claude
	: >"$DIR/called"
	echo '{"type":"x"}' >>"$copy"
	cp "$copy" "$DIR/kept"
	refuses 0 "sessfs: $copy: $said 1 line was added since" helper resume -x --in claude aa000002 "$SESSION"
	# shellcheck disable=SC2086 # words
	called claude $words
	printf '{"type":"y"}\n{"type":"z"}' >>"$copy"
	cp "$copy" "$DIR/kept"
	refuses 0 "sessfs: $copy: $said 3 lines were added since" helper resume -x --in claude aa000002 "$SESSION"
	cmp "$DIR/kept" "$copy"
	# One that begins otherwise.
	sed -i 1d "$copy"
	cp "$copy" "$DIR/kept"
	refuses 0 "sessfs: $copy: $said its lines are others by now" helper resume -x --in claude aa000002 "$SESSION"
	# shellcheck disable=SC2086
	called claude $words
	cmp "$DIR/kept" "$copy"
	# It says so before it is run by a shell as well.
	mount_session
	resume --in claude aa000002 "$MNT" 2>"$DIR/err"
	has_line "sessfs: $copy: $said its lines are others by now" "$DIR/err"
	# shellcheck disable=SC2086
	called claude $words
	cmp "$DIR/kept" "$copy"
	# Another entry is another session.
	helper resume -x --in claude aa000003 "$SESSION"
	local made
	find_all claude
	[ "${#made[@]}" -eq 2 ]
}

@test "--fork has the other agent copy it, or is refused where that makes no copies" {
	local copy words agent
	write_of claude
	mount_session
	local as=$MNT/by-id/$ENTRY/as
	prints "(cd $WORK && pi --fork $as/pi.jsonl)" --fork --in pi "$ENTRY" "$MNT"
	helper resume -x --fork --in omp "$ENTRY" "$MNT"
	called omp --fork "$as/omp.jsonl"
	local made
	for agent in pi omp; do
		find_all "$agent"
		[ "${#made[@]}" -eq 0 ]
	done
	helper resume -x --fork --in codex "$ENTRY" "$MNT"
	find_made codex
	# shellcheck disable=SC2086 # words
	called codex $words
	fails_in_a_line "sessfs: $copy: is there already, and its agent makes no copies of it" 1 \
		helper resume -x --fork --in codex "$ENTRY" "$MNT"
	nothing_was_called
}

@test "in the session's own agent it is as with --fork" {
	write_of pi
	mount_session
	is "$(helper resume --fork aa000002 "$MNT" | sed 's/[0-9a-f-]\{36\}/ID/g')" \
		bash -c "'$SESSFS' resume --in pi aa000002 '$MNT' | sed 's/[0-9a-f-]\{36\}/ID/g'"
	helper resume -x --in pi aa000002 "$MNT"
	local copy words
	find_made pi
	cmp "$copy" "$MNT/by-id/aa000002/branch.jsonl"
}

@test "a session that is not mounted, by default at its HEAD" {
	local copy words
	write_of codex
	remember
	helper resume -x --in pi "$SESSION"
	find_made pi
	# shellcheck disable=SC2086 # words
	called pi $words
	has three "$copy"
	rm "$copy"
	resume --in pi "$SESSION"
	# shellcheck disable=SC2086
	called pi $words
	has three "$copy"
	untouched
}

@test "a format that no agent has, and a session that its agent does not open" {
	local fixture copy words
	for fixture in pi-harness-leaf draft000-uuid draft003-index go-tree; do
		cp "$FIXTURES/$fixture.jsonl" "$SESSION"
		[ "$fixture" != go-tree ] || cp "$FIXTURES/go-tree.head.json" "${SESSION%.jsonl}.head.json"
		(cd "$WORK" && helper resume -x --in claude "$SESSION" 2>/dev/null)
		find_made claude
		# shellcheck disable=SC2086 # words
		called claude $words
		rm "$copy"
	done
	{ legacy_meta 1 && said m1 user one && printf '\xff\n'; } >"$SESSION"
	sed -i "s|/work/demo|$WORK|" "$SESSION"
	refuses 0 "" helper resume -x --in pi "$SESSION"
	find_made pi
	# shellcheck disable=SC2086
	called pi $words
}

@test "without a directory that exists it goes on where the user is, and says so" {
	local cwd copy words line
	mkdir "$DIR/here"
	for cwd in /no/such/place relative ""; do
		write_of pi "$cwd"
		line="sessfs: $SESSION: its directory is not there: claude goes on in $DIR/here"
		cd "$DIR/here"
		refuses 0 "$line" helper resume -x --in claude aa000002 "$SESSION"
		cd /
		find_made claude "$DIR/here"
		# shellcheck disable=SC2086 # words
		AGENT_IN=$DIR/here called claude $words
		rm "$copy"
	done
}

@test "an agent that is not known or not there, and nothing to go on from" {
	write_of pi
	mkdir "$DIR/empty"
	fails_in_a_line "sessfs: none: no such agent; there are pi, omp, claude and codex" 2 \
		helper resume --in none HEAD "$SESSION"
	fails_in_a_line "sessfs: resume: " 2 helper resume HEAD "$SESSION" --in
	fails_in_a_line "sessfs: codex: command not found" 127 \
		env PATH="$DIR/empty" "$SESSFS" resume -x --in codex HEAD "$SESSION"
	fails_in_a_line "before the first entry there is nothing to fork" 1 helper resume --in codex tree "$SESSION"
	local made
	find_all codex
	[ "${#made[@]}" -eq 0 ]
	nothing_was_called
}

@test "a session that only can be read is one that the agent can write to" {
	local agent copy words
	write_of claude
	chmod 444 "$SESSION"
	mount_session
	for agent in codex pi; do
		helper resume -x --in "$agent" "$ENTRY" "$MNT"
		find_made "$agent"
		is -rw-r--r-- stat -c %A "$copy"
		rm "$copy"
		resume --in "$agent" "$ENTRY" "$MNT"
		is -rw-r--r-- stat -c %A "$copy"
	done
}

# bats test_tags=root
@test "an ordinary user, and folders that can't be written" {
	needs_root
	local copy words folder
	write_of claude
	chown -R "$(id -u nobody):$(id -g nobody)" "$DIR"
	chmod 600 "$SESSION"
	as_user() { setpriv --reuid="$(id -u nobody)" --regid="$(id -g nobody)" --clear-groups "$@"; }
	as_user "$SESSFS" "$SESSION" "$MNT"
	as_user "$SESSFS" resume -x --in codex "$ENTRY" "$MNT"
	find_made codex
	# shellcheck disable=SC2086 # words
	called codex $words
	is "-rw------- nobody" stat -c '%A %U' "$copy"
	rm "$copy"
	as_user "$SESSFS" resume --in codex "$ENTRY" "$MNT" >"$DIR/line"
	as_user sh "$DIR/line"
	# shellcheck disable=SC2086
	called codex $words
	is "-rw------- nobody" stat -c '%A %U' "$copy"
	folder=${copy%/*}
	rm "$copy"
	chmod a-w "$folder"
	fails_in_a_line "sessfs: $folder: you can't write to it" 1 as_user "$SESSFS" resume -x --in codex "$ENTRY" "$MNT"
	# It is not there yet, but where it would be made.
	chmod a-w "$HOME"
	fails_in_a_line "sessfs: $HOME: you can't write to it" 1 as_user "$SESSFS" resume --in pi "$ENTRY" "$MNT"
	chmod u+w "$folder" "$HOME"
}
