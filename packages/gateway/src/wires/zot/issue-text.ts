import type * as z from "zod";

const forms: Readonly<Record<string, string>> = {
	string: "a text",
	number: "a number",
	boolean: "true or false",
	array: "a list",
	object: "an object",
};

/** What is wrong with a field, in our words; what its schema says itself goes before this. */
export function issueText(issue: z.core.$ZodRawIssue): string {
	if (issue.input === undefined) return "is missing";
	switch (issue.code) {
		case "invalid_type":
			return `has to be ${forms[issue.expected] ?? issue.expected}`;
		case "invalid_union":
			return "has to be a text or a number";
		case "invalid_value":
			return `has to be one of ${issue.values.map(String).join(", ")}`;
		case "invalid_format":
			return `has to be ${issue.format}`;
		case "too_big":
			return `longer than ${issue.maximum.toLocaleString("en")} characters`;
		default:
			return "cannot be read";
	}
}
