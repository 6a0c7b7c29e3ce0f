# as/: the context in other forms, in the root and in every entry's folder.
load lib/mount
load lib/run
load lib/pi

APIS="anthropic.json openai.json responses.json"
AGENTS="claude.jsonl codex.jsonl omp.jsonl pi.jsonl"

# Fails unless the files of as/ in these folders are all there, sizes are exact before the
# first read, and their lines are JSON.
forms_are_whole() {
	needs python3
	python3 - "$MNT" "$APIS $AGENTS" "$@" <<-'PY'
	import json, os, sys
	for folder in sys.argv[3:]:
	    at = os.path.join(sys.argv[1], folder, "as")
	    assert sorted(os.listdir(at)) == sorted(sys.argv[2].split()), (at, os.listdir(at))
	    for name in os.listdir(at):
	        path = os.path.join(at, name)
	        size = os.stat(path).st_size
	        with open(path, "rb") as f:
	            data = f.read()
	        assert size == len(data), (path, size, len(data))
	        if name.endswith(".json"):
	            assert isinstance(json.loads(data), list), path
	        else:
	            assert all(isinstance(json.loads(line), dict) for line in data.splitlines()), path
	PY
}

# What people and models said in as/anthropic.json of each folder, joined by spaces.
said_in() {
	needs jq
	local files=("${@/#/$MNT/}")
	jq -r '[.[].content[] | .text // empty] | join(" ")' "${files[@]/%//as/anthropic.json}"
}

# all_fail N MESSAGE COMMAND...: the command fails N times with this message, and does nothing.
all_fail() {
	local errors=()
	not "${@:3}" 2>"$DIR/err"
	mapfile -t errors <"$DIR/err"
	is "$(printf "%.0s$2\n" $(seq "$1"))" printf '%s\n' "${errors[@]##*: }"
}

# Rules: X1
@test "as is there when named, with a file for each API and agent, of every format" {
	local session folders=()
	mkdir "$DIR/all"
	cp "$FIXTURES"/*.json* "$DIR/all"
	"$SESSFS" "$DIR/all" "$MNT"
	for session in "$FIXTURES"/*.jsonl; do
		session=${session##*/} session=${session%.jsonl}
		not_listed_in "$session"
		folders+=("$session" "$session/${entries[0]}" "$session/${entries[-1]}" "$session/${roots[0]}")
	done
	forms_are_whole "${folders[@]}"
}

