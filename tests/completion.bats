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
}

# A session of this age in days.
session() {
	touch -d "2026-03-01 $2 days ago" "$1"
}

# types KEYS WORDS: fails unless in each shell these keys (\t is TAB) give these
# words, written as in Python. The first word is the command.
types() {
	local shell keys=$1
	shift
	for shell in ${SHELLS:-bash zsh fish}; do
		needs python3 "$shell"
		# Fish has a / after a folder, the others may have one.
		diff -u <(printf '%s\n' "$@") \
			<(python3 "$ROOT/tests/type.py" "$shell" \
				"$ROOT/mount/share/completion.$shell" "${keys%% *}" "$keys" |
				sed "s|\(.\)/'$|\1'|") || {
			echo "in $shell: $keys"
			return 1
		}
	done
}

# The words that fish offers, in order, and their descriptions.
fish_describes() {
	needs fish
	fish --no-config -c 'source $argv[1]; complete -C $argv[2]' \
		"$ROOT/mount/share/completion.fish" "$1"
}

# Only the words: there TAB chooses none of several.
fish_offers() {
	fish_describes "$1" | cut -f1
}

# The words that bash offers.
bash_offers() {
	bash -c '
		compopt() { :; }
		. "$1"
		COMP_LINE=$2 COMP_POINT=${#2}
		_sessfs
		printf "%s\n" "${COMPREPLY[@]}"
	' bash "$ROOT/mount/share/completion.bash" "$1"
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

@test "a session file, then a folder" {
	session one.jsonl 1
	touch other
	types 'sessfs on\t a\t' "'one.jsonl'" "'a folder'"
	types 'sessfs -f -o ro on\t a\t' "'-f'" "'-o'" "'ro'" "'one.jsonl'" "'a folder'"
	types 'sessfs one.jsonl one\t' "'one.jsonl'" "'one'"
	types 'sessfs -- -x a\t' "'--'" "'-x'" "'a folder'"
}

@test "sessions here and of agents are offered newest first" {
	needs fish
	session middle.jsonl 5
	session aaa.jsonl 9
	session zzz.jsonl 7
	SHELLS="bash zsh" types 'sessfs \t' "'middle.jsonl'"
	SHELLS="bash zsh" types 'sessfs --check \t' "'--check'" "'middle.jsonl'"
	local folder age=4
	for folder in .claude/projects/-x .omp/agent/sessions/x .pi/agent/sessions/--x--; do
		mkdir -p "$HOME/$folder"
		session "$HOME/$folder/agent.jsonl" $age
		age=$((age - 1))
	done
	session "a folder/new.jsonl" 0
	SHELLS="bash zsh" types 'sessfs \t' "'$HOME/.pi/agent/sessions/--x--/agent.jsonl'"
	is "$HOME/.pi/agent/sessions/--x--/agent.jsonl
$HOME/.omp/agent/sessions/x/agent.jsonl
$HOME/.claude/projects/-x/agent.jsonl
middle.jsonl
zzz.jsonl
aaa.jsonl
a folder/
grep" eval 'fish_offers "sessfs " | head -n 8'
	# Not after something is typed.
	SHELLS="bash zsh" types 'sessfs ./\t' "'./middle.jsonl'"
	types 'sessfs agent\t' "'agent'"
}

@test "bash lists them in that order" {
	local completion=$ROOT/mount/share/completion.bash
	session b.jsonl 1
	session c.jsonl 2
	session a.jsonl 3
	is "b.jsonl
c.jsonl
a.jsonl
a folder
grep" eval 'bash_offers "sessfs " | head -n 5'
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
	[ ! -e x ]
}

# bats test_tags=full
@test "in a folder with a space, quoted in every way, and in the home" {
	session "a folder/one.jsonl" 1
	types 'sessfs a\ f\to\tx' "'a folder/one.jsonl'" "'x'"
	types "sessfs 'a folder/o\tx" "'a folder/one.jsonl'" "'x'"
	types 'sessfs "a folder/o\tx' "'a folder/one.jsonl'" "'x'"
	session "$HOME/mine.jsonl" 1
	types 'sessfs ~/m\tx' "'$HOME/mine.jsonl'" "'x'"
	SHELLS=bash types 'sessfs $HOME/m\tx' "'$HOME/mine.jsonl'" "'x'"
}

@test "hidden names only after a dot; links as their targets" {
	needs fish
	session .hidden.jsonl 1
	session real.jsonl 3
	ln -s real.jsonl link.jsonl
	ln -s "a folder" folder.jsonl
	SHELLS="bash zsh" types 'sessfs \t' "'link.jsonl'"
	types 'sessfs .h\tx' "'.hidden.jsonl'" "'x'"
	types 'sessfs link\tx' "'link.jsonl'" "'x'"
	is "link.jsonl
real.jsonl
folder.jsonl/
a folder/" eval 'fish_offers "sessfs " | head -n 4'
}

@test "--check has sessions only, --export and --rescue a folder and a session" {
	session one.jsonl 1
	session two.jsonl 2
	types 'sessfs --ch\t o\t t\t' "'--check'" "'one.jsonl'" "'two.jsonl'"
	types 'sessfs --ex\t a\t o\t' "'--export'" "'a folder'" "'one.jsonl'"
	types 'sessfs --resc\t a\t o\t' "'--rescue'" "'a folder'" "'one.jsonl'"
}

@test "options, and the list after -o" {
	types 'sessfs --he\t' "'--help'"
	types 'sessfs -o sta\t x y' "'-o'" "'stats'" "'x'" "'y'"
	types 'sessfs -o ro,dialect=draft-u\t x' "'-o'" "'ro,dialect=draft-uuid'" "'x'"
	types 'sessfs -o ro,ke\t3 x' "'-o'" "'ro,keep=3'" "'x'"
}

@test "every command, its options, those of a mount, and every dialect" {
	needs fish
	local name option dialects
	"$SESSFS" -h >"$DIR/help"
	dialects=$("$SESSFS" -o dialect=none x y 2>&1 | sed 's/.*; known: //; s/,//g') || :
	[ "$(wc -w <<<"$dialects")" -ge 8 ]
	# shellcheck disable=SC2046 # words
	offers_all "sessfs -" $(grep -oE '^  (-[a-zA-Z],? *)*(--[a-z]+)?' "$DIR/help" | tr -d ,)
	# shellcheck disable=SC2046 # words
	offers_all "sessfs -o " $(sed -n 's/^  -o \([a-z_]*=\{0,1\}\).*/\1/p' "$DIR/help" | grep -v dialect) \
		$(printf 'dialect=%s ' $dialects)
	for name in $(sed -n '/^The commands/,/^$/s/^  \([a-z]*\) .*/\1/p' "$DIR/help"); do
		offers_all "sessfs " "$name"
		# shellcheck disable=SC2046 # words
		offers_all "sessfs $name -" -h $("$SESSFS" "$name" -h | sed -n 's/^  //p' |
			grep -oE '^(-[a-zA-Z])?(, )?(--[a-z-]+)?' | tr -d ,)
	done
}

# offers_all LINE WORD...: bash and fish offer all of these words.
offers_all() {
	local word
	bash_offers "$1" >"$DIR/bash"
	fish_offers "$1" >"$DIR/fish"
	case $1 in
	*-) fish_offers "$1-" >>"$DIR/fish" ;;
	esac
	for word in "${@:2}"; do
		grep -qx -e "$word" "$DIR/bash" && grep -qx -e "$word" "$DIR/fish" || {
			echo "$1 $word"
			return 1
		}
	done
}

@test "the helpers have folders" {
	local name
	for name in diff log open root; do
		types "sessfs-$name a\\t" "'a folder'"
	done
	types 'sessfs-say a\t a\t' "'a'" "'a folder'"
	types 'sessfs-say -- -a\t a\t' "'--'" "'-a'" "'a folder'"
	types 'sessfs-say "an other" a\t' "'an other'" "'a folder'"
}

@test "sessfs-skill has commands, agents and folders" {
	types 'sessfs-skill ins\t om\t a\t' "'install'" "'omp'" "'a folder'"
	types 'sessfs-skill un\t a\t' "'uninstall'" "'a folder'"
	types 'sessfs-skill pa\t x' "'path'" "'x'"
}

@test "an entry by its id, its label, its branch or HEAD" {
	mount_entries
	types 'sessfs-log 2ea\tx' "'2ea9510f'" "'x'"
	types 'sessfs-log w\tx' "'works'" "'x'"
	types 'sessfs-resume -x w\t ../m\t' "'-x'" "'works'" "'../mnt'"
	types 'sessfs-resume --in co\t -x w\t' "'--in'" "'codex'" "'-x'" "'works'"
	types 'sessfs-resume --in=cl\t w\t' "'--in=claude'" "'works'"
	types 'sessfs-root -i cw\t ../m\t' "'-i'" "'cwd'" "'../mnt'"
	types 'sessfs-log -n 3 01\tx' "'-n'" "'3'" "'01ab23cd'" "'x'"
	types 'sessfs-diff HEAD/p\t 71\tx' "'HEAD/parent'" "'71c4d85e'" "'x'"
	types 'sessfs-root -e wo\t ../m\t' "'-e'" "'works'" "'../mnt'"
	types 'sessfs-log by-l\t' "'by-label'"
	# Only one of them is an entry here.
	types 'sessfs-diff 2ea 71 2ea\tx' "'2ea'" "'71'" "'2eax'"
	cd by-id/2ea9510f
	types 'sessfs-log 01\tx' "'01ab23cd'" "'x'"
	cd "$DIR/here"
	types 'sessfs-log 2ea\tx' "'2eax'"
}

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
		# The last one is the label's.
		is "$words" eval 'fish_describes "sessfs-root -e " | head -n 7'
		is 8 eval 'fish_describes "sessfs-root -e " | wc -l'
		is "$(cut -f1 <<<"$words")" eval 'bash_offers "sessfs-log " | head -n 7'
		cd "$DIR"
		unmount
		daemon_is_gone
	done
}

