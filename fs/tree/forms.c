#include "fs/tree/views.h"

#include "core/as/form.h"

static struct node file_node(const struct node *dir, unsigned form)
{
	return (struct node){ dir->kind == KIND_AS ? KIND_AS_FILE
						   : KIND_ENTRY_AS_FILE,
			      dir->entry, form, dir->place };
}

static const struct dialect_registry *registry(const struct node *n)
{
	return session_dialects(n->place->session);
}

static int find(const struct node *dir, struct span name, struct node *n)
{
	unsigned form;
	int err = as_form_find(registry(dir), name, &form);
	if (!err)
		*n = file_node(dir, form);
	return err;
}

static int next(const struct node *dir, uint32_t *at, struct buf *name,
		struct node *n)
{
	if (*at >= as_form_count(registry(dir)))
		return 0;
	*n = file_node(dir, *at);
	as_form_add_name(registry(dir), (*at)++, name);
	return 1;
}

static struct node around(const struct node *dir)
{
	enum node_kind kind = dir->kind == KIND_AS	 ? KIND_ROOT
			      : dir->nth == NODE_AS_TREE ? KIND_TREE_ENTRY
							 : KIND_ID_ENTRY;
	return (struct node){ kind, dir->entry, 0, dir->place };
}

const struct view forms_view = { find, next, NULL, around };

int forms_render(const struct session *s, const struct node *n, struct buf *out)
{
	uint32_t at = node_has_entry(n) ? n->entry : session_at_leaf(s);
	return as_form_add(s, n->nth, at, 1, out);
}
