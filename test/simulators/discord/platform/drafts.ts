import type {
	APIAllowedMentions,
	APIEmbed,
	APIMessageReferenceSend,
	APIMessageTopLevelComponent,
} from "discord-api-types/v10";
import type { AttachmentNote, Upload } from "./attachments.ts";

export interface MessageBody {
	readonly content?: string | null;
	readonly embeds?: readonly APIEmbed[] | null;
	readonly components?: readonly APIMessageTopLevelComponent[] | null;
	readonly attachments?: readonly AttachmentNote[] | null;
	readonly allowed_mentions?: APIAllowedMentions | null;
	readonly message_reference?: APIMessageReferenceSend | null;
	readonly flags?: number | null;
	readonly nonce?: string | number | null;
	readonly enforce_nonce?: boolean | null;
}

export interface Draft {
	readonly body: MessageBody;
	readonly files: readonly Upload[];
}

/**
 * Adds missing component ids and defaults, as Discord does in responses:
 * https://discord.com/developers/docs/components/reference#anatomy-of-a-component
 */
export function numbered(
	components: readonly APIMessageTopLevelComponent[] | null | undefined,
): APIMessageTopLevelComponent[] {
	let count = 0;
	const number = (value: unknown): unknown => {
		if (Array.isArray(value)) return value.map(number);
		if (typeof value !== "object" || value === null) return value;
		const given = "type" in value ? { id: "id" in value && value.id ? value.id : ++count } : {};
		const entries = Object.entries(value).map(([key, inner]) => [
			key,
			nested.has(key) ? number(inner) : inner,
		]);
		return { ...Object.fromEntries(entries), ...given, ...defaultsOf(value) };
	};
	// The cast is safe because only ids and defaults were added.
	return number(components ?? []) as APIMessageTopLevelComponent[];
}

const nested = new Set(["components", "component", "accessory"]);

function defaultsOf(value: object): object {
	if (!("options" in value)) return {};
	return {
		min_values: "min_values" in value ? value.min_values : 1,
		max_values: "max_values" in value ? value.max_values : 1,
	};
}
