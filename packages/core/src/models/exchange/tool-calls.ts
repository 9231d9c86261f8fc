import { ParleyError, parseJson } from "@parley/base";
import type { ModelEvent } from "../../vocabulary/model.ts";
import { maxCalls, tooManyCalls } from "../../vocabulary/model-error.ts";
import type { Fields } from "./errors.ts";
import { badCallTexts } from "./texts.ts";

export type Call = Extract<ModelEvent, { type: "call" }>;

/** Maximum characters of one call's arguments. */
const MAX_ARGUMENTS = 4 << 20;

/** Maximum values in the arguments of one call. */
const MAX_NODES = 200_000;

const MAX_ID = 128;
/** Maximum length of a tool name: https://platform.claude.com/docs/en/agents-and-tools/tool-use/define-tools */
const MAX_NAME = 128;

/** A call that the model is still writing. */
export class OpenCall {
	readonly kind = "call";
	readonly index: number;
	readonly id: string;
	readonly name: string;
	readonly #problem: string | undefined;
	readonly #input: unknown;
	#json = "";

	constructor({ id, name, input }: Fields, reply: ReplyCalls) {
		const admitted = reply.admit(name, id);
		this.index = admitted.index;
		this.id = admitted.id;
		this.name = admitted.name;
		this.#problem = admitted.problem;
		this.#input = input;
	}

	/** Returns how many characters of the arguments have been received. */
	get characters(): number {
		return this.#json.length;
	}

	/**
	 * Adds a piece of the arguments without parsing, because parsing after each piece would take quadratic time.
	 * Ignores pieces after the maximum.
	 */
	append(json: string): void {
		if (this.#json.length <= MAX_ARGUMENTS) this.#json += json;
	}

	/** Returns the complete call. A problem with the call or its arguments marks it as invalid. */
	close(): Call {
		const { index, id, name } = this;
		const problem = this.#problem;
		const facts = { type: "call", index, id, name } as const;
		const invalid = (reason: string): Call => ({ ...facts, arguments: {}, invalid: reason });
		try {
			const call = { ...facts, arguments: this.#arguments() };
			return problem === undefined ? call : { ...call, invalid: problem };
		} catch (reason) {
			if (!(reason instanceof ParleyError)) throw reason;
			return invalid(problem ?? badCallTexts.arguments(reason.message));
		}
	}

	#arguments(): unknown {
		if (this.#json.length > MAX_ARGUMENTS) throw refused(badCallTexts.tooLarge(MAX_ARGUMENTS));
		const text = this.#json === "" ? jsonOf(this.#input) : this.#json;
		const value = parseJson(text, { maxNodes: MAX_NODES, uniqueKeys: true });
		if (typeof value === "object" && value !== null && !Array.isArray(value)) return value;
		throw refused(badCallTexts.notObject);
	}
}

/** A call that may be incomplete. `characters` is the received length of its arguments. */
export interface PendingCall {
	readonly call: Call;
	readonly characters: number;
}

/** Returns a cut call as invalid and without arguments. Cut arguments may parse: an empty text means "no arguments". */
export function cutOff({ call, characters }: PendingCall): Call {
	const size = badCallTexts.characters(characters);
	return {
		...call,
		arguments: {},
		invalid: badCallTexts.cutOff(size),
	};
}

/** Numbers and checks the calls of one reply. */
export class ReplyCalls {
	readonly #ids = new Set<string>();
	#count = 0;

	/**
	 * Returns the index, name and id of the next call. A missing or too long id is replaced. `problem` is the reason why
	 * the call must not run, or undefined if the call may run.
	 */
	admit(
		name: unknown,
		id: unknown,
	): { index: number; name: string; id: string; problem: string | undefined } {
		const index = this.#count++;
		const known = typeof id === "string" && id !== "" && id.length <= MAX_ID;
		const usedId = known ? id : `call_${index}`;
		const duplicate = this.#ids.has(usedId);
		this.#ids.add(usedId);
		return {
			index,
			name: typeof name === "string" ? name.slice(0, MAX_NAME) : "",
			id: usedId,
			problem: duplicate ? badCallTexts.sameId : problemOf(name, index),
		};
	}
}

function problemOf(name: unknown, number: number): string | undefined {
	if (number >= maxCalls) return tooManyCalls;
	if (typeof name !== "string" || name === "") return badCallTexts.noName;
	if (name.length > MAX_NAME) return badCallTexts.longName(MAX_NAME);
	return undefined;
}

/** Returns the complete input that some servers send at the start of a block. Anthropic sends an empty object. */
function jsonOf(input: unknown): string {
	if (typeof input !== "object" || input === null) return "{}";
	try {
		return JSON.stringify(input);
	} catch (cause) {
		throw new ParleyError(badCallTexts.tooNested, { code: "invalid_argument", cause });
	}
}

function refused(subject: string): ParleyError {
	return new ParleyError(subject, { code: "invalid_argument" });
}
