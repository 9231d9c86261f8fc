import { systemClock } from "@parley/base";
import type { OpenSession } from "@parley/protocol";
import type { ChatFlags } from "../commands/chat.ts";
import { connect } from "../connect.ts";
import { findGateway } from "../gateway-address.ts";
import type { Io } from "../io.ts";
import { openSession } from "../open-session.ts";
import { visibleLine } from "../text/visible.ts";
import { Chat } from "./chat.ts";
import { talkAtTerminal } from "./talk-at-terminal.ts";
import { talkInLines } from "./talk-in-lines.ts";

/** Runs a chat until the person leaves or the input ends, and returns the exit code. */
export async function chat(flags: ChatFlags, io: Io): Promise<number> {
	const address = await findGateway(flags, io);
	let current: Chat | undefined;
	const client = connect(address, (state) => current?.connection(state));
	const rootDir = address.isLocal ? io.cwd : undefined;
	const open = (sessionId: string | undefined): Promise<OpenSession> =>
		openSession(client, {
			...{ sessionId, rootDir, profile: flags.profile, model: flags.model },
			onOtherDirectory: (reason) =>
				io.stderr.write(`parley: not working in ${io.cwd}: ${visibleLine(reason)}\n`),
		});
	try {
		const session = await open(flags.session);
		const talk = isInteractive(io) ? talkAtTerminal : talkInLines;
		return await talk(io, (display) => {
			current = new Chat({
				...{ ...display, client, session, clock: systemClock },
				openNew: () => open(undefined),
			});
			return current;
		});
	} finally {
		await client.close();
	}
}

/** Drawing takes a terminal on both sides that knows escape sequences. */
function isInteractive({ stdin, stdout, environment }: Io): boolean {
	return stdin.isTTY && stdout.isTTY && environment["TERM"] !== "dumb";
}
