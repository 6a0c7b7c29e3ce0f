# The files of a mount: names, attributes, sizes, links.
load lib/mount
load lib/run
load lib/pi

# Rules: R1
@test "the root lists HEAD, the files and the six folders" {
	mount_fixture pi-v3-branches.jsonl
	is "HEAD
branches
by-file
by-id
by-label
context.txt
info
name
path
tree
tree.txt" env LC_ALL=C ls ${IN_FOLDER:+-I forks} "$MNT"
	[ -f "$MNT/context.json" ]
	[ -d "$MNT/as" ]
	[ -f "$MNT/append" ]
	[ -f "$MNT/tree.html" ]
}

# Rules: E2
@test "by-id has every entry, in file order" {
	mount_fixture pi-v3-branches.jsonl
	is "$(sed -n 's/.*"id":"\(aa[0-9]*\)".*/\1/p' "$SESSION")" \
		ls -U "$MNT/by-id"
}

# Rules: E1
@test "an entry folder lists content, label, meta and the parent, and hides the rest" {
	mount_fixture pi-v3-branches.jsonl
	is "aa000009
aa000012
content
label
meta
parent" env LC_ALL=C ls "$MNT/by-id/aa000008"
	is "aa000009
aa000012
content
label
meta" env LC_ALL=C ls "$MNT/tree/aa000001/aa000003/aa000004/aa000005/aa000006/aa000007/aa000008"
	local f
	for f in context.txt context.json branch.jsonl raw.json words as/openai.json; do
		[ -f "$MNT/by-id/aa000008/$f" ]
		[ -f "$MNT/tree/aa000001/aa000003/$f" ]
	done
	fails_with "No such file" stat "$MNT/by-id/aa000001/parent"
	fails_with "No such file" stat "$MNT/tree/aa000001/aa000003/parent"
	fails_with "No such file" stat "$MNT/by-id/aa000001/aa000004"
}

@test "children are folders in tree and links in by-id, and lead up and down" {
	mount_fixture pi-v3-branches.jsonl
	[ -d "$MNT/tree/aa000001/aa000003" ]
	[ ! -L "$MNT/tree/aa000001/aa000003" ]
	is ../aa000003 readlink "$MNT/by-id/aa000001/aa000003"
	is ../aa000001 readlink "$MNT/by-id/aa000003/parent"
	is "list the files" cat "$MNT/by-id/aa000001/aa000003/aa000004/content"
	cd "$MNT/HEAD/parent"
	is "part one, 
part two

[image/png 8 bytes: 1.png]" cat content
}

@test "both views have the same entries, nested as in the file" {
	mount_fixture pi-v3-branches.jsonl
	is "$(env LC_ALL=C ls "$MNT/by-id")" bash -c \
		"find '$MNT/tree' -mindepth 1 -type d -printf '%f\n' | LC_ALL=C sort"
	run find "$MNT/tree" -name aa000011 -printf '%P\n'
	[ "$output" = aa000001/aa000003/aa000004/aa000005/aa000006/aa000007/aa000008/aa000009/aa000010/aa000011 ]
}

@test "branches has a link to each tip, by-label one to each label" {
	mount_fixture pi-v3-branches.jsonl
	is "aa000011
aa000025" ls "$MNT/branches"
	is ../by-id/aa000011 readlink "$MNT/branches/aa000011"
	is "dead end
good" ls "$MNT/by-label"
	is "../by-id/aa000008" readlink "$MNT/by-label/good"
	is "B is worse." cat "$MNT/by-label/dead end/content"
	fails_with "No such file" ls "$MNT/branches/aa000001"
}

@test "every size is exact before the first read" {
	needs python3
	mount_fixture pi-v3-branches.jsonl
	cd "$MNT"
	local f
	find . -type f >"$DIR/files"
	printf '%s\n' ./context.json ./tree.html >>"$DIR/files"
	for f in context.txt context.json branch.jsonl raw.json words; do
		find by-id -mindepth 1 -maxdepth 1 -type d -printf "%p/$f\n"
	done >>"$DIR/files"
	unmount_and_mount_again
	python3 - "$MNT" "$DIR/files" <<-'PY'
	import os, sys
	for name in open(sys.argv[2]).read().splitlines():
	    path = os.path.join(sys.argv[1], name)
	    size = os.stat(path).st_size
	    with open(path, "rb") as f:
	        opened = os.fstat(f.fileno()).st_size
	        n = len(f.read())
	    if not size == opened == n:
	        sys.exit(f"{name}: {size} and {opened}, not {n}")
	PY
	[ "$(wc -l <"$DIR/files")" -gt 200 ]
}

unmount_and_mount_again() {
	cd /
	unmount
	daemon_is_gone
	mount_session
}

# Rules: E2
@test "owner, group and mode are the session's" {
	local whose
	cp "$FIXTURES/pi-v3-branches.jsonl" "$SESSION"
	chmod 640 "$SESSION"
	whose=$(give_away "$SESSION")
	mount_session
	is "$whose dr-xr-x---" stat -c '%u:%g %A' "$MNT/tree"
	is "$whose drwxr-x---" stat -c '%u:%g %A' "$MNT"
	is "$whose drwxr-x---" stat -c '%u:%g %A' "$MNT/by-id/aa000004"
	is "$whose dr-xr-x---" stat -c '%u:%g %A' "$MNT/tree/aa000001"
	is "$whose -r--r-----" stat -c '%u:%g %A' "$MNT/by-id/aa000004/content"
	is "$whose -rw-r-----" stat -c '%u:%g %A' "$MNT/by-id/aa000004/label"
	is "$whose -rw-r-----" stat -c '%u:%g %A' "$MNT/name"
	is "$whose --w-------" stat -c '%u:%g %A' "$MNT/append"
	is "$whose lrwxrwxrwx" stat -c '%u:%g %A' "$MNT/HEAD"
	chmod 600 "$SESSION"
	is "-r--------" stat -c %A "$MNT/by-id/aa000004/content"
	chmod 664 "$SESSION"
	is "--w--w----" stat -c %A "$MNT/append"
}

