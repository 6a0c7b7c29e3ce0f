# One session with several writers: the real Pi, and shells through two mounts.
# tests/interop/setup installs Pi.
load ../lib/mount

ENTRIES=2000

# Write until Pi has finished. Each shell lists its successful writes.
move_head() {
	local mount=$1 list=$2 id
	shift 2
	until [ -e "$DIR/done" ]; do
		for id in "$@"; do
			ln -sfn "by-id/$id" "$mount/HEAD" || return 1
			echo "$id" >>"$list"
		done
	done
}

set_labels() {
	local mount=$1 list=$2 id=$3 i
	for ((i = 0; ; i++)); do
		[ ! -e "$DIR/done" ] || return 0
		echo "${list##*/} $i" >"$mount/by-id/$id/label" || return 1
		echo "${list##*/} $i" >>"$list"
	done
}

read_all() {
	local mount=$1 list=$2
	until [ -e "$DIR/done" ]; do
		grep -rl "list the files\|appended" "$mount/by-id" --include=content >/dev/null || return 1
		find "$mount/by-id" "$mount/by-label" "$mount/branches" -printf . | wc -c >>"$list"
		stat "$mount/context.txt" "$mount/tree.txt" "$mount/HEAD/content" >/dev/null || return 1
		cat "$mount/info" "$mount/context.txt" "$mount/HEAD/branch.jsonl" >/dev/null || return 1
	done
}

@test "Pi appends 2,000 entries while two mounts are read and written" {
	local m name pids=() began=$SECONDS seed=${SEED:-$RANDOM}
	mount_fixture pi-v3-branches.jsonl
	mount_second
	mkdir "$DIR/lists"
	echo "# SEED=$seed" >&3
	for m in "$MNT" "$DIR/second"; do
		name=${m##*/}
		case $name in
		mnt) set -- aa000003 aa000004 aa000005 aa000006 ;;
		second) set -- aa000007 aa000008 aa000009 aa000010 ;;
		esac
		move_head "$m" "$DIR/lists/head.$name" "$1" "$2" 2>>"$DIR/errors" & pids+=($!)
		set_labels "$m" "$DIR/lists/label.$name.1" "$3" 2>>"$DIR/errors" & pids+=($!)
		set_labels "$m" "$DIR/lists/label.$name.2" "$4" 2>>"$DIR/errors" & pids+=($!)
		read_all "$m" "$DIR/lists/read.$name" 2>>"$DIR/errors" & pids+=($!)
	done
	HOME=$DIR timeout 600 node "$ROOT/tests/stress/append.mjs" "$SESSION" "$ENTRIES" "$DIR/lists/pi" "$seed"
	touch "$DIR/done"
	for m in "${pids[@]}"; do
		wait "$m" || { cat "$DIR/errors"; return 1; }
	done
	diff /dev/null "$DIR/errors"
	[ "$(wc -l <"$DIR/lists/pi")" -eq "$ENTRIES" ]
	python3 "$ROOT/tests/stress/verify.py" "$SESSION" "$DIR/lists" >"$DIR/figures"
	sed 's/^/# /' "$DIR/figures" >&3
	for m in "$MNT" "$DIR/second"; do
		grep -qx "entries: $(($(wc -l <"$SESSION") - 1))" "$m/info"
		not grep -E '^(bad-lines|duplicate-ids|missing-parents|cycles|torn-last-line)' "$m/info"
	done
	diff <(ls -U "$MNT/by-id") <(ls -U "$DIR/second/by-id")
	HOME=$DIR timeout 200 node "$ROOT/tests/stress/check.mjs" "$SESSION" "$DIR/copy.jsonl" "$MNT" "$DIR/second" | sed 's/^/# /' >&3
	echo "# walked $(cat "$DIR"/lists/read.* | wc -l) times over all; $((SECONDS - began)) s" >&3
	unmount_second
}
