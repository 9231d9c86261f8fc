import { type Ids, parseJson, type RedactedStream, type TextRedactor } from "@parley/base";
import type { ContextSnapshot } from "../../vocabulary/context-snapshot.ts";
import type { AssistantMessage } from "../../vocabulary/message.ts";
import type { Reply } from "../../vocabulary/model.ts";
import type { Run } from "../run/run.ts";

interface CallName {
	readonly id: string;
	readonly name: string;
}

export interface ReplyListener {
	/** Set if the text is hidden from clients. */
	readonly auxiliary?: true;
	respond(): void;
	/** Receives a piece of text without secrets. */
	writeText(text: string): void;
	/** Receives a piece of thinking, as the provider sends it. */
	think(text: string): void;
	/** Starts the call at the position `index` in the reply. The pieces of its arguments follow. */
	startCall(index: number, call: CallName): void;
	/** Receives the next piece of the arguments, as the provider sends it. */
	writeCall(index: number, json: string): void;
	endCall(index: number): void;
	/**
	 * Returns the id to record for a call: the provider's id, or a new id if the session cannot use the provider's id.
	 * `used`: ids of the earlier calls in the same reply.
	 */
	callId(id: string, used: ReadonlySet<string>): string;
	/** Ends a complete or failed reply. `context`: context after a complete reply, or undefined if unknown. */
	end(reply: Reply, context: ContextSnapshot | undefined): void;
}

const nothing = (): void => undefined;

/** Listener for a text that is hidden from clients. */
export const silentListener: ReplyListener = {
	auxiliary: true,
	respond: nothing,
	writeText: nothing,
	think: nothing,
	startCall: nothing,
	writeCall: nothing,
	endCall: nothing,
	callId: (id) => id,
	end: nothing,
};

/**
 * Maximum pieces that are sent separately in one tick of the event loop. Later pieces of the same part are joined in
 * one event.
 */
const piecesPerTick = 8;

/** Redactor for the pieces of one text. `push` may withhold the end of a piece. */
class Draft {
	readonly #characters = new CompleteCharacters();
	readonly #redaction: RedactedStream;

	constructor(redaction: RedactedStream) {
		this.#redaction = redaction;
	}

	push(text: string): string {
		return this.#redaction.push(this.#characters.push(text));
	}

	end(rest = ""): string {
		return this.#redaction.push(this.#characters.push(rest) + this.#characters.end()) + this.#redaction.end();
	}
}

interface OpenCall {
	readonly index: number;
	readonly callId: string;
	readonly name: string;
	readonly plain: PlainJsonText;
	readonly draft: Draft;
	/** Number of argument characters that were sent. */
	length: number;
}

/** A part of a reply. An `OpenCall` stands for the arguments of the call. */
type Part = "text" | "thinking" | OpenCall;

/**
 * Sends a reply to clients as transient events. In each tick of the event loop, the first pieces are sent separately.
 * Later pieces of the same part are joined in one event (decision 014).
 */
export class LiveReply implements ReplyListener {
	readonly #run: Run;
	readonly #ids: Ids;
	#hasOutput = false;
	#pieces = 0;
	/** Joined pieces, sent at the end of the tick at the latest. */
	#pending: { readonly of: Part; text: string } | undefined;
	#thinking: Draft | undefined;
	readonly #calls = new Map<number, OpenCall>();

	constructor(run: Run, ids: Ids) {
		this.#run = run;
		this.#ids = ids;
	}

	respond(): void {
		this.#run.session.bus.pass({ type: "response.started", runId: this.#run.id });
	}

	writeText(text: string): void {
		this.#endThinking();
		this.#add("text", text);
	}

	think(text: string): void {
		this.#thinking ??= this.#draft();
		this.#add("thinking", this.#thinking.push(text));
	}

	startCall(index: number, { id: callId, name: written }: CallName): void {
		this.#endThinking();
		this.#flush();
		const { session, id: runId } = this.#run;
		const name = session.redactor.into("call").redact(written);
		const facts = { index, callId, name };
		this.#calls.set(index, { ...facts, plain: new PlainJsonText(), draft: this.#draft(), length: 0 });
		session.bus.pass({ type: "arguments.started", runId, ...facts });
	}

	writeCall(index: number, json: string): void {
		const call = this.#calls.get(index);
		if (call) this.#add(call, call.draft.push(call.plain.push(json)));
	}

	endCall(index: number): void {
		const call = this.#calls.get(index);
		if (!call) return;
		this.#calls.delete(index);
		this.#add(call, call.draft.end(call.plain.end()));
		this.#flush();
		const { callId, name, length } = call;
		const { session, id: runId } = this.#run;
		session.bus.pass({ type: "arguments.ended", runId, index, callId, name, length });
	}

	callId(id: string, usedInReply: ReadonlySet<string>): string {
		// Approvals and results refer to a call by its id, so a repeated id is replaced.
		const used = id === "" || usedInReply.has(id) || this.#run.usesCallId(id);
		return used ? this.#ids.create("call") : id;
	}

