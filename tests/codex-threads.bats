# A folder of Codex's rollouts is a tree of threads.
load lib/mount
load lib/run
load lib/codex

setup() {
	needs_mounts
	make_folder
	make_codex_home
	DAY=2026/03/01
}

# write_fork N OF: a rollout with a message of its own, based on all of another one.
write_fork() {
	local base LC_ALL=C
	whole base "$(rollout_path "$2")"
	{
		session_meta "$1" "$(based_on "$2" 5 ${#base})"
		said "msg_$1" user "of $1" 6
	} >"$(rollout_path "$1")"
}

# Two forks of the first thread, and one of the second.
write_threads() {
	{
		session_meta 1
		said msg_1 user one 1
	} >"$(rollout_path 1)"
	write_fork 2 1
	write_fork 3 1
	write_fork 4 2
}

# The folder of the n-th thread in a mount of $CODEX_HOME/sessions.
thread() {
	printf "%s/%s/$ROLLOUT\n" "$MNT" "$DAY" "$1"
}

# fork_of N [TITLE]: what forks/ calls the n-th thread.
fork_of() {
	printf '2026-03-01-codex-%s-%08d\n' "${2-one}" "$1"
}

name_of() {
	# shellcheck disable=SC2059 # a format
	printf "$ROLLOUT" "$1"
}

mount_threads() {
	SESSION=$CODEX_HOME/sessions
	mount_session
}

# The last column of a list, without how it is drawn.
about() {
	cut -f 9- | sed 's/^ *└ //' | LC_ALL=C sort
}

# lists N WORDS COMMAND...: fails unless N rows that it prints have these words.
lists() {
	is "$1" grep -cx -- "$2" < <("${@:3}" | about)
}

# Rules: G1
# bats test_tags=full
@test "forks/ links to the rollouts that are based on one, parent-session to its base" {
	write_threads
	mount_threads
	is "$(fork_of 2)
$(fork_of 3)" ls "$(thread 1)/forks"
	is "$(fork_of 4)" ls "$(thread 2)/forks"
	prints_nothing ls -A "$(thread 4)/forks"
	is "../../$(name_of 2)" readlink "$(thread 1)/forks/$(fork_of 2)"
	is "../$(name_of 1)" readlink "$(thread 2)/parent-session"
	is by-id/msg_4 readlink "$(thread 1)/forks/$(fork_of 2)/forks/$(fork_of 4)/HEAD"
	is by-id/msg_1 readlink "$(thread 4)/parent-session/parent-session/HEAD"
	[ ! -L "$(thread 1)/parent-session" ]
	fails_with "No such file" ls "$(thread 1)/parent-session"
	fails_with "No such file" ls "$(thread 1)/forks/$(fork_of 4)"
}

