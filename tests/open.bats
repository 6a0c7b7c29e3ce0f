# sessfs open: lists, chooses, and names mounts.
load lib/mount
load lib/run
load lib/pi
load lib/claude
load lib/codex

setup() {
	needs_mounts
	make_folder
	make_home
	mkdir "$HOME/my.proj"
	PI=$HOME/.pi/agent/sessions
	OMP=$HOME/.omp/agent/sessions
	CLAUDE=$HOME/.claude/projects
	WORK=$HOME/my.proj
	BIN=$DIR/bin
	mkdir "$BIN"
}

# session_in FILE DIR TIME TEXT: of Pi, with its working directory.
session_in() {
	mkdir -p "${1%/*}"
	SESSION=$1 write_session "$(user aa000001 "" "$4")"
	sed -i "s,/work/demo,$2,; 2s/2026-03-01T10:00:01/2026-03-01T$3/" "$1"
}

# Four sessions of three agents; two of them are of $WORK.
four() {
	local work
	work=--$(tr / - <<<"${WORK#/}")--
	session_in "$PI/$work/2026-03-01T10-00-00-000Z_0198aaaa-1111.jsonl" "$WORK" 10:00:04 "newest of Pi"
	session_in "$PI/--elsewhere--/2026-03-01T10-00-00-000Z_0198bbbb-2222.jsonl" /elsewhere 10:00:03 "from elsewhere"
	session_in "$OMP/-my.proj/2026-03-01T10-00-00-000Z_0198cccc-3333.jsonl" "$WORK" 10:00:02 "of omp"
	mkdir -p "$CLAUDE/-x"
	SESSION=$CLAUDE/-x/dddddddd-4444.jsonl write_lines "$(claude_user 1 "" "to Claude")"
	SESSION=$CLAUDE/-x/agent-eeee.jsonl write_lines "$(claude_user 1 "" "a subagent")"
	session_in "$PI/$work/empty_ffff.jsonl" "$WORK" 10:00:09 none
	sed -i 2d "$PI/$work/empty_ffff.jsonl"
	touch -d 2026-01-01 "$PI/$work/empty_ffff.jsonl"
	touch -d 2030-01-01 "$PI/$work"/*_0198aaaa*.jsonl
}

# An fzf that keeps its input and its preview, and chooses the line with $CHOICE.
fake_fzf() {
	cat >"$BIN/fzf" <<-END
		#!/bin/sh
		cat >"$DIR/input"
		[ -n "\$CHOICE" ] || exit 130
		line=\$(grep -F -- "\$CHOICE" "$DIR/input")
		for word; do
			case \$word in
			--preview=*)
				quoted=\$(printf '%s\n' "\$line" | sed "s/'/'\\\\\\\\''/g")
				sh -c "\$(printf '%s\n' "\${word#--preview=}" | sed "s|{}|'\$quoted'|")" >"$DIR/preview" ;;
			esac
		done
		printf '%s\n' "\$line"
	END
	chmod +x "$BIN/fzf"
}

# Run a helper on a terminal: texts to wait for and keys, --, the helper.
on_terminal() {
	needs python3
	RAW=$DIR/screen python3 "$ROOT/tests/lib/terminal.py" "$@"
}

# sessfs open on a terminal, with its output in a file.
opens_on_terminal() {
	on_terminal -- env PATH="$BIN:$PATH" sh -c \
		"cd '$WORK' && '$SESSFS' open $* >'$DIR/out'"
}

# The text of the session that was opened last.
opened() {
	is "$1" cat "$(cat "$DIR/out")/HEAD/content"
}

words() {
	cut -f 10 "$DIR/out" | paste -sd ,
}

# bats test_tags=full
@test "list has the sessions of all agents, of one, or of this directory" {
	four
	cd "$WORK"
	helper list >"$DIR/out"
	is "pi,pi,omp" sh -c "grep -v ^claude '$DIR/out' | cut -f 1 | paste -sd ,"
	is 4 sh -c "wc -l <'$DIR/out'"
	is "newest of Pi,from elsewhere,of omp" sh -c "grep -v ^claude '$DIR/out' | cut -f 10 | paste -sd ,"
	is "$(cut -f 2 "$DIR/out" | LC_ALL=C sort -r)" cut -f 2 "$DIR/out"
	cut -f 3 "$DIR/out" | while IFS= read -r file; do [ -f "$file" ] || exit; done
	helper list --here >"$DIR/out"
	is "newest of Pi,of omp" words
	helper list --here --agent omp >"$DIR/out"
	is "of omp" words
	helper list --agent=claude >"$DIR/out"
	is "to Claude" words
	# A folder that other directories share is no reason to list theirs.
	PI_CODING_AGENT_SESSION_DIR=$PI/--elsewhere-- helper list --here --agent pi >"$DIR/out"
	is "newest of Pi" words
	fails_in_a_line "other: no such agent" 2 helper list --agent other
	run -2 helper open --agent
	run -2 helper open --there
	fails_in_a_line "nosuch" 2 helper open -o nosuch "$PI/--elsewhere--"/*
	mounted_here -t fuse.sessfs && return 1
	return 0
}

@test "on a terminal it chooses from all of them with fzf" {
	four
	fake_fzf
	TZ=UTC CHOICE=elsewhere opens_on_terminal
	opened "from elsewhere"
	is "aaaa1111  pi      2026-03-01 10:00  ~/my.proj       newest of Pi" sh -c "grep newest '$DIR/input' | cut -f 2"
	grep -q "aa000001 user  from elsewhere ← HEAD" "$DIR/preview"
	is 4 sh -c "wc -l <'$DIR/input'"
	# The working directory's helpers use what it printed last.
	(cd "$WORK" && helper log | grep -q "from elsewhere")
	CHOICE="to Claude" opens_on_terminal --agent claude
	opened "to Claude"
	is 1 sh -c "wc -l <'$DIR/input'"
	CHOICE="of omp" opens_on_terminal --here -o ro
	opened "of omp"
	is 2 sh -c "wc -l <'$DIR/input'"
	grep -qx "writable: no, the file or its mount is read-only" "$(cat "$DIR/out")/info"
	CHOICE="" run -130 opens_on_terminal
	[ ! -s "$DIR/out" ]
	# A directory, a file or an id is no choice.
	rm "$DIR/input"
	CHOICE=x opens_on_terminal .
	opened "newest of Pi"
	[ ! -e "$DIR/input" ]
	unmount
	daemon_is_gone
}

# bats test_tags=full
@test "on a terminal it chooses with the real fzf" {
	needs fzf python3
	four
	on_terminal "from elsewhere ← HEAD|newest of Pi" "elsew" "1/4" $'\r' -- sh -c \
		"cd '$WORK' && '$SESSFS' open >'$DIR/out'"
	opened "from elsewhere"
}

# A PATH without fzf.
without_fzf() {
	local name
	for name in sh env stty fusermount3; do
		ln -s "$(command -v "$name")" "$BIN/$name"
	done
}

# bats test_tags=full
@test "without fzf it chooses by number or id" {
	needs less python3
	four
	without_fzf
	local answer
	for answer in "2:from elsewhere" "0198cccc:of omp" "$CLAUDE/-x/dddddddd-4444.jsonl:to Claude"; do
		on_terminal "number or id, or q: " "${answer%:*}"$'\n' -- env PATH="$BIN" sh -c \
			"cd '$WORK' && '$SESSFS' open >'$DIR/out'"
		opened "${answer#*:}" || {
			cat "$DIR/screen"
			return 1
		}
	done
	run -130 on_terminal "number or id, or q: " $'\n' -- env PATH="$BIN" sh -c \
		"cd '$WORK' && '$SESSFS' open >'$DIR/out'"
	run -1 on_terminal "number or id, or q: " $'99\n' -- env PATH="$BIN" sh -c \
		"cd '$WORK' && '$SESSFS' open >'$DIR/out'"
}

# bats test_tags=full
@test "without fzf a screen of sessions comes at a time, the newest first" {
	needs less python3
	without_fzf
	local n
	for n in {10..40}; do
		session_in "$PI/--a--/1_0198aa$n.jsonl" / "10:00:$n" "number $n"
	done
	# The terminal has 24 lines.
	on_terminal "Enter: 9 more; number or id, or q: " $'\n' "number or id, or q: " $'31\n' -- env PATH="$BIN" sh -c \
		"cd '$WORK' && '$SESSFS' open >'$DIR/out'"
	opened "number 10"
	grep -q "^ *1  .*number 40" "$DIR/screen"
}

# numbered WIDTH: lines of the numbered list, on a terminal of that width.
numbered() {
	on_terminal "number or id, or q: " $'\n' -- env PATH="$BIN" sh -c \
		"stty cols $1; cd '$WORK' && '$SESSFS' open >'$DIR/out'" || [ $? -eq 130 ]
	tr -d '\r' <"$DIR/screen" | grep "^ *[1-9]  "
}

# bats test_tags=full
@test "the numbered list is cut to the terminal, between characters" {
	needs less python3
	without_fzf
	export TZ=UTC
	# The words begin in column 67.
	session_in "$PI/--a--/1_0198aaaa.jsonl" / 10:00:04 "short"
	session_in "$PI/--a--/1_0198bbbb.jsonl" / 10:00:03 "012345678901234567890123"
	session_in "$PI/--a--/1_0198cccc.jsonl" / 10:00:02 "0123456789012345678901234"
	session_in "$PI/--a--/1_0198dddd.jsonl" / 10:00:01 "$(printf 'é%.0s' {1..40})"
	session_in "$PI/--a--/1_0198eeee.jsonl" / 10:00:00 "$(printf '漢%.0s' {1..40})"
	is "    1  0198aaaa  pi      2026-03-01 10:00  /               short
    2  0198bbbb  pi      2026-03-01 10:00  /               012345678901234567890123
    3  0198cccc  pi      2026-03-01 10:00  /               01234567890123456789012…
    4  0198dddd  pi      2026-03-01 10:00  /               $(printf 'é%.0s' {1..23})…
    5  0198eeee  pi      2026-03-01 10:00  /               $(printf '漢%.0s' {1..11})…" numbered 83
}

# bats test_tags=full
@test "times are local where one chooses, and UTC in the list" {
	four
	fake_fzf
	[ -e /usr/share/zoneinfo/Asia/Kolkata ] || skip "there are no time zones here"
	TZ=Asia/Kolkata CHOICE=newest opens_on_terminal
	grep -q "pi      2026-03-01 15:30  ~/my.proj       newest of Pi" "$DIR/input"
	helper list --agent pi >"$DIR/out"
	grep -q 2026-03-01T10:00:04 "$DIR/out"
	local day
	for day in 1970-01-01 1999-12-31 2000-02-29 2000-03-01 2024-02-29 2026-12-31; do
		sed -i "2s/\"timestamp\":\"[^T]*T/\"timestamp\":\"${day}T/" "$PI"/*/*0198aaaa*
		TZ=America/New_York CHOICE=newest opens_on_terminal
		grep -q "pi      $(TZ=America/New_York date -d "${day}T10:00:04Z" '+%F %R')  " "$DIR/input"
	done
}

