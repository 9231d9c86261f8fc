import type { Conversation, Driver, Outcome, Question } from "../driver.ts";
import { TestGateway } from "../gateway.ts";
import { type RozFrame, RozStream } from "./roz-client.ts";

/**
 * The roz wire for the scenarios of all wires. A stream accepts one message at a time, so a message that waits behind
 * another message has its own stream on the same session. The driver cannot express two things. The arguments and
 * results of the gateway's calls are unknown, because the protocol shows only names and ids. A summary cannot be
 * requested, because no frame does so. No frame carries the text of an interrupted run, so the driver joins the deltas
 * of the last reply.
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
	/** The stream that created the session. */
	readonly stream: RozStream;
	readonly session: string;
	readonly end: AsyncDisposableStack;
}

/** A turn without a reported outcome: its stream, and the number of frames before it. */
interface OpenTurn {
	readonly stream: RozStream;
	readonly from: number;
}

class RozConversation implements Conversation {
	readonly #begun: Begun;
	/** Streams in the order of their messages. */
	readonly #turns: OpenTurn[] = [];

	constructor(begun: Begun) {
		this.#begun = begun;
	}

	async say(...texts: readonly string[]): Promise<void> {
		for (const text of texts) {
			const before = this.#turns.at(-1);
			// A turn starts when its message is accepted, so the order of the messages is known.
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

	/** Opens another stream on the session. */
	async #continue(): Promise<RozStream> {
		const { url, session, end } = this.#begun;
		const stream = end.use(new RozStream(url, { headers: { "parley-session-id": session } }));
		await stream.start();
		return stream;
	}

	#decide(toolCallId: string, approved: boolean): void {
		this.#turn().stream.send({ permissionDecision: { toolCallId, approved } });
	}

	/** The oldest turn that has no reported outcome yet. */
	#turn(): OpenTurn {
		const [turn] = this.#turns;
		if (!turn) throw new Error("no message was sent");
		return turn;
	}
}

/** The text of each reply, joined from its deltas. The state `thinking` starts a reply. */
function repliesIn(frames: readonly RozFrame[]): string[] {
	const replies = [""];
	for (const { kind, value } of frames) {
		if (kind === "activityUpdate" && value["state"] === "thinking") replies.push("");
		if (kind === "textDelta") replies.push(`${replies.pop() ?? ""}${value["content"]}`);
	}
	return replies.filter((reply) => reply !== "");
}

function errorOf({ kind, value }: RozFrame): string {
	if (kind === "error") return String(value["message"]);
	return value["stopReason"] === "cancelled" ? "cancelled" : "";
}
