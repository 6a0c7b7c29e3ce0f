# Qwen Code: what is written to a chat (sessfs-formats(5), QWEN CODE). How chats are read
# is in tests/corpus/qwen.
load lib/mount
load lib/run

ID=5e55f500-0000-4000-8000-000000000001

uuid() { printf 'c1a0de00-0000-4000-8000-%012d' "$1"; }

setup() {
	needs_mounts
	make_folder
	make_home
	WORK=$DIR/w
	CHATS=$HOME/.qwen/projects/${WORK//[^a-zA-Z0-9]/-}/chats
	mkdir -p "$WORK" "$CHATS" "$HOME/.qwen/sessions"
	SESSION=$CHATS/$ID.jsonl
	sed "s|\"/w/proj\"|\"$WORK\"|" "$ROOT/tests/corpus/qwen/contexts-on-other-branches/in.jsonl" >"$SESSION"
	cp "$SESSION" "$DIR/before"
}

# added: what stands behind the old bytes, which have to be there.
added() {
	local n
	n=$(stat -c %s "$DIR/before")
	cmp -n "$n" "$DIR/before" "$SESSION" >&2
	tail -c +$((n + 1)) "$SESSION"
}

# Without what differs each time.
settled() {
	sed -E 's/"uuid":"[^"]*"/"uuid":U/; s/"timestamp":"[^"]*"/"timestamp":T/'
}

@test "a move of HEAD appends the agent's own rewind line, to any entry and before the first" {
	mount_session
	ln -sfn "by-id/$(uuid 4)" "$MNT/HEAD"
	is "{\"uuid\":U,\"parentUuid\":\"$(uuid 4)\",\"sessionId\":\"$ID\",\"timestamp\":T,\"type\":\"system\",\"provenance\":\"system\",\"cwd\":\"$WORK\",\"version\":\"0.24.4\",\"subtype\":\"rewind\",\"systemPayload\":{\"truncatedCount\":0}}" \
		eval "added | settled"
	is "by-id/$(uuid 4)" readlink "$MNT/HEAD"
	cmp "$MNT/context.json" "$MNT/by-id/$(uuid 4)/context.json"
	ln -sfn tree "$MNT/HEAD"
	is tree readlink "$MNT/HEAD"
	is "[]" cat "$MNT/context.json"
	ls -A "$CHATS" >"$DIR/names"
	is "$ID.jsonl" cat "$DIR/names"
}

@test "a torn last line gets its newline first" {
	printf '{"uuid":"torn' >>"$SESSION"
	cp "$SESSION" "$DIR/before"
	mount_session
	ln -sfn "by-id/$(uuid 2)" "$MNT/HEAD"
	added >"$DIR/added"
	is "" head -1 "$DIR/added"
	is 2 eval "wc -l <'$DIR/added'"
	is "by-id/$(uuid 2)" readlink "$MNT/HEAD"
}

@test "messages and records are appended below the leaf, with ids of their own" {
	mount_session
	echo '{"role":"user","content":"and now"}' >"$MNT/append"
	echo '{"role":"assistant","content":[{"type":"text","text":"this"}]}' >"$MNT/append"
	tail -1 "$DIR/before" >"$MNT/append"
	is "right right answer and now this right answer" \
		eval "grep -o '\"text\":\"[^\"]*' '$SESSION' | tail -5 | cut -d'\"' -f4 | paste -sd' '"
	is 10 eval "grep -o '\"uuid\":\"[^\"]*' '$SESSION' | sort -u | wc -l"
	is "one|two|right|right answer|and now|thisright answer" eval \
		"sed -n 's/.*\"text\":\"\\([^\"]*\\)\".*/\\1/p; s/.*\"content\":\"\\([^\"]*\\)\".*/\\1/p' '$MNT/context.json' | paste -sd'|'"
	for line in '{"role":"tool","content":"x"}' '{"type":"note"}' '{"type":"user","message":{"content":"x"}}' \
		'{"type":"user","message":{"role":"assistant","parts":[]}}'; do
		fails_with "Invalid argument" eval "echo '$line' >'$MNT/append'"
	done
	is 10 eval "wc -l <'$SESSION'"
}

@test "a name is the agent's title, and a label stays beside the chat" {
	mount_session
	echo "My chat" >"$MNT/name"
	is '"customTitle":"My chat","titleSource":"manual"' grep -o '"customTitle.*manual"' "$SESSION"
	is "by-id/$(uuid 7)" readlink "$MNT/HEAD"
	cp "$SESSION" "$DIR/before"
	echo good >"$MNT/by-id/$(uuid 4)/label"
	cmp "$SESSION" "$DIR/before"
	is good cat "$MNT/by-label/good/label"
	grep -q good "$CHATS/$ID.sessfs.json"
}

@test "while the agent has the chat open, nothing is written to it" {
	local stat words
	whole stat "/proc/$$/stat"
	read -ra words <<<"${stat##*) }"
	mount_session
	for start in "" ",\"procStart\":\"11111111-2222-4333-8444-555555555555:${words[19]}\""; do
		printf '{"pid":%d,"sessionId":"%s","cwd":"%s"%s}' $$ "$ID" "$WORK" "$start" >"$HOME/.qwen/sessions/$$-0a1b2c3d.json"
		fails_with "Device or resource busy" ln -sfn "by-id/$(uuid 4)" "$MNT/HEAD"
		fails_with "Device or resource busy" eval "echo '{\"role\":\"user\",\"content\":\"x\"}' >'$MNT/append'"
	done
	cmp "$SESSION" "$DIR/before"
	grep -q "^running: yes (pid $$)" "$MNT/info"
	# A record of a process that is gone.
	printf '{"pid":%d,"sessionId":"%s","procStart":"b:1"}' $$ "$ID" >"$HOME/.qwen/sessions/$$-0a1b2c3d.json"
	ln -sfn "by-id/$(uuid 4)" "$MNT/HEAD"
}

@test "check tells what the agent would not open" {
	"$SESSFS" check "$SESSION" | grep -q ": 7 entries, 2 tips: "
	sed "s|\"$WORK\"|\"/w/other\"|" "$DIR/before" >"$SESSION"
	"$SESSFS" check "$SESSION" | grep -q "another directory in the first line"
	sed "4s/$ID/5e55f500-0000-4000-8000-000000000002/" "$DIR/before" >"$SESSION"
	"$SESSFS" check "$SESSION" | grep -q ":4: another session's id"
}

@test "resume moves HEAD, or copies the branch to where the agent finds it" {
	mkdir -p "$DIR/bin"
	printf '#!/bin/sh\necho "qwen $*"\n' >"$DIR/bin/qwen"
	chmod +x "$DIR/bin/qwen"
	PATH=$DIR/bin:$PATH
	is "qwen --resume $ID" "$SESSFS" resume -x "$SESSION/by-id/$(uuid 4)"
	is "$(uuid 4)" eval "tail -1 '$SESSION' | grep -o 'parentUuid\":\"[^\"]*' | cut -d'\"' -f3"
	"$SESSFS" resume -x --fork "$SESSION/by-id/$(uuid 2)" >"$DIR/said"
	read -r _ _ copy <"$DIR/said"
	[ "$copy" != "$ID" ]
	is 2 eval "wc -l <'$CHATS/$copy.jsonl'"
	is "$copy" eval "grep -o '\"sessionId\":\"[^\"]*' '$CHATS/$copy.jsonl' | grep -v $ID | sort -u | cut -d'\"' -f4"
}
