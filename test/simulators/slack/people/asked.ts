import { settleInteraction } from "../world/interactions.ts";
import type { InteractionRecord, InteractionState } from "../world/records.ts";
import type { State } from "../world/state.ts";
import { type FormField, fieldsOf } from "./form-state.ts";
import { isSeen, type Shown, show } from "./shown.ts";

/** A form that a person sees. */
export interface ShownForm {
	readonly title: string;
	readonly fields: readonly (FormField & { readonly name: string })[];
	/** What is said to be wrong, by block. */
	readonly errors: Readonly<Record<string, string>>;
}

/** Something that a person did and that the app answers: a press, a command, a shortcut, a form. */
export class Asked {
	readonly #state: State;
	readonly record: InteractionRecord;

	constructor(state: State, record: InteractionRecord) {
		this.#state = state;
		this.record = record;
	}

	get id(): string {
		return this.record.id;
	}

	/** What has become of it by now. */
	get state(): InteractionState {
		return settleInteraction(this.#state, this.record).state;
	}

	/** Whether the person reads that it failed: nobody acknowledged it within three seconds. */
	get failed(): boolean {
		return this.state === "failed";
	}

	/** The form that has opened, or that stays because it was not taken. */
	get form(): ShownForm | undefined {
		const found = this.record.opened ?? this.record.view;
		if (!found?.view) return undefined;
		const fields = fieldsOf(found.view).map((field) => ({ ...field, name: field.actionId }));
		return { title: found.view.title.text, fields, errors: found.errors };
	}

	/** The messages that answered it, as the person sees them: by its address, or to them alone since then. */
	answers(): Shown[] {
		const { user, createdAt, answers, view } = this.record;
		// A form has no channel, but what has opened it had.
		const channel = this.record.channel ?? view?.opener.channel;
		const told = channel?.messages.filter(
			(message) => message.onlyFor === user && message.createdAt >= createdAt && !answers.includes(message),
		);
		const all = [...answers, ...(told ?? [])].filter((message) => isSeen(message, user));
		return all.map((message) => show(this.#state, message));
	}
}
