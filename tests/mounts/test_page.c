/* tree.html, as far as it can be tested without a browser; tests/page/ uses
 * one. */
#include "tests/mounts/mounts.h"

#include <sha2.h>

#include "core/base/base64.h"

#define BRANCHES "pi-v3-branches.jsonl"

/* The data of a page. The caller frees it. */
static cJSON *page_of(const char *path)
{
	static const char begin[] =
		"<script type=\"application/json\" id=\"session\">";
	struct span s = text_of(path);
	const char *from = memmem(s.p, s.n, begin, strlen(begin));
	test_need(from != NULL, path);
	from += strlen(begin);
	const char *end =
		memmem(from, (size_t)(s.p + s.n - from), "</script>", 9);
	test_need(end != NULL, path);
	cJSON *page = cJSON_ParseWithLength(from, (size_t)(end - from));
	test_need(page != NULL, path);
	return page;
}

static const cJSON *field(const cJSON *of, const char *name)
{
	return cJSON_GetObjectItemCaseSensitive(of, name);
}

/* A member's text; empty without one. */
static struct span said(const cJSON *of, const char *name)
{
	const char *s = cJSON_GetStringValue(field(of, name));
	return span_of(s ? s : "");
}

static size_t number(const cJSON *of, const char *name)
{
	const cJSON *item = field(of, name);
	return cJSON_IsNumber(item) ? (size_t)item->valuedouble : 0;
}

/* The entry that HEAD leads to. */
static const cJSON *at_head(const cJSON *page)
{
	const cJSON *head = field(page, "head");
	return cJSON_IsNumber(head) ? cJSON_GetArrayItem(field(page, "entries"),
							 head->valueint)
				    : NULL;
}

