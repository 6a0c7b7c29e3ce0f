# Completion for fish of sessfs and of the helpers that are installed with it:
# options, sessions, newest first, and folders.

# fish reads this file once for each of these commands.
complete -e -c sessfs

# The word before the cursor, without quotes.
function __sessfs_word
	set -l word (commandline -ct | string collect)
	string unescape -- $word; or printf '%s\n' $word
end

# Print files in the folder of the word and in other folders, newest first, each
# followed by NUL: type for find, pattern for the name, other folders.
function __sessfs_find -a type name
	set -l word (__sessfs_word | string collect)
	set -l typed (string replace -r '[^/]*$' '' -- $word | string collect)
	set -l real (string replace -r '^~/' "$HOME/" -- $typed | string collect)
	test -n "$real"; or set real ./
	string match -qr '(^|/)\.[^/]*$' -- $word; or set name "[!.]$name"
	# Escaped for find's -printf.
	set typed (string replace -ar '[\\\\%]' '$0$0' -- $typed | string collect)
	set -l below -mindepth 1 -maxdepth 1 -name $name -xtype $type -printf
	set -l slash
	test $type = d; and set slash /
	begin
		find -H $real $below "%T@/$typed%P$slash\0"
		set -q argv[3]; and find -H $argv[3..] $below '%T@/%p\0'
	end 2>/dev/null | sort -zrn | cut -zd/ -f2-
end

function __sessfs_folders
	__sessfs_find d '*'
end

# Before anything is typed, also the sessions in the folders of the agents.
function __sessfs_sessions
	set -l folders
	if test -z (commandline -ct | string collect)
		for folder in .pi/agent/sessions .omp/agent/sessions .claude/projects
			set -a folders $HOME/$folder $HOME/$folder/*/
		end
	end
	__sessfs_find f '*.jsonl' $folders
	__sessfs_folders
end

# Is the word this operand, or with --check, any operand?
function __sessfs_argument -a number
	set -l words (commandline -opc)[2..]
	contains -- --check $words; and return (test $number -eq 1)
	set -l count 1
	while set -q words[1]
		switch $words[1]
			case -o --export
				set -e words[1]
			case --
				set count (math $count + (count $words) - 1)
				break
			case '-*'
			case '*'
				set count (math $count + 1)
		end
		set -e words[1]
	end
	test $count -eq $number
end

complete -c sessfs -f
complete -c sessfs -s d -d 'Stay in the foreground, print every request'
complete -c sessfs -s f -d 'Stay in the foreground'
complete -c sessfs -s s -d 'Use one thread'
complete -c sessfs -s h -l help -d 'Print help'
complete -c sessfs -s V -l version -d 'Print the version'
complete -c sessfs -l check -d 'Read sessions, print what is wrong with them'
complete -c sessfs -l export -x -k -a '(__sessfs_folders | string split0)' \
	-d 'Write what would be mounted as plain files'
complete -c sessfs -s o -x -d 'Options of the mount' -a '(__fish_append , ro \
	force stats color keep= poll= dialect={pi,omp,pi-harness,claude,go-tree} \
	dialect={draft-uuid,draft-index,lines} allow_other auto_unmount)'
complete -c sessfs -k -n '__sessfs_argument 1' \
	-a '(__sessfs_sessions | string split0)'
complete -c sessfs -k -n '__sessfs_argument 2' \
	-a '(__sessfs_folders | string split0)'

# Arguments of most helpers are entries and mounts, which are folders.
for helper in agent diff log open root switch
	complete -c sessfs-$helper -f -k -a '(__sessfs_folders | string split0)'
end
complete -c sessfs-agent -l model -r -F -d 'Command that answers'
complete -c sessfs-agent -l tools -r -F -d 'Command that runs tools'
complete -c sessfs-agent -l limit -x -d 'Maximum number of answers'
complete -c sessfs-say -f
complete -c sessfs-say -k -n '__sessfs_argument 2' \
	-a '(__sessfs_folders | string split0)'
