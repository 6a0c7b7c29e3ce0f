// Hold the locks of a session by oh-my-pi's own code, from "held" on stdout to
// the end of stdin.

import fs from "node:fs";
import { FileSessionStorage } from "./agent.mjs";

class HoldingStorage extends FileSessionStorage {
	/** What it calls with the locks held, to put a new file in the old one's place. */
	renameSync(temporary) {
		fs.unlinkSync(temporary);
		console.log("held");
		fs.readFileSync(0);
	}
}

new HoldingStorage().writeTextSync(process.argv[2], "");
