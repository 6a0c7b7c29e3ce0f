# bats file_tags=shell
# sessfs-grep, and sessfs --grep, which it runs.
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
	RAW=$DIR/screen python3 "$ROOT/tests/lib/terminal.py" "$@"
}

# finds LINES ARGUMENT...: the search prints these lines.
finds() {
	is "$1" helper grep "${@:2}"
}

# finds_nothing ARGUMENT...
finds_nothing() {
	run --separate-stderr -1 helper grep "$@"
	[ -z "$output$stderr" ]
}

# A session of Pi with an entry for each kind of message.
write_small() {
	write_session "$(user aa000001 "" 'Count the words.\nOne WORD a line.')" \
		"$(message aa000002 aa000001 '{"role":"assistant","content":[{"type":"text","text":"Running."},{"type":"toolCall","id":"t1","name":"bash","arguments":{"command":"wc -w\nls"}}],"model":"m"}')" \
		"$(message aa000003 aa000002 '{"role":"toolResult","toolCallId":"t1","toolName":"bash","content":[{"type":"text","text":"3 words"}]}')" \
		"$(message aa000004 aa000001 '{"role":"assistant","content":[{"type":"text","text":"A sword?"}],"model":"m"}')" \
		"$(user aa000005 aa000004 'no\nwords\nhere\nnor\nthere')"
}

# A session for each agent, in its folder. The mtimes, and the times in the names,
# go up.
write_agents() {
	mkdir -p "$PI" "$OMP" "$CLAUDE"
	SESSION=$PI/2026-03-01T10-00-00-000Z_a.jsonl write_session "$(user aa000001 "" 'the word of Pi')"
	SESSION=$OMP/2026-03-01T10-00-00-000Z_b.jsonl write_omp "$(user bb000001 "" 'the word of omp')"
	SESSION=$CLAUDE/$SESSION_ID.jsonl write_lines "$(claude_user 1 "" 'the word of Claude')" "$(claude_answer 2 1 'another word')"
}

# -- usage

is_used() {
	helper grep -h >"$DIR/out"
	grep -q "^usage: sessfs-grep " "$DIR/out"
	is "$(cat "$DIR/out")" helper grep --help
	local arguments
	for arguments in "" -i "-Z x" "--nothing x" "--role" "-e" "-A" "-iA" "--open --resume x" "--ignore-case=x x" "--open=x x"; do
		# shellcheck disable=SC2086 # words
		run --separate-stderr -2 helper grep $arguments
		[[ -z $output && $stderr == "usage: sessfs-grep "* ]]
	done
	for arguments in -c -ic --count --count=3; do
		run --separate-stderr -2 helper grep "$arguments" word
		[[ $stderr == "usage: "*"sessfs-grep: no option -"*c* ]]
	done
	fails_in_a_line "x: not a number of lines" 2 helper grep -A x word
	fails_in_a_line "other: no such agent; there are pi, omp, claude and codex" 2 helper grep --agent other word
	fails_in_a_line "No such file or directory" 2 helper grep word "$DIR/nothing"
	fails_in_a_line "$DIR/nothing/by-id/aa000001" 2 helper grep word "$DIR/nothing/by-id/aa000001"
	write_small
	fails_in_a_line "aa000009: no such entry" 2 helper grep word "$DIR/session/by-id/aa000009"
	fails_in_a_line "aa000009: no such entry" 2 helper grep --open word "$DIR/session/by-id/aa000009"
	refuses 2 "sessfs: aa000009: no such entry" "$SESSFS" --grep --subtree=aa000009 "$SESSION" -- -q word
	finds_nothing nothing "$DIR/session/by-id/aa000001"
}

@test "-h prints a summary, and usage errors are reported" {
	in_shells is_used
}

# -- options

takes_options() {
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
	[ ! -s out ]
	run -1 helper grep -q nothing session.jsonl
	finds "session/by-id/aa000003/content:1:3 words" -F -e '3 w' session.jsonl
	finds "session/by-id/aa000001/content:1:Count the words." -F s. session.jsonl
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
	# What grep is often given, and does anyway.
	finds "session/by-id/aa000003/content:1:3 words" -rnaH '3 w' session.jsonl
	# Options after operands.
	finds "session/by-id/aa000001/content:2:One WORD a line." WORD session.jsonl -w
	finds_nothing -w wor session.jsonl
	finds_nothing -- -wx session.jsonl
}

@test "options are those of grep" {
	write_small
	cd "$DIR"
	in_shells takes_options
}

takes_pattern_files() {
	printf '^words\nA sword\n' >patterns
	finds "$1" -f patterns session.jsonl session.jsonl
	printf '^words\nA sword\n' | finds "$1" -f - session.jsonl session.jsonl
	finds "$1" -f /dev/stdin session.jsonl session.jsonl <patterns
	finds "$1" -f <(cat patterns) session.jsonl session.jsonl
	finds_nothing -f - session.jsonl </dev/null
	fails_in_a_line "No such file" 2 helper grep -f nothing session.jsonl
}

@test "files of patterns may be pipes" {
	write_small
	cd "$DIR"
	local hits="\
session/by-id/aa000004/content:1:A sword?
session/by-id/aa000005/content:2:words"
	in_shells takes_pattern_files "$hits
$hits"
}

