# path/: the way from the root to HEAD.
load lib/mount
load lib/run
load lib/pi
load lib/claude
load lib/omp

# Fails unless path/ lists these names, in this order.
path_is() {
	is "$(printf '%s\n' "$@")" ls -U "$MNT/path"
	is "$(printf '%s\n' "$@")" env LC_ALL=C ls "$MNT/path"
}

# A chain of messages from both sides.
write_talk() {
	write_session "$(user 00000001 "" "Write a word counter in C!")" \
		"$(message 00000002 00000001 '{"role":"assistant","content":[{"type":"text","text":"Done: wc.c"}],"provider":"p","model":"m"}')" \
		"$(user 00000003 00000002 "Test it")" \
		"$(user 00000004 00000003 "And commit")"
}

# Rules: R1
@test "path/ is the way to HEAD, numbered, with kinds and words" {
	write_talk
	mount_session
	path_is 0001-user-Write-a-word-counter-in-C 0002-assistant-Done-wc-c \
		0003-user-Test-it 0004-user-And-commit
	is ../by-id/00000002 readlink "$MNT/path/0002-assistant-Done-wc-c"
	is "Write a word counter in C!
Done: wc.c
Test it
And commit" bash -c "for at in '$MNT'/path/*/content; do cat \"\$at\"; echo; done | grep ."
	is "$(stat -c %Y "$MNT/by-id/00000003")" stat -c %Y "$MNT/path/0003-user-Test-it"
	is "$(stat -c %s "$MNT/path/0003-user-Test-it")" bash -c \
		"printf %s ../by-id/00000003 | wc -c"
}

# Rules: R1
@test "a link is found by its whole name, or by its number alone" {
	write_talk
	mount_session
	is "Test it" cat "$MNT/path/0003-user-Test-it/content"
	is "Test it" cat "$MNT/path/0003/content"
	is "Test it" cat "$MNT/path/3/content"
	local name
	for name in 0003-user-Test 0003-user-Test-it- 0003- 0003-x 03-user-Test-it 0003user \
		0000 0 0005 99999999999999999999 user-Test-it -3 "" .git; do
		[ -z "$name" ] || fails_with "No such file" stat "$MNT/path/$name"
	done
	is 4 bash -c "ls '$MNT/path' | wc -l"
}

@test "before the first entry path/ is empty" {
	write_talk
	mount_session
	ln -sfn tree "$MNT/HEAD"
	[ -z "$(ls -A "$MNT/path")" ]
	fails_with "No such file" stat "$MNT/path/0001"
	fails_with "No such file" ln -sfn path/0001 "$MNT/HEAD"
	head_is tree
	: >"$DIR/empty.jsonl"
	SESSION=$DIR/empty.jsonl
	unmount
	daemon_is_gone
	mount_session
	[ -z "$(ls -A "$MNT/path")" ]
}

@test "ln moves HEAD to a number, in all spellings" {
	write_talk
	mount_session
	local target
	for target in path/0002 path/0002-assistant-Done-wc-c path/2 path/0002-anything ./path/0002/ \
		path/0002/content path/0003/parent "$MNT/path/0002" "$MNT/path/0002-assistant-Done-wc-c/" \
		"../path/0002" "${MNT##*/}/path/0002-assistant-Done-wc-c/content"; do
		ln -sfn "$target" "$MNT/HEAD"
		head_is by-id/00000002
		ln -sfn by-id/00000004 "$MNT/HEAD"
	done
	(cd "$DIR" && ln -sfn "${MNT##*/}/path/0002" "${MNT##*/}/HEAD")
	head_is by-id/00000002
	ln -sfn by-id/00000004 "$MNT/HEAD"
	(cd "$MNT/path" && ln -sfn ../path/0003-user-Test-it ../HEAD)
	head_is by-id/00000003
	# Without -n, through the folder that HEAD points to.
	ln -sf path/0001-user-Write-a-word-counter-in-C "$MNT/HEAD"
	head_is by-id/00000001
	local bad
	for bad in path path/ path/0000 path/0002 path/0009 path/user path/0001x; do
		fails_with "No such file" ln -sfn "$bad" "$MNT/HEAD"
	done
	head_is by-id/00000001
}

