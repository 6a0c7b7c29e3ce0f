# What a PATH and an ENTRY can be.
load lib/mount
load lib/run
load lib/pi

setup() {
	needs_mounts
	make_folder
	make_home
}

# The session of the fixture is found from the working directory, or from a PATH.
finds_it() {
	helper log --tree "$@" | cmp - "$DIR/want"
}

@test "a session is found from anywhere in its mount" {
	mount_fixture pi-v3-branches.jsonl
	local at
	cp "$MNT/tree.txt" "$DIR/want"
	for at in "" by-id by-id/aa000004 tree/aa000001/aa000003 HEAD by-label/good; do
		[ "$at" = by-id ] || finds_it "$MNT/$at"
		(cd "$MNT/$at" && finds_it)
	done
	finds_it "$MNT/HEAD/content"
	cd "$DIR"
	finds_it mnt/HEAD
	fails_in_a_line "not in a mounted session, and none that sessfs open has printed for it is there" 1 helper log
	fails_in_a_line "home: is a folder, not a session" 2 helper log home
	fails_in_a_line "mnt/nothing: no such entry" 1 helper log mnt/nothing
}

# names_entry ID SPELLING
names_entry() {
	helper log -n 1 -- "$2" >"$DIR/entry"
	is "$1" sed -n '/^entry /{s///; s/ (.*//; p}' "$DIR/entry"
}

@test "an entry is an id or its start, a label, a branch, or a path" {
	mount_fixture pi-v3-branches.jsonl
	cd "$MNT/by-id"
	names_entry aa000004 aa000004
	names_entry aa000004 ./aa000004
	names_entry aa000004 by-id/aa000004/content
	names_entry aa000025 HEAD
	names_entry aa000024 HEAD/parent
	names_entry aa000008 good
	names_entry aa000011 "dead end"
	names_entry aa000011 branches/aa000011
	names_entry aa000003 tree/aa000001/aa000003
	names_entry aa000003 "$MNT/tree/aa000001/aa000003"
	names_entry aa000025 "$MNT"
	cd aa000005
	names_entry aa000005 .
	names_entry aa000006 ./aa000006
	cd "$DIR"
	names_entry aa000006 mnt/by-id/aa000006
	fails_in_a_line "not in a mounted session" 1 helper log HEAD
	cd "$MNT"
	fails_in_a_line "aa00: several entries start with this" 1 helper log aa00
	fails_in_a_line "aa: no such entry" 1 helper log aa
	fails_in_a_line "by-id: no such entry" 1 helper log by-id
	fails_in_a_line "HEAD/nothing: no such entry" 1 helper log HEAD/nothing
}

@test "ids that look like something else do not mislead" {
	write_session "$(user HEAD "" x)" "$(user by-id HEAD x)" "$(user info HEAD x)" \
		"$(user -n info x)" "$(user 50%41 -n x)" "$(user "it's *" 50%41 x)"
	mount_session
	cd "$MNT/by-id/HEAD"
	names_entry HEAD .
	names_entry by-id by-id
	names_entry -n -n
	names_entry "50%2541" "50%2541"
	names_entry "it's *" "it's *"
	names_entry "it's *" HEAD
	fails_in_a_line "no such entry" 1 helper log "*"
}

@test "an entry is found where paths are longer than any" {
	needs python3
	write_many chain 1000
	mount_session
	helper log "$MNT/by-id/000003e7" >"$DIR/want"
	python3 - "$MNT/tree" "$SESSFS" log . >"$DIR/found" <<-'PY'
	import os, sys
	os.chdir(sys.argv[1])
	for i in range(1000):
	    os.chdir("%08x" % i)
	os.execv(sys.argv[2], sys.argv[2:])
	PY
	cmp "$DIR/want" "$DIR/found"
}

@test "a session's name has no effect on the terminal where an entry is not found" {
	SESSION=$DIR/$'a\nb\e[31m.jsonl'
	write_session "$(user aa000001 "" x)"
	fails_in_a_line "sessfs: zzzz: no such entry in $DIR/a\\nb\\u001b[31m.jsonl" 1 helper resume zzzz "$SESSION"
}

@test "a folder that looks like a session, as somebody may make one in /tmp, is none" {
	cd "$DIR"
	mkdir -p fake/by-id fake/work
	write_session "$(user aa000001 "" mine)"
	printf 'file: %s\n' "$SESSION" >fake/info
	: >fake/append
	cd fake/work
	fails_in_a_line "fake/work: not in a mounted session" 1 helper log
	fails_in_a_line "not in a mounted session" 1 helper say secret
	fails_in_a_line "not in a mounted session" 1 helper resume
	fails_in_a_line "is a folder, not a session" 2 helper say secret "$DIR/fake"
	[ ! -s ../append ]
}
