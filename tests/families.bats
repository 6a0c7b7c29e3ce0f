# forks/ and parent-session: sessions that were forked from others, of each agent.
load lib/mount
load lib/run
load lib/pi
load lib/claude
load lib/codex

setup() {
	needs_mounts
	make_folder
	ALL=$DIR/all
	mkdir -p "$ALL/x" "$ALL/y"
}

# pi_fork FILE PARENT TIME TEXT [AS]: a session of Pi with this parentSession.
pi_fork() {
	SESSION=$1 write_session "$(user aa000001 "" "$4")"
	sed -i "1s|\"cwd\"|\"parentSession\":\"$2\",\"cwd\"|; 2s/2026-03-01T10:00:01/2026-03-01T$3/" "$1"
	[ -n "$2" ] || sed -i '1s|"parentSession":"",||' "$1"
}

# What a link leads to.
leads() {
	(cd "$MNT/$1" && pwd -P | sed "s|^$MNT/||")
}

@test "Pi: by the path, or by the id beside the fork" {
	local a=2026-03-01T10-00-00-000Z_0198aaaa-1111 b=2026-03-01T11-00-00-000Z_0198bbbb-2222 c=2026-03-01T12-00-00-000Z_0198cccc-3333
	pi_fork "$ALL/x/$a.jsonl" "" 10:00:01 first
	pi_fork "$ALL/y/$b.jsonl" "$ALL/x/$a.jsonl" 11:00:01 second
	pi_fork "$ALL/x/$c.jsonl" "/gone/elsewhere/$a.jsonl" 12:00:01 third
	"$SESSFS" "$ALL" "$MNT"
	is "x/$a" leads "y/$b/parent-session"
	is "x/$a" leads "x/$c/parent-session"
	is "$b
$c" ls "$MNT/x/$a/forks"
	is "y/$b" leads "x/$a/forks/$b"
	[ -z "$(ls "$MNT/y/$b/forks")" ]
	not readlink "$MNT/x/$a/parent-session"
	# One that is new, and one that goes.
	pi_fork "$ALL/x/d_dddd.jsonl" "$ALL/y/$b.jsonl" 13:00:01 fourth
	is d_dddd ls "$MNT/y/$b/forks"
	is "y/$b" leads "x/d_dddd/parent-session"
	rm "$ALL/y/$b.jsonl"
	is "$c" ls "$MNT/x/$a/forks"
	not readlink "$MNT/x/d_dddd/parent-session"
	# Neither is a file, and one may say that it is its own parent.
	pi_fork "$ALL/x/e.jsonl" "$ALL/x/e.jsonl" 13:00:01 fifth
	not readlink "$MNT/x/e/parent-session"
	[ -z "$(ls "$MNT/x/e/forks")" ]
	# Mounted alone it leads to the file.
	unmount
	"$SESSFS" "$ALL/x/$c.jsonl" "$MNT"
	is "$ALL/x/$a.jsonl" readlink "$MNT/parent-session"
}

@test "oh-my-pi: by an id, behind the title's slot" {
	cp "$FIXTURES/omp-v3-basic.jsonl" "$ALL/x/2026-03-01_0198abcd-5555.jsonl"
	sed '/"type":"session"/s|"cwd"|"parentSession":"0198abcd-5555","cwd"|' "$FIXTURES/omp-v3-basic.jsonl" >"$ALL/x/2026-03-02_0198eeee-6666.jsonl"
	"$SESSFS" "$ALL" "$MNT"
	is "x/2026-03-01_0198abcd-5555" leads "x/2026-03-02_0198eeee-6666/parent-session"
	is "2026-03-02_0198eeee-6666" ls "$MNT/x/2026-03-01_0198abcd-5555/forks"
}

