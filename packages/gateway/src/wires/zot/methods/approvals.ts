import type { Prompt } from "@parley/core";
import { zotErrorTexts } from "../../../texts/wires/zot.ts";
import { PromptIds } from "../../view/prompt-ids.ts";
import type { Agent } from "../agent.ts";
import { encodeAsk } from "../codec.ts";
import type { Ask, Command } from "../schema.ts";

type Approve = Extract<Command, { type: "approve" }>;

const reasons = {
	ended: zotErrorTexts.inputEnded,
	lost: zotErrorTexts.disconnected,
	stopped: zotErrorTexts.stopped,
} as const;
export type Unanswered = keyof typeof reasons;

/**
 * Approvals of the session, which are sent to a client that answers approvals, and denied for any other
 * client.
 */
export class Approvals {
	readonly #agent: Agent;
	readonly #send: ((ask: Ask) => void) | undefined;
	readonly #ids = new PromptIds((_, count) => `ask-${count}`);
	#ended: Unanswered | undefined;

	/**
	 * Sets the agent of the session. `send` sends an approval to the client. Without `send`, all approvals are denied.
	 */
	constructor(agent: Agent, send: ((ask: Ask) => void) | undefined) {
		this.#agent = agent;
		this.#send = send;
	}

	async raise(prompt: Prompt): Promise<void> {
		// Clients of this wire cannot answer questions, even if they answer approvals.
		if (!prompt.approval) return this.#refuse(prompt, zotErrorTexts.noQuestions);
		if (!this.#send) return this.#refuse(prompt, approvalRequired(prompt));
		if (this.#ended) return this.#refuse(prompt, reasons[this.#ended]);
		this.#send(encodeAsk(this.#ids.open(prompt), prompt, prompt.approval));
	}

	/** Closes an approval, because it was answered or has expired, or because its run has ended. */
	settle(token: string): void {
		this.#ids.settle(token);
	}

	/**
	 * Answers an approval. Rejects with `not_found` for an approval that is not open. If the answer cannot be stored, the
	 * approval stays open.
	 */
	async answer(command: Approve): Promise<void> {
		const { allow, reason, remember_tool, remember_all } = command;
		const id = command.ask ?? String(command.id ?? "");
		const prompt = this.#ids.remove(id);
		const approved = { value: remember_tool && prompt.approval?.allowSession ? "session" : true };
		try {
			await this.#agent.answer(prompt.token, allow ? approved : { cancelled: true, reason: reason ?? "" });
		} catch (error) {
			this.#ids.restore(id, prompt);
			throw error;
		}
		if (allow && remember_all) await this.#agent.acceptAll();
	}

	/** Denies all open approvals and all later approvals. */
	async end(cause: Unanswered): Promise<void> {
		this.#ended ??= cause;
		const reason = reasons[this.#ended];
		await Promise.all(this.#ids.removeAll().map((prompt) => this.#refuse(prompt, reason)));
	}

	async #refuse({ token }: Prompt, reason: string): Promise<void> {
		await this.#agent.answer(token, { cancelled: true, reason, unanswered: true });
	}
}

function approvalRequired({ approval }: Prompt): string {
	return zotErrorTexts.approvalRequired({ reason: (approval?.notes ?? []).join("; ") });
}
