# as/pi.jsonl and as/omp.jsonl: sessions of Pi and oh-my-pi, made of other agents' contexts.
load lib/mount
load lib/run
load lib/pi

# The words of a context.txt, without who says them: agents name that in their own ways.
words_of() {
	sed -E 's/^\[[A-Z][A-Za-z ]*\]: //; /^$/d' "$1"
}

# Mount a form of the session, in place of the current one.
mount_form() {
	cat "$MNT/as/$1" >"$DIR/form.jsonl"
	cat "$MNT/context.txt" >"$DIR/said.txt"
	unmount
	daemon_is_gone
	SESSION=$DIR/form.jsonl
	mount_session
}

# Fails unless a form of a fixture is a session of that agent in which the same was said;
# what was thought, which a context.txt leaves out, is said as well.
goes_on_in() {
	echo "$1 in $2"
	mount_fixture "$1.jsonl"
	mount_form "$2.jsonl"
	grep -qx "dialect: $2" "$MNT/info"
	"$SESSFS" check "$SESSION"
	words_of "$DIR/said.txt" >"$DIR/before"
	words_of "$MNT/context.txt" >"$DIR/after"
	not grep '^<' <(diff "$DIR/before" "$DIR/after")
	unmount
	daemon_is_gone
	SESSION=$DIR/session.jsonl
	rm -f "$DIR"/*.jsonl
}

@test "as/pi.jsonl and as/omp.jsonl are sessions of these agents, and say the same" {
	local fixture
	for fixture in claude-basic claude-compact codex-legacy pi-harness-leaf draft000-uuid; do
		goes_on_in "$fixture" pi
		goes_on_in "$fixture" omp
	done
	goes_on_in omp-v3-compaction pi
	goes_on_in pi-v3-compaction omp
}

@test "what is appended to such a session goes on there" {
	mount_fixture claude-basic.jsonl
	mount_form pi.jsonl
	local head
	head=$(readlink "$MNT/HEAD")
	echo '{"role":"user","content":"and now in Pi"}' >"$MNT/append"
	is "../${head#by-id/}" readlink "$MNT/HEAD/parent"
	tail -n 1 "$MNT/context.txt" | grep -qx '\[User\]: and now in Pi'
}
