import { momentOf } from "../world/stamps.ts";
import type { Shown, ShownControl } from "./shown.ts";

function controlText({ kind, label, url, options, chosen = [] }: ShownControl): string {
	if (kind === "link") return `[${label} -> ${url}]`;
	if (kind === "button") return `[${label}]`;
	const all = (options ?? []).map((option) => (chosen.includes(option) ? `*${option}` : option));
	return `<${label}: ${all.join(" | ")}>`;
}

function marksOf({ edited, ephemeral }: Shown): string {
	const marks = [...(edited ? ["edited"] : []), ...(ephemeral ? ["only you"] : [])];
	return marks.length > 0 ? ` (${marks.join(", ")})` : "";
}

/** One message for a golden file: when, who, what, and what can be pressed below it. */
export function messageText(shown: Shown): string {
	const { text, author, controls, attachments, reactions } = shown;
	const time = new Date(momentOf(shown.ts)).toISOString().slice(11, 19);
	const seen = Object.entries(reactions).map(([emoji, count]) => `${emoji} ${count}`);
	const below = [
		...text.split("\n"),
		...attachments.map((name) => `file: ${name}`),
		...(controls.length > 0 ? [controls.map(controlText).join(" ")] : []),
		...(seen.length > 0 ? [seen.join("  ")] : []),
	];
	const lines = below.filter((line, index) => index > 0 || line !== "");
	return [`${time} ${author}${marksOf(shown)}`, ...lines.map((line) => `    ${line}`.trimEnd())].join("\n");
}
