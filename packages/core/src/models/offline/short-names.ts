import type { ToolDescription } from "../../vocabulary/model.ts";
import type { OfflineCommand } from "./grammar.ts";

type Call = Extract<OfflineCommand, { kind: "call" }>;
type Fields = Readonly<Record<string, unknown>>;

/** What the tools are called, and what they take, where they have their short names. */
const short: Readonly<Record<string, readonly [name: string, args: (long: Fields) => Fields]>> = {
	run_command: ["bash", ({ cmd }) => ({ command: cmd })],
	read_file: ["read", (args) => args],
	write_file: ["write", (args) => args],
	edit_file: [
		"edit",
		({ path, old_text: oldText, new_text: newText }) => ({ path, edits: [{ oldText, newText }] }),
	],
};

/** The command as the tools of this request can carry it out: `run:` runs in `bash` where that is what there is. */
export function inShortNames(
	command: OfflineCommand,
	tools: readonly Pick<ToolDescription, "name">[],
): OfflineCommand {
	if (command.kind !== "call") return command;
	const has = (name: string): boolean => tools.some((tool) => tool.name === name);
	const known = short[command.name];
	if (!known || has(command.name) || !has(known[0])) return command;
	return { ...command, name: known[0], arguments: known[1](fieldsOf(command)) };
}

/** The grammar gives these tools an object of arguments. */
function fieldsOf({ arguments: args }: Call): Fields {
	return typeof args === "object" && args !== null ? { ...args } : {};
}
