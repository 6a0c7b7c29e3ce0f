# bats file_tags=large
# Each row of `make bench` can be run, on small sessions; no time is tested. Under
# valgrind nothing here would be new.
load helpers

setup() {
	[ -e /dev/fuse ] || skip "there is no /dev/fuse on this machine"
	make_folder
	export SESSFS BENCH_SMALL=1 TMPDIR=$DIR/tmp
	mkdir "$TMPDIR"
	BENCH=$ROOT/scripts/bench/run
}

nothing_is_left() {
	[ -z "$(ls -A "$TMPDIR")" ]
	[ -z "$(mounted_here)" ]
	daemon_is_gone
}

@test "every row is measured, and nothing is left of it" {
	local row
	for row in index memory find head append large readers; do
		"$BENCH" $row >"$DIR/table"
		grep -q '^| .* \(ms\|µs\|MiB\) .* | \(reached\|missed: .*\) |$' "$DIR/table"
	done
	nothing_is_left
}

@test "so are those that need more, or they say what" {
	local row
	for row in pi grep; do
		"$BENCH" $row >"$DIR/table" || grep "^| $row .* not run: .* installed" "$DIR/table"
	done
	grep -q '^| .* third .* | \(reached\|missed: .*\) |$' "$DIR/table"
	nothing_is_left
}

@test "a row that can't be run says why, and the run fails" {
	SESSFS=$DIR/nowhere run --separate-stderr "$BENCH" memory find
	[ "$status" -eq 1 ]
	[ "$(grep -c '^| .* | not run: .*nowhere' <<<"$output")" -eq 2 ]
	nothing_is_left
}

@test "nothing is left of a run that is interrupted" {
	RUNS=10000 "$BENCH" readers >/dev/null 2>&1 &
	local pid=$! status=0
	wait_until mounted_here -t fuse.sessfs
	kill -TERM $pid
	wait $pid || status=$?
	[ "$status" -eq 143 ]
	nothing_is_left
}
