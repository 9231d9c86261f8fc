export const housekeepingTexts = {
	notChecked: (name: string): string => `${name} could not be checked`,
	oldKeys: "old idempotency keys",
	files: "kept files",
	audit: "the audit log",
} as const;
