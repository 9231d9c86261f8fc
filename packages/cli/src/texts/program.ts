/** Help of the program: its command groups and its options. */
export const programTexts = {
	useAgent: "Use the agent:",
	runGateway: "Run the gateway:",
	modelsAndTools: "Models, agents and tools:",
	chatsAndPeople: "Chats, people and permissions:",
	description: "Self-hosted AI agent for you and your team. It asks before it acts.",
	firstSteps: "\nStart with `parley start`. The built-in model needs no API key: see\n`parley help offline`.",
	data: "the data directory, for commands that use it (PARLEY_DATA)",
	url: "address of the gateway, for commands that use it (PARLEY_URL)",
} as const;
