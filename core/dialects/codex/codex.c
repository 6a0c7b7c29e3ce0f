/*
 * Codex CLI's rollouts (sessfs-formats(5)). The agent's rules, in the order in
 * which they act:
 *
 *   home              Where a rollout is. One goes on from a part of another
 *                     (history_base), whose lines are read first.
 *   line              Which lines there are, and which of them 0.171.0 decodes.
 *   ingest            Entries and their ids. Each hangs on the one before it.
 *   rollback          In legacy threads, what a rollback takes back.
 *   fragment          Which messages are the harness's own notes.
 *   show              Roles, contents and `meta` of entries.
 *   context           What is sent from the newest compaction with a list on.
 *   local_compaction  What one without a list leaves: 20,000 tokens.
 *   calls             Calls without outputs, and outputs without calls.
 *   item              Which items decode, and how they are posted.
 *   medium            What is posted of pictures and sounds.
 *   filing            Which files a call has read or changed.
 *   branch            An entry's thread as a rollout of its own, and what all
 *                     threads that are made here begin with.
 *   agent             What the agent opens, and what one that runs has open.
 *   resume            Which rollout of a thread is resumed, and where a branch
 *                     goes.
 *   receive           What another agent's conversation is as a rollout.
 *
 * A rollout is never written to: HEAD, which else is the last entry, and labels
 * are in a file of sessfs's own (kit/own_file.h).
 */
#include "core/dialects/codex/codex.h"

#include <errno.h>

static int move_head(const struct session *s, uint32_t target, struct change *c)
{
	const struct codex *own = s->now.state;
	return own ? own_file_move_head(s, own->tip, target, c) : -EIO;
}

static const struct dialect_sending sending = {
	.context = codex_context,
	.branch = codex_branch,
};

static const struct dialect_writing writing = {
	.needs_folder = true,
	.never_appended =
		"an agent that has the thread open would not see the line, and "
		"would use its ordinal again: write with codex resume, or fork "
		"the entry's branch.jsonl",
	.move_head = move_head,
	.set_label = own_file_set_label,
};

const struct dialect dialect_codex = {
	.name = "codex",
	.claims = codex_claims,
	.reading = &codex_reading,
	.showing = &codex_showing,
	.sending = &sending,
	.telling = &codex_telling,
	.writing = &writing,
	.agent = &codex_agent,
	.home = &codex_home,
	.bases = &codex_bases,
	.touching = &codex_touching,
	.filing = &codex_filing,
	.resuming = &codex_resuming,
	.receiving = &codex_receiving,
	.adding = &codex_adding,
};
