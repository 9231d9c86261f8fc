export const chatHelp = {
	notes: `
Without --session and --continue, it starts a new session. If no gateway is
running, start one with \`parley start\`, or run \`parley\` without a command.

Examples:
  parley chat
  parley chat -c
  parley chat --session sess_4k2x
  parley chat --model fast
`,
	description: "chat with the agent; /help lists the commands",
	plain: "print text without redrawing the screen, for screen readers and simple terminals",
} as const;