# No listing of the session has as/. Set what is in by-id/ and in tree/.
not_listed_in() {
	local at listed
	ls "$MNT/$1" "$MNT/$1"/by-id/* "$MNT/$1"/tree/* >"$DIR/listed"
	whole listed "$DIR/listed"
	[[ $listed != *$'\nas\n'* ]]
	entries=("$MNT/$1"/by-id/*)
	entries=("${entries[@]#"$MNT/$1/"}")
	roots=("$MNT/$1"/tree/*)
	roots=("${roots[@]#"$MNT/$1/"}")
}

append_to() {
	echo x >>"$1"
}

@test "nothing else is in as, and nothing can be made or written there" {
	mount_fixture pi-v3-branches.jsonl
	local at paths=("$MNT"/{as,HEAD/as,tree/aa000001/as})
	all_fail 9 "No such file or directory" cat "${paths[@]/%//context.json}" "${paths[@]/%//anthropic}" "${paths[@]/%//1.png}"
	for at in "${paths[@]}"; do
		fails_for_root_with "Operation not permitted" mkdir "$at/new"
		fails_with "Operation not permitted" append_to "$at/openai.json"
	done
	fails_for_root_with "Operation not permitted" ln -s by-id/aa000001 "$MNT/HEAD/as/new"
	cmp "$FIXTURES/pi-v3-branches.jsonl" "$SESSION"
	unmount
	daemon_is_gone
	mount_session -o ro
	fails_with "Read-only file system" append_to "$MNT/as/openai.json"
}

@test "a walk reads none of it; each view has a folder of its own, with the same files" {
	mount_fixture pi-v3-branches.jsonl
	[ -z "$(find "$MNT" -name as)" ]
	local at
	for at in . tree/aa000001 by-id/aa000001; do
		cd "$MNT/$at/as"
		cd -P ..
		[ "$PWD" -ef "$MNT/$at" ]
		is "$(realpath "$MNT/$at")" /bin/pwd
	done
	[ "$MNT/by-id/aa000001/as/openai.json" -ef "$MNT/tree/aa000001/as/openai.json" ]
	[ ! "$MNT/by-id/aa000001/as" -ef "$MNT/tree/aa000001/as" ]
	is $'2\n1' stat -c %h "$MNT/by-id/aa000001/as/openai.json" "$MNT/as/openai.json"
}

# Rules: X1 E2
@test "the root has the context at HEAD, an entry its own, on any branch" {
	mount_fixture pi-v3-branches.jsonl
	diff -r "$MNT/as" "$MNT/HEAD/as"
	cmp "$MNT/as/pi.jsonl" "$MNT/HEAD/branch.jsonl"
	cmp "$MNT/by-id/aa000011/as/pi.jsonl" "$MNT/by-id/aa000011/branch.jsonl"
	[[ $(said_in by-id/aa000011 .) == *"B is worse."*$'\n'* ]]
	not grep -q "B is worse" "$MNT/as/anthropic.json"
	ln -sfn by-id/aa000011 "$MNT/HEAD"
	diff -r "$MNT/as" "$MNT/by-id/aa000011/as"
	is $'dr-xr-xr-x\n-rw-r--r--' stat -c %A "$MNT/as" "$MNT/as/openai.json"
	chmod 640 "$SESSION"
	is $'dr-xr-x---\n-rw-r-----' stat -c %A "$MNT/HEAD/as" "$MNT/HEAD/as/openai.json"
}

# Rules: X2
@test "thinking is text; prompts, signatures and what was compacted away are not there" {
	needs jq
	write_session "$(message 00000001 "" '{"role":"user","content":"long ago","timestamp":1}')" \
		'{"type":"system","id":"00000002","parentId":"00000001","timestamp":"2026-03-01T10:00:01.000Z","prompt":"be good"}' \
		'{"type":"compaction","id":"00000003","parentId":"00000002","timestamp":"2026-03-01T10:00:01.000Z","summary":"in short","firstKeptEntryId":"00000003","tokensBefore":9}' \
		"$(user 00000004 00000003 go)" \
		"$(message 00000005 00000004 '{"role":"assistant","content":[{"type":"thinking","thinking":"hm","thinkingSignature":"SIGNED"},{"type":"text","text":"done"}],"timestamp":2}')"
	mount_session
	[[ $(said_in .) == *"in short"*" go hm done" ]]
	not grep -rE 'SIGNED|be good' "$MNT/as" --exclude=pi.jsonl
	# Where it is a title it is nothing that was said.
	not grep -r 'long ago' "$MNT/as" --include='*.json'
	is "long ago" said_in by-id/00000001
}

# Rules: X3
@test "results stand behind their calls, each call has one, and ids are such as all take" {
	needs jq
	local call='{"type":"toolCall","id":"%s","name":"a_tool","arguments":{"k":[1]}}'
	# shellcheck disable=SC2059 # a format
	write_session "$(user 00000001 "" go)" \
		"$(message 00000002 00000001 "{\"role\":\"assistant\",\"content\":[$(printf "$call" call_1),$(printf "$call" "fc|2"),$(printf "$call" call_3)]}")" \
		"$(message 00000003 00000002 '{"role":"toolResult","toolCallId":"fc|2","toolName":"a_tool","content":[{"type":"text","text":"second"}]}')" \
		"$(user 00000004 00000003 meanwhile)" \
		"$(message 00000005 00000004 '{"role":"toolResult","toolCallId":"call_1","toolName":"a_tool","content":[{"type":"text","text":"first"}]}')"
	mount_session
	is $'call_1 call_3\ntrue\n[["a_tool",{"k":[1]}]]\ntrue\n[null,null,true]\nfirst second\ntrue' jq -rc '
		[.[].content[] | select(.type == "tool_use")] as $calls | [.[].content[] | select(.type == "tool_result")] as $results
		| ([$calls[0, 2].id] | join(" ")), ($calls[1].id | test("^[A-Za-z0-9_-]{1,40}$")), ([$calls[] | [.name, .input]] | unique),
		([$calls[].id] == [$results[].tool_use_id]), [$results[].is_error], ([$results[0, 1].content[].text] | join(" ")),
		(.[2].role == "user" and .[2].content[0].type == "tool_result")' "$MNT/as/anthropic.json"
}

# Rules: X5
@test "before the first entry, and in an empty session, there are no messages" {
	mount_fixture pi-v3-branches.jsonl
	ln -sfn tree "$MNT/HEAD"
	is $'[]\n[]\n[]' jq -c . "$MNT"/as/*.json
	forms_are_whole .
	unmount
	daemon_is_gone
	write_session
	mount_session
	forms_are_whole .
	is "[]" jq -c . "$MNT/as/responses.json"
	write_session "$(user 00000001 "" one)"
	is one said_in .
}

@test "appends, another name and another file show at once" {
	needs jq
	write_session "$(user 00000001 "" one)" "$(user 00000002 00000001 two)"
	mount_session
	is $'one two\none' said_in . by-id/00000001
	local i said="one two"
	for i in 3 4 5; do
		append_user "0000000$i" "0000000$((i - 1))" "say $i"
		said+=" say $i"
		is "$said"$'\n'"$said"$'\none' said_in . "by-id/0000000$i" by-id/00000001
	done
	forms_are_whole . by-id/00000001
	# It is the title of sessions for agents.
	for i in first second; do
		echo "the $i name" >"$MNT/name"
		has "the $i name" "$MNT/by-id/00000001/as/claude.jsonl"
		has "the $i name" "$MNT/as/omp.jsonl"
	done
	forms_are_whole . by-id/00000001
	write_session "$(user 00000001 "" other)" "$(user 00000009 00000001 words)"
	is $'other words\nother' said_in . by-id/00000001
}

# Rules: X4
@test "the same entry makes the same session, another entry another one" {
	mount_fixture pi-v3-branches.jsonl
	local form
	cp -r "$MNT/by-id/aa000008/as" "$DIR/before"
	user aa000099 aa000025 more >>"$SESSION"
	unmount
	daemon_is_gone
	mount_session
	for form in claude.jsonl codex.jsonl omp.jsonl; do
		cmp "$DIR/before/$form" "$MNT/by-id/aa000008/as/$form"
		not cmp -s "$DIR/before/$form" "$MNT/by-id/aa000007/as/$form"
	done
	# Bookkeeping has no part in it.
	echo tested >"$MNT/by-id/aa000008/label"
	ln -sfn by-id/aa000008 "$MNT/HEAD"
	cmp "$DIR/before/codex.jsonl" "$MNT/as/codex.jsonl"
}

@test "an agent's own words are there, in every agent's form" {
	local form
	mount_fixture pi-v3-branches.jsonl
	mkdir "$DIR/forms"
	cp "$MNT"/as/*.jsonl "$DIR/forms"
	unmount
	daemon_is_gone
	"$SESSFS" "$DIR/forms" "$MNT"
	for form in $AGENTS; do
		has_line "dialect: ${form%.jsonl}" "$MNT/${form%.jsonl}/info"
		has "Done with approach A." "$MNT/${form%.jsonl}/context.txt"
		has $'\n[Assistant tool calls]: read(' "$MNT/${form%.jsonl}/context.txt"
		is_said_again "$form"
	done
	not grep -E '^(bad-lines|lines-without-id|missing-parents|duplicate-ids|not-opened):' "$MNT"/*/info
}

