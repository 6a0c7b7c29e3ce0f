#include "core/dialects/omp/notice.h"

#include <math.h>

#include "core/dialects/omp/text.h"
#include "core/json/js.h"

/* A value from the session, or a computed number. */
struct value {
	struct json json; /* if it is absent, the number counts */
	double number;
};

static double number_of(struct value v)
{
	return json_type(v.json) == JSON_ABSENT ? v.number : omp_number(v.json);
}

static void add_grouped(struct buf *out, struct value v)
{
	enum json_type type = json_type(v.json);
	if (type == JSON_ABSENT || type == JSON_NUMBER)
		omp_add_grouped(out, number_of(v));
	else
		js_to_string(out, v.json);
}

/* 100B, 1.5KB, 3.2MB */
static void add_bytes(struct buf *out, struct value v)
{
	static const char *const units[] = { "KB", "MB", "GB" };
	double n = number_of(v);
	if (n < 1024) {
		if (json_type(v.json) == JSON_ABSENT)
			js_add_number(out, n);
		else
			js_to_string(out, v.json);
		buf_addc(out, 'B');
		return;
	}
	size_t unit = 0;
	n /= 1024;
	while (unit < 2 && !(n < 1024)) {
		n /= 1024;
		unit++;
	}
	omp_add_fixed(out, n);
	buf_adds(out, units[unit]);
}

static void add_json_bytes(struct buf *out, struct json v)
{
	const struct value value = { v, NAN };
	add_bytes(out, value);
}

static void add_plural(struct buf *out, struct value n)
{
	enum json_type type = json_type(n.json);
	bool one = (type == JSON_ABSENT || type == JSON_NUMBER) &&
		   number_of(n) == 1;
	buf_adds(out, one ? "" : "s");
}

/* JavaScript's Math.max and Math.min: NaN if one of both is. */
static double larger(double a, double b)
{
	return isnan(a) || isnan(b) ? NAN : a > b ? a : b;
}

static double smaller(double a, double b)
{
	return isnan(a) || isnan(b) ? NAN : a < b ? a : b;
}

enum truncation_field {
	T_DIRECTION,
	T_BY,
	T_TOTAL_LINES,
	T_TOTAL_BYTES,
	T_LINES,
	T_BYTES,
	T_MAX_BYTES,
	T_RANGE,
	T_HEAD,
	T_TAIL,
	T_ELIDED_BYTES,
	T_ELIDED_LINES,
	T_ARTIFACT,
	T_NEXT,
	T_PARTIAL,
	T_COUNT
};

static const char *const truncation_fields[] = {
	[T_DIRECTION] = "direction",	  [T_BY] = "truncatedBy",
	[T_TOTAL_LINES] = "totalLines",	  [T_TOTAL_BYTES] = "totalBytes",
	[T_LINES] = "outputLines",	  [T_BYTES] = "outputBytes",
	[T_MAX_BYTES] = "maxBytes",	  [T_RANGE] = "shownRange",
	[T_HEAD] = "headRange",		  [T_TAIL] = "tailRange",
	[T_ELIDED_BYTES] = "elidedBytes", [T_ELIDED_LINES] = "elidedLines",
	[T_ARTIFACT] = "artifactId",	  [T_NEXT] = "nextOffset",
	[T_PARTIAL] = "partialLine",
};
_Static_assert(sizeof(truncation_fields) / sizeof(truncation_fields[0]) ==
		       T_COUNT,
	       "a name for every field");

static void add_range(struct buf *out, struct json range)
{
	js_to_string(out, json_get(range, "start"));
	buf_addc(out, '-');
	js_to_string(out, json_get(range, "end"));
}

/* The stored value, else the total without the output. */
static struct value elided(struct json stored, struct json total,
			   struct json output)
{
	double rest = larger(0, omp_number(total) - omp_number(output));
	struct value v = { .json = stored, .number = rest };
	if (js_is_nullish(stored))
		v.json = (struct json){ 0 };
	return v;
}

static void add_middle(struct buf *out, const struct json f[T_COUNT])
{
	struct value total = { f[T_TOTAL_LINES], NAN };
	struct value bytes =
		elided(f[T_ELIDED_BYTES], f[T_TOTAL_BYTES], f[T_BYTES]);
	struct value lines =
		elided(f[T_ELIDED_LINES], f[T_TOTAL_LINES], f[T_LINES]);
	buf_adds(out, "Showing ");
	if (json_truthy(f[T_HEAD]) && json_truthy(f[T_TAIL])) {
		buf_adds(out, "lines ");
		add_range(out, f[T_HEAD]);
		buf_adds(out, " and ");
		add_range(out, f[T_TAIL]);
		buf_adds(out, " of ");
		js_to_string(out, f[T_TOTAL_LINES]);
		buf_adds(out, "; ");
		add_grouped(out, lines);
		buf_adds(out, " middle line");
		add_plural(out, lines);
		buf_adds(out, " (");
		add_bytes(out, bytes);
		buf_adds(out, ") elided");
	} else if (number_of(bytes) > 0) {
		buf_adds(out, "head and tail bytes of ");
		add_grouped(out, total);
		buf_adds(out, " line");
		add_plural(out, total);
		buf_adds(out, "; ");
		add_bytes(out, bytes);
		buf_adds(out, " elided");
	} else {
		js_add_number(
			out, smaller(omp_number(f[T_LINES]), number_of(total)));
		buf_adds(out, " of ");
		js_to_string(out, f[T_TOTAL_LINES]);
		buf_adds(out, " lines; middle elided");
	}
}

