# The two drafts and the Go tree through a mount: what a user sees, and what is written.
# The rules of reading are cases of corpus/, and append is in mounts/test_append_formats.c.
load lib/mount
load lib/run
load lib/drafts
load lib/go_tree

DRAFTS="draft-uuid draft-index"
ALL="$DRAFTS go-tree"
UUID='"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"'
TIME='"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]{12}Z"'

# Begin with a format. ${ID[N]} is the id of entry N, ${AT[N]} its folder; 0 is the header.
in_format() {
	FORMAT=$1
	echo "in $FORMAT:"
	case $FORMAT in
	draft-uuid) ID=(s1 m1 m2 m3 m4 m5 m6 m7) ;;
	draft-index) ID=(0 1 2 3 4 5 6 7) ;;
	go-tree) ID=("" 01HZZZZZZZ000000000000000{1..7}) ;;
	esac
	AT=("${ID[@]/#/by-id/}")
	SESSION=$DIR/session.jsonl
	SIDECAR=$DIR/session.head.json
}

# in_formats FORMATS COMMAND: run the command in each of them, in a folder of its own.
in_formats() {
	local format top=$DIR
	for format in $1; do
		in_format "$format"
		MNT=$top/$format/mnt
		SESSION=$top/$format/session.jsonl
		SIDECAR=$top/$format/session.head.json
		mkdir -p "$MNT"
		$2
	done
}

is_draft() {
	[ "$FORMAT" != go-tree ]
}

# Print a user message: its number, its parent's, text.
user() {
	case $FORMAT in
	draft-uuid) uuid_user "${ID[$1]}" "${ID[$2]-nowhere}" "$3" ;;
	draft-index) index_user "${ID[$2]-99}" "$3" ;;
	go-tree) go_user "$1" "${2#0}" "$3" ;;
	esac
	echo
}

# Print the start of a session: the drafts' header. In a Go tree the head is at entry 1.
begin() {
	case $FORMAT in
	draft-uuid) echo '{"type":"session","version":2,"uuid":"s1","parentUuid":null,"id":"abc","cwd":"/work/demo"}' ;;
	draft-index) echo '{"type":"session","id":"abc","parent":-1,"cwd":"/work/demo"}' ;;
	go-tree) head_at 1 ;;
	esac
}

# Write the sidecar of a Go tree in place, or as the package does.
head_at() {
	printf '{"head":"%s"}' "${ID[$1]}" >"$SIDECAR"
}

go_head() {
	printf '{"head":"%s"}' "${ID[$1]}" >"$SIDECAR.tmp"
	mv "$SIDECAR.tmp" "$SIDECAR"
}

# The question 1, its answer 2, and 3 below it; the summary 4 below 2, and 5. HEAD is 5.
write_example() {
	{
		begin
		user 1 0 question
		case $FORMAT in
		draft-uuid) echo '{"type":"message","uuid":"m2","parentUuid":"m1","message":{"role":"assistant","content":"answer"}}' ;;
		draft-index) echo '{"type":"message","parent":1,"message":{"role":"assistant","content":"answer"}}' ;;
		go-tree)
			go_entry 2 1 turn.assistant '{"text":"answer"}'
			echo
			;;
		esac
		user 3 2 "this way"
		case $FORMAT in
		draft-uuid) echo '{"type":"branch_summary","uuid":"m4","parentUuid":"m2","summary":"went astray"}' ;;
		draft-index) echo '{"type":"branch_summary","parent":2,"summary":"went astray"}' ;;
		go-tree)
			go_entry 4 2 branch_summary '{"summary":"went astray"}'
			echo
			;;
		esac
		user 5 4 "that way"
	} >"$SESSION"
	is_draft || head_at 5
}

has_context_of_3() {
	context_is "$1" "[User]: question" "[Assistant]: answer" "[User]: this way"
}

has_context_of_5() {
	context_is "$1" "[User]: question" "[Assistant]: answer" "[Summary]: went astray" "[User]: that way"
}

# The names in a folder, in its own order.
names_are() {
	is "${2// /$'\n'}" ls -U "$1"
}

remember() {
	whole BEFORE "$SESSION"
}

# Since remember() the session, or what another file has of it, is the same.
unchanged() {
	local now at=${1:-$SESSION}
	whole now "$at"
	[ "$now" = "$BEFORE" ] || diff <(printf %s "$BEFORE") "$at"
}

