import { Command } from "commander";
import type { AddressFlags } from "../gateway-address.ts";
import type { Io } from "../io.ts";
import { addAddressFlags } from "./address-flags.ts";
import { addSessionFlags, type SessionFlags } from "./session-flags.ts";

export interface ChatFlags extends AddressFlags, SessionFlags {}

/** `parley chat`: a conversation at the terminal. */
export function chatCommand(io: Io): Command {
	const command = new Command("chat").description("talk to the agent; /help tells what can be typed");
	return addAddressFlags(addSessionFlags(command)).action(async (flags: ChatFlags) => {
		const { chat } = await import("../chat/chat-command.ts");
		io.exitCode = await chat(flags, io);
	});
}