# bats test_tags=full
@test "a session in a folder of any name can be chosen" {
	fake_fzf
	local name
	for name in $'\e[2Jn\n\r\x7f' $'\xc2\x9bx\t\x01' 'back\nslash\u0041' $'end\n'; do
		mkdir -p "$PI/$name"
		session_in "$PI/$name/1_0198ffff.jsonl" / 10:00:09 "odd"
		is odd cat "$(helper open 0198ffff)/HEAD/content"
		CHOICE=odd opens_on_terminal
		opened odd
		unmount
		rm -r "${PI:?}/$name"
	done
}

# bats test_tags=full
@test "a file or the start of an id names a session" {
	four
	cd "$DIR"
	is "of omp" cat "$(helper open 0198cccc)/HEAD/content"
	is "to Claude" cat "$(helper open dddd)/HEAD/content"
	is "from elsewhere" cat "$(helper open "$PI/--elsewhere--"/*.jsonl)/HEAD/content"
	(cd "$PI/--elsewhere--" && is "from elsewhere" cat "$(helper open ./*.jsonl)/HEAD/content")
	is "of omp" cat "$(helper open --agent omp 0198)/HEAD/content"
	fails_in_a_line "0198: several sessions' ids start or end so" 1 helper open 0198
	fails_in_a_line "9999: no such directory, session or part of an id" 1 helper open 9999
	fails_in_a_line "019: no such directory, session or part of an id, of 4 characters or more" 1 helper open 019
	fails_in_a_line "a*bcd: no such directory, session or part of an id" 1 helper open 'a*bcd'
	fails_in_a_line "no/such: no such directory" 1 helper open no/such
	unmount
	daemon_is_gone
}

