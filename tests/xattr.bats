# The lines of meta as extended attributes.

load lib/mount
load lib/run

setup() {
	needs_mounts
	needs getfattr setfattr python3
	make_folder
}

# Fails unless the attributes of each file are the lines of the meta beside it
# or in it.
are_as_meta() {
	python3 - "$@" <<-'PY'
	import os, sys
	for path in sys.argv[1:]:
	    rows = "".join(f"{name[len('user.sessfs.'):]}: {os.getxattr(path, name).decode()}\n"
	                   for name in os.listxattr(path) if name.startswith("user.sessfs.") or sys.exit(name))
	    meta = open(os.path.join(path if os.path.isdir(path) else os.path.dirname(path), "meta")).read()
	    if rows != meta:
	        sys.exit(f"{path}: attributes:\n{rows}meta:\n{meta}")
	PY
}

value() {
	getfattr --absolute-names --only-values -n "user.sessfs.$1" "$2"
}

# The errno of getting each attribute of each file: NAME FILE...
errno_of() {
	python3 - "$@" <<-'PY'
	import errno, os, sys
	for name, path in zip(sys.argv[1::2], sys.argv[2::2]):
	    try:
	        os.getxattr(path, name)
	    except OSError as e:
	        print(errno.errorcode[e.errno])
	PY
}

# Rules: E3
@test "an entry's attributes are the lines of its meta, in every dialect" {
	mkdir "$DIR/all"
	cp "$FIXTURES"/*.jsonl "$FIXTURES"/*.head.json "$DIR/all"
	"$SESSFS" "$DIR/all" "$MNT"
	local read=("$MNT"/*/by-id/*/)
	# One of each fixture at least.
	[ ${#read[@]} -gt 100 ]
	are_as_meta "${read[@]}"
}

@test "both folders of an entry and the files in them have attributes; other files do not" {
	mount_fixture pi-v3-branches.jsonl
	local at file others=()
	at=$(cd "$MNT/HEAD" && pwd -P)
	are_as_meta "$at" "$at"/{content,label,meta,raw.json,context.txt} "$MNT"/tree/*
	for file in "$MNT" "$MNT"/{info,tree.txt,tree,by-id,by-label}; do
		others+=(user.sessfs.id "$file")
	done
	getfattr -d -m - "$MNT" "$MNT"/{info,tree.txt,tree,by-id,by-label} >"$DIR/none"
	[ ! -s "$DIR/none" ]
	is $'ENODATA\nENODATA\nENODATA\nENODATA\nENODATA\nENODATA' errno_of "${others[@]}"
}

@test "getfattr prints them, for scripts" {
	mount_fixture pi-v3-branches.jsonl
	[ "by-id/$(value id "$MNT/HEAD/")" = "$(readlink "$MNT/HEAD")" ]
	getfattr -d "$MNT/HEAD/" | grep -qx 'user.sessfs.type="message"'
	find "$MNT/by-id" -mindepth 1 -maxdepth 1 -type d -exec \
		getfattr --only-values -n user.sessfs.line {} + >"$DIR/lines"
	grep -q . "$DIR/lines"
}

@test "attributes that do not exist, and that can't be set" {
	mount_fixture pi-v3-branches.jsonl
	is $'ENODATA\nENODATA\nENODATA\nENOTSUP' errno_of user.sessfs.none "$MNT/HEAD" \
		user.sessfs. "$MNT/HEAD" user.other "$MNT/HEAD" security.selinux "$MNT/HEAD"
	fails_for_root_with "not supported" setfattr -n user.sessfs.role -v x "$MNT/HEAD/content"
	run setfattr -x user.sessfs.role "$MNT/HEAD/content"
	[ "$status" -ne 0 ]
}

# Rules: E3
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
	not grep -q command= "$DIR/all"
}

@test "attributes follow meta when the session changes" {
	mount_fixture pi-v1-linear.jsonl
	local at
	at=$MNT/by-id/$(ls "$MNT/by-id" | head -n 1)
	are_as_meta "$at"
	echo kept >"$at/label"
	are_as_meta "$at"
	cp "$FIXTURES/pi-v3-branches.jsonl" "$DIR/other"
	mv "$DIR/other" "$SESSION"
	are_as_meta "$MNT/HEAD/"
}

@test "listing attributes of a session's root does not read the session" {
	mkdir "$DIR/all"
	local i
	for i in {1..5}; do cp "$FIXTURES/pi-v3-branches.jsonl" "$DIR/all/$i.jsonl"; done
	"$SESSFS" "$DIR/all" "$MNT"
	is $'ENOTSUP\nENODATA\nENOTSUP\nENODATA' errno_of security.selinux "$MNT/1" user.sessfs.id "$MNT/1" \
		security.selinux "$MNT/5" user.sessfs.id "$MNT/5"
	getfattr -d "$MNT"/{1..5} >"$DIR/none"
	[ ! -s "$DIR/none" ]
	is 0 bash -c "ls -l /proc/$(daemon_of_all)/fd | grep -c '\.jsonl' || :"
}

daemon_of_all() {
	pgrep -f "sessfs $DIR/all"
}
