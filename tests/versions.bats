# Versions 1 and 2 of Pi's format.
load lib/mount
load lib/run
load lib/session

@test "version 1 has ids that are the same at every mount" {
	mount_fixture pi-v1-linear.jsonl
	ls -U "$MNT/by-id" >"$DIR/ids"
	[ "$(grep -cx '[0-9a-f]\{8\}' "$DIR/ids")" -eq 5 ]
	# The tree is a chain of them, in this order.
	local ids at=$MNT/tree
	mapfile -t ids <"$DIR/ids"
	for id in "${ids[@]}"; do at+=/$id; done
	is 5 bash -c 'find "$1" -mindepth 1 -type d | wc -l' - "$MNT/tree"
	[ -d "$at" ]
	cmp "$FIXTURES/pi-v1-linear.jsonl" "$SESSION"
	unmount
	daemon_is_gone
	mount_fixture pi-v1-linear.jsonl
	ls -U "$MNT/by-id" | diff "$DIR/ids" -
}

@test "version 1 is not written on reading, and later lines change no ids" {
	mount_fixture pi-v1-linear.jsonl
	touch -d '2026-01-01' "$SESSION"
	find "$MNT" -type f -exec cat {} + >/dev/null
	cat "$MNT/HEAD/branch.jsonl" >/dev/null
	cmp "$FIXTURES/pi-v1-linear.jsonl" "$SESSION"
	[ ! -e "$SESSION.v1.bak" ]
	ls -U "$MNT/by-id" >"$DIR/ids"
	echo '{"type":"message","timestamp":"2026-03-01T10:00:06.000Z","message":{"role":"user","content":"six"}}' >>"$SESSION"
	is six cat "$MNT/HEAD/content"
	ls -U "$MNT/by-id" | head -n 5 | diff "$DIR/ids" -
}

@test "the first write migrates version 1, and keeps the original" {
	needs python3
	mount_fixture pi-v1-linear.jsonl
	local whose
	chmod 640 "$SESSION"
	whose=$(give_away "$SESSION")
	ls -U "$MNT/by-id" >"$DIR/ids"
	cp "$MNT/context.json" "$DIR/context"
	cd "$MNT/HEAD/parent"
	echo first >label
	is first cat label
	cmp "$FIXTURES/pi-v1-linear.jsonl" "$SESSION.v1.bak"
	is "$whose 640" stat -c '%u:%g %a' "$SESSION"
	ls -U "$MNT/by-id" | head -n 5 | diff "$DIR/ids" -
	cmp "$DIR/context" "$MNT/context.json"
	python3 - "$SESSION" "$DIR/ids" <<-'PY'
	import json, sys
	lines = open(sys.argv[1]).read().splitlines()
	ids = open(sys.argv[2]).read().split()
	assert lines[3] == '{"type":"message","timestamp":"broken', lines[3]
	header, *entries = [json.loads(l) for i, l in enumerate(lines) if i != 3]
	assert header["version"] == 3 and header["provider"] == "prov", header
	assert [e["id"] for e in entries[:5]] == ids
	assert [e["parentId"] for e in entries] == [None] + [e["id"] for e in entries[:-1]]
	assert entries[2]["message"]["role"] == "custom"
	assert entries[3]["firstKeptEntryId"] == ids[1]
	assert "firstKeptEntryIndex" not in entries[3]
	assert entries[5]["type"] == "label" and entries[5]["targetId"] == ids[3]
	PY
	is "context ids mnt session.jsonl session.jsonl.v1.bak" bash -c 'cd "$1" && echo *' - "$DIR"
	# The second write is an append.
	ln -sfn "by-id/$(head -n 1 "$DIR/ids")" "$MNT/HEAD"
	head_is "by-id/$(head -n 1 "$DIR/ids")"
	[ ! -e "$SESSION.v1.bak.2" ]
}

@test "a backup that is there already is not overwritten" {
	mount_fixture pi-v1-linear.jsonl
	echo mine >"$SESSION.v1.bak"
	echo x >"$MNT/HEAD/label"
	is mine cat "$SESSION.v1.bak"
	cmp "$FIXTURES/pi-v1-linear.jsonl" "$SESSION.v1.bak.2"
}

