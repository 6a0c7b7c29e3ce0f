# The two drafts and the Go tree through a mount: what the owner of a session writes beside
# sessfs. What is read and written is in corpus/ and unit/, append in
# commands/append.md.
load lib/mount
load lib/run
load lib/drafts
load lib/go_tree

DRAFTS="draft-uuid draft-index"
ALL="$DRAFTS go-tree"

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
