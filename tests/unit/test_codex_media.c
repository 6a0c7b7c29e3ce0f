/* Pictures and sounds as Codex 0.171.0 itself posted them. */
#include "core/dialects/codex/codex.h"
#include "core/dialects/codex/item.h"
#include "tests/unit/dialect_test.h"

#define PNG                                                \
	"iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAA" \
	"CklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg=="
#define JPEG                                                           \
	"/9j/2wBDAAEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEB" \
	"AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQH/wAALCAABAAEBAREA/8QAFAAB" \
	"AAAAAAAAAAAAAAAAAAAAAP/EABQQAQAAAAAAAAAAAAAAAAAAAAD/2gAIAQEAAD8AP//Z"

#define TEXT(text) "{'type':'input_text','text':\"" text "\"}"
#define NO_PICTURE(why) TEXT("image content omitted because " why)
#define NO_SOUND(why) TEXT("audio content omitted because " why)
#define BROKEN "it could not be processed"
#define REMOTE "remote image URLs are not supported"
#define LOW "detail 'low' is not supported; use 'high', 'original', or 'auto'"
#define UNSUPPORTED "you do not support audio input"
#define FORMAT "its format is not supported; use wav, mp3, m4a, webm, or ogg"

#define PICTURE(url) "{'type':'input_image','image_url':'" url "'}"
#define DETAILED(url, detail) \
	"{'type':'input_image','image_url':'" url "','detail':'" detail "'}"
#define FILED(more) "{'type':'input_image','file_id':'f'" more "}"
#define SOUND(url) "{'type':'input_audio','audio_url':'" url "'}"

