#include "core/session/file_name.h"
#include "fs/tree/node_kinds.h"
#include "tests/unit/test.h"

/* A child must not have the name of a file beside it. */
TEST(check_entry_files)
{
	static const struct span names[] = { FILE_NAME_ENTRY_FILES };
	size_t found = 0;
	for (int k = KIND_PARENT_LINK; k < KIND_COUNT; k++) {
		const char *name = node_kinds[k].name;
		if (!name)
			continue;
		test_row = name;
		CHECK(node_kind_has_entry(k));
		CHECK(!file_name_is_plain(span_of(name), FILE_NAME_IN_ENTRY));
		found++;
	}
	test_row = NULL;
	CHECK_INT(found, COUNT(names));
	for (size_t i = 0; i < COUNT(names); i++)
		CHECK(node_kind_named(KIND_PARENT_LINK, KIND_COUNT - 1,
				      names[i]) != KIND_NONE);
}

RUN_TESTS("node_kinds")
