# The command line: options, messages, exit statuses, signals.
load lib/mount
load lib/run
load lib/session

# The same, and fails if something is mounted.
refuses_mount() {
	refuses "$@"
	if mountpoint -q "$MNT"; then return 1; fi
}

@test "-h and -V" {
	run "$SESSFS" -h
	[ "$status" -eq 0 ]
	[[ ${lines[0]} == "usage: sessfs [-o OPTIONS] SOURCE... MOUNTPOINT" ]]
	# A window of 40 lines and 80 columns.
	start "$SESSFS" --help >"$DIR/help"
	[ "$(wc -l <"$DIR/help")" -le 40 ]
	run -1 grep -E '.{80}' "$DIR/help"
	# Of each command a whole sentence.
	run -1 grep -E '^  [a-z].*[^.]$' "$DIR/help"
	run "$SESSFS" --version
	[ "$status" -eq 0 ]
	[[ $output =~ ^sessfs\ [0-9]+\.[0-9]+\.[0-9]+$ ]]
}

@test "a wrong command line: one line, status 2" {
	cp "$FIXTURES/pi-v3-branches.jsonl" "$SESSION"
	local usage="usage: sessfs [-o OPTIONS] SOURCE... MOUNTPOINT, or --all MOUNTPOINT (-h for help)"
	refuses_mount 2 "$usage" "$SESSFS"
	refuses_mount 2 "$usage" "$SESSFS" "$SESSION"
	refuses_mount 2 "sessfs: unexpected argument with --all: $SESSION" "$SESSFS" --all "$SESSION" "$MNT"
	refuses_mount 2 "sessfs: unknown option(s): \`-o nosuch'" "$SESSFS" -o nosuch "$SESSION" "$MNT"
	refuses_mount 2 "sessfs: unknown option(s): \`-x'" "$SESSFS" -x "$SESSION" "$MNT"
}

@test "an unknown option is named before anything else is looked at" {
	refuses_mount 2 "sessfs: unknown option(s): \`--nosuch'" "$SESSFS" --nosuch
	refuses_mount 2 "sessfs: unknown option(s): \`-x'" "$SESSFS" -x "$DIR/none" "$MNT"
	refuses_mount 2 "sessfs: unknown option(s): \`-o nosuch'" "$SESSFS" -o nosuch,ro "$DIR/none"
	refuses_mount 2 "sessfs: unknown option(s): \`-o nosuch'" "$SESSFS" --check -o nosuch "$DIR/none"
	refuses_mount 2 "sessfs: unknown option(s): \`--checks'" "$SESSFS" --checks "$DIR/none"
	refuses_mount 2 "sessfs: unknown option(s): \`--export=x'" "$SESSFS" --export=x "$DIR/none"
	refuses_mount 2 "sessfs: unknown option(s): \`-o nosuch'" "$SESSFS" --export "$DIR/new" -o nosuch "$DIR/none"
	refuses_mount 2 "sessfs: keep=0: must be a number from 1 to 131072" "$SESSFS" -o keep=0 "$DIR/none" "$MNT"
	[ ! -e "$DIR/new" ]
}

@test "a command by its name, as an option, and by a link to the program" {
	cp "$FIXTURES/pi-v3-branches.jsonl" "$SESSION"
	cd "$DIR"
	ln -s "$SESSFS" sessfs-outline
	start "$SESSFS" outline "$SESSION" >named
	"$SESSFS" --outline "$SESSION" | cmp - named
	./sessfs-outline "$SESSION" | cmp - named
	start "$SESSFS" outline -o color,columns=60 "$SESSION" >colored
	"$SESSFS" -o color -o columns=60 --outline "$SESSION" | cmp - colored
	run -1 cmp named colored
	refuses 2 "sessfs: outline: no option -z (sessfs outline -h for help)" "$SESSFS" outline -z "$SESSION"
	refuses 2 "sessfs: outline: no value for -o (sessfs outline -h for help)" "$SESSFS" outline "$SESSION" -o
	refuses 2 "sessfs: columns=7: must be a number from 40 to 1000" "$SESSFS" outline -o columns=7 "$SESSION"
	cp "$SESSION" outline
	is "$(cat named)" "$SESSFS" outline -- outline
}

@test "each command has its help" {
	local command
	for command in $("$SESSFS" -h | sed -n '/^The commands/,/^$/s/^  \([a-z-]*\) .*/\1/p'); do
		echo "of $command:"
		start "$SESSFS" "$command" -h >"$DIR/help"
		grep -q "^usage: sessfs $command \[OPTIONS\]" "$DIR/help"
		run -1 grep -E '.{81}| $' "$DIR/help"
		cmp "$DIR/help" <("$SESSFS" "$command" --help)
	done
	[ -e "$DIR/help" ]
}

