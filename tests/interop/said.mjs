// What agents print on their way, a message a line.

/**
 * Give each line of a stream to use(). node's readline takes U+2028 for an end of line
 * as well, which stands in texts as it is.
 */
export function eachLine(stream, use) {
	let rest = "";
	stream.setEncoding("utf8").on("data", (data) => {
		const lines = (rest + data).split("\n");
		rest = lines.pop();
		for (const line of lines)
			use(line);
	});
}
