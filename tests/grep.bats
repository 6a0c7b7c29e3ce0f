# sessfs grep.
load lib/mount
load lib/run
load lib/pi
load lib/omp
load lib/claude

setup() {
	needs_mounts
	make_folder
	make_home
	PI=$HOME/.pi/agent/sessions/--work-demo--
	OMP=$HOME/.omp/agent/sessions/--work-demo--
	CLAUDE=$HOME/.claude/projects/-work-demo
}

# Run a helper on a terminal: texts to wait for and keys, --, the helper.
on_terminal() {
	needs python3
	# The bytes are compared: less adds its own.
	PAGER=${PAGER-cat} RAW=$DIR/screen python3 "$ROOT/tests/lib/terminal.py" "$@"
}

# finds LINES ARGUMENT...: the search prints these lines.
finds() {
	is "$1" helper grep "${@:2}"
}

# finds_nothing ARGUMENT...
finds_nothing() {
	refuses 1 "" helper grep "$@"
}

# A session of Pi with an entry for each kind of message.
write_small() {
	{
		echo "$PI_HEADER"
		user aa000001 "" 'Count the words.\nOne WORD a line.' && echo
		message aa000002 aa000001 '{"role":"assistant","content":[{"type":"text","text":"Running."},{"type":"toolCall","id":"t1","name":"bash","arguments":{"command":"wc -w\nls"}}],"model":"m"}' && echo
		message aa000003 aa000002 '{"role":"toolResult","toolCallId":"t1","toolName":"bash","content":[{"type":"text","text":"3 words"}]}' && echo
		message aa000004 aa000001 '{"role":"assistant","content":[{"type":"text","text":"A sword?"}],"model":"m"}' && echo
		user aa000005 aa000004 'no\nwords\nhere\nnor\nthere' && echo
	} >"$SESSION"
}

