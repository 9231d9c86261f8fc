import { Command } from "commander";
import type { ChatFlags } from "../../chat/chat-command.ts";
import { addAddressFlags } from "../../client/gateway-address.ts";
import type { Io } from "../../command-line/io.ts";
import { addSessionFlags } from "../../command-line/session-flags.ts";
import { chatHelp } from "../../texts/commands/sessions/chat.ts";

export function chatCommand(io: Io): Command {
	const command = new Command("chat")
		.description(chatHelp.description)
		.option("--plain", chatHelp.plain)
		.addHelpText("after", chatHelp.notes.trimEnd());
	return addAddressFlags(addSessionFlags(command)).action(async (flags: ChatFlags) => {
		const { runChat } = await import("../../chat/chat-command.ts");
		io.exitCode = await runChat(flags, io);
	});
}
