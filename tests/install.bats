# bats file_tags=shell
# Where `make install` puts files, and that they work from there: mount(8),
# fstab, the systemd unit; and the tarball of `make dist`.
load lib/mount
load lib/run

# install or uninstall, for real. Nothing is built: the program under test is installed,
# and tests that run beside this one need it.
does() {
	command make -s -C "$ROOT" SESSFS="$SESSFS" "$@"
}

# Most tests use one installation, in $HERE, by somebody with an odd PREFIX and umask, whose
# cd goes elsewhere.
setup_file() {
	export HERE=$BATS_FILE_TMPDIR/here
	mkdir -p "$HERE" "$BATS_FILE_TMPDIR/cd/scripts"
	(umask 077 && CDPATH=$BATS_FILE_TMPDIR/cd does install PREFIX="$HERE/a  prefix" HELPERDIR="$HERE/sbin" UNITDIR="$HERE/units")
}

as_nobody() {
	setpriv --reuid="$(id -u nobody)" --regid="$(id -g nobody)" --clear-groups "$@"
}

# Print the files in a folder.
files_in() {
	(cd "$1" && find . ! -type d | LC_ALL=C sort)
}

# bats test_tags=full
@test "install puts everything under DESTDIR, and uninstall removes it all" {
	local root=$DIR/root file
	does install DESTDIR="$root"
	files_in "$root" >"$DIR/files"
	for file in usr/local/bin/sessfs usr/local/share/man/man1/sessfs.1 \
		usr/local/share/man/man1/sessfs-keep.1 usr/local/share/man/man7/sessfs-mount.7 \
		sbin/mount.fuse.sessfs usr/local/share/zsh/site-functions/_sessfs \
		usr/local/share/bash-completion/completions/sessfs \
		usr/local/share/fish/vendor_completions.d/sessfs.fish \
		usr/local/lib/systemd/user/sessfs.service \
		usr/local/lib/systemd/user/sessfs@.service \
		usr/local/lib/systemd/user/sessfs-keep.service \
		usr/local/lib/systemd/user/sessfs-keep.timer \
		usr/local/share/sessfs/examples/agent \
		usr/local/share/sessfs/examples/demo.jsonl \
		usr/local/share/sessfs/skill/SKILL.md \
		usr/local/share/sessfs/omp/sessfs.ts \
		usr/local/share/sessfs/pi/package.json \
		usr/local/share/sessfs/pi/sessfs-follow.ts; do
		has_line "./$file" "$DIR/files"
	done
	[ -x "$root/usr/local/share/sessfs/examples/agent" ]
	[ "$(ls "$root/usr/local/bin")" = sessfs ]
	# Install twice, beside files of other programs.
	does install DESTDIR="$root"
	files_in "$root" | diff "$DIR/files" -
	# No file names DESTDIR or the build directory.
	rm "$root/usr/local/bin/sessfs"
	not grep -rF -e "$DIR" -e "$ROOT" -e @BINDIR@ "$root"
	has_line 'sessfs="/usr/local/bin/sessfs"' "$root/sbin/mount.fuse.sessfs"
	has $'\nExecStart="/usr/local/bin/sessfs" ' "$root/usr/local/lib/systemd/user/sessfs@.service"
	touch "$root/usr/local/bin/other"
	does uninstall DESTDIR="$root"
	is ./usr/local/bin/other files_in "$root"
	[ ! -e "$root/usr/local/share/sessfs" ]
	does uninstall DESTDIR="$root"
}

@test "a umask does not keep other users from what is installed" {
	[ -x "$HERE/a  prefix/share/sessfs/examples/agent" ]
	prints_nothing find "$HERE" -mindepth 1 ! -type l ! -perm -444
	prints_nothing find "$HERE" -mindepth 1 -type d ! -perm 755
}

@test "a PREFIX that would go wrong is refused, and nothing is installed" {
	local prefix
	# zsh and dash leave the tilde in PREFIX=~/.local as it is.
	for prefix in \~/.local usr "$DIR/a&b" "$DIR/a|b" "$DIR/50%" "$DIR/"'a"b' "$DIR/"'a$b' "$DIR/"'a\b'; do
		fails_in_a_line "scripts/install: $prefix/bin: " 1 env DESTDIR="$DIR/root" PREFIX="$prefix" \
			"$ROOT/scripts/install" install
	done
	prints_nothing find "$DIR" -name 'sessfs*'
}

