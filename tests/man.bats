# The man pages are the contract: the mount has exactly what they name.
# tests/page.py reads them.
load lib/mount
load lib/run
load lib/pi
load lib/claude
load lib/go_tree
load lib/codex

setup() {
	PAGES=$ROOT/mount/share/man
	make_folder
}

# Print a list from the pages: see tests/page.py.
page() {
	needs python3
	python3 "$ROOT/tests/page.py" "$PAGES" "$@"
}

# Fails if the first file has lines that the second has not, with a message for
# each.
only_in_first() {
	local only
	only=$(comm -23 <(sort -u "$1") <(sort -u "$2"))
	[ -z "$only" ] || {
		printf "$3\n" $only
		return 1
	}
}

@test "the pages are well-formed" {
	needs mandoc
	run mandoc -Tlint -Wwarning "$PAGES"/*
	[ -z "$output" ]
}

# The version of an agent that real sessions are compared with.
pinned() {
	local file=$ROOT/tests/interop/$1/package.json
	[ "$1" != omp ] || file=$ROOT/tests/interop/omp/setup
	sed -nE "s|.*$2(@\|\": \"(npm:$2@)?)([0-9.]+).*|\\3|p" "$file" | tail -n 1
}

# The README's table has the same.
@test "the page of formats says against which versions it was judged, and when" {
	local name package agent want section
	for name in "pi @earendil-works/pi-coding-agent Pi" "omp @oh-my-pi/pi-coding-agent oh-my-pi" "claude @anthropic-ai/claude-code Claude Code" "codex @openai/codex Codex"; do
		read -r name package agent <<<"$name"
		want=$(pinned "$name" "$package")
		[[ $want =~ ^[0-9]+\.[0-9]+\.[0-9]+$ ]]
		echo "$agent $want"
		section=$(sed -n "/^\.Sh ${agent^^}\$/,/^\.Sh/p" "$PAGES/sessfs-formats.5")
		grep -qxE "Judged against $agent ${want//./\\.}, 20[0-9]{2}-[01][0-9]-[0-3][0-9]\." <<<"$section"
		grep -qF "| $agent ($want)" "$ROOT/README.md"
	done
}

# Sessions of all dialects, one with a picture, one beside a folder of its name,
# and files with every fault.
make_sessions() {
	mkdir "$DIR/all" "$DIR/all/below" "$DIR/all/pi-v3-branches"
	cp "$FIXTURES"/*.jsonl "$FIXTURES"/*.head.json "$DIR/all"
	chmod 644 "$DIR/all"/*
	chmod 755 "$DIR/all"/*/
	local SESSION=$DIR/all/below/wrong.jsonl
	write_session '{"type":"session","version":3,"id":"again"}' \
		"$(message 00000001 "" '{"role":"user","content":[{"type":"image","data":"AAEC","mimeType":"image/png"}]}')" \
		"$(user 00000001 nowhere one)" "$(user 00000002 00000003 two)" \
		"$(user 00000003 00000002 three)" '{"type":"message"}' 'no JSON' \
		"$(message 00000004 "" '{"role":"user","content":[{"type":"image","data":"AAEC","mimeType":"image/png"}]}')"
	printf '{"torn":' >>"$SESSION"
	SESSION=$DIR/all/below/late.jsonl
	write_lines "$(user 00000001 "" one)" "$(head -n 1 "$DIR/all/below/wrong.jsonl")"
	local large
	printf -v large '%*s' 1200000 x
	SESSION=$DIR/all/below/large.jsonl
	write_session "$(user 00000001 "" "$large")"
	SESSION=$DIR/all/below/none.jsonl
	write_lines "$(user 00000001 "" one)"
	SESSION=$DIR/all/below/claude.jsonl
	write_lines "$(claude_user 1 "" one)" "$(claude_answer 2 1 two)"
	echo junk >"$DIR/all/below/claude.sessfs.json"
	SESSION=$DIR/all/below/agents.jsonl
	write_agents
	write_threads
	SESSION=$DIR/all/below/child.jsonl
	write_lines "$(head -n 1 "$DIR/all/below/wrong.jsonl" | sed 's/"cwd"/"parentSession":"x","cwd"/')" \
		'{"type":"session_info","id":"00000001","parentId":null,"name":"named"}' \
		"$(message 00000002 00000001 '{"role":"assistant","content":[],"usage":{"input":1,"cost":{"total":0.5}},"diagnostics":[{"type":"openai_input_transformations","details":{"transformations":[{"type":"reasoning","action":"removed"}]}}]}')" \
		"$(message 00000003 00000002 '{"role":"toolResult","toolName":"read","content":[],"isError":false,"details":{"imageUnsupportedByModel":"acme-1"}}')"
	SESSION=$DIR/all/below/go.jsonl
	write_go_tree 2 "$(go_user 1 "" one)" \
		"$(go_entry 2 1 compaction '{"summary":"s","tokensBefore":9,"tokensAfter":3}')"
}

