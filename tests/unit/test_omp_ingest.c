/* Slots that are written; what is read of them is in the corpus. */
#include "core/dialects/pi/pi.h"

#include "core/dialects/omp/omp.h"
#include "tests/unit/test.h"

#define SLOT(title, rest)                                \
	"{'type':'title','v':1,'title':'" title "'" rest \
	",'updatedAt':'2026-03-01T10:00:30.000Z','pad':'  '}\n"
/* Written slots are 256 bytes, whatever the title. */
TEST(check_written_slots)
{
	static const struct {
		const char *title; /* said over and over */
		size_t times;
		size_t fit; /* bytes */
	} rows[] = {
		{ "", 0, 0 },
		{ "T", 1, 1 },
		{ "T", 500, 174 },
		{ "\"", 500, 87 },
		{ "\xF0\x9F\x98\x80", 100, 172 },
		{ "\n", 500, 87 },
		{ "\x01", 500, 29 },
		{ "\xED\xA0\xBD", 500, 87 },
	};
	const struct json none = { 0 };
	struct buf title = { 0 };
	struct buf slot = { 0 };
	struct buf read = { 0 };
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct json v;
		buf_clear(&title);
		buf_clear(&slot);
		for (size_t k = 0; k < rows[i].times; k++)
			buf_adds(&title, rows[i].title);
		omp_add_slot(&slot, buf_span(&title), none, 1772359230000);
		CHECK_INT(slot.len, OMP_SLOT_BYTES);
		CHECK_INT(slot.data[slot.len - 1], '\n');
		CHECK_INT(json_check(buf_span(&slot), &v), 0);
		CHECK(omp_is_slot(v));
		json_decode(&read, json_get(v, "title"));
		CHECK_INT(read.len, rows[i].fit);
		CHECK(span_starts(buf_span(&title), buf_span(&read)));
		buf_clear(&read);
	}
	buf_free(&title);
	buf_free(&slot);
	buf_free(&read);
}

/* Migration knows whole lines only, from the first on. */
TEST(check_glued_linear)
{
	struct session *s = test_session(
		SLOT("T", "") "{'type':'session','id':'s','cwd':'/w'}\n"
			      "{'type':'message','message':{}} junk\n"
			      "{'type':'message','message':{'role':'user'}}\n");
	struct buf file = { 0 };
	CHECK(s->now.linear);
	CHECK_INT(s->now.index.n, 1);
	CHECK_INT(s->dialect->writing->migration->migrate(s, &file), 0);
	buf_free(&file);
	test_close(s);
}

RUN_TESTS("omp_ingest")
