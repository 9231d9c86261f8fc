/** Texts in the tables of skills and in the facts about a skill. */
export const skillTableTexts = {
	columns: ["NAME", "STARTED BY", "TRUST", "FILE", "DESCRIPTION"],
	noSkills: "No skills.",
	howToTrust: "Review the files of skills without trust, then run: parley skills trust DIR",
	changes: "Changes since it was trusted",
	noTrustedText: "The trusted text was not stored: review the complete files.",
	file: "file",
	directory: "directory",
	trust: "trust",
	startedByLabel: "started by",
	tools: "tools",
	allTools: "all",
	noTools: "none",
	model: "model",
	steps: "steps",
	contains: "contains",
	/** Shows the callers that may start a skill. */
	startedBy: ({ people, agent }: { readonly people: boolean; readonly agent: boolean }) =>
		people && agent ? "people, agent" : people ? "people" : agent ? "agent" : "none",
} as const;

/** Texts in the tables of notes, schedules and feedback. */
export const memoryTableTexts = {
	forAllPeople: "for all people",
	about: ({ scope, subject }: { readonly scope: string; readonly subject: string }) =>
		`for ${scope} ${subject}`,
	nextDue: ({ time }: { readonly time: string }) => `next due ${time}`,
	fired: ({ ago }: { readonly ago: string }) => `fired ${ago}`,
	problem: ({ problem }: { readonly problem: string }) => `did not fire: ${problem}`,
	feedbackFacts: ({
		by,
		ago,
		session,
	}: {
		readonly by: string;
		readonly ago: string;
		readonly session: string;
	}) => `by ${by}, ${ago}, in ${session}`,
	reply: ({ text }: { readonly text: string }) => `reply: ${text}`,
	comment: ({ text }: { readonly text: string }) => `comment: ${text}`,
} as const;
