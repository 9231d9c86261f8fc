import type { SharedV4ProviderMetadata } from "@ai-sdk/provider";
import { type Fields, isFields } from "../exchange/errors.ts";

/**
 * Key in the provider options of a message. The library adds the fields under the key to the message:
 * https://ai-sdk.dev/providers/openai-compatible-providers
 */
const messageFields = "openaiCompatible";

/** Fields that arrive in several pieces. */
const growing = ["text", "summary"] as const;

/**
 * Maximum details of a reply. If a reply has more details, no detail is sent back, because the server refuses an
 * incomplete list.
 */
const MAX_DETAILS = 10_000;

interface Detail {
	fields: Fields;
	readonly pieces: Map<string, string[]>;
}

/**
 * Collector of the `reasoning_details` in a stream. OpenRouter and similar servers require the details unchanged in the
 * next request: https://openrouter.ai/docs/use-cases/reasoning-tokens#preserving-reasoning-blocks
 */
export class ReasoningDetails {
	readonly #details: Detail[] = [];
	#isTooLong = false;

	/** Adds the details in one chunk. The chunk may have any form. */
	readonly processChunk = (chunk: unknown): void => {
		for (const choice of listIn(chunk, "choices").slice(0, 1)) {
			const delta = isFields(choice) ? choice["delta"] : undefined;
			for (const detail of listIn(delta, "reasoning_details")) if (isFields(detail)) this.#add(detail);
		}
	};

	/** Returns the details as metadata of a message, or undefined if there are no details or more than `MAX_DETAILS`. */
	readonly buildMetadata = (): SharedV4ProviderMetadata | undefined => {
		if (this.#details.length === 0 || this.#isTooLong) return undefined;
		const details = this.#details.map(({ fields, pieces }) => ({
			...fields,
			...Object.fromEntries([...pieces].map(([key, texts]) => [key, texts.join("")])),
		}));
		// The cast is safe because the details are parts of a parsed JSON document.
		return { [messageFields]: { reasoning_details: details } } as SharedV4ProviderMetadata;
	};

	/** Appends the piece to the last detail, or adds the piece as a new detail. */
	#add(piece: Fields): void {
		const last = this.#details.at(-1);
		// A piece with text, a summary or a signature continues the last detail if both have the same type, index and id.
		// A missing value is treated as equal.
		const isMore =
			last !== undefined &&
			growing.some((key) => typeof piece[key] === "string" || piece["signature"] !== undefined) &&
			(["type", "index", "id"] as const).every((key) => isSame(last.fields[key], piece[key]));
		if (!isMore && this.#details.length >= MAX_DETAILS) {
			this.#isTooLong = true;
			return;
		}
		const detail = isMore ? last : { fields: {}, pieces: new Map<string, string[]>() };
		if (!isMore) this.#details.push(detail);
		const known = Object.entries(piece).filter(([, value]) => value !== null && value !== undefined);
		const fields: Record<string, unknown> = isMore ? { ...detail.fields } : { ...piece };
		for (const [key, value] of known) {
			if (growing.some((one) => one === key) && typeof value === "string") {
				const pieces = detail.pieces.get(key) ?? [];
				pieces.push(value);
				detail.pieces.set(key, pieces);
			} else fields[key] = value;
		}
		detail.fields = fields;
	}
}

function isSame(one: unknown, other: unknown): boolean {
	return one === other || one === undefined || other === undefined || one === null || other === null;
}

function listIn(value: unknown, key: string): readonly unknown[] {
	const list = isFields(value) ? value[key] : undefined;
	return Array.isArray(list) ? list : [];
}

/** Returns the message fields in the metadata of a finished reply. */
export function messageMetadata(metadata: SharedV4ProviderMetadata | undefined): SharedV4ProviderMetadata {
	const fields = metadata?.[messageFields];
	return fields ? { [messageFields]: fields } : {};
}