is_said_again() {
	local said
	whole said "$MNT/${1%.jsonl}/as/anthropic.json"
	[[ $said == *"Done with approach A."*Final.* ]]
}

@test "a session in a folder of sessions" {
	mkdir "$DIR/all"
	cp "$FIXTURES/claude-basic.jsonl" "$FIXTURES/codex-legacy.jsonl" "$FIXTURES/omp-v3-basic.jsonl" "$DIR/all"
	"$SESSFS" "$DIR/all" "$MNT"
	local session
	forms_are_whole claude-basic{,/HEAD} codex-legacy{,/HEAD} omp-v3-basic{,/HEAD}
	for session in claude-basic codex-legacy omp-v3-basic; do
		cmp "$MNT/$session/as/openai.json" "$MNT/$session/HEAD/as/openai.json"
		cmp "$MNT/$session/as/${session%%-*}.jsonl" "$MNT/$session/HEAD/branch.jsonl"
	done
	[ -z "$(find "$MNT" -name as)" ]
	fails_with "No such file" ls "$MNT/as"
}

@test "ids that would lead elsewhere, and one that is called as" {
	write_evil_session
	mount_session
	local ids
	mapfile -t ids < <(ls "$MNT/by-id" | grep -av '^l[0-9]')
	[ "${#ids[@]}" -gt 40 ]
	forms_are_whole "${ids[@]/#/by-id/}"
	unmount
	daemon_is_gone
	write_session "$(user as "" one)" "$(user as/as as two)"
	mount_session
	is $'%61s\nas%2Fas' ls -U "$MNT/by-id"
	is $'one\none two' said_in by-id/%61s by-id/as%2Fas
}

