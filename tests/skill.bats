# The skill that teaches an agent to read past sessions: every command in it runs as
# written. And sessfs skill, which installs it.
load lib/mount
load lib/run
load lib/pi
load lib/claude
load lib/omp

SKILL=$ROOT/mount/share/skill/SKILL.md

setup() {
	make_folder
	make_home
	mkdir "$HOME/work" "$DIR/bin"
	ln -s "$SESSFS" "$DIR/bin/sessfs"
	PATH=$DIR/bin:$PATH
}

# -- what the skill says

commands() {
	awk '/^```/ { inside = !inside; next } inside' "$SKILL"
}

# The folder of an agent's sessions for $HOME/work.
folder_of() {
	case $1 in
	pi) echo "$HOME/.pi/agent/sessions/--$(tr / - <<<"${HOME#/}/work")--" ;;
	omp) echo "$HOME/.omp/agent/sessions/-work" ;;
	claude) echo "$HOME/.claude/projects/$(tr -c 'a-zA-Z0-9\n' - <<<"$HOME/work")" ;;
	esac
}

# An answered question about a timeout.
session_of() {
	SESSION=$(folder_of "$1")/2026-03-01T10-00-00-000Z_0198f000-0000-7000-8000-00000000000a.jsonl
	mkdir -p "${SESSION%/*}"
	case $1 in
	pi)
		write_session "$(user aa000001 "" "Why the timeout?")" \
			"$(message aa000002 aa000001 '{"role":"assistant","content":[{"type":"text","text":"The timeout is too short."}]}')"
		;;
	omp)
		write_omp "$(user aa000001 "" "Why the timeout?")" \
			"$(message aa000002 aa000001 '{"role":"assistant","content":[{"type":"text","text":"The timeout is too short."}]}')"
		;;
	claude)
		SESSION=${SESSION%/*}/$SESSION_ID.jsonl
		write_lines "$(claude_user 1 "" "Why the timeout?")" "$(claude_answer 2 1 "The timeout is too short.")"
		;;
	esac
	sed -i "s,/work/demo,$HOME/work," "$SESSION"
}

# Run a command in a shell of its own: without a terminal, as agents do.
works() {
	local shell status=0
	for shell in $SHELLS; do
		needs "$shell"
		$shell -c "$1" >"$DIR/out" 2>"$DIR/err" </dev/null || status=$?
		[ "$status" -eq 0 ] && [ ! -s "$DIR/err" ] || {
			echo "$shell, status $status: $1"
			cat "$DIR/err"
			return 1
		}
		case $1 in
		fusermount3*) if mounted_here -t fuse.sessfs; then return 1; fi ;;
		*) [ -s "$DIR/out" ] || { echo "$shell prints nothing: $1"; return 1; } ;;
		esac
	done
}

every_command_works() {
	local agent command SHELLS
	for agent; do
		SHELLS=${agent#*:} agent=${agent%:*}
		rm -rf "$HOME"/.[pco]*
		session_of "$agent"
		cp "$SESSION" "$DIR/before"
		while IFS= read -r command; do
			works "$command"
		done < <(commands)
		cmp "$SESSION" "$DIR/before"
		is "$SESSION" find "$HOME" -name '*.jsonl*'
	done
}

# oh-my-pi shows its model 99 characters.
@test "the skill's description says first when to use it" {
	run -0 sed -n 's/^description: \(.\{1,99\}\) .*/\1/p' "$SKILL"
	[[ $output == "Use when "*"earlier work"*"before repeating"*. ]]
}

# bats test_tags=full
@test "every command in the skill works as written, and writes nothing" {
	needs_mounts
	[ "$(commands | wc -l)" -ge 12 ]
	cd "$HOME/work"
	every_command_works "pi:bash sh" omp:sh claude:bash
}

