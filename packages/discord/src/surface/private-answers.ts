import type { Clock } from "@parley/base";
import { DeliveryError, type Posting, type Receipt } from "@parley/connector";
import * as z from "zod";
import { deliveryTexts } from "../texts/delivery.ts";
import type { OwnAccount } from "../vocabulary/discord-port.ts";
import type { Caller } from "./caller.ts";
import { draftOf } from "./drafts.ts";
import { attached, messageBody, passed, sent, textFile } from "./posts.ts";

export type PrivateAnswer = Extract<Posting, { type: "private" }>;

const Answer = z.object({ id: z.string(), content: z.string().default("") });

export interface PrivateAnswersParts {
	readonly caller: Caller;
	readonly tickets: Tickets;
	readonly self: OwnAccount;
	readonly clock: Clock;
}

/**
 * Private answers, which only the person who pressed a button or used a command can see. They replace the deferred answer
 * (interactions/receiving-and-responding#edit-original-interaction-response), so a repeated answer appears once.
 */
export class PrivateAnswers {
	readonly #parts: PrivateAnswersParts;

	constructor(parts: PrivateAnswersParts) {
		this.#parts = parts;
	}

	/** Shows the answer. Without a body and a file, deletes the deferred answer. */
	async answer(answer: PrivateAnswer): Promise<Receipt> {
		const { ticket, body, file, controls = [] } = answer;
		const { caller, tickets } = this.#parts;
		this.#checkTime(answer);
		await tickets.answered(ticket.id);
		const path = this.#path(answer);
		if (isEmpty(answer)) {
			await caller.ask({ method: "DELETE", path, authorized: false }, "edit");
			return { remote: ticket.id };
		}
		const files = file ? [textFile(file)] : [];
		const { draft } = draftOf({ body, controls, files });
		const message = { ...messageBody(passed(draft)), ...attached(draft.files) };
		const { body: edited } = await caller.ask(
			{ method: "PATCH", path, authorized: false, body: message, ...sent(draft.files) },
			"edit",
		);
		return { remote: Answer.safeParse(edited).data?.id ?? ticket.id };
	}

	/**
	 * Returns the receipt if the answer is shown. If the answer has neither a body nor a file, returns the receipt
	 * if nothing is shown.
	 */
	async find(answer: PrivateAnswer): Promise<Receipt | undefined> {
		this.#checkTime(answer);
		const request = { method: "GET", path: this.#path(answer), authorized: false } as const;
		const { body } = await this.#parts.caller.ask(request, "read").catch((error: unknown) => {
			if (isEmpty(answer) && DeliveryError.from(error).kind === "gone") return { body: undefined };
			throw error;
		});
		if (body === undefined) return { remote: answer.ticket.id };
		const shown = Answer.safeParse(body).data;
		const { draft } = draftOf({ body: answer.body, controls: [], files: [] });
		return shown?.content.trim() === draft.content.trim() && shown.content !== ""
			? { remote: shown.id }
			: undefined;
	}

	#path({ ticket }: PrivateAnswer): string {
		return `/webhooks/${this.#parts.self.application}/${encodeURIComponent(ticket.token)}/messages/@original`;
	}

	#checkTime({ expiresAt }: PrivateAnswer): void {
		if (this.#parts.clock.now() < expiresAt) return;
		throw new DeliveryError(deliveryTexts.privateAnswerExpired, { kind: "gone" });
	}
}

function isEmpty({ body, file }: PrivateAnswer): boolean {
	return body.trim() === "" && file === undefined;
}

/**
 * Interactions for which the first answer is being sent. Discord accepts no further answers before the first
 * answer.
 */
export class Tickets {
	readonly #open = new Map<string, Promise<unknown>>();

	open(id: string, answered: Promise<unknown>): void {
		const settled = answered.then(
			() => this.#open.delete(id),
			() => this.#open.delete(id),
		);
		this.#open.set(id, settled);
	}

	/** Resolves when the first answer has succeeded or failed, or immediately if this process is not sending it. */
	async answered(id: string): Promise<void> {
		await this.#open.get(id);
	}
}