@test "lines appended during a migration of version 1 are not lost" {
	{
		echo '{"type":"session","id":"v1","timestamp":"2026-03-01T10:00:00.000Z","cwd":"/"}'
		printf '{"type":"message","message":{"role":"user","content":"line %d"}}\n' {0..1999}
	} >"$SESSION"
	mount_session
	(for i in {1..300}; do
		echo '{"type":"message","message":{"role":"user","content":"late '$i'"}}' >>"$SESSION"
	done) &
	echo x >"$MNT/HEAD/label" || true
	wait $!
	is 300 bash -c 'grep -oh "late [0-9]*" "$1" "$1.v1.bak" | sort -u | wc -l' - "$SESSION"
}

# bats test_tags=root
@test "a folder that can't be written to: the write fails, the file is as it was" {
	mount_fixture pi-v1-linear.jsonl
	chattr +i "$DIR" 2>/dev/null || skip "this file system has no immutable folders"
	run bash -c "echo x >'$MNT/HEAD/label'"
	chattr -i "$DIR"
	[ "$status" -ne 0 ]
	cmp "$FIXTURES/pi-v1-linear.jsonl" "$SESSION"
	echo x >"$MNT/HEAD/label"
	is x cat "$MNT/HEAD/label"
}

@test "version 2 reads hookMessage as custom, and is appended to" {
	mount_fixture pi-v2-hook.jsonl
	is "hook text" cat "$MNT/by-id/ee000002/content"
	is "[User]: u

[User]: hook text" cat "$MNT/by-id/ee000002/context.txt"
	grep -qx "version: 2" "$MNT/info"
	ln -sfn by-id/ee000003 "$MNT/HEAD"
	head_is by-id/ee000003
	cmp -n "$(stat -c %s "$FIXTURES/pi-v2-hook.jsonl")" "$FIXTURES/pi-v2-hook.jsonl" "$SESSION"
}

@test "a header without version whose entries have ids is a tree" {
	sed 's/"version":3,//' "$FIXTURES/pi-v3-branches.jsonl" >"$SESSION"
	mount_session
	is "aa000011
aa000025" ls "$MNT/branches"
	cp "$SESSION" "$DIR/before"
	# Pi would flatten the tree; the first write only sets version 3.
	echo x >"$MNT/by-id/aa000004/label"
	cmp "$DIR/before" "$SESSION.v1.bak"
	head -n 1 "$SESSION" | grep -q '"version":3'
	cmp <(tail -n +2 "$DIR/before") <(tail -n +2 "$SESSION" | head -n -1)
	is "aa000011" bash -c "ls -U '$MNT/branches' | head -n 1"
}

# bats test_tags=full
@test "a session of version 1 with a thousand entries reads in both views" {
	needs python3
	python3 - "$SESSION" <<-'PY'
	import json, sys
	def line(**members):
	    print(json.dumps({"timestamp": "2026-03-01T10:00:00.000Z", **members}), file=out)
	with open(sys.argv[1], "w") as out:
	    line(type="session", id="s", cwd="/w", provider="prov", modelId="m", thinkingLevel="off")
	    for i in range(509):
	        line(type="message", message={"role": "user", "content": f"question {i} " + "ü" * (i % 300), "timestamp": 7})
	        line(type="message", message={"role": "assistant", "timestamp": 8, "api": "a", "provider": "prov",
	                                      "model": "m", "usage": {}, "stopReason": "stop",
	                                      "content": [{"type": "text", "text": "answer\n" * (i % 50)}]})
	PY
	cp "$SESSION" "$DIR/before"
	mount_session
	grep -qx "depth: 1018" "$MNT/info"
	# Each content through each view: the same bytes, as many as stat says. A shell's arguments
	# would be paths of a thousand names.
	python3 - "$MNT" <<-'PY'
	import os, sys
	mount, names = sys.argv[1], []
	os.chdir(mount + "/tree")
	while below := [n for n in os.listdir(".") if os.path.isdir(n) and not os.path.islink(n)]:
	    assert len(below) == 1, below
	    os.chdir(below[0])
	    with open("content", "rb") as one, open(f"{mount}/by-id/{below[0]}/content", "rb") as other:
	        size = os.fstat(one.fileno()).st_size
	        text = one.read()
	        assert len(text) == size == os.fstat(other.fileno()).st_size, below
	        assert other.read() == text, below
	    names.append(below[0])
	assert sorted(names) == sorted(os.listdir(mount + "/by-id")) and len(names) == 1018, len(names)
	PY
	cmp "$DIR/before" "$SESSION"
	echo migrated >"$MNT/HEAD/label"
	cmp "$DIR/before" "$SESSION.v1.bak"
	is 1019 bash -c 'ls "$1" | wc -l' - "$MNT/by-id"
}
