import { defined, type ParleyError, type RedactedStream } from "@parley/base";
import type { NormalCall, WrittenCall } from "../../tools/calls/normalise-call.ts";
import type { CallBlock, TextBlock, ThinkingBlock } from "../../vocabulary/message.ts";
import type { ModelEvent, Reply, StopReason } from "../../vocabulary/model.ts";
import { ModelError } from "../../vocabulary/model-error.ts";
import { noUsage, type Usage } from "../../vocabulary/usage.ts";
import { CompleteCharacters, type ReplyListener } from "./live-reply.ts";
import { replyTexts } from "./texts.ts";

type Block = TextBlock | ThinkingBlock | CallBlock;

export interface AccumulatorOptions {
	readonly redaction: RedactedStream;
	readonly listener: ReplyListener;
	readonly normalise: (call: WrittenCall) => NormalCall;
}

/** Maximum text characters of a reply. A text of this length fits in one line of every wire, with any escaping. */
const maxText = 2 * 1024 * 1024;
/** Maximum thinking characters of a reply, including signatures and encrypted parts. */
const maxThinking = 8 * 1024 * 1024;
/** Maximum calls of a reply. Each recorded call costs a transaction. */
const maxRecordedCalls = 1_000;

/** Builds a reply from its events. Throws a `ModelError` if the reply is too long or has too many calls. */
export class ReplyAccumulator {
	readonly #deps: AccumulatorOptions;
	readonly #blocks: Block[] = [];
	/**
	 * Pieces of the current text block. They are joined only at the end of the block, because a long reply has tens of
	 * thousands of pieces.
	 */
	#text: string[] = [];
	#length = 0;
	#thinking = 0;
	readonly #characters = new CompleteCharacters();
	readonly #ids = new Set<string>();
	/** Ids of announced calls. Key: the index of the call in the reply. */
	readonly #announced = new Map<number, string>();
	#usage: Usage = noUsage;
	#model = "";
	#stop: StopReason | undefined;

	constructor(deps: AccumulatorOptions) {
		this.#deps = deps;
	}

	get complete(): boolean {
		return this.#stop !== undefined;
	}

	add(event: ModelEvent): void {
		switch (event.type) {
			case "text":
				this.#grow(event.text);
				return;
			case "thinking":
				this.#closeText();
				this.#think(event);
				return;
			case "call":
				this.#closeText();
				this.#call(event);
				return;
			case "started":
				this.#deps.listener.respond();
				return;
			case "call.started":
				this.#closeText();
				this.#announce(event);
				return;
			case "call.delta":
				this.#deps.listener.writeCall(event.index, event.json);
				return;
			case "call.ended":
				this.#deps.listener.endCall(event.index);
				return;
			case "usage":
			case "end":
				this.#usage = event.usage;
				this.#model = event.model;
				if (event.type === "end") this.#stop = event.stop;
		}
	}

	#writeText(text: string): void {
		if (text === "") return;
		this.#text.push(text);
		this.#deps.listener.writeText(text);
	}

	#grow(piece: string): void {
		this.#length += piece.length;
		if (this.#length > maxText) {
			throw new ModelError(replyTexts.tooLong(maxText), { fault: "rejected" });
		}
		this.#writeText(this.#deps.redaction.push(this.#characters.push(piece)));
	}

	reply(failure: ParleyError | undefined): Reply {
		this.#closeText();
		const facts = { model: this.#model, usage: this.#usage, stop: failure ? undefined : this.#stop };
		// The calls of an interrupted reply do not run, because some may be missing or incomplete.
		const isComplete = failure === undefined && (this.#stop === "end_turn" || this.#stop === "tool_use");
		const cut = failure === undefined && this.#stop === "max_tokens" && this.#blocks.some(isCall);
		const blocks = isComplete
			? this.#blocks
			: cut
				? this.#blocks.map(notRun)
				: this.#blocks.filter(({ type }) => type === "text");
		const content = blocks.map((block) => (block.type === "thinking" ? this.#cleanThinking(block) : block));
		return { ...facts, content, failure };
	}

	#cleanThinking(block: ThinkingBlock): ThinkingBlock {
		// Signed or encrypted thinking is unchanged, because the provider rejects changes.
		if (block.signature !== undefined || block.redacted !== undefined) return block;
		const { redaction } = this.#deps;
		return { ...block, text: redaction.push(block.text) + redaction.end() };
	}

	#closeText(): void {
		const { redaction } = this.#deps;
		this.#writeText(redaction.push(this.#characters.end()));
		this.#writeText(redaction.end());
		if (this.#text.length === 0) return;
		this.#blocks.push({ type: "text", text: this.#text.join("") });
		this.#text = [];
	}

	#announce({ index, id: providerId, name }: Extract<ModelEvent, { type: "call.started" }>): void {
		const id = this.#claimId(providerId);
		this.#announced.set(index, id);
		this.#deps.listener.startCall(index, { id, name });
	}

	/** Adds a call in its normal form. An invalid call stays as the model wrote the call. */
	#call({ type, invalid, id: providerId, index, ...written }: Extract<ModelEvent, { type: "call" }>): void {
		const announced = index === undefined ? undefined : this.#announced.get(index);
		const id = announced ?? this.#claimId(providerId);
		if (invalid !== undefined) {
			this.#blocks.push({ type, id, ...written, invalid });
			return;
		}
		const { name, arguments: args, adjusted } = this.#deps.normalise(written);
		this.#blocks.push({
			type,
			id,
			name,
			arguments: args,
			...defined({ adjusted: adjusted.length > 0 ? adjusted : undefined }),
		});
	}

	#claimId(providerId: string): string {
		if (this.#ids.size >= maxRecordedCalls) {
			throw new ModelError(replyTexts.tooManyCalls(maxRecordedCalls), { fault: "rejected" });
		}
		const id = this.#deps.listener.callId(providerId, this.#ids);
		this.#ids.add(id);
		return id;
	}

	#think({ text, signature, redacted }: Extract<ModelEvent, { type: "thinking" }>): void {
		this.#thinking += text.length + (signature?.length ?? 0) + (redacted?.length ?? 0);
		if (this.#thinking > maxThinking) {
			throw new ModelError(replyTexts.thinkingTooLong(maxThinking), { fault: "rejected" });
		}
		if (text !== "") this.#deps.listener.think(text);
		const sealed = defined({ signature, redacted });
		const last = this.#blocks.at(-1);
		const continues =
			last?.type === "thinking" && last.signature === undefined && last.redacted === undefined;
		if (continues && redacted === undefined) {
			this.#blocks[this.#blocks.length - 1] = { type: "thinking", text: last.text + text, ...sealed };
			return;
		}
		this.#blocks.push({ type: "thinking", text, ...sealed });
	}
}

function isCall({ type }: Block): boolean {
	return type === "call";
}

/**
 * Marks a call as invalid because its reply reached the token limit. The model receives the reason and may repeat the
 * call.
 */
function notRun(block: Block): Block {
	if (block.type !== "call" || block.invalid !== undefined) return block;
	return {
		...block,
		invalid: replyTexts.cutOff,
	};
}
