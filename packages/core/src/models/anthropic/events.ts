import { visible } from "../../text/visible.ts";
import type { ModelEvent, StopReason } from "../../vocabulary/model.ts";
import { ModelError } from "../../vocabulary/model-error.ts";
import { eventError, type Fields, isFields, type RequestFacts } from "../exchange/errors.ts";
import { exchangeTexts } from "../exchange/texts.ts";
import { TokenCounts } from "../exchange/token-counts.ts";
import { cutOff, OpenCall, type PendingCall, ReplyCalls } from "../exchange/tool-calls.ts";
import { eventTexts } from "./texts.ts";

/** Maximum blocks of a reply. */
const MAX_BLOCKS = 1024;

const MAX_MODEL_NAME = 200;

type Block =
	| { readonly kind: "text" }
	| { readonly kind: "thinking"; signature: string }
	| OpenCall
	/** A block such as redacted thinking or a search by a server-side tool. Its deltas are ignored. */
	| { readonly kind: "other" };

const kindsOfDeltas = new Map<unknown, Block["kind"]>([
	["text_delta", "text"],
	["thinking_delta", "thinking"],
	["signature_delta", "thinking"],
	["input_json_delta", "call"],
]);

const stops = new Map<unknown, StopReason>([
	["end_turn", "end_turn"],
	["stop_sequence", "end_turn"],
	["tool_use", "tool_use"],
	["refusal", "refusal"],
]);

const none: readonly ModelEvent[] = [];

/**
 * Converts the events of one response to model events. An invalid sequence, such as a delta for a closed block, fails
 * as `interrupted`. Events, blocks and deltas of unknown types are ignored, because the protocol may add types.
 * https://platform.claude.com/docs/en/build-with-claude/streaming
 */
export class ReplyEvents {
	readonly #counts = new TokenCounts();
	readonly #calls = new ReplyCalls();
	readonly #blocks = new Map<unknown, Block>();
	#state: "empty" | "begun" | "finished" = "empty";
	readonly #facts: RequestFacts;
	/** Name of the model: the requested name, until the response contains a name. */
	#model: string;
	#opened = 0;
	#newest = -1;
	/**
	 * Calls that have ended, until the next block starts. If the reply is truncated before that, the calls are invalid.
	 */
	#pending: PendingCall[] = [];
	#stop: unknown;

	constructor(facts: RequestFacts) {
		this.#facts = facts;
		this.#model = facts.model;
	}

	/** Whether the `end` event has been returned. */
	get finished(): boolean {
		return this.#state === "finished";
	}

	/** Whether a token count was impossible, or the count of output tokens was missing. */
	get isCorrected(): boolean {
		return this.#counts.isCorrected;
	}

