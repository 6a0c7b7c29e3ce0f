/**
 * Commands for a sessfs mount of a session that oh-my-pi has open.
 *
 *   omp -e PREFIX/share/sessfs/omp                               for this time, or
 *   ln -s PREFIX/share/sessfs/omp ~/.omp/agent/extensions/sessfs   for good
 *
 *   /head ID     go to the entry with this id, start of an id, or label
 *   /head up     go to the entry before this one
 *   /mount       mount the session, and say where
 *
 * They are Pi's, and so is the line that marks the head when it is moved, which HEAD in
 * the mount follows. Nothing is followed the other way: sessfs does not write to a
 * session that a running oh-my-pi has open, and commands in messages that an extension
 * sends are not run here but sent to the model.
 */

import forPi from "../pi/sessfs-follow.ts";

const COMMANDS = ["head", "mount"];
const EVENTS = ["session_tree"];

/** What Pi's extension uses of an extension API of either. */
type Api = Record<"registerCommand" | "on" | "appendEntry" | "exec", (...args: unknown[]) => unknown>;

export default function (omp: Api) {
	const api: Api = {
		registerCommand: (name, ...rest) => COMMANDS.includes(name as string) && omp.registerCommand(name, ...rest),
		on: (event, ...rest) => EVENTS.includes(event as string) && omp.on(event, ...rest),
		appendEntry: (...args) => omp.appendEntry(...args),
		exec: (...args) => omp.exec(...args),
	};
	forPi(api as never);
}
