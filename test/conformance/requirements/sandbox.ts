import { ozzie, type Requirement } from "../requirement.ts";

export const sandboxRequirements = {
	"sandbox.in-approval": ozzie(
		"our own",
		"The approval of a command states its sandbox, its network access, and its permissions without a sandbox.",
	),
	"sandbox.health": ozzie(
		"our own",
		"`GET /api/health?verbose` reports the mode of the sandbox and the result of its check, with the reason and advice after a failure.",
	),
	"sandbox.no-self-approval": ozzie(
		"our own",
		"A command in the sandbox reaches neither the port, nor the token, nor the database of the gateway.",
	),
} satisfies Record<string, Requirement>;