@test "the long names of grep's options" {
	write_small
	cd "$DIR"
	local short long
	while IFS='|' read -r short long; do
		eval "helper grep $short session.jsonl" >wanted
		[ -s wanted ]
		is "$(cat wanted)" eval "helper grep $long session.jsonl"
	done <<-'END'
		-i RUN|--ignore-case RUN
		-i RUN|-y RUN
		-w words|--word-regexp words
		-e words|--regexp=words
		-e words|--regexp words
		-F .|--fixed-strings .
		-E '(he)+'|--extended-regexp '(he)+'
		-G 'w\(o\)'|--basic-regexp 'w\(o\)'
		-P 'w(?=o)'|--perl-regexp 'w(?=o)'
		-x words|--line-regexp words
		-v words|--invert-match words
		-A 1 words|--after-context=1 words
		-B 1 words|--before-context 1 words
		-C 1 words|--context=1 words
		-l words|--files-with-matches words
		--role user words|--role=user words
		--tool bash words|--tool=bash words
	END
}

@test "any pattern is taken as it is" {
	write_session "$(user aa000001 "" "it's \\\"a\\\" \$HOME \`b\` \\\\\\\\c -e * x\\ty")"
	cd "$DIR"
	local pattern
	for pattern in "it's" '"a"' "\$HOME" "\`b\`" '\\c' ' -e ' '* x' $'x\ty' '' ' '; do
		helper grep -F -e "$pattern" session.jsonl >out
		is 1 grep -c . out
	done
	finds_nothing -F "it's  " session.jsonl
	helper grep -F -e $'nothing\nit\'s' session.jsonl >out
	helper grep -F -e $'-e *\n' session.jsonl >out
	run -2 helper grep '[a' session.jsonl
}

statuses() {
	run -0 helper grep word session.jsonl
	run -1 helper grep nothing session.jsonl
	run -2 helper grep word nothing.jsonl
	run --separate-stderr -2 helper grep word nothing.jsonl session.jsonl
	[ "${#lines[@]}" -eq 4 ]
	[[ $stderr == *nothing.jsonl* ]]
	run -2 helper grep '\(' session.jsonl
	run -1 helper grep word empty
	run -2 helper grep word text.jsonl
}

@test "statuses are those of grep" {
	write_small
	cd "$DIR"
	mkdir empty
	echo text >text.jsonl
	in_shells statuses
}

@test "--role and --tool choose entries" {
	write_small
	cd "$DIR"
	finds "session/by-id/aa000003/content:1:3 words" --role toolResult word session.jsonl
	finds "session/by-id/aa000004/content:1:A sword?" --role assistant word session.jsonl
	finds "session/by-id/aa000003/content:1:3 words" --tool bash word session.jsonl
	helper grep --tool bash 'wc -w' session.jsonl >out
	grep -q '^session/by-id/aa000002/content:' out
	finds_nothing --tool edit word session.jsonl
	finds_nothing --role user --tool bash word session.jsonl
	finds_nothing --role nobody word session.jsonl
}

@test "--role and --tool ignore case" {
	write_small
	cd "$DIR"
	finds "session/by-id/aa000003/content:1:3 words" --tool Bash word session.jsonl
	finds "session/by-id/aa000003/content:1:3 words" --role toolresult --tool BASH word session.jsonl
	finds_nothing --tool bas word session.jsonl
	finds_nothing --tool bashs word session.jsonl
	write_parallel
	# By the call that the result answers.
	finds "session/by-id/$(uuid 5)/content:1:A-body" --tool read --role TOOLRESULT A-body session.jsonl
	helper grep --tool rEAD file_path session.jsonl >out
	is 2 grep -c . out
}

@test "of grep's options, those that would mean something else are refused" {
	write_small
	cd "$DIR"
	refuses 2 "sessfs: --grep: not supported: -Z" "$SESSFS" --grep session.jsonl -- -iZw word
	refuses 2 "sessfs: --grep: not supported: --count" "$SESSFS" --grep session.jsonl -- --count word
	is session.jsonl "$SESSFS" --grep session.jsonl -- -l word
	is session.jsonl "$SESSFS" --grep session.jsonl -- word --files-with-matches
	# -l is one of them.
	run -2 "$SESSFS" --grep -l session.jsonl -- word
}

@test "--agent=NAME must be a format" {
	write_small
	run --separate-stderr -2 "$SESSFS" --grep --agent=Pi "$SESSION" -- word
	[[ -z $output && $stderr == "sessfs: unknown dialect 'Pi'; known: pi, "* ]]
}

# chooses OPTION KEY: in a mount, each value that a key of meta has chooses
# the entries that have it. A tool also chooses its calls.
chooses() {
	local value
	sed -n "s/^$2: //p" "$MNT"/by-id/*/meta | sort -u >"$DIR/values"
	[ -s "$DIR/values" ]
	while IFS= read -r value; do
		# What oh-my-pi calls the role of a model.
		[ "$value" != default ] || continue
		# Several calls, each of which has a name of its own.
		[[ $value != *", "* ]] || continue
		"$SESSFS" --grep "$1=$value" --name= "$SESSION" -- '' >"$DIR/out" || [ $? -eq 1 ]
		sed 's,^by-id/\([^/]*\)/content:.*,\1,' "$DIR/out" | sort -u >"$DIR/got"
		grep -lx "$2: $value" "$MNT"/by-id/*/meta | sed 's,/meta$,/content,' |
			xargs grep -l '' | sed -e 's,/content$,,' -e 's,.*/,,' | sort >"$DIR/wanted"
		[ "$2" = role ] || comm -12 "$DIR/wanted" "$DIR/got" >"$DIR/both"
		[ "$2" = role ] || mv "$DIR/both" "$DIR/got"
		diff "$DIR/wanted" "$DIR/got" || {
			echo "these are the entries of $1=$value"
			return 1
		}
	done <"$DIR/values"
}

