export const memoryStoreTexts = {
	otherPerson: "you cannot read or delete the notes of another person: ask that person or the operator",
	otherAuthor: "this note was written by another person: ask them or the operator to delete it",
	tooMany: (scope: string, max: number): string =>
		`the scope ${scope} already has ${max} memories, the maximum: delete a memory first`,
} as const;
