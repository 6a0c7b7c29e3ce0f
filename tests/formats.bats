# The two drafts and the Go tree through a mount: what a user sees, and what is written.
# The rules of reading are in the unit tests, and append is in append-formats.bats.
load lib/mount
load lib/run
load lib/drafts
load lib/go_tree

DRAFTS="draft-uuid draft-index"
ALL="$DRAFTS go-tree"
UUID='"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"'
TIME='"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]{12}Z"'

# Begin with a format. ${ID[N]} is the id of entry N; 0 is the header.
in_format() {
	FORMAT=$1
	echo "in $FORMAT:"
	case $FORMAT in
	draft-uuid) ID=(s1 m1 m2 m3 m4 m5 m6 m7) ;;
	draft-index) ID=(0 1 2 3 4 5 6 7) ;;
	go-tree) ID=("" 01HZZZZZZZ000000000000000{1..7}) ;;
	esac
	SESSION=$DIR/session.jsonl
	SIDECAR=$DIR/session.head.json
	rm -f "$SIDECAR"
}

# in_formats FORMATS COMMAND: run the command in each of them.
in_formats() {
	local format
	for format in $1; do
		in_format "$format"
		$2
		unmount
		daemon_is_gone
	done
}

is_draft() {
	[ "$FORMAT" != go-tree ]
}

at() {
	printf 'by-id/%s' "${ID[$1]}"
}

# A user message: its number, its parent's, text.
user() {
	case $FORMAT in
	draft-uuid) uuid_user "${ID[$1]}" "${ID[$2]-nowhere}" "$3" ;;
	draft-index) index_user "${ID[$2]-99}" "$3" ;;
	go-tree) go_user "$1" "${2#0}" "$3" ;;
	esac
}

# The given lines; in the drafts behind a header, in a Go tree with the head at entry 1.
write_format() {
	case $FORMAT in
	draft-uuid) write_uuid_draft "$@" ;;
	draft-index) write_index_draft "$@" ;;
	go-tree) write_go_tree 1 "$@" ;;
	esac
}

# The question 1, its answer 2, and 3 below it; the summary 4 below 2, and 5. HEAD is 5.
write_example() {
	local answer summary
	case $FORMAT in
	draft-uuid)
		answer='{"type":"message","uuid":"m2","parentUuid":"m1","message":{"role":"assistant","content":"answer"}}'
		summary='{"type":"branch_summary","uuid":"m4","parentUuid":"m2","summary":"went astray"}'
		;;
	draft-index)
		answer='{"type":"message","parent":1,"message":{"role":"assistant","content":"answer"}}'
		summary='{"type":"branch_summary","parent":2,"summary":"went astray"}'
		;;
	go-tree)
		answer=$(go_entry 2 1 turn.assistant '{"text":"answer"}')
		summary=$(go_entry 4 2 branch_summary '{"summary":"went astray"}')
		;;
	esac
	write_format "$(user 1 0 question)" "$answer" "$(user 3 2 "this way")" "$summary" \
		"$(user 5 4 "that way")"
	is_draft || go_head 5
}

has_context_of_3() {
	context_is "$1" "[User]: question" "[Assistant]: answer" "[User]: this way"
}

has_context_of_5() {
	context_is "$1" "[User]: question" "[Assistant]: answer" "[Summary]: went astray" "[User]: that way"
}

# The names in a folder, in its own order.
names_are() {
	is "$2" sh -c 'ls -U "$1" | paste -sd" "' - "$1"
}

remember() {
	cp "$SESSION" "$DIR/before"
}

