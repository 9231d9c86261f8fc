import type { Call, Conversation, Driver, Outcome, Question } from "../driver.ts";
import { only, ZotClient } from "./zot-client.ts";
import type { ZotFrame } from "./zot-frame.ts";

/**
 * The zot wire with approvals, for scenarios that run on all wires. A cancelled run has no `error` event, so the driver
 * reports the stop reason `aborted` as the error `cancelled`.
 */
export const zotDriver: Driver = {
	wire: "zot",
	command: (command) => ({ name: "bash", arguments: { command } }),
	async converse() {
		return new ZotConversation(await ZotClient.start({ flags: ["--rpc-approvals"] }));
	},
};

class ZotConversation implements Conversation {
	readonly #client: ZotClient;
	#commands = 0;
	/** Number of lines up to the end of the last returned outcome. */
	#read = 0;

	constructor(client: ZotClient) {
		this.#client = client;
	}

	async say(...texts: readonly string[]): Promise<void> {
		this.#client.send(...texts.map((message) => this.#command("prompt", { message })));
	}

	async question(): Promise<Question> {
		const { id, tool, args } = await this.#client.until("ask");
		return { token: id, tool, arguments: args };
	}

	async approve({ token }: Question): Promise<void> {
		await this.#client.data(this.#command("approve", { ask: token, allow: true }));
	}

	async deny({ token }: Question): Promise<void> {
		await this.#client.data(this.#command("approve", { ask: token, allow: false }));
	}

	async cancel(): Promise<void> {
		await this.#client.data(this.#command("abort"));
	}

	async streaming(): Promise<void> {
		await this.#client.until("text_delta");
	}

	async outcome(): Promise<Outcome> {
		await this.#client.until("done");
		const { frames } = this.#client;
		const done = frames.findIndex(({ type }, at) => at >= this.#read && type === "done");
		const received = frames.slice(this.#read, done + 1);
		this.#read = done + 1;
		return {
			streamed: streamedIn(received),
			calls: only(received, "tool_call").map((call) => callIn(call, received)),
			content: contentIn(received),
			error: errorIn(received),
		};
	}

	async leave(): Promise<Pick<Outcome, "content" | "error">> {
		const { code, signal } = await this.#client.end();
		if (code !== 0) throw new Error(`the process has ended with ${code ?? signal}`);
		const { content, error } = await this.outcome();
		return { content, error };
	}

	async compact(): Promise<string> {
		this.#client.send(this.#command("compact"));
		const { summary } = await this.#client.until("compact_done");
		await this.outcome();
		return summary;
	}

	async [Symbol.asyncDispose](): Promise<void> {
		await this.#client[Symbol.asyncDispose]();
	}

	#command(type: string, fields: object = {}) {
		this.#commands += 1;
		return { id: `c${this.#commands}`, type, ...fields };
	}
}

function streamedIn(frames: readonly ZotFrame[]): string[] {
	const replies: string[] = [];
	for (const frame of frames) {
		if (frame.type === "assistant_start") replies.push("");
		if (frame.type === "text_delta") replies.push(`${replies.pop() ?? ""}${frame.delta}`);
	}
	return replies.filter((reply) => reply !== "");
}

function callIn(
	{ id, name, args }: { id: string; name: string; args: unknown },
	all: readonly ZotFrame[],
): Call {
	const end = only(all, "tool_result").find((result) => result.id === id);
	return { name, arguments: args, text: textOf(end?.content ?? []), failed: end?.is_error === true };
}

function contentIn(frames: readonly ZotFrame[]): string {
	return textOf(only(frames, "assistant_message").at(-1)?.content ?? []);
}

function textOf(content: readonly { readonly type: string; readonly text?: unknown }[]): string {
	return content.map(({ type, text }) => (type === "text" ? String(text) : "")).join("");
}

function errorIn(frames: readonly ZotFrame[]): string {
	const aborted = only(frames, "turn_end").some(({ stop }) => stop === "aborted");
	return only(frames, "error").at(-1)?.message ?? (aborted ? "cancelled" : "");
}
