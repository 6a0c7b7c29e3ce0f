#include "core/dialects/omp/diagnostics.h"

#include <ctype.h>

#include "core/base/idtable.h"
#include "core/dialects/omp/text.h"
#include "core/json/js.h"

#define NONE IDTABLE_NONE

/* A run of `text`. */
struct run {
	size_t at;
	size_t n;
};

/* What is said of a place in a file, or of no place. */
struct said {
	struct run text;
	uint32_t next;
};

struct file {
	struct run path;
	uint32_t first; /* of what is said, and */
	uint32_t last;
};

/* A folder. Those in it, and the files in it, are lists. */
struct node {
	struct run name;
	uint32_t parent;
	uint32_t next;
	uint32_t first_node;
	uint32_t last_node;
	uint32_t first_leaf;
	uint32_t last_leaf;
	uint32_t top; /* the folder whose line this one is folded into */
};

struct leaf {
	struct run name;
	uint32_t node;
	uint32_t file;
	uint32_t next;
};

/*
 * Lists of structs are kept in buffers. Nothing is read from one once an append
 * has failed anywhere.
 */
struct grouping {
	struct buf text;
	struct buf said;
	struct buf files;
	struct buf nodes; /* 0 is the root */
	struct buf leaves;
	struct idtable by_path;
	struct idtable by_node;
	struct idtable by_leaf;
	uint32_t first_loose; /* what is said of no place, and */
	uint32_t last_loose;
	bool failed;
};

static struct said *said_at(const struct grouping *g, uint32_t i)
{
	return (struct said *)(void *)g->said.data + i;
}

static struct file *file_at(const struct grouping *g, uint32_t i)
{
	return (struct file *)(void *)g->files.data + i;
}

static struct node *node_at(const struct grouping *g, uint32_t i)
{
	return (struct node *)(void *)g->nodes.data + i;
}

static struct leaf *leaf_at(const struct grouping *g, uint32_t i)
{
	return (struct leaf *)(void *)g->leaves.data + i;
}

static struct span text_of(const struct grouping *g, struct run r)
{
	return (struct span){ g->text.data + r.at, r.n };
}

/* Append a struct to a list: its number, or NONE (and failed). */
static uint32_t append(struct grouping *g, struct buf *list, const void *item,
		       size_t size)
{
	uint32_t n = (uint32_t)(list->len / size);
	buf_add(list, (struct span){ item, size });
	if (list->failed || n == NONE)
		g->failed = true;
	return g->failed ? NONE : n;
}

static struct span path_key(const void *owner, uint32_t value,
			    struct buf *scratch)
{
	const struct grouping *g = owner;
	(void)scratch;
	return text_of(g, file_at(g, value)->path);
}

/* A name in a folder. */
static struct span name_key(struct buf *scratch, uint32_t node,
			    struct span name)
{
	buf_add(scratch, (struct span){ (const char *)&node, sizeof(node) });
	buf_add(scratch, name);
	return buf_span(scratch);
}

static struct span node_key(const void *owner, uint32_t value,
			    struct buf *scratch)
{
	const struct grouping *g = owner;
	const struct node *n = node_at(g, value);
	return name_key(scratch, n->parent, text_of(g, n->name));
}

static struct span leaf_key(const void *owner, uint32_t value,
			    struct buf *scratch)
{
	const struct grouping *g = owner;
	const struct leaf *l = leaf_at(g, value);
	return name_key(scratch, l->node, text_of(g, l->name));
}

static void add_to_table(struct grouping *g, struct idtable *t, struct span key,
			 uint32_t value)
{
	if (!g->failed && idtable_add(t, key, value) < 0)
		g->failed = true;
}

static size_t digits(struct span s, size_t at)
{
	size_t n = 0;
	while (at + n < s.n && isdigit((unsigned char)s.p[at + n]))
		n++;
	return n;
}

/*
 * Does "line:column text" begin at a place? Behind the white space the text has
 * to be one line: what follows `last` has no line terminator.
 */
static bool is_position(struct span s, size_t at, size_t last)
{
	size_t n = digits(s, at);
	if (n == 0 || at + n >= s.n || s.p[at + n] != ':')
		return false;
	at += n + 1;
	n = digits(s, at);
	if (n == 0)
		return false;
	at += n;
	n = omp_space_run((struct span){ s.p + at, s.n - at });
	return n > 0 && at + n >= last;
}