# Since remember() one line has come, and it matches.
added() {
	local lines
	cmp -n "$(stat -c %s "$DIR/before")" "$DIR/before" "$SESSION"
	mapfile -t -s "$(wc -l <"$DIR/before")" lines <"$SESSION"
	[[ ${#lines[@]} -eq 1 && ${lines[0]} =~ ^$1$ ]] || {
		printf 'not %s, but %s\n' "$1" "${lines[*]}"
		return 1
	}
}

sidecar_has() {
	cmp <(printf '{"head":"%s"}' "${ID[$1]}") "$SIDECAR"
}

# Since remember() HEAD was moved to this entry: a line, or a sidecar, says so.
moved_to() {
	case $FORMAT in
	draft-uuid) added '\{"type":"head","uuid":'"$UUID,\"parentUuid\":\"${ID[$1]}\",\"timestamp\":$TIME}" ;;
	draft-index) added '\{"type":"head","parent":'"${ID[$1]}"',"name":"main"}' ;;
	go-tree) cmp "$DIR/before" "$SESSION" && sidecar_has "$1" ;;
	esac
}

# Since remember() entry 3 was labelled. The label is given as a member.
labelled() {
	case $FORMAT in
	draft-uuid) added '\{"type":"label","uuid":'"$UUID,\"parentUuid\":(\"m5\"|$UUID),\"timestamp\":$TIME,\"targetUuid\":\"m3\"$1}" ;;
	draft-index) added '\{"type":"label","parent":[0-9]+,"target":3'"$1}" ;;
	go-tree)
		added '\{"id":"[0-7][0-9A-HJKMNP-TV-Z]{25}","parentId":"'"${ID[5]}"'","kind":"custom.label","ts":'"$TIME,\"payload\":\\{\"targetId\":\"${ID[3]}\"$1}}"
		sidecar_has 5
		;;
	esac
}

opens() {
	local root=tree
	write_example
	mount_session
	if is_draft; then root=tree/${ID[0]}; fi
	grep -qx "dialect: $FORMAT" "$MNT/info"
	head_is "$(at 5)"
	has_context_of_5 .
	has_context_of_3 "$(at 3)"
	is "this way" cat "$MNT/$root/${ID[1]}/${ID[2]}/${ID[3]}/content"
	is "went astray" cat "$MNT/$(at 4)/content"
	cmp <(grep astray "$SESSION") "$MNT/$(at 4)/raw.json"
	names_are "$MNT/branches" "${ID[3]} ${ID[5]}"
	is_draft || return 0
	names_are "$MNT/by-id" "${ID[*]:0:6}"
	grep -qx "session: abc" "$MNT/info"
	grep -q '"cwd": "/work/demo"' "$MNT/$(at 0)/content"
	fails_with "No such file" stat "$MNT/$(at 0)/parent"
	context_is "$(at 0)"
}

@test "a session opens: its tree, its contexts, what entries say" {
	in_formats "$ALL" opens
}

moves() {
	write_example
	chmod 600 "$SESSION"
	mount_session
	remember
	ln -sfn "$(at 5)" "$MNT/HEAD"
	cmp "$DIR/before" "$SESSION"
	ln -sfn "$(at 3)" "$MNT/HEAD"
	moved_to 3
	head_is "$(at 3)"
	has_context_of_3 .
	remember
	if is_draft; then
		ln -sfn tree "$MNT/HEAD"
		moved_to 0
		context_is .
		is '[]' cat "$MNT/context.json"
		ln -sfn "$(at 3)" "$MNT/HEAD"
	else
		fails_with "Operation not supported" ln -sfn tree "$MNT/HEAD"
		moved_to 3
	fi
	unmount
	daemon_is_gone
	mount_session
	head_is "$(at 3)"
}

@test "HEAD moves by what the format has for it, and stays there" {
	in_formats "$ALL" moves
}

