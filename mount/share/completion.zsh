#compdef sessfs
# Completion for zsh of sessfs. What is offered comes from `sessfs complete`: records
# that end with NUL, w, p or f before the text, and a tab and a description after it.

local -a after records plain shown more expl
local -aU files
local record text typed=${(Q)PREFIX}
(( CURRENT == $#words )) || after=(--after ${${(Q)words[-1]}/#\~\//$HOME/})
records=(${(0)"$(command sessfs complete $after -- ${(Q)words[1,CURRENT-1]} "$typed" 2>/dev/null)"})
for record in $records; do
	text=${record#?}
	case $record in
	f*) files+=(${text%/}) ;;
	p*) more+=(${text%%$'\t'*}) ;;
	*)
		plain+=(${text%%$'\t'*})
		shown+=(${(mr:COLUMNS-1:)text/$'\t'/  })
		;;
	esac
done

# The folder that is typed stays as it is, so that a quote or ~ in it does.
local folder=${typed%"${typed##*/}"} real
real=${folder/#\~\//$HOME/}
local -a here=(${${(M)files:#"$folder"*}#"$folder"})
local found=1
_wanted -V path expl path compadd -f -p "$folder" -W "${real:-./}" -a here && found=0
[[ -n $shown ]] && _wanted -V word expl word compadd -l -d shown -a plain && found=0
_wanted -V option expl option compadd -S '' -a more && found=0
return found
