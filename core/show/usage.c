#include "core/show/usage.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/base/array.h"
#include "core/base/hash.h"
#include "core/base/idtable.h"
#include "core/base/text.h"
#include "core/file/feed.h"
#include "core/session/derived.h"
#include "core/session/dialect.h"

/* In each line that counts. */
#define USAGE_NAME "usage"
#define USAGE_RARE 3

/*
 * How many lines of a response are looked at for one that is on a path. It has
 * more only where branches without end repeat it.
 */
#define FRAGMENTS_TRIED 256

/* A line with the cost of the session so far is no longer. */
#define TOTAL_LIMIT ((size_t)16 << 10)

/* How many ends of values are kept of a line: those before its usage. */
#define LINE_ENDS 24

/* A response, which may be in several lines. */
struct response {
	uint64_t id;
	struct usage counted; /* of it, in the total */
	uint32_t fragment;    /* its newest, or 0 */
};

/*
 * A line of a response, on the paths that lead through it. Those above it on
 * its path have lower numbers; number 0 is above all.
 */
struct fragment {
	struct usage counted; /* of the response, on the path to here */
	uint32_t above;	      /* the next one up the path */
	uint32_t skip;	      /* or one farther up, for a search in few steps */
	uint32_t depth;
	uint32_t same; /* the newest before it of its response, or 0 */
};

/* The sum from the root to an entry. */
struct path_sum {
	struct usage usage;
	uint32_t last; /* the last fragment on the path, or 0 */
	bool known;
};

struct usage_sums {
	struct derived derived;
	uint64_t counted; /* bytes of the log that are in the total */
	/* For usage_beyond(): */
	bool tells_copies;
	bool is_beyond;	    /* the lines of the base were counted */
	double cost_before; /* in a cost of the session so far */
	struct usage total; /* of the lines */

	struct response *responses;
	size_t n_responses;
	size_t responses_cap;
	struct idtable by_id; /* of responses */

	struct path_sum *paths; /* by entry */
	size_t n_paths;
	size_t paths_cap;
	struct fragment *fragments;
	size_t n_fragments;
	size_t fragments_cap;
	uint32_t *way; /* entries whose sums are to be found */
	size_t way_cap;
};

static void clear(void *cache)
{
	struct usage_sums *u = cache;
	free(u->responses);
	idtable_free(&u->by_id);
	free(u->paths);
	free(u->fragments);
	free(u->way);
}

static const struct derived_kind sums = { sizeof(struct usage_sums), clear };

static struct span response_key(const void *owner, uint32_t value,
				struct idtable_scratch *scratch)
{
	const struct usage_sums *u = owner;
	(void)scratch;
	return (struct span){ (const char *)&u->responses[value].id,
			      sizeof(u->responses[value].id) };
}

void usage_add(double *sum, struct json number)
{
	double d = json_number(number);
	if (isfinite(d) && d > 0)
		*sum += d;
}

