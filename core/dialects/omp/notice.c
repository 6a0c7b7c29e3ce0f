/*
 * The notice that oh-my-pi adds after the output of a command that was cut
 * short (pi-tui, tools/output-meta.ts, formatOutputNotice; 18.3.4).
 * `meta` is the message's member of that name, of any type. The diagnostics
 * that formatOutputNotice prints too are not in sessions: neither
 * bash-runner.ts nor eval-runner.ts stores any with a command.
 */
#include "core/dialects/omp/omp.h"

#include <math.h>
#include <stdio.h>

#include "core/dialects/pi/pi.h"
#include "core/json/js.h"

void omp_add_fixed(struct buf *out, double d)
{
	/* Odd quarters are ties, and go up, unlike in printf(): 0.25 is 0.3. */
	bool tie = fmod(d * 4, 2) == 1;
	buf_addf(out, "%.1f", tie ? nextafter(d, INFINITY) : d);
}

void omp_add_grouped(struct buf *out, double d)
{
	char digits[24];
	if (!(d >= 0 && d < 1e15) || d != floor(d)) {
		js_add_number(out, d);
		return;
	}
	int n = snprintf(digits, sizeof(digits), "%.0f", d);
	for (int i = 0; i < n; i++) {
		if (i > 0 && (n - i) % 3 == 0)
			buf_addc(out, ',');
		buf_addc(out, digits[i]);
	}
}

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
	if (json_truthy(f.headRange) && json_truthy(f.tailRange)) {
		pi_add_template(out, truncation,
				"Showing lines "
				"{headRange.start}-{headRange.end} and "
				"{tailRange.start}-{tailRange.end} of "
				"{totalLines}; ");
		add_line_count(out, lines, " middle line");
		buf_adds(out, " (");
		add_bytes(out, bytes);
		buf_adds(out, ") elided");
	} else if (bytes > 0) {
		buf_adds(out, "Showing head and tail bytes of ");
		add_line_count(out, total, " line");
		buf_adds(out, "; ");
		add_bytes(out, bytes);
		buf_adds(out, " elided");
	} else {
		buf_adds(out, "Showing ");
		js_add_number(out, output < total ? output : total);
		pi_add_template(out, truncation,
				" of {totalLines} lines; middle elided");
	}
}

static void add_partial_line(struct buf *out, struct json truncation)
{
	JSON_FIELDS(f, truncation, shownRange, outputBytes, totalBytes);
	bool starts = !js_is_nullish(json_get(f.shownRange, "start"));
	pi_add_template(out, truncation,
			starts ? "Showing line {shownRange.start} (partial, "
			       : "Showing line 1 (partial, ");
	add_bytes(out, number_of(f.outputBytes));
	buf_adds(out, " of ");
	add_bytes(out, number_of(f.totalBytes));
	pi_add_template(out, truncation, ") of {totalLines}");
}

static void add_lines(struct buf *out, struct json truncation)
{
	JSON_FIELDS(f, truncation, shownRange, truncatedBy, maxBytes,
		    outputBytes);
	bool range = json_truthy(f.shownRange) &&
		     number_of(json_get(f.shownRange, "end")) >=
			     number_of(json_get(f.shownRange, "start"));
	pi_add_template(out, truncation,
			range ? "Showing lines "
				"{shownRange.start}-{shownRange.end} of "
				"{totalLines}"
			      : "Showing {outputLines} of {totalLines} lines");
	if (json_is(f.truncatedBy, SPAN("bytes"))) {
		buf_adds(out, " (");
		add_bytes(out,
			  number_of(js_is_nullish(f.maxBytes) ? f.outputBytes
							      : f.maxBytes));
		buf_adds(out, " limit)");
	}
}

/* Append where all of the output is, if it was kept. */
static void add_artifact(struct buf *out, struct json of, struct json source)
{
	bool report = json_is(json_get(source, "type"), SPAN("report"));
	if (js_is_nullish(json_get(of, "artifactId")))
		return;
	pi_add_template(out, of, ". Read artifact://{artifactId} for full ");
	pi_add_template(out, source, report ? "report ({value})" : "output");
}

static void add_truncation(struct buf *out, struct json truncation,
			   struct json source)
{
	JSON_FIELDS(f, truncation, direction, partialLine, nextOffset);
	bool middle = json_is(f.direction, SPAN("middle"));
	bool partial = !middle && json_truthy(f.partialLine);
	if (middle)
		add_middle(out, truncation);
	else if (partial)
		add_partial_line(out, truncation);
	else
		add_lines(out, truncation);
	if (!partial && !js_is_nullish(f.nextOffset))
		pi_add_template(out, truncation,
				". Use :{nextOffset} to continue");
	add_artifact(out, truncation, source);
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
	pi_add_template(out, limit, "{reached}");
	buf_adds(out, words);
	pi_add_template(out, limit,
			" limit reached. Use limit={suggestion} for more");
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
	bool chars = js_is_nullish(json_get(f.columnTruncated, "unit"));
	begin_part(out, any);
	pi_add_template(out, f.columnTruncated,
			chars ? "Some lines truncated to {maxColumn} chars"
			      : "Some lines truncated to {maxColumn} {unit}");
	add_artifact(out, f.columnTruncated, (struct json){ 0 });
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
		pi_add_template(out, meta,
				"Full output was not saved completely "
				"(artifact {artifactError} failed)");
	}
	add_limits(out, f.limits, &any);
	buf_adds(out, any ? "]" : "");
}
