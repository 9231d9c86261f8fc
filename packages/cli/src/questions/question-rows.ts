import type { PromptRequestPayload } from "@parley/protocol";
import { shorten } from "../text/shorten.ts";
import type { Look, Styles } from "../text/styles.ts";
import { visibleLine, visibleText } from "../text/visible.ts";
import { wrapText } from "../text/wrap.ts";

const indent = "  ";

/** A question with all that is needed to answer it; an approval never leaves anything out. */
export function questionRows(question: PromptRequestPayload, look: Look): string[] {
	return question.type === "confirm" ? approvalRows(question, look) : elicitationRows(question, look);
}

/** What stands before the cursor while the question is answered. */
export function questionPrompt({ type, context }: PromptRequestPayload): string {
	switch (type) {
		case "confirm":
			return context.allow_session ? "y yes · n no · s for this session › " : "y yes · n no › ";
		case "select":
			return "number › ";
		case "multi":
			return "numbers, like 1,3 › ";
		case "password":
			return "typed unseen › ";
		case "text":
			return "answer › ";
	}
}

function approvalRows({ label, context }: PromptRequestPayload, look: Look): string[] {
	const { styles } = look;
	const { preview = "", notes = [], risk = "normal" } = context;
	const colour = risk === "high" || risk === "critical" ? styles.red : styles.yellow;
	return [
		...wrapText(visibleText(label), look.columns).map(styles.bold),
		...(preview === "" ? [] : diffRows(preview, look)),
		...notes.flatMap((note) => hanging(indent, visibleText(note), look)).map(styles.dim),
		...(risk === "normal" || risk === "low" ? [] : [colour(`${indent}risk: ${risk}`)]),
	];
}

/** A unified diff, added lines green and removed ones red. */
function diffRows(diff: string, look: Look): string[] {
	return visibleText(diff)
		.replace(/\n$/, "")
		.split("\n")
		.flatMap((line) => {
			const colour = diffColour(line, look.styles);
			return hanging(indent, line, look).map(colour);
		});
}

function diffColour(line: string, styles: Styles): (text: string) => string {
	if (line.startsWith("+")) return styles.green;
	if (line.startsWith("-")) return styles.red;
	return line.startsWith("@@") ? styles.cyan : styles.dim;
}

function elicitationRows(question: PromptRequestPayload, look: Look): string[] {
	const { styles, columns } = look;
	const { label, options, placeholder, validation, required } = question;
	const hints = [
		...(placeholder === "" ? [] : [`for example ${visibleLine(placeholder)}`]),
		...(validation === "" ? [] : [`must match ${visibleLine(validation)}`]),
		...(required ? [] : ["may be left empty"]),
	];
	const choices = options.map((option, index) => {
		const { label: name, description, disabled } = option;
		const more = [...(disabled ? ["not available"] : []), ...(description === "" ? [] : [description])];
		const row = `${indent}${index + 1}  ${[name, ...more].map(visibleLine).join("  · ")}`;
		return disabled ? styles.dim(shorten(row, columns)) : shorten(row, columns);
	});
	return [
		...hanging("? ", visibleText(label), look).map((row) => styles.bold(row)),
		...choices,
		...(hints.length === 0 ? [] : wrapText(`${indent}${hints.join(", ")}`, columns).map(styles.dim)),
	];
}

/** Wrapped text behind `first`; the following rows are indented by its width. */
function hanging(first: string, text: string, { columns }: Look): string[] {
	return wrapText(text, columns - first.length).map((row, index) =>
		index === 0 ? `${first}${row}` : `${" ".repeat(first.length)}${row}`,
	);
}