# Since remember() one line has come, and it matches.
added() {
	local now
	whole now "$SESSION"
	[[ $now == "$BEFORE"* && ${now#"$BEFORE"} =~ ^$1$'\n'$ && ${now#"$BEFORE"} != *$'\n'*$'\n' ]] || {
		printf 'not %s, but %s\n' "$1" "$now"
		return 1
	}
}

sidecar_has() {
	local got
	whole got "$SIDECAR"
	[ "$got" = "{\"head\":\"${ID[$1]}\"}" ] || {
		echo "the sidecar: $got"
		return 1
	}
}

# Since remember() HEAD was moved to this entry: a line, or a sidecar, says so.
moved_to() {
	case $FORMAT in
	draft-uuid) added '\{"type":"head","uuid":'"$UUID,\"parentUuid\":\"${ID[$1]}\",\"timestamp\":$TIME}" ;;
	draft-index) added '\{"type":"head","parent":'"${ID[$1]}"',"name":"main"}' ;;
	go-tree) unchanged && sidecar_has "$1" ;;
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
	local root=tree lines
	write_example
	mount_session
	if is_draft; then root=tree/${ID[0]}; fi
	has_line "dialect: $FORMAT" "$MNT/info"
	head_is "${AT[5]}"
	has_context_of_5 .
	has_context_of_3 "${AT[3]}"
	is "this way" cat "$MNT/$root/${ID[1]}/${ID[2]}/${ID[3]}/content"
	is "went astray" cat "$MNT/${AT[4]}/content"
	mapfile -t lines <"$SESSION"
	is "${lines[-2]}" cat "$MNT/${AT[4]}/raw.json"
	names_are "$MNT/branches" "${ID[3]} ${ID[5]}"
	is_draft || return 0
	names_are "$MNT/by-id" "${ID[*]:0:6}"
	has_line "session: abc" "$MNT/info"
	has '"cwd": "/work/demo"' "$MNT/${AT[0]}/content"
	fails_with "No such file" stat "$MNT/${AT[0]}/parent"
	context_is "${AT[0]}"
}

@test "a session opens: its tree, its contexts, what entries say" {
	in_formats "$ALL" opens
}

moves() {
	write_example
	chmod 600 "$SESSION"
	mount_session
	remember
	ln -sfn "${AT[5]}" "$MNT/HEAD"
	unchanged
	ln -sfn "${AT[3]}" "$MNT/HEAD"
	moved_to 3
	head_is "${AT[3]}"
	has_context_of_3 .
	remember
	if is_draft; then
		ln -sfn tree "$MNT/HEAD"
		moved_to 0
		context_is .
		is '[]' cat "$MNT/context.json"
		ln -sfn "${AT[3]}" "$MNT/HEAD"
	else
		fails_with "Operation not supported" ln -sfn tree "$MNT/HEAD"
		moved_to 3
	fi
	unmount
	daemon_is_gone
	mount_session
	head_is "${AT[3]}"
}

@test "HEAD moves by what the format has for it, and stays there" {
	in_formats "$ALL" moves
}

owner_goes_on() {
	local head=
	write_example
	mount_session
	ln -sfn "${AT[3]}" "$MNT/HEAD"
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
		head_is "${AT[3]}"
		[ -d "$MNT/${AT[3]}/${ID[7]}" ]
		go_head 7
	fi
	head_is "${AT[7]}"
	context_is . "[User]: question" "[Assistant]: answer" "[User]: this way" "[User]: and on"
	[ "$FORMAT" != draft-index ] || head=" main"
	names_are "$MNT/branches" "${ID[5]} ${ID[7]}$head"
	has $'and on ← HEAD\n' "$MNT/tree.txt"
}

@test "the owner goes on from where HEAD was moved, and it shows at once" {
	in_formats "$ALL" owner_goes_on
}

labels() {
	write_example
	mount_session
	remember
	echo one >"$MNT/${AT[3]}/label"
	labelled ',"label":"one"'
	is one cat "$MNT/${AT[3]}/label"
	is "../${AT[3]}" readlink "$MNT/by-label/one"
	head_is "${AT[5]}"
	has_context_of_5 .
	echo two >"$MNT/${AT[3]}/label"
	echo four >"$MNT/${AT[4]}/label"
	is two cat "$MNT/${AT[3]}/label"
	remember
	: >"$MNT/${AT[3]}/label"
	# What may be written next is waited for.
	wait_until_not unchanged
	labelled ""
	[ ! -s "$MNT/${AT[3]}/label" ]
	unmount
	daemon_is_gone
	mount_session
	[ ! -s "$MNT/${AT[3]}/label" ]
	names_are "$MNT/by-label" four
	head_is "${AT[5]}"
}

