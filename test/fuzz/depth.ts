import { parseJson } from "@parley/base";
import { RequestFrame, type ResponseFrame } from "@parley/protocol";

/** Checks that refuse a frame. `done` means that the frame was accepted. */
export const depths = [
	"no JSON",
	"no request",
	"unknown method",
	"not available",
	"wrong parameters",
	"wrong state",
	"rate limited",
	"done",
] as const;
export type Depth = (typeof depths)[number];

/** Facts about a frame that are known without the gateway. */
export interface Reading {
	readonly isJson: boolean;
	/** True if the frame passes the schema that all requests share. */
	readonly isRequest: boolean;
	readonly id: string | undefined;
}

export function readFrame(text: string): Reading {
	let value: unknown;
	try {
		value = parseJson(text);
	} catch {
		return { isJson: false, isRequest: false, id: undefined };
	}
	return { isJson: true, isRequest: RequestFrame.safeParse(value).success, id: idOf(value) };
}

function idOf(value: unknown): string | undefined {
	if (typeof value !== "object" || value === null || !("id" in value)) return undefined;
	return RequestFrame.shape.id.safeParse(value.id).data;
}

/** Error prefixes of the checks after the request schema. */
const phrases: readonly (readonly [phrase: string, depth: Depth])[] = [
	["unknown method: ", "unknown method"],
	["not available", "not available"],
	["invalid params", "wrong parameters"],
	["session not found: ", "wrong state"],
	["task not found: ", "wrong state"],
	["prompt not found", "wrong state"],
	["session busy", "wrong state"],
	["seq not available: ", "wrong state"],
	["duplicate id", "wrong state"],
	["forbidden: ", "wrong state"],
	["rate limited", "rate limited"],
];

/** Maximum bytes of an error, longer than any error that only names the invalid part. */
const maxErrorBytes = 1_000;

/** Returns the check that refused the frame, or `fault` for an incorrect response. */
export function judge(
	reading: Reading,
	answer: ResponseFrame,
): { readonly depth: Depth } | { readonly fault: string } {
	if (answer.id !== reading.id) return { fault: `the answer is for ${answer.id}, not for ${reading.id}` };
	if (answer.ok)
		return reading.isRequest ? { depth: "done" } : { fault: "what is no request was carried out" };
	const { error } = answer;
	if (Buffer.byteLength(error) > maxErrorBytes)
		return { fault: `the error has ${Buffer.byteLength(error)} bytes` };
	if (/\n\s+at |\.ts:\d/.test(error)) return { fault: "the error shows the inside of the program" };
	if (!reading.isRequest) {
		// If `params` is not an object, the frame does not pass the request schema, but the error names the parameters.
		const isPhrase = /^invalid (request|params): /.test(error) || error === "invalid id";
		return isPhrase
			? { depth: reading.isJson ? "no request" : "no JSON" }
			: { fault: "another phrase is due" };
	}
	const known = phrases.find(([phrase]) => error.startsWith(phrase));
	return known ? { depth: known[1] } : { fault: "no fixed phrase" };
}