@test "what can't be printed is an error" {
	make_home
	mkdir "$HOME/.claude"
	local command
	for command in "keep -h" "skill path" "skill install"; do
		# shellcheck disable=SC2086 # words
		fails_in_a_line "sessfs: standard output: No space left on device" 1 to_full "$SESSFS" $command
	done
}

to_full() {
	"$@" >/dev/full
}

@test "a source or mount point that will not do: one line that names it, status 1" {
	cp "$FIXTURES/pi-v3-branches.jsonl" "$SESSION"
	mkfifo "$DIR/fifo"
	touch "$DIR/file"
	refuses_mount 1 "sessfs: $DIR/none: No such file or directory" "$SESSFS" "$DIR/none" "$MNT"
	refuses_mount 1 "sessfs: $MNT: is inside SOURCE" "$SESSFS" "$DIR" "$MNT"
	refuses_mount 1 "sessfs: $DIR/fifo: not a regular file" "$SESSFS" "$DIR/fifo" "$MNT"
	refuses_mount 1 "sessfs: /dev/null: not a regular file" "$SESSFS" /dev/null "$MNT"
	refuses_mount 1 "sessfs: $DIR/nowhere: No such file or directory" "$SESSFS" "$SESSION" "$DIR/nowhere"
	refuses_mount 1 "sessfs: $DIR/file: not a directory" "$SESSFS" "$SESSION" "$DIR/file"
	refuses_mount 1 "sessfs: $DIR: the mount would hide the session" "$SESSFS" "$SESSION" "$DIR"
}

@test "what fails at start-up is named: open files that ran out, or memory" {
	make_slow
	install -m 644 "$FIXTURES/pi-v3-branches.jsonl" "$SESSION"
	export CALL_NTH=1 CALL_KINDS=eventfd
	CALL_DO=EMFILE refuses_mount 1 "sessfs: $MNT: Too many open files" "$SLOW" "$SESSION" "$MNT"
	CALL_DO=ENOMEM refuses_mount 1 "sessfs: $MNT: out of memory" "$SLOW" "$SESSION" "$MNT"
}

@test "the parent returns when the mount answers; it is named in the mount table" {
	mount_fixture pi-v3-branches.jsonl
	mountpoint -q "$MNT"
	head_is by-id/aa000025
	is "$SESSION fuse.sessfs" bash -c "findmnt -n -o SOURCE,FSTYPE '$MNT' | tr -s ' '"
	is 1 bash -c "pgrep -fc 'sessfs .*$DIR/'"
}

@test "a name with commas and spaces is no trouble" {
	SESSION="$DIR/a, b\\c.jsonl"
	mount_fixture pi-v3-branches.jsonl
	head_is by-id/aa000025
	ln -sfn by-id/aa000004 "$MNT/HEAD"
	head_is by-id/aa000004
}

