/*
 * Pictures and sounds in the content of messages and in outputs, as the agent
 * posts them (0.171.0).
 *
 * A data URL is one in any case: data:TYPE;base64,DATA. Of a picture in one,
 * the bytes decide: they have to be a PNG, JPEG, GIF or WebP (picture.h), and
 * the type that is posted is theirs. The agent puts a text in place of
 *
 *   - a picture at an http: or https: URL, or of detail "low" in a data URL
 *   - one whose base64 is not strict, or whose bytes are not a picture
 *   - every sound: its models take none. It says that of those in data URLs of
 *     the types it knows, and of files of the API; else, what else is wrong
 *
 * Other URLs, such as file:, and pictures that are files of the API are posted
 * as they are. Detail "original" is "high".
 */
#ifndef SESSFS_CODEX_MEDIUM_H
#define SESSFS_CODEX_MEDIUM_H

#include "core/json/writer.h"

/* Write an input_image or input_audio as the agent posts it. */
void codex_write_picture(struct json_writer *w, struct json part);
void codex_write_sound(struct json_writer *w, struct json part);

/* Is a part a sound that is a file of the API? */
bool codex_is_sound_file(struct json part);

/*
 * Append the bytes of a picture: the value is a data URL in base64, as a JSON
 * string. False for other URLs.
 */
bool codex_picture(struct buf *out, struct json url);

/* Does it say that it is a data URL? */
bool codex_is_data_url(struct json url);

/*
 * The media type of a picture, as JSON: of its bytes, else the one that the URL
 * names. Absent for others than PNG, JPEG, GIF and WebP.
 */
struct json codex_picture_mime(struct json url);

#endif