# A session for each agent, in its folder. The mtimes, and the times in the names,
# go up.
write_agents() {
	mkdir -p "$PI" "$OMP" "$CLAUDE"
	{ echo "$PI_HEADER" && user aa000001 "" 'the word of Pi' && echo; } >"$PI/2026-03-01T10-00-00-000Z_a.jsonl"
	SESSION=$OMP/2026-03-01T10-00-00-000Z_b.jsonl write_omp "$(user bb000001 "" 'the word of omp')"
	{ claude_user 1 "" 'the word of Claude' && echo && claude_answer 2 1 'another word' && echo; } >"$CLAUDE/$SESSION_ID.jsonl"
	touch -d '-2 seconds' "$PI"/*_a.jsonl
	touch -d '-1 second' "$OMP"/*_b.jsonl
}

# -- usage

# bats test_tags=full
@test "-h prints a summary, and usage errors are reported" {
	local arguments usage
	helper grep -h >"$DIR/usage"
	whole usage "$DIR/usage"
	[[ $usage == "usage: sessfs grep "* ]]
	is "${usage%$'\n'}" helper grep --help
	for arguments in --nothing "--role user --role" -e -iA "--open --resume" --ignore-case=x --open=x \
		-Zw "--until 3y"; do
		# shellcheck disable=SC2086 # words
		fails_in_a_line "sessfs: " 2 helper grep word $arguments
	done
	fails_in_a_line "usage: sessfs grep [OPTIONS] PATTERN [PATH...]" 2 helper grep -i
	fails_in_a_line "no option -z" 2 helper grep -iz word
	fails_in_a_line "grep: -G: patterns are Perl's" 2 helper grep -G word
	fails_in_a_line "--sort=size: must be path or time" 2 helper grep --sort size word
	fails_in_a_line "--since=3y: must be as 3d" 2 helper grep --since 3y word
	fails_in_a_line "--until=2026-02-30: must be as 3d" 2 helper grep --until 2026-02-30 word
	fails_in_a_line "x: not a number of lines" 2 helper grep -A x word
	fails_in_a_line "other: no such agent; there are pi, omp, claude, codex and qwen" 2 helper grep --agent other word
	fails_in_a_line "No such file or directory" 2 helper grep word "$DIR/nothing"
	fails_in_a_line "$DIR/nothing/by-id/aa000001" 2 helper grep word "$DIR/nothing/by-id/aa000001"
	write_small
	fails_in_a_line "aa000009: no such entry" 2 helper grep word "$DIR/session/by-id/aa000009"
	fails_in_a_line "aa000009: no such entry" 2 helper grep --open word "$DIR/session/by-id/aa000009"
	finds_nothing nothing "$DIR/session/by-id/aa000001"
	# The older spelling.
	helper grep word "$SESSION" >"$DIR/found"
	"$SESSFS" grep word "$SESSION" | cmp "$DIR/found"
}

# -- options

# bats test_tags=full
@test "options are those of grep" {
	write_small
	cd "$DIR"
	finds "\
session/by-id/aa000001/content:1:Count the words.
session/by-id/aa000003/content:1:3 words
session/by-id/aa000004/content:1:A sword?
session/by-id/aa000005/content:2:words" word session.jsonl
	finds "session/by-id/aa000001/content:2:One WORD a line." -iw word session.jsonl
	finds "session/by-id/aa000005/content:2:words" -x words session.jsonl
	finds "session/by-id/aa000003/content:1:3 w" -o '3 w' session.jsonl
	finds "session/by-id/aa000001/content:1:Count the words." -m1 -i 'words*' session/by-id/aa000001
	helper grep -q words session.jsonl >out
	helper grep -q words nosuch session.jsonl 2>/dev/null
	[ ! -s out ]
	exits 1 helper grep -q nothing session.jsonl
	finds "session/by-id/aa000003/content:1:3 words" -F -e '3 w' session.jsonl
	finds "session/by-id/aa000001/content:1:Count the words." -F s. session.jsonl
	finds "session/by-id/aa000003/content:1:3 words" '^\d (?:w|x)' session.jsonl
	finds "session/by-id/aa000003/content:1:3 words" -E '^[0-9] (w|x)' session.jsonl
	finds "\
session/by-id/aa000002/content:1:Running.
session/by-id/aa000005/content:5:there" -e Run -e '^there$' session.jsonl
	finds "\
session/by-id/aa000005/content-1-no
session/by-id/aa000005/content:2:words
session/by-id/aa000005/content-3-here" -C1 -x words session.jsonl
	finds "\
session/by-id/aa000001/content-1-Count the words.
session/by-id/aa000001/content:2:One WORD a line.
--
session/by-id/aa000005/content-4-nor
session/by-id/aa000005/content:5:there" -B 1 -e WORD -e '^there' session.jsonl
	finds "\
session/by-id/aa000005/content:3:here
session/by-id/aa000005/content-4-nor
session/by-id/aa000005/content-5-there" -xA2 here session.jsonl
	finds "session/by-id/aa000005/content:1:no" -xv -e words -e here -e nor -e there --role user -e '.*[rdW].*' session.jsonl
	finds "session/by-id/aa000003/content:1:3 words" -e '3' -- session.jsonl
	printf 'Runn\n3 w\n' >patterns
	finds "\
session/by-id/aa000002/content:1:Running.
session/by-id/aa000003/content:1:3 words" -f patterns session.jsonl
	finds session.jsonl -l word session.jsonl
	finds session.jsonl:4 -c word session.jsonl
	finds session.jsonl -lc word session.jsonl
	finds session.jsonl -L nothing session.jsonl
	finds_nothing -L word session.jsonl
	finds_nothing -c nothing session.jsonl
	# What grep is often given, and does anyway.
	finds "session/by-id/aa000003/content:1:3 words" -rnaH '3 w' session.jsonl
	# Options after operands.
	finds "session/by-id/aa000001/content:2:One WORD a line." WORD session.jsonl -w
	finds_nothing -w wor session.jsonl
	finds_nothing -- -wx session.jsonl
}

takes_pattern_files() {
	printf '^words\nA sword\n' >patterns
	finds "$1" -f patterns session.jsonl session.jsonl
	printf '^words\nA sword\n' | finds "$1" -f - session.jsonl session.jsonl
	finds "$1" -f /dev/stdin session.jsonl session.jsonl <patterns
	finds "$1" -f <(cat patterns) session.jsonl session.jsonl
	finds_nothing -f - session.jsonl </dev/null
	# A NUL ends no pattern.
	printf 'A\0sword\n' >patterns
	finds_nothing -f patterns session.jsonl
	finds_nothing -f <(cat patterns) session.jsonl
	fails_in_a_line "No such file" 2 helper grep -f nothing session.jsonl
}

# bats test_tags=full
@test "files of patterns may be pipes" {
	write_small
	cd "$DIR"
	local hits="\
session/by-id/aa000004/content:1:A sword?
session/by-id/aa000005/content:2:words"
	takes_pattern_files "$hits
$hits"
}

# Without one of the options something else would be found.
# bats test_tags=full
@test "the long names of grep's options" {
	write_small
	cd "$DIR"
	local short long
	while IFS='|' read -r short long; do
		eval "helper grep $short session.jsonl" >wanted
		[ -s wanted ]
		eval "helper grep $long session.jsonl" | cmp wanted
	done <<-'END'
		-iw -A 1 word|--ignore-case --word-regexp --after-context=1 word
		-ix -B 1 WORDS|-y --line-regexp --before-context 1 WORDS
		-v -e words --role user|--invert-match --regexp=words --role=user
		-F -C 1 .|--fixed-strings --context=1 .
		-l -e words|--files-with-matches --regexp words
		-L -e nothing|--files-without-match --regexp nothing
		-c -e words|--count --regexp words
		-E '(he)+'|--extended-regexp '(he)+'
		-P 'w(?=o)'|--perl-regexp 'w(?=o)'
		--tool bash words|--tool=bash words
	END
}

# bats test_tags=full
@test "any pattern is taken as it is" {
	write_session "$(user aa000001 "" "it's \\\"a\\\" \$HOME \`b\` \\\\\\\\c -e * x\\ty")"
	cd "$DIR"
	local pattern
	for pattern in "it's" '"a"' "\$HOME" "\`b\`" '\\c' ' -e ' '* x' $'x\ty' '' ' '; do
		helper grep -F -e "$pattern" session.jsonl >out
		has_lines 1 out
	done
	finds_nothing -F "it's  " session.jsonl
	helper grep -F -e $'nothing\nit\'s' session.jsonl >out
	helper grep -F -e $'-e *\n' session.jsonl >out
}

@test "a pattern that is wrong, or does not end, is an error" {
	write_session "$(user aa000001 "" 'first\nxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx')"
	cd "$DIR"
	is "sessfs: grep: [a: missing terminating ] for character class, at byte 3" \
		bash -c "'$SESSFS' grep '[a' session.jsonl 2>&1 || [ \$? -eq 2 ]"
	fails_in_a_line "sessfs: grep: b(: missing closing parenthesis" 2 helper grep -e '[a]' -e 'b(' session.jsonl
	fails_in_a_line "sessfs: grep: (x+x+)+[yz]: match limit exceeded, in session/by-id/aa000001/content:2" 2 \
		helper grep '(x+x+)+[yz]' session.jsonl session.jsonl
}

@test "statuses are those of grep" {
	write_small
	cd "$DIR"
	mkdir empty
	echo text >text.jsonl
	helper grep word session.jsonl >out
	finds_nothing nothing session.jsonl
	exits 2 helper grep word nothing.jsonl
	status=0
	helper grep word nothing.jsonl session.jsonl >out 2>err || status=$?
	[ "$status" -eq 2 ]
	has_lines 4 out
	has nothing.jsonl err
	exits 2 helper grep '(' session.jsonl
	fails_in_a_line "empty: no sessions in this folder (--here searches" 2 helper grep word empty
	exits 2 helper grep word text.jsonl
}

# bats test_tags=full
@test "--role and --tool choose entries, in any case; several add up, and one that no agent has is told" {
	write_small
	cd "$DIR"
	finds "session/by-id/aa000003/content:1:3 words" --role toolResult word session.jsonl
	finds "session/by-id/aa000004/content:1:A sword?" --role assistant word session.jsonl
	finds "session/by-id/aa000003/content:1:3 words" --tool bash word session.jsonl
	helper grep --tool bash 'wc -w' session.jsonl >out
	has session/by-id/aa000002/content: out
	finds_nothing --tool edit word session.jsonl
	finds_nothing --role user --tool bash word session.jsonl
	fails_in_a_line "Pi: no such agent; there are pi, omp, claude, codex and qwen" 2 helper grep --agent=Pi word session.jsonl
	finds "\
session/by-id/aa000003/content:1:3 words
session/by-id/aa000004/content:1:A sword?" --role toolResult --role assistant word session.jsonl
	finds "session/by-id/aa000003/content:1:3 words" --tool Bash word session.jsonl
	finds "session/by-id/aa000003/content:1:3 words" --role toolresult --tool BASH word session.jsonl
	fails_in_a_line "--tool=bas: " 1 helper grep --tool bas word session.jsonl
	fails_in_a_line "--role=nobody: no agent's role" 1 helper grep --role user --role nobody nothing session.jsonl
	fails_in_a_line "--tool=bsh: no agent's tool; kinds are shell, edit, read, search and web" \
		1 helper grep --tool bsh . session.jsonl
	# What agents are known to use may be missing, and entries may have others.
	finds_nothing --role system --tool WebFetch . session.jsonl
	sed -i 's/"bash"/"mine"/g' session.jsonl
	finds "session/by-id/aa000003/content:1:3 words" --tool mine words session.jsonl
}

# bats test_tags=full
@test "--tool takes kinds, over all agents" {
	write_small
	SESSION=$DIR/claude.jsonl write_parallel
	cd "$DIR"
	finds "session/by-id/aa000003/content:1:3 words" --tool shell words session.jsonl
	finds "session/by-id/aa000003/content:1:3 words" --tool web --tool Shell words session.jsonl
	finds_nothing --tool edit words session.jsonl
	finds "claude/by-id/$(uuid 5)/content:1:A-body" --tool read A-body claude.jsonl
}

# In a mount, each value of a role or tool in meta chooses the entries that have it. A tool
# also chooses its calls.
# bats test_tags=full
@test "--role and --tool go by meta" {
	needs python3
	mkdir "$DIR/all"
	cp "$FIXTURES"/{pi-v3-branches,omp-v3-basic}.jsonl "$DIR/all"
	start "$SESSFS" "$DIR/all" "$MNT"
	python3 - "$SESSFS" "$MNT" "$DIR/found" <<-'PY'
	import os, sys
	sessfs, mount, found = sys.argv[1:]
	def read(path):
	    with open(path, encoding="utf-8", errors="replace") as f:
	        return f.read()
	def chosen(*options):
	    child = os.posix_spawn(sessfs, [sessfs, "grep", *options], os.environ,
	                           file_actions=[(os.POSIX_SPAWN_OPEN, 1, found, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)])
	    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) in (0, 1), options
	    return {line.split("/by-id/")[1].split("/content:")[0] for line in read(found).splitlines()}
	for session in os.listdir(mount):
	    if not os.path.isdir(f"{mount}/{session}/by-id"):
	        continue
	    at = f"{mount}/{session}/by-id"
	    metas = {name: read(f"{at}/{name}/meta").splitlines() for name in os.listdir(at) if read(f"{at}/{name}/content")}
	    for key in "role", "tool":
	        values = {line.split(": ")[1] for meta in metas.values() for line in meta if line.startswith(key + ": ")}
	        assert values, (session, key)
	        # "default" is what oh-my-pi calls the role of a model; several calls have a name each.
	        for value in sorted(v for v in values if v != "default" and ", " not in v):
	            wanted = {name for name, meta in metas.items() if f"{key}: {value}" in meta}
	            got = chosen(f"--{key}={value}", "", f"{mount}/{session}")
	            assert wanted == got if key == "role" else wanted <= got, (session, key, value, wanted, got)
	PY
}

# bats test_tags=full
@test "of Claude Code's user messages, the results of tools have a role of their own" {
	write_parallel
	cd "$DIR"
	finds "session/by-id/$(uuid 1)/content:1:look at both" --role user . session.jsonl
	finds "\
session/by-id/$(uuid 5)/content:1:A-body
session/by-id/$(uuid 6)/content:1:B-body" --role toolResult . session.jsonl
	helper grep --tool rEAD file_path session.jsonl >out
	has_lines 2 out
	# What they return names the call, not the tool.
	finds "session/by-id/$(uuid 5)/content:1:A-body" --tool read --role TOOLRESULT A-body session.jsonl
	finds_nothing --tool Write body session.jsonl
}

# -- what is searched

# bats test_tags=full
@test "in a mount, and anything in it" {
	mount_fixture pi-v3-branches.jsonl
	local at link target all links content wanted=()
	helper grep -i '[ae]' "$MNT" >"$DIR/all"
	(cd "$MNT" && grep -ain '[ae]' by-id/*/content | sort -s -t / -k 2,2 | sed "s,^,$MNT/,") | cmp - "$DIR/all"
	whole all "$DIR/all"
	[ "${#all}" -gt 500 ]
	# Each PATH is searched by itself.
	is "${all}$all$all$all$all$all${all%$'\n'}" helper grep -i '[ae]' "$MNT"/{,by-id,tree,by-label,branches,info,tree.txt}
	all="$MNT/by-id/aa000004/content:1:list the files"
	is "$all"$'\n'"$all"$'\n'"$all"$'\n'"$all"$'\n'"$all"$'\n'"$all" helper grep '' "$MNT"/by-id/aa000004{,/,/content,/raw.json} \
		"$MNT/tree/aa000001/aa000003/aa000004/content" "$MNT/by-id/aa000005/parent"
	# In entries that links name.
	[ -d "$MNT/path" ]
	links=("$MNT/HEAD" "$MNT/by-label/good" "$MNT/branches/aa000011" "$MNT"/path/*)
	for link in "${links[@]}"; do
		mapfile -t content <"$link/content"
		target=$(readlink "$link")
		for at in "${!content[@]}"; do wanted+=("$MNT/by-id/${target##*/}/content:$((at + 1)):${content[at]}"); done
	done
	printf '%s\n' "${wanted[@]}" >"$DIR/wanted"
	helper grep '' "${links[@]}" | cmp "$DIR/wanted"
	# By their numbers.
	for at in "${!links[@]}"; do
		link=${links[at]##*/}
		[[ ${links[at]} != */path/* ]] || links[at]=$MNT/path/${link%%-*}
	done
	helper grep '' "${links[@]}" | cmp "$DIR/wanted"
}

# bats test_tags=full
@test "in a subtree" {
	mount_fixture pi-v3-branches.jsonl
	local below=tree/aa000001/aa000003/aa000004/aa000005
	[ -d "$MNT/$below" ]
	(cd "$MNT/$below" && find . -name content) | sed -e 's,/content$,,' -e 's,.*/,,' -e 's,^\.$,aa000005,' | sort >"$DIR/below"
	is "$(cat "$DIR/below")" bash -c "'$SESSFS' grep '' '$MNT/$below' | sed 's,.*/by-id/\([^/]*\)/content:.*,\1,' | sort -u"
	is "$(cat "$DIR/below")" bash -c "cd '$MNT/$below' && '$SESSFS' grep '' . | sed 's,.*/by-id/\([^/]*\)/content:.*,\1,' | sort -u"
}

# bats test_tags=full
@test "in a subtree of a large session, in which two branches take turns" {
	{
		head -n 1 "$FIXTURES/pi-v3-branches.jsonl"
		awk 'BEGIN {
			for (i = 0; i < 400; i++) pad = pad "padding "
			for (i = 1; i <= 1000; i++)
				printf "{\"type\":\"message\",\"id\":\"e%04d\",\"parentId\":%s,\"message\":{\"role\":\"user\",\"content\":\"%s\"}}\n", \
					i, (i > 2 ? sprintf("\"e%04d\"", i - 2) : "null"), pad
		}'
	} >"$DIR/large.jsonl"
	export MNT
	awk 'BEGIN { for (i = 501; i <= 1000; i += 2) printf "%s/by-id/e%04d/content\n", ENVIRON["MNT"], i }' >"$DIR/below"
	start "$SESSFS" "$DIR/large.jsonl" "$MNT"
	awk 'BEGIN { printf "%s/tree", ENVIRON["MNT"]; for (i = 1; i <= 501; i += 2) printf "/e%04d", i }' >"$DIR/at"
	is "$(cat "$DIR/below")" bash -c "'$SESSFS' grep padding \"\$(cat '$DIR/at')\" | sed 's,:.*,,'"
}

# bats test_tags=full
@test "what is printed can be opened from where it was searched" {
	mount_fixture pi-v3-branches.jsonl
	cd "$DIR"
	finds "mnt/by-id/aa000004/content:1:list the files" 'list the' mnt
	finds "mnt/by-id/aa000004/content:1:list the files" 'list the' mnt/by-id/aa000004
	finds "./mnt/by-id/aa000004/content:1:list the files" 'list the' ./mnt/by-id/aa000004
	finds mnt -l 'list the' mnt
	cd mnt
	finds "by-id/aa000004/content:1:list the files" 'list the' by-id
	finds "by-id/aa000004/content:1:list the files" 'list the' tree/aa000001/
	finds "./by-id/aa000004/content:1:list the files" 'list the' .
	finds . -l 'list the' by-id
	cd by-id/aa000004
	finds "$MNT/by-id/aa000004/content:1:list the files" 'list the' content
	finds "../../by-id/aa000004/content:1:list the files" 'list the' ../..
}

# bats test_tags=full
@test "in folders of a mount, as in the files" {
	mkdir -p "$DIR/all/b/s" "$DIR/all/-x y" "$MNT"
	local SESSION
	for SESSION in "$DIR/all"/{one,b/two,b/s,b/s/sub,"-x y/three"}.jsonl; do write_small; done
	start "$SESSFS" "$DIR/all" "$MNT"
	cd "$DIR"
	(cd mnt && grep -rn sword --include=content . | grep /by-id/ | sed 's,^\./,,' | LC_ALL=C sort) >all.out
	has_lines 5 all.out
	is "$(sed 's,^,mnt/,' all.out)" bash -c "'$SESSFS' grep sword mnt | LC_ALL=C sort"
	is "$(sed 's,^,all/,' all.out)" bash -c "'$SESSFS' grep sword all/ | LC_ALL=C sort"
	is "$(sed -n 's,^b/,mnt/b/,p' all.out)" bash -c "'$SESSFS' grep sword mnt/b/ | LC_ALL=C sort"
	cd mnt/b
	finds "s/by-id/aa000004/content:1:A sword?" sword s
	finds "s%2F/sub/by-id/aa000004/content:1:A sword?" sword s%2F
	cd ..
	finds "-x y/three/by-id/aa000004/content:1:A sword?" sword -- "-x y"
	cd "$DIR/all"
	finds "-x y/three/by-id/aa000004/content:1:A sword?" sword -- "-x y/three.jsonl"
	is "$(printf '%s\n' "./-x y/three.jsonl" ./b/s.jsonl ./b/s/sub.jsonl ./b/two.jsonl ./one.jsonl)" \
		bash -c "'$SESSFS' grep -l sword . | LC_ALL=C sort"
	is "$(printf '%s\n' "./-x y/three" ./b/s ./b/s%2F/sub ./b/two ./one)" \
		bash -c "cd ../mnt && '$SESSFS' grep -l sword . | LC_ALL=C sort"
}

# bats test_tags=full
@test "what is printed for a file can be given again" {
	mkdir -p "$DIR/all/s"
	SESSION=$DIR/all/s.jsonl write_small
	SESSION=$DIR/all/s/sub.jsonl write_small
	SESSION="$DIR/all/s/a%2Fb c.jsonl" write_small
	cd "$DIR"
	helper grep sword all >all.out
	has_lines 3 all.out
	local hit
	while IFS= read -r hit; do
		finds "$hit" sword "${hit%%/content:*}"
		# A folder of the same name comes first.
		[ -d "${hit%%/by-id/*}" ] || finds "$hit" sword "${hit%%/by-id/*}"
	done <all.out
	SESSION=$DIR/other write_small
	finds "other/by-id/aa000004/content:1:A sword?" sword other
	finds "other/by-id/aa000004/content:1:A sword?" sword other/by-id/aa000004
}

@test "several at once" {
	write_small
	cp "$SESSION" "$DIR/second.jsonl"
	cd "$DIR"
	finds "\
session/by-id/aa000004/content:1:A sword?
second/by-id/aa000004/content:1:A sword?" sword session.jsonl second.jsonl
	finds "\
session/by-id/aa000001/content-1-Count the words.
session/by-id/aa000001/content:2:One WORD a line.
--
second/by-id/aa000001/content-1-Count the words.
second/by-id/aa000001/content:2:One WORD a line." -C1 WORD session.jsonl second.jsonl
	finds "\
session.jsonl
second.jsonl" -l sword session.jsonl second.jsonl
}

is_found_below() {
	local mnt=mounts/$1
	mkdir -p "./$1" "$mnt"
	SESSION=./$1/s.jsonl write_small
	finds "$1/s/by-id/aa000004/content:1:A sword?" sword -- "$1"
	finds "$1/s/by-id/aa000004/content:1:A sword?" sword -- "$1/s.jsonl"
	start "$SESSFS" "./$1/s.jsonl" "$mnt"
	finds "$mnt/by-id/aa000004/content:1:A sword?" sword -- "$mnt"
	finds "$mnt/by-id/aa000004/content:1:A sword?" sword -- "$mnt/by-id/aa000004"
	is "$mnt/by-id/aa000004" helper grep --open sword -- "$mnt"
	fusermount3 -u "$mnt"
	start "$SESSFS" "./$1" "$mnt"
	finds "$mnt/s/by-id/aa000004/content:1:A sword?" sword -- "$mnt"
	is "$mnt/s/by-id/aa000004" helper grep --open sword -- "$mnt"
	fusermount3 -u "$mnt"
	# Only the file's own name is in the path of its mount.
	local at
	at=$(helper grep --open sword -- "$1")
	is "A sword?" cat "$at/content"
	fusermount3 -u "${at%/by-id/*}"
}

# bats test_tags=full
@test "folders may have any name" {
	local here=names
	mkdir "$DIR/$here"
	cd "$DIR/$here"
	is_found_below " a  b "
	is_found_below "-i"
	is_found_below "--"
	is_found_below "it's \"\$HOME\` * [x] \\n"
	is_found_below $'a\nb'
	is_found_below $'a\tb\e'
	is_found_below $'\xff\xc3'
	is_found_below "by-id/content:1:"
	cd "$DIR"
	is 8 bash -c "'$SESSFS' grep -F sword '$here' | grep -ac '/by-id/aa000004/content:1:A sword?$'"
}

@test "a session is read as in its mount" {
	printf '%s\n' '{"word":1}' >"$SESSION"
	mount_session -o dialect=lines
	helper grep word "$MNT" >"$DIR/out"
	is 1 grep -c . "$DIR/out"
	cd "$DIR"
	run -2 helper grep word session.jsonl
}

@test "a file that grows or is replaced under its mount" {
	write_small
	mount_session
	finds_nothing news "$MNT"
	append_user aa000006 aa000005 "the news"
	finds "$MNT/by-id/aa000006/content:1:the news" news "$MNT"
	rm "$SESSION"
	run -2 helper grep news "$MNT"
}

# -- all sessions

# bats test_tags=full
@test "all sessions of all agents" {
	write_agents
	finds "\
$HOME/.claude/projects/-work-demo/$SESSION_ID/by-id/$(uuid 1)/content:1:the word of Claude
$HOME/.omp/agent/sessions/--work-demo--/2026-03-01T10-00-00-000Z_b/by-id/bb000001/content:1:the word of omp
$HOME/.pi/agent/sessions/--work-demo--/2026-03-01T10-00-00-000Z_a/by-id/aa000001/content:1:the word of Pi" 'the word'
	finds "$HOME/.claude/projects/-work-demo/$SESSION_ID/by-id/$(uuid 2)/content:1:another word" another
	finds "$OMP/2026-03-01T10-00-00-000Z_b.jsonl" -l --agent omp word
	finds "$PI/2026-03-01T10-00-00-000Z_a/by-id/aa000001/content:1:the word of Pi" --agent=pi word
	finds "$CLAUDE/$SESSION_ID.jsonl" -l --agent claude word
	finds_nothing --agent pi Claude
	finds_nothing nothing
	# Of given folders, too.
	finds "$CLAUDE/$SESSION_ID.jsonl" -l --agent claude word "$HOME"/.claude "$HOME/.pi"
	finds "$PI/2026-03-01T10-00-00-000Z_a.jsonl" -l --agent pi word "$HOME"/.claude "$HOME/.pi"
	start "$SESSFS" "$HOME" "$MNT"
	helper grep 'the word' "$MNT" >"$DIR/out"
	is 3 grep -c . "$DIR/out"
}

@test "without an agent there is nothing to search" {
	fails_in_a_line "there are no sessions of Pi, oh-my-pi, Claude Code, Codex or Qwen Code" 2 helper grep word
	mkdir -p "$PI"
	finds_nothing word
	fails_in_a_line "there are no sessions of omp" 2 helper grep --agent omp word
}

# -- where and when

# bats test_tags=full
@test "--here searches the sessions of this directory and below, of all agents" {
	write_agents
	mkdir -p "$DIR/work/below" "$DIR/workshop"
	sed -i "s,/work/demo,$DIR/work," "$PI"/*.jsonl
	sed -i "s,/work/demo,$DIR/work/below," "$CLAUDE"/*.jsonl
	sed -i "s,/work/demo,$DIR/workshop," "$OMP"/*.jsonl
	cd "$DIR/work"
	is "\
$CLAUDE/$SESSION_ID.jsonl
$PI/2026-03-01T10-00-00-000Z_a.jsonl" helper grep --here -l word
	is "$CLAUDE/$SESSION_ID.jsonl" helper grep --here -l --agent claude word
	cd below
	is "$CLAUDE/$SESSION_ID.jsonl" helper grep --here -l word
	finds_nothing --here 'of Pi'
	is "$CLAUDE/$SESSION_ID.jsonl" helper grep --here -l word "$CLAUDE" "$PI"
	# What "." is to sessfs open.
	fails_in_a_line ".: no sessions in this folder (--here searches those of a directory)" 2 helper grep word .
}

@test "--since and --until choose entries by their time" {
	write_small
	cd "$DIR"
	export TZ=UTC
	sed -i '/aa000003/s/2026-03-01T/2026-03-03T/; /aa000005/s/"2026-03-01T[^"]*"/"'"$(date -u -d '-2 hours' +%FT%T.000Z)"'"/' session.jsonl
	finds "session/by-id/aa000005/content:2:words" --since 3h word session.jsonl
	finds_nothing --since 60m word session.jsonl
	finds "\
session/by-id/aa000003/content:1:3 words
session/by-id/aa000005/content:2:words" --since 2026-03-02 word session.jsonl
	finds "session/by-id/aa000003/content:1:3 words" --since 2026-03-02 --until 2026-03-03 word session.jsonl
	finds_nothing --since '2026-03-01 11:00' --until 2026-03-03T09:00 word session.jsonl
	# When its file was written says nothing.
	touch -d '2026-03-01' session.jsonl
	finds "session/by-id/aa000005/content:2:words" --since 3h word session.jsonl
}

@test "the newest session comes first, whatever its agent, unless --sort path" {
	write_agents
	# By their entries: the files are in another order.
	sed -i 's/2026-03-01T/2026-03-03T/g' "$OMP"/*.jsonl
	sed -i 's/2026-03-01T/2026-03-02T/g' "$PI"/*.jsonl
	touch -d '2026-03-04' "$CLAUDE"/*.jsonl
	local pi=$PI/2026-03-01T10-00-00-000Z_a.jsonl omp=$OMP/2026-03-01T10-00-00-000Z_b.jsonl
	finds "$omp
$pi
$CLAUDE/$SESSION_ID.jsonl" -l 'the word'
	finds "$pi
$omp
$CLAUDE/$SESSION_ID.jsonl" -l --sort path 'the word'
	cp "$omp" "$PI/z.jsonl"
	finds "$PI/z.jsonl
$pi" -l 'the word' "$PI"
	finds "$pi
$PI/z.jsonl" -l --sort=path 'the word' "$PI"
}

# -- what people mean

# Rules: K4
# bats test_tags=full
@test "--said leaves out what nobody said; on a terminal that is counted" {
	write_session "$(message aa000001 "" '{"role":"system","content":"the skill of words\na skill"}')" \
		"$(user aa000002 aa000001 'use the skill')"
	cd "$DIR"
	local all="\
session/by-id/aa000001/content:1:the skill of words
session/by-id/aa000001/content:2:a skill
session/by-id/aa000002/content:1:use the skill"
	finds "$all" skill session.jsonl
	finds "$all" --said --all skill session.jsonl
	finds "session/by-id/aa000002/content:1:use the skill" --said skill session.jsonl
	finds session.jsonl --said -l skill session.jsonl
	finds_nothing --said words session.jsonl
	NO_COLOR=1 on_terminal -- "$SESSFS" grep skill session.jsonl
	tr -d '\r' <screen >plain
	is "" grep 'skill of words' plain || [ $? -eq 1 ]
	is "2 more in system texts: --all" tail -n 1 plain
	NO_COLOR=1 on_terminal -- "$SESSFS" grep --all skill session.jsonl
	grep -q 'skill of words' screen
	not grep -q 'more in' screen
	run -1 on_terminal -- "$SESSFS" grep words session.jsonl
	grep -q '^1 more in system texts: --all' screen
	fails_in_a_line "nothing found, but 1 in system texts: --all" 1 helper grep --open words session.jsonl
}

@test "--plain finds a phrase that has colors in it" {
	write_session "$(user aa000001 "" 'first\nthe \u001b[1;31mred\u001b[0m word\u001b[K\nlast')"
	cd "$DIR"
	finds_nothing 'the red word' session.jsonl
	finds "session/by-id/aa000001/content:2:the red word" --plain 'the red word$' session.jsonl
}

# -- terminals

# bats test_tags=full
@test "on a terminal hits are below their session and entry, in colors" {
	write_small
	cd "$DIR"
	on_terminal -- "$SESSFS" grep word session.jsonl
	grep -q session screen
	grep -q aa000004 screen
	LC_ALL=C grep -q $'\e\\[[0-9;]*m' screen
	LC_ALL=C sed -e $'s/\e\\[[0-9;]*[mK]//g' -e 's/\r//g' screen >plain
	grep -q '^1:A sword?$' plain
	grep -q 'user' plain
	not grep -q 'by-id/aa000004/content:1:' plain
	NO_COLOR=1 on_terminal -- "$SESSFS" grep word session.jsonl
	is "$(cat plain)" tr -d '\r' <screen
	TERMINAL=dumb on_terminal -- "$SESSFS" grep word session.jsonl
	is "$(cat plain)" tr -d '\r' <screen
	run -1 on_terminal -- "$SESSFS" grep nothing session.jsonl
	run -2 on_terminal -- "$SESSFS" grep word nothing
	# Nothing of this in a pipe.
	finds "session/by-id/aa000004/content:1:A sword?" sword session.jsonl
}

@test "headings have a session's name once, and each entry's time, role and branch" {
	cp "$FIXTURES/pi-v3-branches.jsonl" "$SESSION"
	cd "$DIR"
	local entries="\
by-id/aa000008  2026-03-01 10:00  assistant  HEAD
1:Done with approach A.

by-id/aa000009  2026-03-01 10:00  label  HEAD
2-  \"targetId\": \"aa000008\",
3:  \"label\": \"first\"
4-}

by-id/aa000010  2026-03-01 10:00  user  branches/aa000011
1:try approach B"
	export TZ=UTC
	local title='pi /work/demo 2026-03-01 "Demo session"'
	is "session  $title
$entries" helper grep --heading -C1 -e 'Done' -e first -e 'try approach' session.jsonl
	# Of an agent's folder, without the path; below the home directory it is short.
	mkdir -p "$PI"
	sed "s,/work/demo,$HOME/demo," session.jsonl >"$PI/s.jsonl"
	is "pi ~/demo 2026-03-01 \"Demo session\"
${entries//by-id/s\/by-id}" helper grep --heading -C1 -e 'Done' -e first -e 'try approach'
	# Several PATHs.
	is "session  $title
by-id/aa000008  2026-03-01 10:00  assistant  HEAD
1:Done with approach A.

session  $title
by-id/aa000008  2026-03-01 10:00  assistant  HEAD
1:Done with approach A." helper grep --heading Done session.jsonl session.jsonl
	# A session that has none of this.
	printf '%s\n' '{"x":1}' >bare.jsonl
	start "$SESSFS" -o dialect=lines bare.jsonl mnt
	is "\
mnt  lines
by-id/1  line  HEAD
2:  \"x\": 1" helper grep --heading x mnt
}

# bats test_tags=full
@test "headings fit a terminal" {
	export TZ=UTC
	cd "$DIR"
	# Without a name, a session has what a person typed first.
	write_session "$(user aa000001 "" "Count the  words of $(printf 'x%.0s' {1..80})")"
	is "\
session  pi /work/demo 2026-03-01 \"Count the words of $(printf 'x%.0s' {1..24})…\"
by-id/aa000001  2026-03-01 10:00  user  HEAD" \
		bash -c "'$SESSFS' grep --heading words session.jsonl | head -n 2"
	local long
	long=$(printf 'y%.0s' {1..60})
	cp session.jsonl "$long.jsonl"
	is "$long  pi /work/demo 2026-03-01 \"Count the words of …\"" \
		bash -c "'$SESSFS' grep --heading words $long.jsonl | head -n 1"
	# Of a long path the last folders.
	sed "s,/work/demo,/work/$(printf 'z%.0s' {1..40})/a/project," session.jsonl >deep.jsonl
	is "deep  pi …/a/project 2026-03-01 \"Count the words" \
		bash -c "'$SESSFS' grep --heading words deep.jsonl | head -n 1 | cut -d ' ' -f 1-8"
	write_parallel
	helper grep --heading '' session.jsonl >out
	grep -q "^by-id/$(uuid 6)  .*  toolResult  HEAD$" out
	grep HEAD out | not grep -E '.{81}'
	grep -q "^by-id/$(uuid 5)  .*  toolResult  branches/$(uuid 5)$" out
}

# Undo headings.
flattened() {
	awk '
		$0 == "" || $0 == "--" { next }
		/^[0-9]+[:-]/ { print session "/" path "/content" ($0 ~ /^[0-9]+:/ ? ":" : "-") $0; next }
		{ sub(/  .*/, "") }
		/^by-id\// { path = $0; next }
		{ session = $0 }'
}