# bats test_tags=full
@test "a label is a line, and so are another one and none" {
	in_formats "$ALL" labels
}

reopens() {
	local info lines
	write_example
	mount_session
	cat "$MNT/${AT[5]}/context.json" >"$DIR/context"
	if ! is_draft; then
		mapfile -t lines <"$SESSION"
		unset 'lines[2]'
		is "$(printf '%s\n' "${lines[@]}")" cat "$MNT/${AT[5]}/branch.jsonl"
	fi
	mount_branch "${ID[5]}"
	has_line "dialect: $FORMAT" "$MNT/info"
	whole info "$MNT/info"
	[[ ! $info =~ (^|$'\n')(bad-lines|missing-parents|not-opened) ]]
	if is_draft; then
		cmp "$DIR/context" "$MNT/context.json"
	else
		cmp "$DIR/context" "$MNT/${AT[5]}/context.json"
	fi
}

@test "branch.jsonl is a session, its context that of the entry" {
	in_formats "$ALL" reopens
}

migrates() {
	local ids
	write_lines '{"type":"session","id":"abc","timestamp":"2026-03-01T10:00:00.000Z","cwd":"/work/demo"}' \
		'{"type":"message","message":{"role":"user","content":"one"}}' \
		'{"type":"message","message":{"role":"assistant","content":"two"}}'
	remember
	mount_session
	has_line "dialect: pi" "$MNT/info"
	unmount
	daemon_is_gone
	mount_session -o "dialect=$FORMAT"
	has_line "dialect: $FORMAT" "$MNT/info"
	context_is . "[User]: one" "[Assistant]: two"
	ls -U "$MNT/by-id" >"$DIR/ids"
	has_lines 3 "$DIR/ids"
	echo first >"$MNT/HEAD/label"
	unchanged "$SESSION.v1.bak"
	is first cat "$MNT/HEAD/label"
	context_is . "[User]: one" "[Assistant]: two"
	unmount
	daemon_is_gone
	mount_session
	has_line "dialect: $FORMAT" "$MNT/info"
	mapfile -t ids < <(ls -U "$MNT/by-id")
	is "$(printf '%s\n' "${ids[@]:0:3}")" cat "$DIR/ids"
	rm "$SESSION.v1.bak"
}

@test "a linear log is Pi's but by -o dialect, and the first write migrates it" {
	in_formats "$DRAFTS" migrates
}

mends() {
	local line lines
	write_example
	# In the index draft the bad line has position 6.
	line=$(user 7 5 "at last")
	printf '{bad\n%s' "${line:0:40}" >>"$SESSION"
	mount_session
	head_is "${AT[5]}"
	has_context_of_5 .
	has $'\nbad-lines: 1 ' "$MNT/info"
	has $'\ntorn-last-line: 1 ' "$MNT/info"
	remember
	echo x >"$MNT/${AT[3]}/label"
	is x cat "$MNT/${AT[3]}/label"
	mapfile -t lines <"$SESSION"
	[ "${lines[-2]}" = "${line:0:40}" ]
	printf %s "$BEFORE" >"$SESSION"
	printf '%s' "${line:40}" >>"$SESSION"
	is_draft || go_head 7
	head_is "${AT[7]}"
	has $'[User]: at last\n' "$MNT/context.txt"
	# That line is whole without its newline, which a write supplies.
	echo x >"$MNT/${AT[3]}/label"
	is "at last" cat "$MNT/${AT[7]}/content"
	mapfile -t lines <"$SESSION"
	[ "${lines[-2]}" = "$line" ]
}

@test "a bad line is passed over, a torn one stays alone until it is whole" {
	in_formats "$ALL" mends
}

begins() {
	: >"$SESSION"
	mount_session -o "dialect=$FORMAT"
	head_is tree
	is '[]' cat "$MNT/context.json"
	{ begin && user 1 0 question; } >"$SESSION"
	head_is "${AT[1]}"
	context_is . "[User]: question"
}

