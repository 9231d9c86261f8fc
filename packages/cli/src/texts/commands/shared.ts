/** Help of options and arguments that several commands have. */
export const sharedHelp = {
	json: "print JSON",
	session: "only this session",
	yes: "do not ask",
	role: "role of the person",
	person: "PLATFORM:TENANT:USER",
	tools: "only these tools, separated by commas",
	workingDirectory: "working directory",
} as const;