@test "--role and --tool go by meta" {
	local fixture
	for fixture in pi-v3-branches omp-v3-basic; do
		mount_fixture $fixture.jsonl
		chooses --role role
		chooses --tool tool
		unmount
		daemon_is_gone
	done
}

@test "of Claude Code's user messages, the results of tools have a role of their own" {
	write_parallel
	cd "$DIR"
	finds "session/by-id/$(uuid 1)/content:1:look at both" --role user . session.jsonl
	finds "\
session/by-id/$(uuid 5)/content:1:A-body
session/by-id/$(uuid 6)/content:1:B-body" --role toolResult . session.jsonl
	helper grep --tool Read file_path session.jsonl >out
	is 2 grep -c . out
	# What they return names the call, not the tool.
	finds "session/by-id/$(uuid 5)/content:1:A-body" --tool Read A-body session.jsonl
	finds_nothing --tool Write body session.jsonl
}

# -- what is searched

@test "in a mount, and anything in it" {
	mount_fixture pi-v3-branches.jsonl
	helper grep -i '[ae]' "$MNT" >"$DIR/all"
	[ "$(wc -l <"$DIR/all")" -gt 5 ]
	is "$(cat "$DIR/all")" bash -c "cd '$MNT' && grep -ain '[ae]' by-id/*/content | sort -s -t / -k 2,2 | sed 's,^,$MNT/,'"
	local at
	for at in / by-id tree by-label branches info tree.txt; do
		is "$(cat "$DIR/all")" helper grep -i '[ae]' "$MNT/$at"
	done
	for at in by-id/aa000004 by-id/aa000004/ by-id/aa000004/content by-id/aa000004/raw.json tree/aa000001/aa000003/aa000004/content \
		by-id/aa000005/parent; do
		finds "$MNT/by-id/aa000004/content:1:list the files" '' "$MNT/$at"
	done
	is "$(grep -n '' "$MNT/HEAD/content" | sed "s,^,$MNT/by-id/aa000025/content:,")" helper grep '' "$MNT/HEAD"
	is "$(grep -n '' "$MNT/by-label/good/content" | sed "s,^,$MNT/by-id/aa000008/content:,")" helper grep '' "$MNT/by-label/good"
	is "$(grep -n '' "$MNT/branches/aa000011/content" | sed "s,^,$MNT/by-id/aa000011/content:,")" \
		helper grep '' "$MNT/branches/aa000011"
}

@test "in a subtree" {
	mount_fixture pi-v3-branches.jsonl
	local below=tree/aa000001/aa000003/aa000004/aa000005
	[ -d "$MNT/$below" ]
	(cd "$MNT/$below" && find . -name content) | sed -e 's,/content$,,' -e 's,.*/,,' -e 's,^\.$,aa000005,' | sort >"$DIR/below"
	helper grep -l '' "$MNT/$below" >"$DIR/out"
	is "$(cat "$DIR/below")" bash -c "'$HELPERS/sessfs-grep' '' '$MNT/$below' | sed 's,.*/by-id/\([^/]*\)/content:.*,\1,' | sort -u"
	is "$(cat "$DIR/below")" bash -c "cd '$MNT/$below' && '$HELPERS/sessfs-grep' '' . | sed 's,.*/by-id/\([^/]*\)/content:.*,\1,' | sort -u"
}

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
	awk 'BEGIN { for (i = 501; i <= 1000; i += 2) printf "large/by-id/e%04d/content\n", i }' >"$DIR/below"
	is "$(cat "$DIR/below")" bash -c "'$SESSFS' --grep --name=large --subtree=e0501 '$DIR/large.jsonl' -- padding | sed 's,:.*,,'"
}

spells() {
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

@test "what is printed can be opened from where it was searched" {
	mount_fixture pi-v3-branches.jsonl
	in_shells spells
}

@test "in an entry that path/ names" {
	mount_fixture pi-v3-branches.jsonl
	[ -d "$MNT/path" ]
	local link id
	for link in "$MNT"/path/*; do
		id=$(readlink "$link")
		id=${id##*/}
		is "$(grep -n '' "$link/content" | sed "s,^,$MNT/by-id/$id/content:,")" helper grep '' "$link"
		is "$(helper grep '' "$link")" helper grep '' "$(sed 's,\(path/[0-9]*\)-.*,\1,' <<<"$link")"
	done
}

