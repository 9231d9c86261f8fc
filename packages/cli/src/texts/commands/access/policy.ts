export const policyHelp = {
	notes: `
The rules are in policy.jsonc in the data directory, or in the file that the
setting policyFile names. The gateway applies a changed file immediately. While
the file is invalid, no tool runs.

Examples:
  parley policy test "git push"
  parley policy test --tool read_file --arguments '{"path": "README.md"}'
  parley policy check policy.jsonc
`,
	description: "show and check the policy, and explain the decision for a call",
	explain: "show the decision for a command and the matching rules; runs nothing",
	command: "a command line, in quotes",
	tool: "tool of the call (default: run_command)",
	arguments: "arguments of the tool call",
	list: "list the rules; exit code 1 if the file is invalid; the same as `parley policy`",
	check: "check a policy file without a gateway; exit code 1 if it is invalid",
	file: "the file; default: the policy file of the gateway",
	data: "data directory of the gateway",
	session: "include the rules of this session",
	agent: "include the rules of this agent profile",
	channel: "include the rules of this channel: PLATFORM:TENANT:CHANNEL",
} as const;

export const policyMessages = {
	commandOrTool: "no single call to test: use either a command, in quotes, or --tool with --arguments",
	invalidArguments: ({ text }: { readonly text: string }) =>
		`--arguments ${text} is not a JSON object: write an object, for example {"path": "README.md"}`,
} as const;
