/** What was written for an option; empty where nothing was. */
export function textOf(option: string | number | boolean | undefined): string {
	return typeof option === "string" ? option.trim() : "";
}

/** As many as platforms take. */
export const mostSuggestions = 25;