@test "an empty file is a session that has not begun" {
	in_formats "$ALL" begins
}

refuses_writes() {
	write_example
	remember
	mount_session -o ro
	grep -rc . "$MNT" >/dev/null
	cat "$MNT/HEAD/branch.jsonl" "$MNT/HEAD/raw.json" >/dev/null
	fails_with "Read-only file system" ln -sfn "${AT[3]}" "$MNT/HEAD"
	fails_with "Read-only file system" write_label x "$MNT/HEAD"
	unchanged
	unmount
	daemon_is_gone
	# The owner never comes to an end below a cycle.
	{
		begin
		user 1 0 good
		user 2 3 a
		user 3 2 b
	} >"$SESSION"
	if is_draft; then user 4 1 last >>"$SESSION"; fi
	remember
	mount_session
	fails_with "Too many levels" ln -sfn "${AT[2]}" "$MNT/HEAD"
	fails_with "Too many levels" ln -sfn "${AT[3]}" "$MNT/HEAD"
	has $'\ncycles: 1 ' "$MNT/info"
	unchanged
	is_draft || sidecar_has 1
}

@test "-o ro writes nothing, and HEAD goes to no entry below a cycle" {
	in_formats "$ALL" refuses_writes
}

refuses_without_header() {
	{
		user 1 9 one
		user 2 1 two
	} >"$SESSION"
	remember
	mount_session -o "dialect=$FORMAT"
	has_line "not-opened: no header" "$MNT/info"
	fails_for_root_with "Read-only file system" ln -sfn by-id/1 "$MNT/HEAD"
	fails_for_root_with "Read-only file system" write_label x "$MNT/HEAD"
	unchanged
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
	not has $'\nsidecar:' "$MNT/info"
	echo x >"$MNT/${AT[3]}/label"
	[ ! -e "$SIDECAR" ]
	# What a crash has left is no obstacle.
	printf '{"hea' >"$SIDECAR.tmp"
	ln -sfn "${AT[3]}" "$MNT/HEAD"
	sidecar_has 3
	is 600 stat -c %a "$SIDECAR"
	ln "$SIDECAR" "$DIR/link"
	ln -sfn "${AT[5]}" "$MNT/HEAD"
	sidecar_has 5
	has "${ID[3]}" "$DIR/link"
	rm "$DIR/link" "$SIDECAR.tmp"
	is $'mnt\nsession.head.json\nsession.jsonl' ls "$DIR"
}

@test "go-tree: what the sidecar says shows at once, and in info what is wrong with it" {
	in_format go-tree
	write_example
	mount_session
	has_context_of_5 .
	# In place, and of the same size.
	printf '{"head":"%s"}' "${ID[3]}" >"$SIDECAR"
	head_is "${AT[3]}"
	has_context_of_3 .
	printf '{"head":' >"$SIDECAR"
	head_is tree
	has_line "sidecar: damaged and ignored" "$MNT/info"
	printf '{"head":"nobody"}' >"$SIDECAR"
	head_is tree
	has_line "sidecar: its head is not an entry" "$MNT/info"
	go_head 2
	head_is "${AT[2]}"
	not has $'\nsidecar:' "$MNT/info"
	rm "$SIDECAR"
	head_is tree
}

@test "go-tree: HEAD goes to no entry whose ancestors are missing" {
	in_format go-tree
	{
		begin
		user 1 0 one
		user 2 9 orphan
		user 3 2 below
	} >"$SESSION"
	mount_session
	context_is "${AT[3]}" "[User]: orphan" "[User]: below"
	fails_with "Invalid argument" ln -sfn "${AT[2]}" "$MNT/HEAD"
	fails_with "Invalid argument" ln -sfn "${AT[3]}" "$MNT/HEAD"
	sidecar_has 1
	head_is "${AT[1]}"
}

# bats test_tags=full
@test "go-tree: labels and moves from two mounts, and the owner's lines: none is lost" {
	needs python3
	in_format go-tree
	write_example
	mount_session
	local i
	write_from_two_mounts "${AT[1]}" "${AT[2]}" "${AT[3]}" "${AT[4]}" "${AT[5]}" < <(
		for i in {10..29}; do go_user "$i" 3 "outside $i"; echo; done
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
	mapfile -t lines <"$SESSION"
	has_line "entries: ${#lines[@]}" "$MNT/info"
}
