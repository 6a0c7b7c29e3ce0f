#include "core/base/picture.h"

#include <stdint.h>

#include "core/base/base64.h"

static unsigned byte_at(struct span b, size_t i)
{
	return (unsigned char)b.p[i];
}

/* Numbers of two and four bytes, the highest or the lowest first. */
static uint32_t high_first(struct span b, size_t i, int n)
{
	uint32_t v = 0;
	for (int k = 0; k < n; k++)
		v = v << 8 | byte_at(b, i + (size_t)k);
	return v;
}

static uint32_t low_first(struct span b, size_t i, int n)
{
	uint32_t v = 0;
	while (n-- > 0)
		v = v << 8 | byte_at(b, i + (size_t)n);
	return v;
}

/* -- PNG */

/* The CRC of a chunk's type and data, four bits at a time. */
static uint32_t crc_of(struct span b)
{
	static const uint32_t rest[] = {
		0x00000000, 0x1DB71064, 0x3B6E20C8, 0x26D930AC,
		0x76DC4190, 0x6B6B51F4, 0x4DB26158, 0x5005713C,
		0xEDB88320, 0xF00F9344, 0xD6D6A3E8, 0xCB61B38C,
		0x9B64C2B0, 0x86D3D2D4, 0xA00AE278, 0xBDBDF21C,
	};
	uint32_t crc = UINT32_MAX;
	for (size_t i = 0; i < b.n; i++) {
		crc ^= byte_at(b, i);
		crc = crc >> 4 ^ rest[crc & 15];
		crc = crc >> 4 ^ rest[crc & 15];
	}
	return ~crc;
}

static bool is_png_header(struct span data)
{
	/* The bits that each type of colour may have, as bits. */
	static const uint32_t depths[] = {
		[0] = 1 << 1 | 1 << 2 | 1 << 4 | 1 << 8 | 1 << 16,
		[2] = 1 << 8 | 1 << 16,
		[3] = 1 << 1 | 1 << 2 | 1 << 4 | 1 << 8,
		[4] = 1 << 8 | 1 << 16,
		[6] = 1 << 8 | 1 << 16,
	};
	if (data.n != 13)
		return false;
	uint32_t width = high_first(data, 0, 4);
	uint32_t height = high_first(data, 4, 4);
	unsigned depth = byte_at(data, 8);
	unsigned colour = byte_at(data, 9);
	return width > 0 && width <= INT32_MAX && height > 0 &&
	       height <= INT32_MAX && depth <= 16 &&
	       colour < sizeof(depths) / sizeof(*depths) &&
	       (depths[colour] >> depth & 1) && byte_at(data, 10) == 0 &&
	       byte_at(data, 11) == 0 && byte_at(data, 12) <= 1;
}

struct png_chunk {
	struct span type;
	struct span data;
	bool sound; /* its CRC is right; not asked of a chunk that readers may
		       pass over */
};

/* Take the next chunk; false if it is not all there. */
static bool next_chunk(struct span *b, struct png_chunk *c)
{
	if (b->n < 12 || high_first(*b, 0, 4) > b->n - 12)
		return false;
	size_t n = high_first(*b, 0, 4);
	span_take(b, 4);
	struct span covered = span_take(b, 4 + n);
	uint32_t crc = high_first(span_take(b, 4), 0, 4);
	c->type = (struct span){ covered.p, 4 };
	c->data = (struct span){ covered.p + 4, n };
	c->sound = (byte_at(c->type, 0) & 0x20) || crc == crc_of(covered);
	return true;
}

/* The image: IDATs, after which another chunk begins. */
static bool is_png_image(struct span b, struct png_chunk c)
{
	unsigned start[2];
	size_t have = 0;
	while (span_eq(c.type, SPAN("IDAT"))) {
		for (size_t i = 0; i < c.data.n && have < 2; i++)
			start[have++] = byte_at(c.data, i);
		if (!c.sound || b.n < 8)
			return false;
		if (!span_eq((struct span){ b.p + 4, 4 }, SPAN("IDAT")))
			break;
		if (!next_chunk(&b, &c))
			return false;
	}
	/* As zlib begins: deflate, and no dictionary. */
	return have == 2 && (start[0] & 15) == 8 && start[0] >> 4 <= 7 &&
	       (start[0] << 8 | start[1]) % 31 == 0 && !(start[1] & 0x20);
}

