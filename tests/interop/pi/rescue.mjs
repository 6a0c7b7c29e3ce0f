// Damage random sessions, rescue them, and have Pi open what comes of it.

import { testRescue } from "../rescue.mjs";
import { versions } from "./agent.mjs";
import { generate } from "./gen.mjs";

await testRescue("pi", generate, versions);