# A thread with a line of a newer version, a fork of it, and one whose base is missing.
write_threads() {
	local CODEX_HOME=$DIR/all/codex
	mkdir -p "$CODEX_HOME/sessions/2026/03/01" "$CODEX_HOME/thread-writer-locks"
	session_meta 1 >"$(rollout_path 1)"
	said msg_1 user one 1 >>"$(rollout_path 1)"
	line response_item '{"type":"message","role":"user","content":[],"phase":"new"}' 2 >>"$(rollout_path 1)"
	session_meta 2 "$(based_on 1 3 "$(stat -c %s "$(rollout_path 1)")")" >"$(rollout_path 2)"
	session_meta 3 "$(based_on 9 1 100)" >"$(rollout_path 3)"
	LOCK=$CODEX_HOME/thread-writer-locks/$(rollout_id 1).lock
	: >"$LOCK"
}

# A session with an entry that started two subagents.
write_agents() {
	local n
	mkdir -p "${SESSION%.jsonl}/subagents"
	write_lines "$(claude_user 1 "" one)" "$(claude_answer 2 1 two)"
	for n in 3 4; do
		write_lines "$(cat "$SESSION")" \
			"$(claude_result "$n" 2 "t$n" seen | sed "s/,\"uuid\"/,\"toolUseResult\":{\"agentId\":\"a$n\"}&/")"
		sidechain claude_user 1 "" one >"${SESSION%.jsonl}/subagents/agent-a$n.jsonl"
	done
}

@test "every rule of the contract has a test that names it" {
	page rules >"$DIR/rules"
	[ "$(wc -l <"$DIR/rules")" -ge 40 ]
	sort -o "$DIR/rules" "$DIR/rules"
	sort -cu "$DIR/rules"
	grep -hE '^(# |[[:space:]]*[/ ]\* |)Rules: ' "$ROOT"/tests/*.bats "$ROOT"/tests/unit/*.c \
		"$ROOT"/tests/{corpus/*/*/in,commands/*}.md |
		sed 's/.*Rules: //; s/ \*\/$//' | tr ' ' '\n' >"$DIR/cited"
	only_in_first "$DIR/rules" "$DIR/cited" "no test names rule %s"
	only_in_first "$DIR/cited" "$DIR/rules" "a test names %s, which is no rule"
}

# bats test_tags=full
@test "every file of mounts of all dialects is in the pages, and each in the pages is there" {
	needs_mounts
	make_sessions
	start "$SESSFS" "$DIR/all" "$MNT"
	page files "$MNT"
}

@test "every name in fs/tree/node_kinds.c is in the page" {
	sed -n 's/.*\[KIND_.*\] = { "\([^"]*\)",.*/\1/p; s/^#define FILE_NAME_[A-Z_]* "\(.*\)"$/\1/p' \
		"$ROOT/fs/tree/node_kinds.c" "$ROOT/core/session/file_name.h" | sort -u >"$DIR/kinds"
	[ "$(wc -l <"$DIR/kinds")" -ge 15 ]
	sed -n 's/^\.It Pa //p' "$PAGES"/* | tr -d '/' | sed 's/ Ns.*//; s/ , /\n/g' >"$DIR/documented"
	only_in_first "$DIR/kinds" "$DIR/documented" "%s is not in the page"
}

