import { questionTexts } from "../../texts/questions.ts";
import { visible, visibleLine } from "../vocabulary/plain.ts";

/**
 * Maximum length of an argument in UTF-16 code units, if the call has a preview. A longer argument is replaced by its
 * length.
 */
const briefLength = 200;
const count = new Intl.NumberFormat("en");

/** Arguments as text, and whether a long value is only in the preview. */
export interface ArgumentsText {
	readonly text: string;
	readonly brief: boolean;
}

export interface ArgumentsOptions {
	/** Result of `isLabelOf`. If true, the name of a single text argument is omitted. */
	readonly isLabelRedundant?: boolean;
	/** Whether the call has a preview. Long arguments are then replaced by their lengths. */
	readonly previewed?: boolean;
}

/**
 * Formats the arguments of a call, each on a new line. The lines of a value with several lines are indented, so that
 * they do not look like other arguments.
 */
export function argumentsText(
	given: unknown,
	{ isLabelRedundant = false, previewed = false }: ArgumentsOptions = {},
): ArgumentsText {
	const entries = entriesOf(given);
	if (!entries) return { text: visible(JSON.stringify(given, undefined, 2) ?? ""), brief: false };
	const [only] = entries;
	if (isLabelRedundant && entries.length === 1 && typeof only?.[1] === "string") {
		return { text: visible(only[1]), brief: false };
	}
	let brief = false;
	const lines = entries.map(([name, value]) => {
		const text =
			typeof value === "string" ? visible(value) : visible(JSON.stringify(value, undefined, 2) ?? "");
		const shortened = previewed && text.length > briefLength;
		brief ||= shortened;
		const shown = shortened ? questionTexts.valueLength({ count: count.format(text.length) }) : text;
		const many = shown.includes("\n");
		return `${visibleLine(name)}:${many ? `\n  ${shown.replaceAll("\n", "\n  ")}` : ` ${shown}`}`;
	});
	return { text: lines.join("\n"), brief };
}

/** Whether a label, without `Allow …?`, consists of one of the argument texts and at most one more word. */
export function isLabelOf(label: string, given: unknown): boolean {
	const action = /^Allow (?<what>.*)\?$/su.exec(label)?.groups?.["what"] ?? label;
	const texts = (entriesOf(given) ?? []).map(([, value]) => value);
	return texts.some((text) => {
		const line = typeof text === "string" ? visibleLine(text) : "";
		return line !== "" && action.includes(line) && /^\w*$/u.test(action.replace(line, () => "").trim());
	});
}

function entriesOf(given: unknown): [name: string, value: unknown][] | undefined {
	if (typeof given !== "object" || given === null || Array.isArray(given)) return;
	return Object.entries(given);
}
