# bats file_tags=large,full
# Depth and width have no limit.
load lib/mount
load lib/run
load lib/pi

# Rules: M1
@test "a chain of 20,000: find, grep -r and du go to its end" {
	write_many chain 20000
	mount_session
	head_is by-id/00004e1f
	is "entry 19999" cat "$MNT/by-id/00004e1f/content"
	is "entry 19998" cat "$MNT/HEAD/parent/content"
	[ "$(wc -l <"$MNT/context.txt")" -eq 39999 ]
	is "[User]: entry 19999" tail -n 1 "$MNT/context.txt"
	[ "$(wc -l <"$MNT/tree.txt")" -eq 20000 ]
	[ "$(grep -c '^{"id":' "$MNT/tree.html")" -eq 20000 ]
	grep -qx "depth: 20000" "$MNT/info"
	# Without paths in the output: those of the last have 180,000 bytes.
	is 60000 bash -c "find '$MNT/tree' -type f -printf . | wc -c"
	is "entry 19999" grep -rhx "entry 19999" "$MNT/tree"
	[ "$(du -s "$MNT/tree" | cut -f1)" -ge 20000 ]
	ln -sfn by-id/00000010 "$MNT/HEAD"
	head_is by-id/00000010
	is "[User]: entry 16" tail -n 1 "$MNT/context.txt"
}

@test "branches inside branches, 5,000 deep: tree.txt stays narrow" {
	needs python3
	python3 - "$SESSION" <<-'PY'
	import sys
	with open(sys.argv[1], "w") as f:
	    f.write('{"type":"session","version":3,"id":"deep","timestamp":"2026-03-01T10:00:00.000Z","cwd":"/"}\n')
	    parent = "null"
	    for i in range(5000):
	        for side in "ab":
	            f.write('{"type":"message","id":"%s%07x","parentId":%s,"message":{"role":"user","content":"%s"}}\n' % (side, i, parent, "word " * 50))
	        parent = '"a%07x"' % i
	PY
	mount_session
	[ "$(wc -l <"$MNT/tree.txt")" -eq 10000 ]
	is 100 python3 -c "print(max(len(l.rstrip('\n')) for l in open('$MNT/tree.txt')))"
	grep -q '^⋯4999 └─ b0001387 user  word' "$MNT/tree.txt"
}
