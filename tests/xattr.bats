# The lines of meta as extended attributes, as getfattr prints them. All else about them is in
# tests/commands/xattr.md.

load lib/mount
load lib/run

setup() {
	needs_mounts
	needs getfattr
	make_folder
}

value() {
	getfattr --absolute-names --only-values -n "user.sessfs.$1" "$2"
}

@test "getfattr prints them, for scripts" {
	mount_fixture pi-v3-branches.jsonl
	[ "by-id/$(value id "$MNT/HEAD/")" = "$(readlink "$MNT/HEAD")" ]
	getfattr -d "$MNT/HEAD/" | grep -qx 'user.sessfs.type="message"'
	find "$MNT/by-id" -mindepth 1 -maxdepth 1 -type d -exec \
		getfattr --only-values -n user.sessfs.line {} + >"$DIR/lines"
	grep -q . "$DIR/lines"
}
