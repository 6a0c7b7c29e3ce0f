#include "fs/tree/ino.h"

#include "tests/unit/test.h"

#define LAST_ENTRY ((1u << INO_ENTRY_BITS) - 1)
#define LAST_NTH ((1u << INO_NTH_BITS) - 1)
#define LAST_PLACE ((1u << PLACE_BITS) - 1)

/* Decoding is the inverse of encoding, up to the highest value of each field.
 */
TEST(check_round_trip)
{
	static const uint32_t places[] = { 0, 1, 2, 4096, LAST_PLACE };
	static const uint32_t entries[] = { 0, 1, 77, LAST_ENTRY };
	static const uint32_t nths[] = { 0, 1, LAST_NTH };
	for (size_t i = 0; i < COUNT(places) * COUNT(entries) * COUNT(nths);
	     i++) {
		struct node n = {
			.entry = entries[i % COUNT(entries)],
			.nth = nths[i / COUNT(entries) % COUNT(nths)]
		};
		uint32_t place = places[i / COUNT(entries) / COUNT(nths)];
		for (int k = KIND_ROOT; k < KIND_COUNT; k++) {
			struct node got;
			n.kind = (enum node_kind)k;
			uint64_t ino = ino_encode(place, &n);
			uint32_t number;
			CHECK(ino_decode(ino, &number, &got));
			CHECK_INT(number, place);
			CHECK_INT(got.entry, n.entry);
			CHECK_INT(got.nth, n.nth);
			/* SOURCE has the kernel's number for the root. */
			CHECK_INT(got.kind, place == 0 && k == KIND_FOLDER
						    ? KIND_ROOT
						    : k);
			CHECK_INT(ino_kind(ino), got.kind);
			n.entry = (n.entry + 1) & LAST_ENTRY;
			CHECK_INT(ino_following(ino, 1), ino_encode(place, &n));
			n.entry = entries[i % COUNT(entries)];
		}
	}
}

TEST(check_numbers)
{
	struct node n;
	uint32_t place;
	const struct node root = { .kind = KIND_ROOT };
	const struct node folder = { .kind = KIND_FOLDER };
	CHECK_INT(ino_encode(0, &root), 1);
	CHECK_INT(ino_encode(0, &folder), 1);
	CHECK(ino_encode(1, &folder) != 1);
	CHECK(!ino_decode(0, &place, &n));
	CHECK(!ino_decode(KIND_COUNT, &place, &n));
	CHECK(!ino_decode(UINT64_MAX, &place, &n) ||
	      KIND_COUNT == 1 << INO_KIND_BITS);
}

/* The same entry of two places differs in the lower bits. */
TEST(check_offsets)
{
	const struct node n = { .kind = KIND_CONTENT, .entry = 5 };
	const uint64_t lower = ((uint64_t)1 << 46) - 1;
	for (uint32_t place = 0; place < 1000; place++)
		CHECK((ino_encode(place, &n) & lower) !=
		      (ino_encode(place + 1, &n) & lower));
}

/* Openings of `append` are one file to stat(2). */
TEST(check_shown)
{
	struct place at = { .home = 3, .epoch_number = 9 };
	const struct node opening = { KIND_APPEND, 12, 34, &at };
	const struct node append = { KIND_APPEND, 0, 0, &at };
	const struct node content = { KIND_CONTENT, 12, 0, &at };
	CHECK(ino_of(&opening) != ino_of(&append));
	CHECK(ino_shown(&opening) == ino_of(&append));
	CHECK(ino_shown(&content) == ino_of(&content));
	CHECK_INT(ino_place(ino_of(&opening)), at.home);
	CHECK_INT(ino_place(ino_of(&content)), at.epoch_number);
}

RUN_TESTS("ino")
