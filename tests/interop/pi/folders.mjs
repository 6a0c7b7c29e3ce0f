// The folders of the real Pi, in two versions, against those that sessfs-open knows.

import { checkFolders } from "../folders.mjs";

for (const place of ["@earendil-works/pi-coding-agent", "pi-1.5.2"]) {
	const pi = await import(`./node_modules/${place}/dist/core/session-manager.js`);
	checkFolders((cwd) => pi.getDefaultSessionDir(cwd));
}
