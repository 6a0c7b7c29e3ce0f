# bats file_tags=full
# The programs that people use, each run on a mount.
load lib/mount
load lib/run
load lib/pi

# tree draws with the characters of the locale.
export LC_ALL=C.UTF-8

setup() {
	needs_mounts
	make_folder
	# Their settings and backups are this test's own.
	export HOME=$DIR/home TERM=xterm
	mkdir -p "$HOME/tmp"
	unset LESS LESSOPEN FZF_DEFAULT_OPTS FZF_DEFAULT_COMMAND RIPGREP_CONFIG_PATH BAT_CONFIG_PATH VIMINIT
}

# Type to a program: lib/terminal.py.
terminal() {
	needs python3
	timeout 120 python3 "$ROOT/tests/lib/terminal.py" "$@"
}

as_user() {
	setpriv --reuid="$(id -u nobody)" --regid="$(id -g nobody)" --clear-groups "$@"
}

# Give the session and this test's folder to a user.
mount_for_user() {
	needs_root
	cp "$FIXTURES/pi-v3-branches.jsonl" "$SESSION"
	chmod 644 "$SESSION"
	chown nobody "$SESSION" "$DIR" "$HOME" "$HOME/tmp"
	mount_session -o allow_other
}

same_tree() {
	diff -r --no-dereference "$1" "$2"
}

label_is() {
	is "$1" cat "$MNT/HEAD/label"
}

lines_are() {
	is "$1" wc -l <"$SESSION"
}

# Append a message below the last entry.
append() {
	append_user "$1" "$2" "said $1"
}

@test "rsync -a copies by-id, and has nothing to do the second time" {
	needs rsync
	mount_fixture pi-v3-branches.jsonl
	rsync -a "$MNT/by-id/" "$DIR/copy/"
	same_tree "$MNT/by-id" "$DIR/copy"
	[ -z "$(rsync -ai "$MNT/by-id/" "$DIR/copy/")" ]
	# Only new files are copied then.
	append aa000026 aa000025
	rsync -ai "$MNT/by-id/" "$DIR/copy/" >"$DIR/copied"
	grep -q '^>f.* aa000026/content$' "$DIR/copied"
	is 3 grep -c '^>f' "$DIR/copied"
	same_tree "$MNT/by-id" "$DIR/copy"
}

@test "tar, cp -a and rsync -aH copy all of a mount" {
	needs rsync
	mount_fixture pi-v3-branches.jsonl
	mkdir "$DIR/tar" "$DIR/rsync"
	tar -C "$MNT" -c . | tar -C "$DIR/tar" -x
	same_tree "$MNT" "$DIR/tar"
	tar -C "$MNT" -c . | tar -C "$MNT" --compare
	cp -a "$MNT" "$DIR/cp"
	same_tree "$MNT" "$DIR/cp"
	rsync -aH "$MNT/" "$DIR/rsync/"
	same_tree "$MNT" "$DIR/rsync"
	[ "$DIR/tar/by-id/aa000001/content" -ef "$DIR/tar/tree/aa000001/content" ]
	is "$(stat -c '%a %Y' "$MNT/by-id/aa000004" "$MNT/by-id/aa000004/content")" \
		stat -c '%a %Y' "$DIR/cp/by-id/aa000004" "$DIR/tar/by-id/aa000004/content"
}

# bats test_tags=root
@test "a user copies, and removes the copy when it has been made writable" {
	needs python3 rsync
	mount_for_user
	cd "$DIR"
	as_user rsync -a "$MNT/by-id/" rsync/
	[ -z "$(as_user rsync -ai "$MNT/by-id/" rsync/)" ]
	as_user cp -r "$MNT/tree" cp
	as_user bash -c "mkdir tar; tar -C '$MNT' -c . | tar -C tar -x"
	python3 - "$MNT/by-id" "$(id -u nobody)" <<-'PY'
	import os, shutil, sys
	os.setuid(int(sys.argv[2]))
	shutil.copytree(sys.argv[1], "python", symlinks=True)
	PY
	same_tree "$MNT/by-id" rsync
	same_tree "$MNT/tree" cp
	same_tree "$MNT" tar
	same_tree "$MNT/by-id" python
	as_user chmod -R u+w rsync cp tar python
	as_user rm -r rsync cp tar python
}

