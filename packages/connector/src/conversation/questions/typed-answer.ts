import type { MethodInput } from "@parley/protocol";
import { approvalTexts } from "../../texts/approvals.ts";
import { questionTexts } from "../../texts/questions.ts";
import type { QuestionForm, QuestionOption } from "./question.ts";
import type { CardRow } from "./reply-cards.ts";

export type Response = Omit<MethodInput<"prompt_response">, "token" | "key">;

/** Answer from a text, or Markdown that explains the allowed forms. */
export type TypedAnswer = { readonly response: Response } | { readonly help: string };

/** Reads a typed answer. Only the gateway decides whether it is valid. */
export function readTypedAnswer(question: QuestionForm | undefined, text: string): TypedAnswer {
	const { kind = "text", options = [], call } = question ?? {};
	const typed = text.trim();
	switch (kind) {
		case "approval":
		case "grant":
			return readDecision(typed, call?.allowSession === true);
		case "password":
			return { help: questionTexts.secretTyped };
		case "text":
			return { response: { text: typed } };
		case "select":
			return { response: { value: optionNamed(options, typed) } };
		case "multi":
			return { response: { values: optionsMeant(options, typed) } };
	}
}

/** Returns the call that a reply names by its number, and the answer without the number; or Markdown with instructions. */
export function readNumbered(
	rows: readonly CardRow[],
	text: string,
): { readonly token: string; readonly words: string } | { readonly help: string } {
	const { verb = "", number, rest = "" } = numbered.exec(text.trim())?.groups ?? {};
	const row = rows.find((one) => one.number === Number(number));
	if (row) return { token: row.token, words: rest === "" ? verb : `${verb}: ${rest}` };
	const waiting = rows.filter(({ ended }) => !ended).map((one) => one.number);
	const [example = rows[0]?.number ?? 1] = waiting;
	return { help: approvalTexts.typed.whichCall({ calls: rows.length, example, waiting }) };
}

const numbered = /^(?<verb>\p{L}+)\s+#?(?<number>\d{1,4})\b[\s:,.]*(?<rest>.*)$/su;

const yes = /^(?:yes|y|approve|allow|approve once)$/iu;
const forSession = /^(?:(?:approve )?(?:for )?(?:this )?session)$/iu;
const no = /^(?:no|n|deny)$/iu;
const noBecause = /^(?:deny\b[\s:,.]*|no\s*[:,]\s*)(?<reason>\S.*)$/isu;
const longestReason = 1_000;

function readDecision(typed: string, allowSession: boolean): TypedAnswer {
	if (yes.test(typed)) return { response: { value: "once" } };
	// Without this permission, the gateway treats it as a denial.
	if (forSession.test(typed) && allowSession) return { response: { value: "session" } };
	if (no.test(typed)) return { response: { cancelled: true } };
	const reason = noBecause.exec(typed)?.groups?.["reason"];
	if (reason !== undefined) return { response: { cancelled: true, reason: reason.slice(0, longestReason) } };
	return { help: approvalTexts.typed.unclear({ allowSession }) };
}

/** Returns the option with this value or label, in any spelling; otherwise the typed text, which the gateway refuses. */
function optionNamed(options: readonly QuestionOption[], typed: string): string {
	const meant = typed.toLowerCase();
	const found =
		options.find(({ value, label }) => value === typed || label === typed) ??
		options.find(({ value, label }) => value.toLowerCase() === meant || label.toLowerCase() === meant);
	return found?.value ?? typed;
}

function optionsMeant(options: readonly QuestionOption[], typed: string): string[] {
	const one = optionNamed(options, typed);
	if (options.some(({ value }) => value === one)) return [one];
	const parts = typed.split(/[,\n]/u).map((part) => part.trim());
	return [...new Set(parts.filter((part) => part !== "").map((part) => optionNamed(options, part)))];
}