entries_are() {
	grep -o 'entry [0-9]*' "$2" >"$DIR/found"
	has_lines "$1" "$DIR/found"
}

# bats test_tags=large
@test "a session of 1,000 entries" {
	write_many chain 1000
	mount_session
	forms_are_whole . by-id/000003e7 by-id/00000001
	entries_are 1000 "$MNT/as/anthropic.json"
	entries_are 11 "$MNT/by-id/0000000a/as/openai.json"
	entries_are 1 "$MNT/tree/00000000/as/responses.json"
}

# bats test_tags=root
@test "an ordinary user reads their session's" {
	needs_root
	local id group
	id=$(id -u nobody)
	group=$(id -g nobody)
	cp "$FIXTURES/pi-v3-branches.jsonl" "$SESSION"
	chown -R "$id:$group" "$DIR"
	chmod 600 "$SESSION"
	as_user() { setpriv --reuid="$id" --regid="$group" --clear-groups "$@"; }
	as_user "$SESSFS" "$SESSION" "$MNT"
	is "$(printf '%s\n' $APIS $AGENTS | LC_ALL=C sort)" as_user env LC_ALL=C ls "$MNT/as"
	as_user cat "$MNT/HEAD/as/codex.jsonl" >"$DIR/codex.jsonl"
	is "$(stat -c %s "$DIR/codex.jsonl")" as_user stat -c %s "$MNT/as/codex.jsonl"
	as_user cp "$MNT/as/claude.jsonl" "$DIR/copy"
	is -rw------- stat -c %A "$DIR/copy"
	fails_with "Operation not permitted" as_user bash -c "echo x >>'$MNT/as/claude.jsonl'"
}

# Rules: X6
@test "codex.jsonl begins with the title, and has long results once more in a list" {
	needs jq
	{
		echo '{"type":"session","version":3,"id":"0198f000-0000-7000-8000-000000000001","timestamp":"2026-03-01T10:00:00.000Z","cwd":"/w"}'
		printf '{"type":"message","id":"00000001","parentId":null,"timestamp":"2026-03-01T10:00:00.000Z","message":{"role":"assistant","content":[{"type":"toolCall","id":"c","name":"f","arguments":{}}]}}\n'
		printf '{"type":"message","id":"00000002","parentId":"00000001","timestamp":"2026-03-01T10:00:00.000Z","message":{"role":"toolResult","toolCallId":"c","toolName":"f","content":"%020000d"}}\n' 0
	} >"$DIR/long.jsonl"
	SESSION=$DIR/long.jsonl
	mount_session
	is '"openai" "(pi 0198f000)" 20000' jq -rs '"\(.[0].payload.model_provider | tojson) \([.[].payload.item? | select(.)][0].content[0].text | tojson) \([.[] | select(.type == "compacted")][0].payload.replacement_history[1].output | length)"' "$MNT/as/codex.jsonl"
}
