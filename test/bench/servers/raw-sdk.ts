import { Anthropic } from "@anthropic-ai/sdk";
import type { MessageParam } from "@anthropic-ai/sdk/resources/messages";
import { answerParent } from "../measure/answer-parent.ts";

/**
 * The floor: a program that only uses the SDK. The parent sends orders, `{order, streams}`. The program runs `streams`
 * conversations concurrently and answers with the milliseconds to the first word in the first conversation.
 */
const [, , url = ""] = process.argv;
const client = new Anthropic({ apiKey: "sk-bench", baseURL: url, maxRetries: 0 });
const tools = [{ name: "nothing", input_schema: { type: "object" as const } }];

interface Reply {
	readonly text: string;
	/** The input of a tool call as received, or "". */
	readonly input: string;
	/** Time of the first text delta, a value of `performance.now()`. 0 without a text delta. */
	readonly firstAt: number;
}

async function readReply(messages: MessageParam[]): Promise<Reply> {
	const request = { model: "bench", max_tokens: 1000, messages, tools } as const;
	let text = "";
	let input = "";
	let firstAt = 0;
	for await (const event of await client.messages.create({ ...request, stream: true })) {
		if (event.type !== "content_block_delta") continue;
		if (event.delta.type === "text_delta") {
			if (firstAt === 0) firstAt = performance.now();
			text += event.delta.text;
		} else if (event.delta.type === "input_json_delta") input += event.delta.partial_json;
	}
	return { text, input, firstAt };
}

/** Returns the milliseconds from the order to the first word of the last reply. */
async function converse(order: string): Promise<number> {
	const began = performance.now();
	const messages: MessageParam[] = [{ role: "user", content: order }];
	for (;;) {
		const { text, input, firstAt } = await readReply(messages);
		if (input === "") return firstAt - began;
		const call = { type: "tool_use" as const, id: "toolu_1", name: "nothing", input: JSON.parse(input) };
		messages.push({ role: "assistant", content: text === "" ? [call] : [{ type: "text", text }, call] });
		messages.push({ role: "user", content: [{ type: "tool_result", tool_use_id: call.id, content: "no" }] });
	}
}

process.on("message", (message) => {
	const { order, streams } = Object(message);
	if (typeof order !== "string") return;
	const all = Array.from({ length: Number(streams) }, () => converse(order));
	void Promise.all(all).then(([first]) => process.send?.(first));
});
answerParent(0, async () => {});