owner_goes_on() {
	local head=
	write_example
	mount_session
	ln -sfn "$(at 3)" "$MNT/HEAD"
	find "$MNT" >/dev/null
	cat "$MNT/context.txt" "$MNT/info" "$MNT/tree.txt" >/dev/null
	# The mark has taken position 6 in the index draft; the owner goes on below it.
	case $FORMAT in
	draft-uuid) uuid_user m7 "$(last_id)" "and on" ;;
	draft-index) index_user 6 "and on" ;;
	go-tree) go_user 7 3 "and on" ;;
	esac >>"$SESSION"
	echo >>"$SESSION"
	if ! is_draft; then
		head_is "$(at 3)"
		[ -d "$MNT/$(at 3)/${ID[7]}" ]
		go_head 7
	fi
	head_is "$(at 7)"
	context_is . "[User]: question" "[Assistant]: answer" "[User]: this way" "[User]: and on"
	[ "$FORMAT" != draft-index ] || head=" main"
	names_are "$MNT/branches" "${ID[5]} ${ID[7]}$head"
	grep -q "and on ← HEAD$" "$MNT/tree.txt"
}

@test "the owner goes on from where HEAD was moved, and it shows at once" {
	in_formats "$ALL" owner_goes_on
}

labels() {
	write_example
	mount_session
	remember
	echo one >"$MNT/$(at 3)/label"
	labelled ',"label":"one"'
	is one cat "$MNT/$(at 3)/label"
	is "../$(at 3)" readlink "$MNT/by-label/one"
	head_is "$(at 5)"
	has_context_of_5 .
	echo two >"$MNT/$(at 3)/label"
	echo four >"$MNT/$(at 4)/label"
	is two cat "$MNT/$(at 3)/label"
	remember
	: >"$MNT/$(at 3)/label"
	# What may be written next is waited for.
	wait_until_not cmp -s "$DIR/before" "$SESSION"
	labelled ""
	[ ! -s "$MNT/$(at 3)/label" ]
	unmount
	daemon_is_gone
	mount_session
	[ ! -s "$MNT/$(at 3)/label" ]
	names_are "$MNT/by-label" four
	head_is "$(at 5)"
}

@test "a label is a line, and so are another one and none" {
	in_formats "$ALL" labels
}

reopens() {
	write_example
	mount_session
	cat "$MNT/$(at 5)/context.json" >"$DIR/context"
	is_draft || cmp <(sed -n '1,2p;4,5p' "$SESSION") "$MNT/$(at 5)/branch.jsonl"
	mount_branch "${ID[5]}"
	grep -qx "dialect: $FORMAT" "$MNT/info"
	run -1 grep -E "^(bad-lines|missing-parents|not-opened)" "$MNT/info"
	if is_draft; then
		cmp "$DIR/context" "$MNT/context.json"
	else
		cmp "$DIR/context" "$MNT/$(at 5)/context.json"
	fi
}

@test "branch.jsonl is a session, its context that of the entry" {
	in_formats "$ALL" reopens
}

migrates() {
	write_lines '{"type":"session","id":"abc","timestamp":"2026-03-01T10:00:00.000Z","cwd":"/work/demo"}' \
		'{"type":"message","message":{"role":"user","content":"one"}}' \
		'{"type":"message","message":{"role":"assistant","content":"two"}}'
	remember
	mount_session
	grep -qx "dialect: pi" "$MNT/info"
	unmount
	daemon_is_gone
	mount_session -o "dialect=$FORMAT"
	grep -qx "dialect: $FORMAT" "$MNT/info"
	context_is . "[User]: one" "[Assistant]: two"
	ls -U "$MNT/by-id" >"$DIR/ids"
	is 3 grep -c . "$DIR/ids"
	echo first >"$MNT/HEAD/label"
	cmp "$DIR/before" "$SESSION.v1.bak"
	is first cat "$MNT/HEAD/label"
	context_is . "[User]: one" "[Assistant]: two"
	unmount
	daemon_is_gone
	mount_session
	grep -qx "dialect: $FORMAT" "$MNT/info"
	ls -U "$MNT/by-id" | head -n 3 | diff "$DIR/ids" -
	rm "$SESSION.v1.bak"
}

@test "a linear log is Pi's but by -o dialect, and the first write migrates it" {
	in_formats "$DRAFTS" migrates
}

