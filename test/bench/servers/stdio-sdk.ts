import { Anthropic } from "@anthropic-ai/sdk";
import type { MessageCreateParamsNonStreaming, MessageParam } from "@anthropic-ai/sdk/resources/messages";
import { eachLine } from "../measure/each-line.ts";

/**
 * The floor: sends the message of each line `{message}` to the SDK, and prints a line for each delta of the reply.
 * The program sends the instructions and tools of the agent's last request, so that its requests cost the same as the
 * agent's. The line `{"type":"clear"}` starts a new conversation.
 */
const [, , url = ""] = process.argv;
const client = new Anthropic({ apiKey: "sk-bench", baseURL: url, maxRetries: 0 });
const request: MessageCreateParamsNonStreaming = JSON.parse(await (await fetch(url)).text());
let messages: MessageParam[] = [];

const writeLine = (line: object): boolean => process.stdout.write(`${JSON.stringify(line)}\n`);

async function answer(content: string): Promise<void> {
	messages.push({ role: "user", content: [{ type: "text", text: content }] });
	let text = "";
	for await (const event of await client.messages.create({ ...request, messages, stream: true })) {
		if (event.type !== "content_block_delta" || event.delta.type !== "text_delta") continue;
		text += event.delta.text;
		writeLine({ type: "text_delta", delta: event.delta.text });
	}
	messages.push({ role: "assistant", content: [{ type: "text", text }] });
	writeLine({ type: "done" });
}

eachLine((line) => {
	const { type, message } = JSON.parse(line);
	if (type !== "clear") return void answer(message);
	messages = [];
	writeLine({ type: "clear" });
});
