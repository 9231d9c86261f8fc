import { Command } from "commander";
import type { AddressFlags } from "../gateway-address.ts";
import type { Io } from "../io.ts";
import { outputLook, printJson, printRows, withGateway } from "../with-gateway.ts";
import { addAddressFlags } from "./address-flags.ts";

interface SessionsFlags extends AddressFlags {
	readonly json?: boolean;
}

const most = 1000;

/** `parley sessions`: what conversations there are. */
export function sessionsCommand(io: Io): Command {
	const command = new Command("sessions")
		.description("list the conversations, the newest first")
		.option("--json", "print a JSON array");
	return addAddressFlags(command).action(async (flags: SessionsFlags) => {
		const { sessions } = await withGateway(flags, io, (client) =>
			client.request("list_sessions", { limit: most }),
		);
		if (flags.json) return printJson(sessions, io);
		if (sessions.length === 0) return printRows(["no conversations yet; begin one with `parley chat`"], io);
		const [{ systemClock }, { sessionTable }] = await Promise.all([
			import("@parley/base"),
			import("../tables/session-table.ts"),
		]);
		printRows(sessionTable(sessions, systemClock.now(), outputLook(io)), io);
	});
}