@test "in folders of a mount, as in the files" {
	mkdir -p "$DIR/all/b/s" "$DIR/all/-x y" "$MNT"
	SESSION=$DIR/all/one.jsonl write_small
	SESSION=$DIR/all/b/two.jsonl write_small
	SESSION=$DIR/all/b/s.jsonl write_small
	SESSION=$DIR/all/b/s/sub.jsonl write_small
	SESSION="$DIR/all/-x y/three.jsonl" write_small
	"$SESSFS" "$DIR/all" "$MNT"
	cd "$DIR"
	(cd mnt && grep -rn sword --include=content . | grep /by-id/ | sed 's,^\./,,' | LC_ALL=C sort) >all.out
	[ "$(wc -l <all.out)" -eq 5 ]
	is "$(sed 's,^,mnt/,' all.out)" bash -c "'$HELPERS/sessfs-grep' sword mnt | LC_ALL=C sort"
	is "$(sed 's,^,all/,' all.out)" bash -c "'$HELPERS/sessfs-grep' sword all/ | LC_ALL=C sort"
	is "$(sed -n 's,^b/,mnt/b/,p' all.out)" bash -c "'$HELPERS/sessfs-grep' sword mnt/b/ | LC_ALL=C sort"
	cd mnt/b
	finds "s/by-id/aa000004/content:1:A sword?" sword s
	finds "s%2F/sub/by-id/aa000004/content:1:A sword?" sword s%2F
	cd ..
	finds "-x y/three/by-id/aa000004/content:1:A sword?" sword -- "-x y"
	cd "$DIR/all"
	finds "-x y/three/by-id/aa000004/content:1:A sword?" sword -- "-x y/three.jsonl"
	is "$(printf '%s\n' "./-x y/three.jsonl" ./b/s.jsonl ./b/s/sub.jsonl ./b/two.jsonl ./one.jsonl)" \
		bash -c "'$HELPERS/sessfs-grep' -l sword . | LC_ALL=C sort"
	is "$(printf '%s\n' "./-x y/three" ./b/s ./b/s%2F/sub ./b/two ./one)" \
		bash -c "cd ../mnt && '$HELPERS/sessfs-grep' -l sword . | LC_ALL=C sort"
}

finds_printed() {
	local hit
	while IFS= read -r hit; do
		finds "$hit" sword "${hit%%/content:*}"
		# A folder of the same name comes first.
		[ -d "${hit%%/by-id/*}" ] || finds "$hit" sword "${hit%%/by-id/*}"
	done <all.out
}

@test "what is printed for a file can be given again" {
	mkdir -p "$DIR/all/s"
	SESSION=$DIR/all/s.jsonl write_small
	SESSION=$DIR/all/s/sub.jsonl write_small
	SESSION="$DIR/all/s/a%2Fb c.jsonl" write_small
	cd "$DIR"
	helper grep sword all >all.out
	[ "$(wc -l <all.out)" -eq 3 ]
	in_shells finds_printed
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
	"$SESSFS" "./$1/s.jsonl" "$mnt"
	finds "$mnt/by-id/aa000004/content:1:A sword?" sword -- "$mnt"
	finds "$mnt/by-id/aa000004/content:1:A sword?" sword -- "$mnt/by-id/aa000004"
	is "$mnt/by-id/aa000004" helper grep --open sword -- "$mnt"
	fusermount3 -u "$mnt"
	"$SESSFS" "./$1" "$mnt"
	finds "$mnt/s/by-id/aa000004/content:1:A sword?" sword -- "$mnt"
	is "$mnt/s/by-id/aa000004" helper grep --open sword -- "$mnt"
	fusermount3 -u "$mnt"
	# Only the file's own name is in the path of its mount.
	local at
	at=$(helper grep --open sword -- "$1")
	is "A sword?" cat "$at/content"
	fusermount3 -u "${at%/by-id/*}"
}

names_are_any() {
	local here=in-${SH%% *}
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
	is 8 bash -c "'$HELPERS/sessfs-grep' -F sword '$here' | grep -ac '/by-id/aa000004/content:1:A sword?$'"
}

# bats test_tags=full
@test "folders may have any name" {
	in_shells names_are_any
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
	user aa000006 aa000005 "the news" >>"$SESSION"
	echo >>"$SESSION"
	finds "$MNT/by-id/aa000006/content:1:the news" news "$MNT"
	rm "$SESSION"
	run -2 helper grep news "$MNT"
}

# -- all sessions

finds_all() {
	finds "\
$HOME/.pi/agent/sessions/--work-demo--/2026-03-01T10-00-00-000Z_a/by-id/aa000001/content:1:the word of Pi
$HOME/.omp/agent/sessions/--work-demo--/2026-03-01T10-00-00-000Z_b/by-id/bb000001/content:1:the word of omp
$HOME/.claude/projects/-work-demo/$SESSION_ID/by-id/$(uuid 1)/content:1:the word of Claude" 'the word'
	finds "$HOME/.claude/projects/-work-demo/$SESSION_ID/by-id/$(uuid 2)/content:1:another word" another
	finds "$OMP/2026-03-01T10-00-00-000Z_b.jsonl" -l --agent omp word
	finds "$PI/2026-03-01T10-00-00-000Z_a/by-id/aa000001/content:1:the word of Pi" --agent=pi word
	finds "$CLAUDE/$SESSION_ID.jsonl" -l --agent claude word
	finds_nothing --agent pi Claude
	finds_nothing nothing
	# Of given folders, too.
	finds "$CLAUDE/$SESSION_ID.jsonl" -l --agent claude word "$HOME"/.claude "$HOME/.pi"
	finds "$PI/2026-03-01T10-00-00-000Z_a.jsonl" -l --agent pi word "$HOME"/.claude "$HOME/.pi"
}

