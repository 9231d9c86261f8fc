import type { Message } from "../../vocabulary/message.ts";
import type { ToolDescription } from "../../vocabulary/model.ts";

/**
 * Properties of a part of a request that decide its tokens, in the order of `featureNames`. The features of two parts
 * together are
 * their sum.
 */
export type Features = readonly number[];

/**
 * letters: Latin letters and blanks. signs: digits and punctuation, of which fewer make a token. wide: characters outside
 * ASCII,
 * those of two bytes as halves. blocks: messages, their blocks and tools, which have frames. images: images. requests: the
 * provider's additions to each request.
 */
export const featureNames = ["letters", "signs", "wide", "blocks", "images", "requests"] as const;

/** Features of an empty request. */
export const oneRequest: Features = [0, 0, 0, 0, 0, 1];

const isLetter = Uint8Array.from({ length: 128 }, (_, code) =>
	/[A-Za-z\s]/.test(String.fromCharCode(code)) ? 1 : 0,
);

/** Reads the text once, character by character. */
export function featuresOfText(text: string): Features {
	let letters = 0;
	let wide = 0;
	let halves = 0;
	for (let index = 0; index < text.length; index++) {
		const code = text.charCodeAt(index);
		if (code >= 0x800) wide += 1;
		else if (code >= 0x80) halves += 1;
		else letters += isLetter[code] ?? 0;
	}
	return [letters, text.length - letters - wide - halves, wide + halves / 2, 0, 0, 0];
}

/** Features of the tool descriptions. Computed once for each array. */
export function featuresOfTools(tools: readonly ToolDescription[]): Features {
	return counted(tools, () => {
		const texts = tools.map(({ name, description, parameters }) =>
			featuresOfText(`${name}\n${description}\n${JSON.stringify(parameters)}`),
		);
		return sumOf([...texts, blocks(2 * tools.length)]);
	});
}

/** Counted once for each message. */
export function featuresOfMessage(message: Message): Features {
	return counted(message, () =>
		sumOf([blocks(1 + message.content.length), ...message.content.map(featuresOfBlock)]),
	);
}

/** The sum over all messages; a walk over what is known of them, not over their text. */
export function featuresOfMessages(messages: readonly Message[]): Features {
	const sum = featureNames.map(() => 0);
	for (const message of messages) add(sum, featuresOfMessage(message));
	return sum;
}

export function sumOf(parts: readonly Features[]): Features {
	const sum = featureNames.map(() => 0);
	for (const part of parts) add(sum, part);
	return sum;
}

export function difference(a: Features, b: Features): Features {
	return a.map((value, index) => value - (b[index] ?? 0));
}

function add(sum: number[], part: Features): void {
	for (let index = 0; index < sum.length; index++) sum[index] = (sum[index] ?? 0) + (part[index] ?? 0);
}

const known = new WeakMap<object, Features>();

function counted(of: object, count: () => Features): Features {
	const before = known.get(of);
	if (before) return before;
	const features = count();
	known.set(of, features);
	return features;
}

function blocks(count: number): Features {
	return [0, 0, 0, count, 0, 0];
}

function featuresOfBlock(block: Message["content"][number]): Features {
	switch (block.type) {
		case "image":
			return [0, 0, 0, 0, 1, 0];
		case "call":
			return featuresOfText(`${block.name} ${JSON.stringify(block.arguments ?? null)}`);
		case "thinking":
			return featuresOfThinking(block);
		case "text":
			return featuresOfText(block.text);
		case "result":
			return sumOf([featuresOfText(block.text), ...(block.pictures ?? []).map(featuresOfBlock)]);
	}
}

/** Sealed thinking counts by its length before it was sealed, which base64 makes a third longer. */
function featuresOfThinking(block: Extract<Message["content"][number], { type: "thinking" }>): Features {
	if (block.text !== "") return featuresOfText(block.text);
	const sealed = block.redacted ?? block.signature ?? "";
	return [Math.round((sealed.length * 3) / 4), 0, 0, 0, 0, 0];
}
