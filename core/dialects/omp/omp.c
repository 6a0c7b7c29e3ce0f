/*
 * oh-my-pi's sessions (18.3.4): Pi's, with these differences. In the order in
 * which they act; sessfs-formats(5) has them.
 *
 *   1. The first line may be a title slot, which has the session's name. A
 *      second header is an entry. Pi's rules for the rest: ingest.c.
 *   2. HEAD is the last entry, as in Pi.
 *   3. A context begins after the last reset_boundary, or with the last
 *      compaction and what it keeps (compaction.c), and the latest notes
 *      precede it. Its passes are in their order in context.c.
 *   4. Calls without a result and failed turns are not sent: failed_turns.c.
 *   5. What is changed in an assistant's message that is sent again:
 *      assistant.c. Blobs take the place of their references: blobs.c.
 *   6. Each message is converted by its role, and entries that are none become
 *      one first: message.c. Texts are put into prompts: prompt.c. Old messages
 *      that were made into pictures: archive.c, and data URLs in their text:
 *      data_url.c. Output that was cut: notice.c.
 *
 * What people see of an entry, and the settings at one: show.c. HEAD, labels,
 * names and entries are written as Pi's lines, and an entry's branch is a file
 * that the agent resumes: write.c. Nothing is written while an agent has
 * the session open (agent.c), and only under its locks (lock.c). Where its
 * folders are: home.c. How damaged files are rescued is below.
 */
#include "core/dialects/omp/omp.h"

#include "core/dialects/kit/copy.h"
#include "core/dialects/pi/pi.h"

static const struct dialect_sending sending = {
	.context = omp_context,
	.branch = omp_branch,
};

static const struct dialect_resuming resuming = {
	.program = "omp",
	.opens = "--resume",
	.forks = "--fork",
	.find_copy = copy_find_by_time,
};

static bool is_line(struct json object)
{
	return pi_is_line(object) || omp_is_slot(object);
}

static const struct dialect_rescue rescue = {
	.opens = "omp --resume ",
	.id = "id",
	.parent = "parentId",
	.time = "timestamp",
	.leaf_is_last = true,
	.is_line = is_line,
	.is_header = pi_is_header,
	.is_start = omp_is_slot,
	.make_header = pi_make_header,
};

static const struct dialect_touching touching = {
	.spelling = PATH_AT_FULL | PATH_COLON | PATH_LINES,
};

const struct dialect dialect_omp = {
	.name = "omp",
	.claims = omp_claims,
	.confirms = omp_confirms,
	.relative_of = &dialect_pi,
	.marks = omp_marks,
	.reading = &omp_reading,
	.showing = &omp_showing,
	.sending = &sending,
	.telling = &omp_telling,
	.writing = &omp_writing,
	.agent = &omp_agent,
	.home = &omp_home,
	.bases = &pi_bases,
	.adding = &omp_adding,
	.rescue = &rescue,
	.touching = &touching,
	.filing = &omp_filing,
	.resuming = &resuming,
	.receiving = &omp_receiving,
};
