import type { SharedV4ProviderMetadata } from "@ai-sdk/provider";
import { ParleyError, parseJson } from "@parley/base";
import * as z from "zod";

/**
 * Parts of a reply to which metadata can belong: the thinking, the text before the thinking, the call after the
 * thinking, or the complete message. `empty`: an empty text in place of the thinking.
 */
const parts = ["thinking", "text", "empty", "call", "message"] as const;
export type Sealed = (typeof parts)[number];

export interface SealedMetadata {
	readonly of: Sealed;
	readonly metadata: SharedV4ProviderMetadata;
}

const envelope = () =>
	z.object({
		provider: z.string(),
		of: z.enum(parts),
		metadata: z.record(z.string(), z.record(z.string(), z.json())),
	});

let schema: ReturnType<typeof envelope> | undefined;

/**
 * Encodes provider metadata, such as a thought signature, as the opaque text of a thinking block. Returns undefined if
 * the metadata has no fields.
 */
export function seal(
	provider: string,
	{ of, metadata }: { readonly of: Sealed; readonly metadata: SharedV4ProviderMetadata | undefined },
): string | undefined {
	const known = Object.entries(metadata ?? {}).filter(([, fields]) => Object.keys(fields).length > 0);
	if (known.length === 0) return undefined;
	return JSON.stringify({ provider, of, metadata: Object.fromEntries(known) });
}

/**
 * Returns the metadata of a sealed text. Returns undefined if `text` is undefined or comes from another provider or
 * API.
 */
export function unseal(provider: string, text: string | undefined): SealedMetadata | undefined {
	if (text === undefined) return undefined;
	try {
		schema ??= envelope();
		const { success, data } = schema.safeParse(parseJson(text));
		return success && data.provider === provider ? { of: data.of, metadata: data.metadata } : undefined;
	} catch (reason) {
		// The signatures of other APIs are usually not JSON.
		if (reason instanceof ParleyError) return undefined;
		throw reason;
	}
}
