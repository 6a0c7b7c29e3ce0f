# sessfs: a FUSE filesystem that shows an AI agent's session as a directory tree.
#
#   make            build/sessfs
#   make demo       install what is missing, build, and show a session
#   make test       install what is missing, build, and run every test
#
# SAN=1 builds and tests with the address and undefined-behaviour sanitizers.

VERSION = 0.1.0

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
	-fno-omit-frame-pointer
else
B = build
endif

CORE = $(wildcard core/*.c)
FS = $(wildcard fs/*.c)
MOUNT = $(wildcard mount/*.c)
CORE_O = $(CORE:%.c=$B/%.o)
FS_O = $(FS:%.c=$B/%.o)
MOUNT_O = $(MOUNT:%.c=$B/%.o)

.PHONY: all
all: $B/sessfs

# core/ is built without the flags for FUSE, so that it can't include it.
$(FS_O) $(MOUNT_O): EXTRA = $(FUSE_CFLAGS)
$B/mount/main.o: EXTRA += -DSESSFS_VERSION='"$(VERSION)"'

$B/%.o: %.c Makefile
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) $(EXTRA) -MMD -MP -c -o $@ $<

$B/sessfs: $(MOUNT_O) $(FS_O) $(CORE_O)
	$(CC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $^ $(FUSE_LIBS) $(CORE_LIBS)

-include $(shell find build -name '*.d' 2>/dev/null)
