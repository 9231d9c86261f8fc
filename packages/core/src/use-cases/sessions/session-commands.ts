import { ParleyError } from "@parley/base";
import type { BackgroundCommands } from "../../conversation/commands/background-commands.ts";
import type { Sessions } from "../../conversation/sessions.ts";
import { listCommands } from "../../store/command-rows.ts";
import { answerOf, type Keyed, type KeyServices, once } from "../../store/idempotency.ts";
import type { Journal } from "../../store/journal.ts";
import { type Audit, requestedBy } from "../../trust/audit/audit.ts";
import { type BackgroundCommand, unknownCommand } from "../../vocabulary/commands/background-command.ts";
import { actingId, type Principal } from "../../vocabulary/principal.ts";

interface SessionCommandsPorts extends KeyServices {
	readonly journal: Journal;
	readonly audit: Audit;
	readonly sessions: Sessions;
	readonly commands: BackgroundCommands;
}

/** Maximum commands in a list, higher than the maximum running commands of a session. */
const maxListed = 50;

/** Lists and stops the background commands of sessions for clients. */
export class SessionCommands {
	readonly #ports: SessionCommandsPorts;

	constructor(ports: SessionCommandsPorts) {
		this.#ports = ports;
	}

	/**
	 * Returns at most 50 commands of a session, newest first. If the session has more commands, running commands have
	 * precedence over ended commands.
	 */
	async list(principal: Principal, sessionId: string): Promise<BackgroundCommand[]> {
		const { sessions, journal, commands } = this.#ports;
		using lease = await sessions.lease(principal, sessionId, "session.read");
		await commands.recordEnds();
		return await journal.store.read((db) => listCommands(db, lease.session.id, maxListed));
	}

	/**
	 * Stops a command, and resolves when it has ended. Does not change an ended command. Throws `not_found` for an unknown
	 * command.
	 */
	async stop(request: Keyed, sessionId: string, n: number): Promise<BackgroundCommand> {
		const { sessions, commands, journal, audit } = this.#ports;
		const { principal } = request;
		using lease = await sessions.lease(principal, sessionId, "session.write");
		const known = await journal.store.read((db) => answerOf<BackgroundCommand>(db, request, this.#ports));
		if (known) return known.response;
		const stopped = await commands.stop(sessionId, n, {
			by: actingId(principal),
			audit: (tx) =>
				audit.record(tx, {
					...requestedBy(principal),
					action: "command.stop",
					object: sessionId,
					decision: "stopped",
					args: { n },
				}),
		});
		if (stopped.ending === undefined) throw new ParleyError(unknownCommand(n), { code: "not_found" });
		if (request.key === undefined) return stopped;
		await lease.session.commit((tx) => once(tx, request, this.#ports, async () => stopped));
		return stopped;
	}
}
