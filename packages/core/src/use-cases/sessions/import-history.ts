import { defined, ParleyError, parseJson } from "@parley/base";
import { bytesOf, fitTogether, imageSize, maxImageBytes, maxImageSide, noRoom } from "../../files/images.ts";
import {
	type CallBlock,
	type ImageBlock,
	imageTypes,
	isImageType,
	type ResultBlock,
	type TextBlock,
	type ThinkingBlock,
} from "../../vocabulary/message.ts";
import type { Step } from "../../vocabulary/step.ts";
import { imageProblem } from "../../vocabulary/stored-file.ts";
import { storable } from "../messages/storable.ts";
import { importTexts } from "./texts.ts";

/** A block of an imported message. A result may be in a message with role `user` or `tool`. */
export type HistoryBlock =
	| TextBlock
	| ThinkingBlock
	| Pick<CallBlock, "type" | "id" | "name" | "arguments">
	| ResultBlock
	| { readonly type: "image"; readonly mediaType: string; readonly data: string };

/** A message of an imported history. */
export interface HistoryMessage {
	/** `user`, `assistant` or `tool`. Any other role is refused. */
	readonly role: string;
	/**
	 * Model that wrote a reply. The thinking of the reply is sent only to this model, and to no model if the field is
	 * absent.
	 */
	readonly model?: string;
	readonly content: readonly HistoryBlock[];
}

/** Limits of an imported history. For images see `maxImageBytes` and `fitTogether`. */
export const historyLimits = {
	messages: 500,
	/** Maximum total blocks in a history. */
	blocks: 5_000,
	/** Maximum UTF-8 bytes of one text or one call's arguments, and maximum total of all texts and arguments. */
	textBytes: 1024 * 1024,
	allBytes: 8 * 1024 * 1024,
	/** Maximum characters of a call id, a tool name or a model name. */
	nameLength: 128,
} as const;

type ReplyStep = Extract<Step, { kind: "reply" }>;

/** Blocks of an imported reply, and the model that wrote it. */
export interface ImportedReply {
	readonly kind: "reply";
	readonly content: ReplyStep["content"];
	readonly asked?: string;
}

/**
 * Part of the history that is stored as one run: user messages, replies, and the results of the tool calls in these
 * replies.
 */
export interface ImportedRun {
	readonly texts: readonly string[];
	readonly images: readonly ImageBlock[];
	readonly steps: readonly (ImportedReply | Extract<Step, { kind: "result" }>)[];
}

/**
 * Checks a history and divides it into runs. A user message with text or images that follows a reply starts a run. User
 * messages without a reply between them are one message. An error about one message contains the number of the message.
 * Throws `invalid_argument` for these faults:
 * - an unknown role
 * - a message that is empty, or has a block that the message's role does not allow
 * - an invalid image
 * - a tool call with a used id, or without exactly one result
 * - content beyond the limits
 */
export function planImport(history: readonly HistoryMessage[]): readonly ImportedRun[] {
	const { messages, blocks } = historyLimits;
	if (history.length > messages) {
		throw invalid(importTexts.tooManyMessages(history.length, messages));
	}
	const count = history.reduce((sum, { content }) => sum + content.length, 0);
	if (count > blocks) throw invalid(importTexts.tooManyBlocks(count, blocks));
	const reader = new HistoryReader();
	for (const [index, message] of history.entries()) reader.receive(message, index + 1);
	return reader.end();
}

/** A run to which further messages may belong. */
interface Draft extends ImportedRun {
	readonly texts: string[];
	readonly images: ImageBlock[];
	readonly steps: ImportedRun["steps"][number][];
}

class HistoryReader {
	readonly #runs: Draft[] = [];
	/** Ids of all tool calls so far, and ids of the calls without a result. */
	readonly #calls = new Set<string>();
	readonly #open = new Set<string>();
	readonly #images: ImageBlock[] = [];
	#bytes = 0;
	/** Number of the current message, from 1. */
	#at = 0;

	receive({ role, model, content }: HistoryMessage, at: number): void {
		this.#at = at;
		if (content.length === 0) throw this.#fault(importTexts.noContent);
		switch (role) {
			case "user":
			case "tool":
				this.#answer(content, role);
				return;
			case "assistant":
				this.#reply(content, model);
				return;
			default:
				throw this.#fault(importTexts.unknownRole(quoted(role)));
		}
	}

