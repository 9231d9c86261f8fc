import type { Conversation, Driver, Outcome, Question } from "../driver.ts";
import { type EventFrame, OzzieClient } from "./ozzie-client.ts";

/** The Ozzie wire for the scenarios of all wires. */
export const ozzieDriver: Driver = {
	wire: "ozzie",
	async converse(url) {
		const client = await OzzieClient.connect(url);
		await client.call("open_session");
		return new OzzieConversation(client);
	},
};

class OzzieConversation implements Conversation {
	readonly #client: OzzieClient;
	/** What came since the last outcome. */
	#events: EventFrame[] = [];

	constructor(client: OzzieClient) {
		this.#client = client;
	}

	async say(text: string): Promise<void> {
		await this.#client.call("send_message", { content: text });
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

	async [Symbol.asyncDispose](): Promise<void> {
		await this.#client[Symbol.asyncDispose]();
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
