#include "core/show/usage.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/base/array.h"
#include "core/base/idtable.h"
#include "core/base/text.h"
#include "core/file/feed.h"
#include "core/session/derived.h"
#include "core/session/dialect.h"

/* In each line that counts. */
#define USAGE_NAME "usage"

/*
 * How many lines of a response are looked at for one that is on a path. It has
 * more only where branches without end repeat it.
 */
#define FRAGMENTS_TRIED 256

/* How many ends of values are kept of a line: those before its usage. */
#define LINE_ENDS 24

/* A response, which may be in several lines. */
struct response {
	uint64_t id;
	struct usage counted; /* of it, in the total */
	uint32_t fragment;    /* its newest in usage_sums, plus 1; 0: none */
};

struct responses {
	struct response *list;
	size_t n;
	size_t cap;
	struct idtable by_id;
};

/*
 * A line of a response, on the paths that lead through it. Fragments are
 * numbered from 1; those above one on its path have lower numbers.
 */
struct fragment {
	struct usage counted; /* of the response, on the path to here */
	uint32_t above;	      /* the next one up the path; 0: none */
	uint32_t skip;	      /* or one farther up, for a search in few steps */
	uint32_t depth;
	uint32_t same; /* the newest before it of its response; 0: none */
};

/* The sum from the root to an entry. */
struct path_sum {
	struct usage usage;
	uint32_t last; /* the last fragment on the path; 0: none */
	bool known;
};

/* The sum of the lines before `offset`. */
struct total {
	uint64_t offset;
	struct usage usage;
	struct responses responses;
};

struct usage_sums {
	struct derived derived;
	struct total total;

	struct path_sum *paths; /* by entry */
	size_t n_paths;
	size_t paths_cap;
	struct responses responses;
	struct fragment *fragments;
	size_t n_fragments;
	size_t fragments_cap;
	uint32_t *way; /* entries whose sums are to be found */
	size_t way_cap;
};

static struct span response_key(const void *owner, uint32_t value,
				struct idtable_scratch *scratch)
{
	const struct responses *list = owner;
	(void)scratch;
	return (struct span){ (const char *)&list->list[value].id,
			      sizeof(list->list[value].id) };
}

static void responses_clear(struct responses *r)
{
	free(r->list);
	r->list = NULL;
	r->n = r->cap = 0;
	idtable_free(&r->by_id);
	idtable_init(&r->by_id, response_key);
}

static void clear(void *cache)
{
	struct usage_sums *u = cache;
	free(u->paths);
	free(u->fragments);
	free(u->way);
	u->paths = NULL;
	u->fragments = NULL;
	u->way = NULL;
	u->n_paths = u->paths_cap = u->way_cap = 0;
	u->n_fragments = u->fragments_cap = 0;
	responses_clear(&u->responses);
	u->total.offset = 0;
	u->total.usage = (struct usage){ 0 };
	responses_clear(&u->total.responses);
}

static const struct derived_kind sums = { sizeof(struct usage_sums), clear };

void usage_add(double *sum, struct json number)
{
	double d = json_number(number);
	if (isfinite(d) && d > 0)
		*sum += d;
}

static int find_response(struct responses *list, uint64_t id,
			 struct response **r)
{
	struct span key = { (const char *)&id, sizeof(id) };
	uint32_t i = idtable_find(&list->by_id, list, key);
	int err = 0;
	if (i == IDTABLE_NONE) {
		i = (uint32_t)list->n;
		err = array_reserve(&list->list, &list->cap, list->n, 1);
		if (!err)
			list->list[list->n++] = (struct response){ .id = id };
		if (!err)
			err = idtable_add(&list->by_id, key, i);
	}
	if (!err)
		*r = &list->list[i];
	return err;
}

static double grow(double *counted, double now)
{
	double more = now > *counted ? now - *counted : 0;
	*counted += more;
	return more;
}

/* Add to a sum; of a response what was not counted yet. Else NULL. */
static void count(struct usage *sum, const struct usage *used,
		  struct usage *counted)
{
	struct usage more = *used;
	if (counted) {
		more.tokens = grow(&counted->tokens, used->tokens);
		more.cost = grow(&counted->cost, used->cost);
	}
	sum->tokens += more.tokens;
	sum->cost += more.cost;
}

/* Most lines do not count, and need not be parsed. */
static bool may_count(struct span line)
{
	return line.p &&
	       memmem(line.p, line.n, USAGE_NAME, strlen(USAGE_NAME)) != NULL;
}

/* The total of all lines. */

