# bats file_tags=shell,full
# sessfs-tools, and a whole agent: sessfs-agent with sessfs-ask and sessfs-tools.
load lib/mount
load lib/run
load lib/pi
load lib/model

setup() {
	needs jq
	make_folder
	WORK=$DIR/work
	mkdir "$WORK" "$DIR/tmp"
	export TMPDIR=$DIR/tmp HOME=$DIR
	SH="sh"
	cd "$WORK"
}

# tool NAME ARGUMENTS
tool() {
	helper tools --dir "$WORK" "$1" <<<"$2"
}

# fails_tool TEXT NAME ARGUMENTS: the result has this text, and nothing is on stderr.
fails_tool() {
	local status=0
	tool "$2" "$3" >"$DIR/out" 2>"$DIR/err" || status=$?
	[ "$status" -eq 1 ] && [ ! -s "$DIR/err" ] && grep -qF -- "$1" "$DIR/out" || {
		echo "status $status: $(cat "$DIR/out" "$DIR/err")"
		return 1
	}
}

# -- files

writes_and_reads() {
	find "$WORK" -mindepth 1 -delete
	is "12 bytes are written to a/ü b/file" tool write '{"path":"a/ü b/file","content":"one\n\u0000é\r\ntwo"}'
	printf 'one\n\0é\r\ntwo' | cmp - "$WORK/a/ü b/file"
	fails_tool "is no text, of 12 bytes" read '{"path":"a/ü b/file"}'
	is "0 bytes are written to a/e" tool write '{"path":"a/e","content":""}'
	is "[the file is empty]" tool read '{"path":"./a//e"}'
	printf 'é "1"\n\t2\r\n3' >f
	is $'é "1"\n\t2\r\n3' tool read '{"path":"f"}'
	is $'\t2\r' tool read '{"path":"'"$WORK"'/f","offset":"2","limit":1}' | head -n 1
	is "
[lines 2 to 2 of 3; go on with offset 3]" eval "tool read '{\"path\":\"f\",\"offset\":2,\"limit\":1}' | tail -n 2"
	fails_tool "offset: the file has only 3 lines" read '{"path":"f","offset":4}'
	chmod 640 f
	tool write '{"path":"f","content":"new"}'
	is "new 640" echo "$(cat f) $(stat -c %a f)"
	printf '\211PNG\r\n\032\n\0' >p
	fails_tool "p: is a PNG picture, of 9 bytes" read '{"path":"p"}'
}

@test "files are written and read" {
	in_shells writes_and_reads
}

cuts() {
	seq 5000 >lines
	tool read '{"path":"lines"}' >"$DIR/out"
	is 2002 eval 'wc -l <"$DIR/out"'
	is "[lines 1 to 2000 of 5000; go on with offset 2001]" tail -n 1 "$DIR/out"
	tool read '{"path":"lines","offset":4001}' >"$DIR/out"
	cmp "$DIR/out" <(seq 4001 5000)
	yes "$(printf 'x%.0s' {1..99})" | head -n 3000 >lines
	tool read '{"path":"lines","offset":10}' >"$DIR/out"
	is "[lines 10 to 521 of 3000; go on with offset 522]" tail -n 1 "$DIR/out"
	head -c 60000 /dev/zero | tr '\0' x >lines
	printf '\ny\n' >>lines
	tool read '{"path":"lines"}' >"$DIR/out"
	is 51200 eval 'head -n 1 "$DIR/out" | tr -d "\n" | wc -c'
	is "[line 1 is cut, it has 60000 bytes; lines 1 to 1 of 2; go on with offset 2]" tail -n 1 "$DIR/out"
}

@test "what is read is cut, and the rest can be had" {
	in_shells cuts
}

