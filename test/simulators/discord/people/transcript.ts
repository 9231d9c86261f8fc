import { timeOf } from "../world/snowflakes.ts";
import type { Shown, ShownControl } from "./shown.ts";

function controlText({ kind, label, disabled, url, options, chosen = [] }: ShownControl): string {
	const off = disabled ? " (off)" : "";
	if (kind === "link") return `[${label} -> ${url}]${off}`;
	if (kind === "button") return `[${label}]${off}`;
	const all = (options ?? []).map((option) => (chosen.includes(option) ? `*${option}` : option));
	return `<${label}: ${all.join(" | ")}>${off}`;
}

function marksOf({ edited, ephemeral, thinking, repliesTo }: Shown): string {
	const marks = [
		...(repliesTo ? [`to ${repliesTo.author}`] : []),
		...(edited ? ["edited"] : []),
		...(ephemeral ? ["only you"] : []),
		...(thinking ? ["thinking"] : []),
	];
	return marks.length > 0 ? ` (${marks.join(", ")})` : "";
}

/** One message for a golden file: when, who, what, and what can be pressed below it. */
export function messageText(shown: Shown): string {
	const { text, author, controls, attachments, reactions, thread } = shown;
	const time = new Date(timeOf(shown.id)).toISOString().slice(11, 19);
	const seen = Object.entries(reactions).map(([emoji, count]) => `${emoji} ${count}`);
	const below = [
		...text.split("\n"),
		...attachments.map((name) => `file: ${name}`),
		...(controls.length > 0 ? [controls.map(controlText).join(" ")] : []),
		...(seen.length > 0 ? [seen.join("  ")] : []),
		...(thread === undefined ? [] : [`thread: ${thread}`]),
	];
	const lines = below.filter((line, index) => index > 0 || line !== "");
	return [`${time} ${author}${marksOf(shown)}`, ...lines.map((line) => `    ${line}`.trimEnd())].join("\n");
}