/* The length of the path that a message begins with; 0 if there is none. */
static size_t path_length(struct span s)
{
	size_t last = 0;
	for (size_t i = 0; i < s.n; i++) {
		size_t n = omp_terminator((struct span){ s.p + i, s.n - i });
		if (n > 0)
			last = i + n;
	}
	for (size_t i = 0; i < s.n; i++) {
		if (omp_terminator((struct span){ s.p + i, s.n - i }) > 0)
			return 0;
		if (i > 0 && s.p[i] == ':' && is_position(s, i + 1, last))
			return i;
	}
	return 0;
}

/* The file of a path, made if it is new. */
static uint32_t find_file(struct grouping *g, struct run path)
{
	uint32_t file = idtable_find(&g->by_path, g, text_of(g, path));
	if (file != NONE)
		return file;
	const struct file new = { path, NONE, NONE };
	file = append(g, &g->files, &new, sizeof(new));
	add_to_table(g, &g->by_path, text_of(g, path), file);
	return file;
}

/* Append to the list that begins and ends at these. */
static void link_said(struct grouping *g, struct run text, uint32_t *first,
		      uint32_t *last)
{
	const struct said new = { text, NONE };
	uint32_t n = append(g, &g->said, &new, sizeof(new));
	if (g->failed)
		return;
	if (*last != NONE)
		said_at(g, *last)->next = n;
	else
		*first = n;
	*last = n;
}

static void take_message(struct grouping *g, struct json message)
{
	struct run whole = { g->text.len, 0 };
	if (json_type(message) != JSON_NULL)
		js_to_string(&g->text, message);
	g->failed = g->failed || g->text.failed;
	if (g->failed)
		return;
	whole.n = g->text.len - whole.at;
	size_t n = path_length(text_of(g, whole));
	if (n == 0) {
		link_said(g, whole, &g->first_loose, &g->last_loose);
		return;
	}
	for (size_t i = 0; i < n; i++) {
		if (g->text.data[whole.at + i] == '\\')
			g->text.data[whole.at + i] = '/';
	}
	uint32_t file = find_file(g, (struct run){ whole.at, n });
	if (g->failed)
		return;
	struct file *f = file_at(g, file);
	link_said(g, (struct run){ whole.at + n + 1, whole.n - n - 1 },
		  &f->first, &f->last);
}

/* scheme:// */
static bool is_url(struct span s)
{
	size_t n = 0;
	if (s.n == 0 || !isalpha((unsigned char)s.p[0]))
		return false;
	while (n < s.n &&
	       (isalnum((unsigned char)s.p[n]) || memchr("+.-", s.p[n], 3)))
		n++;
	return span_starts((struct span){ s.p + n, s.n - n }, SPAN("://"));
}

/* The folder of that name in a folder, made if it is new. */
static uint32_t find_node(struct grouping *g, uint32_t in, struct run name)
{
	struct buf scratch = { 0 };
	struct span key = name_key(&scratch, in, text_of(g, name));
	g->failed = g->failed || scratch.failed;
	uint32_t node = g->failed ? NONE : idtable_find(&g->by_node, g, key);
	if (node == NONE) {
		const struct node new = { name, in,   NONE, NONE,
					  NONE, NONE, NONE, NONE };
		node = append(g, &g->nodes, &new, sizeof(new));
		add_to_table(g, &g->by_node, key, node);
		if (!g->failed) {
			struct node *n = node_at(g, in);
			if (n->last_node != NONE)
				node_at(g, n->last_node)->next = node;
			else
				n->first_node = node;
			n->last_node = node;
		}
	}
	buf_free(&scratch);
	return node;
}

/* A file in a folder; the first of a name counts. */
static void add_leaf(struct grouping *g, uint32_t in, struct run name,
		     uint32_t file)
{
	struct buf scratch = { 0 };
	if (g->failed)
		return;
	struct span key = name_key(&scratch, in, text_of(g, name));
	g->failed = scratch.failed;
	if (!g->failed && idtable_find(&g->by_leaf, g, key) == NONE) {
		const struct leaf new = { name, in, file, NONE };
		uint32_t leaf = append(g, &g->leaves, &new, sizeof(new));
		add_to_table(g, &g->by_leaf, key, leaf);
		struct node *n = node_at(g, in);
		if (!g->failed && n->last_leaf != NONE)
			leaf_at(g, n->last_leaf)->next = leaf;
		else if (!g->failed)
			n->first_leaf = leaf;
		n->last_leaf = leaf;
	}
	buf_free(&scratch);
}

