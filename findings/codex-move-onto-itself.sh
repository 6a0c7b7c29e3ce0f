#!/bin/bash
# Codex 0.171.0 (npm @openai/codex), whose binary is its apply_patch under that name.
#
# A patch may move the file that it updates: "*** Move to: PATH". If PATH is the file
# itself, the file is gone: it is written, and then removed as the old one. The tool reports
# success, with the file as modified, so that neither the model nor the user learns of it,
# and who follows the patch by its text keeps a file that is not there.
#
# And a chunk that only adds lines puts them at the end of the file, whatever line its
# "@@ ..." names.
#
# Seen: "M x" and status 0 for the move, and no x; of the chunk behind "@@ one" the lines are
# one, two, added. Fails if that has changed. Needs npm.
set -euo pipefail

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
npm install --prefix "$dir" --no-audit --no-fund --loglevel=error --ignore-scripts @openai/codex@0.171.0 >&2
codex=$(find "$dir/node_modules" -type f -name codex -perm -u+x -path '*/vendor/*' | head -n 1)
ln -s "$codex" "$dir/apply_patch"
mkdir "$dir/work"
cd "$dir/work"
export HOME=$dir

apply() {
	printf '*** Begin Patch\n%s\n*** End Patch\n' "$1" | "$dir/apply_patch"
}

fail() {
	echo "changed: $1" >&2
	exit 1
}

printf 'one\ntwo\n' >x
said=$(apply $'*** Update File: x\n*** Move to: x\n@@\n-two\n+2')
echo "$said"
grep -qx 'M x' <<<"$said" || fail "what is said of the move"
[ ! -e x ] || fail "the file that was moved onto itself is there"

printf 'one\ntwo\n' >y
apply $'*** Update File: y\n@@ one\n+added'
cat y
[ "$(cat y)" = $'one\ntwo\nadded' ] || fail "where a chunk that only adds goes"
