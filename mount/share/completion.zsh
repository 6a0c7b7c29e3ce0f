#compdef sessfs sessfs-agent sessfs-diff sessfs-log sessfs-open sessfs-root sessfs-say sessfs-switch
# Completion for zsh of sessfs and of the helpers that are installed with it:
# options, sessions, newest first, and folders.

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
	found=(${(0)"$(find -H ${real:-./} $@ -mindepth 1 -maxdepth 1 -name $name \
		-xtype $type -printf '%T@/%p\0' 2>/dev/null | sort -zrn | cut -zd/ -f2-)"})
	found=("${found[@]#"${real:-./}"}")
	_wanted -V $what expl $what \
		compadd -f $end -p "$typed" -W "$real" -a found
}

_sessfs_folders() {
	_sessfs_find folder d '*'
}

# Before anything is typed, also the sessions in the folders of the agents.
_sessfs_sessions() {
	local -a folders
	[[ -n $PREFIX ]] ||
		folders=($HOME/{.pi/agent/sessions,.omp/agent/sessions,.claude/projects}{,/*}(N-/))
	_sessfs_find session f '*.jsonl' $folders
	_sessfs_folders
}

_sessfs_options() {
	_values -s , option \
		'ro[refuse every write]' \
		'force[write even if a running oh-my-pi has the session open]' \
		'stats[count requests, and show the counts in info]' \
		'color[color tree.txt]' \
		'keep[how many sessions of a folder to keep in memory]:number' \
		'poll[check files for changes this often]:seconds' \
		'dialect[the format of the session]:format:(pi omp pi-harness claude go-tree draft-uuid draft-index lines)' \
		'allow_other[let other users in]' \
		'auto_unmount[unmount when the daemon dies]'
}

# Arguments of most helpers are entries and mounts, which are folders.
case $service in
sessfs) ;;
sessfs-agent)
	_arguments -S \
		'(- *)-h[print help]' \
		'--model[command that answers]:command:_files' \
		'--tools[command that runs tools]:command:_files' \
		'--limit[maximum number of answers]:number' \
		'1:folder:_sessfs_folders'
	return
	;;
sessfs-say)
	_arguments -S '(- *)-h[print help]' '1:text: ' '2:folder:_sessfs_folders'
	return
	;;
*)
	_sessfs_folders
	return
	;;
esac

_arguments -S \
	'-d[stay in the foreground, and print every request]' \
	'-f[stay in the foreground]' \
	'-s[use one thread]' \
	'*-o[options of the mount]:option:_sessfs_options' \
	'(- *)'{-h,--help}'[print help]' \
	'(- *)'{-V,--version}'[print the version]' \
	'(- :)--check[read sessions, and print what is wrong with them]:*:session:_sessfs_sessions' \
	'(- :)--export[write what would be mounted as plain files]:folder:_sessfs_folders:session:_sessfs_sessions' \
	'1:session:_sessfs_sessions' \
	'2:mount point:_sessfs_folders'
