# Sessions of the Go package tree, and the sidecar that has its head.
. "$ROOT/tests/lib/session.bash"

# Write a Go tree: number of the head ("" for no sidecar), lines.
write_go_tree() {
	local head=$1
	shift
	write_lines "$@"
	[ -z "$head" ] || go_head "$head"
}

# Move the head to the entry with this number, as the package does.
go_head() {
	printf '{"head":"%s"}' "$(ulid "$1")" >"$DIR/session.head.json.tmp"
	mv "$DIR/session.head.json.tmp" "$DIR/session.head.json"
}

ulid() {
	printf '01HZZZZZZZ%016d' "$1"
}

# An entry of a Go tree: number, number of the parent ("" for none), kind,
# payload.
go_entry() {
	local parent=
	[ -z "$2" ] || printf -v parent '"parentId":"01HZZZZZZZ%016d",' "$2"
	printf '{"id":"01HZZZZZZZ%016d",%s"kind":"%s","ts":"2026-05-01T00:00:%02d.5Z","payload":%s}' "$1" "$parent" "$3" "$1" "$4"
}

# A user's turn in a Go tree: number, number of the parent, text.
go_user() {
	go_entry "$1" "$2" turn.user "{\"text\":\"$3\"}"
}