# bats test_tags=full
@test "a mount's path is short, the same for each session, and no other's" {
	four
	local at again file
	cd "$WORK"
	at=$(helper open)
	[ "$at" = "$XDG_RUNTIME_DIR/sessfs/my.proj-pi-aaaa1111" ]
	file=$(echo "$PI"/*my.proj*/*0198aaaa*)
	is "$at" helper open "$file"
	ln -s "$PI" "$DIR/link"
	is "$at" helper open "$DIR/link/${file#"$PI"/}"
	fusermount3 -u "$at"
	is "$at" helper open "$file"
	# Of two files with one name.
	mkdir "$DIR/copy"
	cp "$file" "$DIR/copy"
	again=$(helper open "$DIR/copy/${file##*/}")
	[ "$again" = "$at-2" ]
	is "file: $DIR/copy/${file##*/}" grep ^file: "$again/info"
	# The same name without an id, or with an odd one.
	session_in "$DIR/copy/_.jsonl" / 10:00:00 x
	session_in "$DIR/copy/é * \$(x).jsonl" / 10:00:00 y
	is x cat "$(helper open "$DIR/copy/_.jsonl")/HEAD/content"
	is y cat "$(helper open "$DIR/copy/é * \$(x).jsonl")/HEAD/content"
}

# Threads of Codex: of $WORK, one of its subagent, and an older and a newer one of
# another directory.
write_threads() {
	local n dir=$WORK
	export CODEX_HOME=$HOME/.codex
	for n in 1 2 3 4; do
		mkdir -p "$CODEX_HOME/sessions/2026/03/01"
		{
			session_meta "$n" "\"source\":$([ "$n" -eq 2 ] && echo '{"subagent":"review"}' || echo '"cli"')" |
				sed "s,/work/demo,$dir,"
			said msg_1 user "of thread $n" 1
		} >"$(rollout_path "$n")"
		[ "$n" -ne 2 ] || dir=/elsewhere
	done
	touch -d 2030-01-01 "$(rollout_path 1)"
	touch -d 2030-01-02 "$(rollout_path 2)"
	touch -d 2030-01-03 "$(rollout_path 4)"
}

