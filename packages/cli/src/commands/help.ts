import { Command } from "commander";
import type { Io } from "../command-line/io.ts";
import { UsageError } from "../command-line/usage.ts";

/** `parley help`: of the program, of one command, or of the offline model. */
export function helpCommand(io: Io): Command {
	const command = new Command("help").description("explain a command, or the commands of the offline model");
	return command.argument("[topic]", "a command, or offline").action(async (topic: string | undefined) => {
		if (topic === "offline") {
			const { offlineHelp } = await import("@parley/core");
			io.stdout.write(offlineHelp);
			return;
		}
		const commands = command.parent?.commands ?? [];
		const explained =
			topic === undefined
				? command.parent
				: commands.find((one) => one.name() === topic || one.aliases().includes(topic));
		if (explained) return explained.outputHelp();
		const topics = [...commands.map((one) => one.name()), "offline"].join(", ");
		throw new UsageError(`no help topic '${topic}'\nallowed: ${topics}`);
	});
}
