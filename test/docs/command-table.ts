import { createProgram } from "@parley/cli/program";

type Command = ReturnType<typeof createProgram>;

/** A command of the program with its parents' names, such as `parley sessions show <id>`. */
interface CommandRow {
	readonly usage: string;
	readonly description: string;
	/** With their values, in the order of the help. */
	readonly options: readonly string[];
}

/** Rows of all commands and subcommands that the help shows, in its order. */
export function commandRows(): CommandRow[] {
	const io = { ...process, environment: {}, exitCode: 0, cwd: "/" };
	return createProgram(io, []).commands.flatMap((command) => rowsOf(command, "parley"));
}

function rowsOf(command: Command, parent: string): CommandRow[] {
	const name = `${parent} ${command.name()}`;
	const values = command.registeredArguments.map((value) => {
		const text = value.variadic ? `${value.name()}...` : value.name();
		return value.required ? `<${text}>` : `[${text}]`;
	});
	const options = command.options.filter(({ hidden }) => !hidden).map(({ flags }) => flags);
	const row = { usage: [name, ...values].join(" "), description: command.description(), options };
	return [row, ...command.commands.flatMap((child) => rowsOf(child, name))];
}

/** The table of `docs/commands.md`. */
export function commandTable(): string {
	const rows = commandRows().map(({ usage, description, options }) => {
		const shown = options.map((flags) => `\`${flags}\``).join(", ");
		return `| ${[`\`${usage}\``, description, shown].map(cell).join(" | ")} |`;
	});
	return ["| command | purpose | options |", "| --- | --- | --- |", ...rows].join("\n");
}

function cell(text: string): string {
	return text.replaceAll("|", "\\|");
}
