/** A button or a menu of a message, as a person sees it. */
export interface ShownControl {
	readonly kind: "button" | "link" | "choice";
	/** Label, or the placeholder of a menu. */
	readonly label: string;
	/** True if it is visible but cannot be pressed. */
	readonly disabled: boolean;
	readonly url?: string;
	readonly options?: readonly string[];
	/** Preselected options of a menu. */
	readonly chosen?: readonly string[];
}

/** A message as a person sees it at one moment. */
export interface ShownMessage {
	readonly id: string;
	/** Display name above the message. */
	readonly author: string;
	/** Text with names instead of ids, and times as the person reads them. */
	readonly text: string;
	/** Content as sent. */
	readonly content: string;
	/** Labels of buttons that can be pressed. */
	readonly buttons: readonly string[];
	readonly controls: readonly ShownControl[];
	readonly attachments: readonly string[];
	/** True if it has a note that it was edited. */
	readonly edited: boolean;
	/** True if only this person sees it, with a note. */
	readonly ephemeral: boolean;
	/** Number of reactions by emoji. */
	readonly reactions: Readonly<Record<string, number>>;
}
