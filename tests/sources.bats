# sessfs sources, and that sessfs open looks where it says.
load lib/mount
load lib/run
load lib/pi

setup() {
	needs_mounts
	make_folder
	make_home
	mkdir "$HOME/my.proj"
	PI=$HOME/.pi/agent
	OMP=$HOME/.omp/agent/sessions
	WORK=$HOME/my.proj
	NAME=--$(tr / - <<<"${WORK#/}")--
}

# sources_are LINES OPTION...: lines of words, which are printed with tabs.
sources_are() {
	local lines=$1
	shift
	helper sources "$@" >"$DIR/out"
	is "$(tr ' ' '\t' <<<"$lines")" echo "$(cat "$DIR/out")"
}

# Write a session of Pi of a working directory with one entry of this text.
session_in() {
	mkdir -p "${1%/*}"
	SESSION=$1 write_session "$(user aa000001 "" "$3")"
	sed -i "s,/work/demo,$2," "$1"
}

opens() {
	(
		cd "$2"
		is "$1" cat "$(helper open)/HEAD/content"
	)
}

@test "sessfs sources prints the folders of all agents that exist" {
	sources_are "" # nothing exists
	sources_are "pi $PI/sessions
omp $OMP
claude $HOME/.claude/projects
codex $HOME/.codex/sessions
codex $HOME/.codex/archived_sessions" -m
	mkdir -p "$PI/sessions" "$OMP" "$HOME/.claude/projects" \
		"$HOME/.omp/profiles/p/agent/sessions" "$HOME/.local/share/omp/sessions"
	sources_are "pi $PI/sessions
omp $OMP
omp $HOME/.omp/profiles/p/agent/sessions
omp $HOME/.local/share/omp/sessions
claude $HOME/.claude/projects"
	sources_are "claude $HOME/.claude/projects" -a claude
	# One that two agents share is printed once.
	PI_CODING_AGENT_DIR=$DIR/both sources_are "" -a pi
	mkdir -p "$DIR/both/sessions"
	PI_CODING_AGENT_DIR=$DIR/both sources_are "pi $DIR/both/sessions" -a pi
	is 1 sh -c "PI_CODING_AGENT_DIR='$DIR/both' '$SESSFS' sources | grep -c both"
	PI_CODING_AGENT_DIR=$DIR/both sources_are "omp $DIR/both/sessions
omp $HOME/.omp/profiles/p/agent/sessions
omp $HOME/.local/share/omp/sessions" -a omp
	rm -r "$PI" "$HOME"/.[ocl]* "$DIR/both"
}

@test "with -c it prints those of one directory" {
	cd "$DIR"
	sources_are "pi $PI/sessions/$NAME
omp $OMP/-my.proj
claude $HOME/.claude/projects/-$(tr /. - <<<"${WORK#/}")
codex $HOME/.codex/sessions shared
codex $HOME/.codex/archived_sessions shared" -m -c home/my.proj
	CODEX_HOME=$DIR/codex sources_are "codex $DIR/codex/sessions
codex $DIR/codex/archived_sessions" -m -a codex
	mkdir -p "$PI/sessions/$NAME" "$PI/sessions/other"
	sources_are "pi $PI/sessions/$NAME" -c "$WORK"
	is "no such directory" sh -c "! '$SESSFS' sources -c nowhere 2>&1 | sed 's/.*: //'"
	fails_in_a_line "sessfs: other: no such agent; there are pi, omp, claude and codex" 2 helper sources -a other
	run -2 helper sources "$WORK"
	rm -r "$PI"
}

