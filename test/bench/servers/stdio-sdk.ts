import { Anthropic } from "@anthropic-ai/sdk";
import { eachLine } from "../measure/each-line.ts";

/** The floor: each line `{message}` is asked of the SDK, and each delta of the reply is a line. */
const [, , url = ""] = process.argv;
const client = new Anthropic({ apiKey: "sk-bench", baseURL: url, maxRetries: 0 });
const tools = [{ name: "nothing", input_schema: { type: "object" as const } }];

async function answer(content: string): Promise<void> {
	const messages = [{ role: "user" as const, content }];
	for await (const event of await client.messages.create({
		...{ model: "bench", max_tokens: 1000, messages, tools, stream: true },
	})) {
		if (event.type !== "content_block_delta" || event.delta.type !== "text_delta") continue;
		process.stdout.write(`${JSON.stringify({ type: "text_delta", delta: event.delta.text })}\n`);
	}
	process.stdout.write('{"type":"done"}\n');
}

eachLine((line) => {
	void answer(JSON.parse(line).message);
});
