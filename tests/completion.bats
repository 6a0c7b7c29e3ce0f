# bats file_tags=shell
# Completion in the real shells: the typed keys, and the words that the command
# gets.
load lib/mount
load lib/run
load lib/pi

setup() {
	make_folder
	export HOME=$DIR/home
	unset XDG_CONFIG_HOME XDG_DATA_HOME XDG_CACHE_HOME
	mkdir -p "$HOME" "$DIR/here/a folder"
	PATH=${SESSFS%/*}:$PATH
	cd "$DIR/here"
	ROWS=()
}

teardown() {
	leave_nothing
	[ ${#ROWS[@]} -eq 0 ] || {
		echo "types without typed"
		return 1
	}
}

# A session of this age in days.
session() {
	touch -d "2026-03-01 $2 days ago" "$1"
}

# types KEYS WORDS: in each shell these keys (\t is TAB) give these words, written as in
# Python. The first word is the command. typed tries it.
types() {
	ROWS+=("$@" "")
}

# Fails unless all that types has said is so: a shell takes as long to start as to complete
# ten lines.
typed() {
	local rows=("${ROWS[@]}")
	ROWS=()
	# shellcheck disable=SC2086 # words
	needs python3 ${SHELLS:=bash zsh fish}
	python3 "$ROOT/tests/type.py" "$SHELLS" "$ROOT/mount/share/completion" "${rows[@]}"
}

# The words that fish offers, in order, and their descriptions.
fish_describes() {
	needs fish
	fish --no-config -c 'source $argv[1]; complete -C $argv[2]' \
		"$ROOT/mount/share/completion.fish" "$1"
}

# Only the words: there TAB chooses none of several. fish_offers LINE [N]: the first N.
fish_offers() {
	local lines
	mapfile -t lines < <(fish_describes "$1")
	printf '%s\n' "${lines[@]:0:${2:-${#lines[@]}}}" | cut -f1
}

# bash_offers LINE...: the words that bash offers; of several lines, each after its line and
# a tab.
bash_offers() {
	bash -c '
		compopt() { :; }
		. "$1"
		shift
		for line; do
			COMP_LINE=$line COMP_POINT=${#line}
			_sessfs
			[ $# -eq 1 ] || COMPREPLY=("${COMPREPLY[@]/#/$line$'\''\t'\''}")
			printf "%s\n" "${COMPREPLY[@]}"
		done
	' bash "$ROOT/mount/share/completion.bash" "$@"
}

# Mount an entry with these branches below: 2ea9510f with the label "works", 01ab23cd
# and 71c4d85e, which is HEAD. Enter the mount. A label that is written to the mount
# would have an entry with any id, also one that begins as another.
mount_entries() {
	needs_mounts
	write_session "$(user 00000000 "" begin)" "$(user 2ea9510f 00000000 "a: b")" \
		"$(user 01ab23cd 00000000 other)" "$(user 71c4d85e 00000000 last)" \
		'{"type":"label","id":"ffffffff","parentId":"71c4d85e","timestamp":"2026-03-01T10:00:01.000Z","targetId":"2ea9510f","label":"works"}'
	mount_session "$@"
	cd "$MNT"
}

# bats test_tags=full
@test "each command has its own words: sessions, folders, options and their values" {
	local name
	session one.jsonl 1
	session two.jsonl 2
	touch other
	types 'sessfs on\t a\t' "'one.jsonl'" "'a folder'"
	types 'sessfs -f -o ro on\t a\t' "'-f'" "'-o'" "'ro'" "'one.jsonl'" "'a folder'"
	types 'sessfs one.jsonl one\t' "'one.jsonl'" "'one'"
	types 'sessfs -- -x a\t' "'--'" "'-x'" "'a folder'"
	types 'sessfs chec\t o\t t\t' "'check'" "'one.jsonl'" "'two.jsonl'"
	types 'sessfs exp\t a\t o\t' "'export'" "'a folder'" "'one.jsonl'"
	types 'sessfs resc\t a\t o\t' "'rescue'" "'a folder'" "'one.jsonl'"
	types 'sessfs --he\t' "'--help'"
	types 'sessfs -o sta\t x y' "'-o'" "'stats'" "'x'" "'y'"
	types 'sessfs -o ro,dialect=draft-u\t x' "'-o'" "'ro,dialect=draft-uuid'" "'x'"
	types 'sessfs -o ro,ke\t3 x' "'-o'" "'ro,keep=3'" "'x'"
	for name in diff log open; do
		types "sessfs $name a\\t" "'$name'" "'a folder'"
	done
	types 'sessfs say a\t a\t' "'say'" "'a'" "'a folder'"
	types 'sessfs say -- -a\t a\t' "'say'" "'--'" "'-a'" "'a folder'"
	types 'sessfs say "an other" a\t' "'say'" "'an other'" "'a folder'"
	types 'sessfs skill ins\t om\t a\t' "'skill'" "'install'" "'omp'" "'a folder'"
	types 'sessfs skill un\t a\t' "'skill'" "'uninstall'" "'a folder'"
	types 'sessfs open o\tx' "'open'" "'one.jsonl'" "'x'"
	types 'sessfs open --her\t --ag\t cl\t -o dialect=om\t a\t' "'open'" "'--here'" "'--agent'" "'claude'" \
		"'-o'" "'dialect=omp'" "'a folder'"
	types 'sessfs grep o\t o\t a\t' "'grep'" "'o'" "'one.jsonl'" "'a folder'"
	types 'sessfs grep -e o\t o\tx' "'grep'" "'-e'" "'o'" "'one.jsonl'" "'x'"
	types 'sessfs grep -i -A 1 --role toolR\t --agent p\t x o\tx' "'grep'" "'-i'" "'-A'" "'1'" "'--role'" \
		"'toolResult'" "'--agent'" "'pi'" "'x'" "'one.jsonl'" "'x'"
	types 'sessfs grep --role=as\t x' "'grep'" "'--role=assistant'" "'x'"
	types 'sessfs grep --op\t x' "'grep'" "'--open'" "'x'"
	types 'sessfs sources -a om\t -c a\t' "'sources'" "'-a'" "'omp'" "'-c'" "'a folder'"
	types 'sessfs lis\t o\t a\t t\t' "'list'" "'one.jsonl'" "'a folder'" "'two.jsonl'"
	types 'sessfs gr\t w o\t t\t' "'grep'" "'w'" "'one.jsonl'" "'two.jsonl'"
	typed
}

# bats test_tags=full
@test "sessions here and of agents are offered newest first" {
	needs fish
	session middle.jsonl 5
	session aaa.jsonl 9
	session zzz.jsonl 7
	types 'sessfs check \t' "'check'" "'middle.jsonl'"
	SHELLS="bash zsh" typed
	local folder age=4
	for folder in .claude/projects/-x .omp/agent/sessions/x .pi/agent/sessions/--x--; do
		mkdir -p "$HOME/$folder"
		session "$HOME/$folder/agent-$age.jsonl" $age
		age=$((age - 1))
	done
	session "a folder/new.jsonl" 0
	# Where it is rather a command.
	types 'sessfs \t' "'grep'"
	SHELLS="bash zsh" typed
	# Those of agents by their ids.
	is "middle.jsonl
zzz.jsonl
aaa.jsonl
agent-2
agent-3
a folder/" fish_offers "sessfs check "
	is "$("$SESSFS" -h | sed -n 's/^  \([a-z][a-z]*\) .*/\1/p; s/^Plumbing: //p' | tr ' ' '\n')" fish_offers "sessfs "
	# Not after something is typed.
	types 'sessfs ./\t' "'./middle.jsonl'"
	SHELLS="bash zsh" typed
	types 'sessfs check agent-2\t x' "'check'" "'agent-2'" "'x'"
	typed
}

# bats test_tags=full
@test "bash lists them in that order" {
	local completion=$ROOT/mount/share/completion.bash
	session b.jsonl 1
	session c.jsonl 2
	session a.jsonl 3
	is "b.jsonl
c.jsonl
a.jsonl
a folder" bash_offers "sessfs check "
	bash -c '. "$1"; complete -p sessfs | grep -q -- "-o nosort"' bash "$completion"
}

# bats test_tags=full
@test "names with spaces, quotes, newlines and shell metacharacters" {
	local name
	for name in 'sp  ace' "it's" 'q"$(touch x)`' $'new\nline' 'col:on=x' 'back\slash' \
		'per%cent' 'st*r[a]?' '-dash' 'ünïcode' '~tilde' 'a&b;c|d'; do
		session "./$name.jsonl" 1
	done
	types 'sessfs sp\tx' "'sp  ace.jsonl'" "'x'"
	types 'sessfs it\tx' "\"it's.jsonl\"" "'x'"
	types 'sessfs q\tx' "'q\"\$(touch x)\`.jsonl'" "'x'"
	types 'sessfs new\tx' "'new\\nline.jsonl'" "'x'"
	types 'sessfs col:\tx' "'col:on=x.jsonl'" "'x'"
	types 'sessfs back\tx' "'back\\\\slash.jsonl'" "'x'"
	types 'sessfs per\tx' "'per%cent.jsonl'" "'x'"
	types 'sessfs st\tx' "'st*r[a]?.jsonl'" "'x'"
	types 'sessfs ./-\tx' "'./-dash.jsonl'" "'x'"
	types 'sessfs ü\tx' "'\\xfcn\\xefcode.jsonl'" "'x'"
	types 'sessfs ./~\tx' "'./~tilde.jsonl'" "'x'"
	types 'sessfs a\&\tx' "'a&b;c|d.jsonl'" "'x'"
	typed
	[ ! -e x ]
}

# bats test_tags=full
@test "in a folder with a space, quoted in every way, and in the home" {
	session "a folder/one.jsonl" 1
	types 'sessfs a\ f\to\tx' "'a folder/one.jsonl'" "'x'"
	types "sessfs 'a folder/o\tx" "'a folder/one.jsonl'" "'x'"
	types 'sessfs "a folder/o\tx' "'a folder/one.jsonl'" "'x'"
	typed
	session "$HOME/mine.jsonl" 1
	types 'sessfs ~/m\tx' "'$HOME/mine.jsonl'" "'x'"
	typed
	types 'sessfs $HOME/m\tx' "'$HOME/mine.jsonl'" "'x'"
	SHELLS="bash" typed
}

# bats test_tags=full
@test "hidden names only after a dot; links as their targets" {
	needs fish
	session .hidden.jsonl 1
	session real.jsonl 3
	ln -s real.jsonl link.jsonl
	ln -s "a folder" folder.jsonl
	types 'sessfs check \t' "'check'" "'link.jsonl'"
	SHELLS="bash zsh" typed
	types 'sessfs .h\tx' "'.hidden.jsonl'" "'x'"
	types 'sessfs link\tx' "'link.jsonl'" "'x'"
	typed
	is "link.jsonl
real.jsonl
folder.jsonl/
a folder/" fish_offers "sessfs check "
}

# bats test_tags=full
@test "every command, its options, those of a mount, and every dialect" {
	needs fish
	local name line lines dialects LINES=() WANT=()
	start "$SESSFS" -h >"$DIR/help"
	dialects=$("$SESSFS" -o dialect=none x y 2>&1 | sed 's/.*; known: //; s/,//g') || :
	[ "$(wc -w <<<"$dialects")" -ge 8 ]
	# shellcheck disable=SC2046 # words
	offers "sessfs -" $(grep -oE '^  (-[a-zA-Z],? *)*(--[a-z]+)?' "$DIR/help" | tr -d ,)
	# shellcheck disable=SC2046 # words
	offers "sessfs -o " $(sed -n 's/^  -o \([a-z_]*=\{0,1\}\).*/\1/p' "$DIR/help" | grep -v dialect) \
		$(printf 'dialect=%s ' $dialects)
	mapfile -t lines < <(sed -n 's/^  \([a-z][a-z]*\) .*/\1/p; s/^Plumbing: //p' "$DIR/help" | xargs -n 1)
	[ ${#lines[@]} -ge 15 ]
	offers "sessfs " "${lines[@]}"
	for name in "${lines[@]}"; do
		offers "sessfs $name -" -h
		start "$SESSFS" "$name" -h >"$DIR/help"
		while IFS= read -r line; do
			[[ ! $line =~ ^\ \ (-[a-zA-Z])?(, )?(--[a-z-]+)? ]] ||
				offers "sessfs $name -" ${BASH_REMATCH[1]} ${BASH_REMATCH[3]}
		done <"$DIR/help"
	done
	all_offered
}

# offers LINE WORD...: bash and fish offer all of these words. all_offered looks.
offers() {
	[[ ${#LINES[@]} -gt 0 && ${LINES[-1]} == "$1" ]] || LINES+=("$1")
	WANT+=("${@:2}")
	local i
	for ((i = ${#WANT[@]} - $# + 1; i < ${#WANT[@]}; i++)); do
		WANT[i]=$1$'\t'${WANT[i]}
	done
}

all_offered() {
	local shell line lines want
	bash_offers "${LINES[@]}" >"$DIR/bash"
	# Fish has the long ones after two.
	# shellcheck disable=SC2016 # fish's
	fish --no-config -c 'source $argv[1]
		for line in $argv[2..]
			complete -C $line | string replace -r "^([^\t]*).*" "$line"\t"\$1"
			string match -q -- "*-" $line; and complete -C $line- | string replace -r "^([^\t]*).*" "$line"\t"\$1"
		end' "$ROOT/mount/share/completion.fish" "${LINES[@]}" >"$DIR/fish" || :
	for shell in bash fish; do
		declare -A found=()
		mapfile -t lines <"$DIR/$shell"
		for line in "${lines[@]}"; do found[$line]=1; done
		for want in "${WANT[@]}"; do
			[ -n "${found[$want]-}" ] || {
				echo "$shell: $want"
				return 1
			}
		done
		unset found
	done
}

# bats test_tags=full
@test "an entry by its id, its label, its branch or HEAD" {
	mount_entries
	types 'sessfs log 2ea\tx' "'log'" "'2ea9510f'" "'x'"
	types 'sessfs log w\tx' "'log'" "'works'" "'x'"
	types 'sessfs resume -x w\t ../m\t' "'resume'" "'-x'" "'works'" "'../mnt'"
	types 'sessfs resume --in co\t -x w\t' "'resume'" "'--in'" "'codex'" "'-x'" "'works'"
	types 'sessfs resume --in=cl\t w\t' "'resume'" "'--in=claude'" "'works'"
	types 'sessfs log -n 3 01\tx' "'log'" "'-n'" "'3'" "'01ab23cd'" "'x'"
	types 'sessfs diff HEAD/p\t 71\tx' "'diff'" "'HEAD/parent'" "'71c4d85e'" "'x'"
	types 'sessfs log --after wo\t ../m\t' "'log'" "'--after'" "'works'" "'../mnt'"
	types 'sessfs log by-l\t' "'log'" "'by-label'"
	# Only one of them is an entry here.
	types 'sessfs diff 2ea 71 2ea\tx' "'diff'" "'2ea'" "'71'" "'2eax'"
	typed
	cd by-id/2ea9510f
	types 'sessfs log 01\tx' "'log'" "'01ab23cd'" "'x'"
	typed
	cd "$DIR/here"
	types 'sessfs log 2ea\tx' "'log'" "'2eax'"
	typed
}

# bats test_tags=full
@test "entries are offered once, with what tree.txt has of them" {
	local option words=$'HEAD\tuser  last ← HEAD
HEAD/parent\tuser  begin
works\tuser  a: b [works]
2ea9510f\tuser  a: b [works]
01ab23cd\tuser  other
71c4d85e\tuser  last ← HEAD
00000000\tuser  begin'
	for option in force color; do
		mount_entries -o $option
		# The label's own entry is none.
		is "$words" eval 'fish_describes "sessfs log --after " | head -n 7'
		is 7 eval 'fish_describes "sessfs log --after " | wc -l'
		is "$(cut -f1 <<<"$words")" eval 'bash_offers "sessfs log " | head -n 7'
		cd "$DIR"
		unmount
		daemon_is_gone
	done
}

# bats test_tags=full
@test "the session is that of the last word, if that is after the cursor" {
	# Seven times to the left.
	local back=$'\x02\x02\x02\x02\x02\x02\x02'
	mount_entries
	cd "$DIR/here"
	# Fish does not tell.
	local SHELLS="bash zsh"
	types "sessfs diff wo ../mnt$back\\t" "'diff'" "'works'" "'../mnt'"
	types "sessfs diff 2ea  ../mnt${back}w\\t" "'diff'" "'2ea'" "'works'" "'../mnt'"
	typed
	ln -s "$DIR" "$HOME/a b"
	types "sessfs switch wo ~/a\\ b/mnt$back${back:3}\\t" "'switch'" "'works'" "'$HOME/a b/mnt'"
	typed
}

# bats test_tags=full
@test "labels with spaces, quotes, newlines and shell metacharacters" {
	needs_mounts
	write_many chain 10
	mount_session
	local label n=0
	for label in "it's  a" 'q"$(touch x)`\' 'new=st*r:[a]?' '~tilde' '&;{|}<>' '#!x' 'ünïcode' -dash; do
		printf '%s\n' "$label" >"$MNT/by-id/0000000$n/label"
		n=$((n + 1))
	done
	printf '%s\n' '{"type":"label","id":"aaaaaaaa","parentId":null,"timestamp":"2026-03-01T10:00:01.000Z","targetId":"00000009","label":"line\nfeed"}' >>"$SESSION"
	cd "$MNT"
	types 'sessfs log it\tx' "'log'" "\"it's  a\"" "'x'"
	types "sessfs log 'it\tx" "'log'" "\"it's  a\"" "'x'"
	types 'sessfs log q\tx' "'log'" "'q\"\$(touch x)\`\\\\'" "'x'"
	types 'sessfs log "q\tx' "'log'" "'q\"\$(touch x)\`\\\\'" "'x'"
	types 'sessfs log new=\tx' "'log'" "'new=st*r:[a]?'" "'x'"
	types 'sessfs log "new=st*r:\tx' "'log'" "'new=st*r:[a]?'" "'x'"
	types 'sessfs log \~\tx' "'log'" "'~tilde'" "'x'"
	types 'sessfs log \&\tx' "'log'" "'&;{|}<>'" "'x'"
	types 'sessfs log \#\tx' "'log'" "'#!x'" "'x'"
	types 'sessfs log ü\tx' "'log'" "'\\xfcn\\xefcode'" "'x'"
	types 'sessfs log line\tx' "'log'" "'line%0Afeed'" "'x'"
	typed
	# Not what would be an option.
	bash_offers "sessfs log " >"$DIR/bash"
	fish_offers "sessfs log " >"$DIR/fish"
	[ "$(grep -ch ^- "$DIR/bash" "$DIR/fish")" = $'0\n0' ]
	[ ! -e x ]
}

# bats test_tags=full
@test "a session of 10,000 entries" {
	needs_mounts
	write_many chain 10000
	mount_session
	cd "$MNT"
	types 'sessfs log 0000270f\tx' "'log'" "'0000270f'" "'x'"
	types 'sessfs diff 0000270e\t 00001a2b\tx' "'diff'" "'0000270e'" "'00001a2b'" "'x'"
	typed
}

# bats test_tags=full
@test "sessions are also where Pi's settings have them" {
	mkdir -p "$HOME/.pi/agent" "$DIR/else where/\\t/in"
	printf '{"sessionDir": "%s"}\n' "$DIR/else where/\\\\t" >"$HOME/.pi/agent/settings.json"
	session "$DIR/else where/\\t/in/2026_abc-de.jsonl" 1
	types 'sessfs open abc\tx' "'open'" "'abc-de'" "'x'"
	types 'sessfs abc\tx' "'abc-de'" "'x'"
	typed
}

