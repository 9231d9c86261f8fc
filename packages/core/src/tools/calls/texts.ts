/** Notes and errors for the model about the normal form of a tool call. */
export const normaliseTexts = {
	toolName: (tool: string, written: string): string => `the tool is ${tool}, not ${written}`,
	sameArgument: (names: string, key: string): string =>
		`${names} are the same argument and have different values: give only ${key}`,
	noEffect: (name: string): string => `${name} has no effect`,
	nullNoEffect: (name: string): string => `${name} is null and has no effect`,
	readAsName: (written: string, name: string): string => `${written} is read as ${name}`,
	twice: (place: string, key: string): string =>
		`the JSON text in ${place} has the key ${key} twice in one object: give each key once`,
	textReadAs: (place: string, type: string): string => `the text in ${place} is read as ${type}`,
	valueReadAs: (place: string, raw: string, value: string): string => `${place} ${raw} is read as ${value}`,
	object: "an object",
} as const;

export const toolCallTexts = {
	notRun: (reason: string): string => `not run: ${reason}`,
	unknown: (name: string, available: string): string =>
		`the tool ${name} does not exist or is not allowed here; available: ${available}`,
	invalid: (tool: string, reason: string): string => `invalid arguments of ${tool}: ${reason}`,
	wrongArguments: (tool: string, faults: string, names: string): string =>
		`invalid arguments of ${tool}: ${faults}${names}`,
	notJson: "the call is not JSON: repeat it with JSON arguments",
	failed: "a tool failed",
	argumentNames: (names: readonly string[]): string => `; allowed: ${names.join(", ")}`,
	unknownArguments: (place: string, names: readonly string[]): string =>
		`${place}unknown ${names.length === 1 ? "argument" : "arguments"} ${names.join(", ")}`,
} as const;
