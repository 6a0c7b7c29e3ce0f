# One session's lock, slow file or dead server holds up that session alone.
load lib/mount
load lib/run
load lib/pi

# Two sessions in a folder that is mounted: $ALL/near.jsonl and $ALL/held.jsonl, which
# has two labels.
mount_both() {
	ALL=$DIR/all
	mkdir "$ALL"
	cp "$FIXTURES/pi-v3-branches.jsonl" "$ALL/held.jsonl"
	cp "$FIXTURES/pi-v3-branches.jsonl" "$ALL/near.jsonl"
	chmod 644 "$ALL"/*
	SESSION=$ALL/held.jsonl
	"$SESSFS" "$ALL" "$MNT"
}

# Truncate a file of $MNT/held, and lock the session before sessfs has written that, as
# another process. The lock is held until let_go.
truncate_and_lock() {
	needs python3
	python3 - "$1" "$SESSION" "$DIR" 3>&- <<-'PY' &
	import fcntl, os, sys, time
	file, session, folder = sys.argv[1:]
	lines = open(session).read()
	with open(session, "a") as held:
	    # Within a tenth of a second: try again where that was too slow.
	    for text in [None] + ["again %d\n" % i for i in range(100)]:
	        if text:
	            open(file, "w").write(text)
	            lines = open(session).read()
	        os.close(os.open(file, os.O_WRONLY | os.O_TRUNC))
	        fcntl.flock(held, fcntl.LOCK_EX)
	        if open(session).read() == lines:
	            break
	        fcntl.flock(held, fcntl.LOCK_UN)
	    else:
	        sys.exit("sessfs is always faster")
	    open(folder + "/locked", "w").close()
	    while os.path.isdir(folder) and not os.path.exists(folder + "/go"):
	        time.sleep(0.05)
	PY
	HOLDER=$!
	wait_until test -e "$DIR/locked"
	cp "$SESSION" "$DIR/before"
}

let_go() {
	touch "$DIR/go"
	wait "$HOLDER"
}

# Print what a command prints, which must end.
soon() {
	timeout 60 "$@"
}

@test "a request of another session does not wait for a lock" {
	mount_both
	truncate_and_lock "$MNT/held/by-id/aa000008/label"
	is good soon cat "$MNT/near/by-id/aa000008/label"
	soon grep -q '^entries: ' "$MNT/near/info"
	soon ls -l "$MNT" "$MNT/near" >/dev/null
	echo fine >"$MNT/near/by-id/aa000004/label"
	ln -sfn by-id/aa000004 "$MNT/near/HEAD"
	cmp "$DIR/before" "$SESSION"
	let_go
	# It was not lost: had one of these waited, it would have been in vain.
	wait_until grep -q '"targetId":"aa000008"}$' "$SESSION"
	[ ! -s "$MNT/held/by-id/aa000008/label" ]
}

@test "nor does sessions.txt, which has the name of after the lock" {
	mount_both
	truncate_and_lock "$MNT/held/name"
	is "held
near" soon sh -c 'cut -f2 "$1" | sort' - "$MNT/sessions.txt"
	cmp "$DIR/before" "$SESSION"
	let_go
	wait_until_not cmp -s "$DIR/before" "$SESSION"
	tail -n 1 "$SESSION" | grep '"type":"session_info"'
}

@test "sessions.txt has no name that was emptied just before" {
	needs python3
	mount_both
	echo "of before" >"$MNT/held/name"
	grep -q "of before" "$MNT/sessions.txt"
	python3 - "$MNT" <<-'PY'
	import os, sys
	os.chdir(sys.argv[1])
	os.close(os.open("held/name", os.O_WRONLY | os.O_TRUNC))
	assert "of before" not in open("sessions.txt").read()
	PY
}

@test "a program in another session's folder sees its new entries meanwhile" {
	mount_both
	truncate_and_lock "$MNT/held/by-id/aa000008/label"
	SESSION=$ALL/near.jsonl is_told_of "$MNT/near/by-id/aa000004" bb000001
	cmp "$DIR/before" "$SESSION"
	let_go
	wait_until grep -q '"targetId":"aa000008"}$' "$SESSION"
}

@test "a request of the session itself waits, and sees what was written" {
	mount_both
	truncate_and_lock "$MNT/held/by-id/aa000008/label"
	cat "$MNT/held/info" >"$DIR/info" &
	local reader=$!
	let_go
	wait "$reader"
	grep -qx "labels: 1" "$DIR/info"
}
