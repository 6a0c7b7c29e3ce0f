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
#include "core/dialects/codex/codex.h"

#include "core/base/base64.h"
#include "core/base/picture.h"

#define NO_PICTURE "image content omitted because "
#define NO_SOUND "audio content omitted because "
#define BROKEN "it could not be processed"
#define UNSUPPORTED "you do not support audio input"

/* -- data URLs */

struct data_url {
	struct span type;
	struct span rest; /* after the type, up to the comma */
	struct span data; /* after it */
	bool has_data;	  /* there is a comma */
	bool has_base64;  /* a parameter says so */
};

/* Read a URL. False if it is none with data. */
static bool read_data_url(struct span url, struct data_url *to)
{
	static const struct span scheme = SPAN("data:");
	*to = (struct data_url){ 0 };
	if (!span_starts_any_case(url, scheme))
		return false;
	url = span_from(url, scheme.n);
	to->has_data = memchr(url.p, ',', url.n) != NULL;
	struct span head = span_next(&url, ',');
	to->data = url;
	to->type = span_next(&head, ';');
	while (head.n > 0)
		to->has_base64 = span_eq_any_case(span_next(&head, ';'),
						  SPAN("base64")) ||
				 to->has_base64;
	return true;
}

/* A picture's base64 may be said in place of the type, too. */
static bool is_picture_data(const struct data_url *u)
{
	return u->has_data &&
	       (u->has_base64 || span_eq_any_case(u->type, SPAN("base64")));
}

bool codex_picture(struct buf *out, struct json url)
{
	struct buf text BUF_SCOPED = BUF_INTO(out);
	struct data_url u;
	json_decode(&text, url);
	bool found = read_data_url(buf_span(&text), &u) && is_picture_data(&u);
	if (found)
		base64_decode(out, u.data);
	return found;
}

/* The text of a JSON string as it is written. */
static struct span written(struct json v)
{
	struct span none = { 0 };
	return json_is_string(v) ? (struct span){ v.raw.p + 1, v.raw.n - 2 }
				 : none;
}

bool codex_read_data_url(struct json url, struct json *mime)
{
	static const struct span quoted[] = { SPAN("\"image/png\""),
					      SPAN("\"image/jpeg\""),
					      SPAN("\"image/gif\""),
					      SPAN("\"image/webp\"") };
	struct data_url u;
	/* What JSON escapes in the start of base64 is passed over. */
	if (!read_data_url(written(url), &u))
		return false;
	struct span name = picture_base64_mime(u.data);
	if (name.n == 0)
		name = picture_named_mime(u.type);
	for (size_t i = 0; i < sizeof(quoted) / sizeof(*quoted); i++) {
		struct json v = { .raw = quoted[i] };
		if (span_eq(written(v), name))
			*mime = v;
	}
	return true;
}

/* -- pictures */

/* The media type of a picture that the agent can read; empty: it can't. */
static struct span read_picture(const struct data_url *u)
{
	struct buf bytes BUF_SCOPED = { 0 };
	struct span mime = { 0 };
	if (!is_picture_data(u) || !base64_is_strict(u->data))
		return mime;
	base64_decode(&bytes, u->data);
	if (picture_is_whole(buf_span(&bytes)))
		mime = picture_mime(buf_span(&bytes));
	return mime;
}

void codex_write_picture(struct json_writer *w, struct json part)
{
	struct buf text BUF_SCOPED = BUF_INTO(w->out);
	struct buf made BUF_SCOPED = BUF_INTO(w->out);
	struct data_url u;
	JSON_FIELDS(f, part, image_url, file_id, detail);
	json_decode(&text, f.image_url);
	struct span url = buf_span(&text);
	bool has_data = read_data_url(url, &u);
	bool low = has_data && json_is(f.detail, SPAN("low"));
	struct span mime = { 0 };
	if (has_data && !low)
		mime = read_picture(&u);
	const char *omitted = NULL;
	if (span_starts_any_case(url, SPAN("http:")) ||
	    span_starts_any_case(url, SPAN("https:")))
		omitted = NO_PICTURE "remote image URLs are not supported";
	else if (low)
		omitted = NO_PICTURE "detail 'low' is not supported; use "
				     "'high', 'original', or 'auto'";
	else if (has_data && mime.n == 0)
		omitted = NO_PICTURE BROKEN;
	if (omitted) {
		codex_write_text(w, span_of(omitted));
	} else {
		json_begin_object(w, NULL);
		json_write_word(w, "type", "input_image");
		if (has_data) {
			buf_addf(&made, "data:%.*s;base64,", (int)mime.n,
				 mime.p);
			buf_add(&made, u.data);
			json_write_string_buf(w, "image_url", &made);
		} else if (json_is_string(f.image_url)) {
			json_write_value(w, "image_url", f.image_url);
		} else {
			json_write_value(w, "file_id", f.file_id);
		}
		if (json_is(f.detail, SPAN("original")))
			json_write_word(w, "detail", "high");
		else if (json_is_string(f.detail))
			json_write_value(w, "detail", f.detail);
		json_end_object(w);
	}
}

/* -- sounds */

static bool is_known_sound(struct span type)
{
	static const struct span known[] = {
		SPAN("audio/wav"),   SPAN("audio/x-wav"),
		SPAN("audio/wave"),  SPAN("audio/vnd.wave"),
		SPAN("audio/mpeg"),  SPAN("audio/mp3"),
		SPAN("audio/mp4"),   SPAN("audio/m4a"),
		SPAN("audio/x-m4a"), SPAN("audio/webm"),
		SPAN("audio/ogg"),
	};
	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++) {
		if (span_eq_any_case(type, known[i]))
			return true;
	}
	return false;
}

bool codex_is_sound_file(struct json part)
{
	JSON_FIELDS(f, part, type, audio_url);
	return json_is(f.type, SPAN("input_audio")) &&
	       !json_is_string(f.audio_url);
}

void codex_write_sound(struct json_writer *w, struct json part)
{
	struct buf url BUF_SCOPED = BUF_INTO(w->out);
	struct data_url u;
	struct span words = SPAN(NO_SOUND UNSUPPORTED);
	json_decode(&url, json_get(part, "audio_url"));
	bool has_data =
		read_data_url(buf_span(&url), &u) && u.has_data && u.type.n > 0;
	if (has_data && !is_known_sound(u.type))
		words = SPAN(NO_SOUND "its format is not supported; use wav, "
				      "mp3, m4a, webm, or ogg");
	else if (!codex_is_sound_file(part) &&
		 !(has_data && u.has_base64 && base64_is_strict(u.data)))
		words = SPAN(NO_SOUND BROKEN);
	codex_write_text(w, words);
}