static bool is_png(struct span b)
{
	struct png_chunk c;
	bool has_palette = false;
	span_take(&b, 8);
	if (!next_chunk(&b, &c) || !c.sound || !span_eq(c.type, SPAN("IHDR")) ||
	    !is_png_header(c.data))
		return false;
	bool wants_palette = byte_at(c.data, 9) == 3;
	while (next_chunk(&b, &c)) {
		if (span_eq(c.type, SPAN("IDAT")))
			return (has_palette || !wants_palette) &&
			       is_png_image(b, c);
		bool is_palette = span_eq(c.type, SPAN("PLTE"));
		if (!c.sound || (is_palette && c.data.n % 3 != 0) ||
		    (!is_palette && !(byte_at(c.type, 0) & 0x20)))
			return false;
		has_palette = has_palette || is_palette;
	}
	return false;
}

/* -- JPEG */

enum {
	JPEG_SOF0 = 0xC0,
	JPEG_SOF2 = 0xC2,
	JPEG_HUFFMAN = 0xC4,
	JPEG_JPG = 0xC8,
	JPEG_ARITHMETIC = 0xCC,
	JPEG_LAST_SOF = 0xCF,
	JPEG_RST0 = 0xD0,
	JPEG_EOI = 0xD9,
	JPEG_SCAN = 0xDA,
	JPEG_QUANTIZATION = 0xDB,
};

/* Of a frame of 8 bits and up to 4 components. */
static bool is_frame(struct span data)
{
	if (data.n < 6)
		return false;
	unsigned n = byte_at(data, 5);
	return byte_at(data, 0) == 8 && high_first(data, 1, 2) > 0 &&
	       high_first(data, 3, 2) > 0 && n > 0 && n <= 4 &&
	       data.n == 6 + 3 * n;
}

/* Take the next segment, past what is none; false at the end. */
static bool next_segment(struct span *b, unsigned *marker, struct span *data)
{
	while (b->n >= 2 && (byte_at(*b, 0) != 0xFF || byte_at(*b, 1) == 0xFF ||
			     byte_at(*b, 1) == 0))
		span_take(b, 1);
	if (b->n < 4)
		return false;
	*marker = byte_at(*b, 1);
	size_t n = high_first(*b, 2, 2);
	if (n < 2 || n > b->n - 2 ||
	    (*marker >= JPEG_RST0 && *marker <= JPEG_EOI))
		return false;
	span_take(b, 4);
	*data = span_take(b, n - 2);
	return true;
}

static bool is_jpeg(struct span b)
{
	unsigned marker;
	struct span data;
	bool frame = false;
	bool huffman = false;
	bool quantization = false;
	span_take(&b, 2);
	while (next_segment(&b, &marker, &data)) {
		if (marker == JPEG_SCAN)
			return frame && huffman && quantization && data.n > 0 &&
			       byte_at(data, 0) > 0;
		if (marker == JPEG_HUFFMAN) {
			huffman = true;
		} else if (marker == JPEG_QUANTIZATION) {
			quantization = true;
		} else if (marker >= JPEG_SOF0 && marker <= JPEG_LAST_SOF &&
			   marker != JPEG_JPG && marker != JPEG_ARITHMETIC) {
			if (frame || marker > JPEG_SOF2 || !is_frame(data))
				return false;
			frame = true;
		}
	}
	return false;
}

/* -- GIF */

/* Take a table of colours, if the flags say that there is one. */
static bool take_colours(struct span *b, unsigned flags)
{
	size_t n = flags & 0x80 ? (size_t)3 << ((flags & 7) + 1) : 0;
	if (b->n < n)
		return false;
	span_take(b, n);
	return true;
}

/* Take blocks up to an empty one. */
static bool take_blocks(struct span *b)
{
	while (b->n > 0) {
		size_t n = byte_at(*b, 0);
		if (n >= b->n)
			return false;
		span_take(b, 1 + n);
		if (n == 0)
			return true;
	}
	return false;
}

