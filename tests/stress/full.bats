# Writes that do not fit, with any number of bytes free.
load ../lib/mount

refuses_when_full() {
	local fixture
	for fixture in pi-v3-branches omp-v3-basic claude-basic go-tree pi-v1-linear; do
		timeout 600 python3 "$ROOT/tests/stress/full.py" "$1" "$FIXTURES/$fixture.jsonl" "$DIR/small" >"$DIR/figures"
		sed 's/^/# /' "$DIR/figures" >&3
		find "$DIR/small" -mindepth 1 -delete
	done
}

@test "a disk that fills up" {
	mkdir "$DIR/small"
	mount -t tmpfs -o size=128k tmpfs "$DIR/small" || skip "tmpfs can't be mounted here"
	refuses_when_full space
}

@test "a limit on the size of files" {
	mkdir "$DIR/small"
	refuses_when_full limit
}