static void add_partial_line(struct buf *out, const struct json f[T_COUNT])
{
	struct json start = json_get(f[T_RANGE], "start");
	buf_adds(out, "Showing line ");
	if (js_is_nullish(start))
		buf_addc(out, '1');
	else
		js_to_string(out, start);
	buf_adds(out, " (partial, ");
	add_json_bytes(out, f[T_BYTES]);
	buf_adds(out, " of ");
	add_json_bytes(out, f[T_TOTAL_BYTES]);
	buf_adds(out, ") of ");
	js_to_string(out, f[T_TOTAL_LINES]);
}

static void add_lines(struct buf *out, const struct json f[T_COUNT])
{
	bool range = json_truthy(f[T_RANGE]) &&
		     omp_number(json_get(f[T_RANGE], "end")) >=
			     omp_number(json_get(f[T_RANGE], "start"));
	buf_adds(out, range ? "Showing lines " : "Showing ");
	if (range)
		add_range(out, f[T_RANGE]);
	else
		js_to_string(out, f[T_LINES]);
	buf_adds(out, " of ");
	js_to_string(out, f[T_TOTAL_LINES]);
	buf_adds(out, range ? "" : " lines");
	if (json_is(f[T_BY], SPAN("bytes"))) {
		buf_adds(out, " (");
		add_json_bytes(out,
			       f[js_is_nullish(f[T_MAX_BYTES]) ? T_BYTES
							       : T_MAX_BYTES]);
		buf_adds(out, " limit)");
	}
}

/* Append where all of the output is, if it was kept. */
static void add_artifact(struct buf *out, struct json id, struct json source)
{
	if (js_is_nullish(id))
		return;
	JSON_FIELDS(f, source, type, value);
	bool report = json_is(f.type, SPAN("report"));
	buf_adds(out, ". Read artifact://");
	js_to_string(out, id);
	buf_adds(out, report ? " for full report (" : " for full output");
	if (report) {
		js_to_string(out, f.value);
		buf_addc(out, ')');
	}
}

static void add_truncation(struct buf *out, struct json truncation,
			   struct json source)
{
	struct json f[T_COUNT];
	json_get_all(truncation, T_COUNT, truncation_fields, f);
	bool middle = json_is(f[T_DIRECTION], SPAN("middle"));
	bool partial = !middle && json_truthy(f[T_PARTIAL]);
	if (middle)
		add_middle(out, f);
	else if (partial)
		add_partial_line(out, f);
	else
		add_lines(out, f);
	if (!partial && !js_is_nullish(f[T_NEXT])) {
		buf_adds(out, ". Use :");
		js_to_string(out, f[T_NEXT]);
		buf_adds(out, " to continue");
	}
	add_artifact(out, f[T_ARTIFACT], source);
}

/* Begin a part of the notice. */
static void begin_part(struct buf *out, bool *any)
{
	buf_adds(out, *any ? ". " : "\n\n[");
	*any = true;
}

static void add_columns(struct buf *out, struct json limit)
{
	JSON_FIELDS(f, limit, maxColumn, unit, artifactId);
	buf_adds(out, "Some lines truncated to ");
	js_to_string(out, f.maxColumn);
	buf_addc(out, ' ');
	if (js_is_nullish(f.unit))
		buf_adds(out, "chars");
	else
		js_to_string(out, f.unit);
	add_artifact(out, f.artifactId, (struct json){ 0 });
}

static void add_limits(struct buf *out, struct json limits, bool *any)
{
	static const char *const names[] = { "matchLimit", "resultLimit",
					     "headLimit" };
	static const char *const reached[] = { " matches", " results",
					       " results" };
	struct json columns = json_get(limits, "columnTruncated");
	struct json f[3];
	json_get_all(limits, 3, names, f);
	for (size_t i = 0; i < 3; i++) {
		if (!json_truthy(f[i]))
			continue;
		begin_part(out, any);
		js_to_string(out, json_get(f[i], "reached"));
		buf_adds(out, reached[i]);
		buf_adds(out, " limit reached. Use limit=");
		js_to_string(out, json_get(f[i], "suggestion"));
		buf_adds(out, " for more");
	}
	if (json_truthy(columns)) {
		begin_part(out, any);
		add_columns(out, columns);
	}
}

void omp_notice_add(struct buf *out, struct json meta)
{
	bool any = false;
	JSON_FIELDS(f, meta, truncation, source, artifactError, limits);
	if (json_truthy(f.truncation)) {
		begin_part(out, &any);
		add_truncation(out, f.truncation, f.source);
	}
	if (json_truthy(f.artifactError)) {
		begin_part(out, &any);
		buf_adds(out, "Full output was not saved completely "
			      "(artifact ");
		js_to_string(out, f.artifactError);
		buf_adds(out, " failed)");
	}
	add_limits(out, f.limits, &any);
	buf_adds(out, any ? "]" : "");
}
