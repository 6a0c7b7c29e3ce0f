// The folders of the real Pi, against those that sessfs open knows.

import { checkFolders } from "../folders.mjs";
import { getDefaultSessionDir } from "./node_modules/@earendil-works/pi-coding-agent/dist/core/session-manager.js";

checkFolders(getDefaultSessionDir);
