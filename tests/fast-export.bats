# sessfs fast-export: a session as a repository of git.
load lib/mount
load lib/run
load lib/pi

setup() {
	needs git python3
	make_folder
	cd "$DIR"
	# Nothing of the user's own.
	export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null HOME=$DIR
	export GIT_DIR=$DIR/repo
	new_repository
}

# An empty repository. (git init takes a process.)
new_repository() {
	rm -rf "$GIT_DIR"
	mkdir -p "$GIT_DIR/objects" "$GIT_DIR/refs"
	echo "ref: refs/heads/main" >"$GIT_DIR/HEAD"
}

# Import the session; a flag of fast-export.
import() {
	start "$SESSFS" fast-export ${1+"$1"} "$SESSION" >stream
	git fast-import --quiet <stream
}

# Fails unless git finds nothing wrong.
is_sound() {
	git fsck --strict --no-dangling >fsck 2>&1 || return
	not grep -v '^notice: \(HEAD points to an unborn branch\|No default references\)' fsck
}

# Neither in what it makes of it later.
stays_sound() {
	is_sound
	git commit-graph write --reachable
	git commit-graph verify
	git gc -q
	is_sound
}

# Print the id of each commit that git log finds with these options.
entries() {
	git log --format='%(trailers:key=Entry,valueonly,separator=)' "$@"
}

refs() {
	git for-each-ref --format='%(refname) %(objectname)' "$@"
}

# Append a label: its line's id, the entry, the text (JSON-escaped).
add_label() {
	printf '{"type":"label","id":"%s","parentId":"%s","timestamp":"2026-03-01T10:00:02.000Z","targetId":"%s","label":"%s"}\n' \
		"$1" "$2" "$2" "$3" >>"$SESSION"
}

# Rules: B1 B2 B4
# bats test_tags=full
@test "commits, branches, tags and HEAD are those of a mount, for every fixture" {
	local name pairs=() all=$DIR/all
	mkdir all fixtures
	cp "$FIXTURES"/*.jsonl "$FIXTURES"/*.head.json fixtures
	start "$SESSFS" fixtures "$MNT"
	# One store of objects, and one repository that has all refs as well, for git to check.
	export GIT_OBJECT_DIRECTORY=$all/objects
	mkdir all/objects all/refs
	echo "ref: refs/heads/main" >all/HEAD
	for SESSION in fixtures/*.jsonl; do
		name=${SESSION##*/} name=${name%.jsonl}
		GIT_DIR=$DIR/$name
		new_repository
		import
		git for-each-ref --format="%(objectname) refs/all/$name/%(refname)" >>all/packed-refs
		pairs+=("$name" "$MNT/$name")
	done
	python3 "$ROOT/tests/fast_export.py" "${pairs[@]}"
	GIT_DIR=$all
	stays_sound
}

# Rules: B3
# bats test_tags=full
@test "git log -S finds an entry where grep does" {
	mount_fixture pi-v3-branches.jsonl
	import
	local word
	cd "$MNT/by-id"
	grep -lx 'bookkeeping: yes.*' */meta >"$DIR/bookkeeping" || :
	for word in approach list B a.c line secret '[tool call]' '{'; do
		grep -lF -- "$word" */content >"$DIR/hits" || :
		entries --all -S "$word" -- "*/content" >"$DIR/found"
		echo "$word"
		same_entries
	done
	is "HEAD:path/00/16/content:Final." git grep Final. HEAD -- '*/content'
}

