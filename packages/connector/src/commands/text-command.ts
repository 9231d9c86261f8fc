import type { CommandOption, CommandShape } from "./command.ts";

/** What a text orders: a command with its options, or why it is not understood, in words for people. */
export type TextCommand<Shape extends CommandShape> =
	| { readonly command: Shape; readonly options: Readonly<Record<string, string | number | boolean>> }
	| { readonly problem: string };

/** Whether a text says stop, and nothing else. */
export function saysStop(text: string): boolean {
	return /^[/!]?stop[.!]*$/i.test(text.trim());
}

/**
 * Reads a text such as `!task new Count the files priority:high`. Options are written `name:value` before or behind all
 * else, with quotes around blanks; what is left over is the first text that the command wants, and is refused where it
 * wants none. Undefined for what is no command.
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
	const { written, left } = dealtOut(command, text);
	const options: Record<string, string | number | boolean> = {};
	for (const option of command.options) {
		const said = written.get(option.name);
		if (said === undefined) continue;
		const value = readValue(option, said);
		if (value === undefined) return { problem: wrong(command, option) };
		options[option.name] = value;
	}
	// Whoever wants it to stop may say so in more words.
	if (left !== "" && command.name !== "stop") return { problem: tooMuch(command) };
	const missing = command.options.find(({ name, required }) => required && !(name in options));
	return missing ? { problem: wrong(command, missing) } : { command, options };
}

/** What was written for an option, by its name, and what is left over. */
interface Written {
	readonly written: ReadonlyMap<string, string>;
	readonly left: string;
}

/** Gives every word to an option, as far as there is one for it. */
function dealtOut({ options }: CommandShape, text: string): Written {
	const free = options.find(({ type, choices, completes }) => type === "string" && !choices && !completes);
	const others = takeNamed(
		text,
		options.filter((option) => option !== free),
	);
	const receives = ({ written }: Written): CommandOption | undefined =>
		options.find(({ name, type }) => type === "string" && !written.has(name));
	const all = free ? takeNamed(others.left, [free]) : others;
	// Words that hold the name of the option they are for are all for it: whoever asks what `text:x` means has asked that.
	const isNamed = all.left === "" || receives(others) !== free;
	const { written, left } = isNamed
		? { ...all, written: new Map([...others.written, ...all.written]) }
		: others;
	const receiver = left === "" ? undefined : receives({ written, left });
	return receiver ? { written: new Map([...written, [receiver.name, left]]), left: "" } : { written, left };
}

/** Takes `name:value` from the start and the end of a text, each option once; in its midst it is what people say. */
function takeNamed(text: string, options: readonly CommandOption[]): Written {
	const written = new Map<string, string>();
	let left = text.trim();
	for (let before: string | undefined; before !== left; ) {
		before = left;
		for (const { name } of options) {
			const named = `${name}[:=](?:"([^"]*)"|([^\\s"]\\S*))`;
			const found = written.has(name)
				? null
				: new RegExp(`^${named}(?!\\S)|(?:^|\\s)${named}$`, "i").exec(left);
			if (found === null) continue;
			written.set(name, found.slice(1).find((value) => value !== undefined) ?? "");
			left = (found.index === 0 ? left.slice(found[0].length) : left.slice(0, found.index)).trim();
		}
	}
	return { written, left };
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

function wrong(command: CommandShape, { name, description }: CommandOption): string {
	return `I need \`${name}\`: ${description}. Write it like this: ${usageOf(command)}`;
}

function tooMuch(command: CommandShape): string {
	if (command.options.length === 0)
		return `There is nothing to say behind it: write ${usageOf(command)} alone.`;
	return `I do not understand all that stands behind it. Write it like this: ${usageOf(command)}`;
}

function usageOf({ name, options }: CommandShape): string {
	const usage = options.map((each) => (each.required ? `${each.name}:…` : `[${each.name}:…]`));
	return `\`${[["!", name].join(""), ...usage].join(" ")}\``;
}
