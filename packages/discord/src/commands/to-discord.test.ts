import { type CommandShape, commandTable } from "@parley/connector";
import { expect, test } from "vitest";
import { discordCommands } from "./to-discord.ts";

const ask: CommandShape = {
	...{ name: "ask", description: "Ask the agent" },
	options: [
		{ name: "text", description: "What", type: "string", required: true, min: 1, max: 4000 },
		{ name: "model", description: "Which", type: "string", required: false, completes: true },
		{ name: "loud", description: "For all", type: "boolean", required: false },
	],
};
const count = {
	name: "n",
	description: "How many",
	type: "integer",
	required: false,
	min: 1,
	max: 9,
} as const;

const shape = (name: string, parts: Partial<CommandShape> = {}): CommandShape => ({
	...{ name, description: `About ${name}`, options: [] },
	...parts,
});

test("a command of one word is a single command, with its options in Discord's form", () => {
	expect(discordCommands([ask])[0]).toEqual({
		...{ type: 1, name: "ask", description: "Ask the agent" },
		...{ default_member_permissions: null, contexts: [0, 1], integration_types: [0] },
		options: [
			{
				...{ type: 3, name: "text", description: "What", required: true, autocomplete: false },
				...{ choices: [], options: [], min_length: 1, max_length: 4000 },
			},
			{
				...{ type: 3, name: "model", description: "Which", required: false, autocomplete: true },
				...{ choices: [], options: [] },
			},
			{
				...{ type: 5, name: "loud", description: "For all", required: false, autocomplete: false },
				...{ choices: [], options: [] },
			},
			{
				...{ type: 11, name: "file", description: "File for the agent", required: false },
				...{ autocomplete: false, choices: [], options: [] },
			},
		],
	});
});

test("commands of two words share the first one", () => {
	const choices = [{ value: "a", label: "The first" }];
	const pick = { name: "pick", description: "One", type: "string", required: true, choices } as const;
	const [task] = discordCommands([shape("task new"), shape("task show", { options: [pick, count] })]);
	expect(task).toMatchObject({ name: "task", description: "new, show" });
	expect(task?.options).toMatchObject([
		{ type: 1, name: "new", description: "About task new", options: [] },
		{
			...{ type: 1, name: "show" },
			options: [
				{ name: "pick", choices: [{ name: "The first", value: "a" }] },
				{ type: 4, name: "n", min_value: 1, max_value: 9 },
			],
		},
	]);
});

test("a command for managers is hidden from others, a group only if all its commands are", () => {
	const manage = { least: "manage" } as const;
	const commands = discordCommands([
		...[shape("trust on", manage), shape("trust off", manage)],
		...[shape("task new"), shape("task purge", manage)],
	]);
	expect(commands.map((each) => [each.name, each.default_member_permissions])).toEqual([
		["trust", "32"],
		["task", null],
		["Ask about this", null],
	]);
});

test("all commands of the kit are valid in Discord", () => {
	const commands = discordCommands(commandTable);
	expect(commands.map(({ name }) => name)).toEqual(
		expect.arrayContaining(["ask", "task", "session", "trust"]),
	);
	const pattern = /^[-_\p{Ll}\p{N}]{1,32}$/u;
	for (const command of commands.filter(({ type }) => type === 1)) {
		expect(command.name).toMatch(pattern);
		const all = [command, ...command.options, ...command.options.flatMap(({ options }) => options)];
		for (const { name } of all) expect(name).toMatch(pattern);
		// Maximum characters of all names and descriptions: interactions/application-commands#slash-commands
		const counted = all.flatMap(({ name, description }) => [name, description]).join("");
		expect(counted.length).toBeLessThan(8000);
	}
});

test("a message has its own command", () => {
	expect(discordCommands([])).toMatchObject([
		{ type: 3, name: "Ask about this", description: "", options: [] },
	]);
});

const optional = { ...count, required: false };
test.each<[string, CommandShape[]]>([
	["the description has 101 characters", [shape("a", { description: "x".repeat(101) })]],
	["the description has 0 characters", [shape("a", { description: "" })]],
	[
		'the required option "m" follows an optional option',
		[shape("a", { options: [optional, { ...count, name: "m", required: true }] })],
	],
	["it has 26 options (maximum 25)", [shape("a", { options: Array.from({ length: 26 }, () => optional) })]],
	["cannot be used alone", [shape("task"), shape("task new")]],
	["cannot be used alone", [shape("task now new")]],
	[
		"cannot register 101 commands: Discord accepts at most 100",
		Array.from({ length: 101 }, (_, index) => shape(`c${index}`)),
	],
])("a table that Discord would refuse is refused first: %s", (why, shapes) => {
	expect(() => discordCommands(shapes)).toThrow(why);
});
