const format = new Intl.ListFormat("en-GB", { type: "disjunction" });

/** Returns names as a list for people and models, for example `a, b or c`. */
export function alternatives(names: readonly string[]): string {
	return format.format(names);
}