@test "the session is that of the last word, if that is after the cursor" {
	# Seven times to the left.
	local back=$'\x02\x02\x02\x02\x02\x02\x02'
	mount_entries
	cd "$DIR/here"
	# Fish does not tell.
	local SHELLS="bash zsh"
	types "sessfs-diff wo ../mnt$back\\t" "'works'" "'../mnt'"
	types "sessfs-diff 2ea  ../mnt${back}w\\t" "'2ea'" "'works'" "'../mnt'"
	ln -s "$DIR" "$HOME/a b"
	types "sessfs-root -e wo ~/a\\ b/mnt$back${back:3}\\t" "'-e'" "'works'" "'$HOME/a b/mnt'"
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
	types 'sessfs-log it\tx' "\"it's  a\"" "'x'"
	types "sessfs-log 'it\tx" "\"it's  a\"" "'x'"
	types 'sessfs-log q\tx' "'q\"\$(touch x)\`\\\\'" "'x'"
	types 'sessfs-log "q\tx' "'q\"\$(touch x)\`\\\\'" "'x'"
	types 'sessfs-log new=\tx' "'new=st*r:[a]?'" "'x'"
	types 'sessfs-log "new=st*r:\tx' "'new=st*r:[a]?'" "'x'"
	types 'sessfs-log \~\tx' "'~tilde'" "'x'"
	types 'sessfs-log \&\tx' "'&;{|}<>'" "'x'"
	types 'sessfs-log \#\tx' "'#!x'" "'x'"
	types 'sessfs-log ü\tx' "'\\xfcn\\xefcode'" "'x'"
	types 'sessfs-log line\tx' "'line%0Afeed'" "'x'"
	# Not what would be an option.
	bash_offers "sessfs-log " >"$DIR/bash"
	fish_offers "sessfs-log " >"$DIR/fish"
	[ "$(grep -ch ^- "$DIR/bash" "$DIR/fish")" = $'0\n0' ]
	[ ! -e x ]
}

