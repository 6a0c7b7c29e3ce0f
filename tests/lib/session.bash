# A session of any format: its lines, what is written to it through the mount,
# and what it shows then.

# A session of these lines.
write_lines() {
	printf '%s\n' "$@" >"$SESSION"
}

# A text as JSON, null if it is empty.
or_null() {
	[ -n "$1" ] && printf '"%s"' "$1" || printf null
}

# Write these lines to append, each ended.
say() {
	printf '%s\n' "$@" >"$MNT/append"
}

# An answer of a model's, as it is written to append: its text.
answer() {
	printf '{"role":"assistant","content":[{"type":"text","text":"%s"}],"api":"x-api","provider":"prov","model":"model-c","usage":{"input":1,"output":1,"cacheRead":0,"cacheWrite":0,"totalTokens":2,"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0}},"stopReason":"stop"}' "$1"
}

# The same of a line that is written to append.
refused() {
	# shellcheck disable=SC2016 # the inner shell's
	refused_by "$1" bash -c 'printf "%s\n" "$1" >"$2"' - "$2" "$MNT/append"
}

# A command that writes fails as what it is given is not valid: nothing is in the
# session, and info gives a reason that has this pattern in it.
refused_by() {
	local why=$1
	shift
	cp "$SESSION" "$DIR/unchanged"
	fails_with "Invalid argument" "$@"
	cmp "$DIR/unchanged" "$SESSION"
	grep -E '^last-refused: ' "$MNT/info" >"$DIR/reason"
	is 1 grep -c . "$DIR/reason"
	grep -qE -- "$why" "$DIR/reason" || {
		echo "refused with: $(cat "$DIR/reason"), not $why"
		return 1
	}
}

# Fails unless these Python expressions are true. Of the session's lines that are
# JSON `lines` are the values, `e` is the last one, and `raw` its bytes; `made(e)`
# is what every new entry of Pi's has.
holds() {
	needs python3
	python3 - "$SESSION" "$@" <<-'PY'
	import json, re, sys
	def made(e):
	    return (re.fullmatch("[0-9a-f]{8}", e["id"]) and
	            [l.get("id") for l in lines].count(e["id"]) == 1 and
	            re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", e["timestamp"]))
	lines = []
	for line in open(sys.argv[1], "rb"):
	    try:
	        lines.append(json.loads(line))
	        raw = line.rstrip(b"\n")
	    except ValueError:
	        pass
	e = lines[-1]
	for expression in sys.argv[2:]:
	    if not eval(expression):
	        sys.exit(f"not so: {expression}\nthe last line: {raw.decode(errors='replace')[:2000]}")
	PY
}

head_is() {
	local to
	to=$(readlink "$MNT/HEAD")
	[ "$to" = "$1" ] || {
		echo "HEAD is $to, not $1"
		return 1
	}
}

# Fails unless the text of a context is these blocks: the folder, the blocks.
context_is() {
	local file=$MNT/$1/context.txt
	shift
	if [ $# -eq 0 ]; then
		diff -u /dev/null "$file"
	else
		diff -u <(printf '%s\n\n' "$@" | head -n -1) "$file"
	fi
}

# From two mounts at once, label these entries (paths in a mount) in turn and
# move the head to them, twenty times, while the lines of standard input are
# appended. The labels are "mnt I" and "second I", for I from 1 to 20.
write_from_two_mounts() {
	local name m i line entry pids=()
	mount_second
	for name in mnt second; do
		m=$MNT
		[ "$name" = mnt ] || m=$DIR/second
		(
			for i in {1..20}; do
				entry=$((i % $# + 1))
				echo "$name $i" >"$m/${!entry}/label" || exit 1
				ln -sfn "${!entry}" "$m/HEAD" || exit 1
			done
		) &
		pids+=($!)
	done
	while IFS= read -r line; do printf '%s\n' "$line" >>"$SESSION"; done
	for i in "${pids[@]}"; do wait "$i"; done
	unmount_second
}

# The id of the last entry.
last_id() {
	sed -n 's/^leaf: //p' "$MNT/info"
}
