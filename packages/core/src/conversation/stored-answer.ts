import { type Clock, defined, type Ids, ParleyError } from "@parley/base";
import type { Tx } from "../store/journal.ts";
import { type Answer, type Prompt, type PromptResponse, readAnswer } from "../vocabulary/prompt.ts";
import type { SecretBox } from "../vocabulary/secrets.ts";
import { storePassword } from "./passwords.ts";
import type { Session } from "./session.ts";
import { promptTexts } from "./texts.ts";

/**
 * Refuses an answer to a password question over an unencrypted connection. Throws `permission_denied` unless the answer
 * is a cancellation, which contains no password.
 */
export function refuseReadable({ cancelled }: PromptResponse): void {
	if (cancelled === true) return;
	const message = promptTexts.unencrypted;
	throw new ParleyError(message, { code: "permission_denied" });
}

/** Throws `permission_denied` if a person approves a call that an approver has changed since the person read it. */
export function refuseChanged(prompt: Prompt, isFloor: boolean, response: PromptResponse): void {
	const { changes } = response;
	if (changes === undefined || changes === (prompt.approval?.changes ?? 0)) return;
	if (readAnswer(prompt, isFloor, response).kind === "approved")
		throw new ParleyError(promptTexts.changed, { code: "permission_denied" });
}

/**
 * Returns the stored form of an answer: a handle for a password, or text without secrets. An approval is stored
 * unchanged, because the call needs the secrets in its arguments.
 */
export async function storedAnswer(
	services: { readonly clock: Clock; readonly ids: Ids; readonly secrets: SecretBox },
	tx: Tx,
	session: Session,
	{ prompt, answer }: { readonly prompt: Prompt; readonly answer: Answer },
): Promise<Answer> {
	const { redactor } = session;
	if (answer.kind === "denied") return { ...answer, reason: redactor.redact(answer.reason) };
	if (answer.kind === "cancelled") {
		const reason = answer.reason ? redactor.redact(answer.reason) : undefined;
		return { ...answer, ...defined({ reason }) };
	}
	if (answer.kind !== "value") return answer;
	const { value } = answer;
	if (typeof value !== "string") return { ...answer, value: value.map((one) => redactor.redact(one)) };
	const isPassword = prompt.type === "password" && value !== "";
	return {
		...answer,
		value: isPassword ? await storePassword(services, tx, session, value) : redactor.redact(value),
	};
}

/** Returns the answer that clients receive. Null for a password and for a cancelled question. */
export function shownAnswer(prompt: Prompt, answer: Answer): unknown {
	if (prompt.type === "password") return null;
	if (answer.kind === "approved") return true;
	if (answer.kind === "denied") return false;
	return answer.kind === "value" ? answer.value : null;
}