# bats test_tags=full
@test "the newest session is one that its agent would go on from" {
	local project work
	project=$CLAUDE/$(sed 's/[^a-zA-Z0-9]/-/g' <<<"$WORK")
	mkdir -p "$project"
	SESSION=$project/$SESSION_ID.jsonl write_lines "$(claude_user 1 "" "to Claude")"
	touch -d 2026-01-01 "$project/$SESSION_ID.jsonl"
	# As a power cut leaves it.
	head -c 5000 /dev/zero >"$project/22222222-2222-4222-8222-222222222222.jsonl"
	is "to Claude" cat "$(helper open "$WORK")/HEAD/content"
	for line in '"type":"mode","mode":"default"' '"type":"queue-operation","operation":"enqueue","content":"hello"'; do
		echo "{$line,\"sessionId\":\"22222222-2222-4222-8222-222222222222\"}" \
			>"$project/22222222-2222-4222-8222-222222222222.jsonl"
		is "to Claude" cat "$(helper open "$WORK")/HEAD/content"
	done
	# One of Pi with a byte order mark, which Pi can't open.
	work=$PI/--$(tr / - <<<"${WORK#/}")--
	session_in "$work/2026-03-01T10-00-00-000Z_0198aaaa-1111.jsonl" "$WORK" 10:00:04 "to Pi"
	is "to Pi" cat "$(helper open "$WORK")/HEAD/content"
	sed -i '1s/^/\xef\xbb\xbf/' "$work"/*.jsonl
	is "to Claude" cat "$(helper open "$WORK")/HEAD/content"
	# Where there is no other, it can be read.
	rm -r "$project"
	is "to Pi" cat "$(helper open "$WORK")/HEAD/content"
	unmount
	daemon_is_gone
	rm -r "$work"
}

# bats test_tags=full
@test "threads of Codex are found by directory and by id" {
	write_threads
	is "of thread 1" cat "$(helper open "$WORK")/HEAD/content"
	# Spelled otherwise, it is the same directory.
	sed -i '1s,"cwd":"/,"cwd" : "\\/,' "$(rollout_path 1)"
	grep -q '"cwd" : "\\/' "$(rollout_path 1)"
	is "of thread 1" cat "$(helper open "$WORK")/HEAD/content"
	is "of thread 4" cat "$(helper open "$(rollout_id 4)")/HEAD/content"
	fails_in_a_line "019c: several sessions' ids start or end so" 1 helper open 019c
	# One of a revert, by both its ids.
	mv "$(rollout_path 3)" "$CODEX_HOME/sessions/2026/03/01/rollout-2026-03-01T10-00-00-$(rollout_id 7)_$(rollout_id 3).jsonl"
	is "of thread 3" cat "$(helper open "$(rollout_id 3)")/HEAD/content"
	is "of thread 3" cat "$(helper open "$(rollout_id 7)")/HEAD/content"
	mv "$CODEX_HOME"/sessions/2026/03/01/*"$(rollout_id 3).jsonl" "$(rollout_path 3)"
	helper list --agent codex >"$DIR/out"
	is "of thread 1,of thread 3,of thread 4" sh -c "cut -f 10 '$DIR/out' | sort | paste -sd ,"
	is 1 sh -c "cut -f 1 '$DIR/out' | sort -u | grep -cx codex"
}

# bats test_tags=full
@test "a mount says of what it is, and keeps its name" {
	four
	cd "$WORK"
	is "$XDG_RUNTIME_DIR/sessfs/my.proj-omp-cccc3333" helper open 0198cccc
	session_in "$PI/--x--/1_0198eeee-5555.jsonl" "/a/ö b:c" 10:00:00 x
	is "$XDG_RUNTIME_DIR/sessfs/b_c-pi-eeee5555" helper open 0198eeee
	# Codex' ids of one minute begin alike.
	write_threads
	CODEX_HOME=$HOME/.codex
	is "$XDG_RUNTIME_DIR/sessfs/my.proj-codex-00000001" helper open "$(rollout_path 1)"
	is "$XDG_RUNTIME_DIR/sessfs/elsewhere-codex-00000004" helper open "$(rollout_path 4)"
	is "$XDG_RUNTIME_DIR/sessfs/my.proj-omp-cccc3333-2" helper open -o ro 0198cccc
	is "$XDG_RUNTIME_DIR/sessfs/my.proj-omp-cccc3333" helper open 0198cccc
}

# bats test_tags=full
@test "--mounts lists what was mounted, and --close unmounts it" {
	four
	cd "$WORK"
	[ -z "$(helper open --mounts)$(helper open --close)" ]
	local first second
	first=$(helper open)
	second=$(helper open -o ro,keep=2 0198cccc)
	is "$second	$(echo "$OMP"/*/*0198cccc*)	keep=2,ro
