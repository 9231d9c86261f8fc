export interface ShownControl {
	readonly kind: "button" | "link" | "choice";
	/** Label of a button, or placeholder of a menu. */
	readonly label: string;
	readonly disabled: boolean;
	readonly url?: string;
	readonly options?: readonly string[];
	/** Preselected options of a menu. */
	readonly chosen?: readonly string[];
}

export interface ShownMessage {
	readonly id: string;
	readonly author: string;
	/** Text with names instead of ids, and with formatted times. */
	readonly text: string;
	/** Content as the author sent it. */
	readonly content: string;
	/** Labels of enabled buttons. */
	readonly buttons: readonly string[];
	readonly controls: readonly ShownControl[];
	readonly attachments: readonly string[];
	readonly edited: boolean;
	/** Whether only the viewer sees the message. */
	readonly ephemeral: boolean;
	/** Number of reactions by emoji. */
	readonly reactions: Readonly<Record<string, number>>;
}