@test "relative names work, and the daemon does not hold its directory" {
	local name=${DIR//\//-}.jsonl
	cp "$FIXTURES/pi-v3-branches.jsonl" "$DIR/$name"
	cd "$DIR"
	start "$SESSFS" "./$name" mnt
	ln -sfn mnt/by-id/aa000004 mnt/HEAD
	head_is by-id/aa000004
	is / readlink "/proc/$(pgrep -f "sessfs ./$name mnt" | head -n 1)/cwd"
	fusermount3 -u mnt
	wait_until_not pgrep -f "sessfs ./$name mnt"
}

@test "the daemon does not hold the output of the command that mounts" {
	cp "$FIXTURES/pi-v3-branches.jsonl" "$SESSION"
	export -f mount_session
	export SESSFS SESSION MNT
	timeout 10 bash -c 'mount_session 2>&1 | cat'
}

@test "a link to the session is followed" {
	cp "$FIXTURES/pi-v3-branches.jsonl" "$DIR/real.jsonl"
	ln -s real.jsonl "$SESSION"
	mount_session
	echo x >"$MNT/by-id/aa000004/label"
	is x cat "$MNT/by-id/aa000004/label"
	[ -L "$SESSION" ]
}

@test "in the foreground: fusermount3 -u ends it with status 0" {
	cp "$FIXTURES/pi-v3-branches.jsonl" "$SESSION"
	"$SESSFS" -f "$SESSION" "$MNT" 3>&- &
	wait_for_mount
	fusermount3 -u "$MNT"
	wait $!
}

@test "SIGTERM, SIGINT and SIGHUP unmount, with status 0" {
	needs python3
	cp "$FIXTURES/pi-v3-branches.jsonl" "$SESSION"
	local signal
	# A shell without job control lets its children ignore SIGINT, and nohup
	# SIGHUP.
	for signal in TERM HUP INT; do
		python3 - "$SESSFS" "$SESSION" "$MNT" "$signal" <<-'PY'
		import os, signal, subprocess, sys, time
		sessfs, session, mnt, name = sys.argv[1:]
		number = getattr(signal, "SIG" + name)
		p = subprocess.Popen([sessfs, "-f", session, mnt],
		    preexec_fn=lambda: signal.signal(number, signal.SIG_DFL))
		end = time.monotonic() + 30
		while not os.path.ismount(mnt):
		    assert p.poll() is None and time.monotonic() < end
		    time.sleep(0.02)
		p.send_signal(number)
		assert p.wait(timeout=20) == 0, p.returncode
		assert not os.path.ismount(mnt)
		PY
	done
}

@test "-s and -d serve as well" {
	mount_fixture pi-v3-branches.jsonl -s
	is 24 bash -c "ls '$MNT/by-id' | wc -l"
	unmount
	daemon_is_gone
	"$SESSFS" -d "$SESSION" "$MNT" 3>&- 2>"$DIR/log" &
	wait_for_mount
	ls "$MNT" >/dev/null
	fusermount3 -u "$MNT"
	wait $!
	grep -q READDIR "$DIR/log"
}

@test "-o ro refuses every write with EROFS" {
	mount_fixture pi-v3-branches.jsonl -o ro
	local no="Read-only file system"
	fails_with "$no" ln -sfn by-id/aa000004 "$MNT/HEAD"
	fails_with "$no" bash -c "echo x >'$MNT/by-id/aa000004/label'"
	fails_with "$no" rm "$MNT/HEAD"
	fails_with "$no" mkdir "$MNT/x"
	cmp "$FIXTURES/pi-v3-branches.jsonl" "$SESSION"
	is "-r--r--r--" stat -c %A "$MNT/by-id/aa000004/label"
	findmnt -n -o OPTIONS "$MNT" | grep -qw ro
}

# bats test_tags=root
@test "no space in the middle of a write: an error, and the file is unchanged" {
	needs python3
	mkdir "$DIR/small"
	mount -t tmpfs -o size=16k tmpfs "$DIR/small" || skip "tmpfs can't be mounted here"
	SESSION=$DIR/small/session.jsonl
	cp "$FIXTURES/pi-v3-headmove.jsonl" "$SESSION"
	mount_session
	# Fill the disk, leaving less space than a line needs.
	dd if=/dev/zero of="$DIR/small/fill" bs=1 count=1 status=none
	truncate -s $((4096 - 60)) "$DIR/fill"
	python3 - "$SESSION" <<-'PY'
	import os, sys
	size = os.path.getsize(sys.argv[1])
	with open(sys.argv[1], "a") as f:
	    f.write('{"type":"custom","id":"filler","parentId":"dd000004","customType":"%s"}\n' % ("x" * (4096 - 60 - size % 4096 - 69)))
	PY
	dd if=/dev/zero of="$DIR/small/fill" bs=4096 status=none 2>/dev/null || true
	cp "$SESSION" "$DIR/before"
	run ln -sfn by-id/dd000001 "$MNT/HEAD"
	local status_of_ln=$status said=$output
	run bash -c "echo label >'$MNT/by-id/dd000001/label'"
	rm "$DIR/small/fill"
	cmp "$DIR/before" "$SESSION"
	[ "$status_of_ln" -ne 0 ]
	[[ $said == *"No space left"* ]]
	[ "$status" -ne 0 ]
	[[ $output == *"No space left"* ]]
	ln -sfn by-id/dd000001 "$MNT/HEAD"
	head_is by-id/dd000001
}

@test "a file-size limit: an error, the daemon lives, and the file is unchanged" {
	cp "$FIXTURES/pi-v3-branches.jsonl" "$SESSION"
	cp "$SESSION" "$DIR/before"
	(ulimit -f 1 && mount_session)
	fails_with "File too large" ln -sfn by-id/aa000004 "$MNT/HEAD"
	cmp "$DIR/before" "$SESSION"
	head_is by-id/aa000025
}

@test "standard files that are closed are no trouble" {
	cp "$FIXTURES/pi-v3-branches.jsonl" "$SESSION"
	mount_session <&- >&- 2>&-
	is "list the files" cat "$MNT/by-id/aa000004/content"
}
