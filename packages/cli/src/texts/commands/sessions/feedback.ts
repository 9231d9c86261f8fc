export const feedbackHelp = {
	notes: `
Examples:
  parley feedback --rating bad
  parley feedback --session sess_4k2x --json
`,
	description: "list feedback about replies, newest first",
	rating: "only this rating",
	session: "only replies of this session",
	limit: "maximum number of ratings",
} as const;

export const feedbackMessages = {
	noFeedback: "no feedback",
} as const;
