# Links in the session's path are resolved at the start: a folder that is
# replaced by a link later is not followed.
load lib/mount
load lib/run
load lib/pi

# A session in $DIR/a/b, and another of the same name, with the same ids, in
# $DIR/x/b.
setup_folders() {
	mkdir -p "$DIR/a/b" "$DIR/x/b"
	SESSION=$DIR/x/b/session.jsonl
	write_session "$(user 00000001 "" theirs)" "$(user 00000002 00000001 more)"
	OTHER=$SESSION
	SESSION=$DIR/a/b/session.jsonl
	write_session "$(user 00000001 "" ours)" "$(user 00000002 00000001 more)"
}

# Mount, and have one folder on the way and then the other be a link to the
# other session's while a command runs. It stands in an entry's folder.
for_each_folder() {
	local folder
	for folder in a a/b; do
		mount_session
		is ours cat "$MNT/by-id/00000001/content"
		cd "$MNT/by-id/00000001"
		cp "$OTHER" "$DIR/theirs"
		mv "$DIR/$folder" "$DIR/kept"
		ln -s "$DIR/x${folder#a}" "$DIR/$folder"
		"$@"
		cmp "$OTHER" "$DIR/theirs"
		is session.jsonl ls -A "$DIR/x/b"
		rm "$DIR/$folder"
		mv "$DIR/kept" "$DIR/$folder"
		is ours cat "$MNT/by-id/00000001/content"
		cd /
		unmount
		daemon_is_gone
	done
}

shows_nothing() {
	[ -z "$(ls "$MNT/by-id")" ]
	fails_with "No such file" cat "$MNT/by-id/00000001/content"
	run cat "$MNT/context.txt" "$MNT/tree.txt"
	[[ $output != *theirs* ]]
}

@test "a folder exchanged for a link to one with such a session: not shown" {
	setup_folders
	for_each_folder shows_nothing
}

writes_nothing() {
	if ln -sfn by-id/00000001 "$MNT/HEAD"; then return 1; fi
	if bash -c "echo x >'$MNT/by-id/00000001/label'"; then return 1; fi
	if bash -c "echo x >label"; then return 1; fi
	if ln -s by-id/00000001 HEAD; then return 1; fi
}

@test "nor written to" {
	setup_folders
	for_each_folder writes_nothing
}

@test "a link to the very same file: it is read on, and not written to" {
	setup_folders
	mount_session
	cp "$SESSION" "$DIR/before"
	mv "$DIR/a" "$DIR/kept"
	ln -s kept "$DIR/a"
	is ours cat "$MNT/by-id/00000001/content"
	fails_with "Not a directory" ln -sfn by-id/00000001 "$MNT/HEAD"
	cmp "$SESSION" "$DIR/before"
	rm "$DIR/a"
	mv "$DIR/kept" "$DIR/a"
	ln -sfn by-id/00000001 "$MNT/HEAD"
	head_is by-id/00000001
}