@test "Pi's setting sessionDir is followed as Pi does" {
	mkdir "$WORK/sub"
	local json dir
	mkdir -p "$PI/sessions" "$HOME/own" "$HOME/it's" "$DIR/é😀"
	session_in "$HOME/own/a.jsonl" "$WORK" "by the setting"
	session_in "$HOME/own/b.jsonl" "$DIR" "of another directory"
	session_in "$PI/sessions/$NAME/c.jsonl" "$WORK" "by default"
	touch -d 2040-01-01 "$PI/sessions/$NAME/c.jsonl"
	touch -d 2039-01-01 "$HOME/own/b.jsonl"
	opens "by default" "$WORK"
	# Only a member of the object itself counts, whatever else there is.
	cat >"$PI/settings.json" <<-'END'
		{ "a": {"sessionDir": "/nested"}, "b": ["sessionDir", "/x"], "c": "\"sessionDir\": \"/y\"",
		  "sessionDir"
		  : "~/own", "d": "}{\\", "theme": null }
	END
	sources_are "pi $HOME/own shared" -a pi -c "$WORK"
	sources_are "pi $HOME/own
pi $PI/sessions" -a pi
	opens "by the setting" "$WORK"
	# JSON's escapes, and a path from the working directory.
	while read -r json dir; do
		printf '{"sessionDir":"%s"}' "$json" >"$PI/settings.json"
		sources_are "pi $dir shared" -a pi -c "$WORK"
	done <<-END
		~/it\u0027s $HOME/it's
		$DIR/\u00e9\ud83d\ude00 $DIR/é😀
		$DIR\/\u00E9😀 $DIR/é😀
		sub $WORK/sub
	END
	printf '{"sessionDir":""}' >"$PI/settings.json"
	sources_are "pi $PI/sessions/$NAME" -a pi -c "$WORK"
	# Those of the directory come first, and the variable before both.
	mkdir "$WORK/.pi"
	printf '{"sessionDir":"sub"}' >"$WORK/.pi/settings.json"
	printf '{"sessionDir":"~/own"}' >"$PI/settings.json"
	sources_are "pi $WORK/sub shared" -a pi -c "$WORK"
	sources_are "pi $HOME/own shared" -a pi -c "$HOME"
	# shellcheck disable=SC2088 # it is the agent that expands it
	PI_CODING_AGENT_SESSION_DIR='~/own' sources_are "pi $HOME/own shared" -a pi -c "$WORK"
	printf '{"sessionDir":"' >"$WORK/.pi/settings.json"
	sources_are "pi $HOME/own shared" -a pi -c "$WORK"
	rm -r "$PI" "$WORK/.pi"
	unmount
	daemon_is_gone
}

hash() {
	printf %s "$1" | sha256sum | cut -d ' ' -f 1
}

@test "oh-my-pi's hashed folder names are known" {
	session_in "$OMP/home-my.proj-$(hash "$WORK")/a.jsonl" "$WORK" "by a hash"
	touch -d 2026-01-01 "$OMP"/*/a.jsonl # busybox compares seconds
	opens "by a hash" "$WORK"
	session_in "$HOME/.omp/profiles/p/agent/sessions/tmp-x-$(hash "$WORK")/a.jsonl" "$WORK" "in a profile"
	touch -d 2026-01-02 "$HOME"/.omp/profiles/p/agent/sessions/*/a.jsonl
	sources_are "omp $OMP/home-my.proj-$(hash "$WORK")
omp $HOME/.omp/profiles/p/agent/sessions/tmp-x-$(hash "$WORK")" -c "$WORK"
	opens "in a profile" "$WORK"
	session_in "$OMP/-my.proj/b.jsonl" "$WORK" "by a name"
	opens "by a name" "$WORK"
	sources_are "" -c "$HOME"
	rm -r "$HOME/.omp"
	unmount
	daemon_is_gone
}

@test "a folder with a tab, a newline or a backslash in its name is one field" {
	local dir
	for dir in $'tab\there' $'new\nline' 'back\slash' 'back\nslash'; do
		mkdir -p "$HOME/x/$dir"
		PI_CODING_AGENT_SESSION_DIR=$HOME/x/$dir helper sources -a pi >"$DIR/out"
		[ "$(printf %b "$(cut -f 2 "$DIR/out")")" = "$HOME/x/$dir" ]
		is 1 sh -c "wc -l <'$DIR/out' | tr -d ' '"
		rm -r "$HOME/x"
	done
}