static int in_order(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The ids of a page's entries, as names_in() gives names. */
static struct span ids_in(const cJSON *page)
{
	static struct buf text;
	const char *ids[1000] = { 0 };
	size_t n = 0;
	const cJSON *e;
	for (e = children_of(field(page, "entries")); e; e = e->next) {
		test_need(n < COUNT(ids), "entries");
		ids[n++] = said(e, "id").p;
	}
	qsort(ids, n, sizeof(ids[0]), in_order);
	buf_clear(&text);
	for (size_t i = 0; i < n; i++) {
		buf_adds(&text, ids[i]);
		buf_addc(&text, ' ');
	}
	return buf_span(&text);
}

/* Is this the page, or what can't be looked into? */
static int is_page(const char *path, const struct stat *st, int type,
		   struct FTW *ftw)
{
	(void)st;
	return type == FTW_DNR || type == FTW_NS ||
	       strcmp(path + ftw->base, "tree.html") == 0;
}

static void not_listed(void)
{
	struct buf copy = { 0 };
	mount_fixture(BRANCHES);
	off_t size = stat_of("tree.html").st_size;
	buf_add(&copy, text_of("tree.html"));
	CHECK_INT(copy.len, size);
	CHECK(span_starts(buf_span(&copy), SPAN("<!doctype html>\n")));
	CHECK_SPAN(text_of("tree.html"), buf_span(&copy));
	buf_free(&copy);
	struct span names = names_in(".");
	CHECK(memmem(names.p, names.n, "tree.txt ", 9) != NULL);
	CHECK(memmem(names.p, names.n, "html", 4) == NULL);
	CHECK_INT(nftw(".", is_page, 64, FTW_PHYS), 0);
	CHECK_INT(put("other.html", ""), EPERM);
}

/* Has an entry the text of a file in its folder? */
static void check_text(const cJSON *e, const char *name)
{
	char path[256];
	struct buf want = { 0 };
	buf_add(&want, said(e, name));
	if (strcmp(name, "label") == 0 && field(e, name))
		buf_addc(&want, '\n');
	snprintf(path, sizeof(path), "by-id/%s/%s", said(e, "id").p, name);
	test_row = path;
	CHECK_SPAN(text_of(path), buf_span(&want));
	test_row = NULL;
	buf_free(&want);
}

/* Name the pictures of an entry, each as its file has it. */
static void check_pictures(const cJSON *e, struct buf *names)
{
	const cJSON *picture;
	for (picture = children_of(field(e, "pictures")); picture;
	     picture = picture->next) {
		char path[256];
		struct buf want = { 0 };
		snprintf(path, sizeof(path), "by-id/%s/%s", said(e, "id").p,
			 said(picture, "name").p);
		base64_encode(&want, text_of(path));
		CHECK_SPAN(said(picture, "data"), buf_span(&want));
		buf_free(&want);
		buf_addf(names, "%s ", path);
	}
}

/* Rules: P1 */
static void as_the_files(void)
{
	static const char *const files[] = { "content", "meta", "label" };
	struct buf head = { 0 }, pictures = { 0 };
	mount_fixture(BRANCHES);
	cJSON *page = page_of("tree.html");
	CHECK_SPAN(ids_in(page), names_in("by-id"));
	buf_adds(&head, "by-id/");
	buf_add(&head, said(at_head(page), "id"));
	CHECK_SPAN(buf_span(&head), link_at("HEAD"));
	const cJSON *e;
	for (e = children_of(field(page, "entries")); e; e = e->next) {
		for (size_t i = 0; i < COUNT(files); i++)
			check_text(e, files[i]);
		check_pictures(e, &pictures);
	}
	CHECK_BUF(&pictures, "by-id/aa000024/1.png ");
	buf_free(&head);
	buf_free(&pictures);
	cJSON_Delete(page);
}

/* What the page says of HEAD's entry. */
static void check_head(const char *name, const char *want)
{
	cJSON *page = page_of("tree.html");
	CHECK_SPAN(said(at_head(page), name), span_of(want));
	cJSON_Delete(page);
}

static void as_it_is_now(void)
{
	mount_fixture(BRANCHES);
	struct stat old = stat_of("tree.html");
	append_user("aa000099", "aa000025", "what has just come");
	check_head("content", "what has just come\n");
	struct stat now = stat_of("tree.html");
	CHECK(now.st_size != old.st_size ||
	      now.st_mtim.tv_sec != old.st_mtim.tv_sec ||
	      now.st_mtim.tv_nsec != old.st_mtim.tv_nsec);
	CHECK_INT(move_head("by-id/aa000004"), 0);
	check_head("id", "aa000004");
	CHECK_INT(put("by-id/aa000004/label", "</script>\n"), 0);
	check_head("label", "</script>");
}

/* Rules: P2 */
static void no_markup(void)
{
	static const char cwd[] =
		"</title></script><img src=x onerror=alert(1)>";
	static const char content[] =
		"</script><script>alert(1)</script><!-- <script> &lt;\n";
	mount_lines("{'type':'session','version':3,'id':'x',"
		    "'timestamp':'2026-03-01T10:00:00.000Z','cwd':"
		    "'</title></script><img src=x onerror=alert(1)>'}\n" USER(
			    "a", "null",
			    "</script><script>alert(1)</script>"
			    "<!-- <script> &lt;"));
	cJSON *page = page_of("tree.html");
	CHECK_SPAN(said(at_head(page), "content"), span_of(content));
	CHECK_SPAN(said(field(page, "session"), "cwd"), span_of(cwd));
	cJSON_Delete(page);
	CHECK(!has("tree.html", "alert(1)</script>"));
	CHECK(!has("tree.html", "<img"));
}

static void check_session(const char *name)
{
	char path[512];
	test_row = name;
	snprintf(path, sizeof(path), "%s/tree.html", name);
	cJSON *page = page_of(path);
	snprintf(path, sizeof(path), "%s/info", name);
	CHECK_SPAN(said(field(page, "session"), "dialect"),
		   value_in(path, "dialect"));
	snprintf(path, sizeof(path), "%s/by-id", name);
	CHECK_SPAN(ids_in(page), names_in(path));
	cJSON_Delete(page);
	test_row = NULL;
}

static void of_every_dialect(void)
{
	struct buf names = { 0 };
	size_t n = copy_fixtures("all", ".jsonl"), found = 0;
	mount_source(test_path("all"));
	buf_add(&names, names_in("."));
	for (struct span rest = buf_span(&names); rest.n > 0;) {
		struct span s = span_next(&rest, ' ');
		char name[256], info[300];
		snprintf(name, sizeof(name), "%.*s", (int)s.n, s.p);
		snprintf(info, sizeof(info), "%s/info", name);
		if (!exists(info))
			continue;
		check_session(name);
		found++;
	}
	CHECK_INT(found, n);
	buf_free(&names);
}

/* The page's sources. */

/* The bytes of a file of core/show/page/. The caller frees them. */
static struct buf source(const char *name)
{
	struct buf b = { 0 };
	char path[128];
	snprintf(path, sizeof(path), "../../core/show/page/%s", name);
	test_read(fixture(path), &b);
	return b;
}

static const char *find(struct span in, const char *text)
{
	return memmem(in.p, in.n, text, strlen(text));
}

/* Consume the text up to this one, and this one; all of it without it. */
static struct span next_to(struct span *rest, const char *end)
{
	const char *at = find(*rest, end);
	struct span part = { rest->p, at ? (size_t)(at - rest->p) : rest->n };
	size_t gone = part.n + (at ? strlen(end) : 0);
	rest->p += gone;
	rest->n -= gone;
	return part;
}

/* Consume the next attribute of a tag. False if it has no more. */
static bool next_attribute(struct span *tag, struct span *name,
			   struct span *value)
{
	while (tag->n > 0 && strchr(" \t\n/", *tag->p)) {
		tag->p++;
		tag->n--;
	}
	if (tag->n == 0)
		return false;
	*name = (struct span){ tag->p, 0 };
	while (name->n < tag->n && !strchr(" \t\n/=", name->p[name->n]))
		name->n++;
	tag->p += name->n;
	tag->n -= name->n;
	*value = SPAN("");
	if (tag->n < 2 || *tag->p != '=')
		return true;
	tag->p++;
	tag->n--;
	if (*tag->p == '"' || *tag->p == '\'') {
		char quote = *tag->p;
		tag->p++;
		tag->n--;
		*value = span_next(tag, quote);
	} else {
		*value = (struct span){ tag->p, 0 };
		while (value->n < tag->n && !strchr(" \t\n", tag->p[value->n]))
			value->n++;
		tag->p += value->n;
		tag->n -= value->n;
	}
	return true;
}

/* Could the browser fetch or run what this attribute has? */
static bool fetches(struct span name, struct span value)
{
	static const char *const fetching[] = { "src",	      "srcset",
						"href",	      "action",
						"data",	      "poster",
						"background", "style" };
	if (span_eq(value, SPAN("data:,")))
		return false;
	if (name.n >= 2 && strncasecmp(name.p, "on", 2) == 0)
		return true;
	for (size_t i = 0; i < COUNT(fetching); i++)
		if (span_eq_any_case(name, span_of(fetching[i])))
			return true;
	return false;
}

/* Check the attributes of a tag. If it has the policy, that is put there. */
static void check_tag(struct span tag, struct buf *policy)
{
	struct span name, value, content = { 0 };
	bool has_policy = false;
	while (next_attribute(&tag, &name, &value)) {
		if (!CHECK(!fetches(name, value))) {
			test_print("name ", name);
			test_print("value", value);
		}
		if (span_eq_any_case(name, SPAN("content")))
			content = value;
		has_policy |= span_eq_any_case(name, SPAN("http-equiv")) &&
			      span_eq(value, SPAN("Content-Security-Policy"));
	}
	if (has_policy)
		buf_add(policy, content);
}

/* Check all tags outside of comments, styles and scripts; gives their number.
 * No value of the page's attributes has a ">". */
static unsigned check_tags(struct span rest, struct buf *policy)
{
	unsigned n = 0;
	while (find(rest, "<")) {
		next_to(&rest, "<");
		if (span_starts(rest, SPAN("!--"))) {
			next_to(&rest, "-->");
			continue;
		}
		if (rest.n == 0 || !isalpha((unsigned char)*rest.p))
			continue;
		struct span tag = next_to(&rest, ">"), kind = { tag.p, 0 };
		while (kind.n < tag.n && isalnum((unsigned char)kind.p[kind.n]))
			kind.n++;
		n++;
		check_tag((struct span){ tag.p + kind.n, tag.n - kind.n },
			  policy);
		if (span_eq(kind, SPAN("script")))
			next_to(&rest, "</script");
		else if (span_eq(kind, SPAN("style")))
			next_to(&rest, "</style");
	}
	return n;
}

static bool has_rule(const struct buf *policy, const char *rule)
{
	for (struct span rest = buf_span(policy); rest.n > 0;)
		if (span_eq(next_to(&rest, "; "), span_of(rule)))
			return true;
	return false;
}

/* Does the text have a URL with a host? */
static bool has_url(struct span rest)
{
	static const char *const begin[] = { "http://", "https://" };
	for (size_t i = 0; i < COUNT(begin); i++)
		for (struct span s = rest; find(s, begin[i]);) {
			next_to(&s, begin[i]);
			if (s.n > 0 && (isalnum((unsigned char)*s.p) ||
					strchr("_.-", *s.p)))
				return true;
		}
	return false;
}

static void fetches_nothing(void)
{
	static const char *const words[] = {
		"@import",	  "url(",      "fetch(",
		"XMLHttpRequest", "WebSocket", "import(",
		"innerHTML",	  "outerHTML", "insertAdjacentHTML",
		"document.write", "eval(",     "localStorage",
		"cookie",
	};
	static const char *const rules[] = { "default-src 'none'",
					     "img-src data:", "base-uri 'none'",
					     "form-action 'none'" };
	struct buf html = source("page.html"), policy = { 0 };
	CHECK(check_tags(buf_span(&html), &policy) > 50);
	for (size_t i = 0; i < COUNT(words); i++) {
		test_row = words[i];
		CHECK(!find(buf_span(&html), words[i]));
	}
	test_row = NULL;
	CHECK(!has_url(buf_span(&html)));
	for (size_t i = 0; i < COUNT(rules); i++) {
		test_row = rules[i];
		CHECK(has_rule(&policy, rules[i]));
	}
	test_row = NULL;
	CHECK(!find(buf_span(&policy), "unsafe"));
	buf_free(&html);
	buf_free(&policy);
}

/* Append the sum of an element, as a policy has it. */
static void add_sum(struct buf *sums, struct span inside)
{
	SHA2_CTX sha;
	uint8_t digest[SHA256_DIGEST_LENGTH];
	SHA256Init(&sha);
	SHA256Update(&sha, (const uint8_t *)inside.p, inside.n);
	SHA256Final(digest, &sha);
	buf_adds(sums, " 'sha256-");
	base64_encode(sums,
		      (struct span){ (const char *)digest, sizeof(digest) });
	buf_addc(sums, '\'');
}

/* Does the page's policy allow its elements of this kind, and no others? */
static void check_sums(struct span html, const char *kind)
{
	char begin[32], end[32];
	struct buf rule = { 0 };
	snprintf(begin, sizeof(begin), "<%s>", kind);
	snprintf(end, sizeof(end), "</%s>", kind);
	buf_addf(&rule, "%s-src", kind);
	for (struct span rest = html; find(rest, begin);) {
		next_to(&rest, begin);
		add_sum(&rule, next_to(&rest, end));
	}
	buf_addc(&rule, ';');
	if (!CHECK(find(html, buf_cstr(&rule))))
		test_print("core/show/page/page.html must have",
			   buf_span(&rule));
	buf_free(&rule);
}

static void own_style_and_scripts(void)
{
	static const char *const libraries[] = { "markdown-it", "mdurl",
						 "uc.micro",	"entities",
						 "linkify-it",	"punycode.js" };
	struct buf page = { 0 }, whole = { 0 };
	struct buf library = source("markdown-it.min.js"),
		   licences = source("markdown-it.LICENSE");
	mount_fixture(BRANCHES);
	buf_add(&page, text_of("tree.html"));
	check_sums(buf_span(&page), "style");
	check_sums(buf_span(&page), "script");
	buf_adds(&whole, "<script>");
	buf_add(&whole, buf_span(&library));
	buf_adds(&whole, "</script>");
	CHECK(find(buf_span(&page), buf_cstr(&whole)));
	struct span rest = buf_span(&page);
	next_to(&rest, "<!-- The first script");
	CHECK(find(rest, "-->"));
	CHECK(find(next_to(&rest, "-->"), buf_cstr(&licences)));
	/* The library can't end its element. */
	CHECK(!find(buf_span(&library), "</script"));
	CHECK(!find(buf_span(&library), "<script"));
	CHECK(!find(buf_span(&library), "sourceMapp"));
	for (size_t i = 0; i < COUNT(libraries); i++) {
		char title[64];
		snprintf(title, sizeof(title), "\n%s\n====", libraries[i]);
		test_row = libraries[i];
		CHECK(find(buf_span(&licences), title));
	}
	test_row = NULL;
	buf_free(&page);
	buf_free(&whole);
	buf_free(&library);
	buf_free(&licences);
}

/* The content's text that a part is. Its characters are ASCII. */
static struct span text_of_part(const cJSON *e, const cJSON *part)
{
	struct span s = said(e, "content");
	size_t at = number(part, "at"), n = number(part, "n");
	if (!field(part, "at") || at > s.n || n > s.n - at)
		return SPAN("outside");
	return (struct span){ s.p + at, n };
}

/* A line for each call: its type, its name, and the first line of its text;
 * their ids. */
static void add_calls(const cJSON *e, struct buf *calls, struct buf *ids)
{
	const cJSON *part;
	for (part = children_of(field(e, "parts")); part; part = part->next) {
		if (!span_eq(said(part, "type"), SPAN("call")))
			continue;
		struct span rest = text_of_part(e, part);
		buf_addf(calls, "call %s ", said(part, "name").p);
		buf_add(calls, span_next_line(&rest));
		buf_addc(calls, '\n');
		buf_addf(ids, " %s ", said(part, "id").p);
	}
}

/* A line for an entry with a result: for each part its type, text, and whether
 * it is inside; or, for one without a text, whether its call is there. */
static void add_results(const cJSON *e, const struct buf *ids,
			struct buf *results)
{
	const cJSON *part;
	bool is_result = false;
	for (part = children_of(field(e, "parts")); part; part = part->next)
		is_result |= span_eq(said(part, "type"), SPAN("result"));
	if (!is_result)
		return;
	for (part = children_of(field(e, "parts")); part; part = part->next) {
		char id[128];
		snprintf(id, sizeof(id), " %s ", said(part, "id").p);
		if (!field(part, "n")) {
			buf_adds(results, find(buf_span(ids), id)
						  ? "of a call, "
						  : "of none, ");
			continue;
		}
		buf_addf(results, "%s ", said(part, "type").p);
		buf_add(results, text_of_part(e, part));
		buf_addf(results, " %zu", number(part, "inner"));
	}
	buf_addc(results, '\n');
}

static void parts(void)
{
	struct buf calls = { 0 }, ids = { 0 }, results = { 0 };
	mount_fixture("claude-basic.jsonl");
	cJSON *page = page_of("tree.html");
	const cJSON *e;
	for (e = children_of(field(page, "entries")); e; e = e->next)
		add_calls(e, &calls, &ids);
	for (e = children_of(field(page, "entries")); e; e = e->next)
		add_results(e, &ids, &results);
	CHECK_BUF(&calls, "call Read [tool call] Read\n"
			  "call Read [tool call] Read\n");
	CHECK_BUF(&results, "of a call, text B-body 1\n"
			    "of a call, text A-body 1\n");
	buf_free(&calls);
	buf_free(&ids);
	buf_free(&results);
	cJSON_Delete(page);
}

static void without_a_name(void)
{
	mount_lines(HEADER ASSISTANT("a", "null", "Hi.")
			    USER("b", "'a'", "Count the\\n words."));
	cJSON *page = page_of("tree.html");
	const cJSON *session = field(page, "session");
	CHECK_SPAN(said(session, "words"), SPAN("Count the words."));
	CHECK(!field(session, "name"));
	CHECK(field(session, "id"));
	cJSON_Delete(page);
	CHECK_INT(put("name", "The name\n"), 0);
	page = page_of("tree.html");
	session = field(page, "session");
	CHECK_SPAN(said(session, "name"), SPAN("The name"));
	CHECK(!field(session, "words"));
	cJSON_Delete(page);
}

static const struct mounts_test tests[] = {
	TEST("tree.html is there when it is named, and not listed; its size is "
	     "exact",
	     not_listed),
	TEST("it has every entry with its content, meta and label, as their "
	     "files have",
	     as_the_files),
	TEST("it is as the session is now: entries, HEAD and labels",
	     as_it_is_now),
	TEST("no text of a session is markup", no_markup),
	TEST("every dialect has a page", of_every_dialect),
	TEST("the page refers to nothing outside it, and may not fetch "
	     "anything",
	     fetches_nothing),
	TEST("the page allows its own style and scripts by their sums, and has "
	     "its library's licences",
	     own_style_and_scripts),
	TEST("parts of a content are where they are in it, those of a result "
	     "inside",
	     parts),
	TEST("a session without a name is called by the first words that a "
	     "person typed",
	     without_a_name),
};
RUN_TESTS(tests)