# bats test_tags=full
@test "a session has one heading, however large it is" {
	mkdir "$DIR/all"
	SESSION=$DIR/all/a.jsonl write_small
	{
		head -n 1 "$FIXTURES/pi-v3-branches.jsonl"
		awk 'BEGIN {
			for (i = 0; i < 1000; i++) pad = pad "padding "
			for (i = 1; i <= 1000; i++)
				printf "{\"type\":\"message\",\"id\":\"e%04d\",\"parentId\":%s,\"message\":{\"role\":\"user\",\"content\":\"a\\nword %d\\n%s\"}}\n", \
					i, (i > 1 ? sprintf("\"e%04d\"", i - 1) : "null"), i, pad
		}'
	} >"$DIR/all/b.jsonl"
	cp "$DIR/all/b.jsonl" "$DIR/all/c.jsonl"
	cp "$DIR/all/a.jsonl" "$DIR/all/d.jsonl"
	cd "$DIR"
	helper grep --sort path --heading word all >out
	is "all/a
all/b
all/c
all/d" sed -n 's/^\(all[^ ]*\)  pi .*/\1/p' out
	# An empty line before each group but the first.
	is "$(grep -c ^by-id/ out)" bash -c "{ echo; cat out; } | grep -c '^$'"
	helper grep -B1 word all | grep -v '^--$' >wanted
	[ "$(wc -l <wanted)" -gt 4000 ]
	helper grep --heading -B1 word all | flattened >got
	cmp wanted got
	# With and without a line from which nothing is found.
	helper grep '0$' all >wanted
	helper grep --heading '0$' all | flattened >got
	cmp wanted got
}

