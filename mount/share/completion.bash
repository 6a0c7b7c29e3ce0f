# shellcheck shell=bash
# Completion for bash of sessfs. What is offered comes from `sessfs complete`: records
# that end with NUL, w, p or f before the text, and a tab and a description after it.

# Split the line up to the cursor into words without quotes: `before`, and `word`,
# the one to complete, which may have an open `quote`. Bash's own COMP_WORDS are split
# at = and : and keep their quotes. Bash replaces the word from its last unquoted
# character of that kind, or from an open quote: from `cut` on.
_sessfs_split() {
	local line=${COMP_LINE:0:COMP_POINT} cut_before=0 i char
	before=() word='' quote='' cut=0
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

# Quote what is offered. Bash itself would leave a "$" in what is no file.
_sessfs_quote() {
	local i text
	for i in "${!COMPREPLY[@]}"; do
		text=${COMPREPLY[i]}
		case $quote in
		\') text=${text//\'/"'\\''"} ;;
		\")
			text=${text//\\/"\\\\"}
			text=${text//\"/'\"'}
			text=${text//\$/'\$'}
			text=${text//\`/'\`'}
			;;
		*) printf -v text %q "$text" ;;
		esac
		COMPREPLY[i]=$text
	done
}

# Print the word under the cursor or the last one after it, if there is one.
_sessfs_after() {
	[[ ${COMP_LINE:COMP_POINT} == *[[:space:]]*[![:space:]]* ]] || return
	local before word quote cut COMP_POINT=${#COMP_LINE}
	_sessfs_split
	[[ -n $word ]] || word=${before[-1]}
	printf '%s' "${word/#\~\//"$HOME/"}"
}

_sessfs() {
	local before word quote cut records record text after kinds=''
	local -A offered=()
	COMPREPLY=()
	after=$(_sessfs_after && echo .)
	_sessfs_split
	mapfile -d '' -t records < <(command sessfs complete \
		${after:+--after "${after%.}"} -- "${before[@]}" "$word" 2>/dev/null)
	for record in "${records[@]}"; do
		text=${record:1}
		[[ $record == f* ]] || text=${text%%$'\t'*}
		[[ $text == "$word"* && -z ${offered["/$text"]-} ]] || continue
		offered["/$text"]=yes
		kinds+=${record:0:1}
		[[ $record != f* ]] || text=${text%/}
		COMPREPLY+=("${text:cut}")
	done
	[[ $kinds != p ]] || compopt -o nospace
	# Bash itself expands $HOME and such.
	[[ $word != *\$* || $quote == \' ]] || compopt -o filenames -o default
	case $kinds in
	*f*) compopt -o filenames ;;
	*[!p]*) _sessfs_quote ;;
	esac
}

complete -o nosort -F _sessfs sessfs
