/*
 * Where Codex keeps its rollouts, below $CODEX_HOME:
 *
 *     sessions/YYYY/MM/DD/rollout-TIME-ID.jsonl   by the local day of creation
 *     archived_sessions/rollout-TIME-ID.jsonl
 *     …/rollout-TIME-ID.jsonl.zst                 one that it has compressed
 *     session_index.jsonl          names: {"id": THREAD, "thread_name": TEXT}
 *
 * A thread has the id of its first rollout. A revert of the thread is another
 * rollout of it, rollout-TIME-THREAD_ID.jsonl. The last UUID of a name is the
 * rollout's id, by which other rollouts refer to it (`history_base`).
 */
#include "core/dialects/codex/codex.h"

#include <ctype.h>
#include <errno.h>
#include <time.h>

#include "core/base/text.h"
#include "core/dialects/kit/home.h"
#include "core/dialects/kit/parent.h"
#include "core/file/fault.h"
#include "core/file/feed.h"
#include "core/session/kept.h"

static const struct span suffix = SPAN(".jsonl");

/* Do the bytes have a form, in which d is any digit? */
static bool has_form(const char *p, const char *form)
{
	for (; *form; p++, form++) {
		if (*form == 'd' ? !isdigit((unsigned char)*p) : *p != *form)
			return false;
	}
	return true;
}

static struct span uuid_at(const char *p)
{
	struct span id = { p, CODEX_ID_SIZE };
	return text_is_uuid(id) ? id : (struct span){ 0 };
}

struct span codex_rollout_id(struct span path)
{
	size_t n = CODEX_ID_SIZE + suffix.n;
	return span_ends(path, suffix) && path.n >= n
		       ? uuid_at(path.p + path.n - n)
		       : (struct span){ 0 };
}

static struct span key_of(struct span name)
{
	return span_starts(name, SPAN("rollout-")) ? codex_rollout_id(name)
						   : (struct span){ 0 };
}

/* The same of one that the agent has compressed. */
static struct span key_of_compressed(struct span name)
{
	static const struct span zst = SPAN(".zst");
	if (!span_ends(name, zst))
		return (struct span){ 0 };
	name.n -= zst.n;
	return key_of(name);
}

/* The seconds since 1970 in an id of version 7; -1 for another version. */
static int64_t time_of(struct span id)
{
	int64_t ms = 0;
	if (id.p[14] != '7')
		return -1;
	for (size_t i = 0; i < 13; i++) {
		char c = span_lower(id.p[i]);
		if (c != '-')
			ms = ms * 16 + (c <= '9' ? c - '0' : c - 'a' + 10);
	}
	return ms / 1000;
}

/* The folder of all rollouts, as seen from one by its day; or empty. */
static struct span sessions_of(struct span folder)
{
	/* YYYY/MM/DD/ */
	static const char form[] = "/dddd/dd/dd/";
	size_t n = sizeof(form) - 1;
	if (folder.n < n || !has_form(folder.p + folder.n - n, form))
		return (struct span){ 0 };
	return (struct span){ folder.p, folder.n - n + 1 };
}

/* The folder that a folder is in. */
static struct span around(struct span folder)
{
	folder.n -= folder.n > 0;
	return span_folder(folder);
}

/* What is looked for, in one folder after the other. */
struct looking {
	name_key *key;
	struct span id;
	const struct finding *how;
	struct buf *out;
};

/* In "TOP" "NAME" "DAY", which ends with "/". 1, 0 or -errno. */
static int look_in(const struct looking *l, struct span top, const char *name,
		   const char *day)
{
	struct buf folder BUF_SCOPED = { 0 };
	buf_add(&folder, top);
	buf_adds(&folder, name);
	buf_adds(&folder, day);
	return folder.failed ? -ENOMEM
			     : parent_find_in(buf_span(&folder), l->key, l->id,
					      l->how, l->out);
}

/* In the days around the id's time: a day is that of some time zone. */
static int look_in_days(const struct looking *l, struct span top,
			const char *name)
{
	int64_t time = time_of(l->id);
	int found = 0;
	for (int day = -1; day <= 1 && time >= 0 && !found; day++) {
		time_t t = (time_t)(time + day * 86400);
		char folder[32];
		struct tm tm;
		if (!gmtime_r(&t, &tm))
			break;
		strftime(folder, sizeof(folder), "%Y/%m/%d/", &tm);
		found = look_in(l, top, name, folder);
	}
	return found;
}

/*
 * Append the path of the rollout with an id, as seen from the rollout at a
 * path: in its folder, in the folders of the days around the time that the id
 * has (a UUID of version 7), or among the archived ones. 1 if there is one, 0
 * if not, or -errno after an error that says nothing of the files.
 */
