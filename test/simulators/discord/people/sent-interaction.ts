import { settleInteraction } from "../platform/interactions.ts";
import { fieldsOf, type ModalField } from "../platform/modal-limits.ts";
import type { InteractionRecord, InteractionState } from "../platform/records.ts";
import type { State } from "../platform/state.ts";
import { type Shown, show } from "./shown.ts";

export interface ShownForm {
	readonly title: string;
	readonly fields: readonly ModalField[];
}

/** Interaction that a Discord user has sent. The app must answer it. */
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

	get form(): ShownForm | undefined {
		const { modal } = this.record;
		return modal && { title: modal.title, fields: modal.components.flatMap(fieldsOf) };
	}

	get choices(): readonly { readonly name: string; readonly value: string | number }[] {
		return this.record.choices ?? [];
	}

	/** Returns the response messages that are not deleted: the first response, then the followups. */
	answers(): Shown[] {
		const { original, followUps, message } = this.record;
		const own = original && original !== message ? [original] : [];
		return [...own, ...followUps].filter(({ deleted }) => !deleted).map((one) => show(this.#state, one));
	}
}
