import type * as z from "zod";

type Issue = z.core.$ZodRawIssue;

/** Maximum number of wrong keys and alternatives in a message. */
const maxShown = 10;

/**
 * Returns the message for an invalid value: a description of the required form. Use `issueWords` as the `error` option
 * of a parse if people read the errors. Messages in the schema have priority.
 */
export function issueWords(issue: Issue): string {
	switch (issue.code) {
		case "invalid_type":
			return orMissing(issue, mustBe(issue.expected));
		case "too_big":
			return `must ${boundOf(issue.origin, "most", Number(issue.maximum), issue.inclusive !== false)}`;
		case "too_small":
			return `must ${boundOf(issue.origin, "least", Number(issue.minimum), issue.inclusive !== false)}`;
		case "not_multiple_of":
			return `must be a multiple of ${issue.divisor}`;
		case "invalid_value":
			return orMissing(issue, mustBeOneOf(issue.values.map(String)));
		case "unrecognized_keys":
			return `unknown ${issue.keys.length === 1 ? "key" : "keys"} ${issue.keys.slice(0, maxShown).map(quoted).join(", ")}${knownKeys(issue)}`;
		case "invalid_union":
			return alternatives(issue);
		case "invalid_key":
		case "invalid_element":
			return issue.issues[0]?.message ?? "has an invalid form";
		default:
			return "has an invalid form";
	}
}

function orMissing({ input }: Issue, words: string): string {
	return input === undefined ? `is missing: it ${words}` : words;
}

const things: Readonly<Record<string, string>> = {
	string: "a string",
	number: "a number",
	int: "a whole number",
	boolean: "true or false",
	array: "a list",
	object: "an object",
	record: "an object",
	null: "null",
	date: "a time",
};

function mustBe(expected: string): string {
	return `must be ${things[expected] ?? "another thing"}`;
}

function mustBeOneOf(values: readonly string[]): string {
	return values.length === 1 ? `must be ${values[0]}` : `must be one of ${values.join(", ")}`;
}

const units: Readonly<Record<string, string>> = { string: "character", array: "entry" };

/** Returns a phrase about a bound, such as `have at most 20 characters` or `be at least 1`. */
function boundOf(origin: string, side: "most" | "least", bound: number, inclusive: boolean): string {
	const unit = units[origin];
	if (unit === undefined) {
		return inclusive ? `be at ${side} ${bound}` : `be ${side === "most" ? "less" : "more"} than ${bound}`;
	}
	if (side === "least" && bound === 1) return "not be empty";
	return `have at ${side} ${bound} ${plural(unit, bound)}`;
}

function plural(unit: string, count: number): string {
	if (count === 1) return unit;
	return unit === "entry" ? "entries" : `${unit}s`;
}

/** Returns the end of a message: the known keys, or `remove it` if the schema does not name any. */
function knownKeys({ inst }: Issue): string {
	const known =
		inst && "shape" in inst && typeof inst.shape === "object" ? Object.keys(inst.shape ?? {}) : [];
	return known.length === 0 ? "; remove it" : `; allowed: ${known.join(", ")}`;
}

function alternatives(issue: Extract<Issue, { code: "invalid_union" }>): string {
	if ("options" in issue && Array.isArray(issue.options)) return mustBeOneOf(issue.options.map(String));
	const all = issue.errors.flatMap(([first]) => (first ? [first.message] : []));
	return [...new Set(all)].slice(0, maxShown).join(", or ") || "has an invalid form";
}

function quoted(text: string): string {
	return JSON.stringify(text.length > 40 ? `${text.slice(0, 40)}…` : text);
}
