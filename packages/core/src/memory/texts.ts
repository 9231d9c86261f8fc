export const memoryStoreTexts = {
	otherPerson: "notes of another person are only for that person and the operator",
	otherAuthor: "this note was written by another person: ask them or the operator to delete it",
	tooMany: (scope: string, max: number): string =>
		`Too many memories of scope ${scope}: ${max} are stored. Delete some first.`,
} as const;