static int read_usage(const struct session *s, struct json line,
		      struct used *used)
{
	s->dialect->showing->usage(line, used);
	return used->failed ? -ENOMEM : 0;
}

static int count_json(const struct session *s, struct total *t,
		      struct json line)
{
	struct used used = { 0 };
	struct response *response = NULL;
	int err = read_usage(s, line, &used);
	if (!err && used.response)
		err = find_response(&t->responses, used.response, &response);
	if (!err)
		count(&t->usage, &used.usage,
		      response ? &response->counted : NULL);
	return err;
}

int usage_ingest(const struct session *s, struct json line)
{
	struct usage_sums *u = derived_lock(s, &sums);
	int err = 0;
	if (!u)
		return -ENOMEM;
	u->total.offset = s->now.indexed;
	if (s->dialect->showing->usage && may_count(line.raw))
		err = count_json(s, &u->total, line);
	derived_unlock(&u->derived);
	return err;
}

struct reading {
	const struct session *s;
	struct total *total;
	struct record_reader records;
};

/* Count a value that a line begins with, if its agent reads it. */
static int count_record(struct reading *r, struct span line, uint64_t offset)
{
	struct span value;
	uint64_t at;
	struct json json;
	int err = record_find(&r->records, &r->s->log, r->s->now.indexed, line,
			      offset, &value, &at);
	if (err || value.n == 0)
		return err;
	err = json_check(value, &json);
	if (err || !r->s->dialect->reading->takes_record(r->s, json))
		return err;
	return count_json(r->s, r->total, json);
}

/* May a value that goes over several lines begin in a line? */
static bool may_go_on(const struct reading *r, struct span line)
{
	struct span text = text_trim(line);
	return r->s->dialect->reading->takes_record && text.n > 0 &&
	       (text.p[0] == '{' || text.p[0] == '[') &&
	       text.p[text.n - 1] != '}';
}

static int count_line(void *data, struct span line, uint64_t offset)
{
	struct reading *r = data;
	struct scan_end list[LINE_ENDS];
	struct scan_ends ends = { list, 0, LINE_ENDS };
	struct json json;
	if (record_has(&r->records, offset) ||
	    (!may_count(line) && !may_go_on(r, line)))
		return 0;
	int err = json_check_ends(line, &json, &ends);
	if (err == -EBADMSG && r->s->dialect->reading->takes_record)
		return count_record(r, line, offset);
	if (err)
		return err == -EBADMSG ? 0 : err;
	return count_json(r->s, r->total, json);
}

static int count_new_lines(const struct session *s, struct total *t)
{
	struct reading r = { .s = s, .total = t };
	struct feed f = { .offset = t->offset };
	int err = feed_file(&s->log, &f, s->now.indexed, count_line, &r);
	/* A last line without its newline. */
	if (!err && f.rest.n > 0)
		err = count_line(&r, f.rest, f.offset);
	if (!err && !session_is_whole(s))
		err = -ESTALE;
	buf_free(&f.chunk);
	record_free(&r.records);
	t->offset = s->now.indexed;
	return err;
}

int usage_total(const struct session *s, struct usage *sum)
{
	int err = 0;
	*sum = (struct usage){ 0 };
	if (!s->dialect->showing->usage)
		return 0;
	struct usage_sums *u = derived_lock(s, &sums);
	if (!u)
		return -ENOMEM;
	if (u->total.offset < s->now.indexed)
		err = count_new_lines(s, &u->total);
	if (err)
		clear(u);
	else
		*sum = u->total.usage;
	derived_unlock(&u->derived);
	return err;
}

/* The sums of paths. */

static const struct fragment *fragment_at(const struct usage_sums *u,
					  uint32_t number)
{
	return &u->fragments[number - 1];
}

/*
 * Is a fragment on the path to another one? Skips are as long as those before
 * them on the path allow, so that this takes time logarithmic in the depth.
 */
static bool is_on_path(const struct usage_sums *u, uint32_t wanted, uint32_t to)
{
	while (to > wanted) {
		const struct fragment *f = fragment_at(u, to);
		to = f->skip >= wanted ? f->skip : f->above;
	}
	return to == wanted;
}

/* Where a fragment below this one skips to. */
static uint32_t skip_from(const struct usage_sums *u, uint32_t above)
{
	if (above == 0 || fragment_at(u, above)->skip == 0)
		return above;
	const struct fragment *f = fragment_at(u, above);
	const struct fragment *next = fragment_at(u, f->skip);
	uint32_t end = next->skip ? fragment_at(u, next->skip)->depth : 0;
	bool alike = f->depth - next->depth == next->depth - end;
	return alike ? next->skip : above;
}

