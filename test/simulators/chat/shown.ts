/** A button or a choice, as a person finds it on a message. */
export interface ShownControl {
	readonly kind: "button" | "link" | "choice";
	/** Label, or the placeholder of a menu. */
	readonly label: string;
	/** It is shown and cannot be pressed. */
	readonly disabled: boolean;
	readonly url?: string;
	/** Options of a menu. */
	readonly options?: readonly string[];
	/** Preselected options of a menu. */
	readonly chosen?: readonly string[];
}

/** A message as a person sees it at one moment. */
export interface ShownMessage {
	readonly id: string;
	/** Display name above the message. */
	readonly author: string;
	/** With names instead of ids, and times as the person reads them. */
	readonly text: string;
	/** As it was sent. */
	readonly content: string;
	/** Labels of buttons that can be pressed. */
	readonly buttons: readonly string[];
	readonly controls: readonly ShownControl[];
	readonly attachments: readonly string[];
	/** Whether people read that it was edited. */
	readonly edited: boolean;
	/** Only this person sees it, and reads that. */
	readonly ephemeral: boolean;
	/** By emoji. */
	readonly reactions: Readonly<Record<string, number>>;
}
