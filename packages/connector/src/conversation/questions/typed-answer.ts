import type { MethodInput } from "@parley/protocol";
import { approvalTexts } from "../../texts/approvals.ts";
import { questionTexts } from "../../texts/questions.ts";
import { plainLine } from "../vocabulary/plain.ts";
import type { QuestionForm, QuestionOption } from "./question.ts";

export type Response = Omit<MethodInput<"prompt_response">, "token" | "key">;

/** Parameters of `prompt_response` for a typed answer. */
export interface TypedResponse {
	readonly value?: string;
	readonly values?: string[];
	readonly text?: string;
	readonly cancelled?: true;
	/** Reason for a denial. */
	readonly reason?: string;
}

/** Answer from a text, or Markdown that explains the allowed forms. `again` is true if the person can answer again at once. */
export type TypedAnswer =
	| { readonly response: TypedResponse }
	| { readonly help: string; readonly again?: true };

/** Reads a typed answer. The gateway validates the response. */
export function readTypedAnswer(question: QuestionForm | undefined, text: string): TypedAnswer {
	const { kind = "text", call } = question ?? {};
	const typed = text.trim();
	switch (kind) {
		case "approval":
			if (call?.risk === "critical") return { help: approvalTexts.typed.onlyButtons };
			return decisionOf(typed, call?.allowSession === true);
		case "grant":
			return { help: approvalTexts.typed.onlyButtons };
		case "password":
			return { help: questionTexts.secretTyped };
		case "text":
			return { response: { text: typed } };
		case "select":
		case "multi":
			return readChoices(question ?? {}, typed);
	}
}

const denial = /^deny:(?<reason>.*)$/is;
const ascii = /^[\x20-\x7e]*$/;
const longestReason = 1_000;

/** The only phrases that decide an approval, in addition to `deny: REASON`. */
const phrases: ReadonlyMap<string, "once" | "session" | "deny"> = new Map([
	["approve", "once"],
	["yes", "once"],
	["approve for this conversation", "session"],
	// The phrase of earlier versions.
	["approve for this session", "session"],
	["deny", "deny"],
	["no", "deny"],
]);

/**
 * Returns the decision for a text: `deny: REASON`, or exactly one of the phrases. The letter case, surrounding
 * spaces and one final full stop or exclamation mark do not matter. Returns undefined for any other text. Also
 * returns undefined for a phrase that approves for the session, unless `allowSession` is true.
 */
export function readDecision(text: string, allowSession: boolean): TypedResponse | undefined {
	const typed = text.trim();
	const reason = denial.exec(typed)?.groups?.["reason"]?.trim() ?? "";
	if (reason !== "") return { cancelled: true, reason: reason.slice(0, longestReason) };
	if (!ascii.test(typed)) return undefined;
	const phrase = phrases.get(typed.replace(/[.!]$/, "").toLowerCase());
	if (phrase === "deny") return { cancelled: true };
	// Without `allowSession`, the gateway would treat an approval for the session as a denial.
	if (phrase === undefined || (phrase === "session" && !allowSession)) return undefined;
	return { value: phrase };
}

function decisionOf(typed: string, allowSession: boolean): TypedAnswer {
	const response = readDecision(typed, allowSession);
	return response ? { response } : { help: approvalTexts.typed.unclear({ allowSession }) };
}

function readChoices(
	{ kind, options = [], unlisted = 0 }: Partial<QuestionForm>,
	typed: string,
): TypedAnswer {
	const named = kind === "multi" ? matchOptions(options, typed) : [matchOption(options, typed)];
	const unknown = named.flatMap(({ value, typed: word }) => (value === undefined ? [word] : []));
	// If all options are known, an unknown name gets an explanation without a request to the gateway.
	if (unknown.length > 0 && unlisted === 0) {
		const shown = {
			unknown: unknown.map((word) => plainLine(word, longestName)),
			options: enabled(options).map(({ label }) => plainLine(label, longestName)),
		};
		return { help: questionTexts.unknownOption(shown), again: true };
	}
	const values = [...new Set(named.map(({ value, typed: word }) => value ?? word))];
	return { response: kind === "multi" ? { values } : { value: values[0] ?? "" } };
}

const longestName = 80;

interface NamedOption {
	readonly typed: string;
	/** Value of the enabled option that matches `typed`; undefined if none matches. */
	readonly value: string | undefined;
}

function enabled(options: readonly QuestionOption[]): readonly QuestionOption[] {
	return options.filter(({ disabled }) => !disabled);
}

function matchOption(options: readonly QuestionOption[], typed: string): NamedOption {
	// Only enabled options have numbers, from 1.
	const offered = enabled(options);
	const lower = typed.toLowerCase();
	const found =
		offered.find(({ value, label }) => value === typed || label === typed) ??
		offered.find(({ value, label }) => value.toLowerCase() === lower || label.toLowerCase() === lower) ??
		(/^\d{1,3}$/.test(typed) ? offered[Number(typed) - 1] : undefined);
	return { typed, value: found?.value };
}

function matchOptions(options: readonly QuestionOption[], typed: string): readonly NamedOption[] {
	const one = matchOption(options, typed);
	if (one.value !== undefined) return [one];
	const separator = /^\d+(?:\s+\d+)+$/.test(typed) ? /\s+/ : /[,;\n]/;
	const parts = typed.split(separator).map((part) => part.trim());
	return parts.filter((part) => part !== "").map((part) => matchOption(options, part));
}
