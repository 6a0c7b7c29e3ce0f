# Which dialect a file is read as, through a mount, and -o dialect. The rules are cases of
# corpus/: sessfs-formats(5).
load lib/mount
load lib/run
load lib/pi
load lib/claude
load lib/drafts
load lib/go_tree

NAMES="pi omp claude go-tree draft-uuid draft-index lines"
HEADER='{"type":"session","version":3,"id":"x","timestamp":"2026-03-01T10:00:00.000Z","cwd":"/"}'

# read_as DIALECT REGEX: fails unless info has this dialect, and this in dialect-why.
read_as() {
	local info
	whole info "$MNT/info"
	[[ $info =~ (^|$'\n')"dialect: $1"$'\n' && $info =~ $'\ndialect-why: '[^$'\n']*${2:-.} ]] || {
		echo "not $1 $2: $info"
		return 1
	}
}

# Begin a folder of sessions; those that are put there, and what they are to be read as.
make_all() {
	ALL=$DIR/all
	WANTED=()
	mkdir "$ALL"
}

# wants DIALECT [REGEX]: for the session with the next number, whose name is put into NEXT.
wants() {
	NEXT=$ALL/${#WANTED[@]}.jsonl
	WANTED+=("$1 ${2-}")
}

fixture_reads_as() {
	local text
	wants "${@:2}"
	whole text "$FIXTURES/$1.jsonl"
	printf %s "$text" >"$NEXT"
}

# Mount the folder: each is read as what it is to be read as.
all_are_read() {
	local top=$MNT i
	[ ${#WANTED[@]} -gt 0 ]
	start "$SESSFS" "$ALL" "$top"
	for i in "${!WANTED[@]}"; do
		MNT=$top/$i
		# shellcheck disable=SC2086 # words
		read_as "${WANTED[i]%% *}" "${WANTED[i]#* }"
	done
	MNT=$top
}

# Fails unless every write is refused and the file is unchanged.
is_read_only() {
	local id=$1
	cp "$SESSION" "$DIR/before"
	has_line "writable: no" "$MNT/info"
	fails_for_root_with "Read-only file system" ln -sfn "by-id/$id" "$MNT/HEAD"
	fails_for_root_with "Read-only file system" ln -sfn tree "$MNT/HEAD"
	fails_for_root_with "Read-only file system" rm "$MNT/HEAD"
	fails_for_root_with "Read-only file system" write_label x "$MNT/by-id/$id"
	cmp "$DIR/before" "$SESSION"
}

# Detection

@test "info says which dialect each example is, and by which line" {
	local file dialect line
	make_all
	while read -r file dialect line; do
		fixture_reads_as "$file" "$dialect" "line ${line}[^0-9]"
	done <<-END
		pi-v3-branches pi 1
		pi-v2-hook pi 1
		pi-v1-linear pi [12]
		omp-v3-basic omp 1
		omp-v3-compaction omp 1
		draft000-uuid draft-uuid 1
		draft003-index draft-index 1
		go-tree go-tree 1
		claude-basic claude [0-9]+
		claude-compact claude [0-9]+
		claude-pinned claude [0-9]+
	END
	all_are_read
}

# A session alone; in a folder names end in .jsonl.
@test "never by the file's name" {
	local file dialect
	while read -r file dialect; do
		SESSION=$DIR/$file
		cp "$FIXTURES/$dialect.jsonl" "$SESSION"
		mount_session
		read_as "${dialect%%-*}"
		unmount
		daemon_is_gone
	done <<-END
		2026-03-01T10-00-00-000Z_0198f000-0000-7000-8000-000000000001.jsonl claude-basic
		5e55f500-0000-4000-8000-000000000001.jsonl omp-v3-basic
		notes.txt pi-v3-branches
	END
}

@test "junk, blank and undecided lines before are passed over" {
	local file dialect text
	make_all
	while read -r file dialect; do
		wants "$dialect"
		whole text "$FIXTURES/$file.jsonl"
		printf '%s\n' 'not JSON' '' '   ' '{"torn":' 'null' '5' '[]' '{}' '{"hello":"world"}' "$text" >"$NEXT"
	done <<-END
		pi-v3-branches pi
		claude-basic claude
		go-tree go-tree
		draft000-uuid draft-uuid
		draft003-index draft-index
	END
	all_are_read
}

@test "a file replaced by one of another dialect is read in that dialect" {
	mount_fixture pi-v3-branches.jsonl
	read_as pi
	cp "$FIXTURES/claude-basic.jsonl" "$DIR/new"
	mv "$DIR/new" "$SESSION"
	read_as claude
	head_is "by-id/$(uuid 13)"
	cp "$FIXTURES/draft003-index.jsonl" "$SESSION"
	read_as draft-index
	head_is by-id/8
	cp "$FIXTURES/pi-v3-headmove.jsonl" "$SESSION"
	read_as pi
	head_is by-id/dd000002
}

@test "the first lines of an empty file decide its dialect" {
	: >"$SESSION"
	mount_session
	head_is tree
	write_lines "$(claude_user 1 "" one)"
	read_as claude
	head_is "by-id/$(uuid 1)"
}

# Pi's relatives begin as Pi's sessions do

@test "however late the line is that tells oh-my-pi's, it counts from the start" {
	write_many chain 3000
	printf '%s\n' \
		'{"type":"custom_message","id":"note","parentId":"00000bb7","timestamp":"2026-03-01T10:00:01.000Z","customType":"x","content":"injected","display":true}' \
		'{"type":"reset_boundary","id":"reset","parentId":"00000bb7","timestamp":"2026-03-01T10:00:02.000Z"}' >>"$SESSION"
	mount_session
	read_as omp "line 3003[^0-9]"
	# Sent as the developer's, as oh-my-pi does with lines before that one too.
	has '"role":"developer"' "$MNT/by-id/note/context.json"
	is '[]' cat "$MNT/by-id/reset/context.json"
}

@test "a mounted session turns to oh-my-pi's at the first line that tells" {
	write_session "$(user 00000001 "" one)"
	mount_session
	read_as pi
	context_is . "[User]: one"
	echo '{"type":"reset_boundary","id":"00000002","parentId":"00000001","timestamp":"2026-03-01T10:00:02.000Z"}' >>"$SESSION"
	read_as omp "line 3[^0-9]"
	context_is .
	append_user 00000003 00000002 three
	context_is . "[User]: three"
}

@test "with -o dialect=pi no line changes the dialect" {
	write_session "$(user 00000001 "" one)"
	mount_session -o dialect=pi
	echo '{"type":"reset_boundary","id":"00000002","parentId":"00000001","timestamp":"2026-03-01T10:00:02.000Z"}' >>"$SESSION"
	read_as pi
	context_is . "[User]: one"
}

# -o dialect

@test "-o dialect overrides the lines, also beside other options, and dialect-why says so" {
	local name
	mkdir "$DIR/all"
	cp "$FIXTURES/pi-v3-headmove.jsonl" "$DIR/all/s.jsonl"
	for name in $NAMES; do
		mkdir "$DIR/$name"
		start "$SESSFS" -o "ro,dialect=$name" "$DIR/all/s.jsonl" "$DIR/$name"
		MNT=$DIR/$name read_as "$name" "(option|-o dialect)"
		has_line "writable: no, the file or its mount is read-only" "$DIR/$name/info"
	done
	cat "$DIR"/*/{context.txt,context.json,tree.txt} >/dev/null
	ls "$DIR"/*/{by-id,tree} >/dev/null
}

@test "-o dialect: the other's rules are used, not only its name" {
	write_session '{"type":"custom_message","id":"00000001","parentId":null,"timestamp":"2026-03-01T10:00:01.000Z","customType":"x","content":"injected","display":true}'
	mount_session
	has '"role":"user"' "$MNT/context.json"
	mkdir "$DIR/omp" "$DIR/lines"
	start "$SESSFS" -o dialect=omp "$SESSION" "$DIR/omp"
	has '"role":"developer"' "$DIR/omp/context.json"
	start "$SESSFS" -o dialect=lines "$SESSION" "$DIR/lines"
	is $'1\n2' ls "$DIR/lines/by-id"
}

@test "an unknown name: one line that lists them, status 2" {
	cp "$FIXTURES/pi-v3-headmove.jsonl" "$SESSION"
	local given name
	for given in nosuch pi-; do
		fails_in_a_line "$given" 2 mount_session -o "dialect=$given"
		for name in $NAMES; do
			grep -qwF -e "$name" "$DIR/err"
		done
		not_mounted "$MNT"
	done
}

@test "unknown JSON lines: one line with the file and the remedy, status 1" {
	write_lines '{"hello":"world"}' '{"hello":"again"}'
	fails_in_a_line "-o dialect=lines" 1 mount_session
	has "sessfs: $SESSION: " "$DIR/err"
	not_mounted "$MNT"
}

# What other programs write

# Four files in a folder, as other programs write them: a session of another
# agent with Claude Code's envelope, the output of a run of Pi, the records of an
# auth store, a log.
write_foreign() {
	mkdir "$DIR/all"
	cd "$DIR/all" || return
	printf '%s\n' "$HEADER" '{"type":"agent_start"}' '{"type":"turn_start"}' >output.jsonl
	printf '{"type":"session","id":"s%d","user":"u"}\n' 1 2 3 >store.jsonl
	printf '{"id":"%d","kind":"reading","ts":"2026-03-01T10:00:00Z","value":5}\n' 1 2 >log.jsonl
	cd "$OLDPWD" || return
	cp -r "$DIR/all" "$DIR/before"
}

@test "what other programs write is refused, and what it is is said" {
	local name says
	write_foreign
	while read -r name says; do
		refuses 1 "sessfs: $DIR/all/$name.jsonl: $says (-o dialect=lines shows it line by line)" \
			"$SESSFS" "$DIR/all/$name.jsonl" "$MNT"
	done <<-END
		output the output of pi --mode json, not a session
		store unknown session format
		log unknown session format
	END
	refuses 0 "" "$SESSFS" list "$DIR/all"
	# It is no session of a folder, and nothing is written beside it.
	cp "$FIXTURES/pi-v3-headmove.jsonl" "$DIR/all/pi.jsonl"
	SESSION=$DIR/all mount_session
	is pi ls "$MNT"
	fails_with "No such file or directory" cat "$MNT/output/info"
	rm "$DIR/all/pi.jsonl"
	diff -r "$DIR/before" "$DIR/all"
}

@test "a header alone is a session, until a line shows that it is none" {
	write_lines "$HEADER"
	mount_session
	read_as pi "line 1[^0-9]"
	head_is tree
	has_line "writable: yes" "$MNT/info"
	append_user 00000001 "" one
	head_is by-id/00000001
	write_lines "$HEADER"
	head_is tree
	printf '%s\n' '{"type":"agent_start"}' '{"type":"note","id":"a","parentId":null}' >>"$SESSION"
	is_read_only a
	fails_for_root_with "Read-only file system" say '{}'
	is $'before\nmnt\nsession.jsonl' ls "$DIR"
}

@test "a file with lines that no agent writes is not rewritten" {
	local id
	write_lines '{"type":"session","id":"x","timestamp":"2026-03-01T10:00:00.000Z","cwd":"/"}' \
		'{"type":"message","message":{"role":"user","content":"one"}}' '{"type":"login","user":"u"}'
	cp "$SESSION" "$DIR/before"
	mount_session
	read_as pi
	id=$(readlink "$MNT/HEAD/parent")
	id=${id##*/}
	fails_with "Operation not supported" write_label x "$MNT/by-id/$id"
	fails_with "Operation not supported" ln -sfn "by-id/$id" "$MNT/HEAD"
	has "rewritten" "$MNT/info"
	cmp "$DIR/before" "$SESSION"
	[ ! -e "$SESSION.v1.bak" ]
}

# lines: any JSONL, as far as it can be read

@test "lines: an appended line is everywhere at once" {
	write_lines '{"a":1}' '{"a":2}'
	mount_session -o dialect=lines
	find "$MNT" >/dev/null
	cat "$MNT/info" "$MNT/tree.txt" >/dev/null
	printf '%s\n' '{"a":3}' '{"torn":' >>"$SESSION"
	head_is by-id/3
	is 3 ls "$MNT/branches"
	printf '{"a":5' >>"$SESSION"
	head_is by-id/3
	echo '}' >>"$SESSION"
	head_is by-id/5
	is ../3 readlink "$MNT/by-id/5/parent"
}

@test "lines: every write is EROFS; a branch is the lines down to its entry" {
	write_lines '{"a":1}' 'bad' '{"a":3}' '{"a":4}'
	mount_session -o dialect=lines
	is_read_only 1
	is $'{"a":1}\n{"a":3}' cat "$MNT/by-id/3/branch.jsonl"
}

@test "harness v4 is mounted as lines, read-only" {
	write_lines '{"v":4,"kind":"header","id":"x","storageVersion":1,"cwd":"/","createdAt":"2026-03-01T10:00:00.000Z"}' \
		'{"v":4,"kind":"transaction","ops":[{"op":"put","key":"pi.branch.tip","value":"e1"}]}'
	mount_session
	read_as lines "line 1[^0-9]"
	is $'1\n2' ls -U "$MNT/by-id"
	head_is by-id/2
	has '"pi.branch.tip"' "$MNT/by-id/2/content"
	is_read_only 1
}

# Hostile files, in every dialect

# Fails unless every file can be read, and JSON files are valid. Long files are
# read for every seventh entry only, which still covers each kind of value.
all_can_be_read() {
	needs python3
	python3 - "$MNT" <<-'PY'
	import json, os, sys
	def read(*path):
	    with open(os.path.join(sys.argv[1], *path), encoding="utf-8") as f:
	        return f.read()
	for name in "info", "tree.txt", "context.txt":
	    read(name)
	entries = os.listdir(os.path.join(sys.argv[1], "by-id"))
	for entry in entries:
	    for name in "content", "label", "meta", "raw.json":
	        read("by-id", entry, name)
	for entry in entries[::7]:
	    read("by-id", entry, "context.txt")
	    assert isinstance(json.loads(read("by-id", entry, "context.json")), list)
	    branch = read("by-id", entry, "branch.jsonl")
	    assert all([json.loads(l) is not False for l in branch.splitlines()]), branch
	PY
}

# An example, each member of which has had every kind of value: its name, the
# member that names an entry, options of sessfs.
mutated_can_be_read() {
	needs python3
	python3 "$ROOT/tests/mutate.py" "$FIXTURES/$1.jsonl" "$2" >"$SESSION"
	[ ! -e "$FIXTURES/$1.head.json" ] || cp "$FIXTURES/$1.head.json" "$DIR/session.head.json"
	mount_session "${@:3}"
	readlink "$MNT/HEAD"
	all_can_be_read
}

# bats test_tags=full
@test "members of any type: claude" {
	mutated_can_be_read claude-basic uuid
}

# bats test_tags=full
@test "members of any type: claude's boundaries and pins" {
	mutated_can_be_read claude-compact uuid
	unmount
	daemon_is_gone
	mutated_can_be_read claude-pinned uuid
}

# bats test_tags=full
@test "members of any type: draft-uuid" {
	mutated_can_be_read draft000-uuid uuid
}

# bats test_tags=full
@test "members of any type: draft-index" {
	mutated_can_be_read draft003-index ""
}

# bats test_tags=full
@test "members of any type: go-tree" {
	mutated_can_be_read go-tree id
}

# bats test_tags=full
@test "members of any type: omp" {
	mutated_can_be_read omp-v3-basic id
}

# bats test_tags=full
@test "members of any type: lines" {
	mutated_can_be_read pi-v1-linear "" -o dialect=lines
}

# bats test_tags=large,full
@test "JSON nested 100,000 deep, in every dialect" {
	local deep close dialect id top=$MNT
	printf -v deep '%0100000d' 0
	close=${deep//0/]}
	deep=${deep//0/[}$close
	mkdir "$DIR/all"
	SESSION=$DIR/all/draft-uuid.jsonl write_uuid_draft '{"type":"future","uuid":"deep","parentUuid":"s1","x":'"$deep"'}'
	SESSION=$DIR/all/draft-index.jsonl write_index_draft '{"type":"future","parent":0,"x":'"$deep"'}'
	SESSION=$DIR/all/go-tree.jsonl write_go_tree "" "$(go_entry 1 "" custom.x "{\"x\":$deep}")"
	SESSION=$DIR/all/claude.jsonl write_lines "$(claude_user 2 "" one)" "$(claude_line 1 "" future "\"x\":$deep")"
	start "$SESSFS" "$DIR/all" "$MNT"
	while read -r dialect id; do
		MNT=$top/$dialect
		read_as "$dialect"
		cat "$MNT/by-id/$id"/{context.txt,meta,context.json} "$MNT/tree.txt" >/dev/null
		cat "$MNT/by-id/$id/content" >"$DIR/$dialect.content"
		cat "$MNT/by-id/$id/branch.jsonl" >"$DIR/$dialect.branch"
		[ -s "$MNT/by-id/$id/context.json" ]
	done <<-END
		draft-uuid deep
		draft-index 1
		go-tree $(ulid 1)
		claude $(uuid 1)
	END
	MNT=$top
	# Each has the 200,000 brackets.
	find "$DIR" -maxdepth 1 -type f -size +200000c >"$DIR/large"
	has_lines 8 "$DIR/large"
}

# A chain of 30,000 messages: how a line is printed, what stands before them.
write_long() {
	needs python3
	python3 - "$SESSION" "$@" <<-'PY'
	import sys
	path, line, *first = sys.argv[1:]
	with open(path, "w") as f:
	    for l in first:
	        f.write(l + "\n")
	    for i in range(1, 30001):
	        f.write(line.replace("PARENT", "%05d" % (i - 1)).replace("NUMBER", str(i - 1)).replace("ID", "%05d" % i) + "\n")
	PY
}

long_can_be_read() {
	timeout 60 "$SESSFS" "$SESSION" "$MNT"
	read_as "$1"
	timeout 60 cat "$MNT/by-id/$2/context.txt" >"$DIR/context"
	is "[User]: entry 30000" tail -n 1 "$DIR/context"
	[ "$(timeout 60 wc -l <"$MNT/by-id/$2/branch.jsonl")" -ge 30000 ]
	is 30000 bash -c "timeout 60 grep -c entry '$MNT/tree.txt'"
	unmount
	daemon_is_gone
}

# bats test_tags=large,full
@test "a chain of 30,000, in every dialect" {
	write_long '{"type":"message","uuid":"ID","parentUuid":"PARENT","message":{"role":"user","content":"entry ID"}}' \
		'{"type":"session","version":2,"uuid":"00000","parentUuid":null,"id":"x","cwd":"/"}'
	long_can_be_read draft-uuid 30000
	write_long '{"type":"message","parent":NUMBER,"message":{"role":"user","content":"entry ID"}}' \
		'{"type":"session","id":"x","parent":-1,"cwd":"/"}'
	long_can_be_read draft-index 30000
	write_long '{"id":"01HZZZZZZZ00000000000ID","parentId":"01HZZZZZZZ00000000000PARENT","kind":"turn.user","ts":"2026-05-01T00:00:01Z","payload":{"text":"entry ID"}}' \
		'{"id":"01HZZZZZZZ0000000000000000","kind":"custom.x","ts":"2026-05-01T00:00:01Z","payload":{}}'
	long_can_be_read go-tree 01HZZZZZZZ0000000000030000
	write_long '{"parentUuid":"PARENT","isSidechain":false,"sessionId":"5e55f500-0000-4000-8000-000000000001","type":"user","message":{"role":"user","content":"entry ID"},"uuid":"ID","timestamp":"2026-03-01T10:00:01.000Z"}' \
		'{"parentUuid":null,"isSidechain":false,"sessionId":"5e55f500-0000-4000-8000-000000000001","type":"system","subtype":"x","uuid":"00000","timestamp":"2026-03-01T10:00:01.000Z"}'
	long_can_be_read claude 30000
}
