import { isCancel, password, select, text } from "@clack/prompts";
import { defined } from "@parley/base";
import type { Io } from "./io.ts";
import { askSecretInLines, asksInLines, askTextInLines, chooseInLines } from "./line-prompts.ts";
import type { Choice, TextQuestion } from "./setup-questions.ts";

/** Asks for a line of text at the terminal. Resolves with undefined if the person leaves. */
export async function askText(question: TextQuestion, io: Io): Promise<string | undefined> {
	if (asksInLines(io)) return await askTextInLines(question, io);
	const { message, initial, problemOf } = question;
	const answer = await text({
		...streamsOf(io),
		message,
		...defined({ initialValue: initial }),
		...checkOf(problemOf),
	});
	return isCancel(answer) ? undefined : (answer ?? "");
}

/** Asks for a secret without showing its characters. Resolves with undefined if the person leaves. */
export async function askSecret(question: TextQuestion, io: Io): Promise<string | undefined> {
	if (asksInLines(io)) return await askSecretInLines(question, io);
	const { message, problemOf } = question;
	const answer = await password({ ...streamsOf(io), message, clearOnError: true, ...checkOf(problemOf) });
	return isCancel(answer) ? undefined : (answer ?? "");
}

/** Lets the person choose an option. Resolves with undefined if the person leaves. */
export async function choose<Value extends string>(
	choice: Choice<Value>,
	io: Io,
): Promise<Value | undefined> {
	if (asksInLines(io)) return await chooseInLines(choice, io);
	const { message, options, initial } = choice;
	const shown = options.map(({ value, label, hint }) => ({
		value: value as string,
		label,
		...defined({ hint }),
	}));
	const answer = await select<string>({
		...streamsOf(io),
		message,
		options: shown,
		...defined({ initialValue: initial }),
	});
	return options.find(({ value }) => value === answer)?.value;
}

function streamsOf({ stdin, stdout }: Io) {
	return { input: stdin, output: stdout };
}

function checkOf(problemOf: TextQuestion["problemOf"]) {
	return problemOf ? { validate: (given: string | undefined) => problemOf(given ?? "") } : {};
}
