import type {
	LanguageModelV4StreamPart,
	LanguageModelV4Usage,
	SharedV4ProviderMetadata,
} from "@ai-sdk/provider";
import { defined } from "@parley/base";
import { visible } from "../../text/visible.ts";
import type { ModelEvent, StopReason } from "../../vocabulary/model.ts";
import { ModelError } from "../../vocabulary/model-error.ts";
import type { RequestFacts } from "../exchange/errors.ts";
import { exchangeTexts } from "../exchange/texts.ts";
import { TokenCounts } from "../exchange/token-counts.ts";
import { type Call, cutOff, OpenCall, type PendingCall, ReplyCalls } from "../exchange/tool-calls.ts";
import { messageMetadata } from "./reasoning-details.ts";
import { seal } from "./sealed-metadata.ts";
import { streamError } from "./stream-error.ts";
import { aiSdkTexts } from "./texts.ts";

const MAX_MODEL_NAME = 200;

type Part = LanguageModelV4StreamPart;
type PartOf<Type extends Part["type"]> = Extract<Part, { type: Type }>;

const stops = new Map<string, StopReason>([
	["stop", "end_turn"],
	["tool-calls", "tool_use"],
	["length", "max_tokens"],
	["content-filter", "refusal"],
	["other", "max_tokens"],
]);

const none: readonly ModelEvent[] = [];

/** Converts the parts of one reply from the provider interface to model events. */
export class ReplyParts {
	readonly #provider: string;
	readonly #facts: RequestFacts;
	readonly #counts = new TokenCounts();
	readonly #calls = new ReplyCalls();
	/** Calls that the model is writing. Key: the id of the call. */
	readonly #open = new Map<string, OpenCall>();
	/** Metadata of open blocks. Key: the id of the block. */
	readonly #metadata = new Map<string, SharedV4ProviderMetadata>();
	/** Ids of open text blocks that are not empty. */
	readonly #written = new Set<string>();
	/** The last call, until the next block starts. If the reply is truncated before that, the call is invalid. */
	#pending: PendingCall | undefined;
	#sealedCall: ModelEvent | undefined;
	#hasCalls = false;
	#model: string;
	#finished = false;
	#unsupported: readonly string[] = [];

	constructor(provider: string, facts: RequestFacts) {
		// Marks this provider's metadata in the reply.
		this.#provider = provider;
		this.#facts = facts;
		this.#model = facts.model;
	}

	get finished(): boolean {
		return this.#finished;
	}

	/** Whether a token count was impossible, or the count of output tokens was missing. */
	get isCorrected(): boolean {
		return this.#counts.isCorrected;
	}

	/** Returns the settings in the request that the library does not support and omits. */
	get unsupported(): readonly string[] {
		return this.#unsupported;
	}

	/** Returns the events for a part. Throws if the reply failed or is invalid. */
	receive(part: Part): readonly ModelEvent[] {
		switch (part.type) {
			case "text-delta":
				this.#note(part);
				if (part.delta === "") return none;
				this.#written.add(part.id);
				return [...this.#release(), { type: "text", text: part.delta }];
			case "reasoning-delta":
				this.#note(part);
				return part.delta === "" ? none : [...this.#release(), { type: "thinking", text: part.delta }];
			case "text-start":
			case "reasoning-start":
				this.#note(part);
				return this.#release();
			case "text-end":
				this.#note(part);
				return this.#sealed(this.#written.delete(part.id) ? "text" : "empty", part.id);
			case "reasoning-end":
				this.#note(part);
				return this.#sealed("thinking", part.id);
			case "tool-input-start":
				return this.#start(part);
			case "tool-input-delta":
				return this.#write(part);
			case "tool-call":
				return this.#call(part);
			default:
				return this.#other(part);
		}
	}

	#other(part: Part): readonly ModelEvent[] {
		switch (part.type) {
			case "stream-start":
				this.#unsupported = part.warnings.flatMap((one) => (one.type === "unsupported" ? [one.feature] : []));
				return none;
			case "response-metadata":
				if (part.modelId) this.#model = visible(part.modelId.slice(0, MAX_MODEL_NAME));
				return none;
			case "finish":
				return this.#finish(part);
			case "error":
				throw streamError(part.error, this.#facts);
			default:
				return none;
		}
	}

	#note({
		id,
		providerMetadata,
	}: {
		readonly id: string;
		readonly providerMetadata?: SharedV4ProviderMetadata;
	}): void {
		if (!providerMetadata) return;
		// Each part of a block may add metadata.
		const known = this.#metadata.get(id) ?? {};
		const merged = Object.entries(providerMetadata).map(
			([key, fields]) => [key, { ...known[key], ...fields }] as const,
		);
		this.#metadata.set(id, { ...known, ...Object.fromEntries(merged) });
	}