@test "vim saves a label" {
	needs python3 vim
	mount_fixture pi-v3-branches.jsonl
	vim -es -c 'normal ggdGione' -c wq "$MNT/HEAD/label"
	label_is one
	lines_are 26
	# As anywhere but in /tmp, where it makes no backup.
	vim --cmd 'set backupskip=' -es -c 'normal ggdGitwo' -c wq "$MNT/HEAD/label"
	label_is two
	vim --cmd 'set backupskip= backupcopy=no' -es -c 'normal ggdGithree' -c wq "$MNT/HEAD/label"
	label_is three
	terminal 'three' 'ggdGifour words of it\x1b' 'it' ':w\r' 'written' ':q\r' \
		-- vim --cmd 'set backupskip=' "$MNT/HEAD/label"
	label_is "four words of it"
	lines_are 32
	# No other file is left there; labels are entries below it.
	is "content
label
meta
parent" bash -c "LC_ALL=C ls -A '$MNT/HEAD/' | grep -v '^[0-9a-f]\{8\}$'"
}

# The folder of backups is where the mount is, by default.
# bats test_tags=full
@test "Neovim saves a label and a name" {
	needs nvim
	mount_fixture pi-v3-branches.jsonl
	export HOME=$DIR
	local file
	for file in name HEAD/label; do
		nvim --headless -c 'set backupskip=' -c 'normal ggdGione' -c wq "$MNT/$file"
		is one cat "$MNT/$file"
		# Its first backup would be the file itself.
		[ "$MNT/$file~" -ef "$MNT/$file" ]
	done
	[[ " $(ls -A "$MNT" "$MNT/HEAD/") " != *"~"* ]]
	echo two >"$MNT/name~"
	is two cat "$MNT/name"
}

# bats test_tags=root
@test "a user's vim saves a label" {
	needs vim
	mount_for_user
	as_user vim --cmd 'set backupskip=' -es -c 'normal ggdGimine' -c wq "$MNT/HEAD/label"
	label_is mine
	as_user vim --cmd 'set backupskip=' -es -c 'normal ggdGino' -c 'wq!' "$MNT/HEAD/content" || :
	cmp <(head -n 25 "$SESSION") "$FIXTURES/pi-v3-branches.jsonl"
	lines_are 26
}

@test "vim reports that a label of two lines is not saved" {
	needs vim
	mount_fixture pi-v3-branches.jsonl
	echo before >"$MNT/HEAD/label"
	run vim --cmd 'set backupskip=' -es -c 'normal ggdGione' -c 'normal otwo' -c wq "$MNT/HEAD/label"
	[ "$status" -ne 0 ]
	label_is before
}

@test "nano, ed and busybox vi save a label" {
	needs busybox ed nano python3
	mount_fixture pi-v3-branches.jsonl
	terminal 'label' '\x0bfrom nano' 'from nano' '\x0f' 'Write' '\r' 'Wrote' '\x18' \
		-- nano "$MNT/HEAD/label"
	label_is "from nano"
	printf ',s/nano/ed/\nw\nq\n' | ed -s "$MNT/HEAD/label"
	label_is "from ed"
	terminal 'from ed' ':%s/ed/busybox/\r' 'Modified' ':wq\r' \
		-- busybox vi "$MNT/HEAD/label"
	label_is "from busybox"
}

@test "programs that write a label in place set it; those that replace the file fail" {
	needs python3 rsync
	mount_fixture pi-v3-branches.jsonl
	echo first >"$DIR/text"
	cp "$DIR/text" "$MNT/HEAD/label"
	label_is first
	echo second | tee "$MNT/HEAD/label" >/dev/null
	label_is second
	echo third >"$DIR/text"
	rsync -a --inplace "$DIR/text" "$MNT/HEAD/label"
	label_is third
	python3 -c "import pathlib; pathlib.Path('$MNT/HEAD/label').write_text('fourth')"
	label_is fourth
	fails_with "Operation not permitted" sed -i s/fourth/fifth/ "$MNT/HEAD/label"
	fails_with "Operation not permitted" mv "$DIR/text" "$MNT/HEAD/label"
	fails_with "Operation not permitted" install "$DIR/text" "$MNT/HEAD/label"
	label_is fourth
}

@test "less shows files, and less +F what is appended" {
	needs less python3
	mount_fixture pi-v3-branches.jsonl
	is "$(cat "$MNT/context.txt")" less "$MNT/context.txt"
	user aa000026 aa000025 "come since" >"$DIR/line"
	echo >>"$DIR/line"
	terminal 'Final\.[^~]*aiting for data' '' "!cat '$DIR/line' >>'$SESSION'" '' \
		'come since' -- less +F "$MNT/context.txt"
}

