# bats file_tags=large,full
# The fuzz targets of core/, run on tests/corpus, their corpora, and every input
# that has found a bug. `make fuzz` generates more.
load lib/mount

setup() {
	make_folder
	REPLAY=$ROOT/build/san/replay
	export TMPDIR=$DIR
}

# The targets need the sanitizers, which not every compiler has.
needs_replay() {
	[ -x "$REPLAY/json" ] || lacks "build/san/replay is not there: it takes sanitizers" \
		"make SAN=1 replay"
}

# The target, and folders or files besides those that are kept for it.
replay() {
	needs_replay
	local inputs=("${@:2}") folder
	for folder in "$ROOT/tests/fuzz/"{corpus,crashes}"/$1"; do
		[ ! -d "$folder" ] || inputs+=("$folder")
	done
	timeout 300 "$REPLAY/$1" "${inputs[@]}"
}

replay_sessions() {
	replay "session-$1" "$ROOT"/tests/corpus/*/*/in.jsonl
}

@test "no input is left out here" {
	local folder name
	for folder in "$ROOT"/tests/fuzz/{corpus,crashes}/*/; do
		[ -d "$folder" ] || continue
		name=$(basename "$folder")
		grep -qE "^	replay(_sessions)? ${name#session-}$" \
			"$BATS_TEST_FILENAME" || {
			echo "nothing replays $folder"
			return 1
		}
	done
}

@test "a replay without files fails, and one of an unreadable file" {
	needs_replay
	mkdir "$DIR/empty"
	run -1 "$REPLAY/json"
	run -1 "$REPLAY/json" "$DIR/empty"
	[[ $output == "0 inputs" ]] || return 1
	run -1 "$REPLAY/json" "$DIR/missing"
}

@test "a replay fails with its target" {
	needs_replay
	echo '{}' >"$DIR/input"
	# The target can't make its private folder.
	TMPDIR=$DIR/missing run "$REPLAY/session-pi" "$DIR/input"
	[ "$status" -ne 0 ] || return 1
	[[ $output == *"does not hold"* ]] || return 1
}

@test "sessions, their dialect found out" {
	replay_sessions any
}

@test "claude" {
	replay_sessions claude
}

@test "codex" {
	replay_sessions codex
}

@test "draft-index" {
	replay_sessions draft-index
}

@test "draft-uuid" {
	replay_sessions draft-uuid
}

@test "go-tree" {
	replay_sessions go-tree
}

@test "lines" {
	replay_sessions lines
}

@test "omp" {
	replay_sessions omp
}

@test "pi" {
	replay_sessions pi
}

@test "JSON" {
	replay json
}

@test "names" {
	replay name
}

@test "scanning" {
	replay scan
}

@test "targets" {
	replay target
}

@test "texts" {
	replay text
}
