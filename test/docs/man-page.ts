import { commandRows } from "./command-table.ts";

/** Returns the manual page of `parley`, in the format of man(7). */
export function manPage(): string {
	const commands = commandRows().map(
		({ usage, description, options }) =>
			`.TP\n.B ${escaped(usage)}\n${escaped(description)}${options.length === 0 ? "" : `\n.br\nOptions: ${escaped(options.join(", "))}`}`,
	);
	return [
		".TH PARLEY 1",
		".SH NAME",
		"parley \\- self\\-hosted AI agent for you and your team",
		".SH SYNOPSIS",
		".B parley",
		"[\\-\\-data DIR] [\\-\\-url URL] COMMAND [OPTIONS]",
		".SH DESCRIPTION",
		"A gateway runs the agent and stores its sessions. The other commands are clients of the gateway.",
		"The agent asks for approval before it changes anything.",
		".B parley COMMAND \\-\\-help",
		"explains a command with its options and shows examples.",
		".SH COMMANDS",
		...commands,
		".SH ENVIRONMENT",
		...variables.map(([name, purpose]) => `.TP\n.B ${name}\n${escaped(purpose)}`),
		".SH EXIT STATUS",
		"0 for success, 1 for a failure, 2 for an invalid command line, 130 after Ctrl\\-C.",
		"",
	].join("\n");
}

const variables: readonly (readonly [name: string, purpose: string])[] = [
	["PARLEY_DATA", "the data directory"],
	["PARLEY_URL", "address of the gateway"],
	["PARLEY_TOKEN", "token for the gateway"],
	["ANTHROPIC_API_KEY", "key for Claude"],
	["NO_COLOR", "no colours, if set"],
];

/** Escapes `text`, so that groff finds no request or escape sequence in it: groff_char(7). */
function escaped(text: string): string {
	return text
		.replaceAll("\\", "\\e")
		.replaceAll("-", "\\-")
		.replace(/^([.'])/, "\\&$1");
}
