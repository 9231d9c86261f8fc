import { imageProblem, imageTypes } from "@parley/core";
import * as z from "zod";
import { zotErrorTexts } from "../../texts/wires/zot.ts";

/** Major version of the protocol document, for the response to `hello`. */
export const protocolVersion = 1;

/** Maximum number of characters of an id or another name, which many lines repeat. */
const maxNameLength = 1_024;
/**
 * Maximum number of bytes of a message in JSON. `user_message` returns the message in one line, which must stay below
 * 16 MiB.
 */
const maxMessageBytes = 15 * 1024 * 1024;
/** Maximum number of bytes of JSON for one UTF-16 code unit. */
const widest = 6;

const Name = z.string().max(maxNameLength);
const Message = z
	.string()
	.refine(
		(text) => text.length * widest <= maxMessageBytes || encodedBytes(text) <= maxMessageBytes,
		zotErrorTexts.longJson,
	);

/** Schema of the id of a command. Responses return the id unchanged. */
export const Id = z.union([
	Name,
	z.number().refine((id) => Math.abs(id) <= Number.MAX_SAFE_INTEGER, zotErrorTexts.exactNumber),
]);
export type Id = z.infer<typeof Id>;

/**
 * Schema of the fields that every line has. An id of `null` is treated as absent, because clients in typed languages
 * send `null`.
 */
export const LineEnvelope = z.looseObject({ type: z.string(), id: Id.nullish() });

/** Returns the schema of an image type. Accepts `image/jpg`, which many programs send for JPEG. */
const imageType = () =>
	z.preprocess((type) => (type === "image/jpg" ? "image/jpeg" : type), z.enum(imageTypes));

/** Returns the schema of data in base64. Removes line breaks, which MIME encoders insert. */
const base64 = () =>
	z
		.string()
		.transform((text) => text.replaceAll(/[\r\n]+/g, ""))
		.pipe(z.base64());

const image = () =>
	z
		.object({ mime_type: imageType(), data: base64() })
		// Refuses an invalid image. If accepted, the image would be stored with the conversation, and the provider
		// would refuse every later prompt.
		.superRefine((image, context) => {
			const message = imageProblem({ mediaType: image.mime_type, data: image.data });
			if (message) context.addIssue({ code: "custom", path: ["data"], message });
		});

/** Reasoning efforts by the words that clients send. */
export const reasoningWords = {
	off: "off",
	none: "off",
	minimal: "low",
	minimum: "low",
	low: "low",
	medium: "medium",
	high: "high",
	xhigh: "xhigh",
	max: "max",
	maximum: "max",
} as const;

const reasoningWord = () =>
	z
		.string()
		.transform((word) => word.toLowerCase())
		.pipe(z.literal(Object.keys(reasoningWords) as (keyof typeof reasoningWords)[]))
		.transform((word) => reasoningWords[word]);

const id = Id.nullish();

/** Functions that create the schemas of the commands, by `type`. The schemas ignore unknown fields. */
const makers = {
	hello: () => z.object({ id, token: z.string().nullish() }),
	prompt: () => z.object({ id, message: Message.nullish(), images: z.array(image()).nullish() }),
	abort: () => z.object({ id }),
	compact: () => z.object({ id }),
	get_state: () => z.object({ id }),
	get_messages: () => z.object({ id }),
	clear: () => z.object({ id }),
	set_model: () => z.object({ id, model: Name }),
	set_reasoning: () => z.object({ id, reasoning: reasoningWord() }),
	get_models: () => z.object({ id }),
	ping: () => z.object({ id }),
	queue: () => z.object({ id }),
	cancel_queued: () => z.object({ id, request_id: Id }),
	approve: () =>
		z.object({
			id,
			ask: z.string().nullish(),
			allow: z.boolean(),
			reason: z.string().nullish(),
			remember_tool: z.boolean().nullish(),
			remember_all: z.boolean().nullish(),
		}),
};
type Schemas = { readonly [Type in keyof typeof makers]: ReturnType<(typeof makers)[Type]> };

/** Schemas of the commands by `type`. Each schema is created when the first command of its type arrives. */
export const commands = lazySchemas();

function lazySchemas(): Schemas {
	const schemas = {};
	for (const [type, make] of Object.entries(makers)) {
		Object.defineProperty(schemas, type, {
			configurable: true,
			enumerable: true,
			get() {
				const value = make();
				Object.defineProperty(schemas, type, { value });
				return value;
			},
		});
	}
	// The cast is safe because the loop defines a property for each maker.
	return schemas as Schemas;
}

export type CommandType = keyof typeof commands;

