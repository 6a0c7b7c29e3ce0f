# The daemon is killed while it writes: at most one torn line is left, and the next
# write continues after it. tests/model has lines that an agent leaves torn.
load ../lib/mount

# Kill it this many times while it writes to a fixture.
survives() {
	local fixture=$1 kills=$2 seed=${SEED:-$RANDOM}
	echo "# SEED=$seed" >&3
	timeout 600 python3 "$ROOT/tests/stress/killed.py" "$FIXTURES/$fixture.jsonl" "$DIR" "$kills" "$seed" >"$DIR/figures"
	sed 's/^/# /' "$DIR/figures" >&3
}

@test "kill -9 during writes to a session, a hundred times" {
	survives pi-v3-branches 100
}

@test "kill -9 with the owner's locks held" {
	survives omp-v3-basic 50
}

@test "kill -9 during writes beside a session" {
	survives claude-basic 50
	rm -rf "$DIR"/session*
	survives go-tree 50
}

@test "kill -9 during migrations" {
	survives pi-v1-linear 50
}
