import { defined, ParleyError } from "@parley/base";
import { type ImageBlock, imageProblem, isImageType, type RunOptions } from "@parley/core";
import type { ContentBlock, UserMessage } from "../../../gen/roz/v1/agent.ts";
import { rozErrorTexts } from "../../../texts/wires/grpc.ts";
import { decode, decodeMode } from "../codec.ts";
import { Message } from "../schema.ts";
import type { CurrentModel } from "./start-session.ts";

export interface ComposedMessage {
	readonly content: string;
	readonly images: readonly ImageBlock[];
	/** Id of the message, chosen by the client; may be empty. */
	readonly messageId: string;
	readonly options: RunOptions;
}

interface SessionChoices {
	readonly currentModel: () => CurrentModel;
	readonly system: readonly string[];
	readonly contextTokens: number | undefined;
}

/**
 * Composes the message of a turn. Context blocks become part of the message, so that every client of the session sees the
 * same content as the model. Throws `invalid_argument` for an empty or invalid message, and `unimplemented` for an image
 * that the model cannot read.
 */
export function composeMessage(
	command: UserMessage,
	{ currentModel, system, contextTokens }: SessionChoices,
): ComposedMessage {
	const { content, aiMode = "", messageId = "", systemContext = "" } = decode(Message, command);
	const images = command.context.flatMap(imageOf);
	if (images.length > 0) requireImages(currentModel());
	const texts = command.context.flatMap(textOf);
	if (content.trim() === "" && texts.length === 0 && images.length === 0) {
		throw new ParleyError(rozErrorTexts.empty, { code: "invalid_argument" });
	}
	const text = [...system, systemContext.trim()].filter((one) => one !== "").join("\n\n");
	return {
		content: [...texts, content].join("\n\n"),
		images,
		messageId,
		options: defined({
			system: text === "" ? undefined : ({ text, place: "behind" } as const),
			mode: aiMode === "" ? undefined : decodeMode(aiMode),
			contextTokens,
		}),
	};
}

function requireImages({ name, readsImages }: CurrentModel): void {
	if (readsImages) return;
	const message = rozErrorTexts.noImages({ model: name });
	throw new ParleyError(message, { code: "unimplemented" });
}

/**
 * First character of a closing tag. The character is escaped instead of removed, because the text around a removed
 * tag could form another tag.
 */
const closing = /<(?=\s*\/\s*context)/giu;

/** Returns the block as text with escaped closing tags. Returns an empty list for an image or an empty block. */
function textOf({ block, label = "" }: ContentBlock): string[] {
	const name = label.replaceAll(/["<>\p{Cc}]/gu, " ").trim();
	const opening = name === "" ? "<context>" : `<context label="${name}">`;
	switch (block?.$case) {
		case "text":
			return [`${opening}\n${block.value.replaceAll(closing, "&lt;")}\n</context>`];
		case "binary": {
			const { mimeType, data } = block.value;
			if (isImageType(mimeType)) return [];
			const type = mimeType.slice(0, 100).replaceAll(closing, "&lt;");
			return [`${opening}\n[${data.length} bytes of ${type} cannot be shown]\n</context>`];
		}
		case undefined:
			return [];
	}
}

function imageOf({ block }: ContentBlock): ImageBlock[] {
	if (block?.$case !== "binary") return [];
	const { mimeType: mediaType, data } = block.value;
	if (!isImageType(mediaType)) return [];
	const image = { mediaType, data: data.toString("base64") } as const;
	const problem = imageProblem(image);
	if (problem !== undefined) throw new ParleyError(`context: ${problem}`, { code: "invalid_argument" });
	return [{ type: "image", ...image }];
}
