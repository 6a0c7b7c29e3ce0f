// The folders of the real oh-my-pi against those that sessfs open knows.

import { checkFolders } from "../folders.mjs";

const place = "./node_modules/@oh-my-pi/pi-coding-agent/src/session/session-paths.ts";
const omp = await import(place);
checkFolders((cwd) => omp.computeDefaultSessionDir(cwd, { ensureDirSync() {} }));
