import type { MethodInput } from "@parley/protocol";
import type { QuestionForm, QuestionOption } from "./question.ts";
import type { CardRow } from "./reply-cards.ts";

/** Parameters of an answer. */
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
			return {
				help: "This was not sent on, because people can read it here: delete your message, take another password if it was a real one, and press **Enter it on a page**.",
			};
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
	const which = waiting.length === 0 ? "No call waits any more." : `Waiting: ${waiting.join(", ")}.`;
	return {
		help: `Nothing was decided: this post shows ${rows.length} calls. Reply **approve ${example}** or **deny ${example}** with your reason, or press a button. ${which}`,
	};
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
	const session = allowSession ? ", **session**" : "";
	return {
		help: `Nothing was decided: that is neither yes nor no. Reply **approve**${session} or **deny** with your reason, or press a button.`,
	};
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
