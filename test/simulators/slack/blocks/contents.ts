import type { AnyBlock, MessageMetadata } from "@slack/types";
import { Refusal } from "../platform/refusal.ts";
import type { State } from "../platform/state.ts";
import { blockLimits, faultsOfBlocks, long, textLength } from "./block-limits.ts";
import { insideOf, isPart, type Part } from "./block-text.ts";

export interface Contents {
	readonly text?: string | undefined;
	readonly markdown_text?: string | undefined;
	readonly blocks?: readonly AnyBlock[] | undefined;
	readonly attachments?: readonly unknown[] | undefined;
	readonly parse?: "full" | "none" | undefined;
	readonly link_names?: boolean | undefined;
	readonly metadata?: MessageMetadata | undefined;
}

/**
 * Returns the content of the resulting message. Throws for an invalid message, and records a violation unless
 * the message is empty.
 */
export function readContents(state: State, contents: Contents) {
	const { markdown_text: markdown, metadata } = contents;
	if (markdown !== undefined && (contents.text !== undefined || contents.blocks)) {
		throw violated(state, "markdown_text_conflict");
	}
	const blocks = markdown === undefined ? contents.blocks : [{ type: "markdown", text: markdown }];
	const text = linked(state, contents);
	if (long(text ?? "") > blockLimits.text) throw violated(state, "msg_too_long");
	if (long(markdown ?? "") > blockLimits.markdown) throw violated(state, "msg_too_long");
	if (!text && !blocks?.length && !contents.attachments?.length) throw new Refusal("no_text");
	checkBlocks(state, blocks ?? [], blockLimits.blocksOfMessage);
	if (metadata) checkMetadata(state, metadata);
	return {
		text: text ?? "",
		...(blocks && { blocks: numbered(state, blocks) }),
		...(metadata && { metadata }),
	};
}

/**
 * Replaces names with mentions, like automatic parsing:
 * https://docs.slack.dev/messaging/formatting-message-text#automatic-parsing
 */
function linked(state: State, { text, parse, link_names: links }: Contents): string | undefined {
	if (text === undefined || (parse !== "full" && !links)) return text;
	const people = new Map([...state.users.values()].map(({ handle, id }) => [handle, id]));
	return text
		.replace(/(?<![\w<])@(channel|here|everyone)\b/g, "<!$1>")
		.replace(/(?<![\w<])@([a-z0-9._-]+)/g, (all, handle: string) =>
			people.has(handle) ? `<@${people.get(handle)}>` : all,
		);
}

/** Throws for blocks with faults, or for too much text in the blocks of a message. Records violations. */
export function checkBlocks(state: State, blocks: readonly unknown[], maximum: number): void {
	const faults = faultsOfBlocks(blocks, maximum);
	if (faults.length > 0) {
		state.violations.push(...faults);
		throw new Refusal("invalid_blocks", {
			body: { errors: faults, response_metadata: { messages: faults.map((fault) => `[ERROR] ${fault}`) } },
		});
	}
	if (maximum === blockLimits.blocksOfMessage && textLength(blocks) > blockLimits.allText) {
		throw violated(state, "msg_blocks_too_long");
	}
}

/** Throws for invalid metadata, and records a violation: https://docs.slack.dev/messaging/message-metadata */
export function checkMetadata(
	state: State,
	{ event_type: type, event_payload: payload }: MessageMetadata,
): void {
	if (!/^\w+$/.test(type)) throw violated(state, "invalid_metadata_format");
	if (long(JSON.stringify(payload)) > blockLimits.metadata) throw violated(state, "metadata_too_large");
}

/** Records the error as a violation, and returns its refusal. */
export function violated(state: State, error: string): Refusal {
	state.violations.push(error);
	return new Refusal(error);
}

/** Adds missing ids of blocks and elements, as Slack does: https://docs.slack.dev/reference/block-kit/blocks */
export function numbered(state: State, blocks: readonly AnyBlock[]): AnyBlock[] {
	return blocks.map((block): AnyBlock => {
		const copy = structuredClone(block);
		copy.block_id ??= state.stamps.id("b");
		for (const element of elementsOf(copy)) {
			if (isActive(element))
				Object.assign(element, { action_id: element["action_id"] ?? state.stamps.id("a") });
		}
		return copy;
	});
}

function elementsOf(block: AnyBlock): Part[] {
	const part: unknown = block;
	if (!isPart(part)) return [];
	return insideOf([part["elements"], part["accessory"], part["element"]].flat());
}

function isActive({ type = "" }: Part): boolean {
	return /button|select|overflow|checkboxes|picker|input/.test(type);
}
