# .ignore and .gitignore: what rg, editors that follow links, and git leave out.
load lib/mount
load lib/run
load lib/pi

setup() {
	needs_mounts
	make_folder
	export HOME=$DIR/home GIT_CONFIG_NOSYSTEM=1
	mkdir "$HOME"
	unset RIPGREP_CONFIG_PATH XDG_CONFIG_HOME GIT_DIR GIT_WORK_TREE
}

# A folder with two sessions, one of them in a folder, mounted on $MNT.
mount_two() {
	mkdir -p "$DIR/all/deep"
	cp "$FIXTURES/pi-v3-branches.jsonl" "$DIR/all/deep/one.jsonl"
	cp "$FIXTURES/claude-basic.jsonl" "$DIR/all/two.jsonl"
	start "$SESSFS" "$@" "$DIR/all" "$MNT"
}

# Fails if any file below is called .ignore or .gitignore.
lists_none() {
	prints_nothing find "$1" -name '.*ignore'
	[ "$(ls -A "$1")" = "$(ls "$1")" ]
}

# Has the file these lines, comments aside? And is its size exact?
has_lines() {
	is "$2" grep -v '^#' "$1"
	is "$(wc -c <"$1")" stat -c %s "$1"
}

refuses_writes() {
	fails_for_root_with "Operation not permitted" tee "$1" </dev/null
	if rm -f "$1"; then return 1; fi
	[ -f "$1" ]
}

# bats test_tags=full
@test "a session has both, not listed, and by-id/ and other folders of entries one" {
	mount_fixture pi-v3-branches.jsonl
	lists_none "$MNT"
	has_lines "$MNT/.gitignore" "*"
	is "!*" sed -n 2p "$MNT/.ignore"
	local at
	for at in by-id path by-label branches; do
		has_lines "$MNT/$at/.ignore" "/*/*/"
		[ ! -e "$MNT/$at/.gitignore" ]
	done
	is "**/[0-9][0-9][0-9][0-9]*-edit-failed/*/" grep -e -edit-failed "$MNT/by-file/.ignore"
	is 12 grep -vc '^#' "$MNT/by-file/.ignore"
	[ ! -e "$MNT/by-file/a.c/.ignore" ]
	[ ! -e "$MNT/tree/.ignore" ]
	[ ! -e "$MNT/HEAD/.ignore" ]
	is "444
444
444" stat -c %a "$MNT/.ignore" "$MNT/.gitignore" "$MNT/by-id/.ignore"
	chmod 600 "$SESSION"
	is 400 stat -c %a "$MNT/.ignore"
	refuses_writes "$MNT/.ignore"
	refuses_writes "$MNT/.gitignore"
	fails_with "File exists" ln -s by-id/aa000001 "$MNT/.ignore"
	is by-id/aa000025 readlink "$MNT/HEAD"
}

# bats test_tags=full
@test "the root of a folder of sessions has both, a session in it one" {
	mount_two
	lists_none "$MNT"
	has_lines "$MNT/.gitignore" "*"
	has_lines "$MNT/.ignore" "!*"
	is 1 grep -cx /tree/ "$MNT/two/.ignore"
	is 1 grep -cx /tree/ "$MNT/deep/one/.ignore"
	[ ! -e "$MNT/two/.gitignore" ]
	[ ! -e "$MNT/deep/.ignore" ]
	[ ! -e "$MNT/deep/.gitignore" ]
	refuses_writes "$MNT/.ignore"
	refuses_writes "$MNT/.gitignore"
	chmod 700 "$DIR/all"
	is 400 stat -c %a "$MNT/.ignore"
	# A session or a folder of that name is shown.
	cp "$FIXTURES/pi-v3-branches.jsonl" "$DIR/all/.ignore.jsonl"
	mkdir "$DIR/all/.gitignore"
	is by-id/aa000025 readlink "$MNT/.ignore/HEAD"
	[ -d "$MNT/.gitignore" ]
}

# The arguments that VS Code gives to rg.
editor() {
	rg --files --hidden --case-sensitive --no-require-git -g '!**/.git' --no-ignore-parent \
		--follow --no-config --no-ignore-global "$@"
}

