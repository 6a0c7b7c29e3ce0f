# What meta says, as extended attributes.

load helpers

# "KEY: VALUE" lines, as in meta, of a file's attributes.
attributes() {
	python3 - "$1" <<-'PY'
	import os, sys
	path = os.fsencode(sys.argv[1])
	for name in os.listxattr(path):
	    assert name.startswith("user.sessfs."), name
	    value = os.getxattr(path, name).decode()
	    print(f"{name[len('user.sessfs.'):]}: {value}")
	PY
}

value() {
	getfattr --absolute-names --only-values -n "user.sessfs.$1" "$2"
}

# The errno by which an attribute can't be had.
errno_of() {
	python3 - "$@" <<-'PY'
	import errno, os, sys
	try:
	    os.getxattr(sys.argv[2], sys.argv[1])
	except OSError as e:
	    print(errno.errorcode[e.errno])
	PY
}

@test "an entry's attributes are the lines of its meta, in every dialect" {
	local fixture entry
	for fixture in "$FIXTURES"/*.jsonl; do
		mount_fixture "${fixture##*/}"
		for entry in "$MNT"/by-id/*/; do
			attributes "$entry" | diff "$entry/meta" -
		done
		unmount
		daemon_is_gone
	done
}

@test "both folders of an entry have them, and the files in them; nothing else" {
	mount_fixture pi-v3-branches.jsonl
	local at file
	at=$(cd "$MNT/HEAD" && pwd -P)
	for file in "$at" "$at"/{content,label,meta,raw.json,context.txt}; do
		attributes "$file" | diff "$at/meta" -
	done
	for at in "$MNT"/tree/*; do
		attributes "$at" | diff "$at/meta" -
	done
	for file in "$MNT" "$MNT"/{info,tree.txt,tree,by-id,by-label}; do
		attributes "$file" >"$DIR/none"
		[ ! -s "$DIR/none" ]
		is ENODATA errno_of user.sessfs.id "$file"
	done
}

@test "getfattr prints them, for scripts" {
	mount_fixture pi-v3-branches.jsonl
	[ "by-id/$(value id "$MNT/HEAD/")" = "$(readlink "$MNT/HEAD")" ]
	getfattr -d "$MNT/HEAD/" | grep -qx 'user.sessfs.type="message"'
	find "$MNT/by-id" -mindepth 1 -maxdepth 1 -type d -exec \
		getfattr --only-values -n user.sessfs.line {} + >"$DIR/lines"
	grep -q . "$DIR/lines"
}

@test "what is not there, and what can't be set" {
	mount_fixture pi-v3-branches.jsonl
	is ENODATA errno_of user.sessfs.none "$MNT/HEAD"
	is ENODATA errno_of user.sessfs. "$MNT/HEAD"
	is ENODATA errno_of user.other "$MNT/HEAD"
	is ENOTSUP errno_of security.selinux "$MNT/HEAD"
	run setfattr -n user.sessfs.role -v x "$MNT/HEAD/content"
	[ "$status" -ne 0 ]
	[[ "$output" = *"not supported"* ]]
	run setfattr -x user.sessfs.role "$MNT/HEAD/content"
	[ "$status" -ne 0 ]
}

@test "a value that no attribute can hold is in meta only" {
	python3 - "$SESSION" <<-'PY'
	import json, sys
	rows = [{"type": "session", "version": 3, "id": "s", "timestamp": "2026-03-01T10:00:00.000Z", "cwd": "/"}]
	for n in 65536, 65537:
	    rows.append({"type": "message", "id": "%08d" % n, "parentId": None, "timestamp": "2026-03-01T10:00:00.000Z",
	                 "message": {"role": "bashExecution", "command": "x" * n, "output": ""}})
	open(sys.argv[1], "w").write("".join(json.dumps(r) + "\n" for r in rows))
	PY
	mount_session
	[ "$(value command "$MNT/by-id/00065536" | wc -c)" -eq 65536 ]
	is E2BIG errno_of user.sessfs.command "$MNT/by-id/00065537"
	getfattr -d "$MNT/by-id/00065537" >"$DIR/all"
	grep -q role= "$DIR/all"
	if grep -q command= "$DIR/all"; then return 1; fi
}

@test "they are what meta says when the session has changed" {
	mount_fixture pi-v1-linear.jsonl
	local at
	at=$MNT/by-id/$(ls "$MNT/by-id" | head -n 1)
	attributes "$at" | diff "$at/meta" -
	echo kept >"$at/label"
	attributes "$at" | diff "$at/meta" -
	cp "$FIXTURES/pi-v3-branches.jsonl" "$DIR/other"
	mv "$DIR/other" "$SESSION"
	attributes "$MNT/HEAD/" | diff "$MNT/HEAD/meta" -
}

@test "no session of a folder is read to say that its root has none" {
	mkdir "$DIR/all"
	local i
	for i in {1..5}; do cp "$FIXTURES/pi-v3-branches.jsonl" "$DIR/all/$i.jsonl"; done
	"$SESSFS" "$DIR/all" "$MNT"
	for i in {1..5}; do
		is ENOTSUP errno_of security.selinux "$MNT/$i"
		is ENODATA errno_of user.sessfs.id "$MNT/$i"
		[ -z "$(getfattr -d "$MNT/$i")" ]
	done
	is 0 bash -c "ls -l /proc/$(daemon_of_all)/fd | grep -c '\.jsonl' || :"
}

daemon_of_all() {
	pgrep -f "sessfs $DIR/all"
}