@test "tail -f shows what is appended" {
	mount_fixture pi-v3-branches.jsonl
	tail -n 1 -f "$MNT/context.txt" >"$DIR/tail" &
	local tail=$!
	wait_until grep -q Final "$DIR/tail"
	append aa000026 aa000025
	wait_until grep -q "said aa000026" "$DIR/tail"
	append aa000027 aa000026
	wait_until grep -q "said aa000027" "$DIR/tail"
	kill $tail
	is "[Assistant]: Final.

[User]: said aa000026

[User]: said aa000027" cat "$DIR/tail"
}

@test "bat shows files with line numbers" {
	mount_fixture pi-v3-branches.jsonl
	local bat
	bat=$(type -P batcat || type -P bat) || lacks "there is no bat here"
	is "$(cat "$MNT/context.txt")" "$bat" --paging=never --style=plain --color=never "$MNT/context.txt"
	"$bat" --paging=never --style=numbers --decorations=always --color=never "$MNT/HEAD/content" >"$DIR/shown"
	is "1 Final." sed 's/^ *//' "$DIR/shown"
	"$bat" --paging=never --color=always "$MNT/HEAD/branch.jsonl" "$MNT/HEAD/label" >/dev/null
}

@test "rg finds what grep -r finds, each entry once" {
	needs rg
	mount_fixture pi-v3-branches.jsonl
	is "$MNT/by-id/aa000004/content:list the files" rg "list the files" "$MNT/by-id"
	is "$MNT/tree/aa000001/aa000003/aa000004/content" rg -l "list the files" "$MNT/tree"
	diff <(rg -c . "$MNT/by-id" | LC_ALL=C sort) \
		<(grep -rc . "$MNT/by-id" | grep -v ':0$' | LC_ALL=C sort)
	is "$(find "$MNT/by-id" -type f | wc -l)" bash -c "rg --files '$MNT/by-id' | wc -l"
}

@test "fzf chooses an entry by its content, with a preview" {
	needs fzf python3
	mount_fixture pi-v3-branches.jsonl
	cd "$MNT"
	terminal '24/24' 'aa000004' 'list the files' '\r' \
		-- bash -c "find by-id -name content | fzf --preview 'cat {}' >'$DIR/chosen'"
	is by-id/aa000004/content cat "$DIR/chosen"
}

@test "tree draws by-id and tree" {
	needs tree
	mount_fixture pi-v3-branches.jsonl
	tree -L 2 "$MNT/by-id" >"$DIR/drawn"
	grep -q "── aa000004$" "$DIR/drawn"
	grep -q "── aa000005 -> ../aa000005$" "$DIR/drawn"
	tree -d "$MNT/tree" >"$DIR/drawn"
	is 24 grep -c '── aa0000' "$DIR/drawn"
}

@test "mc shows a folder and a file, and copies one out" {
	needs mc python3
	mount_fixture pi-v3-branches.jsonl
	mkdir "$DIR/out"
	terminal 'content' '\x13content' 'content' '\x1bOR' 'list the files' '\x1b[21~' \
		'content' '\x1b[15~' 'OK' '\r' "!cmp -s '$DIR/out/content' '$MNT/by-id/aa000004/content'" \
		-- env MC_TMPDIR="$HOME/tmp" mc -u "$MNT/by-id/aa000004" "$DIR/out"
}

@test "python's pathlib, os.walk, glob and shutil" {
	needs python3
	mount_fixture pi-v3-branches.jsonl
	python3 - "$MNT" "$DIR/copy" <<-'PY'
	import glob, os, shutil, sys
	from pathlib import Path
	mnt = Path(sys.argv[1])
	by_id, tree, head = mnt / "by-id", mnt / "tree", mnt / "HEAD"
	assert len(list(by_id.iterdir())) == 24
	assert len(list(by_id.rglob("content"))) == 24
	assert len(list(tree.rglob("content"))) == 24
	assert len(list(mnt.glob("by-id/*/raw.json"))) == 24
	assert len(glob.glob(f"{mnt}/by-id/*/content")) == 24
	assert len(glob.glob(f"{mnt}/tree/**/content", recursive=True)) == 24
	assert sum("content" in files for _, _, files in os.walk(tree)) == 24
	assert sum("content" in files for _, _, files, _ in os.fwalk(tree)) == 24
	assert head.is_symlink() and head.is_dir() and not head.is_file()
	assert head.resolve() == (by_id / "aa000025").resolve()
	assert head.samefile(by_id / "aa000025")
	assert not head.samefile(tree / "aa000001")
	assert (by_id / "aa000001/content").samefile(tree / "aa000001/content")
	assert (head / "content").read_text() == "Final.\n"
	assert (head / "content").stat().st_size == len("Final.\n")
	assert (head / "context.json").exists() and not (head / "nothing").exists()
	shutil.copytree(by_id, sys.argv[2], symlinks=True)
	try:
	    (head / "content").write_text("x")
	    assert False
	except PermissionError:
	    pass
	PY
	same_tree "$MNT/by-id" "$DIR/copy"
}

