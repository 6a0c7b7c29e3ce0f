# Completion for fish of sessfs and of the helpers that are installed with it:
# options, sessions, newest first, folders, and the entries of a mounted session.

# fish reads this file once for each of these commands.
for name in sessfs sessfs-{agent,ask,diff,grep,log,open,resume,root,say,skill,sources,switch,tools}
	complete -e -c $name
	complete -c $name -f
	complete -c $name -s h -d 'Print help'
end

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

# Print the folders in which agents keep sessions, and the folders in them, each
# followed by NUL.
function __sessfs_sources
	for line in (command sessfs-sources 2>/dev/null | string replace -r '^[^\t]*\t' '')
		set -l folder (printf %b $line | string collect -N)
		printf '%s\0' $folder
		for below in $folder/*/
			printf '%s\0' $below
		end
	end
end

# Before anything is typed, also the sessions of the agents.
function __sessfs_sessions
	set -l folders
	test -n (commandline -ct | string collect)
	or set folders (__sessfs_sources | string split0)
	__sessfs_find f '*.jsonl' $folders
	__sessfs_folders
end

# The ids of the agents' sessions, which are what their names end with.
function __sessfs_session_ids
	set -l folders (__sessfs_sources | string split0)
	test -n "$folders" -a -n (commandline -ct | string collect); or return
	find -H $folders -mindepth 1 -maxdepth 1 -name '*.jsonl' -xtype f \
		-printf '%T@/%f\0' 2>/dev/null | sort -zrn | sed -z 's/^[^/]*\///; s/.*_//; s/\.jsonl$//'
end

# The entries of the session in which the working directory is: HEAD, labels, branches
# and ids, and what tree.txt has of them. Their names have no newlines. (Completions do
# not get the words after the cursor.)
function __sessfs_entries
	set -l root (command sessfs-root 2>/dev/null | string collect)
	test -n "$root"; or return
	begin
		printf 'HEAD\t%s\n' (readlink $root/HEAD)
		printf 'HEAD/parent\t%s\n' (readlink $root/HEAD/parent)
		find $root/{by-label,branches,by-id} -mindepth 1 -maxdepth 1 \
			! -name '-*' -printf '%f\t%l\n'
	end 2>/dev/null | LC_ALL=C awk -F '\t' '
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
	}' $root/tree.txt -
end

# Is one of these words before the cursor?
function __sessfs_given
	for word in $argv
		contains -- $word (commandline -opc)[2..]; and return
	end
	return 1
end

# Is the word this operand? The other arguments are the options that have a value.
function __sessfs_operand -a number
	set -l words (commandline -opc)[2..]
	set -l count 1
	while set -q words[1]
		# In fish 4 a ? in a case is no wildcard.
		if test $words[1] = --
			set count (math $count + (count $words) - 1)
			break
		else if string match -qr '^-.' -- $words[1]
			contains -- $words[1] $argv[2..]; and set -e words[1]
		else
			set count (math $count + 1)
		end
		set -e words[1]
	end
	test $count -eq $number
end

complete -c sessfs -s d -d 'Stay in the foreground, print every request'
complete -c sessfs -s f -d 'Stay in the foreground'
complete -c sessfs -s s -d 'Use one thread'
complete -c sessfs -l help -d 'Print help'
complete -c sessfs -s V -l version -d 'Print the version'
complete -c sessfs -l check -d 'Read sessions, print what is wrong with them'
complete -c sessfs -l against-requests -n '__sessfs_given --check' \
	-d 'Compare contexts with what was sent'
complete -c sessfs -l export -x -k -a '(__sessfs_folders | string split0)' \
	-d 'Write what would be mounted as plain files'
complete -c sessfs -l grep -d 'Search the lines of all entries'
complete -c sessfs -l lines -d 'Print the lines of all entries'
complete -c sessfs -l list -d 'Print a line about each session'
complete -c sessfs -l outline -d 'Print the tree of a session'
complete -c sessfs -l rescue -x -k -a '(__sessfs_folders | string split0)' \
	-d 'Write a damaged session anew'
for name in sessfs sessfs-open
	complete -c $name -s o -x -d 'Options of the mount' -a '(__fish_append , ro \
		force stats color columns= keep= poll= resumable \
		dialect={pi,omp,pi-harness,claude,codex,go-tree,draft-uuid,draft-index,lines} \
		allow_other auto_unmount)'
end
complete -c sessfs -k -a '(__sessfs_sessions | string split0)' \
	-n '__sessfs_given --check --lines --list; or __sessfs_operand 1 -o --export --rescue'
complete -c sessfs -k -a '(__sessfs_sessions | string split0)' \
	-n '__sessfs_given --grep; and not __sessfs_given --'
complete -c sessfs -k -a '(__sessfs_folders | string split0)' \
	-n 'not __sessfs_given --check --export --grep --lines --list --outline --rescue; and __sessfs_operand 2 -o'

complete -c sessfs-diff -k -a '(__sessfs_entries; __sessfs_folders | string split0)' \
	-n '__sessfs_operand 1; or __sessfs_operand 2'
complete -c sessfs-diff -k -a '(__sessfs_folders | string split0)' -n '__sessfs_operand 3'

complete -c sessfs-grep -s i -d 'Ignore case'
complete -c sessfs-grep -s l -d 'Print only the sessions'
complete -c sessfs-grep -s o -d 'Print only what matches'
complete -c sessfs-grep -s q -d 'Print nothing'
complete -c sessfs-grep -s v -d 'Choose lines that do not match'
complete -c sessfs-grep -s w -d 'Match whole words'
complete -c sessfs-grep -s x -d 'Match whole lines'
complete -c sessfs-grep -s E -d 'Extended regular expressions'
complete -c sessfs-grep -s F -d 'Fixed strings'
complete -c sessfs-grep -s G -d 'Basic regular expressions'
complete -c sessfs-grep -s P -d "Perl's regular expressions"
complete -c sessfs-grep -s e -x -d 'Search for this'
complete -c sessfs-grep -s f -r -F -d 'Search for the lines of a file'
complete -c sessfs-grep -s m -x -d 'At most this many lines of a content'
complete -c sessfs-grep -s A -x -d 'Lines after each hit'
complete -c sessfs-grep -s B -x -d 'Lines before each hit'
complete -c sessfs-grep -s C -x -d 'Lines around each hit'
complete -c sessfs-grep -l role -x -d 'Only entries with this role' -a 'user assistant \
	toolResult system bashExecution custom compactionSummary branchSummary'
complete -c sessfs-grep -l tool -x -d 'Only calls and results of this tool'
complete -c sessfs-grep -l open -d 'Mount the session of the hit, and open it'
complete -c sessfs-grep -l resume -d 'Print how the agent continues from the hit'
complete -c sessfs-grep -k -a '(__sessfs_sessions | string split0)' \
	-n '__sessfs_given -e -f; or not __sessfs_operand 1 -A -B -C --role --agent --tool'

complete -c sessfs-log -s n -x -d 'At most this many entries'
complete -c sessfs-log -k -a '(__sessfs_entries; __sessfs_folders | string split0)' \
	-n '__sessfs_operand 1 -n'

complete -c sessfs-open -s l -d 'List sessions'
complete -c sessfs-open -l here -d 'Only sessions of the working directory'
complete -c sessfs-open -k -a '(begin; __sessfs_session_ids; __sessfs_sessions; end | string split0)' \
	-n '__sessfs_operand 1 -o --agent'

complete -c sessfs-resume -s x -d 'Run the command'
complete -c sessfs-resume -k -a '(__sessfs_entries; __sessfs_folders | string split0)' \
	-n '__sessfs_operand 1'
complete -c sessfs-resume -k -a '(__sessfs_folders | string split0)' -n '__sessfs_operand 2'

complete -c sessfs-root -s d -d "Print the folder for sessfs-open's mounts"
complete -c sessfs-root -s e -x -k -d 'Print the folder of an entry' -a '(__sessfs_entries)'
complete -c sessfs-root -s i -x -d 'Print a path in info' -a 'file cwd parent-session'
complete -c sessfs-root -s u -x -d 'Print a path without escapes'
complete -c sessfs-root -k -a '(__sessfs_folders | string split0)' -n '__sessfs_operand 1 -e -i -u'

complete -c sessfs-say -k -a '(__sessfs_folders | string split0)' -n '__sessfs_operand 2'

complete -c sessfs-skill -n '__sessfs_operand 1' -a "install\t'Let agents look back'
uninstall\t'Remove the links'
path\t'Print where the skill is'"
complete -c sessfs-skill -n 'not __sessfs_operand 1; and not __sessfs_given path' \
	-a 'pi omp claude codex'
complete -c sessfs-skill -k -a '(__sessfs_folders | string split0)' \
	-n 'not __sessfs_operand 1; and not __sessfs_given path'

complete -c sessfs-sources -s c -x -k -a '(__sessfs_folders | string split0)' \
	-d 'Only folders with sessions of this directory'
complete -c sessfs-sources -s m -d 'Also folders that do not exist'

complete -c sessfs-switch -k -a '(__sessfs_folders | string split0)' -n '__sessfs_operand 1'

for option in sessfs-{grep,open}' -l agent' 'sessfs-sources -s a'
	complete -c (string split ' ' $option) -x -a 'pi omp claude codex' -d 'Only this agent'
end