# finds N COMMAND...: it prints N paths, each once, and no error, in 30 seconds:
# without .ignore it takes minutes.
finds() {
	local wanted=$1
	shift
	timeout 30 "$@" >"$DIR/found" 2>"$DIR/errors"
	cmp "$DIR/errors" /dev/null
	is "$wanted" grep -c . "$DIR/found"
	[ -z "$(sort "$DIR/found" | uniq -d)" ]
}

# bats test_tags=full
@test "rg -L and editors find each entry of a chain once, wherever they start" {
	needs rg
	write_many chain 400
	mount_session
	local at
	export -f editor
	# Three files for each entry, and four at the root.
	finds 1204 rg -L --files "$MNT"
	finds 1204 rg --files "$MNT"
	cd "$MNT"
	finds 1204 rg -L --files
	finds 1204 bash -c editor
	for at in by-id tree path; do
		finds 1200 rg -L --files "$MNT/$at"
		cd "$MNT"
		finds 1200 rg -L --files "$at"
		cd "$at"
		finds 1200 rg -L --files
		finds 1200 bash -c editor
	done
	cd "$MNT/HEAD"
	finds 3 rg -L --files
	cd "$DIR"
	is "$MNT/by-id/00000007/content" rg -L -l -x "entry 7" "$MNT"
}

# The lines that rg counts in a folder, without and with links.
with_links_the_same() {
	rg -c . "$1" | LC_ALL=C sort >"$DIR/without"
	rg -L -c . "$1" 2>&1 | LC_ALL=C sort >"$DIR/with"
	[ -s "$DIR/without" ]
	diff "$DIR/without" "$DIR/with"
}

# bats test_tags=full
@test "rg -L finds what rg finds, and nothing is lost" {
	needs rg
	mount_two
	local at
	for at in "$MNT" "$MNT/deep" "$MNT/two" "$MNT/deep/one/by-id" "$MNT/deep/one/tree"; do
		with_links_the_same "$at"
	done
	# Each entry, and all files at the root of a session.
	for at in "$MNT/deep/one" "$MNT/two"; do
		diff <(grep -rc . "$at" --exclude-dir=tree --exclude-dir=files | grep -v ':0$' | LC_ALL=C sort) \
			<(rg -L -c . "$at" | LC_ALL=C sort)
	done
	# Given a folder of links, rg finds what is behind them.
	cd "$MNT/deep/one"
	is "by-label/good/content" bash -c "rg -L --files by-label | grep good/content"
	is "$(ls path | wc -l)" bash -c "rg -L --files path | grep -c '/content$'"
	is "$(ls branches | wc -l)" bash -c "rg -L --files branches | grep -c '/content$'"
	is "by-file/a.c/0001-read/content" bash -c "rg -L --files by-file | grep '/content$'"
	cd "$DIR"
}

# bats test_tags=full
@test "git takes nothing of a mount in a project, and rg finds everything in it" {
	needs git rg
	git init -q "$DIR/project"
	cd "$DIR/project"
	echo "list the files" >notes
	mkdir one all
	cp "$FIXTURES/pi-v3-branches.jsonl" "$SESSION"
	MNT=$PWD/one mount_session
	MNT=$PWD/all mount_two -o ro
	is "?? notes" git status --short --untracked-files=all
	git add -A
	is notes git ls-files
	is "A  notes" git status --short
	git add one all
	is notes git ls-files
	git clean -fdq
	is by-id/aa000025 readlink one/HEAD
	is "./all/deep/one/by-id/aa000004/content
./notes
./one/by-id/aa000004/content" bash -c "rg -lx 'list the files' . | LC_ALL=C sort"
	is one/by-id/aa000004/content rg -lx "list the files" one
	is one/by-id/aa000004/content rg -Llx "list the files" one
	is all/deep/one/by-id/aa000004/content rg -lx "list the files" all
	is all/deep/one/tree/aa000001/aa000003/aa000004/content rg -lx "list the files" all/deep/one/tree
	cd "$DIR"
}