static int find_rollout(const char *path, name_key *key, struct span id,
			const struct finding *how, struct buf *out)
{
	const struct looking l = { key, id, how, out };
	struct span folder = span_folder(span_of(path));
	struct span sessions = sessions_of(folder);
	if (!text_is_uuid(id))
		return 0;
	int found = look_in(&l, folder, "", "");
	if (!found && sessions.n == 0)
		found = look_in_days(&l, around(folder), "sessions/");
	else if (!found)
		found = look_in_days(&l, sessions, "");
	if (!found && sessions.n > 0)
		found = look_in(&l, around(sessions), "archived_sessions/", "");
	return found;
}

static int find_file(const char *path, struct span id,
		     const struct finding *how, struct buf *out)
{
	return find_rollout(path, key_of, id, how, out);
}

/* What a rollout's first line that is not blank says of its base. */
struct base {
	bool legacy;
	bool has_base;
	uint64_t size;
	struct buf id; /* or of the thread that it has copied */
};

static int read_first(void *data, struct span line, uint64_t offset)
{
	struct base *b = data;
	struct json v;
	struct codex_line l;
	(void)offset;
	if (text_trim(line).n == 0)
		return 0;
	int err = json_check(line, &v);
	if (err == -EBADMSG ||
	    (!err && (!codex_line_read(v, &l) || l.kind != CODEX_META)))
		return 1;
	if (err)
		return err;
	JSON_FIELDS(f, l.payload, history_mode, history_base, forked_from_id);
	JSON_FIELDS(base, f.history_base, thread_id, end_byte_offset);
	b->legacy = !json_is(f.history_mode, SPAN("paginated"));
	b->has_base = json_type(f.history_base) == JSON_OBJECT;
	json_decode(&b->id, b->has_base ? base.thread_id : f.forked_from_id);
	if (!codex_integer(base.end_byte_offset, &b->size))
		b->size = 0;
	return b->id.failed ? -ENOMEM : 1;
}

/* A first line may be long: it has the instructions. */
#define FIRST_STEP ((size_t)64 << 10)
#define FIRST_LIMIT ((uint64_t)16 << 20)

static int read_base(const struct log *log, struct base *b)
{
	struct feed feed = { .step = FIRST_STEP };
	uint64_t size = (uint64_t)log->st.st_size;
	*b = (struct base){ .legacy = true };
	if (size > FIRST_LIMIT)
		size = FIRST_LIMIT;
	int err = feed_file(log, &feed, size, read_first, b);
	buf_free(&feed.chunk);
	return err < 0 ? err : 0;
}

static bool is_ancestor(const struct log *log, const struct lineage *l,
			const char *path)
{
	bool is = strcmp(log->path, path) == 0;
	for (size_t i = 0; i < l->n; i++)
		is = is || strcmp(l->list[i].path, path) == 0;
	return is;
}

/* There is no more to follow. */
static int set_fault(struct lineage *l, const char *fault, struct base *b,
		     const struct buf *name)
{
	l->fault = fault;
	buf_add(&l->fault_name, buf_span(name));
	text_finish(&l->fault_name, 0);
	b->has_base = false;
	return buf_error(&l->fault_name);
}

/* Why the file at a path can't be the base, or NULL; and its own base. */
static int check_base(struct gate *g, const char *path, const struct base *b,
		      struct base *next, const char **fault)
{
	struct log log;
	char last = 0;
	int err = log_open(&log, g, path);
	if (!err)
		err = read_base(&log, next);
	if (!err && next->legacy)
		*fault = "a legacy rollout, which can't be a base";
	else if (!err && (uint64_t)log.st.st_size < b->size)
		*fault = "it has fewer bytes than are based on";
	else if (!err && b->size > 0)
		err = log_read(&log, b->size - 1, &last, 1);
	if (!err && !*fault && last != '\n')
		*fault = "the cut is not at the end of a line";
	log_close(&log);
	return err;
}

/*
 * Read the base at a path, add it, and find out what its own base is. `kept`:
 * `sessfs keep` has it, and Codex has not. Then it is read, and that Codex does
 * not go on from it is the fault.
 */
static int add_base(struct lineage *l, const char *path, struct base *b,
		    bool kept)
{
	struct base next = { 0 };
	const char *fault = NULL;
	versions_free(&l->searched);
	int err = versions_add(&l->searched, l->gate, path);
	if (!err)
		err = check_base(l->gate, path, b, &next, &fault);
	if (!err && !fault)
		err = lineage_add(l, path, b->size);
	if (err == -EMLINK)
		fault = "there are too many";
	else if (err && !fault_tells_nothing(err))
		fault = "it can't be read";
	if (fault)
		err = set_fault(l, fault, &next, &b->id);
	else
		versions_free(&l->searched);
	if (!err && kept && !l->fault) {
		l->fault = "sessfs keep alone has this rollout: put it back";
		buf_add(&l->fault_name, buf_span(&b->id));
		err = buf_error(&l->fault_name);
	}
	buf_free(&b->id);
	*b = next;
	return err;
}

