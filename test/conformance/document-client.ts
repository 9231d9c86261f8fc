import { once } from "node:events";
import { parseJson } from "@parley/base";
import WebSocket from "ws";
import * as z from "zod";

const Frame = z.object({
	type: z.string(),
	event: z.string().optional(),
	payload: z.looseObject({}).optional(),
});

interface Payload {
	readonly [key: string]: unknown;
	readonly phase?: unknown;
	readonly content?: unknown;
	readonly type?: unknown;
	readonly label?: unknown;
	readonly token?: unknown;
	readonly status?: unknown;
	readonly name?: unknown;
	readonly result?: unknown;
	readonly error?: unknown;
}

export interface Seen {
	/** Streamed text, with a newline after each stream. */
	readonly display: string;
	readonly shown: readonly string[];
	readonly prompts: readonly string[];
}

/**
 * Runs one conversation by the pseudocode of the protocol document. Unlike the pseudocode, returns after the final
 * message.
 */
export async function converse(
	url: string,
	{ cwd, content, answer }: { readonly cwd: string; readonly content: string; readonly answer: unknown },
): Promise<Seen> {
	const ws = new WebSocket(url);
	const frames = received(ws);
	await once(ws, "open");
	let reqId = 0;
	const send = (method: string, params: object): void => {
		reqId += 1;
		ws.send(JSON.stringify({ type: "req", id: `req-${reqId}`, method, params }));
	};

	send("open_session", { root_dir: cwd });
	const { value: res } = await frames.next();
	if (typeof res?.payload?.["session_id"] !== "string") throw new Error("the first frame names no session");

	send("send_message", { content });

	let display = "";
	const shown: string[] = [];
	const prompts: string[] = [];
	const handlers: Readonly<Record<string, (p: Payload) => void>> = {
		"assistant.stream"({ phase, content }) {
			if (phase === "delta") display += content;
			else if (phase === "end") display += "\n";
		},
		"prompt.request"({ type, label, token }) {
			prompts.push(`${type}: ${label}`);
			send("prompt_response", { token, value: answer });
		},
		"tool.call"({ status, name, result, error }) {
			if (status === "started") shown.push(`Running ${name}...`);
			else if (status === "completed") shown.push(`result: ${result}`);
			else if (status === "failed") shown.push(`error: ${error}`);
		},
	};
	for await (const { type, event = "", payload = {} } of frames) {
		if (type !== "event") continue;
		if (event === "assistant.message") break;
		handlers[event]?.(payload);
	}
	ws.close();
	await once(ws, "close");
	return { display, shown, prompts };
}

async function* received(ws: WebSocket): AsyncGenerator<z.infer<typeof Frame>, undefined> {
	const waiting: string[] = [];
	let more = Promise.withResolvers<void>();
	ws.on("message", (data) => {
		waiting.push(data.toString());
		more.resolve();
	});
	for (;;) {
		for (let text = waiting.shift(); text !== undefined; text = waiting.shift())
			yield Frame.parse(parseJson(text));
		more = Promise.withResolvers();
		await more.promise;
	}
}
