# sessfs --check: the faults of session files, without a mount.
load lib/mount
load lib/run
load lib/pi
load lib/claude
load lib/codex

setup() {
	make_folder
	cd "$DIR"
}

# checks STATUS STDOUT STDERR OPTIONS...: fails unless sessfs exits and prints
# like this.
checks() {
	local want=$1 said=$2 complained=$3
	shift 3
	run --separate-stderr "$SESSFS" "$@"
	[ "$status" -eq "$want" ] && [ "$output" = "$said" ] && [ "$stderr" = "$complained" ] || {
		echo "status $status, stdout: $output, stderr: $stderr"
		return 1
	}
}

@test "no faults: one line for one file, none for several, status 0" {
	cp "$FIXTURES/pi-v3-branches.jsonl" "$FIXTURES/omp-v3-basic.jsonl" "$FIXTURES/pi-v3-headmove.jsonl" .
	checks 0 "pi-v3-branches.jsonl: 24 entries, 2 tips: the agent reaches a root from each, and 21 entries from its leaf aa000025" \
		"" --check pi-v3-branches.jsonl
	checks 0 "" "" --check ./*.jsonl
	# An end that counts as it is.
	printf '%s' "$(user 00000001 "" one)" >last
	write_session "$(user 00000000 "" none)"
	cat last >>session.jsonl
	checks 0 "$(clean 2 2 1 00000001)" "" --check session.jsonl
	# Nothing yet.
	write_session
	checks 0 "" "" --check session.jsonl
}

# clean ENTRIES TIPS N LEAF: the line for session.jsonl if every tip leads to a
# root, N entries from the leaf.
clean() {
	local entries=entries tips=tips from=entries
	[ "$1" -ne 1 ] || entries=entry
	[ "$2" -ne 1 ] || tips=tip
	[ "$3" -ne 1 ] || from=entry
	echo "session.jsonl: $1 $entries, $2 $tips: the agent reaches a root from each, and $3 $from from its leaf $4"
}

@test "for each tip how many entries the agent reaches, and why no more" {
	write_session "$(user 00000001 "" one)" "$(user 00000002 00000001 two)" "$(user 00000003 00000002 three | head -c 90)" \
		"$(user 00000004 00000003 four)" "$(user 00000005 00000004 five)" "$(user 00000006 gone six)" \
		"$(user 00000007 00000008 seven)" "$(user 00000008 00000007 eight)" "$(user 00000009 00000005 nine)"
	checks 1 "session.jsonl:4: not JSON
session.jsonl:5: missing parent: shown as a root
session.jsonl:7: missing parent: shown as a root
session.jsonl:8: cycle of parents: cut here
session.jsonl: tip 00000006, line 7: the agent reaches 1 entry, up to line 7, whose parent gone is missing
session.jsonl: tip 00000008, line 9: the agent reaches 2 entries, up to line 8, where parents form a cycle: Pi hangs or runs out of memory
session.jsonl: tip 00000009, line 10, the leaf: the agent reaches 3 entries, up to line 5, whose parent 00000003 is on line 4, which is not JSON
session.jsonl: tip 00000002, line 3: the agent reaches 2 entries, up to a root" "" --check session.jsonl
}

@test "of thousands of tips only some have a line" {
	needs python3
	python3 - >session.jsonl <<-'PY'
	print('{"type":"session","version":3,"id":"s","timestamp":"2026-03-01T10:00:00.000Z","cwd":"/"}')
	for i in range(5000):
	    parent = "null" if i < 4970 else f'"gone{i}"'
	    print('{"type":"custom","customType":"x","id":"%08d","parentId":%s,"timestamp":"2026-03-01T10:00:01.000Z"}' % (i, parent))
	PY
	run "$SESSFS" --check session.jsonl
	[ "$status" -eq 1 ]
	[ "${#lines[@]}" -eq 51 ]
	[ "${lines[30]}" = "session.jsonl: tip 00004970, line 4972: the agent reaches 1 entry, up to line 4972, whose parent gone4970 is missing" ]
	[ "${lines[50]}" = "session.jsonl: 4980 more tips: the agent stops short of a root at 10" ]
}

# bats test_tags=large
@test "what sessfs reads over and its agent does not" {
	local one='session.jsonl:3: not an entry: no id'
	write_session "$(user 00000001 "" one)" null "$(user 00000002 00000001 two)"
	checks 1 "$one
session.jsonl:3: null: Pi 0.73.1 can't open the file
$(clean 2 1 2 00000002)" "" --check session.jsonl
	checks 1 "session.jsonl:3: null: the agent will not open it
$one" "" -o dialect=omp --check session.jsonl
	write_session "$(user 00000001 "" one)" '{"type":"custom"}'
	checks 1 "$one
session.jsonl:3: the last line is no entry: Pi resumes with an empty history
$(clean 1 1 1 00000001)" "" --check session.jsonl
	printf '{"type":"user","uuid":"a","parentUuid":null,"sessionId":"5e55f500-0000-4000-8000-000000000001","message":{"role":"user","content":"hi"}}\n' >session.jsonl
	checks 1 "session.jsonl:1: no timestamp: Claude Code 2.1.112 finds no conversation
$(clean 1 1 1 a)" "" --check session.jsonl
}

@test "all that can be wrong with a line, in the order of lines" {
	write_session "$(user c1 c2 one)" x "$(user c2 c1 two)" "$(user o gone three)" 7 \
		'{"type":"session","version":3,"id":"again"}' "$(user d "" four)" "$(user d "" five)"
	printf '{"type":"mess' >>session.jsonl
	checks 1 "session.jsonl:2: cycle of parents: cut here
session.jsonl:3: not JSON
session.jsonl:5: missing parent: shown as a root
session.jsonl:6: not an entry: no id
session.jsonl:7: another header
session.jsonl:9: duplicate id: this line replaces the earlier one
session.jsonl:10: incomplete last line: no newline yet
session.jsonl: tip c2, line 4: the agent reaches 2 entries, up to line 2, where parents form a cycle: Pi hangs or runs out of memory
session.jsonl: tip o, line 5: the agent reaches 1 entry, up to line 5, whose parent gone is missing
session.jsonl: tip d, line 9, the leaf: the agent reaches 1 entry, up to a root" "" --check session.jsonl
}

@test "faults of a file as a whole" {
	user 00000001 "" one >none.jsonl
	{ cat none.jsonl && echo && head -n 1 "$FIXTURES/pi-v3-branches.jsonl"; } >late.jsonl
	echo "hello" >nobodys.jsonl
	: >empty.jsonl
	cp "$FIXTURES/claude-basic.jsonl" damaged.jsonl
	sed -i '$d' damaged.jsonl
	echo '{' >damaged.sessfs.json
	cp "$FIXTURES/pi-v3-branches.jsonl" "$DIR"/fine.jsonl
	checks 1 "none.jsonl: no header: the agent will not open it
late.jsonl: late header: the agent will not open it
nobodys.jsonl: unknown session format (-o dialect=lines shows it line by line)
empty.jsonl: no header: the agent will not open it
damaged.jsonl: sidecar: damaged and can't be changed
$("$SESSFS" --check "$FIXTURES/claude-basic.jsonl" | sed -n 's/.*basic/damaged/; $p')" "" \
		--check none.jsonl late.jsonl nobodys.jsonl empty.jsonl damaged.jsonl fine.jsonl
}

# What the agents say of such files is in tests/unit/test_codex.c and the interop tests.
# bats test_tags=large
@test "a file that its agent would not open: --check, info and what can be written say so" {
	needs_mounts
	local id=5e55f500-0000-4000-8000-000000000001
	write_session "$(user 00000001 "" one)"
	printf '\xef\xbb\xbf' | cat - session.jsonl >pi.jsonl
	{ legacy_meta 1 && said m1 user one && printf 'torn \xff\n'; } >text.jsonl
	{ session_meta 1 && said m1 user one; } >ordinal.jsonl
	{ session_meta 1 '"source":null' && said m1 user one 1; } >meta.jsonl
	write_lines '{"type":"custom-title","customTitle":"T","sessionId":"'$id'"}' "$(sidechain claude_user 1 "" one)"
	mv session.jsonl aside.jsonl
	unopened pi "a byte order mark"
	unopened text "bytes that are not UTF-8" 3
	unopened ordinal "no ordinal in the last line" 2
	unopened meta "a session_meta whose source is unknown"
	unopened aside "no conversation"
}

# unopened NAME WHY [LINE]
unopened() {
	run -1 --separate-stderr "$SESSFS" --check "$1.jsonl"
	[ "${lines[0]}" = "$1.jsonl${3+:$3}: $2: the agent will not open it" ]
	not grep -q "the agent reaches" <<<"$output"
	SESSION=$DIR/$1.jsonl
	cp "$SESSION" before
	mount_session
	is "not-opened: $2${3+ (line $3)}" grep "^not-opened: " "$MNT/info"
	grep -qx "writable: no" "$MNT/info"
	fails_for_root_with "Read-only file system" ln -sfn tree "$MNT/HEAD"
	fails_for_root_with "Read-only file system" write_label x "$MNT/HEAD"
	cmp before "$SESSION"
	unmount
	daemon_is_gone
}

@test "a rollout is opened again once its last line has an ordinal" {
	needs_mounts
	SESSION=$DIR/session.jsonl
	{ session_meta 1 && said m1 user one; } >"$SESSION"
	mount_session
	is "no ordinal in the last line (line 2)" sed -n "s/^not-opened: //p" "$MNT/info"
	is 555 stat -c %a "$MNT/by-id/m1"
	said m2 user two 2 >>"$SESSION"
	not grep -q ^not-opened "$MNT/info"
	is 755 stat -c %a "$MNT/by-id/m1"
	write_label kept "$MNT/by-id/m1"
	is kept cat "$MNT/by-id/m1/label"
}

@test "after 200 lines of a kind the rest is counted" {
	{
		head -n 1 "$FIXTURES/pi-v3-branches.jsonl"
		yes x | head -n 250
	} >session.jsonl
	run "$SESSFS" --check session.jsonl
	[ "$status" -eq 1 ]
	[ "${#lines[@]}" -eq 201 ]
	[ "${lines[0]}" = "session.jsonl:2: not JSON" ]
	[ "${lines[199]}" = "session.jsonl:201: not JSON" ]
	[ "${lines[200]}" = "session.jsonl: 50 more lines: not JSON" ]
}

@test "-o dialect sets the format of the file" {
	printf '{"a":1}\n{"b":2}\nx\n' >session.jsonl
	checks 1 "session.jsonl:3: not JSON
$(clean 2 1 2 2)" "" -o dialect=lines --check session.jsonl
	checks 2 "" "sessfs: unknown dialect 'nosuch'; known: $(dialects)" --check -o dialect=nosuch session.jsonl
}

dialects() {
	"$SESSFS" -o dialect=nosuch --check x 2>&1 | sed 's/.*; known: //'
}

@test "a file that can't be read: one line on stderr, status 2; the others are checked" {
	cp "$FIXTURES/pi-v3-branches.jsonl" fine.jsonl
	write_session x
	mkdir folder
	mkfifo fifo
	checks 2 "session.jsonl:2: not JSON" "sessfs: none.jsonl: No such file or directory
sessfs: folder: is a directory; name files, as find DIR -name '*.jsonl' prints them
sessfs: fifo: not a regular file" --check none.jsonl fine.jsonl folder fifo session.jsonl
	checks 2 "" "usage: sessfs check [OPTIONS] FILE... (-h for help)" --check
}

@test "a pipe is read as a file is" {
	cp "$FIXTURES/pi-v3-branches.jsonl" fine.jsonl
	mkdir tmp
	export TMPDIR=$DIR/tmp
	is "$("$SESSFS" --check fine.jsonl | sed s,fine.jsonl,/dev/stdin,)" sh -c "cat fine.jsonl | '$SESSFS' --check /dev/stdin"
	start "$SESSFS" --check <(cat fine.jsonl) >said
	is "24 entries, 2 tips: the agent reaches a root from each, and 21 entries from its leaf aa000025" sed 's,^/dev/fd/[0-9]*: ,,' said
	run -1 "$SESSFS" --check <(cat fine.jsonl && echo x)
	[[ ${lines[0]} == "/dev/fd/"*":26: not JSON" ]]
	start "$SESSFS" --outline fine.jsonl >want
	"$SESSFS" --outline <(cat fine.jsonl) | diff want -
	start "$SESSFS" --rescue out.jsonl <(cat fine.jsonl && echo x) >/dev/null
	cmp fine.jsonl out.jsonl || cmp <(sed 1d fine.jsonl) <(sed 1d out.jsonl)
	# The copies are gone.
	prints_nothing ls -A tmp
	export TMPDIR=$DIR/none
	local none="sessfs: $DIR/none: No such file or directory"
	fails_in_a_line "$none" 2 "$SESSFS" check <(cat fine.jsonl)
	fails_in_a_line "$none" 1 "$SESSFS" outline <(cat fine.jsonl)
	fails_in_a_line "$none" 2 "$SESSFS" rescue new.jsonl <(cat fine.jsonl)
}

# bats test_tags=root
@test "a file that the user may not read" {
	needs_root
	cp "$FIXTURES/pi-v3-branches.jsonl" fine.jsonl
	chmod 600 fine.jsonl
	write_session x
	chmod 644 session.jsonl
	run --separate-stderr setpriv --reuid=65534 --regid=65534 --clear-groups \
		"$SESSFS" --check fine.jsonl session.jsonl
	[ "$status" -eq 2 ]
	[ "$output" = "session.jsonl:2: not JSON" ]
	[ "$stderr" = "sessfs: fine.jsonl: Permission denied" ]
}

@test "names stay on one line" {
	local name=$'a\nb\e[2Jc.jsonl'
	write_session x
	mv session.jsonl "$name"
	checks 2 'a\nb\u001b[2Jc.jsonl:2: not JSON' 'sessfs: none\n: No such file or directory' \
		--check "$name" $'none\n'
	mv "$name" ./-x.jsonl
	checks 1 "-x.jsonl:2: not JSON" "" --check -- -x.jsonl
}

# bats test_tags=root
@test "nothing is written, and no /dev/fuse is needed" {
	needs_root
	cp "$FIXTURES/pi-v1-linear.jsonl" "$FIXTURES/claude-basic.jsonl" "$FIXTURES/go-tree.jsonl" .
	ls -lA --time-style=full-iso >../before
	in_namespace sh -c "mount --bind /dev/null /dev/fuse
		if '$SESSFS' claude-basic.jsonl mnt 2>../mount; then echo mounted; fi
		'$SESSFS' --check pi-v1-linear.jsonl claude-basic.jsonl go-tree.jsonl" >../all || [ $? -eq 1 ]
	grep -v ': the agent reaches ' ../all >../said
	diff <(ls -lA --time-style=full-iso) ../before
	grep -q "^sessfs: " ../mount
	is "pi-v1-linear.jsonl:4: not JSON
claude-basic.jsonl:22: incomplete last line: no newline yet
go-tree.jsonl:4: not JSON
go-tree.jsonl:10: not JSON
go-tree.jsonl:11: incomplete last line: no newline yet" cat ../said
}

@test "with find, for a folder; and its status" {
	mkdir -p all/a
	cp "$FIXTURES/pi-v3-branches.jsonl" all/a/fine.jsonl
	write_session x
	mv session.jsonl all/bad.jsonl
	is "all/bad.jsonl:2: not JSON" find all -name '*.jsonl' -exec "$SESSFS" --check {} +
}

@test "a full standard output is reported" {
	write_session x
	run --separate-stderr sh -c "'$SESSFS' --check session.jsonl >/dev/full"
	[ "$status" -eq 2 ]
	[ "$stderr" = "sessfs: standard output: No space left on device" ]
}

# What Claude Code names a message by: SHA-256 of its JSON with sorted members.
hash_of() {
	printf '{"content":[{"text":"%s","type":"text"}],"role":"%s"}' "$2" "$1" | sha256sum | cut -d ' ' -f 1
}

# A request: id, the one that it goes on from ("" for none), how many messages of that
# are kept, hashes.
request() {
	local id=$1 base=${2:+\"base\":\"$2\",} keep=$3
	shift 3
	printf '{"type":"api-request","id":"%s",%s"keep":%d,"params":{"model":"m-x"},"tail":["%s"]}' \
		"$id" "$base" "$keep" "$(IFS=, && sed 's/,/","/g' <<<"$*")"
}

# A message as it was sent: hash, role, blocks.
blob() {
	printf '{"type":"api-request-blob","hash":"%s","message":{"role":"%s","content":[%s]}}' "$1" "$2" "$3"
}

# Run a command that prints a line, and name the request in it.
answers() {
	local id=$1
	shift
	"$@" | sed "s/^{/{\"requestRef\":\"$id\",/"
}

@test "--against-requests: which contexts are what was sent, as the file says itself" {
	. "$ROOT/tests/lib/claude.bash"
	write_lines "$(claude_user 1 "" hello)" \
		"$(blob h1 user '{"type":"text","text":"hello\n"}')" "$(request r1 "" 0 h1)" \
		"$(answers r1 claude_answer 2 1 first)" "$(claude_user 3 2 again)" \
		"$(request r2 r1 1 "$(hash_of assistant first)" "$(hash_of user again)")" \
		"$(answers r2 claude_answer 4 3 second)" \
		"$(claude_line 5 4 attachment '"attachment":{"type":"date_change"},"rendered":[{"content":"<system-reminder>\nthe date\n</system-reminder>"}],"renderedRole":"system"')" \
		"$(claude_user 6 5 third)" \
		"$(blob h2 user '{"type":"text","text":"third"}')" "$(blob h3 system '{"type":"text","text":"the date"}')" \
		"$(request r3 r2 3 "$(hash_of assistant second)" h2 h3)" \
		"$(answers r3 claude_answer 7 6 end)"
	checks 0 "$(clean 7 1 7 "$(uuid 7)")
session.jsonl: 3 of 3 recorded requests are the contexts" "" --check --against-requests session.jsonl

	# Other words, another message that is an entry's, another note, and no base.
	write_lines "$(claude_user 1 "" hello)" \
		"$(blob h1 user '{"type":"text","text":"hullo"}')" "$(request r1 "" 0 h1)" \
		"$(answers r1 claude_answer 2 1 first)" "$(claude_user 3 2 again)" \
		"$(request r2 "" 0 "$(hash_of user hello)" ffff "$(hash_of user again)")" \
		"$(answers r2 claude_answer 4 3 second)" \
		"$(blob h3 system '{"type":"text","text":"the date"}')" \
		"$(request r3 "" 0 "$(hash_of user hello)" h3)" \
		"$(answers r3 claude_answer 5 1 third)" \
		"$(request r4 gone 2 h1)" "$(answers r4 claude_answer 6 1 fourth)"
	checks 1 "session.jsonl:3: not the context of $(uuid 1): block 1: sent \"user\" \"text\":\"hullo\",\"type\":\"text\",, here \"user\" \"text\":\"hello\",\"type\":\"text\",
session.jsonl:6: not the context of $(uuid 3): block 2: sent a message with the hash ffff, here \"assistant\" \"text\":\"first\",\"type\":\"text\",
session.jsonl:9: not the context of $(uuid 1): note 1: sent \"the date\", here nothing
$(clean 6 3 2 "$(uuid 6)")
session.jsonl: 0 of 3 recorded requests are the contexts; of 1 more the beginning is missing" "" \
		--check --against-requests session.jsonl
	# Other agents record none, and no other command compares.
	cp "$FIXTURES/pi-v3-branches.jsonl" pi.jsonl
	checks 0 "pi.jsonl: 24 entries, 2 tips: the agent reaches a root from each, and 21 entries from its leaf aa000025
pi.jsonl: the agent has recorded no requests here" "" --check --against-requests pi.jsonl
	checks 2 "" "sessfs: list: no option --against-requests (sessfs list -h for help)" --list --against-requests pi.jsonl
}