# Rules: E2
@test "mtimes are the entries' own" {
	mount_fixture pi-v3-branches.jsonl
	is "2026-03-01 10:00:03.000000000 +0000" env TZ=UTC stat -c %y "$MNT/by-id/aa000004/content"
	is "2026-03-01 10:00:23.000000000 +0000" env TZ=UTC stat -c %y "$MNT/by-id/aa000025"
	is "aa000003" bash -c "cd '$MNT/by-id' && find . -maxdepth 1 -type d ! -newermt '2026-03-01 10:00:02.5 UTC' -newermt '2026-03-01 10:00:01.5 UTC' -printf '%f\n'"
}

@test "inode numbers are the same at the next mount, and no two files share one" {
	mount_fixture pi-v3-branches.jsonl
	(cd "$MNT" && find . -printf '%i %p\n' | sort -k2) >"$DIR/before"
	unmount
	daemon_is_gone
	mount_session
	(cd "$MNT" && find . -printf '%i %p\n' | sort -k2) >"$DIR/after"
	diff "$DIR/before" "$DIR/after"
	# Files of an entry are in both views, as hard links are; folders are not.
	[ -z "$(find "$MNT" -type d -printf '%i\n' | sort | uniq -d)" ]
	is 2 stat -c %h "$MNT/by-id/aa000004/content"
	[ "$MNT/by-id/aa000003/content" -ef "$MNT/tree/aa000001/aa000003/content" ]
}

@test "a walk of one view reads every entry once" {
	mount_fixture pi-v3-branches.jsonl
	is 1 bash -c "grep -r 'B is worse' '$MNT/by-id' | wc -l"
	is 1 bash -c "grep -r 'B is worse' '$MNT/tree' | wc -l"
}

@test "df shows the session's size and the disk's free space" {
	mount_fixture pi-v3-branches.jsonl
	run df --output=used,avail -B1 "$MNT"
	[ "$status" -eq 0 ]
	read -r used avail <<<"${lines[1]}"
	[ "$used" -ge "$(stat -c %s "$SESSION")" ]
	[ "$used" -lt 100000 ]
	[ "$avail" -gt 0 ]
}

@test "df -i does not say that the disk is full" {
	mount_fixture pi-v3-branches.jsonl
	mkdir "$DIR/all" "$DIR/around"
	cp "$SESSION" "$DIR/all"
	start "$SESSFS" "$DIR/all" "$DIR/around"
	local at
	for at in "$MNT" "$MNT/by-id" "$DIR/around" "$DIR/around/session"; do
		is "IUse%
    -" df --output=ipcent "$at"
	done
}

@test "raw.json is the entry's own line" {
	mount_fixture pi-v3-branches.jsonl
	local i=1
	while read -r line; do
		i=$((i + 1))
		cmp <(sed -n "${i}p" "$SESSION") "$MNT/by-id/$line/raw.json"
	done < <(ls -U "$MNT/by-id")
	[ "$i" -eq 25 ]
}

# Rules: E4
@test "ids that are no names are escaped, one to one, and found again" {
	write_session "$(user a/b "" one)" "$(user 'a\u0000b' "" two)" \
		"$(user .. "" three)" "$(user content "" four)" \
		"$(user '%2F' "" five)" "$(user / "" six)" \
		"$(user 'new\nline' "" seven)" "$(user 1.png "" eight)" \
		"$(user '\ud83d' "" nine)" "$(user 'größe 100%' "" ten)" \
		"$(user "$(printf 'x%.0s' {1..300})" "" eleven)" \
		"$(user "$(printf 'x%.0s' {1..301})" "" twelve)"
	mount_session
	is "a%2Fb
a%00b
%2E.
%63ontent
%252F
%2F
new%0Aline
%31.png
%ED%A0%BD
größe 100%" bash -c "ls -U '$MNT/by-id' | grep -v xxx"
	is "one two three four five six seven eight nine ten eleven twelve" bash -c \
		"cd '$MNT/by-id' && ls -U | while read -r d; do cat \"\$d/content\"; done | paste -sd' '"
	is 12 bash -c "ls '$MNT/tree' | wc -l"
	is 255 bash -c "ls '$MNT/by-id' | awk '{ if (length > n) n = length } END { print n }'"
	is "by-id/$(ls -U "$MNT/by-id" | tail -n 1)" readlink "$MNT/HEAD"
}

@test "-o color: tree.txt is the same text, with times, in colors that less -R shows" {
	mount_fixture pi-v3-branches.jsonl
	cp "$MNT/tree.txt" "$DIR/plain"
	not grep -q $'\033' "$DIR/plain"
	unmount
	mount_session -o color
	grep -q $'\033\[1;33maa000001 ' "$MNT/tree.txt"
	is "$(stat -c %s "$MNT/tree.txt")" bash -c "wc -c <'$MNT/tree.txt'"
	sed 's/\x1b\[2m[0-9][0-9]-[0-9][0-9] [0-9][0-9]:[0-9][0-9] \x1b\[m//; s/\x1b\[[0-9;]*m//g' "$MNT/tree.txt" |
		diff "$DIR/plain" -
	# The time is the reader's own.
	grep -q "aa000001 .*$(date -d "$(sed -n 's/^timestamp: //p' "$MNT/by-id/aa000001/meta")" '+%m-%d %H:%M')" "$MNT/tree.txt"
}