@test "when HEAD moves, the numbers below the fork stay" {
	write_talk
	mount_session
	cd "$MNT/path"
	ln -sfn path/0002 "$MNT/HEAD"
	path_is 0001-user-Write-a-word-counter-in-C 0002-assistant-Done-wc-c
	fails_with "No such file" stat "$MNT/path/0003-user-Test-it"
	say '{"role":"user","content":"Rather in Rust"}'
	path_is 0001-user-Write-a-word-counter-in-C 0002-assistant-Done-wc-c 0003-user-Rather-in-Rust
	fails_with "No such file" stat "$MNT/path/0003-user-Test-it"
	ln -sfn branches/00000004 "$MNT/HEAD"
	path_is 0001-user-Write-a-word-counter-in-C 0002-assistant-Done-wc-c 0003-user-Test-it 0004-user-And-commit
	fails_with "No such file" stat "$MNT/path/0003-user-Rather-in-Rust"
	# From the shell's folder, which is the same.
	is 4 bash -c 'ls | wc -l'
}

@test "an appended line is there at once; bookkeeping is left out" {
	write_talk
	mount_session
	is 4 bash -c "ls '$MNT/path' | wc -l"
	printf '%s\n' "$(user 00000005 00000004 "Push")" >>"$SESSION"
	is "Push" cat "$MNT/path/0005-user-Push/content"
	is 5 bash -c "ls '$MNT/path' | wc -l"
	echo kept >"$MNT/HEAD/label"
	echo "The name" >"$MNT/name"
	is 5 bash -c "ls '$MNT/path' | wc -l"
	printf '%s\n' "$(user 00000006 00000005 "Next")" >>"$SESSION"
	path_is 0001-user-Write-a-word-counter-in-C 0002-assistant-Done-wc-c \
		0003-user-Test-it 0004-user-And-commit 0005-user-Push 0006-user-Next
}

@test "path/ of oh-my-pi and of Claude Code" {
	mount_fixture omp-v3-basic.jsonl
	links_are_the_way_to_head
	unmount
	daemon_is_gone
	write_two_branches
	mount_session
	links_are_the_way_to_head
	path_is 0001-user-question 0002-assistant-second 0003-user-thanks-again
	ln -sfn "path/0001-user-question" "$MNT/HEAD"
	head_is "by-id/$(uuid 1)"
	ln -sfn "branches/$(uuid 3)" "$MNT/HEAD"
	path_is 0001-user-question 0002-assistant-first 0003-user-thanks
}

