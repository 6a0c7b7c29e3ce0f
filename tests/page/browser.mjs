// Pages of mounted sessions in a browser, and what no page of them may do.

import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";
import { Mount, withScratch } from "../interop/mount.mjs";

let browser;

export async function start() {
	browser = await chromium.launch({ executablePath: process.env.CHROMIUM });
}

export async function stop() {
	await browser.close();
}

/** Mount a session of these lines (objects) and run with the mount. */
export async function withSession(lines, run) {
	await withScratch(async (dir) => {
		const file = path.join(dir, "session.jsonl");
		fs.writeFileSync(file, lines.map((line) => JSON.stringify(line) + "\n").join(""));
		await Mount.with(file, path.join(dir, "mnt"), run);
	});
}

/**
 * Open a file, at HEAD unless `hash` says where, and run with the page; then fail if it has said anything on the
 * console, asked for anything but itself, or broken its own rules.
 */
export async function withPage(file, run, { hash = "#HEAD", width = 1280, height = 800, dark = false } = {}) {
	const context = await browser.newContext({
		viewport: { width, height },
		colorScheme: dark ? "dark" : "light",
	});
	/* A test has a limit, and no step of it: one may be slow on a busy machine. */
	context.setDefaultTimeout(0);
	const wrong = [];
	const url = pathToFileURL(file).href;
	context.on("console", (message) => wrong.push(`console: ${message.text()}`));
	context.on("weberror", (error) => wrong.push(`error: ${error.error()}`));
	context.on("dialog", (dialog) => {
		wrong.push(`dialog: ${dialog.message()}`);
		dialog.dismiss();
	});
	context.on("request", (request) => {
		if (request.url().split("#")[0] !== url && !request.url().startsWith("data:"))
			wrong.push(`request: ${request.url()}`);
	});
	try {
		const page = await context.newPage();
		await page.goto(url + hash);
		await page.waitForFunction(() => performance.getEntriesByName("drawn").length > 0);
		await run(page);
		/* What a text had set off would have come by now, or comes here. */
		await page.evaluate(() => new Promise((done) => setTimeout(done, 50)));
	} finally {
		await context.close();
	}
	assert.deepEqual(wrong, []);
}

/** Mount a session of these lines, and open its page in the mount. */
export async function withSessionPage(lines, run, options) {
	await withSession(lines, (mount) =>
		withPage(mount.path("tree.html"), (page) => run(page, mount), options));
}