static const struct {
	const char *part, *posted;
} rows[] = {
	/* The bytes decide which type a picture is of. */
	{ PICTURE("data:image/png;base64," PNG),
	  PICTURE("data:image/png;base64," PNG) },
	{ PICTURE("data:image/jpeg;base64," PNG),
	  PICTURE("data:image/png;base64," PNG) },
	{ PICTURE("data:image/png;base64," JPEG),
	  PICTURE("data:image/jpeg;base64," JPEG) },
	{ PICTURE("data:text/plain;base64," PNG),
	  PICTURE("data:image/png;base64," PNG) },
	{ PICTURE("data:;base64," PNG), PICTURE("data:image/png;base64," PNG) },
	{ PICTURE("DATA:IMAGE/PNG;x=1;BASE64;y," PNG),
	  PICTURE("data:image/png;base64," PNG) },
	{ PICTURE("data:base64;x," PNG),
	  PICTURE("data:image/png;base64," PNG) },
	/* It has to be one, in strict base64. */
	{ PICTURE("data:image/jpeg;base64,/9j/4AAQ"), NO_PICTURE(BROKEN) },
	{ PICTURE("data:image/png;base64,iVBORw0KGgo="), NO_PICTURE(BROKEN) },
	{ PICTURE("data:image/bmp;base64,Qk06AAAA"), NO_PICTURE(BROKEN) },
	{ PICTURE("data:image/png;base64,"), NO_PICTURE(BROKEN) },
	{ PICTURE("data:image/png;base64,%%%"), NO_PICTURE(BROKEN) },
	{ PICTURE("data:image/png;base64," PNG " "), NO_PICTURE(BROKEN) },
	{ PICTURE("data:image/png," PNG), NO_PICTURE(BROKEN) },
	{ PICTURE("data:image/png;base64" PNG), NO_PICTURE(BROKEN) },
	{ PICTURE("data:x"), NO_PICTURE(BROKEN) },
	/* Other URLs. */
	{ PICTURE("http://e/x.png"), NO_PICTURE(REMOTE) },
	{ PICTURE("HTTPS:x"), NO_PICTURE(REMOTE) },
	{ PICTURE("file:///tmp/a.png"), PICTURE("file:///tmp/a.png") },
	{ PICTURE("a.png"), PICTURE("a.png") },
	{ PICTURE(""), PICTURE("") },
	{ PICTURE(" data:image/png;base64,AAAA"),
	  PICTURE(" data:image/png;base64,AAAA") },
	{ PICTURE("blob:http://x"), PICTURE("blob:http://x") },
	/* Detail. */
	{ DETAILED("data:image/png;base64," PNG, "low"), NO_PICTURE(LOW) },
	{ DETAILED("data:image/png;base64,AAAA", "low"), NO_PICTURE(LOW) },
	{ DETAILED("https://e", "low"), NO_PICTURE(REMOTE) },
	{ DETAILED("file:///a", "low"), DETAILED("file:///a", "low") },
	{ DETAILED("file:///a", "original"), DETAILED("file:///a", "high") },
	{ DETAILED("data:image/gif;base64," PNG, "original"),
	  DETAILED("data:image/png;base64," PNG, "high") },
	{ DETAILED("data:image/gif;base64," PNG, "auto"),
	  DETAILED("data:image/png;base64," PNG, "auto") },
	/* Files of the API. */
	{ FILED(""), FILED("") },
	{ FILED(",'detail':'low'"), FILED(",'detail':'low'") },
	{ FILED(",'detail':'original'"), FILED(",'detail':'high'") },
	{ FILED(",'image_url':null"), FILED("") },
	{ FILED(",'image_url':'https://e'"), NO_PICTURE(REMOTE) },
	/* Sounds. */
	{ SOUND("data:audio/wav;base64,QUJD"), NO_SOUND(UNSUPPORTED) },
	{ SOUND("data:audio/x-wav;base64,QUI="), NO_SOUND(UNSUPPORTED) },
	{ SOUND("data:audio/wave;base64,QUJD"), NO_SOUND(UNSUPPORTED) },
	{ SOUND("data:audio/vnd.wave;base64,QUJD"), NO_SOUND(UNSUPPORTED) },
	{ SOUND("data:audio/mpeg;base64,QUJD"), NO_SOUND(UNSUPPORTED) },
	{ SOUND("data:audio/mp3;base64,QUJD"), NO_SOUND(UNSUPPORTED) },
	{ SOUND("data:audio/mp4;base64,QUJD"), NO_SOUND(UNSUPPORTED) },
	{ SOUND("data:audio/m4a;base64,QUJD"), NO_SOUND(UNSUPPORTED) },
	{ SOUND("data:audio/x-m4a;base64,QUJD"), NO_SOUND(UNSUPPORTED) },
	{ SOUND("data:audio/webm;base64,QUJD"), NO_SOUND(UNSUPPORTED) },
	{ SOUND("data:audio/ogg;codecs=opus;base64,QUJD"),
	  NO_SOUND(UNSUPPORTED) },
	{ SOUND("DATA:AUDIO/WAV;BASE64,QUJD"), NO_SOUND(UNSUPPORTED) },
	{ SOUND("data:audio/flac;base64,ZkxhQwAAAAA="), NO_SOUND(FORMAT) },
	{ SOUND("data:audio/aac;base64,%%"), NO_SOUND(FORMAT) },
	{ SOUND("data:audio/x-mp3,x"), NO_SOUND(FORMAT) },
	{ SOUND("data:video/mp4;base64,QUJD"), NO_SOUND(FORMAT) },
	{ SOUND("data: audio/wav;base64,QUJD"), NO_SOUND(FORMAT) },
	{ SOUND("data:audio/wav;base64,"), NO_SOUND(BROKEN) },
	{ SOUND("data:audio/wav;base64,QUI"), NO_SOUND(BROKEN) },
	{ SOUND("data:audio/wav;base64,QUJ="), NO_SOUND(BROKEN) },
	{ SOUND("data:audio/wav,QUJD"), NO_SOUND(BROKEN) },
	{ SOUND("data:audio/wav;base64"), NO_SOUND(BROKEN) },
	{ SOUND("data:audio/flac"), NO_SOUND(BROKEN) },
	{ SOUND("data:;base64,QUJD"), NO_SOUND(BROKEN) },
	{ SOUND("https://e/x.wav"), NO_SOUND(BROKEN) },
	{ SOUND("file:///a.wav"), NO_SOUND(BROKEN) },
	{ SOUND(""), NO_SOUND(BROKEN) },
	{ "{'type':'input_audio','file_id':'f'}", NO_SOUND(UNSUPPORTED) },
	{ "{'type':'input_audio','audio_url':null,'file_id':'f'}",
	  NO_SOUND(UNSUPPORTED) },
	{ "{'type':'input_audio','audio_url':'u','file_id':'f'}",
	  NO_SOUND(BROKEN) },
};

/* Single quotes are double ones, and double quotes stay. */
static struct buf unquoted(const char *text)
{
	struct buf b = { 0 };
	bool in_text = false;
	for (const char *p = text; *p; p++) {
		in_text = in_text != (*p == '"');
		buf_addc(&b, *p == '\'' && !in_text ? '"' : *p);
	}
	return b;
}

