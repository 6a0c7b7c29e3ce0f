/*
 * The notice that oh-my-pi adds after the output of a command that was cut
 * short (pi-tui, tools/output-meta.ts, formatOutputNotice; 18.3.4).
 * `meta` is the message's member of that name, of any type. The diagnostics
 * that formatOutputNotice prints too are not in sessions: neither
 * bash-runner.ts nor eval-runner.ts stores any with a command.
 */
#include "core/dialects/omp/omp.h"

#include "core/json/js.h"

/* The agent writes numbers. Anything else counts as 0. */
static double number_of(struct json v)
{
	return json_type(v) == JSON_NUMBER ? json_number(v) : 0;
}

/* 100B, 1.5KB, 3.2MB */
static void add_bytes(struct buf *out, double n)
{
	static const char *const units[] = { "KB", "MB", "GB" };
	size_t unit = 0;
	if (n < 1024) {
		js_add_number(out, n);
		buf_addc(out, 'B');
		return;
	}
	for (n /= 1024; unit < 2 && n >= 1024; unit++)
		n /= 1024;
	omp_add_fixed(out, n);
	buf_adds(out, units[unit]);
}

/* Append a count of lines, and the word for it. */
static void add_line_count(struct buf *out, double n, const char *words)
{
	omp_add_grouped(out, n);
	buf_adds(out, words);
	buf_adds(out, n == 1 ? "" : "s");
}

static void add_range(struct buf *out, struct json range)
{
	js_to_string(out, json_get(range, "start"));
	buf_addc(out, '-');
	js_to_string(out, json_get(range, "end"));
}

/* The stored value, else the total without the output. */
static double elided(struct json stored, struct json total, struct json output)
{
	double rest = number_of(total) - number_of(output);
	if (!js_is_nullish(stored))
		return number_of(stored);
	return rest > 0 ? rest : 0;
}

static void add_middle(struct buf *out, struct json truncation)
{
	JSON_FIELDS(f, truncation, totalLines, totalBytes, outputLines,
		    outputBytes, elidedLines, elidedBytes, headRange,
		    tailRange);
	double total = number_of(f.totalLines);
	double bytes = elided(f.elidedBytes, f.totalBytes, f.outputBytes);
	double lines = elided(f.elidedLines, f.totalLines, f.outputLines);
	double output = number_of(f.outputLines);
	buf_adds(out, "Showing ");
	if (json_truthy(f.headRange) && json_truthy(f.tailRange)) {
		buf_adds(out, "lines ");
		add_range(out, f.headRange);
		buf_adds(out, " and ");
		add_range(out, f.tailRange);
		buf_adds(out, " of ");
		js_to_string(out, f.totalLines);
		buf_adds(out, "; ");
		add_line_count(out, lines, " middle line");
		buf_adds(out, " (");
		add_bytes(out, bytes);
		buf_adds(out, ") elided");
	} else if (bytes > 0) {
		buf_adds(out, "head and tail bytes of ");
		add_line_count(out, total, " line");
		buf_adds(out, "; ");
		add_bytes(out, bytes);
		buf_adds(out, " elided");
	} else {
		js_add_number(out, output < total ? output : total);
		buf_adds(out, " of ");
		js_to_string(out, f.totalLines);
		buf_adds(out, " lines; middle elided");
	}
}

static void add_partial_line(struct buf *out, struct json truncation)
{
	JSON_FIELDS(f, truncation, shownRange, outputBytes, totalBytes,
		    totalLines);
	struct json start = json_get(f.shownRange, "start");
	buf_adds(out, "Showing line ");
	if (js_is_nullish(start))
		buf_addc(out, '1');
	else
		js_to_string(out, start);
	buf_adds(out, " (partial, ");
	add_bytes(out, number_of(f.outputBytes));
	buf_adds(out, " of ");
	add_bytes(out, number_of(f.totalBytes));
	buf_adds(out, ") of ");
	js_to_string(out, f.totalLines);
}

static void add_lines(struct buf *out, struct json truncation)
{
	JSON_FIELDS(f, truncation, shownRange, outputLines, totalLines,
		    truncatedBy, maxBytes, outputBytes);
	bool range = json_truthy(f.shownRange) &&
		     number_of(json_get(f.shownRange, "end")) >=
			     number_of(json_get(f.shownRange, "start"));
	buf_adds(out, range ? "Showing lines " : "Showing ");
	if (range)
		add_range(out, f.shownRange);
	else
		js_to_string(out, f.outputLines);
	buf_adds(out, " of ");
	js_to_string(out, f.totalLines);
	buf_adds(out, range ? "" : " lines");
	if (json_is(f.truncatedBy, SPAN("bytes"))) {
		buf_adds(out, " (");
		add_bytes(out,
			  number_of(js_is_nullish(f.maxBytes) ? f.outputBytes
							      : f.maxBytes));
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
	JSON_FIELDS(f, truncation, direction, partialLine, nextOffset,
		    artifactId);
	bool middle = json_is(f.direction, SPAN("middle"));
	bool partial = !middle && json_truthy(f.partialLine);
	if (middle)
		add_middle(out, truncation);
	else if (partial)
		add_partial_line(out, truncation);
	else
		add_lines(out, truncation);
	if (!partial && !js_is_nullish(f.nextOffset)) {
		buf_adds(out, ". Use :");
		js_to_string(out, f.nextOffset);
		buf_adds(out, " to continue");
	}
	add_artifact(out, f.artifactId, source);
}

/* Begin a part of the notice. */
static void begin_part(struct buf *out, bool *any)
{
	buf_adds(out, *any ? ". " : "\n\n[");
	*any = true;
}

static void add_limit(struct buf *out, struct json limit, const char *words,
		      bool *any)
{
	if (!json_truthy(limit))
		return;
	begin_part(out, any);
	js_to_string(out, json_get(limit, "reached"));
	buf_adds(out, words);
	buf_adds(out, " limit reached. Use limit=");
	js_to_string(out, json_get(limit, "suggestion"));
	buf_adds(out, " for more");
}

static void add_limits(struct buf *out, struct json limits, bool *any)
{
	JSON_FIELDS(f, limits, matchLimit, resultLimit, headLimit,
		    columnTruncated);
	add_limit(out, f.matchLimit, " matches", any);
	add_limit(out, f.resultLimit, " results", any);
	add_limit(out, f.headLimit, " results", any);
	if (!json_truthy(f.columnTruncated))
		return;
	JSON_FIELDS(c, f.columnTruncated, maxColumn, unit, artifactId);
	begin_part(out, any);
	buf_adds(out, "Some lines truncated to ");
	js_to_string(out, c.maxColumn);
	buf_addc(out, ' ');
	if (js_is_nullish(c.unit))
		buf_adds(out, "chars");
	else
		js_to_string(out, c.unit);
	add_artifact(out, c.artifactId, (struct json){ 0 });
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
