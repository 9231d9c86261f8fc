import type { ParleyError, RedactedStream } from "@parley/base";
import type { AssistantMessage, CallBlock, TextBlock, ThinkingBlock } from "../message.ts";
import type { ModelEvent, StopReason } from "../model.ts";
import { ModelError } from "../model-error.ts";
import type { NormalCall } from "../normalise-call.ts";
import { noUsage, type Usage } from "../usage/usage.ts";

type Block = TextBlock | ThinkingBlock | CallBlock;

/** One reply of a model: whole, or what there was of it when it broke off (`failure`). */
export interface Reply {
	readonly content: AssistantMessage["content"];
	/** The model that answered; "" where none did. */
	readonly model: string;
	readonly stop: StopReason | undefined;
	readonly usage: Usage;
	readonly failure: ParleyError | undefined;
}

/** What a reply needs of the run it belongs to. */
export interface FoldDeps {
	/** Takes secrets out of the text as it comes. */
	readonly redaction: RedactedStream;
	/** Lets a piece of text out. */
	readonly speak: (text: string) => void;
	/** The normal form of a call. */
	readonly normalise: (call: Pick<CallBlock, "name" | "arguments" | "invalid">) => NormalCall;
	/** An id for a call that is unique in the session: the provider's own where that is. */
	readonly callId: (id: string, soFar: readonly Block[]) => string;
}

/** Characters of a reply: more than any model says, and few enough for one line of every wire, however they are escaped. */
const mostText = 2 * 1024 * 1024;

/** Puts a reply together from its events. Throws a `ModelError` where it is longer than any. */
export class Fold {
	readonly #deps: FoldDeps;
	readonly #blocks: Block[] = [];
	/** The text of the block that grows, joined when it is whole: a long reply has tens of thousands of pieces. */
	#text: string[] = [];
	#length = 0;
	/** Of a character that a server has cut in two. */
	#half = "";
	#usage: Usage = noUsage;
	#model = "";
	#stop: StopReason | undefined;

	constructor(deps: FoldDeps) {
		this.#deps = deps;
	}

	get complete(): boolean {
		return this.#stop !== undefined;
	}

	take(event: ModelEvent): void {
		switch (event.type) {
			case "text":
				this.#speak(this.#deps.redaction.push(this.#whole(event.text)));
				return;
			case "thinking":
				this.#closeText();
				this.#think(event);
				return;
			case "call":
				this.#closeText();
				this.#call(event);
				return;
			case "usage":
			case "end":
				this.#usage = event.usage;
				this.#model = event.model;
				if (event.type === "end") this.#stop = event.stop;
		}
	}

	#speak(text: string): void {
		if (text === "") return;
		this.#text.push(text);
		this.#deps.speak(text);
	}

	/** Strict readers refuse a text with half a character in it, and the whole line with that. */
	#whole(piece: string): string {
		this.#length += piece.length;
		if (this.#length > mostText) {
			throw new ModelError(`the reply is longer than ${mostText} characters`, { fault: "rejected" });
		}
		const text = this.#half + piece;
		const isCut = isFirstHalf(text.charCodeAt(text.length - 1));
		this.#half = isCut ? text.slice(-1) : "";
		return (isCut ? text.slice(0, -1) : text).toWellFormed();
	}

	reply(failure: ParleyError | undefined): Reply {
		this.#closeText();
		const facts = { model: this.#model, usage: this.#usage, stop: failure ? undefined : this.#stop };
		// Calls of a reply that broke off, or was cut off, are not run: they may not be all, or not be meant.
		const whole = failure === undefined && (this.#stop === "end_turn" || this.#stop === "tool_use");
		const cut = failure === undefined && this.#stop === "max_tokens" && this.#blocks.some(isCall);
		const blocks = whole
			? this.#blocks
			: cut
				? this.#blocks.map(notRun)
				: this.#blocks.filter(({ type }) => type === "text");
		const content = blocks.map((block) => (block.type === "thinking" ? this.#cleanThinking(block) : block));
		return { ...facts, content, failure };
	}

	/** What is signed goes back to the provider as it came, or is refused; nobody else ever sees it. */
	#cleanThinking(block: ThinkingBlock): ThinkingBlock {
		if (block.signature !== undefined || block.redacted !== undefined) return block;
		const { redaction } = this.#deps;
		return { ...block, text: redaction.push(block.text) + redaction.end() };
	}

	#closeText(): void {
		const { redaction } = this.#deps;
		if (this.#half !== "") this.#speak(redaction.push(this.#half.toWellFormed()));
		this.#half = "";
		this.#speak(redaction.end());
		if (this.#text.length === 0) return;
		this.#blocks.push({ type: "text", text: this.#text.join("") });
		this.#text = [];
	}

	/** From here on every reader of the call sees its normal form. */
	#call({ type, invalid, id: given, ...written }: Extract<ModelEvent, { type: "call" }>): void {
		const id = this.#deps.callId(given, this.#blocks);
		if (invalid !== undefined) {
			this.#blocks.push({ type, id, ...written, invalid });
			return;
		}
		const { name, arguments: args, adjusted } = this.#deps.normalise(written);
		this.#blocks.push({ type, id, name, arguments: args, ...(adjusted.length > 0 && { adjusted }) });
	}

	#think({ text, signature, redacted }: Extract<ModelEvent, { type: "thinking" }>): void {
		const sealed = {
			...(signature !== undefined && { signature }),
			...(redacted !== undefined && { redacted }),
		};
		const last = this.#blocks.at(-1);
		const goesOn = last?.type === "thinking" && last.signature === undefined && last.redacted === undefined;
		if (goesOn && redacted === undefined) {
			this.#blocks[this.#blocks.length - 1] = { type: "thinking", text: last.text + text, ...sealed };
			return;
		}
		this.#blocks.push({ type: "thinking", text, ...sealed });
	}
}

function isCall({ type }: Block): boolean {
	return type === "call";
}

/** A call of a reply that reached its limit: the model is told, and may call again. */
function notRun(block: Block): Block {
	if (block.type !== "call" || block.invalid !== undefined) return block;
	return {
		...block,
		invalid: "the reply was cut off after this call; repeat the call if it is still needed",
	};
}

/** Of a character that takes two code units: https://www.unicode.org/glossary/#high_surrogate_code_unit */
function isFirstHalf(codeUnit: number): boolean {
	return codeUnit >= 0xd800 && codeUnit <= 0xdbff;
}
