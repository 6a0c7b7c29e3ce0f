# bats file_tags=shell
# sessfs resume --in, which goes on in another agent. commands/resume-in.md has the rest of it.
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
	local agent=$1 copy words
	refuses 0 "" helper resume -x --in "$agent" "$ENTRY" "$MNT"
	find_made "$agent"
	# shellcheck disable=SC2086 # words
	called "$agent" $words
	cmp "$copy" "$MNT/by-id/$ENTRY/as/$agent.jsonl"
	[ -w "$copy" ]
	# It is there now, and nobody has gone on with it.
	refuses 0 "" helper resume -x --in "$agent" "$ENTRY" "$MNT"
	# shellcheck disable=SC2086
	called "$agent" $words
	rm "$copy"
	rmdir "${copy%/*}"
	prints "$SESSFS resume -x --in $agent $ENTRY $SESSION" --in "$agent" "$ENTRY" "$MNT"
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
# bats test_tags=full
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