@test "all sessions of all agents" {
	write_agents
	in_shells finds_all
	"$SESSFS" "$HOME" "$MNT"
	helper grep 'the word' "$MNT" >"$DIR/out"
	is 3 grep -c . "$DIR/out"
}

@test "without an agent there is nothing to search" {
	fails_in_a_line "there are no sessions of Pi, oh-my-pi, Claude Code or Codex" 2 helper grep word
	mkdir -p "$PI"
	finds_nothing word
	fails_in_a_line "there are no sessions of omp" 2 helper grep --agent omp word
}

# -- terminals

@test "on a terminal hits are below their session and entry, in colors" {
	write_small
	cd "$DIR"
	on_terminal -- sh "$HELPERS/sessfs-grep" word session.jsonl
	grep -q session screen
	grep -q aa000004 screen
	LC_ALL=C grep -q $'\e\\[[0-9;]*m' screen
	LC_ALL=C sed -e $'s/\e\\[[0-9;]*[mK]//g' -e 's/\r//g' screen >plain
	grep -q '^1:A sword?$' plain
	grep -q 'user' plain
	if grep -q 'by-id/aa000004/content:1:' plain; then return 1; fi
	NO_COLOR=1 on_terminal -- sh "$HELPERS/sessfs-grep" word session.jsonl
	is "$(cat plain)" tr -d '\r' <screen
	TERMINAL=dumb on_terminal -- sh "$HELPERS/sessfs-grep" word session.jsonl
	is "$(cat plain)" tr -d '\r' <screen
	run -1 on_terminal -- sh "$HELPERS/sessfs-grep" nothing session.jsonl
	run -2 on_terminal -- sh "$HELPERS/sessfs-grep" word nothing
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
	is "session  Demo session
$entries" "$SESSFS" --grep --heading --name=session session.jsonl -- -C1 -e 'Done' -e first -e 'try approach'
	# The only session, without a name.
	is "Demo session
$entries" "$SESSFS" --grep --heading session.jsonl -- -C1 -e 'Done' -e first -e 'try approach'
	# Something was printed before.
	is "

session  Demo session
by-id/aa000008  2026-03-01 10:00  assistant  HEAD
1:Done with approach A." bash -c "echo; '$SESSFS' --grep --heading --more --name=session session.jsonl -- Done"
	# A session that has none of this.
	printf '%s\n' '{"x":1}' >bare.jsonl
	is "\
by-id/1  line  HEAD
2:  \"x\": 1" "$SESSFS" -o dialect=lines --grep --heading --name= bare.jsonl -- x
}

@test "headings fit a terminal" {
	export TZ=UTC
	cd "$DIR"
	# Without a name, a session has what a person typed first.
	write_session "$(user aa000001 "" "Count the  words of $(printf 'x%.0s' {1..80})")"
	is "\
session  Count the words of $(printf 'x%.0s' {1..51})…
by-id/aa000001  2026-03-01 10:00  user  HEAD" \
		bash -c "'$SESSFS' --grep --heading session.jsonl --name=session -- words | head -n 2"
	local long
	long=$(printf 'y%.0s' {1..60})
	is "$long  Count the words of $(printf 'x%.0s' {1..20})…" \
		bash -c "'$SESSFS' --grep --heading session.jsonl --name=$long -- words | head -n 1"
	write_parallel
	"$SESSFS" --grep --heading --name=session session.jsonl -- '' >out
	grep -q "^by-id/$(uuid 6)  .*  toolResult  HEAD$" out
	if grep HEAD out | grep -E '.{81}'; then return 1; fi
	# The name of a branch is cut.
	grep -q "^by-id/$(uuid 5)  .*  toolResult  branches/$(uuid 5 | cut -c 1-8)…$" out
	if LC_ALL=C.UTF-8 grep -E ".{93}" out; then return 1; fi
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
	"$SESSFS" --grep --heading all -- word >out
	is "a  Count the words. One WORD a line.
b  a word 1 $(printf 'padding %.0s' {1..20} | cut -c 1-67)…
c  a word 1 $(printf 'padding %.0s' {1..20} | cut -c 1-67)…
d  Count the words. One WORD a line." grep '^[a-d]  ' out
	# An empty line before each group but the first.
	is "$(grep -c ^by-id/ out)" bash -c "{ echo; cat out; } | grep -c '^$'"
	"$SESSFS" --grep all -- -B1 word | grep -v '^--$' >wanted
	[ "$(wc -l <wanted)" -gt 4000 ]
	"$SESSFS" --grep --heading all -- -B1 word | flattened >got
	cmp wanted got
	# With and without a line from which nothing is found.
	"$SESSFS" --grep all -- '0$' >wanted
	"$SESSFS" --grep --heading all -- '0$' | flattened >got
	cmp wanted got
}

@test "control characters of entries do not reach the terminal" {
	write_session "$(user aa000001 "" 'a word \u001b[7mb\u0007 \u0000\u009b7mc \u001b]0;d')"
	cd "$DIR"
	on_terminal -- sh "$HELPERS/sessfs-grep" word session.jsonl
	grep -q "7mb" screen
	if LC_ALL=C grep -aP '\x1b\[7m|\x07|\xc2\x9b|\x1b\]0|\0' screen; then return 1; fi
	helper grep word session.jsonl | LC_ALL=C grep -qaP '\x1b\[7m'
}

