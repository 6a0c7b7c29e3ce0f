#include "core/places/places.h"

#include <errno.h>
#include <stdlib.h>

#include "core/file/gate.h"
#include "core/file/folder_index.h"
#include "core/places/private.h"

int places_init(struct places *p, const char *path,
		const struct session_opening *opening, unsigned keep,
		const struct places_attachment *attachment, const char **reason)
{
	struct stat st;
	*reason = NULL;
	*p = (struct places){ .opening = *opening };
	if (attachment)
		p->attachment = *attachment;
	if (lstat(path, &st) < 0)
		return -errno;
	struct places_state *state = calloc(1, sizeof(*state));
	int err = state ? rwlock_init(&state->lock) : -ENOMEM;
	if (err) {
		free(state);
		return err;
	}
	/* Places start at 0: as never used, and in no scan. */
	state->clock = 1;
	state->serials = 1;
	state->keep = keep;
	state->source_stat = st;
	p->state = state;
	p->opening.names = folder_index_new();
	p->opening.gate = gate_new();
	if (!p->opening.names || !p->opening.gate)
		return -ENOMEM;
	struct place *source =
		place_new(p, NULL, path, "", S_ISDIR(st.st_mode));
	if (!source)
		return -ENOMEM;
	p->source = source;
	place_pin_unused(source);
	err = numbers_assign(&state->numbers, source, &source->home);
	if (!err && !source->is_folder)
		err = loaded_read(source, reason);
	return err;
}

void places_free(struct places *p)
{
	struct places_state *state = p->state;
	if (!state)
		return;
	pthread_rwlock_wrlock(&state->lock);
	if (p->source)
		children_clear(p->source);
	places_unlock(p);
	if (p->source)
		place_free(p->source);
	folder_index_free(p->opening.names);
	gate_free(p->opening.gate);
	numbers_free(&state->numbers);
	free(state->forks.list.items);
	free(state->loaded.items);
	pthread_rwlock_destroy(&state->lock);
	free(state);
	*p = (struct places){ 0 };
}

void places_unlock(struct places *p)
{
	struct place *at = p->state->removed;
	p->state->removed = NULL;
	pthread_rwlock_unlock(&p->state->lock);
	while (at) {
		struct place *next = at->state->next_removed;
		place_free(at);
		at = next;
	}
}
