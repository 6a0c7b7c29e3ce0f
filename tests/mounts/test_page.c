/*
 * tree.html: what a mount shows of it, and its sources. Its data are in
 * unit/test_page.c; tests/page/ uses a browser.
 */
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

/* The entry that HEAD leads to. */
static const cJSON *at_head(const cJSON *page)
{
	const cJSON *head = field(page, "head");
	return cJSON_IsNumber(head) ? cJSON_GetArrayItem(field(page, "entries"),
							 head->valueint)
				    : NULL;
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

static const struct mounts_test tests[] = {
	TEST("tree.html is there when it is named, and not listed; its size is "
	     "exact",
	     not_listed),
	TEST("it is as the session is now: entries, HEAD and labels",
	     as_it_is_now),
	TEST("the page refers to nothing outside it, and may not fetch "
	     "anything",
	     fetches_nothing),
	TEST("the page allows its own style and scripts by their sums, and has "
	     "its library's licences",
	     own_style_and_scripts),
};
RUN_TESTS(tests)