# -- --open

opens_first() {
	local at
	at=$(helper grep --open 'the word' "$@")
	[[ $at == "$XDG_RUNTIME_DIR"/sessfs/*/by-id/aa000001 ]]
	is "the word of Pi" cat "$at/content"
	is "$at" helper grep --open 'the word' "$@"
	is "$at" helper grep -l --open -C 2 'the word' "$@"
	fails_in_a_line "nothing found" 1 helper grep --open nothing "$@"
}

@test "names of sessions have no control characters on a terminal" {
	write_small
	mkdir "$DIR/all"
	mv "$SESSION" "$DIR/all/"$'\e[2Jn\n.jsonl'
	on_terminal -- sh "$HELPERS/sessfs-grep" -l words "$DIR/all"
	grep -qF '\u001b[2Jn\n.jsonl' "$DIR/screen"
	if grep -qF $'\e[2J' "$DIR/screen"; then return 1; fi
	is $'\e[2Jn\n.jsonl' sh -c "cd '$DIR/all' && sh '$HELPERS/sessfs-grep' -l words . | sed 's,^\./,,'"
}

@test "--open mounts the session of the first hit" {
	write_agents
	in_shells opens_first
	opens_first "$PI"/*.jsonl "$CLAUDE"
	opens_first "$PI/2026-03-01T10-00-00-000Z_a"
	opens_first "$PI/2026-03-01T10-00-00-000Z_a/by-id/aa000001"
	run -2 helper grep --open nothing "$DIR/nothing"
	run -2 helper grep --open '\(' "$PI"
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
	is "$1" bash -c "cut -f 3 '$DIR/input' | sed 's/^[-0-9]* //'"
}

opens_newest() {
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
	PATH=$DIR/bin:$PATH PAGER=cat TZ=UTC on_terminal -- ${SH:-sh} "$HELPERS/sessfs-grep" --open word all
	offers "10:00  user        word 3
10:00  user        word 2
10:00  user        word 1
                 user        word without a time
                 user        second word without a time"
	grep -q '^word 3' screen
}

@test "the newest hit comes first, whatever the order of files and entries" {
	mkdir "$DIR/all"
	SESSION=$DIR/all/a.jsonl write_session "$(user aa000003 "" 'word 3')" "$(user aa000001 "" 'word 2')"
	SESSION=$DIR/all/n.jsonl write_session "$(user aa000004 "" 'word without a time')" "$(user aa000005 "" 'second word without a time')"
	SESSION=$DIR/all/z.jsonl write_session "$(user aa000002 "" 'word 1')"
	sed -i 's/,"timestamp":"[^"]*"//; s/"timestamp":"[^"]*",//' "$DIR/all/n.jsonl"
	sed -i 's/10:00:01/10:00:07/' "$DIR/all/z.jsonl"
	sed -i '/word 3/s/10:00:0./10:00:09/; /word 2/s/10:00:0./10:00:08/' "$DIR/all/a.jsonl"
	fake_fzf
	in_shells opens_newest
}

offers_once() {
	local at
	PATH=$DIR/bin:$PATH PAGER=cat TZ=UTC on_terminal -- ${SH:-sh} "$HELPERS/sessfs-grep" --open word "$CLAUDE"
	offers "$1"
	at=$(helper grep --open 'word of Claude' "$CLAUDE")
	is "file: $CLAUDE/$SESSION_ID.jsonl" grep ^file: "${at%/by-id/*}/info"
}

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
		is 2 bash -c "ls '$CLAUDE' | wc -l"
		is 2 bash -c "'$HELPERS/sessfs-grep' another '$CLAUDE' | wc -l"
		in_shells offers_once "10:00  assistant   another word
10:00  user        the word of Claude"
		# What the copy has for itself, and of what only it is searched.
		copy=$(find "$CLAUDE" -name '*.jsonl' ! -name "$id.jsonl")
		claude_user 3 2 'a newer word' | sed "s/$SESSION_ID/$(basename "$copy" .jsonl)/" >>"$copy"
		in_shells offers_once "10:00  user        a newer word
10:00  assistant   another word
10:00  user        the word of Claude"
		PATH=$DIR/bin:$PATH PAGER=cat on_terminal -- sh "$HELPERS/sessfs-grep" --open word "$copy"
		is 3 grep -c . "$DIR/input"
		# Without the original.
		rm "$CLAUDE/$id.jsonl"
		PATH=$DIR/bin:$PATH PAGER=cat on_terminal -- sh "$HELPERS/sessfs-grep" --open word "$CLAUDE"
		is 3 grep -c . "$DIR/input"
		mv "$copy" "$CLAUDE/$SESSION_ID.jsonl"
		cp "$DIR/was" "$CLAUDE/$SESSION_ID.jsonl"
	done
}

@test "--table has a line of columns for each hit" {
	cp "$FIXTURES/pi-v3-branches.jsonl" "$SESSION"
	cd "$DIR"
	export TZ=Asia/Kolkata
	local time=2026-03-01T10:00:03.000Z local="2026-03-01 15:30" id
	[ -e /usr/share/zoneinfo/$TZ ] || local="2026-03-01 10:00"
	id=$(sed -n '1s/.*"id":"\([^"]*\)".*/\1/p' "$SESSION")
	is "s/by-id/aa000004/content	$local	user	HEAD	Demo session	$time		1	list the files" \
		"$SESSFS" --grep --table --name=s session.jsonl -- -C 2 'list the'
	write_session "$(user aa000001 "" "$(printf 'a\\tb\\u001b[2J%01200d' 0)\\nword")"
	sed -i '1s|"cwd"|"parentSession":"/other\\t.jsonl","cwd"|' "$SESSION"
	"$SESSFS" --grep --color --table session.jsonl --name= -- -e word -e 'a.b' >out
	is 2 grep -c '' out
	is 9 awk -F '\t' 'NR == 1 { print NF }' out
	is '/other\t.jsonl' sh -c 'cut -f 7 out | uniq'
	is "a b[2J$(printf '%0993d' 0)
word" cut -f 9 out
	if LC_ALL=C grep $'\e' out; then return 1; fi
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

@test "on a terminal --open shows the content from the hit's line on" {
	needs less
	write_small
	cd "$DIR"
	printf '#!/bin/sh\nprintf "<%%s>" "$@"\n' >less
	chmod +x less
	# fzf, if it is installed, does not ask when there is one hit.
	export PATH=$DIR:$PATH
	on_terminal -- sh "$HELPERS/sessfs-grep" --open there session.jsonl
	grep -q '/by-id/aa000005' screen
	grep -q '<+5></.*/by-id/aa000005/content>' screen
	PAGER="less -R" on_terminal -- sh "$HELPERS/sessfs-grep" --open there session.jsonl
	grep -q '<-R><+5></.*/by-id/aa000005/content>' screen
	PAGER="cat" on_terminal -- sh "$HELPERS/sessfs-grep" --open there session.jsonl
	grep -q '^nor' screen
	PAGER='' on_terminal -- sh "$HELPERS/sessfs-grep" --open there session.jsonl
	grep -q '^nor' screen
}

@test "with fzf --open lets choose" {
	needs fzf
	write_small
	cd "$DIR"
	export PAGER=cat
	on_terminal "3 words" "A sword" "1/4" $'\r' -- sh "$HELPERS/sessfs-grep" --open word session.jsonl
	grep -q '/by-id/aa000004' screen
	grep -q '^A sword?' screen
	run -130 on_terminal "3 words" $'\e' -- sh "$HELPERS/sessfs-grep" --open word session.jsonl
	run -1 on_terminal -- sh "$HELPERS/sessfs-grep" --open nothing session.jsonl
	grep -q 'sessfs-grep: nothing found' screen
	run -2 on_terminal -- sh "$HELPERS/sessfs-grep" --open '\(' session.jsonl
}

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
	on_terminal "${at}toolResult  3 words" "A sword?" "1/4" $'\r' -- sh "$HELPERS/sessfs-grep" --open word "$folder"
	grep -q '/by-id/aa000004' screen
	grep -q '^A sword?' screen
	# What is typed is looked for in the text, not in the path.
	on_terminal "${at}user        Count the words" 0000000000 "0/4" $'\x15Count' "1/4" $'\r' -- \
		sh "$HELPERS/sessfs-grep" --open word 000*
	grep -q '/by-id/aa000001' screen
}

# -- --resume

# resumes WORD AGENT ARGUMENT...: the printed command, given to a shell, starts the
# agent with these arguments, which may be patterns, in /work/demo's place.
resumes() {
	local agent=$1
	printf '#!/bin/sh\n{ pwd; printf "%%s\\n" "${0##*/}" "$@"; } >"%s/called"\n' "$DIR" >"$DIR/bin/$agent"
	chmod +x "$DIR/bin/$agent"
	rm -f "$DIR/called"
	is 1 grep -c '' "$DIR/command"
	(cd / && PATH=$DIR/bin:$PATH ${SH:-sh} "$DIR/command")
	is "$WORK" head -n 1 "$DIR/called"
	is "$(printf '%s\n' "$@")" tail -n +2 "$DIR/called"
	# A shell that evaluates it stays where it was.
	# shellcheck disable=SC2086 # words
	is / env PATH="$DIR/bin:$PATH" ${SH:-sh} -c 'cd / && eval "$(cat "$1")" && pwd' - "$DIR/command"
}

# Replace the sessions' working directory by one that exists, $WORK.
work_in() {
	WORK=$1
	mkdir -p "$1"
	local json
	json=$(python3 -c 'import json, os, sys; print(json.dumps(os.fsencode(sys.argv[1]).decode("utf-8", "replace"))[1:-1])' "$1")
	json=${json//\\/\\\\} json=${json//&/\\&}
	sed -i "s|\"cwd\":\"/work/demo\"|\"cwd\":\"$json\"|" "${@:2}"
}

resumes_each() {
	helper grep --resume 'of Pi' >"$DIR/command"
	is "(cd $WORK && pi --session $PI/2026-03-01T10-00-00-000Z_a.jsonl)" cat "$DIR/command"
	resumes pi --session "$PI/2026-03-01T10-00-00-000Z_a.jsonl"
	helper grep --resume 'of omp' >"$DIR/command"
	resumes omp --resume "$OMP/2026-03-01T10-00-00-000Z_b.jsonl"
	helper grep --resume another >"$DIR/command"
	resumes claude --resume "$CLAUDE/$SESSION_ID.jsonl" --fork-session
	helper grep --resume 'of Claude' >"$DIR/command"
	local branch
	branch=$(helper grep --open 'of Claude')/branch.jsonl
	resumes claude --resume "$branch" --fork-session
	# A subagent's.
	mkdir -p "$CLAUDE/$SESSION_ID/subagents"
	sed 's/of Claude/by a subagent/' "$CLAUDE/$SESSION_ID.jsonl" >"$CLAUDE/$SESSION_ID/subagents/agent-1.jsonl"
	helper grep --resume 'by a subagent' >"$DIR/command"
	branch=$(helper grep --open 'by a subagent')/branch.jsonl
	resumes claude --resume "$branch" --fork-session
	rm -r "${CLAUDE:?}/$SESSION_ID"
	fails_in_a_line "nothing found" 1 helper grep --resume nothing
}

@test "--resume prints the command by which the agent continues there" {
	needs python3
	mkdir "$DIR/bin"
	write_agents
	work_in "$DIR/work" "$PI"/*.jsonl "$OMP"/*.jsonl "$CLAUDE"/*.jsonl
	in_shells resumes_each
}

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
		if LC_ALL=C grep '[[:cntrl:]]' "$DIR/command"; then return 1; fi
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
	fails_in_a_line "no agent is known that continues a session of format go-tree: $SESSION" 2 helper grep --resume '' "$SESSION"
}

# -- as an ordinary user

# bats test_tags=root
@test "an ordinary user searches, opens and resumes" {
	needs_root
	local id
	id=$(id -u nobody)
	write_agents
	work_in "$DIR/work" "$PI"/*.jsonl
	chown -R "$id:$(id -g nobody)" "$DIR"
	chmod -R go= "$HOME"
	as_user() { setpriv --reuid="$id" --regid="$(id -g nobody)" --clear-groups "$@"; }
	as_user sh "$HELPERS/sessfs-grep" 'the word' >"$DIR/out"
	is 3 grep -c . "$DIR/out"
	local at
	at=$(as_user sh "$HELPERS/sessfs-grep" --open 'of Pi')
	is "the word of Pi" as_user cat "$at/content"
	is "$at" as_user sh "$HELPERS/sessfs-grep" --open 'of Pi' "${at%/by-id/*}/tree"
	as_user sh "$HELPERS/sessfs-grep" --resume 'of Pi' >"$DIR/command"
	grep -q "^(cd $DIR/work && pi --session $PI/.*)$" "$DIR/command"
	chown 0:0 "$PI"/*.jsonl
	chmod 600 "$PI"/*.jsonl
	run --separate-stderr -2 as_user sh "$HELPERS/sessfs-grep" 'the word'
	[ "${#lines[@]}" -eq 2 ]
	is "sessfs: $(echo "$PI"/*.jsonl): Permission denied" echo "$stderr"
	run -2 as_user sh "$HELPERS/sessfs-grep" 'the word' "$PI"/*.jsonl
	[[ $output == *"Permission denied"* ]]
	# Not readable through the mount of another user either.
	run -2 as_user sh "$HELPERS/sessfs-grep" 'the word' "$at"
}

# bats test_tags=root
@test "--resume has a session that can't be written forked" {
	needs_root
	local id at
	id=$(id -u nobody)
	write_agents
	chown -R "$id:$(id -g nobody)" "$DIR"
	as_user() { setpriv --reuid="$id" --regid="$(id -g nobody)" --clear-groups "$@"; }
	chown 0:0 "$PI"/*.jsonl
	at=$(echo "$PI"/*.jsonl)
	is "pi --fork $at" as_user sh "$HELPERS/sessfs-grep" --resume 'of Pi'
	chmod a-w "$CLAUDE"/*.jsonl
	is "claude --resume $CLAUDE/$SESSION_ID.jsonl --fork-session" \
		as_user sh "$HELPERS/sessfs-grep" --resume another
}

# -- what is found

# bats test_tags=full
@test "what is found is what grep finds in random sessions" {
	needs python3
	local seed
	for seed in {1..6}; do
		python3 "$ROOT/tests/grep_exact.py" write "$seed" "$SESSION"
		mount_session
		python3 "$ROOT/tests/grep_exact.py" compare "$seed" 30 "$MNT" "$SESSION" -- "$SESSFS" --grep SOURCE -- OPTIONS
		cd "$MNT"
		python3 "$ROOT/tests/grep_exact.py" compare "$seed" 4 "$MNT" by-id -- "$HELPERS/sessfs-grep" OPTIONS SOURCE
		cd "$DIR"
		unmount
		daemon_is_gone
	done
}

# bats test_tags=full
@test "what is found is what grep finds in folders of random sessions" {
	needs python3
	local seed all=$DIR/all
	mkdir -p "$all/b" "$all/a b"
	for seed in {1..12}; do
		python3 "$ROOT/tests/grep_exact.py" write "1$seed" "$all/$seed.jsonl"
		python3 "$ROOT/tests/grep_exact.py" write "2$seed" "$all/b/$seed.jsonl"
	done
	python3 "$ROOT/tests/grep_exact.py" write 3 "$all/a b/-e.jsonl"
	"$SESSFS" "$all" "$MNT"
	python3 "$ROOT/tests/grep_exact.py" compare 1 40 "$MNT" "$all" -- "$SESSFS" --grep SOURCE -- OPTIONS
}
