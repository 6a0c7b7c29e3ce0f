/*
 * Data URLs in archived text: a model can't read base64, and what was cut in
 * the middle of one can't be sent (snapcompact.ts, elideDataUrls for archives;
 * 18.2.0). Each becomes "[data URL omitted: image/png, 1234 base64 chars]", and
 * takes Markdown around it along if that is whole: ![label](data:…).
 *
 * Texts are WTF-8. The cost is linear.
 */
#ifndef SESSFS_OMP_DATA_URL_H
#define SESSFS_OMP_DATA_URL_H

#include "core/base/buf.h"

void omp_add_without_data_urls(struct buf *out, struct span text);

#endif
