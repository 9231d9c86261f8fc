import type { MethodResult } from "@parley/protocol";
import { Command } from "commander";
import { type AddressFlags, findGateway } from "../gateway-address.ts";
import type { Io } from "../io.ts";
import { createStyles, wantsColours } from "../text/styles.ts";
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
		const { connect } = await import("../connect.ts");
		const client = connect(await findGateway(flags, io));
		try {
			const { sessions } = await client.request("list_sessions", { limit: most });
			io.stdout.write(flags.json ? `${JSON.stringify(sessions, undefined, 2)}\n` : await table(sessions, io));
		} finally {
			await client.close();
		}
	});
}

async function table(sessions: MethodResult<"list_sessions">["sessions"], io: Io): Promise<string> {
	const [{ systemClock }, { sessionTable }] = await Promise.all([
		import("@parley/base"),
		import("../session-table.ts"),
	]);
	if (sessions.length === 0) return "no conversations yet; begin one with `parley chat`\n";
	const { stdout, environment } = io;
	const columns = stdout.isTTY ? stdout.columns : Number.POSITIVE_INFINITY;
	const look = { columns, styles: createStyles(wantsColours(stdout, environment)) };
	return `${sessionTable(sessions, systemClock.now(), look).join("\n")}\n`;
}