	end({ content, stop }: Reply, context: ContextSnapshot | undefined): void {
		const { session, id: runId } = this.#run;
		this.#endThinking();
		for (const index of [...this.#calls.keys()]) this.endCall(index);
		this.#flush();
		if (this.#hasOutput) session.bus.pass({ type: "text.ended", runId });
		this.#hasOutput = false;
		if (context) session.bus.pass({ type: "context.updated", runId, ...context });
		const shown = shownContent(content, session.redactor);
		session.bus.pass({ type: "model.replied", runId, content: shown, stop });
	}

	#draft(): Draft {
		return new Draft(this.#run.session.redactor.into("draft").stream());
	}

	#endThinking(): void {
		if (!this.#thinking) return;
		this.#add("thinking", this.#thinking.end());
		this.#thinking = undefined;
	}

	#add(of: Part, text: string): void {
		if (text === "") return;
		if (this.#pieces === 0) process.nextTick(this.#endTick);
		this.#pieces += 1;
		if (this.#pending && this.#pending.of !== of) this.#flush();
		if (this.#pending) this.#pending.text += text;
		else if (this.#pieces > piecesPerTick) this.#pending = { of, text };
		else this.#pass(of, text);
	}

	readonly #endTick = (): void => {
		this.#flush();
		this.#pieces = 0;
	};

	#flush(): void {
		const pending = this.#pending;
		this.#pending = undefined;
		if (pending) this.#pass(pending.of, pending.text);
	}

	#pass(of: Part, text: string): void {
		const { session, id: runId } = this.#run;
		if (of === "text") this.#passText(text);
		else if (of === "thinking") session.bus.pass({ type: "thinking.delta", runId, text });
		else {
			const { index, callId, name, length: offset } = of;
			of.length += text.length;
			session.bus.pass({ type: "arguments.delta", runId, index, callId, name, json: text, offset });
		}
	}

	#passText(text: string): void {
		const { session, id: runId } = this.#run;
		if (!this.#hasOutput) session.bus.pass({ type: "text.started", runId });
		this.#hasOutput = true;
		session.bus.pass({ type: "text.delta", runId, text });
	}
}

/**
 * Joins surrogate pairs that a server has split between two pieces of text, because strict readers reject JSON with
 * an unpaired surrogate. Other unpaired surrogates become U+FFFD.
 */
export class CompleteCharacters {
	#half = "";

	/** Returns the next text to send. Withholds a high surrogate at the end of a piece until the next piece. */
	push(piece: string): string {
		const text = this.#half + piece;
		const isCut = isFirstHalf(text.charCodeAt(text.length - 1));
		this.#half = isCut ? text.slice(-1) : "";
		return (isCut ? text.slice(0, -1) : text).toWellFormed();
	}

	/** Returns U+FFFD if the last piece ended with a high surrogate, otherwise "". */
	end(): string {
		const half = this.#half;
		this.#half = "";
		return half.toWellFormed();
	}
}

/** Whether the code unit starts a surrogate pair: https://www.unicode.org/glossary/#high_surrogate_code_unit */
function isFirstHalf(codeUnit: number): boolean {
	return codeUnit >= 0xd800 && codeUnit <= 0xdbff;
}

/**
 * Rewrites the escapes of JSON text as `JSON.stringify` writes them, piece by piece. A model may escape any character,
 * and the redactor does not recognise an escaped secret. Invalid escapes pass unchanged.
 */
export class PlainJsonText {
	/** Beginning of an escape. The rest of the escape may follow in the next piece. */
	#pending = "";

	push(piece: string): string {
		const text = this.#pending + piece;
		this.#pending = "";
		if (!text.includes("\\")) return text;
		return text.replaceAll(escapes, (written, at: number) => {
			if (at + written.length < text.length || isComplete(written)) return plain(written);
			this.#pending = written;
			return "";
		});
	}

	end(): string {
		const pending = this.#pending;
		this.#pending = "";
		return pending;
	}
}

const open = String.raw`\\(?:u[\da-fA-F]{0,3})?$`;
const firstHalf = String.raw`\\u[dD][89abAB][\da-fA-F]{2}`;
const secondHalf = String.raw`\\u[dD][c-fC-F][\da-fA-F]{2}`;

/** Escapes of RFC 8259, section 7. A surrogate pair is one match. A partial escape matches at the end of the text. */
const escapes = new RegExp(
	String.raw`${firstHalf}(?:${secondHalf}|${open})?|\\u[\da-fA-F]{4}|\\[^u]|${open}`,
	"g",
);
const onlyFirstHalf = new RegExp(`^${firstHalf}$`);

function isComplete(written: string): boolean {
	if (written.length === 2) return written !== "\\u";
	return written.length === 12 || (written.length === 6 && !onlyFirstHalf.test(written));
}

function plain(written: string): string {
	try {
		return JSON.stringify(parseJson(`"${written}"`)).slice(1, -1);
	} catch {
		// An invalid escape stays unchanged. The complete arguments are refused later.
		return written;
	}
}

type Block = AssistantMessage["content"][number];

/**
 * Returns the content of a reply for people, without secrets. The stored steps contain the secrets in arguments of
 * calls and in signed thinking, because the provider needs both unchanged.
 */
export function shownContent(
	content: AssistantMessage["content"],
	redactor: TextRedactor,
): AssistantMessage["content"] {
	if (content.every(({ type }) => type === "text")) return content;
	return content.map((block) => shownBlock(block, redactor));
}

function shownBlock(block: Block, redactor: TextRedactor): Block {
	if (block.type === "call") return { ...block, arguments: redactor.redactFields(block.arguments) };
	return block.type === "thinking" ? { ...block, text: redactor.redact(block.text) } : block;
}