edits() {
	printf 'one\ntwo é\nthree' >f
	is "f is edited" tool edit '{"path":"f","edits":[{"oldText":"three","newText":"3\n"},{"oldText":"one\n","newText":""}]}'
	is $'two é\n3' cat f
	tool edit '{"path":"f","oldText":"é","newText":"$& \\1 \u0000😀"}'
	printf 'two $& \\1 \0😀\n3\n' | cmp - f
	printf 'a\r\nb\r\n' >f
	tool edit '{"path":"f","edits":"[{\"oldText\":\"a\\nb\",\"newText\":\"c\\nd\"}]"}'
	printf 'c\r\nd\r\n' | cmp - f
	printf 'x y x' >f
	fails_tool "edits[0]: the oldText is 2 times in the file" edit '{"path":"f","edits":[{"oldText":"x","newText":""}]}'
	fails_tool "edits[1]: the oldText is not in the file" edit \
		'{"path":"f","edits":[{"oldText":"y","newText":"z"},{"oldText":"z","newText":""}]}'
	fails_tool "edits: two of them overlap" edit '{"path":"f","edits":[{"oldText":"x y","newText":""},{"oldText":"y x","newText":""}]}'
	local bad
	for bad in '' ',"edits":[]' ',"edits":7' ',"edits":[{"oldText":"","newText":"x"}]' ',"edits":[{"oldText":"x"}]'; do
		fails_tool "edits: oldText and newText are needed" edit "{\"path\":\"f\"$bad}"
	done
	is "x y x" echo "$(cat f)"
	printf 'a\377b' >f
	fails_tool "the file is not in UTF-8" edit '{"path":"f","edits":[{"oldText":"a","newText":"b"}]}'
	fails_tool "nothing: there is no such file" edit '{"path":"nothing","edits":[{"oldText":"a","newText":"b"}]}'
	seq 200000 >f
	tool edit '{"path":"f","edits":[{"oldText":"\n99999\n","newText":"\n"}]}'
	cmp f <(seq 200000 | grep -vx 99999)
}

@test "files are edited, all edits or none" {
	in_shells edits
}

# None of the tools opens this path.
is_outside() {
	local name more=',"content":"x","oldText":"secret","newText":"x"'
	for name in read write edit; do
		fails_tool "outside of $WORK" "$name" "{\"path\":$(jq -n --arg path "$1" '$path')$more}"
	done
}

stays_inside() {
	local path
	for path in ../secret ../work2/secret "$DIR/secret" /etc/passwd a/../../secret ../../etc/passwd link \
		dangling parent/secret parent/new absolute chain inside/../../secret "../$(printf 'new\nline')" \
		parent/new/dir/file //etc/passwd /; do
		is_outside "$path"
	done
	is secret cat "$DIR/secret"
	[ ! -e "$DIR/new" ]
	# What leads back is inside.
	is inside tool read '{"path":"../work/a/../f"}'
	is inside tool read '{"path":"to-f"}'
	is inside tool read '{"path":"up/f"}'
	is "1 bytes are written to hanging" tool write '{"path":"hanging","content":"x"}'
	is x echo "$(cat not-yet)"
	rm not-yet
	fails_tool "loop: too many symbolic links" read '{"path":"loop"}'
	fails_tool "a: is a directory" write '{"path":"a","content":"x"}'
	fails_tool ".: is a directory" read '{"path":"."}'
	fails_tool "pipe: is no ordinary file" read '{"path":"pipe"}'
	fails_tool "pipe: is no ordinary file" write '{"path":"pipe","content":"x"}'
	fails_tool "f/x: there is no directory f" read '{"path":"f/x"}'
	fails_tool "can't make the directory" write '{"path":"f/x/y","content":"x"}' ||
		fails_tool "there is no directory f" write '{"path":"f/x/y","content":"x"}'
}

@test "read, write and edit do not leave the directory" {
	echo secret >"$DIR/secret"
	mkdir "$DIR/work2" a
	echo secret >"$DIR/work2/secret"
	echo inside >f
	ln -s ../secret link
	ln -s "$DIR/new" dangling
	ln -s "$DIR" parent
	ln -s /etc/passwd absolute
	ln -s link chain
	ln -s a inside
	ln -s f to-f
	ln -s ../work up
	ln -s not-yet hanging
	ln -s loop loop
	mkfifo pipe
	in_shells stays_inside
}

