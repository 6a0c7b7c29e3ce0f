/*
 * What a block of the API's messages is. Contents are strings, or arrays of
 * blocks; a walk over a string has no blocks.
 */
#ifndef SESSFS_CLAUDE_BLOCKS_H
#define SESSFS_CLAUDE_BLOCKS_H

#include "core/json/json.h"

/* Is it of one of these types? BLOCK_IS(block, "image", "document") */
#define BLOCK_IS(block, ...) JSON_IS(json_get(block, "type"), __VA_ARGS__)

/* Is a string nothing but white space? True for values of other types. */
bool claude_is_blank(struct json text);

#endif
