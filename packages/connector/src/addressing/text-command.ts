import type { CommandOption, CommandShape } from "../commands/command.ts";

/** What a text orders: a command with its options, or why it is not understood, in words for people. */
export type TextCommand<Shape extends CommandShape> =
	| { readonly command: Shape; readonly options: Readonly<Record<string, string | number | boolean>> }
	| { readonly problem: string };

/** Whether a text says stop, and nothing else. */
export function saysStop(text: string): boolean {
	return /^[/!]?stop$/i.test(text.trim());
}

/**
 * Reads a text such as `!task new Count the files priority:high`. Options are written `name:value`, with quotes around
 * blanks; what is left over is the first text that the command wants. Undefined for what is no command.
 */
export function readTextCommand<Shape extends CommandShape>(
	text: string,
	table: readonly Shape[],
): TextCommand<Shape> | undefined {
	const said = /^[/!](\S[\s\S]*)$/.exec(text.trim())?.[1];
	if (said === undefined) return undefined;
	const words = said.split(/\s+/);
	for (const count of [2, 1]) {
		const name = words.slice(0, count).join(" ").toLowerCase();
		const command = table.find((shape) => shape.name === name || shape.also === name);
		if (command === undefined) continue;
		const left = name.split(" ").reduce((rest) => rest.replace(/^\S+\s*/, ""), said);
		return readOptions(command, left);
	}
	return whatIsMeant(words[0] ?? "", table);
}

function whatIsMeant(word: string, table: readonly CommandShape[]): { readonly problem: string } | undefined {
	const group = table.filter(({ name }) => name.startsWith(`${word.toLowerCase()} `));
	if (group.length === 0) return undefined;
	return { problem: `Which one? ${group.map(({ name }) => `\`!${name}\``).join(", ")}` };
}

function readOptions<Shape extends CommandShape>(command: Shape, text: string): TextCommand<Shape> {
	const options: Record<string, string | number | boolean> = {};
	let left = text;
	for (const option of command.options) {
		const written = new RegExp(`(?:^|\\s)${option.name}[:=](?:"([^"]*)"|(\\S+))`, "i").exec(left);
		if (written === null) continue;
		const value = readValue(option, written[1] ?? written[2] ?? "");
		if (value === undefined) return { problem: wrong(command, option) };
		options[option.name] = value;
		left = left.replace(written[0], "");
	}
	left = left.trim();
	const open = command.options.find(({ name, type }) => type === "string" && !(name in options));
	if (left !== "" && open) {
		const value = readValue(open, left);
		if (value === undefined) return { problem: wrong(command, open) };
		options[open.name] = value;
	}
	const missing = command.options.find(({ name, required }) => required && !(name in options));
	return missing ? { problem: wrong(command, missing) } : { command, options };
}

function readValue(option: CommandOption, text: string): string | number | boolean | undefined {
	const { type, choices, min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY } = option;
	if (type === "boolean") return { yes: true, true: true, no: false, false: false }[text.toLowerCase()];
	if (type === "integer") {
		const value = Number(text);
		return /^-?\d{1,15}$/.test(text) && value >= min && value <= max ? value : undefined;
	}
	if (choices) return choices.find(({ value }) => value === text.toLowerCase())?.value;
	return text.length >= min && text.length <= max ? text : undefined;
}

function wrong({ name, options }: CommandShape, { name: option, description }: CommandOption): string {
	const usage = options.map((each) => (each.required ? `${each.name}:…` : `[${each.name}:…]`));
	return `I need \`${option}\`: ${description}. Write it like this: \`${["!", name].join("")} ${usage.join(" ")}\``;
}
