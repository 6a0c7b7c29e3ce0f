# context.txt and context.json: what the model would be sent.
load lib/mount
load lib/run
load lib/pi

@test "a message that passes through is its own bytes" {
	local m='{"role":"user" , "content":"x\u00e9\ud800","n":1.50,"big":12345678901234567890,"n":2}'
	write_session "$(message 00000001 "" "$m")"
	mount_session
	is "[
$m
]" cat "$MNT/context.json"
}

@test "the root has the context of the leaf, an entry's folder the context of the entry" {
	mount_fixture pi-v3-branches.jsonl
	cmp "$MNT/context.txt" "$MNT/by-id/aa000025/context.txt"
	cmp "$MNT/context.json" "$MNT/HEAD/context.json"
	is "[User]: list the files" cat "$MNT/by-id/aa000004/context.txt"
	cmp "$MNT/by-id/aa000004/context.txt" "$MNT/tree/aa000001/aa000003/aa000004/context.txt"
}
