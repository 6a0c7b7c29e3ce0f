/*
 * Data URLs in archived text, which oh-my-pi does not send (snapcompact.ts,
 * elideDataUrls for archives; 18.3.4). Each is replaced by "[data URL omitted:
 * image/png, 1234 base64 chars]", together with the Markdown around it if that
 * is complete: ![label](data:…).
 */
#ifndef SESSFS_OMP_DATA_URL_H
#define SESSFS_OMP_DATA_URL_H

#include "core/base/buf.h"

/* Append a text, WTF-8, without data URLs. Takes linear time. */
void omp_add_without_data_urls(struct buf *out, struct span text);

#endif
