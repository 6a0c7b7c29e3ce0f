# sessfs open: which session of a directory it mounts, and where.
load lib/mount
load lib/run
load lib/pi
load lib/claude

setup() {
	needs_mounts
	make_folder
	make_home
	mkdir "$HOME/my.proj"
	PI=$HOME/.pi/agent/sessions
	OMP=$HOME/.omp/agent/sessions
	CLAUDE=$HOME/.claude/projects
}

# The name of an agent's folder for a directory.
dashed() {
	tr / - <<<"${1#/}"
}

# Write a session of Pi with one entry of this text to a file.
session_in() {
	mkdir -p "${1%/*}"
	SESSION=$1 write_session "$(user aa000001 "" "$2")"
}

claude_session_in() {
	mkdir -p "${1%/*}"
	SESSION=$1 write_lines "$(claude_user 1 "" "$2")"
}

# The text of the session that sessfs open mounts, from a directory or for it.
opens() {
	(
		cd "$2"
		helper open >"$DIR/out"
		[ "$(wc -l <"$DIR/out")" -eq 1 ]
		is "$1" cat "$(cat "$DIR/out")/HEAD/content"
	)
}

@test "sessfs open mounts Pi's session of the directory, once" {
	session_in "$PI/--$(dashed "$HOME/my.proj")--/2026-01-01T00-00-00-000Z_a.jsonl" "from Pi"
	session_in "$PI/--$(dashed "$HOME")--/2026-02-01T00-00-00-000Z_b.jsonl" "from elsewhere"
	opens "from Pi" "$HOME/my.proj"
	local at
	at=$(helper open "$HOME/my.proj")
	[[ $at == "$XDG_RUNTIME_DIR"/sessfs/* ]]
	is "$at" helper open -- "$HOME/my.proj"
	cd "$HOME/my.proj"
	is "$at" helper root
	is "$at/by-id/aa000001" helper root -e HEAD
	(cd .. && fails_in_a_line "not in a mounted session, and sessfs open has printed none for it" 1 helper root)
	cd "$DIR"
	fusermount3 -u "$at"
	(cd "$HOME/my.proj" && fails_in_a_line "not in a mounted session" 1 helper root)
}

@test "a newer session is mounted beside the older one" {
	local folder old
	folder=$PI/--$(dashed "$HOME/my.proj")--
	session_in "$folder/2026-01-01T00-00-00-000Z_a.jsonl" old
	touch -d 2026-01-01 "$folder"/*_a.jsonl
	opens old "$HOME/my.proj"
	old=$(helper open "$HOME/my.proj")
	session_in "$folder/2026-02-01T00-00-00-000Z_b.jsonl" new
	: >"$folder/2026-03-01T00-00-00-000Z_empty.jsonl"
	opens new "$HOME/my.proj"
	is old cat "$old/HEAD/content"
	cd "$HOME/my.proj"
	[ "$(helper root)" != "$old" ]
	# The old session, continued, is the newest again.
	touch -d 2030-01-01 "$folder"/*_a.jsonl
	is "$old" helper open
	is "$old" helper root
}

@test "sessfs open mounts the newest session of Pi, oh-my-pi and Claude Code" {
	local work=$HOME/my.proj
	session_in "$PI/--$(dashed "$work")--/a.jsonl" pi
	session_in "$OMP/-my.proj/b.jsonl" omp
	claude_session_in "$CLAUDE/-$(dashed "$HOME" | tr . -)-my-proj/c.jsonl" claude
	claude_session_in "$CLAUDE/-$(dashed "$HOME" | tr . -)-my-proj/agent-d.jsonl" subagent
	touch -d 2026-01-01T00:00:03 "$CLAUDE"/*/agent-d.jsonl
	touch -d 2026-01-01T00:00:02 "$CLAUDE"/*/c.jsonl
	touch -d 2026-01-01T00:00:01 "$OMP"/*/b.jsonl
	touch -d 2026-01-01T00:00:00 "$PI"/*/a.jsonl
	opens claude "$work"
	rm "$CLAUDE"/*/c.jsonl
	opens omp "$work"
	rm "$OMP"/*/b.jsonl
	opens pi "$work"
}

@test "sessfs open knows oh-my-pi's names for folders" {
	mkdir -p "$HOME/a/b:c" "$DIR/tmp/x/y" "$DIR/abs" "$HOME/p" "$HOME/q"
	rm -rf "$OMP"
	session_in "$OMP/-/a.jsonl" home
	opens home "$HOME"
	session_in "$OMP/-a-b-c/a.jsonl" "below home"
	opens "below home" "$HOME/a/b:c"
	session_in "$OMP/-tmp-x-y/a.jsonl" temporary
	TMPDIR=$DIR/tmp opens temporary "$DIR/tmp/x/y"
	session_in "$OMP/--$(dashed "$DIR/abs")--/a.jsonl" absolute
	TMPDIR=$DIR/tmp opens absolute "$DIR/abs"
	session_in "$HOME/.omp/profiles/work/agent/sessions/-p/a.jsonl" profile
	opens profile "$HOME/p"
	session_in "$HOME/.local/share/omp/sessions/-q/a.jsonl" "by XDG"
	opens "by XDG" "$HOME/q"
}

@test "sessfs open knows Claude Code's names for folders" {
	mkdir -p "$HOME/a_b .c-é😀d"
	local home
	home=-$(dashed "$HOME" | tr . -)
	claude_session_in "$CLAUDE/$home-a-b--c----d/a.jsonl" dashes
	opens dashes "$HOME/a_b .c-é😀d"
	# Cut, with a hash that nobody here can make: the file tells.
	local long cut
	long=$(printf 'x%.0s' {1..220})
	mkdir -p "$HOME/$long"
	cut=$(printf %.200s "$home-$long")
	claude_session_in "$CLAUDE/$cut-h1/a.jsonl" other
	claude_session_in "$CLAUDE/$cut-h2/a.jsonl" this
	sed -i "s,/work/demo,$HOME/$long," "$CLAUDE/$cut-h2/a.jsonl"
	touch -d 2026-01-01 "$CLAUDE/$cut-h2/a.jsonl"
	opens this "$HOME/$long"
}

@test "sessfs open looks in the folders of the agents' variables" {
	local work=$HOME/my.proj
	unset PI_CODING_AGENT_SESSION_DIR
	export PI_CODING_AGENT_DIR=$DIR/agent CLAUDE_CONFIG_DIR=$DIR/claude
	session_in "$DIR/agent/sessions/--$(dashed "$work")--/a.jsonl" "another folder"
	opens "another folder" "$work"
	# shellcheck disable=SC2088 # it is the agent that expands it
	PI_CODING_AGENT_DIR='~/agent'
	session_in "$HOME/agent/sessions/--$(dashed "$work")--/a.jsonl" "by a tilde"
	opens "by a tilde" "$work"
	# All of Pi's in one folder: their headers tell.
	export PI_CODING_AGENT_SESSION_DIR=$DIR/flat
	session_in "$DIR/flat/a.jsonl" mine
	sed -i "s,/work/demo,$work," "$DIR/flat/a.jsonl"
	session_in "$DIR/flat/b.jsonl" "somebody's"
	opens mine "$work"
	claude_session_in "$DIR/claude/projects/-$(dashed "$work" | tr . -)/a.jsonl" claude
	touch -d 2030-01-01 "$DIR"/claude/projects/*/a.jsonl
	opens claude "$work"
	rm -r "$DIR/claude"
}

# bats test_tags=full
@test "sessfs open works for directories of any name" {
	local work
	for work in "$HOME/two words" "$HOME/-x" "$HOME/two"$'\n'"lines" "$HOME/it's \$(x) *"; do
		mkdir -p "$work"
		session_in "$PI/--$(dashed "$work")--/a.jsonl" odd
		(
			cd "$work"
			helper open >/dev/null
			is odd cat "$(helper root)/HEAD/content"
			is odd cat "$(helper root -e HEAD)/content"
			cd "$HOME"
			is odd cat "$(helper open -- "${work##*/}")/HEAD/content"
			fusermount3 -u "$(helper open "$work")"
		)
	done
}

@test "a mount whose daemon has died is replaced" {
	session_in "$PI/--$(dashed "$HOME/my.proj")--/a.jsonl" again
	opens again "$HOME/my.proj"
	cd "$HOME/my.proj"
	local at
	at=$(helper open)
	pgrep -f "sessfs .*$DIR/" | xargs kill -9
	wait_until sh -c "! ls '$at' >/dev/null 2>&1"
	fails_in_a_line "not in a mounted session" 1 helper root
	fails_in_a_line "not connected" 1 helper root "$at"
	opens again .
	is "$at" helper root
}

@test "sessfs open reports where it found no session, and what can't be mounted" {
	cd "$HOME/my.proj"
	fails_in_a_line "no session of $HOME/my.proj in $PI/--" 1 helper open
	fails_in_a_line "$CLAUDE/-" 1 helper open
	fails_in_a_line "nowhere: no such directory" 1 helper open nowhere
	session_in "$PI/--$(dashed "$HOME/my.proj")--/a.jsonl" x
	echo junk >"$PI/--$(dashed "$HOME/my.proj")--/a.jsonl"
	fails_in_a_line "a.jsonl" 1 helper open
	prints_nothing find "$XDG_RUNTIME_DIR/sessfs" -mindepth 2 -type d
	rm -r "$PI"
}

@test "sessfs open passes options on" {
	session_in "$PI/--$(dashed "$HOME/my.proj")--/a.jsonl" x
	local at
	at=$(helper open -o ro -o keep=2 "$HOME/my.proj")
	fails_with "Read-only file system" ln -sfn tree "$at/HEAD"
}

@test "sessfs open hands out no mount with other options than were asked for" {
	session_in "$PI/--$(dashed "$HOME/my.proj")--/a.jsonl" x
	local work=$HOME/my.proj plain guarded colored
	plain=$(helper open "$work")
	guarded=$(helper open -o ro "$work")
	colored=$(helper open -o color,keep=2 "$work")
	[ "$(mounted_here -t fuse.sessfs | wc -l)" -eq 3 ]
	grep -qx "writable: yes" "$plain/info"
	grep -qx "writable: no" "$guarded/info"
	fails_with "Read-only file system" ln -sfn tree "$guarded/HEAD"
	grep -q $'\e' "$colored/tree.txt"
	run -1 grep -q $'\e' "$plain/tree.txt"
	# Other helpers use the one printed last.
	(cd "$work" && is "$colored" helper root)
	is "$guarded" helper open -o ro "$work"
	(cd "$work" && is "$guarded" helper root)
	is "$plain" helper open "$work"
	is "$plain" helper open -o , "$work"
	(cd "$work" && is "$plain" helper root)
	# In any spelling.
	is "$colored" helper open -o keep=2 -o color "$work"
	is "$colored" helper open -o color,,keep=2,color "$work"
	# The last of two values counts.
	[ "$(helper open -o keep=3,keep=2 "$work")" != "$(helper open -o keep=2,keep=3 "$work")" ]
	unmount
	daemon_is_gone
}

# A fusermount3 that fails as it does for users where there is no /etc/mtab.
without_mtab() {
	mkdir -p "$DIR/bin"
	printf '#!/bin/sh\necho "fusermount3: failed to open /etc/mtab: No such file or directory" >&2\nexit 1\n' >"$DIR/bin/fusermount3"
	chmod 755 "$DIR/bin/fusermount3"
	PATH=$DIR/bin:$PATH "$@"
}

@test "a dead mount that can't be unmounted is an error with the reason" {
	session_in "$PI/--$(dashed "$HOME/my.proj")--/a.jsonl" again
	local at
	cd "$HOME/my.proj"
	at=$(helper open)
	pgrep -f "sessfs .*$DIR/" | xargs kill -9
	wait_until sh -c "! ls '$at' >/dev/null 2>&1"
	if [ "$(id -u)" -eq 0 ]; then
		is "$at" without_mtab helper open
		is again cat "$at/HEAD/content"
	else
		fails_in_a_line "failed to open /etc/mtab" 1 without_mtab helper open .
		fails_in_a_line "as root: ln -s /proc/self/mounts /etc/mtab" 1 without_mtab helper open .
		mounted_here | grep -qxF "$at"
	fi
	cd "$DIR"
	unmount
	daemon_is_gone
}

@test "several sessfs open at once make one mount" {
	session_in "$PI/--$(dashed "$HOME/my.proj")--/a.jsonl" x
	cd "$HOME/my.proj"
	local i pids=()
	for i in {1..5}; do
		helper open >"$DIR/out.$i" &
		pids+=($!)
	done
	for i in "${pids[@]}"; do wait "$i"; done
	[ "$(cat "$DIR"/out.? | sort -u | wc -l)" -eq 1 ]
	[ "$(mounted_here -t fuse.sessfs | wc -l)" -eq 1 ]
}

@test "the folder of the mounts may be a unit's of systemd" {
	mkdir -m 755 "$XDG_RUNTIME_DIR/sessfs"
	helper open --mounts
	chmod 700 "$XDG_RUNTIME_DIR/sessfs"
}

# bats test_tags=root
@test "a folder of another user in /tmp is not used" {
	needs_root
	local id=$((RANDOM + 200000)) at
	at=/tmp/sessfs-$id
	unset XDG_RUNTIME_DIR
	cd /
	[ ! -e "$at" ]
	setpriv --reuid="$id" --regid="$id" --clear-groups "$SESSFS" open --mounts
	is "700 $id" stat -c '%a %u' "$at"
	chmod 755 "$at"
	fails_in_a_line "$at: not a directory of yours" 1 \
		setpriv --reuid="$id" --regid="$id" --clear-groups "$SESSFS" open --mounts
	rm -r "$at"
	mkdir -m 700 "$at" # root's
	fails_in_a_line "$at: not a directory of yours" 1 \
		setpriv --reuid="$id" --regid="$id" --clear-groups "$SESSFS" open --mounts
	rm -r "$at"
	ln -s "$DIR" "$at"
	chown -h "$id" "$at"
	chown "$id" "$DIR"
	chmod 700 "$DIR"
	fails_in_a_line "$at: not a directory of yours" 1 \
		setpriv --reuid="$id" --regid="$id" --clear-groups "$SESSFS" open --mounts
	rm "$at"
	# Nor is one that belongs to who was root's caller.
	XDG_RUNTIME_DIR=$DIR "$SESSFS" open --mounts
	rmdir "/tmp/sessfs-$(id -u)" 2>/dev/null || : # root may have mounts there
}