# Fails unless those found are the entries of the hits that are no bookkeeping.
same_entries() {
	local name names
	declare -A want=()
	mapfile -t names <"$DIR/hits"
	for name in "${names[@]}"; do want[${name%/*}]=1; done
	mapfile -t names <"$DIR/bookkeeping"
	for name in "${names[@]}"; do unset "want[${name%/*}]"; done
	mapfile -t names <"$DIR/found"
	[ ${#names[@]} -eq ${#want[@]} ] || return
	for name in "${names[@]}"; do [ -n "${want[$name]-}" ] || return; done
}

# grows FIXTURE LINES: import the session whenever it has so many lines more. In the end the
# repository is that of the whole session: branches of former tips have gone.
grows() {
	local line lines i=0
	new_repository
	mapfile -t lines <"$FIXTURES/$1.jsonl"
	SESSION=$DIR/grown.jsonl
	: >"$SESSION"
	for line in "${lines[@]}"; do
		printf '%s\n' "$line" >>"$SESSION"
		((++i % $2 == 0 || i == ${#lines[@]})) || continue
		start "$SESSFS" check "$SESSION" >/dev/null 2>&1 || [ $? -ne 2 ] || continue
		import
	done
	refs >grown
	SESSION=$FIXTURES/$1.jsonl
	new_repository
	import
	# Tags of labels that have gone stay.
	refs | comm -23 - grown | diff /dev/null -
	refs refs/heads | diff - <(grep refs/heads/ grown)
}

# Rules: B6
# bats test_tags=full
@test "a growing session is imported again, and its branches are the tips" {
	grows pi-v3-branches 1
	is_sound
	grows claude-basic 6
	grows codex-paginated 5
}

# bats test_tags=full
@test "other formats grow by a line, too" {
	local fixture
	for fixture in pi-v3-compaction claude-basic codex-paginated draft000-uuid; do
		echo "$fixture"
		grows "$fixture" 1
		is_sound
	done
}

# bats test_tags=full
@test "an import without news changes nothing, and another has what is new" {
	write_session
	append_user aa "" one
	append_user bb aa two
	import
	refs >before
	import
	refs | diff before -
	append_user cc bb three
	append_user dd aa other
	import
	is "cc
dd
main" git branch --format='%(refname:short)'
	is "cc
bb
aa" entries cc
}

# bats test_tags=full
@test "labels and HEAD that move; the tag of a label that goes stays" {
	write_session
	append_user aa "" one
	append_user bb aa two
	append_user cc aa other
	add_label l1 bb works
	add_label l2 cc bad
	import
	is "bb" entries -1 works
	is "cc" entries -1
	add_label l3 bb ""
	add_label l4 cc works
	add_label l5 aa first
	mount_session
	ln -sfn by-id/bb "$MNT/HEAD"
	import
	is "bb" entries -1
	is "bad
first
works" git tag
	is "works" git tag -l --format='%(contents:subject)' works
	is "cc" entries -1 works
	is_sound
}

# Append a call of a tool, and its result: its id, the entry above, the tool, its
# arguments, and whether it has failed.
add_call() {
	message "$1" "$2" "{\"role\":\"assistant\",\"content\":[{\"type\":\"toolCall\",\"id\":\"c$1\",\"name\":\"$3\",\"arguments\":$4}]}" >>"$SESSION"
	echo >>"$SESSION"
	message "r$1" "$1" "{\"role\":\"toolResult\",\"toolCallId\":\"c$1\",\"toolName\":\"$3\",\"content\":[],\"isError\":${5-false}}" >>"$SESSION"
	echo >>"$SESSION"
}

# Print the files of an entry, and what is in them.
files_of() {
	local commit path lines paths
	commit=$(git log --all --format=%H --grep "^Entry: $1\$")
	mapfile -t paths < <(git ls-tree -r --name-only "$commit" -- files)
	for path in "${paths[@]}"; do
		mapfile -t lines < <(git cat-file blob "$commit:$path")
		printf '%s: ' "$path"
		[ ${#lines[@]} -eq 0 ] || printf '%s|' "${lines[@]}"
		echo
	done
}

# Rules: B5
# bats test_tags=full
@test "--files: the files as they were at each entry" {
	write_session
	add_call a "" write '{"path":"src/wc.c","content":"one\ntwo\n"}'
	add_call b ra write '{"path":"/work/demo/src/../Makefile","content":""}'
	add_call c rb write '{"path":"src/wc.c","content":"failed"}' true
	add_call d rc edit '{"path":"src/wc.c","oldText":"one","newText":"1"}'
	add_call e rb write '{"path":"src/wc.c","content":"other\n"}'
	add_call f rd bash '{"command":"echo x >y"}'
	import
	[ -z "$(files_of a)" ]
	new_repository
	import --files
	is_sound
	is "files/src/wc.c: one|two|" files_of ra
	is "files/Makefile: 
files/src/wc.c: one|two|" files_of rc
	is "files/Makefile: 
files/src/wc.c: 1|two|" files_of f
	is "files/Makefile: 
files/src/wc.c: one|two|" files_of e
	is "files/Makefile: 
files/src/wc.c: other|" files_of re
}

# bats test_tags=full
@test "--files: paths that git refuses" {
	write_session
	local path n=0 above=""
	for path in .git/config a/.GIT/x git~1 GIT~1/x .gitmodules .env ..x 'a\\b' '"q' 'new\nline' ./@/x \~/x /etc/passwd ../up \
		"$(printf 'x%.0s' {1..300})" a/./b//c 'é' ' x ' '%2Eenv'; do
		add_call "w$((++n))" "$above" write "{\"path\":\"${path//\"/\\\"}\",\"content\":\"$n\"}"
		above=rw$n
	done
	import --files
	is_sound
	git -c core.quotePath=false ls-tree -r --name-only "rw$n" -- files >names
	is "$n" grep -c '' names
	for path in %2Egit/config .env %252Eenv @/etc/passwd %40/x @/~/x a/b/c; do
		grep -qxF "files/$path" names
	done
}

# bats test_tags=full
@test "hostile ids, labels, names and roles are legal, and stay apart" {
	write_evil_session
	mount_session
	import
	is_sound
	python3 "$ROOT/tests/fast_export.py" repo "$MNT"
	git for-each-ref --format='%(refname)' | while IFS= read -r name; do
		git check-ref-format "$name"
		git check-ref-format --branch "${name#refs/*/}"
	done
}

# bats test_tags=full
@test "bytes that git refuses in names of refs" {
	write_session
	local id n=0
	for id in a.lock a. a..b 'a@{b' @ HEAD -x 'a b' 'a~^:?*[\\b' 'a\u0001\u007f' 'ä' '%20' 'a%20b' "$(printf 'é%.0s' {1..127})" \
		"$(printf ' %.0s' {1..250})" "$(printf ' %.0s' {1..251})" 0123456789012345678901234567890123456789; do
		append_user "$id" "" "text $((++n))"
		add_label "l$n" "$id" "$id"
	done
	import
	is_sound
	refs >names
	is $((n + 1)) grep -c ^refs/heads/ names
	is "$n" grep -c ^refs/tags/ names
	# git fast-import takes only what a ref may be called; a branch may not be called so, either.
	not grep -E '^refs/[a-z]*/(-|HEAD )' names
	for id in a%2Elock a%2E a.%2Eb 'a%40{b' %40 %48EAD %2Dx a%20b ä a%2520b; do
		grep -q "^refs/heads/$id " names
		grep -q "^refs/tags/$id " names
	done
}

# bats test_tags=full
@test "times: none, before 1970, after 2038 and 2106, before the parent's" {
	write_session
	local time n=0 before='""'
	for time in '"2026-03-01T10:00:00Z"' '"2026-03-01T09:00:00Z"' '"1969-01-01T00:00:00Z"' null '"no time"' \
		'"2039-01-01T00:00:00Z"' '"9999-01-01T00:00:00Z"' '"2026-01-01T00:00:00Z"'; do
		printf '{"type":"message","id":"e%d","parentId":%s,"timestamp":%s,"message":{"role":"user","content":"x"}}\n' \
			$((++n)) "${before/\"\"/null}" "$time" >>"$SESSION"
		before="\"e$n\""
	done
	import
	git commit-graph write --reachable
	git commit-graph verify
	is_sound
	is "1772359200 1772359200
1772355600 1772359200
0 1772359200
0 1772359200
1772359200 1772359200
2177452800 2177452800
4294967295 4294967295
1767225600 4294967295" git log --reverse --format='%at %ct' e8
}

@test "authors are the model, the tool and the person, without what git refuses" {
	write_session
	message m1 "" '{"role":"user","content":"x"}' >>"$SESSION"; echo >>"$SESSION"
	message m2 m1 '{"role":"assistant","provider":"p","model":"a<b>\u0000\n c","content":"x"}' >>"$SESSION"; echo >>"$SESSION"
	message m3 m2 '{"role":"toolResult","toolName":"bash","content":"x"}' >>"$SESSION"; echo >>"$SESSION"
	message m4 m3 '{"role":"<>\n","content":"x"}' >>"$SESSION"; echo >>"$SESSION"
	message m5 m4 '{"role":"assistant","model":" ","content":""}' >>"$SESSION"; echo >>"$SESSION"
	import
	is_sound
	git log --reverse --format='%an <%ae>' m5 >authors
	is "user <user>
p/a_b_ c <assistant>
bash <toolResult>
__ <__>" head -n 4 authors
}

# large_entry BYTES KIB: import an entry of so many bytes, with so much memory.
large_entry() {
	write_session
	append_user empty "" ''
	append_user zeros empty 'a\u0000b\n'
	{
		printf '{"type":"message","id":"large","parentId":"zeros","timestamp":"2026-03-01T10:00:01.000Z","message":{"role":"user","content":"'
		head -c "$1" /dev/zero | tr '\0' x
		printf '"}}\n'
	} >>"$SESSION"
	append_user last large end
	import
	git cat-file --batch-check='%(objectsize)' >sizes <<-END
	last:path/00/01/content
	last:path/00/03/content
	END
	is "0
$(($1 + 1))" cat sizes
	git cat-file blob last:path/00/02/content | cmp - <(printf 'a\0b\n')
	is end git cat-file blob last:path/00/04/content
	# ru_maxrss of a child that Python starts begins with Python's own.
	[ -n "${SAN-}" ] || (ulimit -v "$2" && "$SESSFS" fast-export "$SESSION" | cmp - stream)
}

# bats test_tags=full
@test "empty contents, NULs, and an entry of 20 MB" {
	large_entry 20000000 220000
}

# bats test_tags=full
@test "an entry of 100 MB takes memory for three" {
	large_entry 100000000 500000
}

@test "several roots are several histories" {
	write_many roots 50
	import
	refs refs/heads >names
	is 51 grep -c '' names
	is 50 git rev-list --all --max-parents=0 --count
}

# git needs minutes for it on a slow machine.
# bats test_tags=full
@test "a session may have more than 10,000 entries" {
	write_many chain 10101
	import
	is "path/01/01/00/content
path/01/01/00/meta" git diff-tree -r --name-only --no-commit-id 'HEAD~1'
	is "entry 10099" git cat-file blob HEAD:path/01/01/00/content
	is 20202 bash -c "git ls-tree -r --name-only HEAD | wc -l"
}

@test "a parent that comes later in the file comes first in the stream" {
	write_session
	append_user cc bb three
	append_user bb aa two
	append_user aa "" one
	import
	is_sound
	is "one
two
three" git show cc:path/00/0{1,2,3}/content
}

# bats test_tags=full
@test "git takes nothing of a stream that was cut off" {
	write_many chain 100
	import
	cp -r repo kept
	append_user new 00000063 x
	"$SESSFS" fast-export "$SESSION" | sed '$d' >part
	run git fast-import --quiet <part
	[ "$status" -ne 0 ]
	refs | diff - <(GIT_DIR=$DIR/kept refs)
}

# bats test_tags=full
@test "a session by its mount; no folder, no reader, no other options" {
	mount_fixture pi-v3-branches.jsonl
	start "$SESSFS" fast-export "$SESSION" >want
	"$SESSFS" fast-export "$MNT" | cmp want -
	"$SESSFS" fast-export "$MNT/by-id/aa000004" | cmp want -
	cmp "$SESSION" "$FIXTURES/pi-v3-branches.jsonl"
	fails_in_a_line "is a folder, not a session" 2 "$SESSFS" fast-export "$DIR"
	fails_in_a_line "No such file" 1 "$SESSFS" fast-export none.jsonl
	refuses 2 "sessfs: fast-export: no option -z (sessfs fast-export -h for help)" "$SESSFS" fast-export -z "$SESSION"
	write_lines '{"a":1}' '{"b":2}'
	is 2 grep -c '^commit ' <("$SESSFS" fast-export -o dialect=lines "$SESSION")
	write_many chain 20000
	run -141 --separate-stderr bash -o pipefail -c "'$SESSFS' fast-export '$SESSION' | head -n 1"
	[ "$output" = "feature done" ] && [ -z "$stderr" ]
}
