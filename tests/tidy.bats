# bats file_tags=shell
# The demo and the tests unmount, each test ends, and no test passes without the
# programs that it needs.
load lib/mount
load lib/run

setup() {
	needs_mounts
	make_folder
	export TMPDIR=$DIR/tmp SESSFS
	mkdir "$TMPDIR" "$DIR/bin"
}

# Run a command with an fusermount3 that mounts, but can't unmount.
unable_to_unmount() {
	cat >"$DIR/bin/fusermount3" <<-SH
		#!/bin/sh
		[ "\$1" != -u ] || { echo "fusermount3: no" >&2; exit 1; }
		exec "$(type -P fusermount3)" "\$@"
	SH
	printf '#!/bin/sh\necho "umount: no" >&2\nexit 32\n' >"$DIR/bin/umount"
	chmod +x "$DIR/bin/"*
	env -i PATH="$DIR/bin:$PATH" TMPDIR="$TMPDIR" SESSFS="$SESSFS" \
		SANITIZER_LOGS="$SANITIZER_LOGS" "$@"
}

# bats test_tags=full
@test "the demo shows a session, and leaves no file, mount or process" {
	"$SCRIPTS/demo" >"$DIR/shown"
	grep -qx "Use isspace() instead." "$DIR/shown"
	is "$TMPDIR" find "$TMPDIR"
	if mounted_here; then return 1; fi
	daemon_is_gone
}

