# bats file_tags=large,full
# Depth has no limit: a long chain, for programs. Branches are in tests/mounts/test_deep.c.
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
