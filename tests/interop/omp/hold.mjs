// Hold the locks of a session by oh-my-pi's own code, from "held" on stdout to
// the end of stdin. 18.2.0 took none yet: this is the storage of 18.2.9.

import fs from "node:fs";
import { FileSessionStorage } from "./node_modules/omp-18.2.9/src/session/session-storage.ts";

class HoldingStorage extends FileSessionStorage {
	/** What it calls with the locks held, to put a new file in the old one's place. */
	renameSync(temporary) {
		fs.unlinkSync(temporary);
		console.log("held");
		fs.readFileSync(0);
	}
}

new HoldingStorage().writeTextSync(process.argv[2], "");
