import * as z from "zod";
import { rozErrorTexts } from "../../texts/wires/grpc.ts";

/** Schema of names and ids. */
const short = z.string().max(256, { error: rozErrorTexts.longText });

/** Maximum number of characters of instructions, for one text and for all texts together. */
export const maxInstructions = 200_000;

const text = z.string().max(maxInstructions, { error: rozErrorTexts.longInstructions });

/** Minimum context window in tokens. The window must contain instructions, tools and a reply. */
const smallestWindow = 4_096;

/** Schema of the options of a `StartSession`. The core checks tools and history. */
export const SessionStart = z.object({
	environmentId: short,
	hostId: short.optional(),
	model: short.optional(),
	projectContext: z
		.array(text)
		.max(100, { error: rozErrorTexts.manyTexts })
		.transform((texts) => texts.map((one) => one.trim()).filter((one) => one !== "")),
	maxContextTokens: z
		.number()
		.min(smallestWindow, { error: rozErrorTexts.smallWindow({ least: smallestWindow }) })
		.optional(),
});

export type SessionStart = z.infer<typeof SessionStart>;

export const Message = z.object({
	content: z.string(),
	aiMode: short.optional(),
	messageId: short.optional(),
	systemContext: text.optional(),
});

export type Message = z.infer<typeof Message>;
