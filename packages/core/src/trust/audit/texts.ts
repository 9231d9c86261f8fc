/** Findings of a check of the audit log. */
export const auditTexts = {
	changed: "the row was changed",
	otherRow: "its hash differs from the audit anchor",
	missingBefore: (seq: number): string =>
		seq === 1
			? "the row is missing, and no row records its removal"
			: "it and the rows before it are missing, and no row records their removal",
	missing: (seq: number, anchor: number): string =>
		seq === anchor
			? "the row is missing, and later rows may also be missing"
			: `this row and all rows up to at least row ${anchor} are missing`,
	rowMissing: "the row is missing",
	notFirst: "it refers to a previous row, although it is the first row",
	notAfter: (seq: number): string => `it does not follow row ${seq}`,
	anchor: "audit anchor",
	notWritten: "the audit log could not be written",
} as const;
