export const housekeepingTexts = {
	notCleaned: (name: string): string => `${name} could not be cleaned up`,
	oldKeys: "old idempotency keys",
	files: "stored files",
	audit: "the audit log",
} as const;
