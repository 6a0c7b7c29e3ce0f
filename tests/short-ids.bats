# Ids as grep and log print them: short, and good for whatever takes an entry.
load lib/mount
load lib/run
load lib/pi

ONE=deadbeef-0000-4000-8000-000000000001
TWO=deadbeef-0002-4000-8000-000000000002
TIP=cafe0003-0000-4000-8000-000000000003

setup() {
	needs_mounts
	make_folder
	make_home
	export TZ=UTC
	write_session "$(user $ONE "" one)" "$(user $TWO $ONE two)" "$(user $TIP $ONE three)"
	cd "$DIR" || return
}

# The ids of what `sessfs grep` and `sessfs log` head entries with.
printed() {
	is "\
by-id/deadbeef-0000  2026-03-01 10:00  user  HEAD
by-id/deadbeef-0002  2026-03-01 10:00  user  branches/deadbeef-0002
by-id/cafe0003  2026-03-01 10:00  user  HEAD" bash -c "'$SESSFS' grep --heading . '$1' | grep ^by-id/"
	is "entry cafe0003 (HEAD) entry deadbeef-0000" \
		bash -c "'$SESSFS' log '$1' | grep ^entry | paste -sd ' '"
}

# taken HEAD ENTRY...: each is the second entry.
taken() {
	local entry
	for entry in "${@:2}"; do
		is "entry deadbeef-0002" bash -c "'$SESSFS' log -n 1 '$entry' | grep ^entry"
		is "entry deadbeef-0002" bash -c "'$SESSFS' log -n 1 --after $ONE '$entry' | grep ^entry"
		helper resume "$entry" >"$DIR/out"
		grep -q "$TWO" "$DIR/out"
		run -1 helper diff "$entry" "$1"
		[ "${lines[0]}" = "--- $TWO" ]
	done
}

@test "short ids are printed of a file, and taken" {
	printed session.jsonl
	for at in session session.jsonl; do
		is "entry deadbeef-0002" bash -c "'$SESSFS' log -n 1 $at/by-id/deadbeef-0002 | grep ^entry"
		is "$at/by-id/$TWO/content:1:two" helper grep t "$at/by-id/deadbeef-0002"
		fails_in_a_line "deadbeef: several entries start with this" 1 helper log "$at/by-id/deadbeef"
		fails_in_a_line "deadbeef-3: no such entry" 1 helper log "$at/by-id/deadbeef-3"
	done
}

@test "short ids are printed of a mount, and taken" {
	mount_session
	printed mnt
	taken mnt mnt/by-id/deadbeef-0002
	is "mnt/by-id/$TWO/content:1:two" helper grep t mnt/by-id/deadbeef-0002
	fails_in_a_line "deadbeef: several entries start with this" 1 helper log mnt/by-id/deadbeef
	fails_in_a_line "no such entry" 1 helper log mnt/by-id/deadbeef-3
	cd mnt
	taken HEAD deadbeef-0002 by-id/deadbeef-0002 branches/deadbeef-0002
	is "by-id/$TWO" helper switch <<<branches/deadbeef-0002 2>/dev/null
	is "by-id/$TIP" helper switch <<<cafe0003 2>/dev/null
	ln -sfn branches/deadbeef-0002 HEAD
	head_is "by-id/$TWO"
	# The first is no tip.
	fails_with "No such file or directory" ln -sfn branches/deadbeef-0000 HEAD
}
