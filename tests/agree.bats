# One catalogue: what shows many sessions has the same ones, in the same order.
load lib/mount
load lib/run

setup() {
	needs_mounts
	make_folder
	make_home
	export TZ=UTC
	SEED=${SEED:-$RANDOM}
}

# The titles in some text, in their order.
titles() {
	grep -o 'title[0-9]*z'
}

@test "list, sessions.txt, by-day, by-project, open and grep agree on 200 random folders" {
	needs python3
	echo "SEED=$SEED"
	python3 "$BATS_TEST_DIRNAME/agree.py" "$HOME" "$SEED" 200
	mkdir "$DIR/bin"
	printf '#!/bin/sh\ncat >"%s"\nexit 130\n' "$DIR/choices" >"$DIR/bin/fzf"
	chmod +x "$DIR/bin/fzf"
	helper list >"$DIR/list" 2>"$DIR/errors"
	titles <"$DIR/list" >"$DIR/titles"
	[ "$(wc -l <"$DIR/titles")" -gt 300 ]
	[ ! -s "$DIR/errors" ] || grep -q "compressed" "$DIR/errors"
	start "$SESSFS" --all "$MNT"
	# Sessions without entries are no choice, and have no title.
	is "$(cat "$DIR/titles")" titles <"$MNT/sessions.txt"
	for view in by-day by-project; do
		find "$MNT/$view" -type l -printf '%l\n' | sed 's,^../../,,' | sort >"$DIR/links"
		is "$(cut -f 2 "$MNT/sessions.txt" | sort)" cat "$DIR/links"
		find "$MNT/$view" -type l -printf '%f\n' | titles | sort >"$DIR/links"
		is "$(sort "$DIR/titles")" cat "$DIR/links"
	done
	run -130 python3 "$ROOT/tests/lib/terminal.py" -- env PATH="$DIR/bin:$PATH" "$SESSFS" open
	is "$(cat "$DIR/titles")" titles <"$DIR/choices"
	# grep searches what subagents have said as well.
	helper grep -l needle | while IFS= read -r file; do
		titles <"$file" | head -n 1
	done | grep -Fxf "$DIR/titles" >"$DIR/found"
	is "$(cat "$DIR/titles")" cat "$DIR/found"
	helper list --sort path | titles | sort >"$DIR/found"
	is "$(sort "$DIR/titles")" cat "$DIR/found"
	# A folder alone, in a mount of it and as an operand.
	helper list "$HOME/.pi/agent/sessions" | titles >"$DIR/found"
	is "$(cat "$DIR/found")" titles <"$MNT/pi/sessions.txt"
}
