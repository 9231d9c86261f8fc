import { commandTexts } from "../texts/commands.ts";
import type { CommandOption, CommandShape } from "./command.ts";

/** A command with its options, or a description of the error for the person. */
export type TextCommand<Shape extends CommandShape> =
	| { readonly command: Shape; readonly options: Readonly<Record<string, string | number | boolean>> }
	| { readonly problem: string };

/** Whether a text is a stop command without further words. */
export function isStopWord(text: string): boolean {
	return /^[/!]?stop[.!]*$/i.test(text.trim());
}

/** Whether a text begins with `/` or `!`, followed by a character other than a space. */
export function isTextCommand(text: string): boolean {
	return /^[/!]\S/.test(text.trim());
}

/**
 * Reads a text such as `!task new Count the files priority:high`. Options are written `name:value` at the start or
 * the end, with quotes around spaces. The remaining text becomes the value of the first string option that was not
 * written by name. Returns undefined if the text names neither a command nor a group of commands.
 */
export function readTextCommand<Shape extends CommandShape>(
	text: string,
	table: readonly Shape[],
): TextCommand<Shape> | undefined {
	const typed = /^[/!](\S[\s\S]*)$/.exec(text.trim())?.[1];
	if (typed === undefined) return undefined;
	const words = typed.split(/\s+/);
	for (const count of [2, 1]) {
		const name = words.slice(0, count).join(" ").toLowerCase();
		const command = table.find((shape) => shape.name === name || shape.also === name);
		if (command === undefined) continue;
		const left = name.split(" ").reduce((rest) => rest.replace(/^\S+\s*/, ""), typed);
		return readOptions(command, left);
	}
	return commandGroup(words[0] ?? "", table);
}

function commandGroup(
	word: string,
	table: readonly CommandShape[],
): { readonly problem: string } | undefined {
	const group = table.filter(({ name }) => name.startsWith(`${word.toLowerCase()} `));
	if (group.length === 0) return undefined;
	const commands = group.map(({ name }) => `\`!${name}\``).join(", ");
	return { problem: commandTexts.typed.chooseOne({ commands }) };
}

function readOptions<Shape extends CommandShape>(command: Shape, text: string): TextCommand<Shape> {
	const { written, left } = assignWords(command, text);
	const options: Record<string, string | number | boolean> = {};
	for (const option of command.options) {
		const given = written.get(option.name);
		if (given === undefined) continue;
		const value = readValue(option, given);
		if (value === undefined) return { problem: wrong(command, option, false) };
		options[option.name] = value;
	}
	// A stop command may contain further words.
	if (left !== "" && command.name !== "stop") return { problem: tooMuch(command) };
	const missing = command.options.find(({ name, required }) => required && !(name in options));
	return missing ? { problem: wrong(command, missing, true) } : { command, options };
}

interface Written {
	readonly written: ReadonlyMap<string, string>;
	readonly left: string;
}

function assignWords({ options }: CommandShape, text: string): Written {
	const free = options.find(({ type, choices, completes }) => type === "string" && !choices && !completes);
	const others = readNamedOptions(
		text,
		options.filter((option) => option !== free),
	);
	const receives = ({ written }: Written): CommandOption | undefined =>
		options.find(({ name, type }) => type === "string" && !written.has(name));
	const all = free ? readNamedOptions(others.left, [free]) : others;
	// If other text remains and would become the value of `free`, a written `name:value` for `free` is part of this
	// value. Example: `text:x` in a question about `text:x`.
	const isNamed = all.left === "" || receives(others) !== free;
	const { written, left } = isNamed
		? { ...all, written: new Map([...others.written, ...all.written]) }
		: others;
	const receiver = left === "" ? undefined : receives({ written, left });
	return receiver ? { written: new Map([...written, [receiver.name, left]]), left: "" } : { written, left };
}

/**
 * Removes `name:value` or `name=value` from the start and the end of a text, each option once. A `name:value` in
 * the middle stays part of the text.
 */
function readNamedOptions(text: string, options: readonly CommandOption[]): Written {
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

function wrong(command: CommandShape, { name, description }: CommandOption, isMissing: boolean): string {
	return commandTexts.typed.wrong({ name, isMissing, description, usage: usageOf(command) });
}

function tooMuch(command: CommandShape): string {
	const { withoutOptions, unread } = commandTexts.typed;
	const usage = usageOf(command);
	return command.options.length === 0 ? withoutOptions({ usage }) : unread({ usage });
}

function usageOf({ name, options }: CommandShape): string {
	const usage = options.map((each) => (each.required ? `${each.name}:…` : `[${each.name}:…]`));
	return `\`${[["!", name].join(""), ...usage].join(" ")}\``;
}
