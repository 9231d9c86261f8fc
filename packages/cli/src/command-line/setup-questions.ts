export interface TextQuestion {
	readonly message: string;
	/** Text in the input before the person types. */
	readonly initial?: string;
	/** Returns the reason why the text is not accepted, or undefined for an accepted text. */
	readonly problemOf?: (text: string) => string | undefined;
}

export interface Choice<Value extends string> {
	readonly message: string;
	readonly options: readonly { readonly value: Value; readonly label: string; readonly hint?: string }[];
	readonly initial?: Value;
}