# bats test_tags=full
@test "the demo, where nothing can be unmounted: an error, and nothing is removed" {
	local work said
	said=$(wc -l <"$SCRIPTS/demo.jsonl")
	run -1 --separate-stderr unable_to_unmount "$SCRIPTS/demo"
	work=$(echo "$TMPDIR"/*)
	[[ $stderr == *"$work/mnt can't be unmounted: "*": no"* ]]
	[[ $stderr == *"not removed: $work"* ]]
	# It has moved HEAD, set a label and written a message.
	is "$((said + 3))" grep -c . "$work/session.jsonl"
	is "Use isspace() instead." cat "$work/mnt/HEAD/content"
}

@test "clear-away unmounts first, whatever the names" {
	local odd=$DIR/$'a b\\c\td' inside
	mkdir "$odd" "$odd/mnt"
	cp "$FIXTURES/pi-v3-branches.jsonl" "$odd/session.jsonl"
	start "$SESSFS" "$odd/session.jsonl" "$odd/mnt"
	# A process inside does not prevent it.
	(cd "$odd/mnt/by-id" && exec sleep 60) 3>&- &
	inside=$!
	wait_until [ "/proc/$inside/cwd" -ef "$odd/mnt/by-id" ]
	"$SCRIPTS/clear-away" "$odd" "$DIR/none"
	kill "$inside"
	[ ! -e "$odd" ]
}

@test "clear-away removes read-only copies of a mount" {
	mkdir "$DIR/copies"
	mount_fixture pi-v3-branches.jsonl -o ro
	cp -a "$MNT/by-id" "$DIR/copies"
	"$SCRIPTS/clear-away" "$DIR/copies"
	[ ! -e "$DIR/copies" ]
}

@test "a mount whose daemon was killed is cleared away" {
	mount_fixture pi-v3-branches.jsonl
	kill -9 "$(daemon)"
	daemon_is_gone
	"$SCRIPTS/clear-away" "$MNT"
	not_mounted "$MNT"
	[ ! -e "$MNT" ]
}

# Write $DIR/it.bats, tests of one line each. (bats would take a literal "@test" at the
# start of a line for a test of this file.)
write_tests() {
	echo "load '$ROOT/tests/lib/mount'" >"$DIR/it.bats"
	local i
	for ((i = 1; i <= $#; i++)); do
		printf '%s\n' "@""test t$i {" "${!i}" "}" >>"$DIR/it.bats"
	done
}

# bats test_tags=full
@test "a teardown that can't unmount fails, and removes nothing; without its programs a test fails" {
	write_tests "mount_fixture pi-v3-branches.jsonl" "needs sh no-such-program"
	run -1 unable_to_unmount "$BATS_ROOT/bin/bats" "$DIR/it.bats"
	[[ $output == *"not removed: $TMPDIR/"* ]]
	[[ $output == *"not ok 2 "*"there is no no-such-program here: scripts/bootstrap test-full installs it"* ]]
	local mounts
	find_mounts -t fuse.sessfs
	[ ${#mounts[@]} -eq 1 ]
	cmp "$FIXTURES/pi-v3-branches.jsonl" "$TMPDIR"/*/test/session.jsonl
}

# Run these tests as `make test` does, by a separate bats.
# shellcheck disable=SC2120 # run passes arguments
run_tests() {
	env -i PATH="$BATS_ROOT/bin:$PATH" TMPDIR="$TMPDIR" SESSFS="$SESSFS" JOBS=1 "$@" \
		"$ROOT/tests/run" "$DIR/it.bats"
}

# bats test_tags=full
@test "a test that hangs is ended, with all that it has started, and unmounts" {
	write_tests "mount_fixture pi-v3-branches.jsonl; run bash -c 'trap \"\" TERM; sleep 1000; exit $$'"
	run -124 run_tests LIMIT=3
	[[ $output == *"a test hangs: the tests are ended after 3 s"* ]]
	is "$TMPDIR" find "$TMPDIR"
	if pgrep -f "sleep 1000; exit $$"; then return 1; fi
	daemon_is_gone
}

# bats test_tags=root,full
@test "neither a copy of the mount table nor another run of tests keeps a daemon alive" {
	needs_root
	mkfifo "$DIR/go"
	write_tests "mount_fixture pi-v3-branches.jsonl
		readlink /proc/self/ns/mnt >'$DIR/namespace'
		in_namespace sh -c 'echo \$\$ >\"\$0\"; exec sleep 60' \"\$DIR/begun\" 3>&- &
		wait_until [ -s \"\$DIR/begun\" ]
		unmount
		daemon_is_gone
		kill \"\$(<\"\$DIR/begun\")\"
		touch '$DIR/begun'
		read -r _ <'$DIR/go'"
	mount_fixture pi-v3-branches.jsonl
	run_tests 3>&- &
	wait_until [ -e "$DIR/begun" ]
	unmount
	daemon_is_gone
	echo >"$DIR/go"
	wait $!
	not is "$(readlink /proc/self/ns/mnt)" cat "$DIR/namespace"
}

# Run lines of bash from standard input where /etc/mtab is missing.
without_mtab() {
	mkdir "$DIR/etc"
	cp -a /etc/passwd /etc/ld.so.cache /etc/alternatives "$DIR/etc"
	export DIR SCRIPTS
	in_namespace bash -eu -c 'mount --bind "$DIR/etc" /etc; . /dev/stdin'
}

# bats test_tags=root,full
@test "without /etc/mtab a user gets an error with the remedy, and nothing is mounted" {
	needs_root
	local why="sessfs: /etc/mtab: fusermount3 needs it to unmount, but can't read it; if it is missing, run as root: ln -s ../proc/self/mounts /etc/mtab"
	chown nobody "$TMPDIR"
	without_mtab <<-'SH'
		setpriv --reuid="$(id -u nobody)" --regid="$(id -g nobody)" --clear-groups \
			"$SCRIPTS/demo" >"$DIR/shown" 2>"$DIR/why" || echo "$?" >"$DIR/status"
		findmnt -t fuse.sessfs -n -o TARGET | grep "^$DIR" >>"$DIR/why" || :
	SH
	is 1 cat "$DIR/status"
	is "$why" cat "$DIR/why"
	is "$TMPDIR" find "$TMPDIR"
}

# bats test_tags=root,full
@test "bootstrap makes /etc/mtab where it is missing" {
	needs_root
	# This test does not install packages.
	printf '#!/bin/sh\nexit 1\n' >"$DIR/bin/apt-get"
	chmod +x "$DIR/bin/apt-get"
	PATH=$DIR/bin:$PATH without_mtab <<-'SH'
		"$SCRIPTS/bootstrap" build
		"$SCRIPTS/bootstrap" build
	SH
	is ../proc/self/mounts readlink "$DIR/etc/mtab"
}

# bats test_tags=full
@test "where tests may be skipped they are, with the reason, but in no subshell" {
	write_tests "needs sh; needs no-such-program; false" 'path=$(needs no-such-program)'
	run -1 run_tests MAY_SKIP=yes
	[[ $output == *"ok 1 t1 # skip there is no no-such-program here"$'\n'* ]]
	[[ $output == *"not ok 2 "*"there is no no-such-program here"* ]]
	[[ $output == *"0 passed, 1 failed, 1 skipped"* ]]
}

@test "without bats no test passes, whatever may be skipped" {
	local name
	for name in dirname realpath; do
		ln -s "$(type -P $name)" "$DIR/bin"
	done
	refuses 1 "$ROOT/tests/run: bats is missing, and every test needs it" \
		env -i PATH="$DIR/bin" MAY_SKIP=yes "$ROOT/tests/run"
}

# CI runs most tests as an ordinary user, and those with the tag as root.
@test "tests that need root have the tag root" {
	is "untagged: 0" awk '
		/^# bats test_tags=.*root/ { tagged = 1; next }
		/^@test / { name = $0; inside = tagged }
		/^}$/ { name = "" }
		/^\t(needs_root$|without_shm )/ && name && !inside { print FILENAME ": " name; n++ }
		{ tagged = 0 }
		END { print "untagged: " n + 0 }' "$ROOT"/tests/*.bats
}

# tests_named NAME: put the tests of a file, of commands or in bats, into the caller's `tests`: "TITLE" in
# a line for each.
tests_named() {
	tests=
	[ ! -e "$ROOT/tests/$1.bats" ] || whole tests "$ROOT/tests/$1.bats"
	tests=${tests//$'\n@'"test "/$'\n'}
	[ ! -e "$ROOT/tests/commands/$1.md" ] ||
		tests+=$(sed -n 's/ \[[a-z]*\]$//; s/^## \(.*\)$/\n"\1",/p' "$ROOT/tests/commands/$1.md")
}

# Each test that crash/README.md names in its table of races: `FILE` "TITLE", "TITLE"; ...
@test "the tests of races are those that are there" {
	local readme row part tests named=0
	mapfile -t readme <"$ROOT/tests/crash/README.md"
	for row in "${readme[@]}"; do
		[[ $row =~ ^\|.*\|(.*[\"\`])\ \|$ ]] || continue
		row=${BASH_REMATCH[1]##*|}
		while [ -n "$row" ]; do
			part=${row%%;*}
			row=${row#"$part"}
			row=${row#;}
			named=$((named + 1))
			[[ $part =~ \`([^\`]*)\`(.*) ]]
			part=${BASH_REMATCH[2]}
			case ${BASH_REMATCH[1]} in
			test_*) [ -e "$ROOT/tests/unit/${BASH_REMATCH[1]}.c" ] ;;
			interop) [ -z "${part// /}" ] ;;
			*)
				tests_named "${BASH_REMATCH[1]}"
				[[ $part == *'"'* ]]
				while [[ $part =~ (\"[^\"]*\") ]]; do
					part=${part#*"${BASH_REMATCH[1]}"}
					[[ $tests == *$'\n'"${BASH_REMATCH[1]}"[,\ ]* ]] || {
						echo "no test ${BASH_REMATCH[1]}"
						return 1
					}
				done
				;;
			esac
		done
	done
	[ "$named" -gt 30 ]
}

# leak_report KIND SIZE COUNT FRAME...: what LeakSanitizer writes.
leak_report() {
	printf '==1==ERROR: LeakSanitizer: detected memory leaks\n\n%s leak of %s byte(s) in %s object(s) allocated from:\n' "$1" "$2" "$3"
	shift 3
	printf '    #0 0x7f in __interceptor_calloc ../asan_malloc_linux.cpp:77\n'
	printf '    #1 0x7f %s\n' "$@"
	printf '\nSUMMARY: AddressSanitizer: bytes leaked.\n'
} >"$DIR/report"

excused() {
	mkdir -p "$DIR/reports" && mv "$DIR/report" "$DIR/reports" && "$ROOT/tests/lib/reports" "$DIR/reports"
}

@test "of all leaks only libfuse's interrupts are passed over" {
	local libfuse="(/lib/libfuse3.so.3+0x19ee5)" other
	leak_report Direct 256 2 "$libfuse" "in start_thread nptl/pthread_create.c:442"
	excused
	for other in "Indirect 128 1" "Direct 64 1" "Direct 256 1"; do
		# shellcheck disable=SC2086 # words
		leak_report $other "$libfuse"
		not excused
	done
	leak_report Direct 128 1 "in request_begin fs/kernel/ops.c:9" "$libfuse"
	not excused
	leak_report Direct 128 1 "$libfuse"
	echo "fs.c:3: runtime error: shift" >>"$DIR/report"
	not excused
}
