# More folders than a mount can distinguish.
load ../lib/mount

@test "262,144 folders: more are ENFILE, until others are removed" {
	mkdir "$DIR/all"
	# A busy disk takes minutes to make and remove so many.
	mount -t tmpfs -o nr_inodes=300k tmpfs "$DIR/all" || skip "tmpfs can't be mounted here"
	python3 - "$DIR/all" <<-'PY'
	import os, sys
	for i in range(262200):
	    os.mkdir(f"{sys.argv[1]}/{i:06}")
	PY
	"$SESSFS" "$DIR/all" "$MNT"
	python3 - "$DIR/all" "$MNT" <<-'PY'
	import errno, os, sys
	all, mnt = sys.argv[1:]
	listed = set(os.listdir(mnt))
	assert len(listed) == 262143, len(listed)
	beyond = sorted(set(os.listdir(all)) - listed)
	for name in beyond:
	    try:
	        os.stat(f"{mnt}/{name}")
	        assert False, name
	    except OSError as e:
	        assert e.errno == errno.ENFILE, e
	for name in sorted(listed)[:len(beyond)]:
	    os.rmdir(f"{all}/{name}")
	    assert not os.path.exists(f"{mnt}/{name}")
	for name in beyond:
	    os.stat(f"{mnt}/{name}")
	PY
}
