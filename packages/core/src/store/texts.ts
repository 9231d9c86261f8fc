/** Texts of the check of stored text: names of rows, and faults of rows. */
export const textFaultTexts = {
	event: (seq: number): string => `event ${seq}`,
	message: (run: string): string => `message of ${run}`,
	step: (n: number, run: string): string => `step ${n} of ${run}`,
	lastStep: (run: string): string => `last step of ${run}`,
	waitingMessage: (id: string): string => `waiting message ${id}`,
	summary: (n: number): string => `summary ${n}`,
	lastSummary: "last summary",
	gap: "the row before it is missing",
	noHash: "its hash is missing",
	altered: "its content does not match its hash",
	missing: "it is missing",
	missingForEvent: "it is missing, although an event refers to it",
} as const;

export const journalTexts = {
	keyReused: (key: string): string => `key "${key}" was used for another request: use another key`,
	noSession: (id: string): string =>
		`cannot append events: the session ${id} does not exist; create the session first`,
} as const;
