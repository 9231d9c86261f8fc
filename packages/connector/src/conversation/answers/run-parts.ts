import { defined, definedItems } from "@parley/base";
import { oneLine } from "../vocabulary/plain.ts";

/** A part of a run before its answer: the text of a reply, or a tool call. */
export type RunPart = TextPart | CallPart;

interface TextPart {
	readonly type: "text";
	/** Markdown of the model. */
	readonly text: string;
}

export interface CallPart {
	readonly type: "call";
	readonly id: string;
	readonly name: string;
	/** First line of the call's main argument, for example of a path or a command. */
	readonly subject?: string;
	/**
	 * Start time of the call, in milliseconds since the epoch. If the call waited for a question, the time of the
	 * answer.
	 */
	readonly from: number;
	/** End of the call, in milliseconds since the epoch; absent while the call is running. */
	readonly to?: number;
	readonly failed?: true;
	/** Token of the open question that the call waits for. */
	readonly waits?: string;
}

/** Maximum number of parts. If there are more, the oldest parts are dropped. */
const maxParts = 80;
/**
 * Maximum length of all texts together, in UTF-16 code units. If the texts are longer, the oldest parts are
 * dropped, but never the newest part.
 */
const maxText = 30_000;
const maxSubject = 100;
const maxName = 60;

/** Adds the text of a reply, after which tool calls follow. */
export function withText(parts: readonly RunPart[], text: string): readonly RunPart[] {
	return bounded([...parts, { type: "text", text }]);
}

export function withCall(
	parts: readonly RunPart[],
	call: { readonly id: string; readonly name: string; readonly input: unknown; readonly at: number },
): readonly RunPart[] {
	const { id, name, input, at } = call;
	const subject = subjectOf(input);
	return bounded([
		...parts,
		{ type: "call", id, name: oneLine(name, maxName), from: at, ...defined({ subject }) },
	]);
}

export function withEnd(
	parts: readonly RunPart[],
	{ id, at, failed }: { readonly id: string; readonly at: number; readonly failed: boolean },
): readonly RunPart[] {
	return parts.map((part) =>
		part.type === "call" && part.id === id && part.to === undefined
			? { ...part, to: at, ...defined({ failed: failed ? (true as const) : undefined }) }
			: part,
	);
}

/**
 * Returns the parts after the open call `call` has begun to wait for the question `token`. Returns undefined if no
 * open call has this id.
 */
export function withQuestion(
	parts: readonly RunPart[],
	{ call, token }: { readonly call: string | undefined; readonly token: string },
): readonly RunPart[] | undefined {
	const isAsking = (part: RunPart): boolean =>
		part.type === "call" && part.id === call && part.to === undefined;
	if (!parts.some(isAsking)) return undefined;
	return parts.map((part) => (isAsking(part) ? { ...part, waits: token } : part));
}

/** Continues a call after the answer to its question. The duration of the call starts again at `at`. */
export function withAnswer(
	parts: readonly RunPart[],
	{ token, at }: { readonly token: string; readonly at: number },
): readonly RunPart[] {
	return parts.map((part) => {
		if (part.type !== "call" || part.waits !== token) return part;
		const { waits: _, ...left } = part;
		return { ...left, from: at };
	});
}

export function openCalls(parts: readonly RunPart[]): readonly CallPart[] {
	return parts.filter((part) => part.type === "call").filter(({ to }) => to === undefined);
}

/** Returns the texts of a run, in order, without the texts that `answer` repeats. */
export function earlierTexts(parts: readonly RunPart[], answer: string): readonly string[] {
	return definedItems(
		parts.map((part) => (part.type === "text" && !answer.includes(part.text.trim()) ? part.text : undefined)),
	);
}

function bounded(parts: readonly RunPart[]): readonly RunPart[] {
	let last = parts.slice(-maxParts);
	const length = (): number =>
		last.reduce((sum, part) => sum + (part.type === "text" ? part.text.length : 0), 0);
	while (last.length > 1 && length() > maxText) last = last.slice(1);
	return last;
}

const identifying = ["path", "file_path", "command", "cmd", "url", "pattern", "query"] as const;

function subjectOf(input: unknown): string | undefined {
	if (typeof input !== "object" || input === null) return undefined;
	const values: Readonly<{ [name: string]: unknown }> = { ...input };
	const value = identifying.map((name) => values[name]).find((each) => typeof each === "string");
	const [line = ""] = typeof value === "string" ? value.trim().split("\n") : [];
	return line === "" ? undefined : oneLine(line, maxSubject);
}