# bats test_tags=full
@test "what the skill says of the output is so" {
	needs_mounts
	cd "$HOME/work"
	session_of pi
	is "${SESSION%.jsonl}/by-id/aa000001/content:1:Why the timeout?
${SESSION%.jsonl}/by-id/aa000002/content:1:The timeout is too short." \
		eval "$(commands | sed -n 1p)"
	is "$SESSION" eval "$(commands | sed -n 2p)"
	is "pi|2026-03-01T10:00:01.000Z|$SESSION|$HOME/work|Why the timeout?" \
		eval "{ $(commands | sed -n 4p); } | tr '\t' '|'"
	local m
	for m in "$SESSION" 0198f000 .; do
		m=$(sessfs open -o ro "$m")
		grep -qx "aa000001 user  Why the timeout?" "$m/tree.txt"
		is 0002-assistant-The-timeout-is-too-short eval 'ls "$m/path" | tail -n 1'
		is "by-id/aa000002/content:1:The timeout is too short." tail -n 1 "$m/lines.txt"
		grep -qx "role: user" "$m/by-id/aa000001/meta"
		is "[User]: Why the timeout?" cat "$m/by-id/aa000001/context.txt"
		is 2 eval 'wc -l <"$m/by-id/aa000001/branch.jsonl"'
	done
	fails_with "Read-only file system" ln -sfn by-id/aa000001 "$m/HEAD"
	# The same command again, where the mount is dead or gone.
	kill -9 "$(pgrep -f "sessfs .*$m")"
	is "$m" sessfs open -o ro .
	[ -s "$m/tree.txt" ]
	fusermount3 -u "$m"
	is "$m" sessfs open -o ro .
	[ -s "$m/tree.txt" ]
	is "${SESSION%.jsonl}/by-id/aa000002/content:1:The timeout is too short." \
		sessfs grep '' "${SESSION%.jsonl}/by-id/aa000002"
	run -1 sessfs grep nothing
	[ -z "$output" ]
	mkdir -p "$DIR/all"
	sessfs -o ro "$HOME/.pi/agent/sessions" "$DIR/all"
	grep -q "Why the timeout?" "$DIR/all/sessions.txt"
}

