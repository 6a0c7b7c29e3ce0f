# shellcheck shell=bash
# Completion for bash of sessfs and of the helpers that are installed with it:
# options, sessions, newest first, and folders.

# Split the line up to the cursor into words without quotes: `before`, and `word`,
# the one to complete. Bash's own COMP_WORDS are split at = and : and keep their
# quotes. Bash replaces the word from its last unquoted character of that kind, or
# from an open quote: from `cut` on.
_sessfs_split() {
	local line=${COMP_LINE:0:COMP_POINT} quote='' cut_before=0 i char
	before=() word='' cut=0
	for ((i = 0; i < ${#line}; i++)); do
		char=${line:i:1}
		if [[ -n $quote && $char == "$quote" ]]; then
			quote='' cut=$cut_before
		elif [[ $char == \\ && $quote != \' ]]; then
			i=$((i + 1))
			word+=${line:i:1}
		elif [[ -n $quote ]]; then
			word+=$char
		elif [[ $char == [\'\"] ]]; then
			quote=$char cut_before=$cut cut=${#word}
		elif [[ $char == [[:space:]] ]]; then
			[[ -z $word ]] || before+=("$word")
			word='' cut=0
		else
			word+=$char
			[[ $COMP_WORDBREAKS != *"$char"* ]] || cut=${#word}
		fi
	done
}

# Offer the given words that start with the typed word.
_sessfs_offer() {
	local match
	for match; do
		[[ $match != "$word"* ]] || COMPREPLY+=("${match:cut}")
	done
}

# Offer files in the folder of the word, and in other folders, newest first: type for
# find, pattern for the name, other folders.
_sessfs_find() {
	local typed=${word%"${word##*/}"} real type=$1 name=$2 found
	shift 2
	real=${typed:-./}
	[[ $real != \~/* ]] || real=$HOME/${real#*/}
	[[ ${word##*/} == .* ]] || name="[!.]$name"
	mapfile -d '' -t found < <(
		find -H "$real" "$@" -mindepth 1 -maxdepth 1 -name "$name" \
			-xtype "$type" -printf '%T@/%p\0' 2>/dev/null |
			sort -zrn | cut -zd/ -f2-
	)
	compopt -o filenames
	# Bash itself expands $HOME and such.
	[[ $typed != *\$* ]] || compopt -o default
	_sessfs_offer "${found[@]/#"$real"/"$typed"}"
}

# Before anything is typed, also the sessions in the folders of the agents.
_sessfs_sessions() {
	local folder folders=()
	[[ -n $word ]] ||
		for folder in .pi/agent/sessions .omp/agent/sessions .claude/projects; do
			folders+=("$HOME/$folder" "$HOME/$folder"/*/)
		done
	_sessfs_find f '*.jsonl' "${folders[@]}"
	_sessfs_find d '*'
}

# The list after -o.
_sessfs_options() {
	local list='' known=(ro force stats color keep= poll= allow_other auto_unmount
		dialect={pi,omp,pi-harness,claude,go-tree,draft-uuid,draft-index,lines})
	[[ $word != *,* ]] || list=${word%,*},
	_sessfs_offer "${known[@]/#/"$list"}"
	[[ ${#COMPREPLY[@]} -ne 1 || ${COMPREPLY[0]} != *= ]] || compopt -o nospace
}

_sessfs() {
	local before word cut i dashes=yes mode='' arguments=0
	COMPREPLY=()
	_sessfs_split
	for ((i = 1; i < ${#before[@]}; i++)); do
		case $dashes${before[i]} in
		yes--) dashes='' ;;
		yes--check | yes--export) mode=${before[i]} ;;
		yes-o) i=$((i + 1)) ;;
		yes-*) ;;
		*) arguments=$((arguments + 1)) ;;
		esac
	done
	if ((i > ${#before[@]})); then
		_sessfs_options
	elif [[ -n $dashes && $word == -* ]]; then
		_sessfs_offer -d -f -h -o -s -V --help --version --check --export
	else
		case $mode$arguments in
		0 | --check* | --export1) _sessfs_sessions ;;
		1 | --export0) _sessfs_find d '*' ;;
		esac
	fi
}

# Arguments of most helpers are entries and mounts, which are folders.
_sessfs_helper() {
	local before word cut
	COMPREPLY=()
	_sessfs_split
	case ${before[0]##*/}:${before[-1]} in
	sessfs-agent:--model | sessfs-agent:--tools)
		compopt -o default # a command, which may be a file
		;;
	sessfs-agent:--limit) ;;
	sessfs-agent:*)
		_sessfs_offer --model --tools --limit
		[[ $word == -* ]] || _sessfs_find d '*'
		;;
	sessfs-say:-- | sessfs-say:"${before[0]}") ;; # the text
	*) [[ $word == -* ]] || _sessfs_find d '*' ;;
	esac
}

complete -o nosort -F _sessfs sessfs
complete -o nosort -F _sessfs_helper sessfs-agent sessfs-diff sessfs-log \
	sessfs-open sessfs-root sessfs-say sessfs-switch
