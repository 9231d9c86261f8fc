import { ParleyError } from "@parley/base";
import type { Session } from "../../conversation/session.ts";
import type { Keyed } from "../../store/idempotency.ts";
import { authorize } from "../../vocabulary/authorize.ts";
import { type AcceptPorts, acceptMessage } from "./send.ts";
import { ownCommandTexts } from "./texts.ts";

/** Prefix of the command in the message of its run. */
const mark = "!";

/**
 * Accepts a shell command of the operator as a message. The run of this message calls `run_command` and no model. Throws
 * `failed_precondition` for a session of a channel or a task. Throws `invalid_argument` for an empty command, and for a
 * command with a line break, a control character or a known secret.
 */
export async function acceptCommand(
	services: AcceptPorts,
	session: Session,
	request: Keyed,
	command: string,
): ReturnType<typeof acceptMessage> {
	authorize(request.principal, "command.run");
	if (session.place !== undefined || session.taskId !== undefined) {
		throw new ParleyError(ownCommandTexts.otherSession, { code: "failed_precondition" });
	}
	if (command.trim() === "" || /[\p{Cc}\p{Zl}\p{Zp}]/u.test(command)) {
		throw new ParleyError(ownCommandTexts.oneLine, { code: "invalid_argument" });
	}
	if (session.redactor.redactKnown(command) !== command) {
		throw new ParleyError(ownCommandTexts.secret, { code: "invalid_argument" });
	}
	return acceptMessage(services, session, request, {
		content: `${mark}${command}`,
		options: { command },
	});
}
