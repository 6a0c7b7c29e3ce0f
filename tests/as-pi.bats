# as/pi.jsonl and as/omp.jsonl: sessions of Pi and oh-my-pi, made of other agents' contexts.
load lib/mount
load lib/run
load lib/pi

# Fails unless each form of a session says what the session says: NAME FORM... The form may
# say more: what was thought, which a context.txt leaves out. Agents name who speaks in
# their own ways.
says_the_same() {
	needs python3
	python3 - "$DIR" "$MNT" "$@" <<-'PY'
	import re, sys
	said, mount, *forms = sys.argv[1:]
	def words(path):
	    with open(path, encoding="utf-8") as f:
	        return [re.sub(r"^\[[A-Z][A-Za-z ]*\]: ", "", line) for line in f if line != "\n"]
	for form in forms:
	    left = iter(words(f"{mount}/{form}/context.txt"))
	    for line in words(f"{said}/{form.split('@')[0]}.said"):
	        assert line in left, (form, line)
	PY
}

# Mount a form of the session, in place of the current one.
mount_form() {
	cp "$MNT/as/$1" "$DIR/form.jsonl"
	unmount
	daemon_is_gone
	# shellcheck disable=SC2034 # mount_session reads it
	SESSION=$DIR/form.jsonl
	mount_session
}

@test "as/pi.jsonl and as/omp.jsonl are sessions of these agents, and say the same" {
	local name forms=()
	mkdir "$DIR/all" "$DIR/forms"
	cp "$FIXTURES"/*.jsonl "$DIR/all"
	"$SESSFS" "$DIR/all" "$MNT"
	for name in {claude-basic,claude-compact,codex-legacy,pi-harness-leaf,draft000-uuid}@{pi,omp} omp-v3-compaction@pi pi-v3-compaction@omp; do
		forms+=("$name")
		cat "$MNT/${name%@*}/as/${name#*@}.jsonl" >"$DIR/forms/$name.jsonl"
		cat "$MNT/${name%@*}/context.txt" >"$DIR/${name%@*}.said"
	done
	unmount
	daemon_is_gone
	"$SESSFS" check "$DIR/forms"/*.jsonl
	"$SESSFS" "$DIR/forms" "$MNT"
	for name in "${forms[@]}"; do
		has_line "dialect: ${name#*@}" "$MNT/$name/info"
	done
	says_the_same "${forms[@]}"
}

@test "what is appended to such a session goes on there" {
	mount_fixture claude-basic.jsonl
	mount_form pi.jsonl
	local head
	head=$(readlink "$MNT/HEAD")
	echo '{"role":"user","content":"and now in Pi"}' >"$MNT/append"
	is "../${head#by-id/}" readlink "$MNT/HEAD/parent"
	is '[User]: and now in Pi' tail -n 1 "$MNT/context.txt"
}