	#sealed(of: "thinking" | "text" | "empty", id: string): readonly ModelEvent[] {
		const sealed = seal(this.#provider, { of, metadata: this.#metadata.get(id) });
		this.#metadata.delete(id);
		if (sealed === undefined) return none;
		const block = { type: "thinking", text: "" } as const;
		return [of === "thinking" ? { ...block, signature: sealed } : { ...block, redacted: sealed }];
	}

	#start({ id, toolName }: PartOf<"tool-input-start">): readonly ModelEvent[] {
		if (this.#open.has(id)) throw damaged(aiSdkTexts.sameId);
		const released = this.#release();
		const call = new OpenCall({ id, name: toolName }, this.#calls);
		this.#open.set(id, call);
		return [...released, { type: "call.started", index: call.index, id: call.id, name: call.name }];
	}

	#write({ id, delta }: PartOf<"tool-input-delta">): readonly ModelEvent[] {
		const call = this.#open.get(id);
		return !call || delta === "" ? none : append(call, delta);
	}

	/**
	 * Returns the events for a call, without the `call` event. The `call` event is delayed, because the call is invalid
	 * if the reply is truncated.
	 */
	#call({
		toolCallId,
		toolName,
		input,
		providerExecuted,
		providerMetadata,
	}: PartOf<"tool-call">): readonly ModelEvent[] {
		if (providerExecuted) return none;
		const started = this.#open.has(toolCallId)
			? none
			: this.#start({ type: "tool-input-start", id: toolCallId, toolName });
		const call = this.#open.get(toolCallId);
		if (!call) return none;
		this.#open.delete(toolCallId);
		this.#hasCalls = true;
		// Some providers send the arguments only in the `tool-call` part.
		const written = call.characters === 0 && input !== "" ? append(call, input) : none;
		const released = this.#release();
		const redacted = seal(this.#provider, { of: "call", metadata: providerMetadata });
		this.#sealedCall = redacted === undefined ? undefined : { type: "thinking", text: "", redacted };
		this.#pending = { call: call.close(), characters: call.characters };
		return [...started, ...written, { type: "call.ended", index: call.index }, ...released];
	}

	#release(change: (pending: PendingCall) => Call = ({ call }) => call): readonly ModelEvent[] {
		if (!this.#pending) return none;
		const call = change(this.#pending);
		const sealed = this.#sealedCall;
		this.#pending = undefined;
		this.#sealedCall = undefined;
		return sealed ? [sealed, call] : [call];
	}

	#finish({ usage, finishReason, providerMetadata }: PartOf<"finish">): readonly ModelEvent[] {
		if (finishReason.unified === "error" || finishReason.unified === "interrupted") {
			throw new ModelError(exchangeTexts.incomplete, { fault: "interrupted" });
		}
		const named = stops.get(finishReason.unified) ?? "max_tokens";
		// Some servers report `stop` for a reply with calls.
		const stop = named === "end_turn" && this.#hasCalls ? "tool_use" : named;
		const isComplete = stop === "end_turn" || stop === "tool_use";
		if (isComplete && this.#open.size > 0) {
			throw damaged(exchangeTexts.openCall);
		}
		const events = [...this.#release(isComplete ? undefined : cutOff)];
		for (const call of this.#open.values()) {
			events.push(cutOff({ call: call.close(), characters: call.characters }));
		}
		const redacted = seal(this.#provider, { of: "message", metadata: messageMetadata(providerMetadata) });
		if (redacted !== undefined) events.push({ type: "thinking", text: "", redacted });
		this.#counts.add(countsOf(usage));
		this.#finished = true;
		const counted = { usage: this.#counts.usage(), model: this.#model };
		return [...events, { type: "usage", ...counted }, { type: "end", stop, ...counted }];
	}
}

function damaged(subject: string): ModelError {
	return new ModelError(exchangeTexts.damaged(subject), { fault: "interrupted" });
}

function append(call: OpenCall, json: string): readonly ModelEvent[] {
	call.append(json);
	return [{ type: "call.delta", index: call.index, json }];
}

/** Converts the token counts of the provider interface to the names that `TokenCounts` reads. */
function countsOf({ inputTokens, outputTokens }: LanguageModelV4Usage): Readonly<Record<string, number>> {
	const { total, noCache, cacheRead, cacheWrite } = inputTokens;
	const fresh = total === undefined ? noCache : total - (cacheRead ?? 0) - (cacheWrite ?? 0);
	return defined({
		input_tokens: fresh,
		cache_read_input_tokens: cacheRead,
		cache_creation_input_tokens: cacheWrite,
		output_tokens: outputTokens.total,
	});
}
