import type { Conversation, Driver, Outcome, Question } from "../driver.ts";
import { TestGateway } from "../gateway.ts";
import { type RozFrame, RozStream } from "./roz-client.ts";

/**
 * The roz wire for scenarios that run on all wires. A stream accepts one message at a time, so the driver sends a
 * message during a run on a new stream of the same session. Outcomes contain no calls, because the protocol shows only
 * names and ids of the gateway's calls. `compact` rejects, because no frame requests a summary. No frame contains the
 * text of an interrupted run, so the driver concatenates the deltas of the last reply.
 */
export const rozDriver: Driver = {
	wire: "roz",
	command: (line) => ({ name: "run_command", arguments: { cmd: line } }),
	async converse() {
		await using undo = new AsyncDisposableStack();
		const gateway = undo.use(await TestGateway.start());
		const stream = undo.use(new RozStream(gateway.url));
		const { sessionId } = await stream.start();
		return new RozConversation({ url: gateway.url, stream, session: String(sessionId), end: undo.move() });
	},
};

interface Begun {
	readonly url: string;
	readonly stream: RozStream;
	readonly session: string;
	readonly end: AsyncDisposableStack;
}

interface OpenTurn {
	readonly stream: RozStream;
	/** Number of frames of the stream before the turn. */
	readonly from: number;
}

class RozConversation implements Conversation {
	readonly #begun: Begun;
	/** Turns in the order of their messages. */
	readonly #turns: OpenTurn[] = [];

	constructor(opened: Begun) {
		this.#begun = opened;
	}

	async say(...texts: readonly string[]): Promise<void> {
		for (const text of texts) {
			const before = this.#turns.at(-1);
			// `presenceHint` shows that the message was accepted. Waiting for it keeps the messages in order.
			await before?.stream.until("presenceHint");
			const stream = before ? await this.#continue() : this.#begun.stream;
			this.#turns.push({ stream, from: stream.frames.length });
			stream.say(text);
		}
	}

	async question(): Promise<Question> {
		for (;;) {
			const { state, detail } = await this.#turn().stream.until("activityUpdate");
			if (state === "waiting_approval") return { token: String(detail) };
		}
	}

	async approve({ token }: Question): Promise<void> {
		this.#decide(token, true);
	}

	async deny({ token }: Question): Promise<void> {
		this.#decide(token, false);
	}

	async cancel(): Promise<void> {
		this.#turn().stream.send({ cancelTurn: {} });
	}

	async streaming(): Promise<void> {
		await this.#turn().stream.until("textDelta");
	}

	async outcome(): Promise<Outcome> {
		const { stream, from } = this.#turn();
		const last = await stream.last();
		this.#turns.shift();
		const streamed = repliesIn(stream.frames.slice(from, stream.frames.indexOf(last)));
		return { streamed, calls: [], content: streamed.at(-1) ?? "", error: errorOf(last) };
	}

	async leave(): Promise<Pick<Outcome, "content" | "error">> {
		const { stream } = this.#turn();
		stream.halfClose();
		const { content, error } = await this.outcome();
		await stream.ended();
		return { content, error };
	}

	compact(): Promise<string> {
		return Promise.reject(new Error("no frame of this wire asks for a summary"));
	}

	async [Symbol.asyncDispose](): Promise<void> {
		await this.#begun.end.disposeAsync();
	}

	async #continue(): Promise<RozStream> {
		const { url, session, end } = this.#begun;
		const stream = end.use(new RozStream(url, { headers: { "parley-session-id": session } }));
		await stream.start();
		return stream;
	}

	#decide(toolCallId: string, approved: boolean): void {
		this.#turn().stream.send({ permissionDecision: { toolCallId, approved } });
	}

	#turn(): OpenTurn {
		const [turn] = this.#turns;
		if (!turn) throw new Error("no message was sent");
		return turn;
	}
}

function repliesIn(frames: readonly RozFrame[]): string[] {
	const replies = [""];
	for (const { kind, value } of frames) {
		// The state `thinking` starts a new reply.
		if (kind === "activityUpdate" && value["state"] === "thinking") replies.push("");
		if (kind === "textDelta") replies.push(`${replies.pop() ?? ""}${value["content"]}`);
	}
	return replies.filter((reply) => reply !== "");
}

function errorOf({ kind, value }: RozFrame): string {
	if (kind === "error") return String(value["message"]);
	return value["stopReason"] === "cancelled" ? "cancelled" : "";
}
