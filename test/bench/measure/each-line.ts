/** Calls the function with each line of stdin. The code is minimal, so that it costs little CPU time. */
export function eachLine(act: (line: string) => void): void {
	let rest = "";
	process.stdin.setEncoding("utf8").on("data", (chunk: string) => {
		const lines = (rest + chunk).split("\n");
		rest = lines.pop() ?? "";
		for (const line of lines) act(line);
	});
}