mends() {
	local line
	write_example
	# In the index draft the bad line has position 6.
	line=$(user 7 5 "at last")
	printf '{bad\n%s' "${line:0:40}" >>"$SESSION"
	mount_session
	head_is "$(at 5)"
	has_context_of_5 .
	grep -q "^bad-lines: 1 " "$MNT/info"
	grep -q "^torn-last-line: 1 " "$MNT/info"
	remember
	echo x >"$MNT/$(at 3)/label"
	is x cat "$MNT/$(at 3)/label"
	is "${line:0:40}" sh -c 'tail -n 2 "$1" | head -n 1' - "$SESSION"
	cat "$DIR/before" >"$SESSION"
	printf '%s' "${line:40}" >>"$SESSION"
	is_draft || go_head 7
	head_is "$(at 7)"
	is "[User]: at last" tail -n 1 "$MNT/context.txt"
	# That line is whole without its newline, which a write supplies.
	echo x >"$MNT/$(at 3)/label"
	is "at last" cat "$MNT/$(at 7)/content"
	is "$line" sh -c 'tail -n 2 "$1" | head -n 1' - "$SESSION"
}

@test "a bad line is passed over, a torn one stays alone until it is whole" {
	in_formats "$ALL" mends
}

begins() {
	: >"$SESSION"
	mount_session -o "dialect=$FORMAT"
	head_is tree
	is '[]' cat "$MNT/context.json"
	write_format "$(user 1 0 question)"
	head_is "$(at 1)"
	context_is . "[User]: question"
}

@test "an empty file is a session that has not begun" {
	in_formats "$ALL" begins
}

refuses_writes() {
	write_example
	remember
	mount_session -o ro
	find "$MNT" -type f -exec cat {} + >/dev/null
	cat "$MNT/HEAD/branch.jsonl" "$MNT/HEAD/raw.json" >/dev/null
	fails_with "Read-only file system" ln -sfn "$(at 3)" "$MNT/HEAD"
	fails_with "Read-only file system" bash -c "echo x >'$MNT/HEAD/label'"
	cmp "$DIR/before" "$SESSION"
	unmount
	daemon_is_gone
	# The owner never comes to an end below a cycle.
	write_format "$(user 1 0 good)" "$(user 2 3 a)" "$(user 3 2 b)"
	if is_draft; then user 4 1 last >>"$SESSION"; fi
	remember
	mount_session
	fails_with "Too many levels" ln -sfn "$(at 2)" "$MNT/HEAD"
	fails_with "Too many levels" ln -sfn "$(at 3)" "$MNT/HEAD"
	grep -q "^cycles: 1 " "$MNT/info"
	cmp "$DIR/before" "$SESSION"
	is_draft || sidecar_has 1
}

@test "-o ro writes nothing, and HEAD goes to no entry below a cycle" {
	in_formats "$ALL" refuses_writes
}

refuses_without_header() {
	write_lines "$(user 1 9 one)" "$(user 2 1 two)"
	remember
	mount_session -o "dialect=$FORMAT"
	grep -q "^not-opened: no header$" "$MNT/info"
	fails_for_root_with "Read-only file system" ln -sfn by-id/1 "$MNT/HEAD"
	fails_for_root_with "Read-only file system" bash -c "echo x >'$MNT/HEAD/label'"
	cmp "$DIR/before" "$SESSION"
}

@test "a draft without a header is shown, and not written" {
	in_formats "$DRAFTS" refuses_without_header
}

@test "draft-index: heads with names are links under branches, and HEAD goes there" {
	mount_fixture draft003-index.jsonl
	names_are "$MNT/branches" "4 8 11 main b"
	ln -sfn branches/b "$MNT/HEAD"
	head_is by-id/11
	context_is . "[User]: Build it" "[Assistant]: Built" "[Summary]: Path A was a dead end" "[User]: Path B"
	# The move goes by the last head's name, which was main.
	is ../by-id/11 readlink "$MNT/branches/main"
	printf '{"type":"head","parent":4,"name":"%s"}\n' gr\\u00f6\\u00dfe a/b .. >>"$SESSION"
	head_is by-id/4
	is ../by-id/4 readlink "$MNT/branches/größe"
	is ../by-id/4 readlink "$MNT/branches/a%2Fb"
	is ../by-id/4 readlink "$MNT/branches/%2E."
	ln -sfn by-id/8 "$MNT/HEAD"
	is '{"type":"head","parent":8,"name":".."}' tail -n 1 "$SESSION"
}

