// Pictures and sounds of random threads, sound and broken, with labels of their own and
// those of others. GIFs are none of them: the agent makes PNGs of these.

import { PNG } from "./words.mjs";

const JPEG = "/9j/2wBDAAEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQH/wAALCAABAAEBAREA/8QAFAABAAAAAAAAAAAAAAAAAAAAAP/EABQQAQAAAAAAAAAAAAAAAAAAAAD/2gAIAQEAAD8AP//Z";
const WEBP = "UklGRhoAAABXRUJQVlA4TA0AAAAvAAAAEAcQERGIiP4HAA==";
const WHOLE = [PNG.split(",")[1], JPEG, WEBP];
const PICTURE_TYPES = ["image/png", "image/jpeg", "image/webp", "image/gif", "IMAGE/PNG", "text/plain", ""];
const SOUND_TYPES = [
	"wav", "x-wav", "wave", "vnd.wave", "mpeg", "mp3", "ogg", "webm", "mp4", "m4a", "x-m4a", "WAV", "x-mp3", "aac", "flac", "opus", "",
];
const OTHER_URLS = [
	"https://e/x.png", "HTTP://e/x.png", "https:x", "file:///tmp/a.png", "FILE:a", "ftp://e/x", "a.png", "", "data:x", "data:image/png", " data:image/png;base64,AAAA", "blob:http://x",
];

function dataURL(r, type, data) {
	const scheme = r.pick(["data:", "data:", "data:", "DATA:"]);
	const base64 = r.pick([";base64", ";base64", ";base64", ";BASE64", ";x=1;base64", ";base64;x=1", ""]);
	return `${scheme}${type}${base64}${r.chance(0.95) ? "," : ""}${data}`;
}

/** In base64: all of a picture, so much of its start that it is none, or something else. */
function pictureData(r) {
	const whole = r.pick(WHOLE);
	return r.pick([
		() => whole, () => whole, () => whole, () => whole,
		() => whole.slice(0, 4 * r.int(8)), () => `${whole}=`, () => whole.replace("A", " A"), () => whole.replace(/=+$|....$/, ""),
		() => "%%%", () => "Qk06AAAA", () => "/9j/4AAQ",
	])();
}

/** A part of a content, with a picture. */
export function picture(r) {
	const detail = r.pick([{}, {}, { detail: r.pick(["high", "auto", "low", "original", null]) }]);
	const file = { file_id: r.pick(["file-1", ""]) };
	return r.chance(0.1)
		? { type: "input_image", ...file, ...r.pick([{}, { image_url: null }]), ...detail }
		: { type: "input_image", image_url: r.chance(0.7) ? dataURL(r, r.pick(PICTURE_TYPES), pictureData(r)) : r.pick(OTHER_URLS), ...r.pick([{}, {}, {}, file]), ...detail };
}

/** The same with a sound. */
export function sound(r) {
	const file = { file_id: r.pick(["file-1", ""]) };
	if (r.chance(0.2))
		return { type: "input_audio", ...file, ...r.pick([{}, { audio_url: null }]) };
	const type = r.pick([`audio/${r.pick(SOUND_TYPES)}`, `audio/${r.pick(SOUND_TYPES)}`, "video/mp4", "audio/wav ", ""]);
	const data = r.pick(["QUJD", "QUJD", "QUI=", "QUI", "QUJ=", "QQ==", "", "%%", "QUJD\n"]);
	return { type: "input_audio", audio_url: r.chance(0.8) ? dataURL(r, type, data) : r.pick(["u", ...OTHER_URLS]), ...r.pick([{}, {}, {}, file]) };
}