/* What a response has counted on the path to a fragment (0: none). */
static struct usage counted_before(const struct usage_sums *u,
				   const struct response *r, uint32_t to)
{
	uint32_t i = to ? r->fragment : 0;
	for (int n = 0; i != 0 && n < FRAGMENTS_TRIED; n++) {
		if (is_on_path(u, i, to))
			return fragment_at(u, i)->counted;
		i = fragment_at(u, i)->same;
	}
	return (struct usage){ 0 };
}

/* Add a line of a response to a path, which counts the response once. */
static int add_fragment(struct usage_sums *u, struct path_sum *p, uint64_t id,
			struct fragment **f)
{
	struct response *r = NULL;
	int err = array_reserve(&u->fragments, &u->fragments_cap,
				u->n_fragments, 1);
	if (!err)
		err = find_response(&u->responses, id, &r);
	if (err)
		return err;
	struct fragment new = { .above = p->last,
				.skip = skip_from(u, p->last),
				.depth = 1,
				.same = r->fragment,
				.counted = counted_before(u, r, p->last) };
	if (p->last)
		new.depth += fragment_at(u, p->last)->depth;
	*f = &u->fragments[u->n_fragments++];
	**f = new;
	p->last = r->fragment = (uint32_t)u->n_fragments;
	return 0;
}

/* Find the sum of an entry whose parent's is known. */
static int sum_entry(struct usage_sums *u, const struct session *s,
		     uint32_t entry, struct json line, struct buf *bytes)
{
	uint32_t parent = session_entry(s, entry)->parent;
	struct path_sum p = { .known = true };
	struct used used = { 0 };
	struct fragment *fragment = NULL;
	int err = 0;
	if (parent != INDEX_NONE)
		p = u->paths[parent];
	if (json_type(line) == JSON_ABSENT)
		err = session_read(s, entry, bytes, &line);
	if (err)
		return err;
	if (may_count(line.raw))
		err = read_usage(s, line, &used);
	if (!err && used.response)
		err = add_fragment(u, &p, used.response, &fragment);
	if (err)
		return err;
	count(&p.usage, &used.usage, fragment ? &fragment->counted : NULL);
	u->paths[entry] = p;
	return 0;
}

/* The entries up to the nearest ancestor with a sum, in u->way. */
static int find_way(struct usage_sums *u, const struct session *s,
		    uint32_t entry, size_t *n)
{
	*n = 0;
	for (uint32_t i = entry; i < u->n_paths && !u->paths[i].known;
	     i = session_entry(s, i)->parent) {
		if (array_reserve(&u->way, &u->way_cap, *n, 1) < 0)
			return -ENOMEM;
		u->way[(*n)++] = i;
	}
	return 0;
}

static int sum_way(struct usage_sums *u, const struct session *s,
		   uint32_t entry, struct json line)
{
	struct buf bytes = { 0 };
	size_t n;
	int err = array_extend(&u->paths, &u->paths_cap, &u->n_paths,
			       s->now.index.n);
	if (!err)
		err = find_way(u, s, entry, &n);
	while (!err && n > 0) {
		uint32_t i = u->way[--n];
		err = sum_entry(u, s, i, i == entry ? line : (struct json){ 0 },
				&bytes);
	}
	buf_free(&bytes);
	return err;
}

int usage_to(const struct session *s, uint32_t entry, struct json line,
	     struct usage *sum)
{
	*sum = (struct usage){ 0 };
	if (!s->dialect->showing->usage || entry == INDEX_NONE)
		return 0;
	struct usage_sums *u = derived_lock(s, &sums);
	if (!u)
		return -ENOMEM;
	int err = sum_way(u, s, entry, line);
	if (!err && entry < u->n_paths)
		*sum = u->paths[entry].usage;
	derived_unlock(&u->derived);
	return err;
}

void usage_add_cost(struct buf *out, double cost)
{
	char text[400];
	int n = snprintf(text, sizeof(text), "%.6f", cost);
	while (n > 0 && text[n - 1] == '0')
		n--;
	if (n > 0 && text[n - 1] == '.')
		n--;
	buf_add(out, (struct span){ text, (size_t)n });
}

void usage_add_lines(struct buf *out, const char *prefix,
		     const struct usage *sum)
{
	if (sum->tokens > 0)
		buf_addf(out, "%s-tokens: %.0f\n", prefix, sum->tokens);
	if (sum->cost <= 0)
		return;
	buf_addf(out, "%s-cost: ", prefix);
	usage_add_cost(out, sum->cost);
	buf_addc(out, '\n');
}