	end(): readonly ImportedRun[] {
		this.#requireResults();
		if (!fitTogether(this.#images)) throw invalid(importTexts.tooManyImages(noRoom));
		return this.#runs;
	}

	/**
	 * Adds the content of a user message or of tool results. All results belong to the preceding reply,
	 * regardless of their position.
	 */
	#answer(content: readonly HistoryBlock[], role: "user" | "tool"): void {
		for (const block of content) {
			if (block.type === "result") this.#result(block);
			else if (role === "tool" || block.type === "call" || block.type === "thinking") {
				throw this.#fault(importTexts.blockOfRole(role, quoted(block.type)));
			}
		}
		const shown = content.filter((block) => block.type === "text" || block.type === "image");
		if (shown.length === 0) return;
		this.#requireResults();
		const last = this.#runs.at(-1);
		const run = last && last.steps.length === 0 ? last : this.#begin();
		for (const block of shown) {
			if (block.type === "text") run.texts.push(this.#text(block.text));
			else run.images.push(this.#image(block));
		}
	}

	#reply(content: readonly HistoryBlock[], model: string | undefined): void {
		this.#requireResults();
		const run = this.#runs.at(-1) ?? this.#begin();
		const requested = model === undefined ? {} : { asked: this.#name(importTexts.model, model) };
		run.steps.push({ kind: "reply", content: content.map((block) => this.#replied(block)), ...requested });
	}

	#replied(block: HistoryBlock): ImportedReply["content"][number] {
		switch (block.type) {
			case "text":
				return { type: "text", text: this.#text(block.text) };
			case "thinking":
				return this.#thinking(block);
			case "call":
				return this.#call(block);
			default:
				throw this.#fault(importTexts.blockOfRole("assistant", quoted(block.type)));
		}
	}

	#thinking({ text, signature, redacted }: ThinkingBlock): ThinkingBlock {
		if (signature === undefined && redacted === undefined)
			return { type: "thinking", text: this.#text(text) };
		return {
			type: "thinking",
			text: this.#counted(text),
			...defined({
				signature: signature === undefined ? undefined : this.#counted(signature),
				redacted: redacted === undefined ? undefined : this.#counted(redacted),
			}),
		};
	}

	#call({ id, name, arguments: args }: Pick<CallBlock, "id" | "name" | "arguments">): CallBlock {
		this.#name(importTexts.callId, id);
		if (this.#calls.has(id)) throw this.#fault(importTexts.doubleCall(quoted(id)));
		this.#calls.add(id);
		this.#open.add(id);
		return {
			type: "call",
			id,
			name: this.#name(importTexts.toolName, name),
			arguments: this.#arguments(id, args),
		};
	}

	#result({ callId, text, failed, pictures: images = [] }: ResultBlock): void {
		if (!this.#open.delete(callId)) {
			throw this.#fault(importTexts.unexpectedResult(quoted(callId)));
		}
		const shown = failed ? [] : images.map((image) => this.#image(image));
		const seen = shown.length > 0 && { pictures: shown };
		// The call is in the last run, because all calls of earlier runs have results.
		this.#runs.at(-1)?.steps.push({ kind: "result", callId, text: this.#text(text), failed, ...seen });
	}

	#begin(): Draft {
		const run: Draft = { texts: [], images: [], steps: [] };
		this.#runs.push(run);
		return run;
	}

	#requireResults(): void {
		const [open] = this.#open;
		if (open === undefined) return;
		throw this.#fault(importTexts.noResult(quoted(open)));
	}

	#name(field: string, text: string): string {
		const { nameLength } = historyLimits;
		if (text === "" || text.length > nameLength) {
			throw this.#fault(importTexts.nameLength(field, text.length, nameLength));
		}
		return this.#text(text);
	}

	#text(text: string): string {
		return storable(this.#counted(text));
	}

	#counted(text: string): string {
		this.#count(Buffer.byteLength(text));
		return text;
	}

	#arguments(id: string, args: unknown): unknown {
		try {
			const text = JSON.stringify(args ?? {});
			this.#count(Buffer.byteLength(text));
			return parseJson(text);
		} catch (cause) {
			throw this.#fault(importTexts.arguments(quoted(id), ParleyError.from(cause).message), cause);
		}
	}

	#count(bytes: number): void {
		const { textBytes, allBytes } = historyLimits;
		if (bytes > textBytes) throw this.#fault(importTexts.longText(bytes, textBytes));
		this.#bytes += bytes;
		if (this.#bytes > allBytes) {
			throw this.#fault(importTexts.longTexts(allBytes));
		}
	}

	/**
	 * Returns the image as a block. Throws for an image that the provider would refuse, because every later
	 * request of the session would fail.
	 */
	#image({ mediaType, data }: { readonly mediaType: string; readonly data: string }): ImageBlock {
		if (!isImageType(mediaType)) {
			throw this.#fault(importTexts.imageType(quoted(mediaType), imageTypes.join(", ")));
		}
		const image: ImageBlock = { type: "image", mediaType, data };
		const content = Buffer.from(data, "base64");
		const bytes = bytesOf(image);
		if (bytes > maxImageBytes) {
			throw this.#fault(importTexts.largeImage(bytes, maxImageBytes));
		}
		if (content.toString("base64") !== data) throw this.#fault(importTexts.notBase64);
		const size = imageSize(mediaType, content);
		const problem = imageProblem(image) ?? (size ? undefined : importTexts.damaged);
		if (problem !== undefined) throw this.#fault(importTexts.badImage(mediaType, problem));
		if (size && Math.max(size.width, size.height) > maxImageSide) {
			throw this.#fault(importTexts.wideImage(size.width, size.height, maxImageSide));
		}
		this.#images.push(image);
		return image;
	}

	#fault(problem: string, cause?: unknown): ParleyError {
		return invalid(`message ${this.#at}: ${problem}`, cause);
	}
}

function quoted(text: string): string {
	return JSON.stringify(text.slice(0, 100));
}

function invalid(problem: string, cause?: unknown): ParleyError {
	return new ParleyError(`history: ${problem}`, {
		code: "invalid_argument",
		...defined({ cause }),
	});
}
