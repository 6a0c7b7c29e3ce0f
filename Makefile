# sessfs: a FUSE filesystem that shows an AI agent's session as a directory tree.
# `make help` lists the targets.

VERSION = 0.2.0
# What it is called that is built here: in a clone, but at the release's tag, the commit is added.
BUILT = $(VERSION)$(shell [ ! -e .git ] || \
	[ "$$(git describe --dirty --exact-match --match=v$(VERSION) 2>/dev/null)" = v$(VERSION) ] || \
	echo "+git.$$(git rev-parse --short HEAD 2>/dev/null || echo unknown)")

# SAN=1 builds and tests with the address and undefined-behaviour sanitizers. WERROR=1
# makes warnings errors. V=1 shows the commands.
B = build$(if $(SAN),/san)
CFLAGS ?= -O2 -g
WARNINGS = -Wall -Wextra -Wshadow -Wmissing-prototypes -Wstrict-prototypes \
	-Wpointer-arith -Wwrite-strings -Wvla -Wformat=2 $(if $(WERROR),-Werror)
SANITIZERS = -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
ALL_CFLAGS = -std=gnu11 -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 -I. $(WARNINGS) $(CFLAGS) \
	$(if $(SAN),$(SANITIZERS) $(FUZZ_FLAGS))
LIBS = $(shell pkg-config --libs libcjson uuid libmd libpcre2-8) -lm -pthread
JOBS = $(shell nproc)
MAKEFLAGS += --no-print-directory --no-builtin-rules
# With it, cd in the scripts would go elsewhere, or print where it goes.
unexport CDPATH
ifneq ($(V),1)
Q = @
say = @echo '  $1 $(@:$B/%=%)'
endif