# bats test_tags=full
@test "every line of info and meta, and every dialect, is in the page, and the reverse" {
	needs_mounts
	make_sessions
	start "$SESSFS" "$DIR/all" "$MNT"
	fails_with "Invalid argument" bash -c "echo '{}' >'$MNT/pi-v3-branches/append'"
	hold_lock "$LOCK"
	find "$MNT" -path '*/by-id/*/meta' -exec cat {} + | cut -d: -f1 >"$DIR/meta"
	find "$MNT" -name info -exec cat {} + >"$DIR/infos"
	release_lock
	cut -d: -f1 "$DIR/infos" >"$DIR/info"
	sed -n 's/.*\[PROBLEM_.*\] = { "\([a-z-]*\)",.*/\1/p' "$ROOT/core/session/problems.c" >>"$DIR/info"
	page keys "AN ENTRY'S FOLDER" >"$DIR/meta-said"
	page keys "THE ROOT" >"$DIR/info-said"
	only_in_first "$DIR/meta" "$DIR/meta-said" "meta has %s, the page does not"
	only_in_first "$DIR/meta-said" "$DIR/meta" "the page has %s, no meta does"
	only_in_first "$DIR/info" "$DIR/info-said" "info has %s, the page does not"
	only_in_first "$DIR/info-said" "$DIR/info" "the page has %s, no info does"
	# The same dialects as -o dialect accepts.
	sed -n 's/^\.It Cm \([a-z-]*\) Ta .*/\1/p' "$PAGES/sessfs-formats.5" >"$DIR/dialects-said"
	run "$SESSFS" -o dialect=none "$DIR/all" "$MNT"
	sed 's/.*; known: //; s/, /\n/g' <<<"$output" >"$DIR/dialects"
	[ "$(wc -l <"$DIR/dialects")" -ge 8 ]
	only_in_first "$DIR/dialects" "$DIR/dialects-said" "%s is not in the page"
	only_in_first "$DIR/dialects-said" "$DIR/dialects" "%s is only in the page"
}

# The options of a section, as they are given: "-d", "-o ro", "--help".
said_options() {
	page options "$1" | sed 's/^Fl //; s/ , Fl /\n/g' | sed 's/ Cm / /; s/ Ns = Ns Ar [a-z]*/=/; s/^/-/; s/^\(--.*\) Ar.*/\1/; s/ Ar / /'
}

# Fails unless the option is accepted.
is_taken() {
	case $1 in
	-h | --help | -V | --version) "$SESSFS" "$1" >/dev/null ;;
	-d | -f)
		"$SESSFS" "$1" "$SESSION" "$MNT" >/dev/null 2>&1 &
		wait_for_mount
		unmount
		wait $!
		;;
	"-o allow_other")
		# fuse.conf says whether users may.
		if [ "$(id -u)" -eq 0 ] || grep -qsx user_allow_other /etc/fuse.conf; then
			start "$SESSFS" -o allow_other "$SESSION" "$MNT"
			unmount
		else
			fails_with "only allowed if 'user_allow_other' is set" \
				"$SESSFS" -o allow_other "$SESSION" "$MNT"
		fi
		;;
	-s | "-o "*)
		local option=$1
		case $1 in
		*"dialect=") option+=pi ;;
		*=) option+=40 ;;
		*" option") option="-o noatime" ;;
		esac
		# shellcheck disable=SC2086 # two words
		start "$SESSFS" $option "$SESSION" "$MNT"
		unmount
		;;
	*)
		run "$SESSFS" "$@"
		[[ $output != *"unknown option"* ]]
		;;
	esac
	daemon_is_gone
}

@test "every option of the page is accepted, and those of --help are in the page" {
	needs python3
	needs_mounts
	cp "$FIXTURES/pi-v3-branches.jsonl" "$SESSION"
	said_options DESCRIPTION >"$DIR/said"
	[ "$(wc -l <"$DIR/said")" -ge 14 ]
	local option
	while IFS= read -r option; do
		echo "is $option taken?"
		is_taken "$option" </dev/null
	done <"$DIR/said"
	"$SESSFS" --help | grep '^  -' | sed 's/^  //; s/  .*//; s/, /\n/g' |
		sed 's/=.*/=/; s/OPTION\[.*/option/; s/^\(--*[a-z-]*\) [A-Z].*/\1/' | tr ' ' '~' >"$DIR/help"
	[ "$(wc -l <"$DIR/help")" -ge 9 ]
	only_in_first "$DIR/help" <(cat "$DIR/said" | tr ' ' '~') "%s is not in the page"
}

