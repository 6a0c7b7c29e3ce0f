// A test that several agents have, with one of them.
//
//   run.mjs TEST AGENT
//
// The agent's adapter.mjs exports `adapter`:
//
//   dialect            its name for sessfs
//   versions           of the agent: each has a name and opens a file (session.mjs)
//   generate(seed, { readOnly })  a random session: { bytes, linear }, linear if it is of
//                      version 1. One that is only read may have more in it
//   generator(seed)    what makes the fields of its entries (generator.mjs)
//   prepare()          what sessions have beside them, if anything
//   manager(agent, file)  the agent's own object that appends to a file
//   appends            what it appends (append.mjs)
//   flush(manager), close(manager)  if it has to be told
//   gluesLines         does it append to a last line without a newline?
//   body(bytes)        of a file, what changes of a name leave as it is, if not all
//   keptName(text, shown)  a name as it reads it, where that one is shown
//   checkFork(trial, branch, id)  holds an entry's branch.jsonl, opened, against the
//                      session of a trial (write.mjs)
//   titles             (titles.mjs): more prompts, names(random, put), which says what the
//                      session is called, and list(folder), the agent's own list

import { withScratch } from "./mount.mjs";

const [test, agent] = process.argv.slice(2);
const { adapter } = await import(`./${agent}/adapter.mjs`);
const { run } = await import(`./${test}.mjs`);

adapter.prepare?.();
await withScratch((scratch) => run(adapter, scratch));
