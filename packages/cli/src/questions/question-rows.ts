import { definedItems } from "@parley/base";
import type { EventPayloads, OpenPromptPayload, PromptRequestPayload } from "@parley/protocol";
import { tableRows } from "../text/columns.ts";
import type { OutputFormat, Styles } from "../text/styles.ts";
import { timeAgo } from "../text/time-ago.ts";
import { visibleLine, visibleText } from "../text/visible.ts";
import { hangText, wrapText } from "../text/wrap.ts";
import { questionTexts } from "../texts/questions.ts";
import type { Response } from "./read-answer.ts";

const indent = "  ";

/** Returns the rows of a question. The texts of the question are never shortened. */
export function questionRows(question: PromptRequestPayload, format: OutputFormat): string[] {
	return question.type === "confirm" ? approvalRows(question, format) : elicitationRows(question, format);
}

/**
 * Returns the prompt before the cursor while a person answers the question. `offersRules`: whether `always` is an
 * answer.
 */
export function questionPrompt({ type, context }: PromptRequestPayload, offersRules = false): string {
	switch (type) {
		case "confirm":
			return approvalPrompt(context, offersRules && context.always_allow !== undefined);
		case "select":
			return "number › ";
		case "multi":
			return questionTexts.choicesPrompt;
		case "password":
			return questionTexts.passwordPrompt;
		case "text":
			return "answer › ";
	}
}

function approvalPrompt({ allow_session }: PromptRequestPayload["context"], hasRule: boolean): string {
	if (hasRule) return questionTexts.approvalPromptWithRule({ withSession: allow_session === true });
	return allow_session ? questionTexts.approvalPromptWithSession : questionTexts.approvalPrompt;
}

/**
 * Returns rows about the rule that the answer `always` adds, or none if the question offers no rule. The rows show
 * the complete words of the rule's commands, and the access that the rule allows in addition to a sandboxed command.
 */
export function offeredRows({ context }: PromptRequestPayload, format: OutputFormat): string[] {
	const { always_allow: rule } = context;
	if (!rule) return [];
	const commands = rule.commands.map(({ words, exact }) => {
		const command = visibleLine(words.join(" "));
		return exact ? questionTexts.allowsExactly({ command }) : questionTexts.allowsBeginning({ command });
	});
	const tool = visibleLine(rule.tool);
	const access = rule.classes.flatMap((name) => questionTexts.accessOf(visibleLine(name)) ?? []);
	const text = questionTexts.offered({ tool, access, commands: commands.join("; ") });
	return hangText(indent, text, format.columns).map(format.styles.dim);
}

function approvalRows({ label, context }: PromptRequestPayload, format: OutputFormat): string[] {
	const { styles } = format;
	const { preview = "", notes = [], risk = "normal" } = context;
	const colour = risk === "high" || risk === "critical" ? styles.red : styles.yellow;
	return definedItems([
		...wrapText(visibleText(label), format.columns).map(styles.bold),
		...(preview === "" ? [] : diffRows(preview, format)),
		...notes.flatMap((note) => hangText(indent, visibleText(note), format.columns)).map(styles.dim),
		risk === "normal" || risk === "low" ? undefined : colour(`${indent}risk: ${risk}`),
	]);
}

/** Returns the rows of a unified diff, with added lines in green and removed lines in red. */
export function diffRows(diff: string, format: OutputFormat): string[] {
	return visibleText(diff)
		.replace(/\n$/, "")
		.split("\n")
		.flatMap((line) => {
			const colour = diffColour(line, format.styles);
			return hangText(indent, line, format.columns).map(colour);
		});
}

function diffColour(line: string, styles: Styles): (text: string) => string {
	if (line.startsWith("+")) return styles.green;
	if (line.startsWith("-")) return styles.red;
	return line.startsWith("@@") ? styles.cyan : styles.dim;
}

