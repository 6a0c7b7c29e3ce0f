# bats file_tags=large,full
# Each row of `make bench` runs, on small sessions; times are not tested. Under
# valgrind these tests would add nothing.
load lib/mount
load lib/run

setup() {
	needs_mounts
	needs python3
	make_folder
	export SESSFS BENCH_SMALL=1 TMPDIR=$DIR/tmp
	mkdir "$TMPDIR"
	BENCH=$ROOT/scripts/bench/run
}

nothing_is_left() {
	prints_nothing ls -A "$TMPDIR"
	[ -z "$(mounted_here)" ]
	daemon_is_gone
}

@test "every row is measured, and leaves nothing behind" {
	local row
	for row in index memory find head append large readers lists agents known files restored forms git huge; do
		"$BENCH" $row >"$DIR/table"
		grep -q '^| .* \(ms\|µs\|MiB\) .* | \(reached\|missed: .*\) |$' "$DIR/table"
	done
	nothing_is_left
}

@test "rows that need other programs are measured, or report what is missing" {
	local row
	for row in lines pi grep paths; do
		"$BENCH" $row >"$DIR/table" || grep "^| $row .* not run: .* installed" "$DIR/table"
	done
	grep -q "^| .*os.walk.* second .* | \(reached\|missed: .*\) |$" "$DIR/table"
	nothing_is_left
}

@test "a row that can't be run says why, and the run fails" {
	SESSFS=$DIR/nowhere run --separate-stderr "$BENCH" memory find
	[ "$status" -eq 1 ]
	[ "$(grep -c '^| .* | not run: .*nowhere' <<<"$output")" -eq 2 ]
	nothing_is_left
}

# bats test_tags=root
@test "without /dev/shm the disk has to do" {
	chmod 1777 "$TMPDIR"
	# As a user who can't mount.
	without_shm setpriv --reuid=65534 --regid=65534 --clear-groups \
		"$BENCH" index >"$DIR/table"
	grep -q '^| index .* | \(reached\|missed: .*\) |$' "$DIR/table"
	nothing_is_left
}

@test "a folder that has a mount in it is not removed" {
	cp "$FIXTURES/pi-v3-branches.jsonl" "$SESSION"
	mkdir "$TMPDIR/a b" "$TMPDIR/a b/mnt"
	start "$SESSFS" "$SESSION" "$TMPDIR/a b/mnt"
	run python3 -c '
import sys
sys.path.insert(0, sys.argv[1])
import measure
measure.remove(sys.argv[2])' "${BENCH%/*}" "$TMPDIR/a b"
	[ "$status" -eq 1 ]
	[[ $output = *"mnt is still mounted"* ]]
	[ -f "$TMPDIR/a b/mnt/HEAD/content" ]
	# A mount that can't be unmounted is reported, with the reason.
	run env PATH="$DIR" "$(python3 -c 'import sys; print(sys.executable)')" -c '
import sys
sys.path.insert(0, sys.argv[1])
import measure
measure.unmount_below(sys.argv[2])' "${BENCH%/*}" "$TMPDIR/a b"
	[[ $output = *"mnt can't be unmounted: "*fusermount3* ]]
	MNT="$TMPDIR/a b/mnt"
	unmount
	rmdir "$MNT" "${MNT%/*}"
	nothing_is_left
}

@test "an interrupted run leaves nothing behind" {
	RUNS=10000 "$BENCH" readers >/dev/null 2>&1 &
	local pid=$! status=0
	wait_until mounted_here -t fuse.sessfs
	kill -TERM $pid
	wait $pid || status=$?
	[ "$status" -eq 143 ]
	nothing_is_left
}
