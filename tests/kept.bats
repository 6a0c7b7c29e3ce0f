# sessfs keep: what agents delete stays.
load lib/mount
load lib/run
load lib/pi
load lib/claude

setup() {
	needs_mounts
	make_folder
	make_home
	KEPT=$HOME/.local/share/sessfs/kept
	PI=$HOME/.pi/agent/sessions/--work--
	CLAUDE=$HOME/.claude/projects/-work
	mkdir -p "$PI" "$CLAUDE"
	cd "$DIR"
}

# Write a session of Pi: its name, the text of its entry.
pi_session() {
	SESSION=$PI/$1.jsonl write_session "$(user aa000001 "" "$2")"
}

same_file() {
	[ "$(stat -c %d:%i "$1")" = "$(stat -c %d:%i "$2")" ]
}

# Fails unless these sessions are listed, by their words, with these options.
lists() {
	is "$1" bash -c "'$SESSFS' list ${*:2} | awk -F '\t' '{ print \$NF }' | LC_ALL=C sort | paste -sd ' '"
}

# Rules: Q1
@test "files are linked once, in folders of mode 700, and grow with the agent" {
	pi_session one "first"
	is "1 linked, 0 kept that agents have deleted" "$SESSFS" keep
	same_file "$PI/one.jsonl" "$KEPT/.live/pi$PI/one.jsonl"
	is 700 stat -c %a "$KEPT"
	is 700 stat -c %a "$HOME/.local/share/sessfs"
	refuses 0 "" "$SESSFS" keep
	SESSION=$PI/one.jsonl append_user bb aa000001 more
	cmp "$PI/one.jsonl" "$KEPT/.live/pi$PI/one.jsonl"
	pi_session two "second"
	is "1 linked, 0 kept that agents have deleted" "$SESSFS" --keep
	# None is listed or named twice.
	lists "first second"
	lists "" --kept
	is "pi	$HOME/.pi/agent/sessions
claude	$HOME/.claude/projects" "$SESSFS" sources
}

# Rules: Q2
@test "what an agent deletes is listed, searched and opened" {
	pi_session one "first"
	pi_session two "second"
	start "$SESSFS" keep
	rm "$PI/one.jsonl"
	is "0 linked, 1 kept that agents have deleted" "$SESSFS" keep
	refuses 0 "" "$SESSFS" keep
	[ ! -e "$KEPT/.live/pi$PI/one.jsonl" ]
	lists "first" --kept
	lists "first second"
	start "$SESSFS" grep -q first
	is "pi	$HOME/.pi/agent/sessions
pi	$KEPT/pi	shared
claude	$HOME/.claude/projects" "$SESSFS" sources
	is first cat "$("$SESSFS" open "$KEPT/pi$PI/one.jsonl")/HEAD/content"
	rm "$PI/two.jsonl"
	start "$SESSFS" keep
	lists "first second" --kept
	fails_in_a_line "--kept takes no SOURCE" 2 "$SESSFS" list --kept "$PI"
}

# Rules: Q2
@test "what an agent deletes while sessions are linked is kept" {
	pi_session one "first"
	start "$SESSFS" keep
	SESSION=$CLAUDE/$SESSION_ID.jsonl write_session "$(claude_user 1 "" second)"
	make_slow
	# After the folders of Pi have been looked at.
	meets hold link
	touch while
	"$SLOW" keep >out &
	wait_until grep -qsx "met link" met
	rm "$PI/one.jsonl" while
	wait $!
	is "1 linked, 1 kept that agents have deleted" cat out
	lists "first" --kept
}

@test "a session replaced when sessfs keep was killed, then deleted" {
	local live=$KEPT/.live/pi$PI
	pi_session one "first"
	start "$SESSFS" keep
	pi_session new "rewritten"
	mv "$PI/new.jsonl" "$PI/one.jsonl"
	ln "$PI/one.jsonl" "$live/one.jsonl.sessfs-new"
	rm "$PI/one.jsonl"
	start "$SESSFS" keep
	lists "first rewritten" --kept
	[ ! -e "$live" ]
}

@test "a folder that is gone as a whole, and one that comes back" {
	pi_session one "first"
	start "$SESSFS" keep
	mv "$HOME/.pi" "$HOME/away"
	start "$SESSFS" keep
	lists "first" --kept
	mv "$HOME/away" "$HOME/.pi"
	start "$SESSFS" keep
	lists "first"
	lists "" --kept
	same_file "$PI/one.jsonl" "$KEPT/.live/pi$PI/one.jsonl"
	[ ! -e "$KEPT/pi" ]
	# So is a file that its agent calls otherwise.
	mv "$PI/one.jsonl" "$PI/other.jsonl"
	start "$SESSFS" keep
	lists "first"
	lists "" --kept
}

# Rules: Q3
@test "a session that is replaced: its longer form, or both" {
	pi_session one "first"
	start "$SESSFS" keep
	cp "$PI/one.jsonl" new
	user bb aa000001 more >>new
	mv new "$PI/one.jsonl"
	is "1 linked, 0 kept that agents have deleted" "$SESSFS" keep
	same_file "$PI/one.jsonl" "$KEPT/.live/pi$PI/one.jsonl"
	lists "" --kept
	pi_session new "rewritten"
	mv "$PI/new.jsonl" "$PI/one.jsonl"
	is "1 linked, 1 kept that agents have deleted" "$SESSFS" keep
	same_file "$PI/one.jsonl" "$KEPT/.live/pi$PI/one.jsonl"
	lists "first rewritten"
	pi_session new "again"
	mv "$PI/new.jsonl" "$PI/one.jsonl"
	start "$SESSFS" keep
	lists "first rewritten" --kept
	lists "again first rewritten"
	ls "$KEPT/pi$PI" | grep -qx 'one~2.jsonl'
	is 0 bash -c "find '$KEPT' -name '*.sessfs-new' | wc -l"
}