export type Command = {
	[Type in CommandType]: { readonly type: Type; readonly id: Id | undefined } & z.output<
		(typeof commands)[Type]
	>;
}[CommandType];

/** Response to a command. Each command gets exactly one response. */
export type Response =
	| { type: "response"; id?: Id; command: string; success: true; data?: object }
	| { type: "response"; id?: Id; command: string; success: false; error: string };

export interface Counts {
	readonly input: number;
	readonly output: number;
	readonly cache_read: number;
	readonly cache_write: number;
	readonly cost_usd: number;
}

export type Block =
	| { readonly type: "text"; readonly text: string }
	| { readonly type: "image"; readonly mime_type: string; readonly bytes: number }
	| { readonly type: "tool_call"; readonly id: string; readonly name: string; readonly args: unknown }
	| {
			readonly type: "tool_result";
			readonly call_id: string;
			readonly is_error: boolean;
			readonly content: readonly Block[];
	  };

export type Stop = "end_turn" | "tool_use" | "length" | "error" | "aborted";

/** An event of a prompt or a compaction. The connection adds `request_id`, the id of that command. */
export type Notice =
	| { readonly type: "turn_start"; readonly step: number }
	| { readonly type: "user_message"; readonly content: readonly Block[]; readonly time: string }
	| { readonly type: "assistant_start" }
	| { readonly type: "thinking_delta"; readonly delta: string }
	| { readonly type: "text_delta"; readonly delta: string }
	/** A tool call that the model is writing. `delta` is the next part of its arguments, as JSON text. */
	| { readonly type: "tool_use_start"; readonly id: string; readonly name: string }
	| { readonly type: "tool_use_args"; readonly id: string; readonly delta: string }
	| { readonly type: "tool_use_end"; readonly id: string }
	| { readonly type: "tool_call"; readonly id: string; readonly name: string; readonly args: unknown }
	| { readonly type: "tool_progress"; readonly id: string; readonly text: string }
	| {
			readonly type: "tool_result";
			readonly id: string;
			readonly is_error: boolean;
			readonly content: readonly Block[];
	  }
	| { readonly type: "assistant_message"; readonly content: readonly Block[]; readonly time: string }
	| ({ readonly type: "usage"; readonly cumulative: Counts; readonly auxiliary?: true } & Counts)
	| { readonly type: "turn_end"; readonly stop: Stop; readonly error?: string }
	| { readonly type: "done" }
	| { readonly type: "error"; readonly message: string }
	| { readonly type: "compact_done"; readonly summary: string }
	| Ask;

export type NoticeType = Notice["type"];

export interface Ask {
	readonly type: "ask";
	readonly id: string;
	readonly call_id: string;
	readonly tool: string;
	readonly args: unknown;
	readonly label: string;
	/** Unified diff of a change; otherwise empty. */
	readonly preview: string;
	readonly risk: string;
	readonly notes: readonly string[];
	/** Whether the client may answer with `remember_tool`. */
	readonly can_remember: boolean;
}

export type Frame = Response | (Notice & { readonly request_id?: Id });

const forms: Readonly<Record<string, string>> = {
	string: "a string",
	number: "a number",
	boolean: zotErrorTexts.trueOrFalse,
	array: "a list",
	object: zotErrorTexts.object,
};

/** Returns the description of a validation error. Messages of the schemas have precedence. */
export function issueText(issue: z.core.$ZodRawIssue): string {
	if (issue.input === undefined) return zotErrorTexts.missing;
	switch (issue.code) {
		case "invalid_type":
			return zotErrorTexts.mustBe({ form: forms[issue.expected] ?? issue.expected });
		case "invalid_union":
			return zotErrorTexts.textOrNumber;
		case "invalid_value":
			return zotErrorTexts.oneOf({ names: issue.values.map(String).join(", ") });
		case "invalid_format":
			return zotErrorTexts.mustBe({ form: issue.format });
		case "too_big":
			return zotErrorTexts.longText({ max: issue.maximum.toLocaleString("en") });
		default:
			return zotErrorTexts.unreadable;
	}
}

const separators = /[\u2028\u2029]/g;

/**
 * Encodes JSON and escapes U+2028 and U+2029, because some readers treat these as line breaks, for example readline of
 * Node.js.
 */
export function encodeJson(value: unknown): string {
	const json = JSON.stringify(value);
	if (!json.includes("\u2028") && !json.includes("\u2029")) return json;
	return json.replace(separators, (end) => (end === "\u2028" ? "\\u2028" : "\\u2029"));
}

export function encodedBytes(value: unknown): number {
	return Buffer.byteLength(encodeJson(value));
}
