# shellcheck shell=bash
# Completion for bash of sessfs and of the helpers that are installed with it:
# options, sessions, newest first, folders, and the entries of a mounted session.

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

# Read the words before: set `operands`, `options` (with spaces around each), `option`
# to the one whose value is to be completed, and `dashes` to nothing after "--". The
# arguments are the options that have a value.
_sessfs_parse() {
	local i valued=" $* "
	operands=() options=' ' option='' dashes=yes
	for ((i = 1; i < ${#before[@]}; i++)); do
		case $dashes${before[i]} in
		yes--) dashes='' ;;
		yes-?*)
			options+="${before[i]} "
			[[ $valued != *" ${before[i]} "* ]] || i=$((i + 1))
			;;
		*) operands+=("${before[i]}") ;;
		esac
	done
	if ((i > ${#before[@]})); then
		option=${before[-1]}
	elif [[ $dashes$word == yes--*=* && $valued == *" ${word%%=*} "* ]]; then
		option=${word%%=*} i=$((${#option} + 1))
		word=${word:i} cut=$((cut > i ? cut - i : 0))
	fi
}

# Offer the given words that start with the typed word, each once.
_sessfs_offer() {
	local match
	for match; do
		[[ $match == "$word"* && -z ${offered["/$match"]-} ]] || continue
		offered["/$match"]=yes
		COMPREPLY+=("${match:cut}")
	done
}

# Print files, newest first, each followed by NUL: type for find, pattern for the name,
# folders.
_sessfs_newest() {
	find -H "${@:3}" -mindepth 1 -maxdepth 1 -name "$2" -xtype "$1" \
		-printf '%T@/%p\0' 2>/dev/null | sort -zrn | cut -zd/ -f2-
}

# Offer files in the folder of the word, and in other folders, newest first: type for
# find, pattern for the name, other folders.
_sessfs_find() {
	local typed=${word%"${word##*/}"} real type=$1 name=$2 found
	shift 2
	real=${typed:-./}
	[[ $real != \~/* ]] || real=$HOME/${real#*/}
	[[ ${word##*/} == .* ]] || name="[!.]$name"
	mapfile -d '' -t found < <(_sessfs_newest "$type" "$name" "$real" "$@")
	compopt -o filenames
	# Bash itself expands $HOME and such.
	[[ $typed != *\$* ]] || compopt -o default
	_sessfs_offer "${found[@]/#"$real"/"$typed"}"
}

_sessfs_folders() {
	_sessfs_find d '*'
}

# Set `folders` to those in which agents keep sessions, and the folders in them.
_sessfs_sources() {
	local line
	folders=()
	while IFS= read -r line; do
		printf -v line %b "${line#*$'\t'}"
		folders+=("$line" "$line"/*/)
	done < <(command sessfs-sources 2>/dev/null)
}

# Before anything is typed, also the sessions of the agents.
_sessfs_sessions() {
	local folders=()
	[[ -n $word ]] || _sessfs_sources
	_sessfs_find f '*.jsonl' "${folders[@]}"
	_sessfs_folders
}

# The ids of the agents' sessions, which are what their names end with.
_sessfs_session_ids() {
	local folders ids
	_sessfs_sources
	[[ -n $word && ${#folders[@]} -gt 0 ]] || return
	mapfile -d '' -t ids < <(_sessfs_newest f '*.jsonl' "${folders[@]}")
	ids=("${ids[@]##*/}")
	ids=("${ids[@]##*_}")
	_sessfs_offer "${ids[@]%.jsonl}"
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

# The entries of the session in which the last word is, if it is after the cursor, or
# the working directory: HEAD, labels, branches and ids. Their names have no newlines.
_sessfs_entries() {
	local mount=() root found
	[[ ${COMP_LINE:COMP_POINT} != *[[:space:]]*[![:space:]]* ]] ||
		mapfile -d '' -t mount < <(
			COMP_POINT=${#COMP_LINE}
			_sessfs_split
			[[ -n $word ]] || word=${before[-1]}
			printf '%s\0' "${word/#\~\//"$HOME/"}"
		)
	root=$(command sessfs-root -- "${mount[@]}" 2>/dev/null && echo .) || return
	root=${root%$'\n'.}
	mapfile -t found < <(
		find "$root"/{by-label,branches,by-id} -mindepth 1 -maxdepth 1 \
			! -name '-*' -printf '%f\n' 2>/dev/null
	)
	_sessfs_offer HEAD HEAD/parent "${found[@]}"
	_sessfs_quote
}

# The list after -o.
_sessfs_options() {
	local list='' known=(ro force stats color columns= keep= poll= resumable allow_other
		auto_unmount
		dialect={pi,omp,pi-harness,claude,codex,go-tree,draft-uuid,draft-index,lines})
	[[ $word != *,* ]] || list=${word%,*},
	_sessfs_offer "${known[@]/#/"$list"}"
	[[ ${#COMPREPLY[@]} -ne 1 || ${COMPREPLY[0]} != *= ]] || compopt -o nospace
}

# The value of an option.
_sessfs_value() {
	case $command$option in
	sessfs-o | sessfs-open-o) _sessfs_options ;;
	sessfs--export | sessfs--rescue | sessfs-sources-c) _sessfs_folders ;;
	sessfs-root-e) _sessfs_entries ;;
	sessfs-root-i) _sessfs_offer file cwd parent-session ;;
	sessfs-sources-a | *--agent) _sessfs_offer pi omp claude codex ;;
	*--role)
		_sessfs_offer user assistant toolResult system bashExecution \
			custom compactionSummary branchSummary
		;;
	esac
}

# SOURCE and MOUNTPOINT, or what a command of sessfs has in their place.
_sessfs_source() {
	case $options:${#operands[@]} in
	*' --check '* | *' --lines '* | *' --list '* | *:0) _sessfs_sessions ;;
	*' --outline '* | *' --rescue '*) ;;
	*' --grep '*) [[ -z $dashes ]] || _sessfs_sessions ;;
	*' --export '*) ;;
	*:1) _sessfs_folders ;;
	esac
}

_sessfs_operand() {
	case $command:${#operands[@]} in
	sessfs:*) _sessfs_source ;;
	sessfs-open:0)
		_sessfs_session_ids
		_sessfs_sessions
		;;
	sessfs-log:0 | sessfs-resume:0 | sessfs-diff:[01])
		_sessfs_entries
		[[ ${#COMPREPLY[@]} -gt 0 ]] || _sessfs_folders
		;;
	sessfs-root:0 | sessfs-switch:0 | sessfs-resume:1 | sessfs-say:1 | sessfs-diff:2)
		_sessfs_folders
		;;
	sessfs-skill:0) _sessfs_offer install uninstall path ;;
	sessfs-skill:*)
		[[ ${operands[0]} == path ]] || {
			_sessfs_offer pi omp claude codex
			_sessfs_folders
		}
		;;
	sessfs-grep:*)
		[[ ${#operands[@]} -eq 0 && $options != *' -'[ef]' '* ]] || _sessfs_sessions
		;;
	esac
}

_sessfs() {
	local before word quote cut operands options option dashes valued known
	local -A offered=()
	COMPREPLY=()
	_sessfs_split
	local command=${before[0]##*/}
	case $command in
	sessfs)
		valued='-o --export --rescue'
		known='-d -f -h -o -s -V --help --version --against-requests --check --export --grep --lines --list
			--outline --rescue'
		;;
	sessfs-grep)
		valued='-e -f -m -A -B -C --role --agent --tool'
		known="$valued -i -l -o -q -w -x -v -E -F -G -P -h --open --resume"
		;;
	sessfs-log) valued=-n known='-n -h' ;;
	sessfs-open) valued='-o --agent' known='-l -o -h --here --agent' ;;
	sessfs-resume) known='-x -h' ;;
	sessfs-root) valued='-e -i -u' known='-d -e -h -i -u' ;;
	sessfs-sources) valued='-a -c' known='-a -c -h -m' ;;
	*) known=-h ;;
	esac
	# shellcheck disable=SC2086 # each is a word
	_sessfs_parse $valued
	if [[ -n $option ]]; then
		_sessfs_value
	elif [[ $dashes$word == yes-* ]]; then
		# shellcheck disable=SC2086
		_sessfs_offer $known
	else
		_sessfs_operand
	fi
}

complete -o nosort -F _sessfs sessfs sessfs-diff sessfs-grep sessfs-log sessfs-open \
	sessfs-resume sessfs-root sessfs-say sessfs-skill sessfs-sources sessfs-switch
