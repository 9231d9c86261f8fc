/** A message of a transcript. For each `call` of an assistant message, the following `tool` message has exactly one `result`. */
export type Message = UserMessage | AssistantMessage | ToolMessage;

export interface UserMessage {
	readonly role: "user";
	readonly content: readonly (TextBlock | ImageBlock)[];
}

export interface AssistantMessage {
	readonly role: "assistant";
	/** Requested model. Only this model can use the thinking of the message. */
	readonly model?: string;
	readonly content: readonly (TextBlock | ThinkingBlock | CallBlock)[];
}

export interface ToolMessage {
	readonly role: "tool";
	readonly content: readonly ResultBlock[];
}

export interface TextBlock {
	readonly type: "text";
	readonly text: string;
}

/** An image. `data` is base64. */
export interface ImageBlock {
	readonly type: "image";
	readonly mediaType: ImageType;
	readonly data: string;
}

export const imageTypes = ["image/png", "image/jpeg", "image/gif", "image/webp"] as const;
export type ImageType = (typeof imageTypes)[number];

export function isImageType(mediaType: string): mediaType is ImageType {
	return imageTypes.some((type) => type === mediaType);
}

/** Thinking of the model. `signature` and `redacted` are opaque and are sent back to the provider unchanged. */
export interface ThinkingBlock {
	readonly type: "thinking";
	readonly text: string;
	readonly signature?: string;
	readonly redacted?: string;
}

/**
 * One tool call. `id` is unique within the session. `name` and `arguments` are in their normal form (normalise-call.ts), but not
 * yet validated.
 */
export interface CallBlock {
	readonly type: "call";
	readonly id: string;
	readonly name: string;
	readonly arguments: unknown;
	/** Reason why the arguments are invalid. A call with invalid arguments never runs. */
	readonly invalid?: string;
	/** Differences between `arguments` and the arguments that the model wrote. The call's result mentions the differences. */
	readonly adjusted?: readonly string[];
}

export interface ResultBlock {
	readonly type: "result";
	readonly callId: string;
	readonly text: string;
	readonly failed: boolean;
	/**
	 * Images for the model in addition to the text. Absent if there are none, and for failed calls. The field name is
	 * stored in the database, so it must not change.
	 */
	readonly pictures?: readonly ImageBlock[];
}

/** Returns the text of a message, including its thinking, tool calls and results. Images have no text. */
export function messageText({ content }: Message): string {
	return content.map(blockText).join("\n");
}

function blockText(block: Message["content"][number]): string {
	switch (block.type) {
		case "text":
		case "thinking":
		case "result":
			return block.text;
		case "call":
			return `${block.name} ${JSON.stringify(block.arguments ?? null)}`;
		case "image":
			return "";
	}
}

/**
 * Pattern of each character or pair that a program may treat as a line end. A missed line end would leave a
 * quoted line without `>`.
 */
export const lineEnds = /\r\n|[\n\v\f\r\u{85}\u{2028}\u{2029}]/u;
