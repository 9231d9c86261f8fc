import { parseJson } from "@parley/base";
import type { Call, Conversation, Driver, Outcome, Question } from "../driver.ts";
import { TestGateway } from "../gateway.ts";
import { type KontekstEvent, KontekstStream, type ProposedCall } from "./kontekst-client.ts";

/**
 * The kontekst wire for scenarios that run on all wires. A stream carries one run, so each message has its own stream
 * in the same session. `compact` rejects, because no command requests a summary. The events `cancelled` and `failed`
 * contain no text, so the driver concatenates the deltas of the last reply.
 */
export const kontekstDriver: Driver = {
	wire: "kontekst",
	command: (line) => ({ name: "run_command", arguments: { cmd: line } }),
	async converse() {
		return new KontekstConversation(await TestGateway.start());
	},
};

class KontekstConversation implements Conversation {
	readonly #gateway: TestGateway;
	/** Streams whose outcome was not yet returned, in the order of their messages. */
	readonly #streams: KontekstStream[] = [];
	readonly #opened = new AsyncDisposableStack();
	#session = "";

	constructor(gateway: TestGateway) {
		this.#gateway = gateway;
	}

	async say(...texts: readonly string[]): Promise<void> {
		for (const prompt of texts) {
			// Each stream has its own connection, so the order of two messages is certain only if the first run has started.
			await this.#streams.at(-1)?.started();
			const stream = this.#opened.use(new KontekstStream(this.#gateway.url));
			this.#streams.push(stream);
			stream.start({ prompt, sessionId: this.#session });
			if (this.#session !== "") continue;
			const { sessionId } = await stream.started();
			this.#session = String(sessionId);
		}
	}

	async question(): Promise<Question> {
		const [call] = await this.#stream().proposed();
		if (!call) throw new Error("a proposal has no calls");
		return { token: call.callId, tool: call.name, arguments: parseJson(call.argumentsJson) };
	}

	async approve({ token }: Question): Promise<void> {
		this.#stream().approve(token);
	}

	async deny({ token }: Question): Promise<void> {
		this.#stream().deny(token);
	}

	async cancel(): Promise<void> {
		this.#stream().send({ cancel: {} });
	}

	async streaming(): Promise<void> {
		await this.#stream().until("token");
	}

	async outcome(): Promise<Outcome> {
		const stream = this.#stream();
		const { kind, value } = await stream.last();
		this.#streams.shift();
		const streamed = streamedIn(stream.events);
		return {
			...{ streamed, calls: callsIn(stream.events) },
			content: kind === "completed" ? String(value["content"]) : (streamed.at(-1) ?? ""),
			error: kind === "cancelled" ? kind : String(value["error"] ?? ""),
		};
	}

	async leave(): Promise<Pick<Outcome, "content" | "error">> {
		this.#stream().halfClose();
		const { content, error } = await this.outcome();
		return { content, error };
	}

	compact(): Promise<string> {
		return Promise.reject(new Error("no command of this wire asks for a summary"));
	}

	async [Symbol.asyncDispose](): Promise<void> {
		await this.#opened.disposeAsync();
		await this.#gateway[Symbol.asyncDispose]();
	}

	#stream(): KontekstStream {
		const [stream] = this.#streams;
		if (!stream) throw new Error("no message was sent");
		return stream;
	}
}

function streamedIn(events: readonly KontekstEvent[]): string[] {
	const replies = [""];
	for (const { kind, value } of events) {
		if (kind === "token") replies.push(`${replies.pop() ?? ""}${value["text"]}`);
		if (kind === "turnCompleted") replies.push("");
	}
	return replies.filter((reply) => reply !== "");
}

function callsIn(events: readonly KontekstEvent[]): Call[] {
	const of = (kind: string) => events.flatMap((event) => (event.kind === kind ? [event.value] : []));
	// The cast is safe because the schema requires this field.
	const proposed = of("toolsProposed").flatMap(({ calls }) => calls as readonly ProposedCall[]);
	return of("toolStarted").flatMap(({ callId }) => {
		const call = proposed.find((one) => one.callId === callId);
		const output = of("toolCompleted").find((one) => one["callId"] === callId)?.["output"];
		const error = of("toolFailed").find((one) => one["callId"] === callId)?.["error"];
		if (!call) throw new Error(`${callId} started and was not proposed`);
		const text = String(output ?? error);
		return [
			{ name: call.name, arguments: parseJson(call.argumentsJson), text, failed: output === undefined },
		];
	});
}
