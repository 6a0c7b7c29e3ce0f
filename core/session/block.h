/*
 * Content blocks: the content of a message is a string or an array of blocks.
 *
 * Agents spell them differently, so each dialect has a reader (dialect.h). A
 * block that its reader does not know is BLOCK_OTHER.
 */
#ifndef SESSFS_BLOCK_H
#define SESSFS_BLOCK_H

#include "core/json/writer.h"

enum block_type {
	BLOCK_OTHER,
	BLOCK_TEXT,
	BLOCK_THINKING,
	BLOCK_CALL,
	BLOCK_RESULT, /* of a tool, in a user's message */
	BLOCK_PICTURE,
};

/* The members that the type has; the others are absent. */
struct block {
	enum block_type type;
	struct json json;      /* the block, if block_next() found it */
	struct json text;      /* of text and thinking */
	struct json id;	       /* of a call; of a result: its call's */
	struct json name;      /* of a call */
	struct json arguments; /* of a call */
	struct json content;   /* of a result: a string or blocks */
	struct json more;      /* and blocks behind these; mostly absent */
	struct json error;     /* of a result: truthy if it is one */
	struct json data;      /* of a picture: a string, or absent */
	struct json mime;      /* of a picture */
	struct json url;       /* of a picture without data: where it is */
	bool inner;	       /* it is a block of a result */
	bool quoted; /* the arguments may be JSON in a string: see below */
};

/* Is the value a content: a string or an array? */
bool block_is_content(struct json v);

/*
 * The arguments of a call. OpenAI's API has them as JSON in a string, which is
 * decoded into *scratch; a text that is no JSON stays the string that it is.
 */
struct json block_arguments(const struct block *b, struct buf *scratch);

typedef struct block block_reader(struct json v);

/*
 * The Pi family: text, thinking, toolCall {id, name, arguments}, image {data,
 * mimeType}.
 */
struct block block_read_pi(struct json v);

/*
 * Anthropic's API, which Claude Code writes: text, thinking, tool_use {id,
 * name, input}, tool_result {tool_use_id, content, is_error}, image {source}.
 */
struct block block_read_api(struct json v);

/*
 * Write a text block as an array element: {"type":"text","text":…}, the same
 * for both readers. The text is WTF-8, or a string in JSON.
 */
void block_write_text(struct json_writer *w, struct span text);
void block_write_text_value(struct json_writer *w, struct json text);

/*
 * Iterates over a content. A string is one text block, and an object one block
 * of any type. The blocks of a result follow it; results in results are
 * BLOCK_OTHER.
 */
struct block_walk {
	block_reader *read;
	struct json_walk outer;
	struct json_walk inner;
	struct json one;   /* an object that was not returned yet */
	struct json whole; /* a string that was not returned yet */
	struct json more;  /* of a result */
	bool whole_inner;  /* it is a result's content */
};

struct block_walk block_walk(block_reader *read, struct json content);

/* Get the next block; false at the end. */
bool block_next(struct block_walk *w, struct block *b);

/* A loop over the blocks of a content, as JSON_EACH is. */
#define BLOCK_EACH(b, how, content) BLOCK_EACH_WHILE(true, b, how, content)
#define BLOCK_EACH_WHILE(cond, b, how, content)                                \
	for (struct block_walk b##_at = block_walk(how, content); b##_at.read; \
	     b##_at.read = NULL)                                               \
		for (struct block b; (cond) && block_next(&b##_at, &(b));)

/* The text that a content begins with, or that is all of it; else absent. */
struct json block_first_text(block_reader *read, struct json content);
struct json block_only_text(block_reader *read, struct json content);

#endif