@test "subagents and long outputs of Claude Code are kept with their session" {
	SESSION=$CLAUDE/11111111-1111-4111-8111-111111111111.jsonl
	write_agents
	mkdir -p "${SESSION%.jsonl}/tool-results"
	echo output >"${SESSION%.jsonl}/tool-results/x.txt"
	echo no session >"$CLAUDE/notes.txt"
	ln -s "$CLAUDE/notes.txt" "$CLAUDE/link.jsonl"
	(cd "$CLAUDE" && find . -type f ! -name notes.txt | LC_ALL=C sort) >want
	start "$SESSFS" keep
	(cd "$KEPT/.live/claude$CLAUDE" && find . ! -type d | LC_ALL=C sort) | diff want -
	"$SESSFS" list | cut -f 4- >before
	# The agent deletes outputs by their own age: they wait for their session.
	rm "${SESSION%.jsonl}/tool-results/x.txt"
	start "$SESSFS" keep
	is output cat "$KEPT/claude${SESSION%.jsonl}/tool-results/x.txt"
	lists "" --kept
	rm -r "${CLAUDE:?}"
	start "$SESSFS" keep
	(cd "$KEPT/claude$CLAUDE" && find . ! -type d | LC_ALL=C sort) | diff want -
	"$SESSFS" list | cut -f 4- | diff before -
	start "$SESSFS" "$KEPT/claude$SESSION" "$MNT"
	[ -n "$(ls "$MNT/subagents")" ]
	[ ! -e "$KEPT/.live/claude" ]
}

# Its agent knows nothing of the labels, and leaves them when it deletes the session.
# Rules: Q2
@test "labels beside a session go with it, the last ones" {
	local label gone=$KEPT/claude$CLAUDE
	label=by-id/$(uuid 1)/label
	SESSION=$CLAUDE/$SESSION_ID.jsonl
	write_lines "$(claude_user 1 "" one)"
	start "$SESSFS" "$SESSION" "$MNT"
	echo early >"$MNT/$label"
	start "$SESSFS" keep
	echo late >"$MNT/$label"
	unmount
	mv "$SESSION" away
	is "1 linked, 2 kept that agents have deleted" "$SESSFS" keep
	refuses 0 "" "$SESSFS" keep
	is "$SESSION_ID.jsonl
$SESSION_ID.sessfs.json" ls "$gone"
	start "$SESSFS" "$gone/$SESSION_ID.jsonl" "$MNT"
	is late cat "$MNT/$label"
	unmount
	mv away "$SESSION"
	is "2 linked, 0 kept that agents have deleted" "$SESSFS" keep
	[ ! -e "$gone" ]
}

@test "a folder of an agent that is a symlink" {
	pi_session one "first"
	mv "$HOME/.pi/agent/sessions" "$HOME/elsewhere"
	ln -s "$HOME/elsewhere" "$HOME/.pi/agent/sessions"
	is "1 linked, 0 kept that agents have deleted" "$SESSFS" keep
	same_file "$PI/one.jsonl" "$KEPT/.live/pi$PI/one.jsonl"
	rm "$PI/one.jsonl"
	is "0 linked, 1 kept that agents have deleted" "$SESSFS" keep
	lists "first" --kept
}

@test "another file system, and no home" {
	local other=/dev/shm
	[ "$(stat -c %d /dev/shm)" != "$(stat -c %d "$DIR")" ] || other=/var/tmp
	other=$(mktemp -d -p "$other")
	pi_session one "first"
	pi_session two "second"
	run -1 --separate-stderr env XDG_DATA_HOME="$other" "$SESSFS" keep
	rm -r "${other:?}/sessfs"
	rmdir "$other"
	is 1 bash -c "wc -l <<<'$stderr'"
	[[ $stderr == "sessfs: $PI/"*": is on another file system than the kept sessions; set XDG_DATA_HOME" ]]
	refuses 1 "sessfs: keep: HOME is not set" env -u HOME "$SESSFS" keep
	XDG_DATA_HOME=relative "$SESSFS" keep
	[ -d "$KEPT" ]
	XDG_DATA_HOME=$DIR/data "$SESSFS" keep
	same_file "$PI/one.jsonl" "$DIR/data/sessfs/kept/.live/pi$PI/one.jsonl"
}

@test "many at once" {
	local i pids=()
	for i in {1..40}; do pi_session "s$i" "text$i"; done
	for i in {1..6}; do
		"$SESSFS" keep >>out &
		pids+=($!)
	done
	wait "${pids[@]}"
	is "40 linked, 0 kept that agents have deleted" cat out
	rm "$PI"/s?.jsonl
	pids=()
	for i in {1..6}; do
		"$SESSFS" keep >>out &
		pids+=($!)
	done
	wait "${pids[@]}"
	is "0 linked, 9 kept that agents have deleted" tail -n +2 out
	is 9 bash -c "'$SESSFS' list --kept | wc -l"
	is 40 bash -c "'$SESSFS' list | wc -l"
}

# bats test_tags=root
@test "an ordinary user's own" {
	needs_root
	local nobody=(setpriv --reuid=nobody --clear-groups)
	pi_session one "first"
	chown -R nobody "$HOME" "$DIR"
	"${nobody[@]}" "$SESSFS" keep
	"${nobody[@]}" rm "$PI/one.jsonl"
	"${nobody[@]}" "$SESSFS" keep
	is nobody stat -c %U "$KEPT/pi$PI/one.jsonl"
	lists "first" --kept
}