@test "each command has a page, with the options that it takes and no others" {
	needs python3
	local name
	sed -n 's/^\t&command_\(.*\),$/\1/p' "$ROOT/mount/commands/table.c" | tr _ - | sort >"$DIR/commands"
	[ "$(wc -l <"$DIR/commands")" -ge 17 ]
	while read -r name; do
		"$SESSFS" "$name" -h | page command "$name"
		grep -qx "\.It Xr sessfs-$name 1" "$PAGES/sessfs.1"
	done <"$DIR/commands"
	(cd "$PAGES" && printf '%s\n' sessfs-*.1) | sed 's/sessfs-\(.*\)\.1/\1/' | sort | diff "$DIR/commands" -
}

@test "every operation is refused with the errno that the page has" {
	needs_mounts
	mount_fixture pi-v3-branches.jsonl
	page refused "$MNT"
	unmount
	daemon_is_gone
	cmp "$FIXTURES/pi-v3-branches.jsonl" "$SESSION"
	mount_session -o ro
	page refused "$MNT" >"$DIR/refused" || :
	is 15 grep -c 'EROFS is not in the page' "$DIR/refused"
	run -1 grep -v 'EROFS is not in the page\|: never ' "$DIR/refused"
}

# Only root does not get EACCES.
# bats test_tags=root
@test "another user may do no more, and neither may the session's owner" {
	needs_root
	mount_fixture pi-v3-branches.jsonl -o allow_other
	chown nobody "$SESSION"
	page refused "$MNT" "$(id -u nobody)"
	page refused "$MNT" 12345
	cmp "$FIXTURES/pi-v3-branches.jsonl" "$SESSION"
}

# bats test_tags=full
@test "every errno of the page is in a test" {
	local line text
	page errors >"$DIR/errors"
	[ "$(wc -l <"$DIR/errors")" -ge 14 ]
	python3 -c 'import errno, os, sys
for name in sys.stdin.read().split():
    print(name, os.strerror(getattr(errno, name)), sep="\n")' <"$DIR/errors" >"$DIR/words"
	grep -rhowFf "$DIR/words" "$ROOT/tests" --include='*.bats' --include='*.c' --include='*.py' --include='*.md' | sort -u >"$DIR/tested"
	while IFS= read -r line; do
		IFS= read -r text
		grep -qxF -e "$line" -e "$text" "$DIR/tested" || {
			echo "no test for $line, $text"
			return 1
		}
	done <"$DIR/words"
}

@test "the environment that is read is in the page, and no other" {
	grep -rhoE '(getenv|home_variable|home_add_variable|home_add_plain_variable|pathname_add_xdg)\((&?[a-z]+, )?"[A-Z_]+"' "$ROOT/core" "$ROOT/fs" "$ROOT/mount" --include='*.c' |
		sed 's/.*"\(.*\)"/\1/' | sort -u >"$DIR/read"
	[ "$(wc -l <"$DIR/read")" -ge 7 ]
	page environment >"$DIR/said"
	only_in_first "$DIR/read" "$DIR/said" "%s is not in the page"
	only_in_first "$DIR/said" "$DIR/read" "%s is only in the page"
}

# bats test_tags=full
@test "files created beside a session are in the page, and those of the page are created" {
	needs_mounts
	local fixture made=$DIR/made
	for fixture in pi-v1-linear claude-basic go-tree; do
		mount_fixture $fixture.jsonl
		ls -A "$DIR" >"$DIR/before"
		ln -sfn "branches/$(ls "$MNT/branches" | head -n 1)/parent" "$MNT/HEAD"
		ls -A "$DIR" >>"$made"
		unmount
		daemon_is_gone
	done
	grep -qx 'session\.jsonl\.v1\.bak' "$made"
	grep -qx 'session\.sessfs\.json' "$made"
	grep -qx 'session\.head\.json' "$made"
	is "session.head.json
session.jsonl
session.jsonl.v1.bak
session.sessfs.json" bash -c "LC_ALL=C sort -u '$made' | grep ^session"
	# These exist only for a moment.
	grep -q '"\.%s\.lock"' "$ROOT/core/dialects/omp/lock.c"
	grep -q '"%s\.sessfs-%02x%02x%02x"' "$ROOT/core/file/newfile.c"
	is "*.sessfs-XXXXXX
.SOURCE.lock
NAME.head.json
NAME.sessfs.json
SOURCE.v1.bak" bash -c "sed -n '/^\.Sh FILES/,/^\.El/s/^\.It Pa //p' '$PAGES/sessfs.1' | LC_ALL=C sort"
}
