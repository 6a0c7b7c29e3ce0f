/*
 * A target without a fuzzer: each argument is a file that is given to it, a
 * folder stands for the files in it. Fails if there are none.
 */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/fuzz/fuzz.h"

static int replay(const char *path, unsigned *n)
{
	struct buf bytes = { 0 };
	FILE *f = fopen(path, "rb");
	char *to;
	size_t got = 0;
	/* Named first: who crashes says no more. */
	printf("%s\n", path);
	fflush(stdout);
	if (!f)
		return -1;
	while ((to = buf_reserve(&bytes, 65536)) &&
	       (got = fread(to, 1, 65536, f)) > 0)
		bytes.len += got;
	bool ok = to && !ferror(f);
	fclose(f);
	/* A copy of just that size, so that reading past it is noticed. */
	uint8_t *exact = malloc(bytes.len);
	if (ok && (exact || bytes.len == 0)) {
		if (exact)
			memcpy(exact, bytes.data, bytes.len);
		LLVMFuzzerTestOneInput(exact, bytes.len);
		++*n;
	}
	free(exact);
	buf_free(&bytes);
	return ok ? 0 : -1;
}

static int replay_folder(const char *path, unsigned *n)
{
	struct dirent **list;
	int count = scandir(path, &list, NULL, alphasort);
	int err = 0;
	if (count < 0)
		return errno == ENOTDIR ? replay(path, n) : -1;
	for (int i = 0; i < count; i++) {
		struct buf file = { 0 };
		buf_addf(&file, "%s/%s", path, list[i]->d_name);
		if (list[i]->d_name[0] != '.')
			err = !buf_cstr(&file) || replay(file.data, n) ? -1
								       : err;
		buf_free(&file);
		free(list[i]);
	}
	free(list);
	return err;
}

int main(int argc, char **argv)
{
	unsigned n = 0;
	for (int i = 1; i < argc; i++) {
		if (replay_folder(argv[i], &n) < 0) {
			perror(argv[i]);
			return 1;
		}
	}
	printf("%u inputs\n", n);
	return n > 0 ? 0 : 1;
}