$first	$(echo "$PI"/*my.proj*/*0198aaaa*)	" helper open --mounts
	# One in use is left, and so is what others have mounted.
	mkdir "$DIR/own"
	start "$SESSFS" "$OMP"/*/*0198cccc* "$DIR/own"
	cd "$second"
	fails_with "in use by bash ($BASHPID)" helper open --close
	is "$second	$(echo "$OMP"/*/*0198cccc*)	keep=2,ro" helper open --mounts
	cd "$WORK"
	is "$second" helper open --close
	is "$DIR/own" mounted_here -t fuse.sessfs
	prints_nothing find "$XDG_RUNTIME_DIR/sessfs" -mindepth 1 ! -name lock ! -name .mounts
	is "$first" helper open
	# A dead one is unmounted, too.
	pgrep -f "sessfs .*$first" | xargs kill -9
	wait_until sh -c "! ls '$first' >/dev/null 2>&1"
	is "$first" helper open --close
	run -2 helper open --close --mounts
	run -2 helper open --close "$WORK"
}

# bats test_tags=full
@test "the newest is the one with the newest entry that is no bookkeeping" {
	local work
	work=$PI/--$(tr / - <<<"${WORK#/}")--
	session_in "$work/1_0198aaaa.jsonl" "$WORK" 10:00:01 "older"
	session_in "$work/2_0198bbbb.jsonl" "$WORK" 10:00:02 "newer"
	echo '{"type":"label","id":"aa000009","parentId":"aa000001","timestamp":"2026-03-02T10:00:00.000Z","targetId":"aa000001","label":"x"}' >>"$work/1_0198aaaa.jsonl"
	touch -d 2030-01-01 "$work/1_0198aaaa.jsonl"
	is newer cat "$(helper open "$WORK")/HEAD/content"
	is "newer,older" sh -c "'$SESSFS' list '$work' | cut -f 9 | paste -sd ,"
	# As if the other one were continued.
	sed -i 2s/10:00:01/10:00:03/ "$work/1_0198aaaa.jsonl"
	is older cat "$(helper open "$WORK")/HEAD/content"
}

