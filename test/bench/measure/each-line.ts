/** Calls `act` for each complete line of stdin. Uses less CPU time than `node:readline`. */
export function eachLine(act: (line: string) => void): void {
	let rest = "";
	process.stdin.setEncoding("utf8").on("data", (chunk: string) => {
		const lines = (rest + chunk).split("\n");
		rest = lines.pop() ?? "";
		for (const line of lines) act(line);
	});
}
