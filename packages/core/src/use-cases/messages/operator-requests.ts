import type { Runner } from "../../agent/runner.ts";
import type { Sessions } from "../../conversation/sessions.ts";
import type { Keyed } from "../../store/idempotency.ts";
import type { Policies } from "../../trust/policies.ts";
import type { Principal } from "../../vocabulary/principal.ts";
import { type AlwaysAllowed, allowAlways } from "./allow-always.ts";
import type { AnswerPorts } from "./answer.ts";
import { acceptCommand } from "./run-command.ts";
import type { Accepted, AcceptPorts } from "./send.ts";
import { readTurnDifference, type TurnDifference } from "./turn-difference.ts";
import { acceptUndo } from "./undo.ts";

type DifferencePorts = Parameters<typeof readTurnDifference>[0];

interface OperatorPorts extends AcceptPorts, AnswerPorts, DifferencePorts {
	readonly sessions: Sessions;
	readonly policies: Policies;
	readonly runner: Runner;
	/** Throws while the gateway is shutting down. */
	readonly admit: () => void;
}

/** Session requests that only the operator can send. */
export class OperatorRequests {
	readonly #ports: OperatorPorts;

	constructor(ports: OperatorPorts) {
		this.#ports = ports;
	}

	/** Approves a tool call, and adds the offered rule of the approval request to the operator's rules. See `allowAlways`. */
	async allowAlways(request: Keyed, token: string): Promise<AlwaysAllowed> {
		return allowAlways(this.#ports, request, token);
	}

	/** Accepts a shell command of the operator. The command runs like `run_command`, after the queued messages. */
	async runCommand(request: Keyed, sessionId: string, command: string): Promise<Accepted> {
		const { admit, sessions, runner } = this.#ports;
		admit();
		using lease = await sessions.lease(request.principal, sessionId, "session.write");
		const { accepted, start } = await acceptCommand(this.#ports, lease.session, request, command);
		runner.start(lease.session, start);
		return accepted;
	}

	/**
	 * Returns the file changes of the newest turn with changes that are not undone, or undefined if there is no such
	 * turn.
	 */
	async changes(principal: Principal, sessionId: string): Promise<TurnDifference | undefined> {
		return readTurnDifference(this.#ports, principal, sessionId);
	}

	/**
	 * Accepts a request to undo the newest turn with changes that are not undone. If `partly` is true, files that cannot be
	 * restored stay unchanged. If `partly` is false, a file that cannot be restored prevents the undo.
	 */
	async undo(request: Keyed, sessionId: string, partly: boolean): Promise<Accepted> {
		const { admit, sessions, runner } = this.#ports;
		admit();
		using lease = await sessions.lease(request.principal, sessionId, "session.write");
		const { accepted, start } = await acceptUndo(this.#ports, lease.session, request, partly);
		runner.start(lease.session, start);
		return accepted;
	}
}
