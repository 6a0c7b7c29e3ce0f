# What grep finds in by-file/; tests/mounts/test_by_file.c has what is in it.
load lib/mount
load lib/run
load lib/pi
load lib/calls

write_work() {
	write_session "$(user 00000001 "" "Write it")" \
		"$(calls 00000002 00000001 "$(call c1 read '{"path":"src/wc.c"}'),$(call c2 write '{"path":"/work/demo/README","content":"x"}')")" \
		"$(result 00000003 00000002 c1)" "$(result 00000004 00000003 c2 true)" \
		"$(calls 00000005 00000004 "$(call c3 edit '{"path":"./src//wc.c","edits":[]}'),$(call c4 bash '{"command":"cat /etc/hosts"}')")" \
		"$(calls 00000006 00000004 "$(call c5 edit '{"path":"src/wc.c","edits":[]}'),$(call c6 ask_about '{"filename":"/etc/passwd"}')")"
}

@test "grep -r over the root finds nothing in it twice" {
	write_work
	mount_session
	is "$MNT/by-id/00000006/content
$MNT/context.txt
$MNT/tree.txt
$MNT/tree/00000001/00000002/00000003/00000004/00000006/content" bash -c \
		"grep -rl /etc/passwd '$MNT' | LC_ALL=C sort"
}
