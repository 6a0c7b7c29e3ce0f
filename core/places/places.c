#include "core/places/places.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>

#include "core/file/folder_index.h"
#include "core/file/gate.h"
#include "core/places/private.h"

/* All but SOURCE. The caller frees what there is after an error. */
static int begin(struct places *p, const struct session_opening *opening,
		 unsigned keep, const struct places_attachment *attachment)
{
	*p = (struct places){ .opening = *opening };
	if (attachment)
		p->attachment = *attachment;
	struct places_state *state = calloc(1, sizeof(*state));
	int err = state ? rwlock_init(&state->lock) : -ENOMEM;
	if (err) {
		free(state);
		return err;
	}
	state->quiet.lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
	/* Places start at 0: as never used, and in no scan. */
	state->clock = 1;
	state->serials = 1;
	state->keep = keep;
	p->state = state;
	p->opening.names = folder_index_new();
	p->opening.gate = gate_new();
	return p->opening.names && p->opening.gate ? 0 : -ENOMEM;
}

/* Set its paths, too: of the set, or its own. */
static int add_source(struct places *p, const char *path, bool is_folder)
{
	struct places_state *state = p->state;
	const struct source_set *set = &state->set;
	struct place *source = place_new(p, NULL, path, "", is_folder);
	if (!source)
		return -ENOMEM;
	p->source = source;
	place_pin_unused(source);
	state->paths = calloc(set->n + 2, sizeof(*state->paths));
	p->paths = state->paths;
	if (!p->paths)
		return -ENOMEM;
	for (size_t i = 0; i < set->n; i++)
		state->paths[i] = set->list[i].path;
	if (set->n == 0)
		state->paths[0] = source->path;
	return numbers_assign(&state->numbers, source, &source->home);
}

int places_init(struct places *p, const char *path,
		const struct session_opening *opening, unsigned keep,
		const struct places_attachment *attachment, const char **reason)
{
	struct stat st;
	*reason = NULL;
	*p = (struct places){ 0 };
	if (lstat(path, &st) < 0)
		return -errno;
	int err = begin(p, opening, keep, attachment);
	if (err)
		return err;
	p->state->source_stat = st;
	err = add_source(p, path, S_ISDIR(st.st_mode));
	if (!err && !p->source->is_folder)
		err = loaded_read(p->source, reason);
	return err;
}

int places_init_set(struct places *p, struct source_set *set,
		    const struct session_opening *opening, unsigned keep,
		    const struct places_attachment *attachment)
{
	int err = begin(p, opening, keep, attachment);
	if (!p->state) {
		set_free(set);
		return err;
	}
	p->state->set = *set;
	*set = (struct source_set){ 0 };
	clock_gettime(CLOCK_REALTIME, &p->state->set.since);
	if (!err)
		err = add_source(p, "/", true);
	if (!err)
		p->source->set = &p->state->set;
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
	free(state->loaded.items);
	free(state->paths);
	set_free(&state->set);
	quiet_free(&state->quiet);
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