# bats test_tags=root
@test "permissions are those of the user" {
	needs_root
	echo x >f
	chmod 400 f
	chmod 755 .
	local user
	user=$(id -u nobody)
	as_nobody() {
		SH="setpriv --reuid=$user --regid=$user --clear-groups sh" "$@"
	}
	as_nobody fails_tool "f: permission denied" read '{"path":"f"}'
	as_nobody fails_tool "f: can't be written" write '{"path":"f","content":"y"}'
	as_nobody fails_tool "new: can't be written" write '{"path":"new","content":"y"}'
	as_nobody fails_tool "can't make the directory d" write '{"path":"d/new","content":"y"}'
	chmod 644 f
	is x as_nobody tool read '{"path":"f"}'
	as_nobody fails_tool "f: permission denied" edit '{"path":"f","oldText":"x","newText":"y"}'
	is x cat f
	chown -R "$user" "$WORK" "$DIR/tmp"
	as_nobody tool write '{"path":"d/new","content":"y"}'
	is "$user y" echo "$(stat -c %u d/new) $(as_nobody tool bash '{"command":"cat d/new"}')"
}

# -- commands

runs() {
	is "$WORK
err" tool bash '{"command":"pwd; echo err >&2; read x || true"}'
	is "(no output)" tool bash '{"command":"true"}'
	fails_tool "[exit status 3]" bash '{"command":"exit 3"}'
	fails_tool "[exit status 137]" bash '{"command":"kill -9 $$"}'
	is "no newline" tool bash '{"command":"printf \"no newline\""}'
	is "[[" tool bash '{"command":"[[ a == a ]] && echo [["}'
	ANTHROPIC_API_KEY=s3cret OPENAI_API_KEY=s3cret is 0 tool bash '{"command":"env | grep -c s3cret; true"}'
	[ -z "$(ls -A "$TMPDIR")" ]
	tool bash '{"command":"seq 100000"}' >"$DIR/out"
	is 2002 eval 'wc -l <"$DIR/out"'
	is 98001 head -n 1 "$DIR/out"
	cmp <(seq 100000) "$(sed -n 's/^\[the end of 100000 lines, 588895 bytes; all of it is in \(.*\)]$/\1/p' "$DIR/out")"
	find "$TMPDIR" -mindepth 1 -delete
	tool bash '{"command":"yes 0123456789 | head -c 60001 | tr -d \"\\n\"; echo; yes 0123456789 | head -n 1500"}' >"$DIR/out"
	is "0123456789" head -n 1 "$DIR/out"
	find "$TMPDIR" -mindepth 1 -delete
}

@test "commands run in the directory, and their output is cut" {
	needs setsid
	in_shells runs
}

is_ended() {
	fails_tool "[ended after 1 seconds]" bash '{"command":"echo begun; sleep 77.7 & sleep 77.7","timeout":0.5}'
	grep -qx begun "$DIR/out"
	wait_until_not pgrep -x -f 'sleep 77.7'
	# What is left running does not hold up the result.
	is begun tool bash '{"command":"sleep 7.77 & echo begun","timeout":7778}'
	kill "$(pgrep -x -f 'sleep 7.77')"
	wait_until_not pgrep -x -f 'sleep 7778'
	[ -z "$(ls -A "$TMPDIR")" ]
}

@test "a command that takes too long is ended, with its children" {
	needs setsid
	in_shells is_ended
}

is_interrupted() {
	local signal
	for signal in INT TERM HUP; do
		rm -f begun
		# Python, because a shell has its background jobs ignore SIGINT.
		python3 - "$signal" $SH "$HELPERS/sessfs-tools" bash <<-'PY'
		import os, signal, subprocess, sys, time
		number = getattr(signal, "SIG" + sys.argv[1])
		tool = subprocess.Popen(sys.argv[2:], stdin=subprocess.PIPE, start_new_session=True,
		                        preexec_fn=lambda: signal.signal(number, signal.SIG_DFL))
		tool.stdin.write(b'{"command":"touch begun; sleep 66.6 & sleep 66.6"}')
		tool.stdin.close()
		while not os.path.exists("begun"):
		    time.sleep(0.02)
		os.killpg(tool.pid, number)
		assert tool.wait(10) in (-number, 128 + number), tool.returncode
		PY
		wait_until_not pgrep -f -x 'sleep 66.6'
		[ -z "$(ls -A "$TMPDIR")" ]
	done
}

@test "a signal ends a command" {
	needs setsid python3
	in_shells is_interrupted
}

