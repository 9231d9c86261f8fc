import { createProgram } from "@parley/cli/program";
import { commandTable as chatCommands } from "@parley/connector";

type Command = ReturnType<typeof createProgram>;

/** A row of the command table. `usage` includes the parent commands, for example `parley sessions show <id>`. */
interface CommandRow {
	readonly usage: string;
	readonly description: string;
	/** Flags of the visible options, with the names of their values. */
	readonly options: readonly string[];
}

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

/** Returns the generated part of `docs/commands.md`: the commands of the program, then the chat commands. */
export function commandTables(): string {
	return `${commandTable()}\n\n${chatIntroduction}\n\n${chatTable()}`;
}

const chatIntroduction = `## Chat commands

In Discord, use \`/NAME\`. In Slack, use \`/parley NAME\`. In a message to the agent, type \`!NAME\`. Options in brackets are optional.
[The agent in chats](chat.md#commands) has examples.`;

function chatTable(): string {
	const rows = [...chatCommands].map(({ name, also, description, options }) => {
		const names = also === undefined ? `\`/${name}\`` : `\`/${name}\`, \`/${also}\``;
		const shown = options.map((option) => `\`${option.required ? option.name : `[${option.name}]`}\``);
		return `| ${[names, description, shown.join(", ")].map(cell).join(" | ")} |`;
	});
	return ["| chat command | purpose | options |", "| --- | --- | --- |", ...rows].join("\n");
}

function commandTable(): string {
	const rows = commandRows().map(({ usage, description, options }) => {
		const shown = options.map((flags) => `\`${flags}\``).join(", ");
		return `| ${[`\`${usage}\``, description, shown].map(cell).join(" | ")} |`;
	});
	return ["| command | purpose | options |", "| --- | --- | --- |", ...rows].join("\n");
}

function cell(text: string): string {
	return text.replaceAll("|", "\\|");
}
