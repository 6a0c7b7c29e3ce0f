# SOURCE on a network filesystem: sshfs, from a server on this machine. $THERE
# is the server's folder itself, without sshfs.
load lib/mount
load lib/run
load lib/pi
load lib/claude

setup() {
	needs_mounts
	needs sshfs python3
	find_sftp_server || lacks "there is no sftp-server here" \
		"scripts/bootstrap test installs it"
	make_folder
	THERE=$DIR/there
	HERE=$DIR/here
	mkdir "$THERE" "$HERE"
	SESSION=$HERE/session.jsonl
	STOPPED=()
	write_sftp_server
	mount_sshfs
}

eval "$(declare -f teardown | sed '1s/teardown/common_teardown/')"

teardown() {
	cd /
	[ -n "${DIR:-}" ] || return 0
	resume_all
	unmount
	unmount_sshfs
	common_teardown
}

# -- the server

find_sftp_server() {
	for SFTP_SERVER in /usr/lib/openssh /usr/libexec/openssh /usr/lib/ssh /usr/lib/misc; do
		SFTP_SERVER=$SFTP_SERVER/sftp-server
		[ ! -x "$SFTP_SERVER" ] || return 0
	done
	return 1
}

# Write the server program, whose process ids go to $DIR/servers. It does not
# start while a file $DIR/closed exists.
write_sftp_server() {
	cat >"$DIR/sftp-server" <<-END
		#!/bin/sh
		[ ! -e "$DIR/closed" ] || exit 1
		echo \$\$ >>"$DIR/servers"
		exec "$SFTP_SERVER"
	END
	chmod 755 "$DIR/sftp-server"
}