is_wrongly_used() {
	helper tools -h >"$DIR/out"
	grep -q "^usage: sessfs-tools " "$DIR/out"
	local words bad
	for words in "" "read write" --dir "--schema x" "--dir x"; do
		run -2 --separate-stderr helper tools $words </dev/null
		[[ -z $output && $stderr == "usage: sessfs-tools "* ]]
	done
	fails_in_a_line "sessfs-tools: the directory can't be entered" 1 helper tools --dir nowhere read </dev/null
	fails_tool "there is no tool of this name" "ls" '{}'
	fails_tool "there is no tool of this name" $'x\nread' '{}'
	for bad in "" "x" "[]" "{} {}" "null"; do
		fails_tool "the arguments are not a JSON object" read "$bad"
	done
	for bad in '{}' '{"path":7}' '{"path":""}' '{"path":"a\u0000b"}'; do
		fails_tool "path: a text is needed here" read "$bad"
	done
	fails_tool "limit: a positive number is needed here" read '{"path":"f","limit":0}'
	fails_tool "offset: a positive number is needed here" read '{"path":"f","offset":"x"}'
	fails_tool "content: a text is needed here" write '{"path":"f","content":7}'
	fails_tool "command: a text is needed here" bash '{}'
	[ ! -e f ]
	# Every tool has a schema, with Pi's names.
	is '[["read",["limit","offset","path"]],["write",["content","path"]],["edit",["edits","path"]],["bash",["command","timeout"]]]' \
		eval 'helper tools --dir . --schema | jq -c "[.[] | [.name, (.parameters.properties | keys)]]"'
}

@test "sessfs-tools prints its usage, and refuses wrong arguments" {
	in_shells is_wrongly_used
}

# -- the agent

agent() {
	helper agent --model "'$HELPERS/sessfs-ask' --api $API --url $URL --model m --tools '$HELPERS/sessfs-tools'" \
		--tools "'$HELPERS/sessfs-tools'" "$@"
}

works() {
	find "$WORK" -mindepth 1 -delete
	rm -f "$SERVER/requests"
	answers '{"thinking": "Hm.", "text": "I write it.", "calls": [["write", {"path": "src/a.txt", "content": "one\n"}],
		["bash", {"command": "pwd; false"}]]},
		{"calls": [["edit", {"path": "src/a.txt", "edits": [{"oldText": "one", "newText": "two"}]}]]},
		{"calls": [["read", {"path": "../secret"}]]}, {"text": "Done."}'
	write_session "$(user aa000001 "" "write a file")"
	mount_session
	is Done. agent "$MNT" 2>"$DIR/err"
	is two cat src/a.txt
	is "sessfs-agent: write
sessfs-agent: bash
sessfs-agent: edit
sessfs-agent: read" cat "$DIR/err"
	is '["user","assistant","toolResult","toolResult","assistant","toolResult","assistant","toolResult","assistant"]' \
		jq -c '[.[].role]' "$MNT/context.json"
	is '[false,true,false,true]' jq -c '[.[] | select(.role == "toolResult").isError]' "$MNT/context.json"
	is 4 grep -c . "$SERVER/requests"
	# The server's ids are the same in every answer, and what it is sent has others.
	request -r '.. | strings' | grep -qF "outside of $WORK"
	# A question about a branch changes nothing.
	cp "$SESSION" "$DIR/before"
	is Yes. helper ask --api "$API" --url "$URL" --model other --text 'What went wrong?' <"$MNT/HEAD/parent/context.json"
	cmp "$DIR/before" "$SESSION"
	# An answered conversation is not answered again.
	run --separate-stderr -1 agent "$MNT"
	[[ $stderr == *"the conversation ends with an answer"* && -z $output ]]
	cmp "$DIR/before" "$SESSION"
	cd "$WORK"
	unmount
	daemon_is_gone
}

@test "an agent of the three writes a file, by each API" {
	needs_mounts
	needs setsid
	start_server
	echo secret >"$DIR/secret"
	in_shells for_apis works
}

@test "the answers are stored in every format that takes lines" {
	needs_mounts
	start_server
	local fixture
	API=responses
	for fixture in pi-v1-linear pi-harness-leaf omp-v3-basic draft000-uuid draft003-index go-tree; do
		answers '{"thinking": "Hm.", "text": "Look.", "calls": [["bash", {"command": "echo hi"}]]}, {"text": "Done."}'
		mount_fixture "$fixture.jsonl"
		helper say "go on" "$MNT"
		is Done. agent "$MNT" 2>/dev/null
		unmount
		daemon_is_gone
	done
}
