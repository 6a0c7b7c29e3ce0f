#include "core/places/kept.h"

#include <stdlib.h>

void kept_add_folder(struct buf *out)
{
	const char *data = getenv("XDG_DATA_HOME");
	const char *home = getenv("HOME");
	/* By the XDG specification a relative path counts for nothing. */
	if (data && *data == '/')
		buf_addf(out, "%s/sessfs/kept", data);
	else if (home && *home == '/')
		buf_addf(out, "%s/.local/share/sessfs/kept", home);
}
