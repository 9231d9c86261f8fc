/** A button or a menu of a message as a person sees it. */
export interface ShownControl {
	readonly kind: "button" | "link" | "choice";
	/** Label of a button, or placeholder of a menu. */
	readonly label: string;
	/** True if the control is visible but disabled. */
	readonly disabled: boolean;
	readonly url?: string;
	readonly options?: readonly string[];
	/** Preselected options of a menu. */
	readonly chosen?: readonly string[];
}

/** A message as a person sees it at a certain moment. */
export interface ShownMessage {
	readonly id: string;
	/** Display name above the message. */
	readonly author: string;
	/** Text with names instead of ids, and with times in the form that people read. */
	readonly text: string;
	/** Content as the author sent it. */
	readonly content: string;
	/** Labels of enabled buttons. */
	readonly buttons: readonly string[];
	readonly controls: readonly ShownControl[];
	readonly attachments: readonly string[];
	/** True if the message has the note that it was edited. */
	readonly edited: boolean;
	/** True if the message has the note that only this person sees it. */
	readonly ephemeral: boolean;
	/** Number of reactions by emoji. */
	readonly reactions: Readonly<Record<string, number>>;
}
