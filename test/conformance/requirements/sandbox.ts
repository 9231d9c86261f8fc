import { ozzie, type Requirement } from "../requirement.ts";

export const sandboxRequirements = {
	"sandbox.asked-as-it-is": ozzie(
		"our own",
		"A question about a command says what confines it, whether it has a network, and what it can do where nothing does.",
	),
	"sandbox.health": ozzie(
		"our own",
		"`GET /api/health?verbose` tells the mode of the sandbox, whether it held when it was tried, and else why not and what would help.",
	),
	"sandbox.no-self-approval": ozzie(
		"our own",
		"A command in the sandbox reaches neither the gateway's port nor its token nor its database.",
	),
} satisfies Record<string, Requirement>;