@test "git diff --no-index and diff -r compare entries and branches" {
	needs git
	mount_fixture pi-v3-branches.jsonl
	run git diff --no-index --numstat "$MNT/by-id/aa000004/context.txt" "$MNT/by-id/aa000008/context.txt"
	[[ $output == "11	0	"* ]]
	run diff -r --no-dereference "$MNT/by-id/aa000004" "$MNT/by-id/aa000005"
	[ "$status" -eq 1 ]
	[[ $output == *"Only in $MNT/by-id/aa000004: aa000005"* ]]
}

# bats test_tags=large
@test "a chain of 1,000: some programs see all of tree, all see all of by-id" {
	needs python3 rg rsync tree
	write_many chain 1000
	mount_session
	cd "$MNT"
	is 1000 bash -c 'find tree -name content | wc -l'
	is 1000 bash -c 'grep -rc "^entry" tree --include=content | wc -l'
	is 1000 bash -c 'tar -c tree | tar -t | grep -c /content$'
	is 1001 bash -c 'du tree | wc -l'
	# These stop where a path is too long, where the page says.
	local near='[ "$n" -ge 440 ] && [ "$n" -le 460 ]'
	local command n
	for command in 'rg --files tree | grep -c /content$' \
		'ls -R tree | grep -cx content' \
		'tree tree | grep -c "── content$"' \
		'rsync -r --list-only tree/ | grep -c /content$' \
		'cp -r tree "$DIR/cp"; find "$DIR/cp" -name content | wc -l' \
		'python3 -c "import os; print(sum(\"content\" in f for _, _, f in os.walk(\"tree\")))"'; do
		n=$(export DIR; bash -c "$command" 2>/dev/null)
		eval "$near" || {
			echo "$command: $n"
			return 1
		}
	done
	for command in 'rg --files by-id | grep -c /content$' \
		'ls -R by-id | grep -cx content' \
		'tree by-id | grep -c "── content$"' \
		'rsync -r --list-only by-id/ | grep -c /content$' \
		'cp -r by-id "$DIR/cp2"; find "$DIR/cp2" -name content | wc -l' \
		'python3 -c "import pathlib; print(len(list(pathlib.Path(\"by-id\").rglob(\"content\"))))"'; do
		n=$(export DIR; bash -c "$command")
		[ "$n" -eq 1000 ] || {
			echo "$command: $n"
			return 1
		}
	done
}

# A PNG of 2 by 2 points, red, green, blue and white, as a message's picture.
write_picture() {
	needs python3
	python3 - >"$DIR/picture" <<-'PY'
	import base64, json, struct, zlib
	def chunk(kind, data):
	    return (struct.pack(">I", len(data)) + kind + data +
	            struct.pack(">I", zlib.crc32(kind + data)))
	rows = b"\0\xff\0\0\0\xff\0" + b"\0\0\0\xff\xff\xff\xff"
	png = (b"\x89PNG\r\n\x1a\n" +
	       chunk(b"IHDR", struct.pack(">IIBBBBB", 2, 2, 8, 2, 0, 0, 0)) +
	       chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))
	print(json.dumps({"role": "user", "content": [
	    {"type": "image", "mimeType": "image/png",
	     "data": base64.b64encode(png).decode()}]}))
	PY
	write_session "$(message 00000001 "" "$(cat "$DIR/picture")")"
}

@test "a picture opens straight from the mount" {
	needs file pngtopnm python3
	write_picture
	mount_session
	local at
	for at in HEAD by-id/00000001 tree/00000001; do
		is "$MNT/$at/1.png: PNG image data, 2 x 2, 8-bit/color RGB, non-interlaced" \
			file "$MNT/$at/1.png"
		is "P3
2 2
255
255 0 0 0 255 0
0 0 255 255 255 255" bash -c "pngtopnm -plain '$MNT/$at/1.png' | sed 's/  */ /g; s/ *$//'"
	done
}
