// The floor for the time to the first word. Reads a request body of the Messages API from stdin and sends it to the URL
// in the argument. Prints a line for each delta of the reply. It has no dependencies and is plain JavaScript, so that
// only Node itself must load.

import { createInterface } from "node:readline";

const [, , url = ""] = process.argv;

for await (const body of createInterface({ input: process.stdin })) {
	const headers = { "content-type": "application/json", "x-api-key": "sk-bench" };
	const response = await fetch(`${url}/v1/messages`, { method: "POST", headers, body });
	const decoder = new TextDecoder();
	let text = "";
	for await (const chunk of response.body ?? []) {
		text += decoder.decode(chunk, { stream: true });
		const events = text.split("\n\n");
		text = events.pop() ?? "";
		for (const event of events) {
			const data = JSON.parse(event.slice(event.indexOf("data: ") + 6));
			if (data.type === "content_block_delta") process.stdout.write(`${JSON.stringify(data.delta)}\n`);
		}
	}
}