/* What is posted of an item, in a line or a list. */
static void check_item(const char *item, const char *want, bool listed)
{
	struct buf text = unquoted(item);
	struct buf posted = unquoted(want);
	struct buf got = { 0 };
	struct json_writer w = { .out = &got };
	struct json v;
	test_row = item;
	CHECK_INT(json_check(buf_span(&text), &v), 0);
	CHECK(codex_item_decodes(v));
	codex_item_write(&w, v, listed);
	CHECK_SPAN(buf_span(&got), buf_span(&posted));
	buf_free(&text);
	buf_free(&posted);
	buf_free(&got);
	test_row = NULL;
}

#define SAID_BY_USER(part) \
	"{'type':'message','role':'user','content':[" part "]}"
#define OUTPUT(parts) \
	"{'type':'function_call_output','call_id':'c','output':[" parts "]}"

static void check_parts(void)
{
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct buf item = { 0 };
		struct buf want = { 0 };
		buf_addf(&item, SAID_BY_USER("%s"), rows[i].part);
		buf_addf(&want, SAID_BY_USER("%s"), rows[i].posted);
		check_item(buf_cstr(&item), buf_cstr(&want), false);
		check_item(buf_cstr(&item), buf_cstr(&want), true);
		buf_clear(&item);
		buf_clear(&want);
		buf_addf(&item, OUTPUT("%s"), rows[i].part);
		buf_addf(&want, OUTPUT("%s"), rows[i].posted);
		check_item(buf_cstr(&item), buf_cstr(&want), true);
		buf_free(&item);
		buf_free(&want);
	}
}

/* Outputs in lines are cut. */
static void check_outputs(void)
{
#define SOUND_FILE "{'type':'input_audio','file_id':'f'}"
	check_item(OUTPUT(SOUND_FILE "," TEXT("") "," TEXT("a") "," SOUND_FILE),
		   OUTPUT(TEXT("a") "," TEXT("[omitted 2 audio items ...]")),
		   false);
	check_item(OUTPUT(SOUND("u") "," PICTURE("file:a")),
		   OUTPUT(NO_SOUND(BROKEN) "," PICTURE("file:a")), false);
	check_item(OUTPUT(TEXT("") "," SOUND_FILE),
		   OUTPUT(TEXT("") "," NO_SOUND(UNSUPPORTED)), true);
}

static void check_summary(void)
{
	check_item("{'type':'compaction_summary','id':'c_1',"
		   "'encrypted_content':'E'}",
		   "{'type':'compaction','id':'c_1','encrypted_content':'E'}",
		   true);
}

/* What people see of a picture. */
static void check_blocks(void)
{
	static const struct {
		const char *part, *mime;
		bool has_data, has_url;
	} blocks[] = {
		{ PICTURE("data:image/png;base64," PNG), "'image/png'", true,
		  false },
		{ PICTURE("DATA:image/png;BASE64," JPEG), "'image/jpeg'", true,
		  false },
		{ PICTURE("data:;base64," PNG), "'image/png'", true, false },
		{ PICTURE("data:image/JPEG;base64,AAAA"), "'image/jpeg'", true,
		  false },
		{ PICTURE("data:image/bmp;base64,Qk06"), "", true, false },
		{ PICTURE("file:///a.png"), "", false, true },
		{ PICTURE("https://e/a.png"), "", false, true },
		{ FILED(""), "", false, false },
	};
	for (size_t i = 0; i < COUNT(blocks); i++) {
		struct buf text = unquoted(blocks[i].part);
		struct buf mime = unquoted(blocks[i].mime);
		struct json v;
		test_row = blocks[i].part;
		CHECK_INT(json_check(buf_span(&text), &v), 0);
		struct block b = codex_showing.read_block(v);
		CHECK_INT(b.type, BLOCK_PICTURE);
		CHECK_SPAN(b.mime.raw, buf_span(&mime));
		CHECK_INT(json_type(b.data) == JSON_STRING, blocks[i].has_data);
		CHECK_INT(json_type(b.url) == JSON_STRING, blocks[i].has_url);
		buf_free(&text);
		buf_free(&mime);
	}
	test_row = NULL;
}

int main(void)
{
	check_parts();
	check_outputs();
	check_summary();
	check_blocks();
	return test_done("codex_media");
}
