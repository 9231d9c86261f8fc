export const answerHelp = {
	notes: `
Without an ID, it lists the open approvals and questions of all sessions. The ID
is the six characters in that list, or the complete token.

At a terminal, the question is shown with its details, and a password is not
echoed. Without a terminal, --value is the answer. For an approval, it is yes, no
or session. For a question, it is a text, or the numbers or values of options,
separated by commas. Calls that always require approval need the complete word
yes.

Examples:
  parley answer
  parley answer 7fd1k2
  parley answer 7fd1k2 --value yes
  parley answer 7fd1k2 --deny --reason "not on a Friday"

Exit code: 0 if the question was answered; 1 if not; 2 for an invalid command
line; 130 after Ctrl-C.
`,
	description: "list open approvals and questions, and answer one",
	id: "id of the approval or question",
	value: "the answer",
	deny: "deny the approval, or decline the question",
	reason: "with --deny: reason for the model",
} as const;

export const answerMessages = {
	idMissing: "the id of the approval or question is missing; `parley answer` lists the ids",
} as const;
