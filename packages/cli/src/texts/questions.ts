/** Texts about questions and their answers. */
export const questionTexts = {
	reasonWithoutDeny: "--reason requires --deny: add --deny, or leave out --reason",
	denyAndValue: "--deny and --value cannot be used together: use only one of them",
	stillOpen: "The question is still open.",
	severalQuestions: ({ id, tokens }: { readonly id: string; readonly tokens: string }) =>
		`several questions end with ${id}; use one of these ids: ${tokens}`,
	noQuestion: ({ id }: { readonly id: string }) =>
		`no open question has the id ${id}; \`parley answer\` lists the ids`,
	passwordAsValue:
		"--value is not allowed for a password, because other users can read command lines; type the password at a terminal",
	invalidValue: ({ value, hint }: { readonly value: string; readonly hint: string }) =>
		`invalid value ${JSON.stringify(value)} for --value: ${hint}`,
	noTerminal: ({ isPassword }: { readonly isPassword: boolean }) =>
		isPassword
			? "cannot ask for a password without a terminal: run this command at a terminal"
			: "cannot ask without a terminal; use --value or --deny",
	answered: ({ answer }: { readonly answer: string }) => `answered: ${answer}`,
	completeYes: "this call always requires approval: use the complete word, --value yes",
	dangerousCall:
		"This call always requires approval. Type yes to approve it, or anything else to leave it open.",
	approvalPromptWithSession: "y yes · n no · s for this session › ",
	approvalPromptWithRule: ({ withSession }: { readonly withSession: boolean }) =>
		`y yes · n no${withSession ? " · s session" : ""} · always › `,
	offered: ({
		tool,
		access,
		commands,
	}: {
		readonly tool: string;
		readonly access: readonly string[];
		readonly commands: string;
	}) => {
		const extra = access.length === 0 ? "" : `, with ${access.join(" and ")}`;
		return `always adds a rule that allows ${tool} in all sessions and chats${extra}: ${commands}`;
	},
	/**
	 * Returns the access that a class in a rule allows, or undefined for `exec-sandboxed`, which allows no further
	 * access.
	 */
	accessOf: (name: string): string | undefined => {
		switch (name) {
			case "exec-sandboxed":
				return undefined;
			case "egress":
				return "network access";
			case "write":
				return "changes of files";
			case "outside-read":
				return "access to files outside the roots";
			default:
				return `the class ${name}`;
		}
	},
	allowsExactly: ({ command }: { readonly command: string }) => `\`${command}\` without other arguments`,
	allowsBeginning: ({ command }: { readonly command: string }) => `\`${command}\`, also with more arguments`,
	yesAlways: "yes, always",
	noRule: ({ withSession }: { readonly withSession: boolean }) =>
		`no rule can allow this call: answer ${withSession ? "y, n or s" : "y or n"}`,
	added: ({ rule, source }: { readonly rule: string; readonly source: string }) =>
		`rule ${rule} in ${source}; to remove it, delete it in this file`,
	addedLate: "the question was closed before the approval, but the rule was added",
	approvalPrompt: "y yes · n no › ",
	choicesPrompt: "numbers, like 1,3 › ",
	passwordPrompt: "password (hidden) › ",
	example: ({ text }: { readonly text: string }) => `for example ${text}`,
	pattern: ({ pattern }: { readonly pattern: string }) => `must match ${pattern}`,
	notAvailable: "not available",
	answeredElsewhere: "(answered elsewhere)",
	columns: ["ID", "SESSION", "ASKED", "FOR", "QUESTION"],
	noQuestions: "no open questions",
	noTitle: "(no title)",
	howToAnswer: "`parley answer ID` answers a question. Calls with ! always require approval.",
	yes: "yes",
	yesForSession: "yes, for this session",
	no: "no",
	// `reason` is a text for the model.
	noBecause: ({ reason }: { readonly reason: string }) => `no: ${reason}`,
	noAnswer: "no answer",
	nothing: "nothing",
	hidden: "(hidden)",
	answerApproval: ({ withSession }: { readonly withSession: boolean }) =>
		`answer ${withSession ? "y, n, or s to approve for this session" : "y or n"}; n REASON sends the reason to the model`,
	answerNumber: ({ numbers }: { readonly numbers: string }) => `answer with ${numbers}`,
	noSessionApproval: "this call cannot be approved for the session: answer y or n",
	answerNumbers: ({ numbers }: { readonly numbers: string }) =>
		`answer with numbers separated by commas: ${numbers}`,
	answerRequired: "an answer is required: type an answer",
} as const;
