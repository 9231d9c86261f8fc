import { isCancel, password, select, text } from "@clack/prompts";
import { defined } from "@parley/base";
import type { Io } from "./io.ts";

interface TextQuestion {
	readonly message: string;
	/** Text in the input before the person types. */
	readonly initial?: string;
	/** Returns the reason why the text is not accepted. Undefined for an accepted text. */
	readonly problemOf?: (text: string) => string | undefined;
}

/** Asks for a line of text at the terminal. Undefined if the person leaves with Ctrl-C or Escape. */
export async function askText(
	{ message, initial, problemOf }: TextQuestion,
	io: Io,
): Promise<string | undefined> {
	const answer = await text({
		...streamsOf(io),
		message,
		...defined({ initialValue: initial }),
		...checkOf(problemOf),
	});
	return isCancel(answer) ? undefined : (answer ?? "");
}

/** Asks for a secret and shows dots instead of its characters. Undefined if the person leaves. */
export async function askSecret({ message, problemOf }: TextQuestion, io: Io): Promise<string | undefined> {
	const answer = await password({ ...streamsOf(io), message, clearOnError: true, ...checkOf(problemOf) });
	return isCancel(answer) ? undefined : (answer ?? "");
}

interface Choice<Value extends string> {
	readonly message: string;
	readonly options: readonly { readonly value: Value; readonly label: string; readonly hint?: string }[];
	readonly initial?: Value;
}

/** Lets the person choose an option with the arrow keys. Returns undefined if the person leaves. */
export async function choose<Value extends string>(
	{ message, options, initial }: Choice<Value>,
	io: Io,
): Promise<Value | undefined> {
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
