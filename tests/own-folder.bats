# Mount points where sessfs itself looks for files: no request waits for the mount
# that answers it, and what the mount hides is read.
load lib/mount
load lib/run
load lib/pi
load lib/claude
load lib/codex
load lib/omp

# Run a command that must not hang. If it does, the mounts of the test are aborted: a
# daemon that waits for itself may survive SIGKILL.
soon() {
	local status=0
	timeout -k 2 60 "$@" || status=$?
	case $status in 124 | 137) abort_mounts ;; esac
	return $status
}

abort_mounts() {
	local line at control=$DIR/control
	echo "a request hangs" >&2
	[ "$(id -u)" -eq 0 ] || return 0
	mkdir -p "$control"
	mount -t fusectl none "$control"
	while read -r _ _ line _ at _; do
		[[ $at != "${DIR%/test}"/* ]] || [ ! -e "$control/${line#*:}/abort" ] ||
			echo 1 >"$control/${line#*:}/abort"
	done </proc/self/mountinfo
	umount "$control"
}

# Mount the session on a folder, which is made if it is not there.
mount_on() {
	MNT=$1
	mkdir -p "$MNT"
	soon "$SESSFS" "$SESSION" "$MNT"
}

on_own_folder() {
	mount_on "${SESSION%.jsonl}"
}

# Everything in the mount can be listed and read, and nothing fails.
walks() {
	soon ls -lR "$MNT" >"$DIR/listed"
	soon find "$MNT" -ls >/dev/null
	soon grep -rc . "$MNT" >/dev/null
	soon cat "$MNT/info" "$MNT/tree.txt" "$MNT/context.json" "$MNT/lines.txt" >/dev/null
}

# moves ID: HEAD and the label of an entry can be written.
moves() {
	soon ln -sfn "by-id/$1" "$MNT/HEAD"
	is "by-id/$1" soon readlink "$MNT/HEAD"
	# shellcheck disable=SC2016 # the inner shell's
	soon sh -c 'echo tested >"$1"' - "$MNT/by-id/$1/label"
	is tested soon cat "$MNT/by-label/tested/label"
}

# A session of oh-my-pi, whose second entry has a picture in a blob.
write_with_blob() {
	local there
	there=$(keep_blob "$(printf 'a picture' | base64)")
	write_omp "$(user 00000001 "" one)" "$(message 00000002 00000001 "{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"see\"},{\"type\":\"image\",\"data\":\"$there\",\"mimeType\":\"image/png\"}]}")"
}

@test "Claude Code's session on its own folder: all that is hidden is shown" {
	write_agents
	local own=${SESSION%.jsonl} at
	mkdir "$own/tool-results"
	echo "a whole walrus" >"$own/tool-results/w.txt"
	printf '%s\n' "$(in_file 7 6 w.txt)" >>"$SESSION"
	exec 7>>"$own/subagents/agent-aa11.jsonl" 8<"$own"
	on_own_folder
	walks
	at=$MNT/by-id
	has "a whole walrus" "$at/${UUIDS[7]}/content"
	has "a whole walrus" "$MNT/lines.txt"
	is "agent-aa11
agent-bb22
agent-cc33" soon ls "$MNT/subagents"
	is ../../subagents/agent-aa11 soon readlink "$at/${UUIDS[2]}/agent"
	has "A walrus." "$at/${UUIDS[2]}/agent/HEAD/content"
	moves "${UUIDS[1]}"
	# What is written there meanwhile shows at once.
	sidechain claude_answer 30 29 "Another walrus." >&7
	echo >&7
	is "by-id/${UUIDS[30]}" soon readlink "$MNT/subagents/agent-aa11/HEAD"
	has "Another walrus." "$MNT/subagents/agent-aa11/HEAD/content"
	# So does what is written beside the session of a subagent.
	soon sh -c 'echo tested >"$1"' - "$MNT/subagents/agent-aa11/by-id/${UUIDS[20]}/label"
	is tested soon cat "$MNT/subagents/agent-aa11/by-label/tested/label"
	[ -s "/proc/$$/fd/8/subagents/agent-aa11.sessfs.json" ]
	echo "a whole whale" >"/proc/$$/fd/8/tool-results/w.txt"
	wait_until has "a whole whale" "$at/${UUIDS[7]}/content"
	exec 7>&- 8<&-
}

@test "Claude Code's session on its subagents/, on a folder in it, and on its tool-results/" {
	write_agents
	local own=${SESSION%.jsonl}
	mkdir "$own/tool-results"
	echo "a whole walrus" >"$own/tool-results/w.txt"
	printf '%s\n' "$(in_file 7 6 w.txt)" >>"$SESSION"
	mount_on "$own/subagents"
	walks
	is "agent-aa11
agent-bb22
agent-cc33" soon ls "$MNT/subagents"
	has "A narwhal." "$MNT/subagents/agent-bb22/HEAD/content"
	unmount
	write_agent "$own/subagents/more/agent-dd44.jsonl" 60 "look at the seal" "A seal."
	mount_on "$own/subagents/more"
	walks
	is "agent-aa11
agent-bb22
agent-cc33
more" soon ls "$MNT/subagents"
	has "A seal." "$MNT/subagents/more/agent-dd44/HEAD/content"
	unmount
	mount_on "$own/tool-results"
	walks
	has "a whole walrus" "$MNT/by-id/${UUIDS[7]}/content"
}

@test "Claude Code's session where its sidecar would be, or the records of running agents" {
	mkdir -p "$DIR/home/projects/w" "$DIR/home/sessions"
	SESSION=$DIR/home/projects/w/$SESSION_ID.jsonl
	write_two_branches
	mount_on "${SESSION%.jsonl}.sessfs.json"
	walks
	soon ln -sfn "${AT[3]}" "$MNT/HEAD"
	unmount
	printf '{"pid":%s,"sessionId":"%s","version":"2.1.330"}' $$ "$SESSION_ID" >"$DIR/home/sessions/$$.json"
	mount_on "$DIR/home/sessions"
	walks
	fails_with "Device or resource busy" soon ln -sfn "${AT[5]}" "$MNT/HEAD"
}

@test "Codex's rollout on its own folder, and where its base and its names are" {
	make_codex_home
	{
		session_meta 1
		said msg_1 user one 1
	} >"$SESSION"
	local base=$SESSION where
	mkdir -p "$CODEX_HOME/sessions/2026/03/02" "$CODEX_HOME/archived_sessions"
	SESSION=$CODEX_HOME/sessions/2026/03/02/rollout-2026-03-02T10-00-00-$(rollout_id 2).jsonl
	{
		session_meta 2 "$(based_on 1 5 "$(stat -c %s "$base")")"
		said msg_2 user two 6
	} >"$SESSION"
	for where in "${SESSION%.jsonl}" "${base%/*}" "$CODEX_HOME/archived_sessions" \
		"$CODEX_HOME/session_index.jsonl" "$CODEX_HOME/thread-writer-locks"; do
		mount_on "$where"
		walks
		is "msg_1
msg_2" soon ls "$MNT/by-id"
		moves msg_1
		is "$base" soon readlink "$MNT/parent-session"
		unmount
		daemon_is_gone
	done
	# The base is archived, and that folder is hidden.
	mv "$base" "$CODEX_HOME/archived_sessions/"
	mount_on "$CODEX_HOME/archived_sessions"
	walks
	grep -q one "$MNT/by-id/msg_1/content"
}

@test "Pi's and oh-my-pi's sessions on their own folders, and where their files are" {
	write_session "$(user 00000001 "" one)" "$(user 00000002 00000001 two)"
	on_own_folder
	walks
	moves 00000001
	say '{"role":"user","content":"three"}'
	grep -q three "$MNT/HEAD/content"
	unmount
	export HOME=$DIR
	SESSION=$DIR/omp.jsonl
	write_with_blob
	on_own_folder
	walks
	grep -q "1.png" "$MNT/by-id/00000002/content"
	moves 00000001
	unmount
}

@test "two mounts, each in the other's source" {
	mkdir -p "$DIR/a/x" "$DIR/b/y"
	SESSION=$DIR/a/one.jsonl write_session "$(user 00000001 "" one)"
	SESSION=$DIR/b/two.jsonl write_session "$(user 00000001 "" two)"
	"$SESSFS" "$DIR/a" "$DIR/b/y"
	"$SESSFS" "$DIR/b" "$DIR/a/x"
	soon cat "$DIR/a/x/sessions.txt" "$DIR/b/y/sessions.txt" >"$DIR/rows"
	is "one
two" sort <(cut -f 2 "$DIR/rows")
	# Neither shows what the other one mounts.
	is two soon ls "$DIR/a/x"
	is one soon ls "$DIR/b/y"
	fails_with "No such file" soon ls "$DIR/a/x/y"
	soon grep -rq one "$DIR/b/y"
	# A folder that was mounted on is there again after that.
	fusermount3 -u "$DIR/a/x"
	is "one
x" soon ls "$DIR/b/y"
}

@test "two sessions of Claude Code, each on the other's own folder" {
	write_agents
	cp "$SESSION" "$DIR/other.jsonl"
	cp -r "${SESSION%.jsonl}" "$DIR/other"
	"$SESSFS" "$SESSION" "$DIR/other"
	soon "$SESSFS" "$DIR/other.jsonl" "${SESSION%.jsonl}"
	for MNT in "$DIR/other" "${SESSION%.jsonl}"; do
		soon ls -lR "$MNT" >/dev/null
		soon cat "$MNT/info" "$MNT/context.txt" "$MNT/lines.txt" >/dev/null
		soon ln -sfn "${AT[1]}" "$MNT/HEAD"
		is "${AT[1]}" soon readlink "$MNT/HEAD"
	done
}

@test "a session in a mount can be mounted, and does not wait for its folder's mount" {
	write_session "$(user 00000001 "" one)" "$(user 00000002 00000001 two)"
	mount_session
	mkdir "$DIR/branch"
	soon "$SESSFS" "$MNT/by-id/00000001/branch.jsonl" "$DIR/branch"
	is by-id/00000001 soon readlink "$DIR/branch/HEAD"
	soon ls -lR "$DIR/branch" >/dev/null
	fusermount3 -u "$DIR/branch"
}

@test "a stopped mount of another sessfs in SOURCE holds up nothing" {
	mkdir -p "$DIR/a/x" "$DIR/b"
	SESSION=$DIR/a/one.jsonl write_session "$(user 00000001 "" one)"
	SESSION=$DIR/b/two.jsonl write_session "$(user 00000001 "" two)"
	"$SESSFS" "$DIR/b" "$DIR/a/x"
	"$SESSFS" "$DIR/a" "$MNT"
	local pid
	pid=$(pgrep -f "sessfs $DIR/b ")
	kill -STOP "$pid"
	local failed=0
	timeout -k 2 20 ls -lR "$MNT" >"$DIR/listed" || failed=1
	timeout -k 2 20 cat "$MNT/sessions.txt" >"$DIR/rows" || failed=1
	kill -CONT "$pid"
	[ "$failed" -eq 0 ]
	is one cut -f 2 "$DIR/rows"
}

@test "a request of sessfs to its own mount fails with EDEADLK, and nothing hangs" {
	# Blobs are looked for by their path alone, which here leads into the mount.
	export HOME=$DIR
	SESSION=$DIR/omp.jsonl
	write_with_blob
	mount_on "$HOME/.omp/agent/blobs"
	walks
	grep -q '"data": "blob:sha256:' "$MNT/by-id/00000002/content"
	moves 00000002
	unmount
	daemon_is_gone
	# It is there again.
	mount_on "$DIR/elsewhere"
	grep -q "1.png" "$MNT/by-id/00000002/content"
}

@test "an oh-my-pi whose folder is in a stopped mount holds up no write" {
	mkdir "$DIR/b" "$DIR/y"
	SESSION=$DIR/b/two.jsonl write_session "$(user 00000001 "" two)"
	"$SESSFS" "$DIR/b" "$DIR/y"
	cp "$(command -v sleep)" "$DIR/omp"
	(cd "$DIR/y/two" && exec "$DIR/omp" 60) 3>&- &
	local agent=$! pid failed=0
	wait_until test "/proc/$agent/exe" -ef "$DIR/omp"
	write_omp "$(user 00000001 "" one)" "$(user 00000002 00000001 two)"
	sed -i "s|/work/demo|$DIR|" "$SESSION"
	mount_session
	pid=$(pgrep -f "sessfs $DIR/b ")
	kill -STOP "$pid"
	timeout -k 2 20 ln -sfn by-id/00000001 "$MNT/HEAD" || failed=1
	kill -CONT "$pid"
	kill "$agent"
	wait "$agent" || :
	[ "$failed" -eq 0 ]
	is by-id/00000001 readlink "$MNT/HEAD"
}
