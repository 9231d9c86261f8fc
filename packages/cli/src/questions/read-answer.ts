import { defined } from "@parley/base";
import type { MethodInput, PromptOptionPayload, PromptRequestPayload } from "@parley/protocol";
import { visibleLine } from "../text/visible.ts";
import { questionTexts } from "../texts/questions.ts";

export type Response = Omit<MethodInput<"prompt_response">, "token" | "key">;

/** A valid answer with its text for the person, or the reason why the input is invalid. */
export type Reading =
	| { readonly kind: "answer"; readonly response: Response; readonly shown: string }
	| { readonly kind: "again"; readonly hint: string };

/** Answer that denies an approval, or declines any other question. */
export const decline: Response = { cancelled: true };

/** The answer `always` to an approval. The request `allow_always` sends it, so `response` is only recorded. */
export const always = { response: { value: "yes" }, shown: questionTexts.yesAlways } as const;

/** Whether a person typed the answer `always` to an approval. An abbreviation is not accepted, because the rule stays. */
export function isAlways({ type }: PromptRequestPayload, line: string): boolean {
	return type === "confirm" && line.trim().toLowerCase() === "always";
}

export function readAnswer(question: PromptRequestPayload, line: string): Reading {
	switch (question.type) {
		case "confirm":
			return readApproval(question, line.trim());
		case "select":
			return readChoice(question, line.trim());
		case "multi":
			return readChoices(question, line);
		case "text":
		case "password":
			return readText(question, line);
	}
}

function readApproval({ context }: PromptRequestPayload, line: string): Reading {
	const [, word = "", reason = ""] = /^(\S*)\s*(.*)$/s.exec(line) ?? [];
	const answer = word.toLowerCase();
	if (answer === "n" || answer === "no") {
		const shown = reason === "" ? questionTexts.no : questionTexts.noBecause({ reason });
		return accept(defined({ cancelled: true, reason: reason || undefined }), shown);
	}
	if (reason === "" && (answer === "y" || answer === "yes"))
		return accept({ value: "yes" }, questionTexts.yes);
	if (reason === "" && (answer === "s" || answer === "session")) {
		return context.allow_session
			? accept({ value: "session" }, questionTexts.yesForSession)
			: repeatReading(questionTexts.noSessionApproval);
	}
	return repeatReading(questionTexts.answerApproval({ withSession: context.allow_session === true }));
}

function readChoice({ options, required }: PromptRequestPayload, line: string): Reading {
	if (line === "" && !required) return accept({ value: "" }, questionTexts.nothing);
	const option = findOption(options, line);
	if (!option) return repeatReading(questionTexts.answerNumber({ numbers: numbersOf(options) }));
	return accept({ value: option.value }, option.label);
}

function readChoices({ options, required }: PromptRequestPayload, line: string): Reading {
	const words = line.split(",").flatMap((word) => word.trim() || []);
	const chosen = words.map((word) => findOption(options, word));
	const known = chosen.filter((option) => option !== undefined);
	if (known.length < chosen.length || (required && known.length === 0)) {
		return repeatReading(questionTexts.answerNumbers({ numbers: numbersOf(options) }));
	}
	const values = [...new Set(known.map(({ value }) => value))];
	return accept({ values }, known.map(({ label }) => label).join(", ") || questionTexts.nothing);
}

function readText({ type, required }: PromptRequestPayload, line: string): Reading {
	if (line === "" && required) return repeatReading(questionTexts.answerRequired);
	return accept({ text: line }, type === "password" ? questionTexts.hidden : line || questionTexts.nothing);
}

/**
 * Returns the enabled option that `word` names. A number in the list has precedence over an equal value or label.
 */
function findOption(options: readonly PromptOptionPayload[], word: string): PromptOptionPayload | undefined {
	const byNumber = /^\d{1,4}$/.test(word) ? options[Number(word) - 1] : undefined;
	const option = byNumber ?? options.find(({ value, label }) => value === word || label === word);
	return option?.disabled ? undefined : option;
}

function numbersOf(options: readonly PromptOptionPayload[]): string {
	const free = options.flatMap(({ disabled }, index) => (disabled ? [] : [index + 1]));
	return free.length === options.length && free.length > 2 ? `1 to ${free.length}` : free.join(" or ");
}

function accept(response: Response, shown: string): Reading {
	return { kind: "answer", response, shown: visibleLine(shown) };
}

function repeatReading(hint: string): Reading {
	return { kind: "again", hint };
}