@test "uninstall removes the links to its skill that its user has, and no others" {
	make_home
	mkdir -p "$HOME/.claude" "$HOME/.codex" "$HOME/.pi/agent/skills"
	does install PREFIX="$HOME/.local"
	"$HOME/.local/bin/sessfs" skill install claude codex >"$DIR/made"
	has_lines 2 "$DIR/made"
	ln -s "$HERE/a  prefix/share/sessfs/skill" "$HOME/.pi/agent/skills/sessfs"
	does uninstall PREFIX="$HOME/.local" DESTDIR="$DIR/elsewhere"
	is 3 eval "find '$HOME' -type l -name sessfs | wc -l"
	does uninstall PREFIX="$HOME/.local"
	is "$HOME/.pi/agent/skills/sessfs" find "$HOME" -type l -o -name '*sessfs*'
}

@test "a program that is given is installed, and nothing is built" {
	make -n -B -C "$ROOT" install SESSFS="$SESSFS" >"$DIR/commands"
	is "scripts/install install" grep -v '^make' "$DIR/commands"
}

@test "every file of mount/share is installed" {
	cd "$ROOT"
	local how _ patterns
	while read -r how _ patterns; do
		# shellcheck disable=SC2086 # patterns of names
		[[ $how == '#'* || $patterns != mount/share/* ]] || printf '%s\n' $patterns
	done <mount/share/manifest | LC_ALL=C sort -u >"$DIR/named"
	find mount/share -type f ! -name manifest | LC_ALL=C sort | diff "$DIR/named" -
}

# bats test_tags=root
@test "a user installs under ~/.local, mounts with it, and uninstalls" {
	needs_root
	local home=$DIR/home
	mkdir "$home"
	cp "$FIXTURES/pi-v3-branches.jsonl" "$SESSION"
	chown nobody "$home" "$SESSION" "$MNT"
	as_nobody make -s -C "$ROOT" SESSFS="$SESSFS" install PREFIX="$home/.local"
	[ -e "$home/.local/share/systemd/user/sessfs@.service" ]
	as_nobody "$home/.local/sbin/mount.fuse.sessfs" "$SESSION" "$MNT" -o ro
	is by-id/aa000025 as_nobody readlink "$MNT/HEAD"
	as_nobody fusermount3 -u "$MNT"
	as_nobody make -s -C "$ROOT" uninstall PREFIX="$home/.local"
	[ -z "$(files_in "$home")" ]
}

# A section of the spec for rpm, as on Fedora.
spec() {
	sed -n "/^%$1\$/,/^\$/{/^%$1\$/d; /^%license/d; p}" "$ROOT/scripts/package/sessfs.spec" |
		sed "s|%{buildroot}|$DIR/rpm|; s|%{_prefix}|/usr|; s|%{_bindir}|/usr/bin|; s|%{_sbindir}|/usr/sbin|; s|%{_datadir}|/usr/share|; s|%{_mandir}|/usr/share/man|; s|%{_docdir}|/usr/share/doc|; s|%{_userunitdir}|/usr/lib/systemd/user|"
}

# What README says is needed there, without what all builds need.
needed_on() {
	sed -n "s/^| $1 | \`\(.*\)\` |\$/\1/p" "$ROOT/README.md" | tr ' ' '\n' | grep -vxE 'gcc|make|pkgconf'
}

@test "the spec for rpm has all that is installed, and needs what README says" {
	local version pattern name
	version=$(sed -n 's/^VERSION = //p' "$ROOT/Makefile")
	make() { does "$@"; }
	does install DESTDIR="$DIR/root" PREFIX=/usr HELPERDIR=/usr/sbin
	files_in "$DIR/root" >"$DIR/files"
	eval "$(spec install)"
	files_in "$DIR/rpm" | diff "$DIR/files" -
	spec files | grep . >"$DIR/patterns"
	while read -r pattern; do
		# shellcheck disable=SC2086 # a pattern
		(cd "$DIR/rpm" && find .${pattern%/} ! -type d)
	done <"$DIR/patterns" | LC_ALL=C sort | diff "$DIR/files" -
	has $'\nVersion:        '"$version"$'\n' "$ROOT/scripts/package/sessfs.spec"
	needed_on Fedora >"$DIR/needed"
	has_line fuse3-devel "$DIR/needed"
	while read -r name; do
		grep -qE "^(BuildRequires|Requires): .*[ ]$name( |\$)" "$ROOT/scripts/package/sessfs.spec"
	done <"$DIR/needed"
	if type -P rpmspec >/dev/null; then
		is "sessfs $version" rpmspec -q --srpm --qf '%{name} %{version}\n' "$ROOT/scripts/package/sessfs.spec"
		rpmspec --parse --define '_userunitdir /usr/lib/systemd/user' --define '_docdir /usr/share/doc' "$ROOT/scripts/package/sessfs.spec" |
			sed -n '/^%files/,$p' | grep ^/ | diff "$DIR/patterns" -
	else
		echo "# there is no rpmspec here, which would read the spec, too" >&3
	fi
}

@test "the PKGBUILD installs what make install does, and needs what README says" {
	local version
	version=$(sed -n 's/^VERSION = //p' "$ROOT/Makefile")
	does install DESTDIR="$DIR/root" PREFIX=/usr HELPERDIR=/usr/bin
	files_in "$DIR/root" >"$DIR/files"
	mkdir "$DIR/src"
	ln -s "$ROOT" "$DIR/src/sessfs-$version"
	(
		make() { does "$@"; }
		cd "$DIR/src"
		# shellcheck disable=SC1091,SC2030,SC2034 # pkgdir is for package()
		{
			pkgdir=$DIR/pkg
			. "$ROOT/scripts/package/PKGBUILD"
		}
		package
		printf '%s\n' "${depends[@]}" "${makedepends[@]}" >"$DIR/depends"
	)
	is "./usr/share/licenses/sessfs/LICENSE
./usr/share/licenses/sessfs/markdown-it.LICENSE" eval "files_in '$DIR/pkg' | LC_ALL=C comm -13 '$DIR/files' -"
	prints_nothing eval "files_in '$DIR/pkg' | LC_ALL=C comm -23 '$DIR/files' -"
	needed_on Arch | sort | diff <(sort "$DIR/depends") -
}

# Run commands where /sbin is the one that was installed, in a mount namespace:
# what is mounted there, and sessfs with it, goes when they end.
with_sbin() {
	export DIR MNT SESSION
	in_namespace --kill-child -f bash -eu -c '
		mount --bind "$HERE/sbin" "$(readlink -f /sbin)"
		answers() {
			[ "$(findmnt -no FSTYPE "$MNT")" = fuse.sessfs ]
			[ "$(readlink "$MNT/HEAD")" = by-id/aa000025 ]
			findmnt -no OPTIONS "$MNT" | grep -qw "$1"
		}
		'"$1"
}

# bats test_tags=root,full
@test "mount(8) mounts by type, and its options mean what they do elsewhere" {
	needs_root
	SESSION="$DIR/a  session,with 'quotes'.jsonl"
	MNT="$DIR/a mount"
	mkdir "$MNT"
	cp "$FIXTURES/pi-v3-branches.jsonl" "$SESSION"
	with_sbin '
		mount -t fuse.sessfs "$SESSION" "$MNT" -o ro
		answers ro
		umount "$MNT"
		mount -s -n -v -t fuse.sessfs "$SESSION" "$MNT"
		answers rw
		umount "$MNT"
		mount -f -t fuse.sessfs "$SESSION" "$MNT"
		if mountpoint -q "$MNT"; then exit 1; fi
		mv "$SESSION" "$DIR/-s.jsonl"
		cd "$DIR"
		mount -t fuse.sessfs -- -s.jsonl "$MNT"
		answers rw
		umount "$MNT"
	'
	daemon_is_gone
}

# bats test_tags=root,full
@test "mount -N mounts in another namespace, and not in this one" {
	needs_root
	# It would lead out of a chroot.
	nsenter -m -t $$ [ -e "$DIR" ] || skip "in a chroot no namespace can be entered"
	cp "$FIXTURES/pi-v3-branches.jsonl" "$SESSION"
	with_sbin '
		unshare -m --propagation slave sleep 60 &
		there=$!
		ours=$(readlink /proc/self/ns/mnt)
		for _ in {1..200}; do
			theirs=$(readlink "/proc/$there/ns/mnt") && [ "$theirs" != "$ours" ] && break
			sleep 0.05
		done
		mount -N "$there" -t fuse.sessfs "$SESSION" "$MNT"
		if mountpoint -q "$MNT"; then exit 1; fi
		[ "$(nsenter -m -t "$there" readlink "$MNT/HEAD")" = by-id/aa000025 ]
		# sessfs is in that namespace, and keeps it.
		nsenter -m -t "$there" umount "$MNT"
		kill "$there"
	'
	daemon_is_gone
}

# bats test_tags=root
@test "a line of fstab mounts" {
	needs_root
	cp "$FIXTURES/pi-v3-branches.jsonl" "$SESSION"
	local words=noauto,user,nofail,_netdev,owner,group,x-systemd.automount,comment=x
	echo "$SESSION $MNT fuse.sessfs $words,ro 0 0" >"$DIR/fstab"
	with_sbin '
		mount -T "$DIR/fstab" "$MNT"
		answers ro
		umount "$MNT"
	'
	daemon_is_gone
}

# bats test_tags=root,full
@test "an ordinary user mounts and unmounts by a line of fstab that lets them" {
	needs_root
	[ -e /etc/fstab ] || skip "there is no /etc/fstab on this machine"
	cp "$FIXTURES/pi-v3-branches.jsonl" "$SESSION"
	chown nobody "$SESSION" "$MNT"
	echo "$SESSION $MNT fuse.sessfs noauto,user 0 0" >"$DIR/fstab"
	export -f as_nobody
	with_sbin '
		chmod 755 "$DIR"
		mount --bind "$DIR/fstab" /etc/fstab
		mknod -m 666 "$DIR/fuse" c 10 229
		mount --bind "$DIR/fuse" /dev/fuse
		as_nobody mount "$MNT"
		[ "$(as_nobody readlink "$MNT/HEAD")" = by-id/aa000025 ]
		as_nobody umount "$MNT"
		if mountpoint -q "$MNT"; then exit 1; fi
	'
	daemon_is_gone
}

@test "mount.fuse.sessfs reports its failures, and their status" {
	local helper=$HERE/sbin/mount.fuse.sessfs
	fails_in_a_line "usage: mount.fuse.sessfs " 1 "$helper" "$SESSION"
	fails_in_a_line "usage: mount.fuse.sessfs " 1 "$helper" "$SESSION" "$MNT" more
	refuses 1 "sessfs: $SESSION: No such file or directory" \
		"$helper" "$SESSION" "$MNT" -t fuse.sessfs -o nofail
	cp "$FIXTURES/pi-v3-branches.jsonl" "$SESSION"
	refuses 2 "sessfs: unknown option(s): \`-o nosuch'" "$helper" "$SESSION" "$MNT" -o nosuch
}

# Rules: Q4
@test "systemd finds nothing wrong with the unit" {
	needs systemd-analyze
	local name units=()
	mkdir "$DIR/run"
	for name in sessfs@pi sessfs@claude sessfs@codex; do
		units+=("$HERE/units/$name.service")
	done
	export XDG_RUNTIME_DIR=$DIR/run SYSTEMD_UNIT_PATH=$HERE/units:
	refuses 0 "" systemd-analyze --user --man=no verify "${units[@]}"
}

# The commands that the unit has for this key, run as systemd would for the user whose home
# is $DIR/home. A "-" is before those that may fail; the first of the others that does is the
# status.
unit_runs() {
	local line file source unit=$HERE/units/sessfs@ lines
	for file in "$unit.service" "$unit$2.service.d"/*; do
		[ -e "$file" ] || continue
		whole lines "$file"
		[[ ! $lines =~ $'\nEnvironment="SOURCE='([^$'\n']*)\"$'\n' ]] || source=${BASH_REMATCH[1]}
	done
	while IFS= read -r line; do
		[[ $line == "$1="* ]] || continue
		line=${line#*=}
		line=${line//"\${SOURCE}"/"'$source'"}
		line=${line//%h/"$DIR/home"}
		line=${line//%t/"$DIR/run"}
		line=${line//%i/"$2"}
		eval "${line#-}" || [[ $line == -* ]] || return 1
	done <"$unit.service"
}

unit_starts() {
	unit_runs ExecCondition "$1" && unit_runs ExecStartPre "$1" &&
		unit_runs ExecStart "$1"
}

# bats test_tags=full
@test "the unit mounts the sessions of Pi, and of Claude Code, and stops" {
	mkdir -p "$DIR/run" "$DIR/home/.pi/agent/sessions/a" "$DIR/home/.claude"
	cp "$FIXTURES/pi-v3-branches.jsonl" "$DIR/home/.pi/agent/sessions/a"
	unit_starts pi
	is by-id/aa000025 readlink "$DIR/run/sessfs/pi/a/pi-v3-branches/HEAD"
	is 700 stat -c %a "$DIR/run/sessfs"
	# Where there are no sessions it does not start.
	if unit_starts claude; then return 1; fi
	mkdir "$DIR/home/.claude/projects"
	cp "$FIXTURES/claude-basic.jsonl" "$DIR/home/.claude/projects"
	unit_starts claude
	[ -s "$DIR/run/sessfs/claude/claude-basic/context.txt" ]
	local name
	for name in pi claude; do
		kill "$(pgrep -f "sessfs .*$DIR/run/sessfs/$name")"
		wait_until not_mounted "$DIR/run/sessfs/$name"
		unit_runs ExecStopPost "$name"
	done
}

@test "the unit starts again where its daemon was killed, and leaves no dead mount" {
	mkdir -p "$DIR/run" "$DIR/home/.pi/agent/sessions"
	cp "$FIXTURES/pi-v3-branches.jsonl" "$DIR/home/.pi/agent/sessions"
	unit_starts pi
	kill -9 "$(pgrep -f "sessfs .*$DIR/run/sessfs/pi")"
	unit_starts pi
	is by-id/aa000025 readlink "$DIR/run/sessfs/pi/pi-v3-branches/HEAD"
	findmnt -rno TARGET "$DIR/run/sessfs/pi" >"$DIR/mounted"
	has_lines 1 "$DIR/mounted"
	kill -9 "$(pgrep -f "sessfs .*$DIR/run/sessfs/pi")"
	unit_runs ExecStopPost pi
	not_mounted "$DIR/run/sessfs/pi"
}

# bats test_tags=full
@test "the tarball of make dist builds, and packs itself again" {
	[ ! -e "$ROOT/.git" ] || needs git
	# Variables of a make that runs this test must not reach that make.
	unset MAKEFLAGS MFLAGS MAKELEVEL SAN
	local version
	version=$(sed -n 's/^VERSION = //p' "$ROOT/Makefile")
	make -s -C "$ROOT" dist
	tar -xzf "$ROOT/build/sessfs-$version.tar.gz" -C "$DIR"
	is "$version" bash -c "ls -d '$DIR'/sessfs-* | sed 's/.*-//'"
	# Optimized, it takes five times as long.
	make -s -C "$DIR/sessfs-$version" -j2 CFLAGS=-O0 all dist
	is "sessfs $version" "$DIR/sessfs-$version/build/sessfs" --version
	cmp "$ROOT/build/sessfs-$version.tar.gz" \
		"$DIR/sessfs-$version/build/sessfs-$version.tar.gz"
}

@test "the version is in one place" {
	local version
	version=$(sed -n 's/^VERSION = //p' "$ROOT/Makefile")
	[[ "$("$SESSFS" --version)" =~ ^"sessfs $version"(\+git\.[0-9a-z]+)?$ ]]
	has $'\n## '"$version (" "$ROOT/CHANGELOG.md"
	not grep -rnF "$version" "$ROOT/core" "$ROOT/fs" "$ROOT/mount" "$ROOT/scripts" \
		--include='*.[ch]' --include='*.1' --include='*.service' --include=pack
}

# What a build of this folder would be called.
built() {
	make -s -C "$1" build/built 2>/dev/null
	cat "$1/build/built"
}

@test "sessfs -V tells a build that is no release" {
	needs git
	unset MAKEFLAGS MFLAGS MAKELEVEL SAN
	local version name=$DIR/clone
	version=$(sed -n 's/^VERSION = //p' "$ROOT/Makefile")
	mkdir "$name"
	cp "$ROOT/Makefile" "$name"
	echo build >"$name/.gitignore"
	is "$version" built "$name"
	git -C "$name" init -q
	git -C "$name" add .
	git -C "$name" -c user.name=x -c user.email=x@x.invalid commit -q -m one
	is "$version+git.$(git -C "$name" rev-parse --short HEAD)" built "$name"
	git -C "$name" -c user.name=x -c user.email=x@x.invalid tag -a -m "" "v$version"
	is "$version" built "$name"
	echo >>"$name/Makefile"
	is "$version+git.$(git -C "$name" rev-parse --short HEAD)" built "$name"
}
