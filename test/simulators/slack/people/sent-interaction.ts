import { settleInteraction } from "../platform/interactions.ts";
import type { InteractionRecord, InteractionState } from "../platform/records.ts";
import type { State } from "../platform/state.ts";
import { type FormField, fieldsOf } from "./form-state.ts";
import { isSeen, type Shown, show } from "./shown.ts";

export interface ShownForm {
	readonly title: string;
	readonly fields: readonly (FormField & { readonly name: string })[];
	/** Error texts by block id. */
	readonly errors: Readonly<Record<string, string>>;
}

/** Interaction that a Slack user has sent. The app must acknowledge it. */
export class SentInteraction {
	readonly #state: State;
	readonly record: InteractionRecord;

	constructor(state: State, record: InteractionRecord) {
		this.#state = state;
		this.record = record;
	}

	get id(): string {
		return this.record.id;
	}

	get state(): InteractionState {
		return settleInteraction(this.#state, this.record).state;
	}

	/** Whether the user sees a failure notice. */
	get failed(): boolean {
		return this.state === "failed";
	}

	/** Returns the form that the action opened, or the sent form while it is open. */
	get form(): ShownForm | undefined {
		const found = this.record.opened ?? this.record.view;
		if (!found?.view) return undefined;
		const fields = fieldsOf(found.view).map((field) => ({ ...field, name: field.actionId }));
		return { title: found.view.title.text, fields, errors: found.errors };
	}

	/** Returns the responses that the user sees: messages to the response URL, and later ephemeral messages. */
	answers(): Shown[] {
		const { user, createdAt, answers, view } = this.record;
		// A form has no channel, so the code uses the channel of the action that opened the form.
		const channel = this.record.channel ?? view?.opener.channel;
		const replies = channel?.messages.filter(
			(message) => message.onlyFor === user && message.createdAt >= createdAt && !answers.includes(message),
		);
		const all = [...answers, ...(replies ?? [])].filter((message) => isSeen(message, user));
		return all.map((message) => show(this.#state, message));
	}
}