@test "go-tree: the sidecar is replaced, made where there is none, and no wider" {
	in_format go-tree
	write_example
	rm "$SIDECAR"
	chmod 600 "$SESSION"
	mount_session
	head_is tree
	is '[]' cat "$MNT/context.json"
	run -1 grep "^sidecar:" "$MNT/info"
	echo x >"$MNT/$(at 3)/label"
	[ ! -e "$SIDECAR" ]
	# What a crash has left is no obstacle.
	printf '{"hea' >"$SIDECAR.tmp"
	ln -sfn "$(at 3)" "$MNT/HEAD"
	sidecar_has 3
	is 600 stat -c %a "$SIDECAR"
	ln "$SIDECAR" "$DIR/link"
	ln -sfn "$(at 5)" "$MNT/HEAD"
	sidecar_has 5
	grep -q "${ID[3]}" "$DIR/link"
	rm "$DIR/link" "$SIDECAR.tmp"
	is "mnt session.head.json session.jsonl" sh -c 'cd "$1" && LC_ALL=C echo *' - "$DIR"
}

@test "go-tree: what the sidecar says shows at once, and in info what is wrong with it" {
	in_format go-tree
	write_example
	mount_session
	has_context_of_5 .
	# In place, and of the same size.
	printf '{"head":"%s"}' "${ID[3]}" >"$SIDECAR"
	head_is "$(at 3)"
	has_context_of_3 .
	printf '{"head":' >"$SIDECAR"
	head_is tree
	grep -qx "sidecar: damaged and ignored" "$MNT/info"
	printf '{"head":"nobody"}' >"$SIDECAR"
	head_is tree
	grep -qx "sidecar: its head is not an entry" "$MNT/info"
	go_head 2
	head_is "$(at 2)"
	run -1 grep "^sidecar:" "$MNT/info"
	rm "$SIDECAR"
	head_is tree
}

@test "go-tree: HEAD goes to no entry whose ancestors are missing" {
	in_format go-tree
	write_format "$(user 1 0 one)" "$(user 2 9 orphan)" "$(user 3 2 below)"
	mount_session
	context_is "$(at 3)" "[User]: orphan" "[User]: below"
	fails_with "Invalid argument" ln -sfn "$(at 2)" "$MNT/HEAD"
	fails_with "Invalid argument" ln -sfn "$(at 3)" "$MNT/HEAD"
	sidecar_has 1
	head_is "$(at 1)"
}

@test "go-tree: labels and moves from two mounts, and the owner's lines: none is lost" {
	needs python3
	in_format go-tree
	write_example
	mount_session
	local i
	write_from_two_mounts "$(at 1)" "$(at 2)" "$(at 3)" "$(at 4)" "$(at 5)" < <(
		for i in {10..29}; do printf '%s\n' "$(go_user "$i" 3 "outside $i")"; done
	)
	python3 - "$SESSION" "$SIDECAR" <<-'PY'
	import json, sys
	lines = [json.loads(l) for l in open(sys.argv[1])]
	ids = [l["id"] for l in lines]
	assert len(ids) == len(set(ids))
	assert sum("outside" in json.dumps(l) for l in lines) == 20
	# Besides those that were set there are those that were cleared.
	labels = {l["payload"].get("label") for l in lines if l["kind"] == "custom.label"}
	labels -= {None, ""}
	assert labels == {f"{m} {i}" for m in ("mnt", "second") for i in range(1, 21)}, labels
	assert json.load(open(sys.argv[2]))["head"] in ids
	PY
	grep -qx "entries: $(wc -l <"$SESSION")" "$MNT/info"
}