# bats test_tags=full
@test "without arguments it says which session that is" {
	four
	cd "$WORK"
	TZ=UTC run --separate-stderr helper open
	[ "$stderr" = "sessfs: the newest session here: aaaa1111  pi      2026-03-01 10:00  ~/my.proj       newest of Pi" ]
	run --separate-stderr helper open .
	[ -z "$stderr" ]
}

# bats test_tags=full
@test "a caller that ignores SIGCHLD, as some daemons do" {
	needs python3
	session_in "$PI/--x--/one_0198aaaa-1111.jsonl" "$WORK" 10:00:01 "it works"
	without_children() {
		python3 -c 'import os, signal, sys
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
os.execv(sys.argv[1], sys.argv[1:])' "$SESSFS" "$@"
	}
	without_children open "$PI/--x--/one_0198aaaa-1111.jsonl" >"$DIR/out"
	opened "it works"
	without_children grep -q "it works" "$PI"
}

@test "that a folder has no sessions is said when it is mounted" {
	mkdir -p "$DIR/empty/below"
	run --separate-stderr "$SESSFS" "$DIR/empty" "$MNT"
	[ "$status:$stderr" = "0:sessfs: $DIR/empty: has no sessions yet" ]
	unmount
	session_in "$DIR/empty/below/one.jsonl" / 10:00:00 one
	run --separate-stderr "$SESSFS" "$DIR/empty" "$MNT"
	[ -z "$stderr" ]
}
