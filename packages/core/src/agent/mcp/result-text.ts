import type { CallToolResult, ContentBlock } from "@modelcontextprotocol/client";
import { defined, definedItems } from "@parley/base";
import { imageSize, maxImageBytes, maxImageSide } from "../../files/images.ts";
import { type ImageBlock, isImageType } from "../../vocabulary/message.ts";
import type { ToolResult } from "../../vocabulary/tool.ts";
import { mcpResultTexts } from "./texts.ts";

/** Maximum text characters of one result. */
const maxCharacters = 256 * 1024;
const maxImages = 4;
const maxBlocks = 1_000;

/**
 * Invisible characters: control characters except line feed and tab, bidirectional embeddings, overrides and isolates,
 * and tag characters, which only models read.
 */
const UNSEEN = /(?![\n\t])[\p{Cc}\u{202a}-\u{202e}\u{2066}-\u{2069}\u{e0000}-\u{e007f}]/gu;

/**
 * Returns the result of a call for a model: images, and text between two lines. Both lines contain `mark`, which the
 * server does not know. Accepts any data from the server.
 */
export function resultOf(result: CallToolResult, server: string, mark: string): ToolResult {
	const { content = [], structuredContent, isError = false } = result;
	const blocks = content.slice(0, maxBlocks);
	const texts = blocks.map(textOf);
	if (content.length > maxBlocks) texts.push(mcpResultTexts.moreParts(content.length - maxBlocks));
	if (structuredContent !== undefined && texts.length === 0) texts.push(JSON.stringify(structuredContent));
	const images = isError ? [] : blocks.flatMap(imageOf).slice(0, maxImages);
	return {
		text: untrusted(texts.join("\n"), server, mark),
		failed: isError,
		...defined({ images: images.length > 0 ? images : undefined }),
	};
}

function untrusted(text: string, server: string, mark: string): string {
	const clean = cleanText(text);
	const shown = clean.slice(0, maxCharacters).replace(/[\ud800-\udbff]$/, "");
	const left = clean.length - shown.length;
	return definedItems([
		mcpResultTexts.untrusted(mark, server),
		mcpResultTexts.begin(mark),
		shown === "" ? mcpResultTexts.noText : shown,
		mcpResultTexts.end(mark),
		left > 0 ? mcpResultTexts.moreCharacters(left) : undefined,
	]).join("\n");
}

/**
 * Returns a description without invisible characters. Result texts keep some invisible characters, because emoji need
 * them.
 */
export function cleanDescription(text: string): string {
	return cleanText(text).replaceAll(/\p{Default_Ignorable_Code_Point}/gu, "");
}

function cleanText(text: string): string {
	return text.replaceAll("\r\n", "\n").replaceAll(UNSEEN, "").toWellFormed().trim();
}

function textOf(block: ContentBlock): string {
	switch (block.type) {
		case "text":
			return block.text;
		case "image":
			return mcpResultTexts.image(block.mimeType);
		case "audio":
			return mcpResultTexts.audio(block.mimeType);
		case "resource_link":
			return mcpResultTexts.link(block.uri, block.title ?? block.name);
		case "resource": {
			const { resource } = block;
			const head = mcpResultTexts.resource(resource.uri);
			return "text" in resource ? `${head}\n${resource.text}` : `${head}\n${mcpResultTexts.binary}`;
		}
		default:
			return mcpResultTexts.unknownPart;
	}
}

/**
 * Returns a list with the image of a block. The list is empty if the block has no image or if models would refuse the
 * image. A server may send any data.
 */
function imageOf(block: ContentBlock): ImageBlock[] {
	if (block.type !== "image" || !isImageType(block.mimeType)) return [];
	const bytes = Buffer.from(block.data, "base64");
	if (bytes.length > maxImageBytes) return [];
	const size = imageSize(block.mimeType, bytes);
	if (!size || Math.max(size.width, size.height) > maxImageSide) return [];
	return [{ type: "image", mediaType: block.mimeType, data: bytes.toString("base64") }];
}
