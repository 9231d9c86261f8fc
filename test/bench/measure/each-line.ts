/** Calls `act` for each complete line of stdin. Simpler than `node:readline`, so that it uses little CPU time. */
export function eachLine(act: (line: string) => void): void {
	let rest = "";
	process.stdin.setEncoding("utf8").on("data", (chunk: string) => {
		const lines = (rest + chunk).split("\n");
		rest = lines.pop() ?? "";
		for (const line of lines) act(line);
	});
}
