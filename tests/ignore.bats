# What rg, editors that follow links, and git leave out. What .ignore and .gitignore have is in
# commands/ignore.md.
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
