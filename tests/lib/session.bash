# Sessions of any format: writing their lines, appending through the mount, and
# assertions about a mounted session.

# Write a session of the given lines.
write_lines() {
	printf '%s\n' "$@" >"$SESSION"
}

# Write the given lines to append.
say() {
	printf '%s\n' "$@" >"$MNT/append"
}

# An assistant's message for append, with this text.
answer() {
	printf '{"role":"assistant","content":[{"type":"text","text":"%s"}],"api":"x-api","provider":"prov","model":"model-c","usage":{"input":1,"output":1,"cacheRead":0,"cacheWrite":0,"totalTokens":2,"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0}},"stopReason":"stop"}' "$1"
}

# The same for a line that is written to append.
refused() {
	refused_by "$1" say "$2"
}

# refused_by PATTERN COMMAND...: fails unless the command fails with EINVAL, the
# session is unchanged, and the reason in info matches the pattern.
refused_by() {
	local why=$1 info
	shift
	cp "$SESSION" "$DIR/unchanged" || return
	fails_with "Invalid argument" "$@" || return
	cmp "$DIR/unchanged" "$SESSION" || return
	whole info "$MNT/info"
	[[ $info =~ (^|$'\n')(last-refused: [^$'\n']+) ]] || return
	info=${info/"${BASH_REMATCH[2]}"/}
	[[ $info != *$'\n'last-refused:* && ${BASH_REMATCH[2]} =~ $why ]] || {
		echo "refused with: ${BASH_REMATCH[2]}, not $why"
		return 1
	}
}

# Fails unless the given Python expressions are true. `lines` has the values of
# the session's JSON lines, `e` is the last value, and `raw` its bytes;
# `made(e)` is true if e has a valid new id and timestamp of Pi.
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
	is "$1" readlink "$MNT/HEAD"
}

# context_is FOLDER BLOCK...: fails unless context.txt of the folder has these
# blocks.
context_is() {
	local file=$MNT/$1/context.txt want= got
	shift
	[ $# -eq 0 ] || printf -v want '%s\n\n' "$@"
	want=${want%$'\n'}
	whole got "$file"
	[ "$got" = "$want" ] || diff -u <(printf %s "$want") "$file"
}

# tries COMMAND...: run it until it succeeds, ${TRIES:-1} times at most.
tries() {
	local left=${TRIES:-1}
	until "$@"; do
		((--left > 0)) || return 1
	done
}

# write_label TEXT FOLDER
write_label() {
	echo "$1" >"$2/label"
}

# From two mounts at once, label the given entries (paths in a mount) in turn
# and move the head to them, twenty times, while lines from standard input are
# appended. The labels are "mnt I" and "second I", for I from 1 to 20. A write
# that fails is repeated if $TRIES says so.
write_from_two_mounts() {
	local name m i line entry pids=()
	mount_second
	for name in mnt second; do
		m=$MNT
		[ "$name" = mnt ] || m=$DIR/second
		(
			for i in {1..20}; do
				entry=$((i % $# + 1))
				tries write_label "$name $i" "$m/${!entry}" || exit 1
				tries ln -sfn "${!entry}" "$m/HEAD" || exit 1
			done
		) &
		pids+=($!)
	done
	while IFS= read -r line; do printf '%s\n' "$line" >>"$SESSION"; done
	for i in "${pids[@]}"; do wait "$i"; done
	unmount_second
}

# The id of the leaf.
last_id() {
	sed -n 's/^leaf: //p' "$MNT/info"
}
