import type { Command } from "commander";

/** Commands of Parley, by the names of the corresponding commands in other programs. */
const programNames: Readonly<Record<string, string>> = {
	list: "sessions",
	ls: "sessions",
	history: "sessions",
	rm: "sessions delete",
	delete: "sessions delete",
	remove: "sessions delete",
	show: "sessions show",
	export: "sessions export",
	resume: "chat --session ID",
	continue: "chat --session ID",
	send: "ask",
	prompt: "ask",
	message: "ask",
	exec: "ask",
	run: "start",
	serve: "start",
	up: "start",
	down: "stop",
	kill: "stop",
	quit: "stop",
	init: "setup",
	wizard: "setup",
	install: "service install",
	daemon: "service",
	update: "upgrade",
	log: "logs",
	journal: "logs",
	tail: "logs --follow",
	health: "status",
	ps: "status",
	check: "doctor",
	settings: "config get",
	configure: "config set",
	configuration: "config get",
	login: "setup",
	auth: "setup",
	provider: "setup",
	key: "setup",
	keys: "setup",
	cost: "usage",
	costs: "usage",
	limit: "budget",
	user: "people",
	users: "people",
	members: "people",
	rooms: "channels",
	rules: "policy",
	permissions: "policy",
	tools: "mcp",
	plugins: "mcp",
	notes: "memories",
	cron: "schedules",
	jobs: "tasks",
	approve: "answer",
	deny: "answer",
	approvals: "answer",
	prompts: "answer",
};

/** Groups of subcommand names with the same meaning. */
const sameWork: readonly (readonly string[])[] = [
	["delete", "remove", "forget", "revoke", "drop", "rm", "del", "destroy", "unset"],
	["show", "get", "view", "cat", "info", "describe", "inspect"],
	["list", "ls", "all"],
	["add", "create", "new", "store", "grant", "insert"],
	["set", "update", "edit", "change", "role"],
	["rename", "mv", "move", "title"],
	["fork", "branch", "copy", "clone", "cp", "duplicate"],
	["export", "save", "download", "dump"],
	["deny", "reject", "decline"],
	["cancel", "stop", "kill", "abort"],
	["retry", "rerun", "again", "restart"],
	["doctor", "test", "check", "verify", "diagnose"],
	["setup", "init", "install", "configure", "start", "restart", "enable"],
	["uninstall", "remove", "disable"],
];

/** Complete command lines for commands that have no subcommand `list`. */
const listings: Readonly<Record<string, string>> = {
	tasks: "tasks",
	task: "tasks",
	schedules: "schedules",
	events: "events",
	feedback: "feedback",
	config: "config get",
	models: "models",
	usage: "usage",
	budget: "budget",
	agents: "agents",
	skills: "skills",
	policy: "policy show",
	audit: "audit",
	service: "service status",
	discord: "discord posts",
	slack: "slack posts",
};

/**
 * Returns the command or subcommand of `parent` that corresponds to a name in other programs, such as `rm`. For a
 * synonym of `list`, may return a complete command line that lists the entries of `parent`. Returns undefined for any
 * other word.
 */
export function usualName(given: string, parent: Command): string | undefined {
	const word = given.toLowerCase();
	if (parent.parent === null) return Object.hasOwn(programNames, word) ? programNames[word] : undefined;
	const names = new Set(sameWork.filter((group) => group.includes(word)).flat());
	const otherCommand = parent.commands.find((one) => one.name() !== word && names.has(one.name()))?.name();
	if (otherCommand !== undefined) return otherCommand;
	const listing = names.has("list") ? listings[parent.name()] : undefined;
	return listing && `parley ${listing}`;
}

/** Returns all suggestions for the program. Each suggestion begins with the name of a command. */
export function programSuggestions(): string[] {
	return Object.values(programNames);
}
