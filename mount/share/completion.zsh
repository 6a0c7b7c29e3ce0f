#compdef sessfs sessfs-diff sessfs-grep sessfs-log sessfs-open sessfs-resume sessfs-root sessfs-say sessfs-skill sessfs-sources sessfs-switch
# Completion for zsh of sessfs and of the helpers that are installed with it:
# options, sessions, newest first, folders, and the entries of a mounted session.

# Print files, newest first, each followed by NUL: type for find, pattern for the name,
# folders.
_sessfs_newest() {
	find -H $@[3,-1] -mindepth 1 -maxdepth 1 -name $2 -xtype $1 \
		-printf '%T@/%p\0' 2>/dev/null | sort -zrn | cut -zd/ -f2-
}

# Offer files in the folder of the word, and in other folders, newest first: their
# description, type for find, pattern for the name, other folders.
_sessfs_find() {
	local what=$1 type=$2 name=$3 typed=${PREFIX%"${PREFIX##*/}"} expl
	shift 3
	typed=${(Q)typed}
	local real=${typed/#\~\//$HOME/}
	local -a found end
	[[ ${PREFIX##*/} = .* ]] || name="[!.]$name"
	[[ $type = f ]] || end=(-q -S /)
	found=(${(0)"$(_sessfs_newest $type $name ${real:-./} $@)"})
	found=("${found[@]#"${real:-./}"}")
	_wanted -V $what expl $what \
		compadd -f $end -p "$typed" -W "$real" -a found
}

_sessfs_folders() {
	_sessfs_find folder d '*'
}

# Set `folders` to those in which agents keep sessions, and the folders in them.
_sessfs_sources() {
	local line
	folders=()
	for line in ${(f)"$(command sessfs-sources 2>/dev/null)"}; do
		line=${(g::)${line#*$'\t'}}
		folders+=($line{,/*}(N-/))
	done
}

# Before anything is typed, also the sessions of the agents.
_sessfs_sessions() {
	local -a folders
	[[ -n $PREFIX ]] || _sessfs_sources
	_sessfs_find session f '*.jsonl' $folders
	_sessfs_folders
}

# The ids of the agents' sessions, which are what their names end with.
_sessfs_session_ids() {
	local -a folders ids expl
	_sessfs_sources
	[[ -n $PREFIX && -n $folders ]] || return
	ids=(${(0)"$(_sessfs_newest f '*.jsonl' $folders)"})
	ids=(${${${ids##*/}##*_}%.jsonl})
	_wanted -V id expl 'session id' compadd -a ids
}

# The entries of the session in which the last word is, if it is after the cursor, or
# the working directory: HEAD, labels, branches and ids, and what tree.txt has of them.
# Their names have no newlines.
_sessfs_entries() {
	local root expl
	local -a mount lines entries shown
	(( CURRENT == $#words )) || mount=(${${(Q)words[-1]}/#\~\//$HOME/})
	root=$(command sessfs-root -- $mount 2>/dev/null && echo .) || return
	root=${root%$'\n'.}
	lines=(${(f)"$({
		print HEAD$'\t'"$(readlink $root/HEAD)"
		print HEAD/parent$'\t'"$(readlink $root/HEAD/parent)"
		find $root/{by-label,branches,by-id} -mindepth 1 -maxdepth 1 \
			! -name '-*' -printf '%f\t%l\n'
	} 2>/dev/null | LC_ALL=C awk -F '\t' '
	# In tree.txt, an id, or its start, is after what draws the tree.
	NR == FNR {
		gsub(/\033\[[0-9;]*m/, "")
		sub(/^( |│|├|─|└|⋯[0-9]+)*/, "")
		id = substr($0, 1, index($0, " ") - 1)
		says[id] = used[id]++ ? "" : substr($0, length(id) + 2)
		next
	}
	!seen[$1]++ {
		id = $2 == "" ? $1 : $2
		sub(/.*\//, "", id)
		print $1 "\t" says[id in says ? id : substr(id, 1, 8)]
	}' $root/tree.txt -)"})
	entries=(${lines%%$'\t'*})
	shown=(${(mr:COLUMNS-1:)lines/$'\t'/  })
	_wanted -V entry expl entry compadd -l -d shown -a entries
}

_sessfs_options() {
	_values -s , option \
		'ro[refuse every write]' \
		'force[write even if a running agent has the session open]' \
		'stats[count requests, and show the counts in info]' \
		'color[color tree.txt]' \
		'columns[the width of tree.txt]:number' \
		'keep[how many sessions of a folder to keep in memory]:number' \
		'poll[check files for changes this often]:seconds' \
		'dialect[the format of the session]:format:(pi omp pi-harness claude codex go-tree draft-uuid draft-index lines)' \
		'resumable[list what agents would go on from]' \
		'allow_other[let other users in]' \
		'auto_unmount[unmount when the daemon dies]'
}

# An operand that is an entry.
_sessfs_entry() {
	_sessfs_entries || _sessfs_folders
}

# An agent whose skills are meant, or a folder of skills.
_sessfs_skill() {
	local expl
	[[ $words[2] != path ]] || return
	_wanted agent expl agent compadd pi omp claude codex
	_sessfs_folders
}

# An operand of sessfs-open.
_sessfs_session() {
	_sessfs_session_ids
	_sessfs_sessions
}

local -a specs=('(- *)-h[print help]')
case $service in
sessfs)
	specs=(
		'-d[stay in the foreground, and print every request]'
		'-f[stay in the foreground]'
		'-s[use one thread]'
		'*-o[options of the mount]:option:_sessfs_options'
		'(- *)'{-h,--help}'[print help]'
		'(- *)'{-V,--version}'[print the version]'
		'(-h --help -V --version -d -f -s -o --export --grep --lines --list --outline --rescue)--against-requests[compare contexts with what was sent]'
		'(-h --help -V --version -d -f -s -o --export --grep --lines --list --outline --rescue :)--check[read sessions, and print what is wrong with them]:*:session:_sessfs_sessions'
		'(- :)--export[write what would be mounted as plain files]:folder:_sessfs_folders:session:_sessfs_sessions'
		'(- :)--grep[search the lines of all entries]:*--:session:_sessfs_sessions'
		'(- :)--lines[print the lines of all entries]:*:session:_sessfs_sessions'
		'(- :)--list[print a line about each session]:*:session:_sessfs_sessions'
		'(- :)--outline[print the tree of a session]:session:_sessfs_sessions'
		'(- :)--rescue[write a damaged session anew]:new file:_sessfs_folders:session:_sessfs_sessions'
		'1:session:_sessfs_sessions'
		'2:mount point:_sessfs_folders'
	)
	;;
sessfs-diff)
	specs+=('1:entry:_sessfs_entry' '2:entry:_sessfs_entry' '3:folder:_sessfs_folders')
	;;
sessfs-grep)
	specs+=(
		'-i[ignore case]'
		'-l[print only the sessions]'
		'-o[print only what matches]'
		'-q[print nothing]'
		'-v[choose lines that do not match]'
		'-w[match whole words]'
		'-x[match whole lines]'
		'(-F -G -P)-E[extended regular expressions]'
		'(-E -G -P)-F[fixed strings]'
		'(-E -F -P)-G[basic regular expressions]'
		"(-E -F -G)-P[Perl's regular expressions]"
		'(1)*-e+[search for this]:pattern: '
		'(1)*-f+[search for the lines of a file]:file:_files'
		'-m+[at most this many lines of a content]:number'
		'-A+[lines after each hit]:number'
		'-B+[lines before each hit]:number'
		'-C+[lines around each hit]:number'
		'--role=[only entries with this role]:role:(user assistant toolResult system bashExecution custom compactionSummary branchSummary)'
		'--agent=[only sessions of this agent]:agent:(pi omp claude codex)'
		'--tool=[only calls and results of this tool]:tool'
		'(--resume)--open[mount the session of the hit, and open it]'
		'(--open)--resume[print how the agent continues from the hit]'
		'1:pattern: '
		'*:path:_sessfs_sessions'
	)
	;;
sessfs-log)
	specs+=('-n[at most this many entries]:number' '1:entry:_sessfs_entry')
	;;
sessfs-open)
	specs+=(
		'-l[list sessions]'
		'--here[only sessions of the working directory]'
		'--agent=[only sessions of this agent]:agent:(pi omp claude codex)'
		'*-o[options of the mount]:option:_sessfs_options'
		'1:session:_sessfs_session'
	)
	;;
sessfs-resume)
	specs+=('-x[run the command]' '1:entry:_sessfs_entry' '2:folder:_sessfs_folders')
	;;
sessfs-root)
	specs+=(
		"(-e -i -u)-d[print the folder for sessfs-open's mounts]"
		'(-d -i -u)-e[print the folder of an entry]:entry:_sessfs_entries'
		'(-d -e -u)-i[print a path in info]:key:(file cwd parent-session)'
		'(-d -e -i)-u[print a path without escapes]:path: '
		'1:folder:_sessfs_folders'
	)
	;;
sessfs-say)
	specs+=('1:text: ' '2:folder:_sessfs_folders')
	;;
sessfs-skill)
	specs+=('1:command:(install uninstall path)' '*:agent or folder:_sessfs_skill')
	;;
sessfs-sources)
	specs+=(
		'-a[only folders of this agent]:agent:(pi omp claude codex)'
		'-c[only folders with sessions of this directory]:folder:_sessfs_folders'
		'-m[also folders that do not exist]'
	)
	;;
sessfs-switch)
	specs+=('1:folder:_sessfs_folders')
	;;
esac
_arguments -s -S $specs
