/** A button or a choice, as a person finds it on a message. */
export interface ShownControl {
	readonly kind: "button" | "link" | "choice";
	/** The label, or what a choice says before something is chosen. */
	readonly label: string;
	/** It is shown and cannot be pressed. */
	readonly disabled: boolean;
	readonly url?: string;
	/** Of a choice. */
	readonly options?: readonly string[];
	/** Of a choice: what stands there chosen before anybody chooses. */
	readonly chosen?: readonly string[];
}

/** A message as a person sees it at one moment. */
export interface ShownMessage {
	readonly id: string;
	/** The name that stands above it. */
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
