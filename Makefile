# sessfs: a FUSE filesystem that shows an AI agent's session as a directory tree.
#
#   make               build/sessfs
#   make demo          install what is missing, build, and show a session
#   make test          install what is missing, build, and run every test
#   make check         the same tests, but install nothing, and skip those
#                      that need a missing program
#   make test-core     only the unit tests, which need no mount
#   make test-folder   the tests of one session again, for one in a folder
#   make test-valgrind run the tests of mounts under valgrind
#   make test-interop  compare sessfs with the real agents, from npm
#   make test-page     use tree.html in a headless browser
#   make test-crash    power cuts, failing calls, two owners, in full: five minutes
#   make soak          one daemon on a long day: 20 minutes (HOURS=8)
#   make test-stress   many writers, kills and full disks: some minutes
#   make bench         compare with other programs: five minutes
#   make fuzz          fuzz core/ and fs/tree/, a minute a target (FUZZ_SECONDS=60)
#   make lint          check the sources
#   make install       to PREFIX (/usr/local), below DESTDIR if that is set
#   make uninstall     remove these files
#   make dist          build/sessfs-VERSION.tar.gz, the sources
#   make deb           build/sessfs_VERSION_ARCH.deb, a package for Debian
#   make test-package  install that in a clean Debian, as root
#   make clean
#
# SAN=1 builds and tests with the address and undefined-behaviour sanitizers.
# V=1 shows the commands.

VERSION = 0.1.0

PREFIX ?= /usr/local

# Print one short line per file.
MAKEFLAGS += --no-print-directory
ifneq ($(V),1)
Q = @
say = @echo '  $1 $2'
endif

CFLAGS ?= -O2 -g
WARNINGS = -Wall -Wextra -Wshadow -Wmissing-prototypes -Wstrict-prototypes \
	-Wpointer-arith -Wwrite-strings -Wvla -Wformat=2
ALL_CFLAGS = -std=gnu11 -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 -I. \
	$(WARNINGS) $(CFLAGS) $(SAN_FLAGS)
FUSE_CFLAGS = $(shell pkg-config --cflags fuse3)
CORE_LIBS = $(shell pkg-config --libs libcjson uuid) -lm -pthread
FUSE_LIBS = $(shell pkg-config --libs fuse3)

ifdef SAN
B = build/san
SAN_FLAGS = -fsanitize=address,undefined -fno-sanitize-recover=all \
	-fno-omit-frame-pointer $(FUZZ_FLAGS)
else
B = build
endif

# The layers, from the top. Each folder is an archive, and needs only those that
# come after it; + joins folders that do not know each other.
DIALECTS = core/dialects/omp+core/dialects/claude+core/dialects/codex+core/dialects/go_tree+core/dialects/drafts
CORE_LAYERS = core/dialects $(DIALECTS) core/dialects/pi core/dialects/kit \
	core/show+core/places core/session core/file core/json core/base
LAYERS = mount mount/commands/grep mount/commands+fs/kernel fs/edit fs/tree $(CORE_LAYERS)
archives = $(patsubst %,$B/%.a,$(subst +, ,$1))
CORE_A = $(call archives,$(CORE_LAYERS))