static bool is_gif(struct span b)
{
	if (b.n < 13 || (!span_starts(b, SPAN("GIF87a")) &&
			 !span_starts(b, SPAN("GIF89a"))))
		return false;
	struct span head = span_take(&b, 13);
	if (!take_colours(&b, byte_at(head, 10)))
		return false;
	while (b.n > 2 && byte_at(b, 0) == '!') {
		span_take(&b, 2);
		if (!take_blocks(&b))
			return false;
	}
	if (b.n < 10 || byte_at(b, 0) != ',')
		return false;
	head = span_take(&b, 10);
	if (low_first(head, 5, 2) == 0 || low_first(head, 7, 2) == 0 ||
	    !take_colours(&b, byte_at(head, 9)) || b.n == 0 ||
	    byte_at(b, 0) > 11)
		return false;
	span_take(&b, 1);
	return take_blocks(&b);
}

/* -- WebP */

/* Take the next chunk. The byte that makes its length even may be missing. */
static bool next_riff(struct span *b, struct span *type, struct span *data)
{
	if (b->n < 8 || low_first(*b, 4, 4) > b->n - 8)
		return false;
	size_t n = low_first(*b, 4, 4);
	*type = (struct span){ b->p, 4 };
	span_take(b, 8);
	*data = span_take(b, n);
	if (n % 2 == 1 && b->n > 0)
		span_take(b, 1);
	return true;
}

static bool is_webp_image(struct span type, struct span data)
{
	if (span_eq(type, SPAN("VP8L")))
		return data.n > 5 && byte_at(data, 0) == 0x2F;
	return span_eq(type, SPAN("VP8 ")) && data.n > 10 &&
	       (byte_at(data, 0) & 1) == 0 &&
	       span_eq((struct span){ data.p + 3, 3 }, SPAN("\x9D\x01\x2A")) &&
	       (low_first(data, 6, 2) & 0x3FFF) > 0 &&
	       (low_first(data, 8, 2) & 0x3FFF) > 0;
}

static bool is_webp(struct span b)
{
	struct span type;
	struct span data;
	if (b.n < 12 || !span_eq((struct span){ b.p + 8, 4 }, SPAN("WEBP")))
		return false;
	span_take(&b, 12);
	if (!next_riff(&b, &type, &data))
		return false;
	if (!span_eq(type, SPAN("VP8X")))
		return is_webp_image(type, data);
	while (next_riff(&b, &type, &data)) {
		if (is_webp_image(type, data) || span_eq(type, SPAN("ANMF")))
			return true;
	}
	return false;
}

/* -- all of them */

/* So many digits have the bytes with which formats begin. */
#define BASE64_START 16

static const struct format {
	struct span start;
	struct span mime;
	bool (*is_whole)(struct span bytes);
} formats[] = {
	{ SPAN("\x89PNG\r\n\x1A\n"), SPAN("image/png"), is_png },
	{ SPAN("\xFF\xD8\xFF"), SPAN("image/jpeg"), is_jpeg },
	{ SPAN("GIF8"), SPAN("image/gif"), is_gif },
	{ SPAN("RIFF"), SPAN("image/webp"), is_webp },
};

static const struct format *find_format(struct span bytes)
{
	for (size_t i = 0; i < sizeof(formats) / sizeof(*formats); i++) {
		if (span_starts(bytes, formats[i].start))
			return &formats[i];
	}
	return NULL;
}

struct span picture_mime(struct span bytes)
{
	const struct format *f = find_format(bytes);
	return f ? f->mime : (struct span){ 0 };
}

struct span picture_base64_mime(struct span text)
{
	struct buf bytes BUF_SCOPED = { 0 };
	if (text.n > BASE64_START)
		text.n = BASE64_START;
	base64_decode(&bytes, text);
	return picture_mime(buf_span(&bytes));
}

struct span picture_named_mime(struct span name)
{
	for (size_t i = 0; i < sizeof(formats) / sizeof(*formats); i++) {
		if (span_eq_any_case(name, formats[i].mime))
			return formats[i].mime;
	}
	return (struct span){ 0 };
}

bool picture_is_whole(struct span bytes)
{
	const struct format *f = find_format(bytes);
	return f && f->is_whole(bytes);
}
