// Damage random sessions, rescue them, and have oh-my-pi open what comes of it.

import { testRescue } from "../rescue.mjs";
import { omp, storeBlobs } from "./agent.mjs";
import { generate } from "./gen.mjs";
import { BLOBS } from "./values.mjs";

storeBlobs(BLOBS);
await testRescue("omp", (seed) => generate(seed, { readOnly: true }), [omp]);
