// What random threads are made of.

export const PNG = "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg==";
export const WORDS = ["alpha", "béta", "x".repeat(50), "<foo>", "line\nbreak", "\"q\"", "\\", "😀", ""];
