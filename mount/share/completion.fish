# Completion for fish of sessfs. What is offered comes from `sessfs complete`: records
# that end with NUL, w, p or f before the text, and a tab and a description after it.
# (Completions do not get the words after the cursor.)

# The word before the cursor, without quotes.
function __sessfs_word
	set -l word (commandline -ct | string collect)
	string unescape -- $word; or printf '%s\n' $word
end

function __sessfs_complete
	set -l words (commandline -opc)
	set -l word (__sessfs_word | string collect)
	command sessfs complete -- $words "$word" 2>/dev/null | sed -z 's/^.//'
end

complete -c sessfs -f -k -a '(__sessfs_complete | string split0)'