# Write a program that stands for ssh: it ends when the server has not answered for three
# seconds.
write_impatient_ssh() {
	cat >"$DIR/ssh" <<-PY
		#!$(type -P python3)
		import os, select, subprocess, time
		server = subprocess.Popen(["$DIR/sftp-server"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
		there, back = server.stdin.fileno(), server.stdout.fileno()
		asked = None
		while asked is None or time.monotonic() < asked + 3:
		    for fd in select.select([0, back], [], [], 0.1)[0]:
		        data = os.read(fd, 1 << 16)
		        if not data:
		            raise SystemExit
		        while data:
		            data = data[os.write(there if fd == 0 else 1, data):]
		        asked = None if fd == back else asked or time.monotonic()
		os._exit(255)
	PY
	chmod 755 "$DIR/ssh"
}

# There is no network: sshfs starts the server, or what is given, in place of ssh;
# options of sshfs may follow. The
# server's shell asks for its working directory: in a mount of the session, sessfs would
# ask sshfs, which still waits for the server.
mount_sshfs() {
	(cd / && exec sshfs -o ssh_command="${1:-$DIR/sftp-server}" -o reconnect \
		"${@:2}" "there:$THERE" "$HERE" 3>&-)
}

unmount_sshfs() {
	not_mounted "$HERE" || fusermount3 -u -z "$HERE"
}

# -- its processes

# End a process, and wait for its end. Children of sshfs may have SIGTERM
# blocked.
stop() {
	kill -KILL "$1" 2>/dev/null || :
	wait_until has_ended "$1"
}

has_ended() {
	not kill -0 "$1" 2>/dev/null || grep -q '^State:.*Z' "/proc/$1/status" 2>/dev/null
}

server() {
	tail -n 1 "$DIR/servers"
}

# Keep the connection open, but stop the server.
silence() {
	local pid
	pid=$(server)
	STOPPED+=("$pid")
	kill -STOP "$pid"
}

resume_all() {
	[ ${#STOPPED[@]} -eq 0 ] || kill -CONT "${STOPPED[@]}" 2>/dev/null || :
}

# Break the connection; sshfs makes another one when it needs one.
break_connection() {
	stop "$(server)"
}

# Wait until each of these processes sleeps.
wait_for_sleep() {
	local pid
	for pid; do wait_until grep -q '^State:.*[SD] ' "/proc/$pid/status"; done
}

# -- sessions

# Mount a session on the server with this many entries of 2,000 bytes.
serve_session() {
	SESSION=$THERE/session.jsonl
	write_many chain "$1"
	sed -i "s/entry [0-9]*/& $(printf 'word %.0s' {1..400})/" "$SESSION"
	SESSION=$HERE/session.jsonl
	mount_session "${@:2}"
}

serve_fixture() {
	cp "$FIXTURES/$1" "$THERE/session.jsonl"
	chmod 644 "$THERE/session.jsonl"
	mount_session
}

# Print the start of an entry's content, without the kernel's cached pages of
# the session: file descriptor 5, if open, is the session.
says() {
	[ ! -e /proc/self/fd/5 ] || dd iflag=nocache count=0 status=none <&5 2>/dev/null || :
	timeout 30 head -c "${#2}" "$MNT/by-id/$1/content" 2>"$DIR/err" | grep -qxF "$2"
}

label() {
	timeout 30 sh -c "echo '$2' >'$MNT/by-id/$1/label'" 2>"$DIR/err"
}

fails_soon() {
	local status=0
	timeout 30 cat "$1" >/dev/null 2>"$DIR/err" || status=$?
	[ "$status" -eq 1 ]
}

# -- what comes from the server

# Rules: W1
# bats test_tags=full
@test "network: lines appended on the server are seen within -o poll" {
	serve_fixture pi-v3-branches.jsonl
	SESSION=$THERE/session.jsonl append_user bb000001 aa000025 "from afar"
	wait_until head_is by-id/bb000001
	is "from afar" cat "$MNT/HEAD/content"
	# A program in a folder sees it as well.
	cd "$MNT/by-id/aa000025"
	[ -d bb000001 ]
	SESSION=$THERE/session.jsonl append_user bb000002 aa000025 "a branch"
	wait_until test -e bb000002
}

# bats test_tags=full
@test "network: a file that the server puts in the place of the session is read" {
	serve_fixture pi-v3-branches.jsonl
	local number
	# sshfs gives all of them the same inode number.
	for number in 1 2 3; do
		{
			head -n 3 "$FIXTURES/pi-v3-branches.jsonl"
			user "bb00000$number" aa000001 "$(printf 'again %.0s' {1..2000})$number"
			echo
			[ "$number" -ne 2 ] || user bb000009 bb000002 longer
		} >"$THERE/new"
		mv "$THERE/new" "$THERE/session.jsonl"
		wait_until head_is "by-id/bb00000$((number == 2 ? 9 : number))"
		grep -q "again $number" "$MNT/by-id/bb00000$number/content"
	done
}

# bats test_tags=full
@test "network: sessions of a folder are read, and grow" {
	mkdir "$THERE/all"
	SESSION=$THERE/all/one.jsonl
	write_session "$(user aa000001 "" first)"
	start "$SESSFS" "$HERE/all" "$MNT"
	is first cat "$MNT/one/HEAD/content"
	append_user aa000002 aa000001 second
	MNT=$MNT/one wait_until head_is by-id/aa000002
}

# -- what goes to the server

# Rules: W1
# bats test_tags=full
@test "network: a move, a label, a name and a line are on the server at once" {
	serve_fixture pi-v3-branches.jsonl
	ln -sfn by-id/aa000004 "$MNT/HEAD"
	head_is by-id/aa000004
	echo far >"$MNT/HEAD/label"
	is far cat "$MNT/HEAD/label"
	echo "far away" >"$MNT/name"
	is "far away" cat "$MNT/name"
	say '{"role":"user","content":"hello there"}'
	is "hello there" cat "$MNT/HEAD/content"
	SESSION=$THERE/session.jsonl holds 'e["message"]["content"] == "hello there"' \
		'any(l.get("label") == "far" for l in lines)' \
		'any(l.get("name") == "far away" for l in lines)'
}

# bats test_tags=full
@test "network: a line just appended on the server becomes the parent of a written one" {
	serve_fixture pi-v3-branches.jsonl -o poll=100
	local i
	for i in 1 2 3; do
		SESSION=$THERE/session.jsonl append_user "bb00000$i" aa000025 "from afar"
		say "{\"role\":\"user\",\"content\":\"$i\"}"
		SESSION=$THERE/session.jsonl holds "e['parentId'] == 'bb00000$i'"
	done
}

# bats test_tags=full
@test "network: a line longer than the server's writes is whole" {
	serve_fixture pi-v3-branches.jsonl
	python3 - "$MNT/append" <<-'PY'
	import json, os, sys
	fd = os.open(sys.argv[1], os.O_WRONLY)
	data = (json.dumps({"role": "user", "content": "0123456789" * 200000}) + "\n").encode()
	while data:
	    data = data[os.write(fd, data):]
	os.close(fd)
	PY
	SESSION=$THERE/session.jsonl holds 'e["message"]["content"] == "0123456789" * 200000'
	is 2000001 stat -Lc %s "$MNT/HEAD/content"
}

# bats test_tags=full
@test "network: two mounts write one session, and no line is torn" {
	serve_fixture pi-v3-branches.jsonl
	local i
	# sshfs may show a file before all of it is there: sessfs-errors(7), ESTALE.
	for i in {10..29}; do user "from-there-$i" aa000025 x; echo; done |
		TRIES=20 write_from_two_mounts by-id/aa000004 by-id/aa000005
	SESSION=$THERE/session.jsonl holds 'all(isinstance(l, dict) for l in lines)' \
		'len(lines) == open(sys.argv[1]).read().count("\n")'
	is 20 bash -c "ls '$MNT/by-id' | grep -c from-there"
}

# bats test_tags=full
@test "network: a session of version 1 is migrated, and the old one kept" {
	serve_fixture pi-v1-linear.jsonl
	echo first >"$MNT/HEAD/parent/label"
	is first cat "$MNT/HEAD/parent/label"
	cmp "$FIXTURES/pi-v1-linear.jsonl" "$THERE/session.jsonl.v1.bak"
	SESSION=$THERE/session.jsonl holds 'lines[0]["version"] == 3' 'e["label"] == "first"'
	is "session.jsonl session.jsonl.v1.bak" bash -c "ls '$THERE' | paste -sd ' '"
}

# bats test_tags=full
@test "network: files beside a session are written" {
	serve_fixture claude-basic.jsonl
	local id
	id=$(uuid 1)
	ln -sfn "by-id/$id" "$MNT/HEAD"
	head_is "by-id/$id"
	echo far >"$MNT/by-id/$id/label"
	is far cat "$MNT/by-id/$id/label"
	grep -q far "$THERE/session.sessfs.json"
}

# bats test_tags=full
@test "network: oh-my-pi's locks are acquired, waited for and released" {
	serve_fixture omp-v3-basic.jsonl
	echo "far away" >"$MNT/name"
	is "far away" cat "$MNT/name"
	head -n 1 "$THERE/session.jsonl" | grep -q '"title":"far away"'
	[ ! -e "$THERE/.session.jsonl.lock" ]
	# Somebody on this machine has it, who is alive.
	printf '%s:%s000\n' $$ "$(date +%s)" >"$THERE/.session.jsonl.lock"
	fails_with "Device or resource busy" bash -c "echo x >'$MNT/HEAD/label'"
	grep -qx "$$:[0-9]*" "$THERE/.session.jsonl.lock"
	rm "$THERE/.session.jsonl.lock"
	echo x >"$MNT/HEAD/label"
	is x cat "$MNT/HEAD/label"
}

# -- a server that goes away

# bats test_tags=full
@test "network: a mount goes on when the connection was broken" {
	serve_session 3000
	is by-id/00000bb7 readlink "$MNT/HEAD"
	exec 5<"$SESSION"
	local i
	for i in 1 2; do
		break_connection
		is by-id/00000bb7 readlink "$MNT/HEAD"
		says "0000010$i" "entry $((256 + i)) word"
		says "00000b0$i" "entry $((2816 + i)) word"
	done
	break_connection
	echo back >"$MNT/by-id/00000200/label"
	is back cat "$MNT/by-id/00000200/label"
	SESSION=$THERE/session.jsonl holds 'e["label"] == "back"'
}

# Rules: W1
# bats test_tags=full
@test "network: without a server there are errors, and the session is kept" {
	serve_session 3000
	cd "$MNT/by-id/00000200"
	touch "$DIR/closed"
	break_connection
	wait_until fails_soon "$MNT/info"
	grep -q "Input/output error\|not connected" "$DIR/err"
	# sshfs may still have the session's attributes and the kernel its pages: then
	# the content is right.
	says 00000333 "entry 819 word" || grep -q "Input/output error\|not connected" "$DIR/err"
	run label 00000200 x
	[[ $status -ne 0 && $status -ne 124 ]]
	rm "$DIR/closed"
	# The folder does not become stale, because the file is the same.
	wait_until grep -q "^entry 512" content
	is by-id/00000bb7 readlink "$MNT/HEAD"
	says 00000333 "entry 819 word"
	not grep -q '"label":"x"' "$THERE/session.jsonl"
}

# bats test_tags=full
@test "network: no request waits longer than ssh does for a server that is silent" {
	write_impatient_ssh
	unmount_sshfs
	mount_sshfs "$DIR/ssh"
	serve_session 3000
	exec 5<"$SESSION"
	silence
	# Requests that sshfs has sent before ssh gives up fail; for the next one it
	# connects anew.
	timeout 30 head -c 1 "$MNT/by-id/00000333/content" >/dev/null || [ $? -ne 124 ]
	wait_until says 00000333 "entry 819 word"
	timeout 30 ls "$MNT/by-id" >"$DIR/names"
	is 3000 wc -l <"$DIR/names"
	label 00000200 back
	is back cat "$MNT/by-id/00000200/label"
	silence
	wait_until label 00000201 again
}

# bats test_tags=full
@test "network: a mount goes on when sshfs was killed and has mounted again" {
	serve_session 3000
	cd "$MNT/by-id/00000200"
	pkill -9 -f "^sshfs .*$HERE"
	wait_until fails_soon "$MNT/info"
	grep -q "not connected" "$DIR/err"
	unmount_sshfs
	mount_sshfs
	wait_until says 00000333 "entry 819 word"
	is by-id/00000bb7 readlink "$MNT/HEAD"
	label 00000200 back
	# The same, also where there is no sshfs at all.
	cd /
	unmount_sshfs
	timeout 30 fusermount3 -u "$MNT"
	daemon_is_gone
}

# bats test_tags=full
@test "network: while a server is silent, a session that is not on it is read, written and watched" {
	local all=$DIR/all pids=() i
	mkdir -p "$all/far"
	cp "$FIXTURES/pi-v3-branches.jsonl" "$all/near.jsonl"
	chmod 644 "$all/near.jsonl"
	unmount_sshfs
	HERE=$all/far
	mount_sshfs "" -o direct_io,dir_cache=no
	SESSION=$THERE/session.jsonl
	write_many chain 100
	start "$SESSFS" "$all" "$MNT"
	is "entry 7" cat "$MNT/far/session/by-id/00000007/content"
	is good cat "$MNT/near/by-id/aa000008/label"
	silence
	# More than libfuse has threads by default, and the kernel requests in the background.
	for i in {10..39}; do
		cat "$MNT/far/session/by-id/000000$i/content" >/dev/null 2>&1 3>&- &
		pids+=($!)
	done
	wait_for_sleep "${pids[@]}"
	is good timeout 60 cat "$MNT/near/by-id/aa000008/label"
	timeout 60 grep -q "^entries: " "$MNT/near/info"
	timeout 60 sh -c 'cat "$1"/by-id/*/content' - "$MNT/near" >/dev/null
	timeout 60 sh -c 'echo fine >"$1"' - "$MNT/near/by-id/aa000004/label"
	timeout 60 ln -sfn by-id/aa000004 "$MNT/near/HEAD"
	# A second has gone, so that the server was polled.
	SESSION=$all/near.jsonl is_told_of "$MNT/near/by-id/aa000001" bb000001
	resume_all
	wait "${pids[@]}" || :
	is "entry 7" cat "$MNT/far/session/by-id/00000007/content"
}