@test "its frontmatter is valid, and it has fewer than 60 lines" {
	[ "$(wc -l <"$SKILL")" -lt 60 ]
	is --- head -n 1 "$SKILL"
	sed '1d; /^---$/,$d' "$SKILL" >"$DIR/front"
	is "name description" eval "cut -d: -f1 '$DIR/front' | xargs"
	is sessfs sed -n 's/^name: //p' "$DIR/front"
	local description
	description=$(sed -n 's/^description: //p' "$DIR/front")
	[[ -n $description && ${#description} -le 1024 ]]
	# As YAML it is a plain word.
	[[ $description != *": "* && $description != *" #"* && $description != [\"\'\[\{\&\*]* ]]
}

# -- sessfs skill

is_linked() {
	is "$(cd -P "$ROOT/mount/share/skill" && pwd)" readlink "$1"
	is "name: sessfs" grep name: "$1/SKILL.md"
}

# bats test_tags=full
@test "install links the skill for the agents that are here, and uninstall removes it" {
	local all=".pi/agent .omp/agent .claude" agent
	rm -rf "$HOME"/.[pco]*
	fails_in_a_line "no agent has a folder here" 1 helper skill install
	for agent in $all; do
		mkdir -p "$HOME/$agent"
		is "$HOME/$agent/skills/sessfs" helper skill install
		is_linked "$HOME/$agent/skills/sessfs"
		rm -r "${HOME:?}/${agent%/*}"
	done
	is "$HOME/.pi/agent/skills/sessfs
$HOME/.omp/agent/skills/sessfs
$HOME/.claude/skills/sessfs" helper skill install pi omp claude
	# Again, and with a link that an older one has left.
	ln -sfn /nowhere/share/sessfs/skill "$HOME/.claude/skills/sessfs"
	helper skill install >"$DIR/out"
	is 3 eval "wc -l <'$DIR/out'"
	is_linked "$HOME/.claude/skills/sessfs"
	is 1 eval "ls -A '$HOME/.claude/skills/sessfs/' | wc -l"
	is "$HOME/.omp/agent/skills/sessfs" helper skill uninstall omp
	[ -z "$(helper skill uninstall omp)" ]
	is "$HOME/.pi/agent/skills/sessfs
$HOME/.claude/skills/sessfs" helper skill uninstall
	prints_nothing find "$HOME" -type l
	[ -z "$(helper skill uninstall)" ]
}

@test "install follows the agents' variables, and takes folders" {
	rm -rf "$HOME"/.[pco]* "$HOME/own"
	mkdir -p "$HOME/own"
	PI_CODING_AGENT_DIR=\~/own is "$HOME/own/skills/sessfs" helper skill install
	PI_CODING_AGENT_DIR=$HOME/own is "$HOME/own/skills/sessfs" helper skill uninstall pi
	CLAUDE_CONFIG_DIR=$HOME/own is "$HOME/own/skills/sessfs" helper skill install claude
	PI_CONFIG_DIR=.other is "$HOME/.other/agent/skills/sessfs" helper skill install omp
	cd "$HOME"
	is ".claude/my skills/sessfs" helper skill install ".claude/my skills"
	is_linked ".claude/my skills/sessfs"
	is own/sessfs helper skill install -- own
	is own/sessfs helper skill uninstall own
	fails_in_a_line "other: no such agent or folder" 1 helper skill install other
	fails_in_a_line "an operand can't be empty" 2 helper skill install ''
	rm -r "$HOME/.other"
}

# bats test_tags=full
@test "what is not ours is neither replaced nor removed" {
	local at=$HOME/.claude/skills/sessfs what
	rm -rf "$HOME"/.[pco]*
	mkdir -p "$HOME/.claude/skills" "$HOME/.pi/agent"
	for what in mkdir "cp -r $ROOT/mount/share/skill" "ln -s /elsewhere" touch; do
		$what "$at"
		[ ! -d "$at" ] || echo edited >>"$at/SKILL.md"
		run -1 helper skill install
		[[ $output == *"sessfs: $at: is not ours"* ]]
		# The others are not kept from it.
		is_linked "$HOME/.pi/agent/skills/sessfs"
		run -1 helper skill uninstall claude
		[[ $output == *"$at: is not ours, and is left there"* ]]
		[ -e "$at" ] || [ -L "$at" ]
		[ ! -d "$at" ] || is edited tail -n 1 "$at/SKILL.md"
		rm -r "$at"
	done
}

# bats test_tags=full
@test "the skill is found in the sources and where it is installed" {
	local sources=$DIR/sources at
	# leads_to SKILL PROGRAM
	leads_to() {
		"$2" skill install "$HOME/skills" >"$DIR/out"
		is "$1" readlink "$HOME/skills/sessfs"
	}
	leads_to "$(cd -P "$ROOT/mount/share/skill" && pwd)" sessfs
	mkdir -p "$sources/mount/share" "$sources/build/san"
	cp -r "$ROOT/mount/share/skill" "$sources/mount/share/"
	for at in build build/san; do
		cp "$SESSFS" "$sources/$at/sessfs"
		leads_to "$(cd -P "$sources" && pwd)/mount/share/skill" "$sources/$at/sessfs"
	done
	make -s -C "$ROOT" install SESSFS="$SESSFS" PREFIX="$DIR/prefix" HELPERDIR="$DIR/sbin" UNITDIR="$DIR/units"
	leads_to "$(cd -P "$DIR" && pwd)/prefix/share/sessfs/skill" "$DIR/prefix/bin/sessfs"
	cd "$DIR/prefix/bin"
	leads_to "$(cd -P "$DIR" && pwd)/prefix/share/sessfs/skill" ./sessfs
	mkdir "$HOME/.claude"
	./sessfs skill install
	cmp "$SKILL" "$HOME/.claude/skills/sessfs/SKILL.md"
	rm "$DIR/prefix/share/sessfs/skill/SKILL.md"
	fails_in_a_line "there is no skill" 1 ./sessfs skill install
	# Also then it can be removed.
	is "$HOME/.claude/skills/sessfs" ./sessfs skill uninstall
}

# bats test_tags=full
@test "without HOME no agent's folder is made in the wrong place" {
	mkdir "$DIR/skills"
	for home in -u\ HOME HOME=; do
		for where in "" pi claude; do
			# shellcheck disable=SC2086 # words
			run -1 --separate-stderr env $home sessfs skill install $where
			[ "$stderr" = "sessfs: HOME: is not set" ]
		done
		# shellcheck disable=SC2086 # words
		env $home sessfs skill install "$DIR/skills"
	done
}