/* The response that a line is of, which is added if it is new. */
static int find_response(struct usage_sums *u, uint64_t id, struct response **r)
{
	struct span key = { (const char *)&id, sizeof(id) };
	if (u->n_responses == 0)
		idtable_init(&u->by_id, response_key);
	uint32_t i = idtable_find(&u->by_id, u, key);
	int err = 0;
	if (i == IDTABLE_NONE) {
		i = (uint32_t)u->n_responses;
		err = array_reserve(&u->responses, &u->responses_cap, i, 1);
		if (!err)
			err = idtable_add(&u->by_id, key, i);
		if (!err)
			u->responses[u->n_responses++] =
				(struct response){ .id = id };
	}
	if (!err)
		*r = &u->responses[i];
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

/*
 * Is a word in a text? Most texts have few of the letter at word[rare]. It is
 * near their end, if anywhere.
 */
static bool has_word(struct span text, struct span word, size_t rare)
{
	const char *p;
	while (text.n >= word.n &&
	       (p = memrchr(text.p, word.p[rare],
			    text.n - (word.n - 1 - rare)))) {
		size_t before = (size_t)(p - text.p);
		if (before >= rare && memcmp(p - rare, word.p, word.n) == 0)
			return true;
		text.n = before + word.n - 1 - rare;
	}
	return false;
}

/* Most lines do not count, and need not be parsed. */
static bool may_count(const struct session *s, struct span line)
{
	const char *total = s->dialect->showing->total;
	if (!line.p)
		return false;
	return has_word(line, SPAN(USAGE_NAME), USAGE_RARE) ||
	       (total && line.n <= TOTAL_LIMIT &&
		memmem(line.p, line.n, total, strlen(total)));
}

/* -- the total of all lines */

static int read_usage(const struct session *s, struct json line,
		      struct used *used)
{
	s->dialect->showing->usage(line, used);
	return used->failed ? -ENOMEM : 0;
}

/* The cost of the session so far. That of a fork may begin with its base's. */
static int count_total(struct usage_sums *u, double cost)
{
	struct response *r = NULL;
	int err = 0;
	if (u->tells_copies) {
		const struct span key = { (const char *)&cost, sizeof(cost) };
		err = find_response(u, hash_bytes(0, key), &r);
	}
	if (r && !u->is_beyond)
		r->fragment = 1;
	else if (r && r->fragment)
		u->cost_before = cost;
	u->total.cost = cost > u->cost_before ? cost - u->cost_before : 0;
	return err;
}

/* What tells a line from others that count once; 0: it counts alone. */
static uint64_t key_of(const struct usage_sums *u, const struct used *used)
{
	const struct span usage = { (const char *)&used->usage,
				    sizeof(used->usage) };
	if (used->response || !u->tells_copies || !used->copied)
		return used->response;
	return hash_bytes(used->copied, usage);
}

static int count_json(struct usage_sums *u, const struct session *s,
		      struct json line)
{
	struct used used = { 0 };
	struct response *response = NULL;
	int err = read_usage(s, line, &used);
	bool nothing = !used.is_total && used.usage.tokens <= 0 &&
		       used.usage.cost <= 0;
	/* It is known of most lines, without looking for the word in them. */
	if (!err && (nothing || !may_count(s, line.raw)))
		return 0;
	if (!err && used.is_total)
		return count_total(u, used.usage.cost);
	uint64_t key = key_of(u, &used);
	if (!err && key)
		err = find_response(u, key, &response);
	if (!err)
		count(&u->total, &used.usage,
		      response ? &response->counted : NULL);
	return err;
}

int usage_ingest(const struct session *s, struct json line)
{
	if (!s->dialect->showing->usage)
		return 0;
	struct usage_sums *u = derived_lock(s, &sums);
	if (!u)
		return -ENOMEM;
	u->counted = s->now.indexed;
	int err = line.raw.n > 0 ? count_json(u, s, line) : 0;
	derived_unlock(&u->derived);
	return err;
}

struct reading {
	const struct session *s;
	struct usage_sums *sums;
	struct record_reader records;
};

/* May a value that goes over several lines begin in a line? */
static bool may_go_on(const struct reading *r, struct span line)
{
	struct span text = text_trim(line);
	return r->s->dialect->reading->takes_record && text.n > 0 &&
	       (text.p[0] == '{' || text.p[0] == '[') &&
	       text.p[text.n - 1] != '}';
}

/* Count a line, or the value that it begins with, if its agent reads that. */
static int count_line(void *data, struct span line, uint64_t offset)
{
	struct reading *r = data;
	const struct session *s = r->s;
	const struct dialect_reading *d = s->dialect->reading;
	struct scan_end list[LINE_ENDS];
	struct scan_ends ends = { list, 0, LINE_ENDS };
	struct json json;
	if (record_has(&r->records, offset) ||
	    (!may_count(s, line) && !may_go_on(r, line)))
		return 0;
	int err = json_check_ends(line, &json, &ends);
	if (err == -EBADMSG && d->takes_record) {
		err = record_check(&r->records, &s->log, s->now.indexed, line,
				   offset, &json);
		if (!err && !d->takes_record(s, json))
			return 0;
	}
	if (err)
		return err == -EBADMSG ? 0 : err;
	return count_json(r->sums, s, json);
}

static int count_new_lines(struct usage_sums *u, const struct session *s)
{
	struct reading r = { .s = s, .sums = u };
	int err =
		feed_lines(&s->log, u->counted, s->now.indexed, count_line, &r);
	if (!err && !session_is_whole(s))
		err = -ESTALE;
	record_free(&r.records);
	u->counted = s->now.indexed;
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
	if (u->counted < s->now.indexed)
		err = count_new_lines(u, s);
	if (err)
		derived_drop(&u->derived);
	else
		*sum = u->total;
	derived_unlock(&u->derived);
	return err;
}

int usage_beyond(const struct session *s, const struct session *base,
		 struct usage *sum)
{
	struct usage_sums u = { .tells_copies = true };
	int err = base->dialect->showing->usage ? count_new_lines(&u, base) : 0;
	u.total = *sum = (struct usage){ 0 };
	u.counted = 0;
	u.cost_before = 0;
	u.is_beyond = true;
	if (!err && s->dialect->showing->usage)
		err = count_new_lines(&u, s);
	if (!err)
		*sum = u.total;
	clear(&u);
	return err;
}

/* -- the sums of paths */

/*
 * Is a fragment on the path to another one? Skips are as long as those before
 * them on the path allow, so that this takes time logarithmic in the depth.
 */
static bool is_on_path(const struct fragment *list, uint32_t wanted,
		       uint32_t to)
{
	while (to > wanted)
		to = list[to].skip >= wanted ? list[to].skip : list[to].above;
	return to == wanted;
}

/* Where a fragment below this one skips to. */
static uint32_t skip_from(const struct fragment *list, uint32_t above)
{
	const struct fragment *f = &list[above];
	const struct fragment *next = &list[f->skip];
	bool alike =
		f->depth - next->depth == next->depth - list[next->skip].depth;
	return alike ? next->skip : above;
}

/*
 * Add a line of a response to a path, on which the response counts once. Its
 * newest line above is looked for.
 */
static int add_fragment(struct usage_sums *u, struct path_sum *p, uint64_t id,
			struct fragment **f)
{
	struct response *r = NULL;
	int err = array_extend(&u->fragments, &u->fragments_cap,
			       &u->n_fragments, 1);
	if (!err)
		err = array_reserve(&u->fragments, &u->fragments_cap,
				    u->n_fragments, 1);
	if (!err)
		err = find_response(u, id, &r);
	if (err)
		return err;
	const struct fragment *list = u->fragments;
	uint32_t seen = r->fragment;
	for (int n = 1; seen && !is_on_path(list, seen, p->last); n++)
		seen = n < FRAGMENTS_TRIED ? list[seen].same : 0;
	*f = &u->fragments[u->n_fragments];
	**f = (struct fragment){ .counted = list[seen].counted,
				 .above = p->last,
				 .skip = skip_from(list, p->last),
				 .depth = list[p->last].depth + 1,
				 .same = r->fragment };
	p->last = r->fragment = (uint32_t)u->n_fragments++;
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
	if (!err && may_count(s, line.raw))
		err = read_usage(s, line, &used);
	if (!err && used.response)
		err = add_fragment(u, &p, used.response, &fragment);
	if (err)
		return err;
	count(&p.usage, &used.usage, fragment ? &fragment->counted : NULL);
	u->paths[entry] = p;
	return 0;
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
	struct buf bytes BUF_SCOPED = { 0 };
	size_t n = 0;
	int err = array_extend(&u->paths, &u->paths_cap, &u->n_paths,
			       s->now.index.n);
	/* From the nearest ancestor with a sum on. */
	for (uint32_t i = entry; !err && i < u->n_paths && !u->paths[i].known;
	     i = session_entry(s, i)->parent)
		err = array_add(&u->way, &u->way_cap, &n, i);
	while (!err && n > 0) {
		uint32_t i = u->way[--n];
		err = sum_entry(u, s, i, i == entry ? line : (struct json){ 0 },
				&bytes);
	}
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
