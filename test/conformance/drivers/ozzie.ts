import type { Conversation, Driver, Outcome, Question } from "../driver.ts";
import { TestGateway } from "../gateway.ts";
import { type EventFrame, OzzieClient } from "./ozzie-client.ts";

export const ozzieDriver: Driver = {
	wire: "ozzie",
	command: (line) => ({ name: "run_command", arguments: { cmd: line } }),
	async converse() {
		await using undo = new AsyncDisposableStack();
		const gateway = undo.use(await TestGateway.start());
		const client = undo.use(await OzzieClient.connect(gateway.url));
		const session = await client.open();
		return new OzzieConversation({ gateway, client, session, end: undo.move() });
	},
};

interface Begun {
	readonly gateway: TestGateway;
	readonly client: OzzieClient;
	readonly session: string;
	readonly end: AsyncDisposableStack;
}

class OzzieConversation implements Conversation {
	readonly #client: OzzieClient;
	readonly #begun: Begun;
	#events: EventFrame[] = [];

	constructor(opened: Begun) {
		this.#client = opened.client;
		this.#begun = opened;
	}

	async say(...texts: readonly string[]): Promise<void> {
		await Promise.all(texts.map((content) => this.#client.call("send_message", { content })));
	}

	async question(): Promise<Question> {
		const { payload } = await this.#until("prompt.request");
		const { tool, arguments: args } = Object(payload["context"]);
		return { token: String(payload["token"]), tool, arguments: args };
	}

	async approve({ token }: Question): Promise<void> {
		await this.#client.call("prompt_response", { token, value: true });
	}

	async deny({ token }: Question): Promise<void> {
		await this.#client.call("prompt_response", { token, value: false });
	}

	async cancel(): Promise<void> {
		await this.#client.call("cancel_turn");
	}

	async streaming(): Promise<void> {
		await this.#until("assistant.stream", "delta");
	}

	async outcome(): Promise<Outcome> {
		const { payload } = await this.#until("assistant.message");
		const events = this.#events;
		this.#events = [];
		return {
			streamed: streamedIn(events),
			calls: events.flatMap((event) => callIn(event, events)),
			content: String(payload["content"]),
			error: String(payload["error"]),
		};
	}

	async leave(): Promise<Pick<Outcome, "content" | "error">> {
		await this.#client.leave();
		await using back = await OzzieClient.connect(this.#begun.gateway.url);
		await back.open({ session_id: this.#begun.session, after_seq: 0 });
		const { payload } = await back.event("assistant.message");
		return { content: String(payload["content"]), error: String(payload["error"]) };
	}

	/** Rejects, because no request of the wire starts a compaction. */
	compact(): Promise<string> {
		return Promise.reject(new Error("no message of this wire asks for a summary"));
	}

	async [Symbol.asyncDispose](): Promise<void> {
		await this.#begun.end.disposeAsync();
	}

	async #until(name: string, phase?: string): Promise<EventFrame> {
		for (;;) {
			const event = await this.#client.event();
			this.#events.push(event);
			if (event.event === name && (phase === undefined || event.payload["phase"] === phase)) return event;
		}
	}
}

function streamedIn(events: readonly EventFrame[]): string[] {
	const replies: string[] = [];
	for (const { event, payload } of events) {
		if (event !== "assistant.stream") continue;
		if (payload["phase"] === "start") replies.push("");
		replies.push(`${replies.pop() ?? ""}${payload["content"]}`);
	}
	return replies;
}

function callIn({ event, payload }: EventFrame, events: readonly EventFrame[]): Outcome["calls"] {
	if (event !== "tool.call" || payload["status"] !== "started") return [];
	const end = events.find(
		(other) =>
			other.event === "tool.call" &&
			other.payload["call_id"] === payload["call_id"] &&
			other.payload["status"] !== "started",
	);
	const failed = end?.payload["status"] === "failed";
	const text = String(end?.payload[failed ? "error" : "result"]);
	return [{ name: String(payload["name"]), arguments: payload["arguments"], text, failed }];
}
