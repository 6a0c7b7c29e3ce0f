# Which dialect a file is read as, through a mount, and -o dialect. The rules are cases of
# corpus/: sessfs-formats(5).
load lib/mount
load lib/run
load lib/pi
load lib/claude

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