/* Find the base and add it, or the fault. */
static int follow(const struct log *log, struct lineage *l,
		  struct folder_index *names, struct base *b)
{
	struct finding how = { names, &l->searched, log->gate };
	struct versions again = { 0 };
	struct buf path BUF_SCOPED = { 0 };
	const char *from = l->n > 0 ? l->list[l->n - 1].path : log->path;
	int found = find_file(from, buf_span(&b->id), &how, &path);
	bool compressed = found == 0;
	/* In the same folders. */
	how.searched = &again;
	if (compressed)
		found = find_rollout(from, key_of_compressed, buf_span(&b->id),
				     &how, &path);
	bool kept = found == 0;
	if (kept)
		found = kept_find_other(&dialect_codex, from, buf_span(&b->id),
					&how, &path);
	versions_free(&again);
	const char *at = buf_cstr(&path);
	int err = found < 0 ? found : at ? 0 : -ENOMEM;
	if (!err && found > 0 && compressed && !kept) {
		l->agent_reads = true;
		err = set_fault(l,
				"compressed, so not read; zstd -d makes it "
				"readable",
				b, &path);
	} else if (!err && found == 0) {
		err = set_fault(l, "there is no such rollout", b, &b->id);
	} else if (!err && is_ancestor(log, l, at)) {
		err = set_fault(l, "its bases form a cycle", b, &b->id);
	} else if (!err) {
		err = add_base(l, at, b, kept);
	}
	return err;
}

/*
 * They follow `history_base`. A compressed base is not read: its bytes would
 * have to be kept somewhere, since they are read again and again, and anywhere.
 */
static int find_lineage(const struct log *log, struct lineage *l,
			struct folder_index *names)
{
	struct base b;
	int err = read_base(log, &b);
	l->gate = log->gate;
	while (!err && b.has_base)
		err = follow(log, l, names, &b);
	buf_free(&b.id);
	return err;
}

/*
 * A legacy thread has copied what it goes on from: `forked_from_id`. A first
 * line of more than 16 MiB counts as one without a base.
 */
static int base_id(const struct log *log, struct buf *out)
{
	struct base b;
	int err = read_base(log, &b);
	if (!err)
		buf_add(out, buf_span(&b.id));
	buf_free(&b.id);
	return err ? err : out->len > 0;
}

struct span codex_home_of(struct span path)
{
	struct span folder = span_folder(path);
	struct span sessions = sessions_of(folder);
	if (sessions.n == 0 && !span_ends(folder, SPAN("/archived_sessions/")))
		return sessions;
	struct span home = sessions.n > 0 ? sessions : folder;
	home.n--;
	return span_folder(home);
}

struct span codex_thread_id(struct span path)
{
	static const char form[] = "rollout-dddd-dd-ddTdd-dd-dd-";
	size_t n = sizeof(form) - 1;
	struct span name = span_last_part(path);
	return name.n >= n + CODEX_ID_SIZE && has_form(name.p, form)
		       ? uuid_at(name.p + n)
		       : (struct span){ 0 };
}

void codex_names_path(const char *session, struct buf *out)
{
	struct span path = span_of(session);
	struct span home = codex_home_of(path);
	if (home.n == 0 || codex_thread_id(path).n == 0)
		return;
	buf_add(out, home);
	buf_adds(out, "session_index.jsonl");
}

bool codex_read_name(struct json line, struct json *id, struct json *name)
{
	*id = json_get(line, "id");
	*name = json_get(line, "thread_name");
	return json_type(*id) == JSON_STRING && json_type(*name) == JSON_STRING;
}

static void add_folder(struct buf *out)
{
	home_add_plain_variable(out, "CODEX_HOME", ".codex");
}

/* The folders are of all directories. */
static int find(const struct home_search *h)
{
	struct buf home BUF_SCOPED = { 0 };
	add_folder(&home);
	int err = home_found(h, &home, SPAN("sessions"), h->dir != NULL);
	if (!err)
		err = home_found(h, &home, SPAN("archived_sessions"),
				 h->dir != NULL);
	return err;
}

static bool is_subagent(const struct session *s)
{
	struct json source = session_header(s, "source");
	return json_type(json_get(source, "subagent")) != JSON_ABSENT;
}

const struct dialect_home codex_home = {
	.agent = "Codex",
	.find = find,
	.add_folder = add_folder,
	.by_day = true,
	.is_subagent = is_subagent,
};

const struct dialect_bases codex_bases = {
	.find_lineage = find_lineage,
	.file_id = codex_rollout_id,
	.base_id = base_id,
	.find_file = find_file,
};
