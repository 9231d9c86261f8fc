export const memoryStoreTexts = {
	otherPerson: "notes of another person are only for that person and the operator",
	otherAuthor: "this note was written by another person: ask them or the operator to delete it",
	tooMany: (scope: string, max: number): string =>
		`The scope ${scope} already has ${max} memories, the maximum. Delete one first.`,
} as const;