function elicitationRows(question: PromptRequestPayload, format: OutputFormat): string[] {
	const { styles, columns } = format;
	const { label, options, placeholder, validation, required } = question;
	const hints = definedItems([
		placeholder === "" ? undefined : questionTexts.example({ text: visibleLine(placeholder) }),
		validation === "" ? undefined : questionTexts.pattern({ pattern: visibleLine(validation) }),
		required ? undefined : "optional",
	]);
	const choices = options.flatMap((option, index) => {
		const { label: name, description, disabled } = option;
		const more = definedItems([
			disabled ? questionTexts.notAvailable : undefined,
			description === "" ? undefined : description,
		]);
		const text = [name, ...more].map(visibleLine).join("  · ");
		const rows = hangText(`${indent}${index + 1}  `, text, columns);
		return disabled ? rows.map(styles.dim) : rows;
	});
	return [
		...hangText("? ", visibleText(label), format.columns).map((row) => styles.bold(row)),
		...choices,
		...(hints.length === 0 ? [] : wrapText(`${indent}${hints.join(", ")}`, columns).map(styles.dim)),
	];
}

/** Answer that a person gave in this client, and its shown text. */
export interface GivenAnswer {
	readonly response: Response;
	readonly shown: string;
}

/** A question that is still open according to the gateway. */
export interface OpenQuestion {
	readonly question: PromptRequestPayload;
	/** Answer of a person in this client. Absent before the answer. */
	readonly given?: GivenAnswer;
}

/**
 * Returns the row of a question's result. If the gateway probably accepted this client's answer, the row shows
 * the person's own answer.
 */
export function answeredRow(
	open: OpenQuestion,
	response: EventPayloads["prompt.response"],
	format: OutputFormat,
): string {
	const { question, given } = open;
	if (given && isProbablyOwn(given, response)) return givenRow(given, format);
	const { styles } = format;
	const refused = isRefusal(response);
	const answer = describeAnswer(question.type, response.value, refused);
	return `  ${markOf(refused, format)} ${visibleLine(answer)}${styles.dim(` ${questionTexts.answeredElsewhere}`)}`;
}

/** Returns the row of an answer that a person gave in this client. */
export function givenRow({ response, shown }: GivenAnswer, format: OutputFormat): string {
	return `  ${markOf(response.cancelled === true, format)} ${visibleLine(shown)}`;
}

/**
 * Returns the row of a question's result, with the question. Returns undefined if the result is probably the person's
 * own answer, which was already shown.
 */
export function correctedRow(
	open: OpenQuestion,
	response: EventPayloads["prompt.response"],
	format: OutputFormat,
): string | undefined {
	if (open.given && isProbablyOwn(open.given, response)) return undefined;
	return `  ${visibleLine(open.question.label)}${answeredRow(open, response, format)}`;
}

function isProbablyOwn(
	{ response: { cancelled } }: GivenAnswer,
	response: EventPayloads["prompt.response"],
): boolean {
	return (cancelled === true) === isRefusal(response);
}

function isRefusal({ value, cancelled }: EventPayloads["prompt.response"]): boolean {
	return cancelled || value === false;
}

function markOf(refused: boolean, { styles }: OutputFormat): string {
	return refused ? styles.red("✗") : styles.green("✓");
}

function describeAnswer(type: PromptRequestPayload["type"], value: unknown, refused: boolean): string {
	if (refused) return type === "confirm" ? questionTexts.no : questionTexts.noAnswer;
	if (type === "confirm") return questionTexts.yes;
	if (type === "password") return questionTexts.hidden;
	return (Array.isArray(value) ? value.join(", ") : String(value)) || questionTexts.nothing;
}

/** Whether a run of the session waits for the answer. Questions of tasks and trust requests do not block a run. */
export function isOfRun({ type, context }: PromptRequestPayload): boolean {
	return context.task_id === undefined && (type !== "confirm" || context.call_id !== undefined);
}

/** Returns the short id of a question in commands: the last six characters of its token. */
export function shortCode(token: string): string {
	return token.slice(-6);
}

/**
 * Returns the rows of open questions in the given order, followed by the command that answers them. Without
 * questions, returns only a notice.
 */
export function openQuestionRows(
	questions: readonly OpenPromptPayload[],
	now: number,
	format: OutputFormat,
): string[] {
	if (questions.length === 0) return [questionTexts.noQuestions];
	const rows = questions.map(({ token, session_title, created_at, person, label, always_ask }) => [
		shortCode(token),
		visibleLine(session_title) || questionTexts.noTitle,
		timeAgo(Date.parse(created_at), now),
		visibleLine(person ?? "you"),
		`${always_ask ? "! " : ""}${visibleLine(label)}`,
	]);
	return [
		...tableRows({ rows: [questionTexts.columns, ...rows], optional: [3, 2, 1], elastic: 4 }, format),
		...wrapText(questionTexts.howToAnswer, format.columns),
	];
}