UNIT = $(patsubst tests/unit/%.c,$B/tests/%,$(wildcard tests/unit/*.c))
BENCH = $(patsubst scripts/bench/%.c,$B/bench/%,$(wildcard scripts/bench/*.c))
FUZZ = $(addprefix session-,any claude codex draft-index draft-uuid go-tree lines omp \
	pi pi-harness) json name scan target text
# Preloaded by tests, so never with the sanitizers.
PRELOAD = build/intercept.so
CRASH_TESTS = tests/powercut.bats tests/faults.bats tests/owners.bats
REPLAY = $(FUZZ:%=$B/replay/%)
SOURCES = $(shell find core fs mount -name '*.c')
SHELL_SCRIPTS = scripts/bootstrap scripts/clear-away scripts/debian-tree scripts/demo scripts/install scripts/layers \
	scripts/pack $(wildcard scripts/bin/sessfs-*) .ci/run .ci/as-user .ci/in-tree \
	tests/fuzz/run tests/can-mount tests/run tests/valgrind \
	tests/interop/run tests/interop/setup tests/soak/run \
	tests/interop/claude/can-run tests/interop/codex/can-run \
	tests/interop/netless \
	$(wildcard tests/interop/*/setup) tests/interop/pi/drawn tests/package/run tests/page/run \
	mount/share/mount.fuse.sessfs mount/share/completion.bash mount/share/examples/agent
BATS_FILES = $(wildcard tests/lib/*.bash tests/*.bats tests/stress/*.bats)
# Bats sets $$stderr, a cd that fails ends the test, and ls prints names of fixtures.
# But bats ignores a failed "! COMMAND", unless it is the last one of a test.
BATS_MAY = SC2154,SC2164,SC2010

.PHONY: all
all: $B/sessfs

# Only these have the flags for FUSE; other files can't include its headers.
$(patsubst %.c,$B/%.o,$(wildcard fs/kernel/*.c mount/*.c)) $B/tests/unit/test_notify.o: \
	EXTRA = $(FUSE_CFLAGS)
$B/mount/main.o $B/mount/commands/list_cache.o: EXTRA += -DSESSFS_VERSION='"$(VERSION)"'

$B/%.o: %.c Makefile
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$Q$(CC) $(ALL_CFLAGS) $(EXTRA) -MMD -MP -c -o $@ $<

%.a:
	$(call say,AR,$@)
	$Qrm -f $@ && $(AR) rcs $@ $^

define archive
$B/$1.a: $(patsubst %.c,$B/%.o,$(wildcard $1/*.c))
endef
$(foreach l,$(subst +, ,$(LAYERS)),$(eval $(call archive,$l)))
$B/core/show.a: $B/core/show/page/page.o

# The files of the page are embedded unchanged.
$B/core/show/page/page.o: core/show/page/page.S core/show/page/page.html \
		core/show/page/markdown-it.min.js core/show/page/markdown-it.LICENSE Makefile
	@mkdir -p $(@D)
	$(call say,AS,$<)
	$Q$(CC) $(ALL_CFLAGS) -c -o $@ $<

# The archives come last, from the top layer down. Each is searched once, so one
# that needs a layer above it does not link.
define link
	@mkdir -p $(@D)
	$(call say,LD,$@)
	$Q$(CC) $(ALL_CFLAGS) $(LDFLAGS) $1 -o $@ $(filter %.o,$^) \
		$(filter %.a,$^) $2 $(CORE_LIBS)
endef

$B/sessfs: $(call archives,$(LAYERS))
	$(call link,,$(FUSE_LIBS))

# Without libfuse: of fs/kernel, tests use only what does not reply to requests.
$B/tests/%: $B/tests/unit/%.o $B/fs/kernel.a $B/fs/edit.a $B/fs/tree.a $(CORE_A)
	$(call link)

$B/bench/%: $B/scripts/bench/%.o $(CORE_A)
	$(call link)

# One source for all dialects, with one target for each.
$B/tests/fuzz/session-%.o: tests/fuzz/session.c Makefile
	@mkdir -p $(@D)
	$(call say,CC,$< ($*))
	$Q$(CC) $(ALL_CFLAGS) -DFUZZ_DIALECT='"$*"' -MMD -MP -c -o $@ $<

$B/replay/%: $B/tests/fuzz/%.o $B/tests/fuzz/fuzz.o $B/tests/fuzz/replay.o \
		$B/fs/tree.a $(CORE_A)
	$(call link)

$B/targets/%: $B/tests/fuzz/%.o $B/tests/fuzz/fuzz.o $B/tests/fuzz/mutate.o \
		$B/fs/tree.a $(CORE_A)
	$(call link,-fsanitize=fuzzer)

# The variant for machines without vector instructions.
$B/tests/test_scan $B/replay/scan $B/targets/scan: $B/tests/fuzz/plain_scan.o

# The only module of mount/commands/ that has a unit test: it knows nothing of them.
$B/tests/test_sweep: $B/mount/commands/sweep.o

$(PRELOAD): build/%.so: tests/lib/%.c Makefile
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$Q$(CC) -std=gnu11 -D_GNU_SOURCE -I. $(WARNINGS) -O2 -g -shared -fPIC -o $@ $< -ldl -pthread

# Keep objects, although they are intermediate files of chained rules.
.SECONDARY:

-include $(shell find build -type f -name '*.d' 2>/dev/null)

# With SESSFS=PROGRAM this one is installed, and nothing is built.
SESSFS = $(CURDIR)/$B/sessfs
export SESSFS PREFIX
.PHONY: install
install: $(if $(filter file,$(origin SESSFS)),all)
	scripts/install install

.PHONY: uninstall
uninstall:
	scripts/install uninstall

.PHONY: dist
dist:
	scripts/pack dist $(VERSION)

.PHONY: deb
deb:
	scripts/bootstrap deb
	MAKE='$(MAKE)' scripts/pack deb $(VERSION)

.PHONY: test-package
test-package:
	scripts/bootstrap package
	$(MAKE) deb
	tests/package/run build/sessfs_$(VERSION)_$$(dpkg --print-architecture).deb

# Building after bootstrap needs a new make: it runs pkg-config, which bootstrap may
# just have installed.
.PHONY: demo
demo:
	scripts/bootstrap build
	$(MAKE) all
	scripts/demo

# Parallel jobs: as many as processors.
JOBS = $(shell nproc)

# Arguments for tests/run: files, or what bats chooses tests by.
TESTS = --filter-tags '!full'

.PHONY: test
test:
	scripts/bootstrap test
	$(MAKE) test-now

.PHONY: check
check:
	$(MAKE) test-now MAY_SKIP=yes

# Without the sanitizers there is nothing to replay: tests/fuzz.bats reports that.
.PHONY: test-now
test-now:
	$(MAKE) -j$(JOBS) all unit bench-programs preload
	$(MAKE) -j$(JOBS) SAN=1 replay || test -n '$(MAY_SKIP)'
	$(MAKE) -j$(JOBS) --output-sync run-unit
	MAY_SKIP='$(MAY_SKIP)' SESSFS=$(CURDIR)/$B/sessfs tests/run $(TESTS)

# A session must look the same in a folder as alone.
.PHONY: test-folder
test-folder:
	scripts/bootstrap test
	$(MAKE) all
	IN_FOLDER=yes SESSFS=$(CURDIR)/$B/sessfs tests/run $(patsubst %,tests/%.bats,\
		append-copies append-entries append-file append-formats append-pieces \
		append-refused claude content context formats head label layout name omp \
		writing)

# Each dialect, and each way to read and to write, once; of mutated members every 31st (there
# are ten types). More would take longer than all other tests. `make test SAN=1` runs all.
.PHONY: test-valgrind
test-valgrind:
	scripts/bootstrap valgrind
	$(MAKE) all
	MUTATE_EVERY=31 SESSFS=$(CURDIR)/tests/valgrind \
		tests/run --filter-tags '!large,!shell' $(patsubst %,tests/%.bats,\
		append-entries append-file append-formats check claude \
		dialect expected folder head label lines name omp rescue sessions writing xattr)

.PHONY: test-core
test-core:
	scripts/bootstrap build
	$(MAKE) unit
	$(MAKE) run-unit

.PHONY: unit run-unit $(UNIT:%=run/%)
unit: $(UNIT)

run-unit: $(UNIT:%=run/%)

$(UNIT:%=run/%): run/%: %
	@$<

# The programs that tests/fuzz.bats runs, always under the sanitizers.
.PHONY: replay
replay: $(REPLAY)

# Tracing comparisons would halve the speed; tests/fuzz/run has a dictionary instead.
COVERAGE = -fsanitize=fuzzer-no-link -fno-sanitize-coverage=trace-cmp

.PHONY: fuzz
fuzz:
	scripts/bootstrap fuzz
	$(MAKE) SAN=1 B=build/fuzz CC=clang FUZZ_FLAGS='$(COVERAGE)' fuzz-now

.PHONY: fuzz-now
fuzz-now: $(FUZZ:%=$B/targets/%)
	tests/fuzz/run $B $(FUZZ)

.PHONY: test-interop
test-interop:
	scripts/bootstrap interop
	$(MAKE) all preload
	SESSFS=$(CURDIR)/$B/sessfs tests/interop/run

.PHONY: test-page
test-page:
	scripts/bootstrap page
	$(MAKE) all
	SESSFS=$(CURDIR)/$B/sessfs tests/page/run

# `make test` runs the same with a sample of the states. One test at a time: each has
# several mounts at once, and with more all of them take longer.
.PHONY: test-crash
test-crash:
	scripts/bootstrap test
	$(MAKE) all preload
	JOBS=1 SAMPLE=all SESSFS=$(CURDIR)/$B/sessfs tests/run $(CRASH_TESTS)

# With a timeout, in case a test hangs.
.PHONY: test-stress
test-stress:
	scripts/bootstrap interop
	$(MAKE) all
	tests/interop/setup pi
	SESSFS=$(CURDIR)/$B/sessfs timeout 600 bats tests/stress

# The limit is for a hang: the soak itself ends in time.
SOAK_MINUTES = $(if $(HOURS),$$(($(HOURS) * 60)),$(or $(MINUTES),20))
.PHONY: soak
soak:
	scripts/bootstrap interop
	$(MAKE) all preload
	MINUTES=$(SOAK_MINUTES) SESSFS=$(CURDIR)/$B/sessfs \
		timeout --kill-after=60 $$(($(SOAK_MINUTES) + 15))m tests/soak/run

# If npm can't get the real Pi, its row says so.
.PHONY: bench
bench:
	scripts/bootstrap bench
	$(MAKE) all bench-programs
	-tests/interop/setup pi
	SESSFS=$(CURDIR)/$B/sessfs scripts/bench/run

.PHONY: bench-programs
bench-programs: $(BENCH)

.PHONY: preload
preload: $(PRELOAD)

# What is compiled with all warnings as errors.
LINTED = all unit replay bench-programs preload

.PHONY: lint
lint:
	scripts/bootstrap lint
	$(MAKE) lint-now

.PHONY: lint-now
lint-now:
	scripts/layers
	find core fs mount tests/unit tests/fuzz tests/lib scripts/bench -name '*.[ch]' \
		-exec clang-format --dry-run -Werror {} +
	$(MAKE) -j$(JOBS) B=build/lint-gcc CC=gcc CFLAGS='-O2 -Werror' $(LINTED)
	$(MAKE) -j$(JOBS) B=build/lint-clang CC=clang CFLAGS='-O2 -Werror' $(LINTED)
	printf '%s\n' $(SOURCES) | xargs -n 8 -P $(JOBS) sh -c \
		'clang-tidy --quiet "$$@" -- -std=gnu11 -D_GNU_SOURCE -I. \
			$(FUSE_CFLAGS) -DSESSFS_VERSION="\"$(VERSION)\""' clang-tidy
	cppcheck --quiet -j$(JOBS) --error-exitcode=1 --std=c11 --inline-suppr \
		--enable=warning,performance,portability \
		--suppress=missingIncludeSystem -D_GNU_SOURCE \
		-DSESSFS_VERSION='"$(VERSION)"' -I. core fs mount tests/unit tests/fuzz \
		tests/lib scripts/bench
	shellcheck $(SHELL_SCRIPTS)
	shellcheck --shell=bats --severity=warning --exclude=$(BATS_MAY) $(BATS_FILES)
	! grep -nE '^[[:space:]]*! ' $(BATS_FILES)
	! grep -nE '^[[:space:]]*wait$$' $(BATS_FILES)
	mandoc -Tlint -Wwarning mount/share/sessfs.1

.PHONY: clean
clean:
	rm -rf build
