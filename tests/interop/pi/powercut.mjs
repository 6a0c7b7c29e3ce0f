// Cut the power while sessfs writes to Pi's sessions, and have Pi go on with what is left.
// SAMPLE=n or all, and SEED=s, choose the states.

import { testPowerCuts } from "../powercut.mjs";
import { versions } from "./agent.mjs";

function append(pi, file, text) {
	pi.SessionManager.open(file).appendMessage({ role: "user", content: text, timestamp: 5 });
}

await testPowerCuts(["[!r]*/pi", "*/pi-v[12]"], versions, append, { sample: "2" });
