# bats file_tags=shell
# Completion in the real shells: the typed keys, and the words that the command
# gets.
load lib/mount
load lib/run

setup() {
	make_folder
	export HOME=$DIR/home
	unset XDG_CONFIG_HOME XDG_DATA_HOME XDG_CACHE_HOME
	mkdir -p "$HOME" "$DIR/here/a folder"
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

# The words that fish offers, in order: there TAB chooses none of several.
fish_offers() {
	fish --no-config -c 'source $argv[1]; complete -C $argv[2]' \
		"$ROOT/mount/share/completion.fish" "$1" | cut -f1
}

@test "a session file, then a folder" {
	session one.jsonl 1
	touch other
	types 'sessfs o\t a\t' "'one.jsonl'" "'a folder'"
	types 'sessfs -f -o ro o\t a\t' "'-f'" "'-o'" "'ro'" "'one.jsonl'" "'a folder'"
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
a folder/" fish_offers 'sessfs '
	# Not after something is typed.
	SHELLS="bash zsh" types 'sessfs ./\t' "'./middle.jsonl'"
	types 'sessfs agent\t' "'agent'"
}

@test "bash lists them in that order" {
	local completion=$ROOT/mount/share/completion.bash
	session b.jsonl 1
	session c.jsonl 2
	session a.jsonl 3
	is "b.jsonl c.jsonl a.jsonl a folder" bash -c '
		compopt() { :; }
		. "$1"
		COMP_LINE="sessfs " COMP_POINT=7 COMP_WORDS=(sessfs "") COMP_CWORD=1
		_sessfs sessfs "" sessfs
		echo "${COMPREPLY[*]}"
	' bash "$completion"
	bash -c '. "$1"; complete -p sessfs | grep -q -- "-o nosort"' bash "$completion"
}

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
	types 'sessfs l\tx' "'link.jsonl'" "'x'"
	is "link.jsonl
real.jsonl
folder.jsonl/
a folder/" fish_offers 'sessfs '
}

@test "--check has sessions only, --export a folder and a session" {
	session one.jsonl 1
	session two.jsonl 2
	types 'sessfs --ch\t o\t t\t' "'--check'" "'one.jsonl'" "'two.jsonl'"
	types 'sessfs --ex\t a\t o\t' "'--export'" "'a folder'" "'one.jsonl'"
}

@test "options, and the list after -o" {
	types 'sessfs --he\t' "'--help'"
	types 'sessfs -o sta\t x y' "'-o'" "'stats'" "'x'" "'y'"
	types 'sessfs -o ro,dialect=draft-u\t x' "'-o'" "'ro,dialect=draft-uuid'" "'x'"
	types 'sessfs -o ro,ke\t3 x' "'-o'" "'ro,keep=3'" "'x'"
}

@test "every option that sessfs has is offered, and every dialect" {
	local shell option dialects
	"$SESSFS" -h >"$DIR/help"
	dialects=$("$SESSFS" -o dialect=none x y 2>&1 | sed 's/.*; known: //; s/,//g') || :
	[ "$(wc -w <<<"$dialects")" -ge 8 ]
	for shell in bash zsh fish; do
		for option in $(grep -oE '^  (-[a-zA-Z],? *)?(--[a-z]+)?' "$DIR/help" | tr -d ,); do
			grep -qE -- "($option\b|-[sl] ${option##*-}\b)" "$ROOT/mount/share/completion.$shell"
		done
		for option in $(sed -n 's/^  -o \([a-z_]*=\{0,1\}\).*/\1/p' "$DIR/help") $dialects; do
			grep -qw -- "${option%=}" "$ROOT/mount/share/completion.$shell" || {
				echo "$option in $shell"
				return 1
			}
		done
	done
}

@test "the helpers have folders" {
	local name
	for name in agent diff log open root switch; do
		types "sessfs-$name a\\t" "'a folder'"
	done
	types 'sessfs-say a\t a\t' "'a'" "'a folder'"
	types 'sessfs-say -- -a\t a\t' "'--'" "'-a'" "'a folder'"
	types 'sessfs-say "an other" a\t' "'an other'" "'a folder'"
}

@test "sessfs-agent has options, files for its commands, and a folder" {
	touch program
	types 'sessfs-agent --mo\t pro\t --to\t ./pro\t --l\t 3 a\t' "'--model'" "'program'" \
		"'--tools'" "'./program'" "'--limit'" "'3'" "'a folder'"
	types 'sessfs-agent --limit a\t' "'--limit'" "'a'"
}