	/**
	 * Returns the model events for one server event. Throws a `ModelError` if the event is invalid or reports an error.
	 */
	receive(event: unknown): readonly ModelEvent[] {
		if (this.#state === "finished") return none;
		if (!isFields(event)) throw damaged(eventTexts.invalid);
		switch (event["type"]) {
			case "content_block_delta":
				return this.#delta(this.#requireStarted(event));
			case "content_block_start":
				return this.#start(this.#requireStarted(event));
			case "content_block_stop":
				return this.#close(this.#requireStarted(event));
			case "message_start":
				return this.#begin(event);
			case "message_delta":
				return this.#change(this.#requireStarted(event));
			case "message_stop":
				return this.#end(this.#requireStarted(event));
			case "error":
				throw eventError(event, undefined, this.#facts);
			default:
				return none;
		}
	}

	#requireStarted(event: Fields): Fields {
		if (this.#state === "begun") return event;
		throw damaged(eventTexts.beforeStart(event["type"]));
	}

	#begin({ message }: Fields): ModelEvent[] {
		if (this.#state !== "empty") throw damaged(eventTexts.secondStart);
		if (!isFields(message)) throw damaged(eventTexts.startWithoutMessage);
		this.#state = "begun";
		const { model } = message;
		if (typeof model === "string" && model !== "") this.#model = visible(model.slice(0, MAX_MODEL_NAME));
		return [this.#usage(message["usage"])];
	}

	#start({ index, content_block: content }: Fields): ModelEvent[] {
		if (typeof index !== "number" || !isFields(content)) throw damaged(eventTexts.emptyBlock);
		if (index <= this.#newest) throw damaged(eventTexts.secondBlock(index));
		if (++this.#opened > MAX_BLOCKS) throw damaged(eventTexts.tooManyBlocks(MAX_BLOCKS));
		this.#newest = index;
		const events: ModelEvent[] = this.#pending.map(({ call }) => call);
		this.#pending = [];
		this.#blocks.set(index, this.#open(content, events));
		return events;
	}

	#open(content: Fields, events: ModelEvent[]): Block {
		const { type, text, thinking, signature, data } = content;
		switch (type) {
			case "text":
				if (isText(text)) events.push({ type: "text", text });
				return { kind: "text" };
			case "thinking":
				if (isText(thinking)) events.push({ type: "thinking", text: thinking });
				return { kind: "thinking", signature: isText(signature) ? signature : "" };
			case "redacted_thinking":
				if (isText(data)) events.push({ type: "thinking", text: "", redacted: data });
				return { kind: "other" };
			case "tool_use": {
				const call = new OpenCall(content, this.#calls);
				events.push({ type: "call.started", index: call.index, id: call.id, name: call.name });
				return call;
			}
			default:
				return { kind: "other" };
		}
	}

	#delta({ index, delta }: Fields): readonly ModelEvent[] {
		const block = this.#blocks.get(index);
		if (block === undefined) throw damaged(eventTexts.closedBlock);
		if (!isFields(delta)) throw damaged(eventTexts.emptyPiece);
		const { type } = delta;
		const kind = kindsOfDeltas.get(type);
		if (kind === undefined || block.kind === "other") return none;
		if (kind !== block.kind) throw damaged(eventTexts.otherKind(type));
		return extend(block, delta);
	}

	#close({ index }: Fields): readonly ModelEvent[] {
		const block = this.#blocks.get(index);
		if (block === undefined) throw damaged(eventTexts.endOfClosedBlock);
		this.#blocks.delete(index);
		if (block.kind === "call") {
			this.#delay(block);
			return [{ type: "call.ended", index: block.index }];
		}
		if (block.kind !== "thinking" || block.signature === "") return none;
		return [{ type: "thinking", text: "", signature: block.signature }];
	}

	#change({ delta, usage }: Fields): ModelEvent[] {
		if (isFields(delta) && typeof delta["stop_reason"] === "string") this.#stop = delta["stop_reason"];
		return [this.#usage(usage)];
	}

	#end(_event: Fields): ModelEvent[] {
		const stop = stops.get(this.#stop) ?? "max_tokens";
		const isComplete = stop === "end_turn" || stop === "tool_use";
		for (const block of this.#blocks.values()) {
			if (block.kind !== "call") continue;
			if (isComplete) throw damaged(exchangeTexts.openCall);
			this.#delay(block);
		}
		this.#state = "finished";
		const events: ModelEvent[] = this.#pending.map((pending) =>
			isComplete ? pending.call : cutOff(pending),
		);
		events.push({ type: "end", stop, usage: this.#counts.usage(), model: this.#model });
		return events;
	}

	#delay(block: OpenCall): void {
		this.#pending.push({ call: block.close(), characters: block.characters });
	}

	#usage(usage: unknown): ModelEvent {
		this.#counts.add(usage);
		return { type: "usage", usage: this.#counts.usage(), model: this.#model };
	}
}

function extend(
	block: Block,
	{ text, thinking, signature, partial_json: json }: Fields,
): readonly ModelEvent[] {
	switch (block.kind) {
		case "text":
			return isText(text) ? [{ type: "text", text }] : none;
		case "thinking":
			if (isText(signature)) block.signature += signature;
			return isText(thinking) ? [{ type: "thinking", text: thinking }] : none;
		case "call":
			if (!isText(json)) return none;
			block.append(json);
			return [{ type: "call.delta", index: block.index, json }];
		case "other":
			return none;
	}
}

function isText(value: unknown): value is string {
	return typeof value === "string" && value !== "";
}

function damaged(subject: string): ModelError {
	return new ModelError(exchangeTexts.damaged(subject), { fault: "interrupted" });
}
