import type { ShownControl, ShownMessage } from "./shown.ts";

export interface TranscriptNotes {
	/** Time of the post, in milliseconds since the epoch. */
	readonly at: number;
	/** Notes in parentheses after the author's name, before `edited` and `only you`. */
	readonly before?: readonly string[];
	/** Notes in the same parentheses, after `edited` and `only you`. */
	readonly after?: readonly string[];
	readonly below?: readonly string[];
}

/** Formats a message for a golden file. */
export function transcriptOf(shown: ShownMessage, notes: TranscriptNotes): string {
	const { at, before = [], after = [] } = notes;
	const { text, author, controls, attachments, reactions, edited, ephemeral } = shown;
	const time = new Date(at).toISOString().slice(11, 19);
	const seen = Object.entries(reactions).map(([emoji, count]) => `${emoji} ${count}`);
	const marks = [...before, ...(edited ? ["edited"] : []), ...(ephemeral ? ["only you"] : []), ...after];
	const below = [
		...text.split("\n"),
		...attachments.map((name) => `file: ${name}`),
		...(controls.length > 0 ? [controls.map(controlText).join(" ")] : []),
		...(seen.length > 0 ? [seen.join("  ")] : []),
		...(notes.below ?? []),
	];
	const lines = below.filter((line, index) => index > 0 || line !== "");
	const head = `${time} ${author}${marks.length > 0 ? ` (${marks.join(", ")})` : ""}`;
	return [head, ...lines.map((line) => `    ${line}`.trimEnd())].join("\n");
}

function controlText({ kind, label, disabled, url, options, chosen = [] }: ShownControl): string {
	const off = disabled ? " (off)" : "";
	if (kind === "link") return `[${label} -> ${url}]${off}`;
	if (kind === "button") return `[${label}]${off}`;
	const all = (options ?? []).map((option) => (chosen.includes(option) ? `*${option}` : option));
	return `<${label}: ${all.join(" | ")}>${off}`;
}
