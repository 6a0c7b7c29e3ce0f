/*
 * What the fuzz targets share. A target is a file with one function,
 *
 *     int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
 *
 * that does something with the bytes and checks what must hold whatever they
 * are: a check that fails aborts. `make fuzz` links it with clang's libFuzzer,
 * which makes up inputs (mutate.c); tests/fuzz.bats with replay.c, which takes
 * files.
 *
 * Inputs that found a bug are kept in crashes/TARGET/. In corpus/TARGET/ are
 * beginnings that lead where no case of tests/corpus does, and mutation of them
 * is slow to. Both are replayed by `make test`, and sessions in tests/corpus by
 * each target for sessions.
 */
#ifndef SESSFS_FUZZ_H
#define SESSFS_FUZZ_H

#include <stdint.h>

#include "core/session/session.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define FUZZ_CHECK(cond) fuzz_check(!!(cond), __FILE__, __LINE__, #cond)

void fuzz_check(bool ok, const char *file, int line, const char *what);

/* Aborts unless they are equal, and shows where they part. */
void fuzz_check_same(const char *what, struct span a, struct span b);

/* Aborts if the rendering failed or is no UTF-8. */
void fuzz_check_text(const struct buf *b);

/* The input as a span; what stands before its first `c`, taken off *rest. */
struct span fuzz_input(const uint8_t *data, size_t size);
bool fuzz_split(struct span *rest, char c, struct span *before);

/* A number below n that the bytes decide on. */
size_t fuzz_choose(struct span bytes, uint64_t seed, size_t n);

/*
 * The path of a file in a private folder, which is removed when the program
 * ends; one that is killed leaves it, in TMPDIR. fuzz_clean() empties it.
 */
const char *fuzz_path(const char *name);
void fuzz_clean(void);
void fuzz_write(const char *name, struct span bytes);
void fuzz_append(const char *name, struct span bytes);
void fuzz_replace(const char *name, struct span bytes);
void fuzz_remove(const char *name);
void fuzz_read(const char *name, struct buf *bytes);

/* Open and enter; NULL where the file is no session. */
struct session *fuzz_open(const char *name, const struct dialect *forced);
void fuzz_close(struct session *s);

#endif