# bats test_tags=full
@test "threads that appear, are deleted and archived show at once" {
	write_threads
	mount_threads
	ls "$(thread 1)/forks" >"$DIR/before"
	write_fork 5 1
	is "../../$(name_of 5)" readlink "$(thread 1)/forks/$(fork_of 5)"
	is "$(fork_of 2)
$(fork_of 3)
$(fork_of 5)" ls "$(thread 1)/forks"
	rm "$(rollout_path 5)"
	is "$(cat "$DIR/before")" ls "$(thread 1)/forks"
	# Archived, the base is outside of the mount: its file.
	is "../$(name_of 2)" readlink "$(thread 4)/parent-session"
	mkdir "$CODEX_HOME/archived_sessions"
	mv "$(rollout_path 2)" "$CODEX_HOME/archived_sessions"
	is "$(realpath "$CODEX_HOME")/archived_sessions/$(name_of 2).jsonl" readlink "$(thread 4)/parent-session"
	is "$(fork_of 3)" ls "$(thread 1)/forks"
	rm "$CODEX_HOME"/archived_sessions/*
	[[ $(ls "$(thread 4)") != *parent-session* ]]
}

# bats test_tags=full
@test "a first line that is completed later makes a fork" {
	write_threads
	mount_threads
	session_meta 5 "$(based_on 1 5 "$(stat -c %s "$(rollout_path 1)")")" >"$DIR/line"
	head -c 100 "$DIR/line" >"$(rollout_path 5)"
	is "$(fork_of 2)
$(fork_of 3)" ls "$(thread 1)/forks"
	tail -c +101 "$DIR/line" >>"$(rollout_path 5)"
	is "$(fork_of 2)
$(fork_of 3)
$(fork_of 5)" ls "$(thread 1)/forks"
}

# bats test_tags=full
@test "tar packs threads and their forks, and says nothing" {
	write_threads
	mount_threads
	local before
	tar -cf "$DIR/packed" -C "$MNT" .
	before=$(stat -c %y "$(thread 1)/forks")
	tar -cf "$DIR/packed" -C "$MNT" .
	is "$before" stat -c %y "$(thread 1)/forks"
	# Another fork is listed, and changes the mtime.
	write_fork 5 1
	is "$(fork_of 2)
$(fork_of 3)
$(fork_of 5)" ls "$(thread 1)/forks"
	[ "$(stat -c %y "$(thread 1)/forks")" != "$before" ]
	before=$(stat -c %y "$(thread 1)/forks")
	rm "$(rollout_path 5)"
	is "$(fork_of 2)
$(fork_of 3)" ls "$(thread 1)/forks"
	[ "$(stat -c %y "$(thread 1)/forks")" != "$before" ]
}

# bats test_tags=full
@test "a mount of one rollout: parent-session is the base's file, and no forks/" {
	write_threads
	SESSION=$(rollout_path 2)
	mount_session
	is "$(realpath "$(rollout_path 1)")" readlink "$MNT/parent-session"
	is "HEAD branches by-file by-id by-label context.txt files info name parent-session path tree tree.txt" xargs -a <(ls "$MNT")
}

# bats test_tags=full
@test "a base that appears, and rollouts that can't be read, show in a folder" {
	write_threads
	mv "$(rollout_path 1)" "$DIR/base"
	mount_threads
	[ ! -L "$(thread 2)/parent-session" ]
	lists 2 "of 2" cat "$MNT/sessions.txt"
	mv "$DIR/base" "$(rollout_path 1)"
	is "../$(name_of 1)" readlink "$(thread 2)/parent-session"
	ls "$(thread 2)" | grep -qx parent-session
	lists 4 one cat "$MNT/sessions.txt"
	# What was kept of a fork is of its base, too.
	make_home
	sleep 0.1
	lists 4 one "$SESSFS" list "$CODEX_HOME"
	lists 4 one "$SESSFS" list "$CODEX_HOME"
	sed 's/"one"/"ONE"/' "$(rollout_path 1)" >"$DIR/base"
	cat "$DIR/base" >"$(rollout_path 1)"
	lists 4 ONE cat "$MNT/sessions.txt"
	lists 4 ONE "$SESSFS" list "$CODEX_HOME"
	# The same when it has grown as well.
	{
		sed 's/"ONE"/"UNO"/' "$DIR/base"
		said msg_9 user more 9
	} >"$(rollout_path 1)"
	lists 4 UNO cat "$MNT/sessions.txt"
	lists 4 UNO "$SESSFS" list "$CODEX_HOME"
	rm "$(rollout_path 3)"
	mkfifo "$(rollout_path 3)"
	is "$(fork_of 2 UNO)" ls "$(thread 1)/forks"
	SESSION=$(rollout_path 2)
	mount_second
	rm "$(rollout_path 2)"
	mkfifo "$(rollout_path 2)"
	ls "$DIR/second" >"$DIR/listed"
	grep -qx HEAD "$DIR/listed"
	unmount_second
}

# bats test_tags=full
@test "a folder of forks of forks needs few descriptors" {
	local i heads=() files=()
	make_home
	{
		session_meta 1
		said msg_1 user one 1
	} >"$(rollout_path 1)"
	for i in {2..30}; do
		write_fork "$i" "$((i - 1))"
	done
	for i in {31..60}; do
		write_fork "$i" 29
		heads+=("$(thread "$i")/HEAD")
		files[i]=$(rollout_path "$i")
	done
	(ulimit -n 64 && mount_threads)
	lists 60 one cat "$MNT/sessions.txt"
	is "$(printf 'by-id/msg_%s\n' {31..60})" readlink "${heads[@]}"
	for i in {31..60}; do said "msg_0$i" user more 7 >>"${files[i]}"; done
	is "$(printf 'by-id/msg_0%s\n' {31..60})" readlink "${heads[@]}"
	lists 60 one bash -c "ulimit -n 64; '$SESSFS' list '$CODEX_HOME'"
}

# Rules: G2
# bats test_tags=full
@test "a legacy thread that was copied from another one is its fork" {
	write_threads
	{
		session_meta 6 "\"forked_from_id\":\"$(rollout_id 1)\"" | sed 's/,"history_mode":"paginated"//; s/"ordinal":0,//'
		said msg_1 user one
	} >"$(rollout_path 6)"
	mount_threads
	is "../$(name_of 1)" readlink "$(thread 6)/parent-session"
	is "$(fork_of 2)
$(fork_of 3)
$(fork_of 6)" ls "$(thread 1)/forks"
}

# bats test_tags=full
@test "export writes the links, too" {
	write_threads
	start "$SESSFS" export "$DIR/out" "$CODEX_HOME/sessions"
	is "$(fork_of 2)
$(fork_of 3)" ls "$DIR/out/$DAY/$(name_of 1)/forks"
	is by-id/msg_1 readlink "$DIR/out/$DAY/$(name_of 4)/parent-session/parent-session/HEAD"
}

# named N NAME
named() {
	printf '{"id":"%s","thread_name":"%s","updated_at":"2026-03-01T10:00:00Z"}\n' \
		"$(rollout_id "$1")" "$2" >>"$CODEX_HOME/session_index.jsonl"
}

# bats test_tags=full
@test "the name of a thread is the last one in session_index.jsonl" {
	write_threads
	mount_threads
	is "one
one
one
one" about <"$MNT/sessions.txt"
	prints_nothing cat "$(thread 2)/name"
	named 2 first
	named 3 Three
	named 2 'The second: 日本'
	echo '{"id":' >>"$CODEX_HOME/session_index.jsonl"
	is "The second: 日本
Three
one
one" about <"$MNT/sessions.txt"
	is "The second: 日本" cat "$(thread 2)/name"
	grep -qx "name: The second: 日本" "$(thread 2)/info"
	[[ $("$SESSFS" list "$CODEX_HOME") == *"The second: 日本"* ]]
	# A list that was kept has no old names.
	named 2 Later
	[[ $("$SESSFS" list "$CODEX_HOME") == *Later* ]]
	is Later cat "$(thread 2)/name"
	grep -qx "name: Later" "$(thread 2)/info"
	fails_with "Read-only file system" bash -c "echo mine >'$(thread 2)/name'"
	is Later cat "$(thread 2)/name"
	rm "$CODEX_HOME/session_index.jsonl"
	prints_nothing cat "$(thread 2)/name"
}

# bats test_tags=full
@test "info tells whether the agent has the thread open" {
	local lock=$CODEX_HOME/thread-writer-locks
	needs flock
	write_threads
	mkdir "$lock"
	SESSION=$(rollout_path 2)
	mount_session
	not grep -q ^running "$MNT/info"
	: >"$lock/$(rollout_id 2).lock"
	not grep -q ^running "$MNT/info"
	hold_lock "$lock/$(rollout_id 2).lock"
	wait_until grep -q '^running: yes (pid [0-9]*)$' "$MNT/info"
	# Beside the file something can be written all the same.
	ln -sfn by-id/msg_1 "$MNT/HEAD"
	[ -f "${SESSION%.jsonl}.sessfs.json" ]
	release_lock
	wait_until_not grep -q ^running "$MNT/info"
}
