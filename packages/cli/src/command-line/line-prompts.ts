import { createInterface } from "node:readline";
import { visibleLine } from "../text/visible.ts";
import { linePromptTexts } from "../texts/line-prompts.ts";
import { HiddenInput, withoutKeys } from "./hidden-input.ts";
import type { Io } from "./io.ts";
import type { Choice, TextQuestion } from "./setup-questions.ts";

/**
 * Whether to ask questions as plain lines without redrawing, for screen readers and for terminals that cannot redraw.
 */
export function asksInLines({ environment }: Io): boolean {
	return environment["TERM"] === "dumb";
}

/**
 * Asks for a line of text. If there is an initial text, Enter accepts it, and `-` means no text. Resolves with
 * undefined if the person leaves with Ctrl-C or Ctrl-D.
 */
export async function askTextInLines(question: TextQuestion, io: Io): Promise<string | undefined> {
	const { message, initial = "" } = question;
	io.stdout.write(`${message}\n`);
	const prompt =
		initial === "" ? linePromptTexts.text : linePromptTexts.textOr({ initial: visibleLine(initial) });
	return await askUntilAccepted(question, io, async () => {
		const line = await readLine(prompt, { isHidden: false, io });
		if (initial !== "" && line === "-") return "";
		return line === "" ? initial : line;
	});
}

/** Asks for a secret. The typed characters are not shown. Resolves with undefined if the person leaves. */
export async function askSecretInLines(question: TextQuestion, io: Io): Promise<string | undefined> {
	io.stdout.write(`${question.message}\n`);
	return await askUntilAccepted(question, io, () => readLine(linePromptTexts.secret, { isHidden: true, io }));
}

/** Lists the options with numbers and asks for one of them. Resolves with undefined if the person leaves. */
export async function chooseInLines<Value extends string>(
	{ message, options, initial }: Choice<Value>,
	io: Io,
): Promise<Value | undefined> {
	const rows = options.map(({ label, hint = "" }, at) =>
		linePromptTexts.option({ place: at + 1, label, hint }),
	);
	io.stdout.write(`${[message, ...rows].join("\n")}\n`);
	const preset =
		Math.max(
			0,
			options.findIndex(({ value }) => value === initial),
		) + 1;
	const prompt = linePromptTexts.number({ place: preset });
	for (;;) {
		const line = await readLine(prompt, { isHidden: false, io });
		if (line === undefined) return undefined;
		const chosen = options[(line.trim() === "" ? preset : Number(line)) - 1];
		if (chosen) return chosen.value;
		io.stdout.write(`${linePromptTexts.notNumber({ count: options.length })}\n`);
	}
}

async function askUntilAccepted(
	{ problemOf }: TextQuestion,
	{ stdout }: Io,
	ask: () => Promise<string | undefined>,
): Promise<string | undefined> {
	for (;;) {
		const text = await ask();
		const problem = text === undefined ? undefined : problemOf?.(text);
		if (problem === undefined) return text;
		stdout.write(`${problem}\n`);
	}
}

/**
 * Resolves with the next line of the input. Resolves with undefined at the end of the input, or if the person
 * leaves with Ctrl-C.
 */
function readLine(
	prompt: string,
	{ isHidden, io }: { readonly isHidden: boolean; readonly io: Io },
): Promise<string | undefined> {
	const { stdin, stdout } = io;
	return new Promise((resolve) => {
		const lines = createInterface({ input: stdin, terminal: false });
		const end = (line: string | undefined): void => {
			process.off("SIGINT", leave);
			lines.off("close", leave).close();
			hidden[Symbol.dispose]();
			// The terminal shows no line break after a hidden line, or after the person has left the prompt.
			if (isHidden || line === undefined) stdout.write("\n");
			resolve(line);
		};
		const leave = (): void => end(undefined);
		const hidden = new HiddenInput(stdin, leave);
		process.once("SIGINT", leave);
		lines.once("close", leave);
		lines.once("line", (line) => end(isHidden ? withoutKeys(line) : line));
		hidden.set(isHidden);
		stdout.write(prompt);
	});
}