# One library of all but the program itself. scripts/layers checks which folder may include
# which. Only fs/kernel, its tests and mount are given the path of FUSE's headers.
LIB = $(sort $(shell find core fs mount -mindepth 2 -name '*.[cS]'))
FUSE = $(wildcard fs/kernel/*.c mount/*.c) $(patsubst %,tests/unit/test_%.c,capabilities notify)
UNIT = $(basename $(notdir $(wildcard tests/unit/*.c)))
# These define functions of libc or libfuse, so each is a program of its own. All others of a
# folder are one: tests/lib/programs.c. Optimizing them would take longer than it saves.
ALONE = $(addprefix test_,append_stream folder folder_index heads index labels log notify omp_files \
	places quiet settling staged store)
BENCH = $(patsubst scripts/bench/%.c,$B/bench/%,$(wildcard scripts/bench/*.c))
FUZZ = $(addprefix session-,any claude codex draft-index draft-uuid go-tree lines omp \
	pi) json name scan target text
# Never with the sanitizers.
PRELOAD = build/intercept.so build/builtins.so

.PHONY: all unit bench-programs preload replay
all: $B/sessfs ## build/sessfs
unit: $(UNIT:%=$B/tests/unit/%) $B/tests/requests/main
bench-programs: $(BENCH)
preload: $(PRELOAD)
replay: $(FUZZ:%=$B/replay/%)

$(FUSE:%.c=$B/%.o): EXTRA += $(shell pkg-config --cflags fuse3)
$B/core/catalogue/store.o: EXTRA += -DSESSFS_VERSION='"$(VERSION)"'
# Only this object is built anew for each commit. Summaries have a version of their own.
$B/mount/main.o: EXTRA += -DSESSFS_VERSION='"$(BUILT)"'
$B/mount/main.o: $B/built
$B/tests/fuzz/session-%.o: EXTRA = -DFUZZ_DIALECT='"$*"'

define compile
	@mkdir -p $(@D)
	$(call say,CC)
	$Q$(CC) $(ALL_CFLAGS) $(EXTRA) -MMD -MP -c -o $@ $<
endef
$B/%.o: %.c Makefile
	$(compile)
$B/%.o: %.S Makefile
	$(compile)
$B/tests/fuzz/session-%.o: tests/fuzz/session.c Makefile
	$(compile)
$B/built: FORCE
	@mkdir -p $(@D)
	@built='$(BUILT)' && echo "$$built" | cmp -s - $@ || echo "$$built" >$@
.PHONY: FORCE
# The files that it embeds.
$B/core/show/page/page.o: $(wildcard core/show/page/*)

$B/libsessfs.a: $(patsubst %,$B/%.o,$(basename $(LIB)))
	$(call say,AR)
	$Qrm -f $@ && $(AR) rcs $@ $^

define link
	@mkdir -p $(@D)
	$(call say,LD)
	$Q$(CC) $(ALL_CFLAGS) $(LDFLAGS) $1 -o $@ $(filter %.o %.a,$^) $2 $(LIBS)
endef
$B/sessfs: $(patsubst %.c,$B/%.o,$(wildcard mount/*.c)) $B/libsessfs.a
	$(call link,,$(shell pkg-config --libs fuse3))
$(ALONE:%=$B/tests/unit/%): %: %.o $B/libsessfs.a
	$(call link)
define program_of
$B/tests/$1-tests: $(patsubst %,$B/tests/$1/%.o,$2) $3 $B/tests/lib/programs-$1.o $B/libsessfs.a
	$$(call link)
$(2:%=$B/tests/$1/%): $B/tests/$1-tests
	@ln -sf ../$1-tests $$@
$(2:%=$B/tests/$1/%.o): EXTRA += -O0 -Dmain=main_of_$$(basename $$(@F))
$B/tests/lib/programs-$1.o: EXTRA = -DPROGRAMS='$(foreach t,$2,PROGRAM($t))'
$B/tests/lib/programs-$1.o: tests/lib/programs.c Makefile tests/$1
	$$(compile)
endef
$(eval $(call program_of,unit,$(filter-out $(ALONE),$(UNIT))))
$B/bench/%: $B/scripts/bench/%.o $B/libsessfs.a
	$(call link)
$B/replay/%: $B/tests/fuzz/%.o $B/tests/fuzz/fuzz.o $B/tests/fuzz/replay.o $B/libsessfs.a
	$(call link)
$B/targets/%: $B/tests/fuzz/%.o $B/tests/fuzz/fuzz.o $B/tests/fuzz/mutate.o $B/libsessfs.a
	$(call link,-fsanitize=fuzzer)
$B/tests/requests/main: $B/tests/requests/main.o $B/tests/requests/requests.o \
	$B/tests/requests/sent_form.o $B/libsessfs.a
	$(call link)
$B/tests/unit-tests: $B/tests/requests/requests.o $B/tests/requests/sent_form.o
# test_scan has inputs for this target.
$B/tests/unit-tests: $B/tests/fuzz/scan.o $B/tests/fuzz/fuzz.o
# The variant for machines without vector instructions.
$B/tests/unit-tests $B/replay/scan $B/targets/scan: $B/tests/fuzz/plain_scan.o

$(PRELOAD): build/%.so: tests/lib/%.c Makefile
	@mkdir -p $(@D)
	$(call say,CC)
	$Q$(CC) -std=gnu11 -D_GNU_SOURCE -I. $(WARNINGS) -O2 -g -shared -fPIC -o $@ $< -ldl -pthread

# Objects are kept, although they are intermediate files of chained rules.
.SECONDARY:
# The Debian of test-package has files with such names.
-include $(shell find build -path build/package -prune -o -type f -name '*.d' -print 2>/dev/null)

# With SESSFS=PROGRAM this one is tested or installed, and not built.
SESSFS = $(CURDIR)/$B/sessfs
PREFIX ?= /usr/local
export SESSFS PREFIX

.PHONY: install uninstall dist deb demo clean help
install: $(if $(filter file,$(origin SESSFS)),all) ## to PREFIX (/usr/local), below DESTDIR if that is set
	scripts/install install
uninstall: ## remove these files
	scripts/install uninstall
dist: ## build/sessfs-VERSION.tar.gz, the sources
	scripts/pack dist $(VERSION)
deb: ## build/sessfs_VERSION_ARCH.deb, a package for Debian
	scripts/bootstrap deb
	MAKE='$(MAKE)' scripts/pack deb $(VERSION)
# Building after bootstrap needs a new make: it runs pkg-config, which bootstrap may
# just have installed.
demo: ## install what is missing, build, and show a session
	scripts/bootstrap build
	$(MAKE) $(if $(filter -j%,$(MAKEFLAGS)),,-j$(JOBS)) all
	scripts/demo
clean: ## remove build/
	rm -rf build
help: ## this list
	@sed -n 's/^\([a-z%-]*\):.*## /  make \1\t/p' Makefile | expand -t 20

.PHONY: test check test-full test-core test-mounts test-now built-tests
test: ## install what is missing, build, and run the tests (TESTS=FILES: some of them)
	scripts/bootstrap test
	$(MAKE) test-now
check: ## the same, but install nothing, and skip what can't run
	$(MAKE) test-now MAY_SKIP=yes
test-full: ## all tests, those that take long included
	scripts/bootstrap test-full
	$(MAKE) test-now FULL=yes
test-core: ## only the unit tests, which need no mount
	scripts/bootstrap build
	$(MAKE) -j$(JOBS) all unit
	tests/run tests/unit/test_*.c
test-mounts: built-tests ## only the tests of mounts (FULL=yes: what test-full runs of them)
	tests/run $(TESTS) $(if $(wildcard $(TESTS)),,tests/commands/*.md `ls -S tests/*.bats`)

# FULL: the other tests, and what they need. Two runs in one checkout build in turns.
export FULL MAY_SKIP
test-now: built-tests
	tests/run $(TESTS)
built-tests:
	@mkdir -p build
	flock build/lock $(MAKE) -j$(JOBS) all unit preload $(if $(FULL),bench-programs)
	$(if $(FULL),flock build/lock $(MAKE) -j$(JOBS) SAN=1 replay)

# What a suite needs besides the program.
test-valgrind: NEEDS = unit
test-package: NEEDS = deb
test-%: ## a suite with a folder in tests/ (ONLY=arguments of its run): crash, folder, interop, model, mutants, package, page, soak, valgrind
	scripts/bootstrap $*
	$(MAKE) -j$(JOBS) all preload $(NEEDS)
	tests/$*/run $(ONLY)

.PHONY: golden fuzz fuzz-now bench lint
golden: ## write anew what tests/corpus expects: the agents their part (CASES=REGEX: some)
	scripts/bootstrap interop
	$(MAKE) -j$(JOBS) all unit
	GOLDEN=1 tests/interop/run pi/golden omp/golden claude/golden codex/golden qwen/golden
	GOLDEN=1 $B/tests/unit/test_corpus
	git --no-pager diff --stat tests/corpus
fuzz: ## fuzz core/ and fs/tree/, a minute a target (FUZZ_SECONDS=60)
	scripts/bootstrap fuzz
	$(MAKE) -j$(JOBS) fuzz-now SAN=1 B=build/fuzz CC=clang FUZZ_FLAGS='$(COVERAGE)'
# Tracing comparisons would halve the speed; tests/fuzz/run has a dictionary instead.
COVERAGE = -fsanitize=fuzzer-no-link -fno-sanitize-coverage=trace-cmp
fuzz-now: $(FUZZ:%=$B/targets/%)
	tests/fuzz/run $B $(FUZZ)
# If npm can't get the real Pi, its row says so.
bench: ## compare with other programs: twelve minutes
	scripts/bootstrap bench
	$(MAKE) all bench-programs
	-tests/interop/setup pi
	scripts/bench/run
lint: ## check the sources (LINT_SINCE=REV: clang-tidy for what has changed since)
	scripts/bootstrap lint
	scripts/lint