# bats test_tags=full
@test "control characters of entries do not reach the terminal" {
	write_session "$(user aa000001 "" 'a word \u001b[7mb\u0007 \u0000\u009b7mc \u001b]0;d')"
	cd "$DIR"
	on_terminal -- "$SESSFS" grep word session.jsonl
	grep -q "a word b c" screen
	not env LC_ALL=C grep -aP '\x1b\[7m|\x07|\xc2\x9b|\x1b\]0|\0' screen
	helper grep word session.jsonl | LC_ALL=C grep -qaP '\x1b\[7m'
}

# -- --open

opens_first() {
	local at
	at=$(helper grep --open 'word of Pi' "$@")
	[[ $at == "$XDG_RUNTIME_DIR"/sessfs/*/by-id/aa000001 ]]
	is "the word of Pi" cat "$at/content"
	is "$at" helper grep --open 'word of Pi' "$@"
	is "$at" helper grep -l --open -C 2 'word of Pi' "$@"
	fails_in_a_line "nothing found" 1 helper grep --open nothing "$@"
}

# bats test_tags=full
@test "names of sessions have no control characters on a terminal" {
	write_small
	mkdir "$DIR/all"
	mv "$SESSION" "$DIR/all/"$'\e[2Jn\n.jsonl'
	on_terminal -- "$SESSFS" grep -l words "$DIR/all"
	grep -qF '\u001b[2Jn\n.jsonl' "$DIR/screen"
	not grep -qF $'\e[2J' "$DIR/screen"
	is $'\e[2Jn\n.jsonl' sh -c "cd '$DIR/all' && '$SESSFS' grep -l words . | sed 's,^\./,,'"
}

# bats test_tags=full
@test "--open mounts the session of the first hit" {
	write_agents
	opens_first
	opens_first "$PI"/*.jsonl "$CLAUDE"
	opens_first "$PI/2026-03-01T10-00-00-000Z_a"
	opens_first "$PI/2026-03-01T10-00-00-000Z_a/by-id/aa000001"
	run -2 helper grep --open nothing "$DIR/nothing"
	run -2 helper grep --open '(' "$PI"
	local at
	at=$(helper grep --open another)
	is "another word" cat "$at/content"
	at=$(helper grep --open --agent omp word)
	is "the word of omp" cat "$at/content"
}

# An fzf that keeps its input and chooses the first line.
fake_fzf() {
	mkdir -p "$DIR/bin"
	printf '#!/bin/sh\ncat >"%s/input"\nhead -n 1 "%s/input"\n' "$DIR" "$DIR" >"$DIR/bin/fzf"
	chmod +x "$DIR/bin/fzf"
}

# offers TEXT SEARCH...: what one can choose from.
offers() {
	local lines i
	mapfile -t lines <"$DIR/input"
	for i in "${!lines[@]}"; do
		lines[i]=${lines[i]#*$'\t'}
		lines[i]=${lines[i]%%$'\t'*}
		[[ ! ${lines[i]} =~ ^[-0-9]*\ (.*) ]] || lines[i]=${BASH_REMATCH[1]}
	done
	is "$1" printf '%s\n' "${lines[@]}"
}

# bats test_tags=full
@test "the newest hit comes first, whatever the order of files and entries" {
	mkdir "$DIR/all"
	SESSION=$DIR/all/a.jsonl write_session "$(user aa000003 "" 'word 3')" "$(user aa000001 "" 'word 2')"
	SESSION=$DIR/all/n.jsonl write_session "$(user aa000004 "" 'word without a time')" "$(user aa000005 "" 'second word without a time')"
	SESSION=$DIR/all/z.jsonl write_session "$(user aa000002 "" 'word 1')"
	sed -i 's/,"timestamp":"[^"]*"//; s/"timestamp":"[^"]*",//' "$DIR/all/n.jsonl"
	sed -i 's/10:00:01/10:00:07/' "$DIR/all/z.jsonl"
	sed -i '/word 3/s/10:00:0./10:00:09/; /word 2/s/10:00:0./10:00:08/' "$DIR/all/a.jsonl"
	fake_fzf
	local at
	cd "$DIR"
	at=$(helper grep --open word all)
	is "word 3" cat "$at/content"
	at=$(helper grep --open 'word [12]' all/z.jsonl all/a.jsonl)
	is "word 2" cat "$at/content"
	at=$(helper grep --open word all/n.jsonl all/z.jsonl)
	is "word 1" cat "$at/content"
	at=$(helper grep --open word all/n.jsonl)
	is "word without a time" cat "$at/content"
	PATH=$DIR/bin:$PATH PAGER=cat TZ=UTC on_terminal -- "$SESSFS" grep --open word all
	offers "10:00  pi demo           user        word 3
10:00  pi demo           user        word 2
10:00  pi demo           user        word 1
                 pi demo           user        word without a time
                 pi demo           user        second word without a time"
	grep -q '^word 3' screen
}

offers_once() {
	local at
	PATH=$DIR/bin:$PATH PAGER=cat TZ=UTC on_terminal -- "$SESSFS" grep --open word "$CLAUDE"
	offers "$1"
	at=$(helper grep --open 'word of Claude' "$CLAUDE")
	is "file: $CLAUDE/$SESSION_ID.jsonl" grep ^file: "${at%/by-id/*}/info"
}

# bats test_tags=full
@test "a hit in a copy of a branch is not offered beside the original" {
	write_agents
	fake_fzf
	local id copy
	# One of the paths comes before that of the copy.
	for id in 00000000-0000-4000-8000-000000000001 ffffffff-0000-4000-8000-000000000001; do
		mv "$CLAUDE/$SESSION_ID.jsonl" "$DIR/was"
		sed "s/$SESSION_ID/$id/" "$DIR/was" >"$CLAUDE/$id.jsonl"
		SESSION_ID=$id
		copy=$(helper grep --open another "$CLAUDE")/branch.jsonl
		cp "$copy" "$CLAUDE/$(sed -n '$s/.*"sessionId":"\([^"]*\)".*/\1/p' "$copy").jsonl"
		helper grep another "$CLAUDE" >"$DIR/out"
		has_lines 2 "$DIR/out"
		offers_once "10:00  claude demo       assistant   another word
10:00  claude demo       user        the word of Claude"
		# What the copy has for itself, and of what only it is searched.
		copy=$(find "$CLAUDE" -name '*.jsonl' ! -name "$id.jsonl")
		claude_user 3 2 'a newer word' | sed "s/$SESSION_ID/$(basename "$copy" .jsonl)/" >>"$copy"
		offers_once "10:00  claude demo       user        a newer word
10:00  claude demo       assistant   another word
10:00  claude demo       user        the word of Claude"
		mv "$copy" "$CLAUDE/$SESSION_ID.jsonl"
		mv "$CLAUDE/$SESSION_ID.jsonl" "$DIR/copy"
		cp "$DIR/was" "$CLAUDE/$SESSION_ID.jsonl"
	done
	# The copy alone, and without the original.
	rm "$CLAUDE/$SESSION_ID.jsonl"
	mv "$DIR/copy" "$CLAUDE/$SESSION_ID.jsonl"
	PATH=$DIR/bin:$PATH PAGER=cat on_terminal -- "$SESSFS" grep --open word "$CLAUDE"
	has_lines 3 "$DIR/input"
}

@test "--open of a mount stays in it" {
	write_small
	mount_session
	cd "$DIR"
	is mnt/by-id/aa000004 helper grep --open sword mnt
	cd mnt
	is by-id/aa000004 helper grep --open sword HEAD/..
	is ./by-id/aa000004 helper grep --open sword .
	is ../mnt/by-id/aa000004 helper grep --open sword ../mnt/by-id/aa000004
	[ ! -e "$XDG_RUNTIME_DIR/sessfs" ]
}

# bats test_tags=full
@test "on a terminal --open shows the content from the hit's line on" {
	needs less
	write_small
	cd "$DIR"
	printf '#!/bin/sh\nprintf "<%%s>" "$@"\n' >less
	chmod +x less
	# fzf, if it is installed, does not ask when there is one hit.
	export PATH=$DIR:$PATH
	PAGER=less on_terminal -- "$SESSFS" grep --open there session.jsonl
	grep -q '/by-id/aa000005' screen
	grep -q '<+5></.*/by-id/aa000005/content>' screen
	PAGER="less -R" on_terminal -- "$SESSFS" grep --open there session.jsonl
	grep -q '<-R><+5></.*/by-id/aa000005/content>' screen
	PAGER="cat" on_terminal -- "$SESSFS" grep --open there session.jsonl
	grep -q '^nor' screen
	PAGER='' on_terminal -- "$SESSFS" grep --open there session.jsonl
	grep -q '^nor' screen
}

# bats test_tags=full
@test "with fzf --open lets choose" {
	needs fzf
	write_small
	cd "$DIR"
	export PAGER=cat
	on_terminal "> Count the words" "A sword" "1/4" $'\r' -- "$SESSFS" grep --open word session.jsonl
	grep -q '/by-id/aa000004' screen
	grep -q '^A sword?' screen
	run -130 on_terminal "3 words" $'\e' -- "$SESSFS" grep --open word session.jsonl
	run -1 on_terminal -- "$SESSFS" grep --open nothing session.jsonl
	grep -q 'sessfs: grep: nothing found' screen
	run -2 on_terminal -- "$SESSFS" grep --open '(' session.jsonl
}

# bats test_tags=full
@test "what is offered shows time, role and text, however long and odd the path is" {
	needs fzf
	local folder at
	folder=$DIR/$(printf '%0150d' 0)
	folder+=$'/a\ttab  and\nmore/by-id'
	mkdir -p "$folder"
	SESSION=$folder/session.jsonl
	write_small
	cd "$DIR"
	export PAGER=cat TZ=UTC
	at="2026-03-01 10:00  "
	on_terminal "> Count the words" "A sword?" "1/4" $'\r' -- "$SESSFS" grep --open word "$folder"
	grep -q '/by-id/aa000004' screen
	grep -q '^A sword?' screen
	# What is typed is looked for in the text, not in the path.
	on_terminal "${at}pi demo           user        Count the words" 0000000000 "0/4" $'\x15Count' "1/4" $'\r' -- \
		"$SESSFS" grep --open word 000*
	grep -q '/by-id/aa000001' screen
}

# bats test_tags=full
@test "by-project/ and by-day/ of a mount of all agents are folders of sessions" {
	write_agents
	start "$SESSFS" --all "$MNT"
	local at
	for at in by-project by-project/demo by-day/2026-03-01; do
		helper grep -l word "$MNT/$at" >"$DIR/out"
		has_lines "$(helper grep -l word | wc -l)" "$DIR/out"
		grep -q "^$MNT/$at/" "$DIR/out"
		helper list "$MNT/$at" >"$DIR/out"
		has_lines "$(helper list | wc -l)" "$DIR/out"
	done
	cd "$MNT/by-project/demo"
	helper grep -q word .
}

# -- --resume

# resumes WORD AGENT ARGUMENT...: the printed command, given to a shell, starts the
# agent with these arguments, which may be patterns, in /work/demo's place.
resumes() {
	local agent=$1 line
	printf '#!/bin/sh\n{ pwd; printf "%%s\\n" "${0##*/}" "$@"; } >"%s/called"\n' "$DIR" >"$DIR/bin/$agent"
	[ -x "$DIR/bin/$agent" ] || chmod +x "$DIR/bin/$agent"
	has_lines 1 "$DIR/command"
	whole line "$DIR/command"
	# A shell that evaluates it stays where it was.
	is / env -C / PATH="$DIR/bin:$PATH" sh -c "${line%$'\n'} && pwd"
	is "$WORK
$(printf '%s\n' "$@")" cat "$DIR/called"
	: >"$DIR/called"
}

# work_in DIR FILE...: replace the sessions' working directory by one that exists, $WORK.
work_in() {
	local json file text
	WORK=$1
	mkdir -p "$1"
	json=${1//\\/\\\\} json=${json//\"/\\\"} json=${json//$'\n'/\\n} json=${json//$'\e'/\\u001b}
	for file in "${@:2}"; do
		whole text "$file"
		printf %s "${text/'"cwd":"/work/demo"'/"\"cwd\":\"$json\""}" >"$file"
	done
}

# bats test_tags=full
@test "--resume prints the command by which the agent continues there" {
	needs python3
	mkdir "$DIR/bin"
	write_agents
	work_in "$DIR/work" "$PI"/*.jsonl "$OMP"/*.jsonl "$CLAUDE"/*.jsonl
	helper grep --resume 'of Pi' >"$DIR/command"
	is "(cd $WORK && pi --session $PI/2026-03-01T10-00-00-000Z_a.jsonl)" cat "$DIR/command"
	resumes pi --session "$PI/2026-03-01T10-00-00-000Z_a.jsonl"
	helper grep --resume 'of omp' >"$DIR/command"
	resumes omp --resume "$OMP/2026-03-01T10-00-00-000Z_b.jsonl"
	helper grep --resume another >"$DIR/command"
	resumes claude --resume "$SESSION_ID"
	helper grep --resume 'of Claude' >"$DIR/command"
	resumes claude --resume "$SESSION_ID"
	# A subagent's.
	mkdir -p "$CLAUDE/$SESSION_ID/subagents"
	sed 's/of Claude/by a subagent/' "$CLAUDE/$SESSION_ID.jsonl" >"$CLAUDE/$SESSION_ID/subagents/agent-1.jsonl"
	helper grep --resume 'by a subagent' >"$DIR/command"
	branch=$(helper grep --open 'by a subagent')/branch.jsonl
	resumes claude --resume "$branch" --fork-session
	rm -r "${CLAUDE:?}/$SESSION_ID"
	fails_in_a_line "nothing found" 1 helper grep --resume nothing
}

# bats test_tags=full
@test "--resume moves HEAD to the hit" {
	needs python3
	mkdir "$DIR/bin"
	write_small
	work_in "$DIR/work" "$SESSION"
	cd "$DIR"
	helper grep --resume '3 words' session.jsonl >"$DIR/command"
	resumes pi --session "$SESSION"
	mount_session
	head_is by-id/aa000003
	# In the given mount.
	helper grep --resume sword mnt >"$DIR/command"
	is 1 grep -c -- " $MNT/HEAD && " "$DIR/command"
	resumes pi --session "$SESSION"
	head_is by-id/aa000004
	unmount
	daemon_is_gone
	# One that can't be written to is no use.
	mount_session -o ro
	helper grep --resume '3 words' mnt >"$DIR/command"
	resumes pi --session "$SESSION"
	head_is by-id/aa000003
}

# bats test_tags=full
@test "--resume quotes what needs it" {
	needs python3
	local name at
	mkdir "$DIR/bin"
	for name in "a b" "it's" "\$HOME \`x\`;&" $'new\nline\n' $'\e[2J%d\\' "~"; do
		mkdir -p "$DIR/all/$name"
		SESSION=$DIR/all/$name/s.jsonl write_session "$(user "it's *" "" "the word")" "$(user aa000002 "it's *" last)"
		work_in "$DIR/work/$name" "$DIR/all/$name/s.jsonl"
		helper grep --resume word "$DIR/all/$name" >"$DIR/command"
		not env LC_ALL=C grep '[[:cntrl:]]' "$DIR/command"
		printf '%s\n' "$WORK" "pi" --session "$DIR/all/$name/s.jsonl" >"$DIR/wanted"
		printf '#!/bin/sh\n{ pwd; printf "%%s\\n" pi "$@"; } >"%s/called"\n' "$DIR" >"$DIR/bin/pi"
		chmod +x "$DIR/bin/pi"
		(cd / && PATH=$DIR/bin:$PATH sh "$DIR/command")
		diff "$DIR/wanted" "$DIR/called"
		tail -n 1 "$DIR/all/$name/s.jsonl" | grep -qF "\"it's *\""
		at=$(helper grep --open word "$DIR/all/$name")
		fusermount3 -u "${at%/by-id/*}"
	done
}

@test "--resume without a working directory that exists starts where you are" {
	write_agents
	helper grep --resume 'of Pi' >"$DIR/command"
	is "pi --session $(echo "$PI"/*.jsonl)" cat "$DIR/command"
}

@test "--resume says if no agent continues a session" {
	cp "$FIXTURES/go-tree.jsonl" "$SESSION"
	fails_in_a_line "no agent is known that continues a session of format go-tree" 2 helper grep --resume '' "$SESSION"
}

# -- as an ordinary user

# bats test_tags=root,full
@test "an ordinary user searches, opens and resumes" {
	needs_root
	local id
	id=$(id -u nobody)
	write_agents
	work_in "$DIR/work" "$PI"/*.jsonl
	chown -R "$id:$(id -g nobody)" "$DIR"
	chmod -R go= "$HOME"
	as_user() { setpriv --reuid="$id" --regid="$(id -g nobody)" --clear-groups "$@"; }
	as_user "$SESSFS" grep 'the word' >"$DIR/out"
	is 3 grep -c . "$DIR/out"
	local at
	at=$(as_user "$SESSFS" grep --open 'of Pi')
	is "the word of Pi" as_user cat "$at/content"
	is "$at" as_user "$SESSFS" grep --open 'of Pi' "${at%/by-id/*}/tree"
	as_user "$SESSFS" grep --resume 'of Pi' >"$DIR/command"
	grep -q "^(cd $DIR/work && pi --session $PI/.*)$" "$DIR/command"
	chown 0:0 "$PI"/*.jsonl
	chmod 600 "$PI"/*.jsonl
	run --separate-stderr -2 as_user "$SESSFS" grep 'the word'
	[ "${#lines[@]}" -eq 2 ]
	is "sessfs: $(echo "$PI"/*.jsonl): Permission denied" echo "$stderr"
	run -2 as_user "$SESSFS" grep 'the word' "$PI"/*.jsonl
	[[ $output == *"Permission denied"* ]]
	# Not readable through the mount of another user either.
	run -2 as_user "$SESSFS" grep 'the word' "$at"
}

# bats test_tags=root,full
@test "--resume has a session that can't be written forked" {
	needs_root
	local id at
	id=$(id -u nobody)
	write_agents
	chown -R "$id:$(id -g nobody)" "$DIR"
	as_user() { setpriv --reuid="$id" --regid="$(id -g nobody)" --clear-groups "$@"; }
	chown 0:0 "$PI"/*.jsonl
	at=$(echo "$PI"/*.jsonl)
	is "pi --fork $at" as_user "$SESSFS" grep --resume 'of Pi'
	chmod a-w "$CLAUDE"/*.jsonl
	is "claude --resume $CLAUDE/$SESSION_ID.jsonl --fork-session" \
		as_user "$SESSFS" grep --resume another
}