# Rules: G2
@test "Claude Code: by the origin of the first line" {
	local a=5e55f500-0000-4000-8000-000000000001 b=5e55f500-0000-4000-8000-00000000000b
	SESSION=$ALL/x/$a.jsonl write_lines "$(claude_user 1 "" first)" "$(claude_answer 2 1 answer)"
	{
		echo '{"type":"mode","mode":"normal","sessionId":"'$b'"}'
		sed "s/\"sessionId\":\"$a\"/\"sessionId\":\"$b\",\"forkedFrom\":{\"sessionId\":\"$a\",\"messageUuid\":\"$(uuid 1)\"}/" "$ALL/x/$a.jsonl"
	} >"$ALL/x/$b.jsonl"
	"$SESSFS" "$ALL" "$MNT"
	is "x/$a" leads "x/$b/parent-session"
	is "$b" ls "$MNT/x/$a/forks"
	# As sessfs itself makes a branch.
	local c=5e55f500-0000-4000-8000-00000000000c
	cat "$MNT/x/$a/by-id/$(uuid 2)/branch.jsonl" >"$ALL/x/$c.jsonl"
	is "$b
$c" ls "$MNT/x/$a/forks"
}

# Rules: G3
@test "sessions.txt, list and open draw forks below what they go on from" {
	local a=2026-03-01T10-00-00-000Z_0198aaaa-1111 b=2026-03-01T11-00-00-000Z_0198bbbb-2222 c=2026-03-01T12-00-00-000Z_0198cccc-3333
	pi_fork "$ALL/x/$a.jsonl" "" 10:00:01 first
	pi_fork "$ALL/x/between.jsonl" "" 10:30:01 between
	pi_fork "$ALL/y/$b.jsonl" "$ALL/x/$a.jsonl" 11:00:01 second
	pi_fork "$ALL/x/$c.jsonl" "$ALL/y/$b.jsonl" 12:00:01 third
	pi_fork "$ALL/x/d_dddd.jsonl" "$ALL/x/$a.jsonl" 09:00:01 fourth
	pi_fork "$ALL/x/e_eeee.jsonl" "$ALL/x/f_ffff.jsonl" 08:00:01 circle
	pi_fork "$ALL/x/f_ffff.jsonl" "$ALL/x/e_eeee.jsonl" 07:00:01 of-two
	"$SESSFS" "$ALL" "$MNT"
	local drawn="first
└ second
  └ third
└ fourth
between
of-two
└ circle"
	is "$drawn" cut -f 9 "$MNT/sessions.txt"
	is "$drawn" sh -c "'$SESSFS' list '$ALL' | cut -f 9"
	is "$drawn" sh -c "'$SESSFS' list '$ALL' | cut -f 9"
	# A fork whose parent goes stands for itself.
	rm "$ALL/y/$b.jsonl"
	is "third
between
first
└ fourth
of-two
└ circle" cut -f 9 "$MNT/sessions.txt"
}

# Rules: G3
@test "Codex: lists draw rollouts below those that they are based on" {
	local drawn="one
└ one
  └ one
└ one" of=(0 0 1 2 1) n
	make_codex_home
	{
		session_meta 1
		said msg_1 user one 1
	} >"$(rollout_path 1)"
	for n in 2 3 4; do
		{
			session_meta "$n" "$(based_on "${of[n]}" 5 "$(stat -c %s "$(rollout_path "${of[n]}")")")"
			said "msg_$n" user more 6
		} >"$(rollout_path "$n")"
	done
	"$SESSFS" "$CODEX_HOME/sessions" "$MNT"
	is "$drawn" cut -f 9 "$MNT/sessions.txt"
	make_home
	is "$drawn" sh -c "'$SESSFS' list '$CODEX_HOME' | cut -f 9"
	# What was kept says so, too.
	is "$drawn" sh -c "sleep 0.1; '$SESSFS' list '$CODEX_HOME' | cut -f 9"
	is "$drawn" sh -c "'$SESSFS' list '$CODEX_HOME' | cut -f 9"
}