# bats test_tags=full
@test "a session of 10,000 entries" {
	needs_mounts
	write_many chain 10000
	mount_session
	cd "$MNT"
	types 'sessfs-log 0000270f\tx' "'0000270f'" "'x'"
	types 'sessfs-diff 0000270e\t 00001a2b\tx' "'0000270e'" "'00001a2b'" "'x'"
}

@test "sessions are also where Pi's settings have them" {
	mkdir -p "$HOME/.pi/agent" "$DIR/else where/\\t/in"
	printf '{"sessionDir": "%s"}\n' "$DIR/else where/\\\\t" >"$HOME/.pi/agent/settings.json"
	session "$DIR/else where/\\t/in/2026_abc-de.jsonl" 1
	SHELLS="bash zsh" types 'sessfs \t' "'$DIR/else where/\\\\t/in/2026_abc-de.jsonl'"
	# sessfs-open also takes the id.
	types 'sessfs-open abc\tx' "'abc-de'" "'x'"
	types 'sessfs abc\tx' "'abcx'"
}

@test "sessfs-open has sessions, folders and options" {
	session one.jsonl 1
	types 'sessfs-open o\tx' "'one.jsonl'" "'x'"
	types 'sessfs-open --her\t --ag\t cl\t -o dialect=om\t a\t' "'--here'" "'--agent'" "'claude'" \
		"'-o'" "'dialect=omp'" "'a folder'"
}

@test "sessfs-grep has options, and after the pattern sessions and folders" {
	session one.jsonl 1
	types 'sessfs-grep o\t o\t a\t' "'o'" "'one.jsonl'" "'a folder'"
	types 'sessfs-grep -e o\t o\tx' "'-e'" "'o'" "'one.jsonl'" "'x'"
	types 'sessfs-grep -i -A 1 --role toolR\t --agent p\t x o\tx' "'-i'" "'-A'" "'1'" "'--role'" \
		"'toolResult'" "'--agent'" "'pi'" "'x'" "'one.jsonl'" "'x'"
	types 'sessfs-grep --role=as\t x' "'--role=assistant'" "'x'"
	types 'sessfs-grep --op\t x' "'--open'" "'x'"
}

@test "sessfs-sources has agents and folders" {
	types 'sessfs-sources -a om\t -c a\t' "'-a'" "'omp'" "'-c'" "'a folder'"
}

@test "--lines, --list and --grep have any number of sessions and folders" {
	session one.jsonl 1
	session two.jsonl 2
	types 'sessfs --lis\t o\t a\t t\t' "'--list'" "'one.jsonl'" "'a folder'" "'two.jsonl'"
	types 'sessfs --lin\t o\t a\t t\t' "'--lines'" "'one.jsonl'" "'a folder'" "'two.jsonl'"
	types 'sessfs --gr\t w o\t t\t' "'--grep'" "'w'" "'one.jsonl'" "'two.jsonl'"
}