# Fails unless the links of path/ are the parents of HEAD that are no
# bookkeeping.
links_are_the_way_to_head() {
	local at=$MNT/HEAD way=() list=()
	while :; do
		grep -q '^bookkeeping: yes' "$at/meta" || way=("$(sed -n 's/^id: //p' "$at/meta")" "${way[@]}")
		[ -e "$at/parent" ] || break
		at=$at/parent
	done
	local link
	for link in "$MNT"/path/*; do
		list+=("$(sed -n 's/^id: //p' "$link/meta")")
	done
	[ "${#way[@]}" -gt 0 ]
	is "$(printf '%s\n' "${way[@]}")" printf '%s\n' "${list[@]}"
}

@test "words of any script keep their letters and digits" {
	write_session "$(user 00000001 "" "用C写一个 词频统计程序。")" \
		"$(user 00000002 00000001 "اكتب بَرنامجًا ٣")" \
		"$(user 00000003 00000002 'Cafe\u0301 — nai\u0308ve')" \
		"$(user 00000004 00000003 "हिन्दी में लिखो")" \
		"$(user 00000005 00000004 "🎉🎉 done 👍🏽 ok")" \
		"$(user 00000006 00000005 "🎉")" \
		"$(user 00000007 00000006 'a\u202eb\ufeffc \ud83d x')" \
		"$(user 00000008 00000007 "$(printf '字%.0s' {1..60})")"
	mount_session
	path_is "0001-user-用C写一个-词频统计程序" "0002-user-اكتب-بَرنامجًا-٣" \
		"0003-user-$(printf 'Cafe\xcc\x81-nai\xcc\x88ve')" "0004-user-हिन्दी-में-लिखो" 0005-user-done-ok \
		0006-user 0007-user-a-b-c-x "0008-user-$(printf '字%.0s' {1..40})"
	is "用C写一个 词频统计程序。" cat "$MNT/path/0001-user-用C写一个-词频统计程序/content"
	# Without a locale, too.
	is "🎉" env LC_ALL=C cat "$MNT/path/0006-user/content"
}

@test "hostile words and kinds make harmless names" {
	write_session "$(user 00000001 "" '../../etc/passwd')" \
		"$(user 00000002 00000001 'a\u0000b\nc\u001b[2Jd\\\"')" \
		"$(message 00000003 00000002 '{"role":"../x\ny","content":"z"}')" \
		"$(message 00000004 00000003 '{"role":"","content":"..."}')" \
		"$(user 00000005 00000004 "$(printf 'e\\u0301\\u0301\\u0301\\u0301\\u0301%.0s' {1..40})")" \
		"$(user 00000006 00000005 "$(printf 'w%.0s' {1..9000})")"
	mount_session
	run ls "$MNT/path"
	[ "${lines[0]}" = 0001-user-etc-passwd ]
	[ "${lines[1]}" = 0002-user-a-b-cd ]
	[ "${lines[2]}" = 0003-x-y-z ]
	[ "${lines[3]}" = 0004-unknown ]
	[ "$(printf %s "${lines[4]}" | wc -c)" -le 255 ]
	[ "${lines[5]}" = "0006-user-$(printf 'w%.0s' {1..40})" ]
	[ "${#lines[@]}" -eq 6 ]
	local name
	for name in "${lines[@]}"; do
		[ -d "$MNT/path/$name" ]
	done
}

@test "nothing can be made, removed or renamed in path/" {
	write_talk
	mount_session
	cp "$SESSION" "$DIR/before"
	fails_for_root_with "Operation not permitted" ln -s ../by-id/00000001 "$MNT/path/0009"
	fails_for_root_with "Operation not permitted" mkdir "$MNT/path/0009"
	fails_for_root_with "Operation not permitted" rm "$MNT/path/0003"
	fails_for_root_with "Operation not permitted" mv "$MNT/path/0003" "$MNT/path/0004"
	cmp "$DIR/before" "$SESSION"
}

@test "a recursive grep over the root reads no entry by path/" {
	write_talk
	mount_session
	is "$MNT/by-id/00000004/content:And commit" grep -r "And commit" "$MNT/by-id" "$MNT/path"
	is 4 bash -c "find '$MNT/path' -mindepth 1 -type l | wc -l"
	is 4 bash -c "find '$MNT/path' -mindepth 1 | wc -l"
}

# bats test_tags=large
@test "the session grows, and HEAD moves, while path/ is listed" {
	needs python3
	write_many chain 3000
	mount_session
	python3 - "$MNT" "$SESSION" <<-'PY'
	import os, sys, threading, time
	mnt, session = sys.argv[1:]
	stop = threading.Event()
	def disturb():
	    n = 3000
	    while not stop.is_set():
	        with open(session, "a") as f:
	            f.write('{"type":"message","id":"%08x","parentId":"%08x","timestamp":"2026-03-01T10:00:01.000Z",'
	                    '"message":{"role":"user","content":"entry %d"}}\n' % (n, n - 1 if n % 5 else 1499, n))
	        n += 1
	        time.sleep(0.0001)
	t = threading.Thread(target=disturb)
	t.start()
	try:
	    for i in range(30):
	        names = os.listdir(mnt + "/path")
	        assert names == sorted(names), names
	        assert len(names) == len(set(names)) >= 1500
	        # Below the fork nothing changes.
	        assert names[:1500] == ["%04d-user-entry-%d" % (k + 1, k) for k in range(1500)]
	        assert os.readlink(mnt + "/path/" + names[i]) == "../by-id/%08x" % i
	finally:
	    stop.set()
	    t.join()
	PY
}

# bats test_tags=large,full
@test "a way of 100,000 entries" {
	write_many chain 100000
	mount_session
	run bash -c "ls -U '$MNT/path' | sed -n '1p; 9999p; 10000p; \$p; \$='"
	is "0001-user-entry-0
9999-user-entry-9998
10000-user-entry-9999
100000-user-entry-99999
100000" printf '%s\n' "${lines[@]}"
	is ../by-id/0001869f readlink "$MNT/path/100000-user-entry-99999"
	ln -sfn path/50000 "$MNT/HEAD"
	head_is by-id/0000c34f
	is 50000 bash -c "ls -U '$MNT/path' | wc -l"
}

# bats test_tags=root
@test "another user reads path/ as far as the session" {
	needs_root
	write_talk
	chmod 644 "$SESSION"
	chown 65534:65534 "$SESSION" "$DIR" "$MNT"
	setpriv --reuid=65534 --regid=65534 --clear-groups "$SESSFS" "$SESSION" "$MNT"
	as_nobody() { setpriv --reuid=65534 --regid=65534 --clear-groups "$@"; }
	is "Test it" as_nobody cat "$MNT/path/0003-user-Test-it/content"
	as_nobody ln -sfn path/0002 "$MNT/HEAD"
	is by-id/00000002 as_nobody readlink "$MNT/HEAD"
	is 2 as_nobody sh -c "ls '$MNT/path' | wc -l"
}