static void place_file(struct grouping *g, uint32_t file)
{
	struct run rest = file_at(g, file)->path;
	struct span s = text_of(g, rest);
	uint32_t node = 0;
	if (is_url(s)) {
		add_leaf(g, 0, rest, file);
		return;
	}
	if (s.p[s.n - 1] == '/')
		rest.n--;
	if (rest.n == 0)
		return;
	for (;;) {
		s = text_of(g, rest);
		const char *slash = memchr(s.p, '/', s.n);
		if (!slash || g->failed)
			break;
		size_t n = (size_t)(slash - s.p);
		node = find_node(g, node, (struct run){ rest.at, n });
		rest.at += n + 1;
		rest.n -= n + 1;
	}
	add_leaf(g, node, rest, file);
}

/* The tree being printed. */
struct printing {
	const struct grouping *g;
	struct buf *out;
	size_t depth;
	bool any;
};

static void begin_header(struct printing *p, bool folder)
{
	if (p->any)
		buf_addc(p->out, '\n');
	if (p->any && (p->depth == 0 || folder))
		buf_addc(p->out, '\n');
	p->any = true;
	buf_fill(p->out, '#', p->depth + 1);
	buf_addc(p->out, ' ');
}

static void print_leaves(struct printing *p, uint32_t node)
{
	const struct grouping *g = p->g;
	for (uint32_t i = node_at(g, node)->first_leaf; i != NONE;
	     i = leaf_at(g, i)->next) {
		const struct leaf *l = leaf_at(g, i);
		begin_header(p, false);
		buf_add(p->out, text_of(g, l->name));
		for (uint32_t s = file_at(g, l->file)->first; s != NONE;
		     s = said_at(g, s)->next) {
			buf_adds(p->out, "\n  ");
			buf_add(p->out, text_of(g, said_at(g, s)->text));
		}
	}
}

/* A folder's line, with the chain below it: gives the last one of it. */
static uint32_t print_folder(struct printing *p, uint32_t top)
{
	const struct grouping *g = p->g;
	uint32_t at = top;
	begin_header(p, true);
	for (;;) {
		const struct node *n = node_at(g, at);
		buf_add(p->out, text_of(g, n->name));
		buf_addc(p->out, '/');
		if (n->first_leaf != NONE || n->first_node == NONE ||
		    n->first_node != n->last_node)
			break;
		at = n->first_node;
	}
	node_at(g, at)->top = top;
	return at;
}

static void print_tree(struct printing *p)
{
	const struct grouping *g = p->g;
	uint32_t in = 0;
	uint32_t next = node_at(g, 0)->first_node;
	print_leaves(p, 0);
	for (;;) {
		while (next == NONE && in != 0) {
			const struct node *top =
				node_at(g, node_at(g, in)->top);
			next = top->next;
			in = top->parent;
			p->depth--;
		}
		if (next == NONE)
			return;
		in = print_folder(p, next);
		p->depth++;
		print_leaves(p, in);
		next = node_at(g, in)->first_node;
	}
}

static void print(const struct grouping *g, struct buf *out)
{
	struct printing p = { .g = g, .out = out };
	const char *between = "";
	print_tree(&p);
	if (g->files.len > 0 && g->first_loose != NONE)
		buf_adds(out, p.any ? "\n\n" : "\n");
	for (uint32_t s = g->first_loose; s != NONE; s = said_at(g, s)->next) {
		buf_adds(out, between);
		buf_add(out, text_of(g, said_at(g, s)->text));
		between = "\n";
	}
}

void omp_diagnostics_add(struct buf *out, struct json messages)
{
	struct grouping g = { .first_loose = NONE, .last_loose = NONE };
	const struct node root = { { 0, 0 }, NONE, NONE, NONE,
				   NONE,     NONE, NONE, NONE };
	struct json_walk w = json_walk(messages);
	struct json message;
	idtable_init(&g.by_path, path_key);
	idtable_init(&g.by_node, node_key);
	idtable_init(&g.by_leaf, leaf_key);
	append(&g, &g.nodes, &root, sizeof(root));
	while (!g.failed && json_next_element(&w, &message))
		take_message(&g, message);
	size_t n = g.files.len / sizeof(struct file);
	for (uint32_t i = 0; i < n && !g.failed; i++)
		place_file(&g, i);
	if (g.failed)
		out->failed = true;
	else
		print(&g, out);
	idtable_free(&g.by_path);
	idtable_free(&g.by_node);
	idtable_free(&g.by_leaf);
	buf_free(&g.text);
	buf_free(&g.said);
	buf_free(&g.files);
	buf_free(&g.nodes);
	buf_free(&g.leaves);
}
