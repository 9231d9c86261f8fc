import { expect, test } from "vitest";
import { codeOf, pausedSimulator } from "../rest/direct-client.ts";

const text = { type: 3, name: "text", description: "What to do", required: true };
const session = { type: 3, name: "session", description: "Which one", autocomplete: true };
const task = {
	name: "task",
	description: "Tasks",
	options: [{ type: 1, name: "new", description: "A task", options: [text, session] }],
};

function commandSimulator() {
	const parts = pausedSimulator();
	const path = `/applications/${parts.simulator.state.app.id}/commands`;
	return { ...parts, path, create: (body: object) => parts.app.call("POST", path, { body }) };
}

test("a command with an existing name replaces it, and keeps its id", () => {
	const { simulator, create } = commandSimulator();
	const first = create(task);
	const again = create({ ...task, description: "All tasks" });
	expect([first.status, again.status]).toEqual([201, 200]);
	expect(Object(again.body).id).toBe(Object(first.body).id);
	expect(Object(again.body).version).not.toBe(Object(first.body).version);
	expect(simulator.commands()).toMatchObject([{ name: "task", description: "All tasks" }]);
});

test("commands are read, changed, deleted and replaced", () => {
	const { simulator, app, path, create } = commandSimulator();
	const { id } = Object(create(task).body);
	app.call("PATCH", `${path}/${id}`, { body: { description: "Changed" } });
	expect(app.get(`${path}/${id}`).body).toMatchObject({ name: "task", description: "Changed" });
	app.call("PUT", path, { body: [{ name: "help", description: "Help" }] });
	expect(Object(app.get(path).body)).toMatchObject([{ name: "help" }]);
	app.call("DELETE", `${path}/${simulator.commands()[0]?.id}`);
	expect(simulator.commands()).toEqual([]);
	expect(codeOf(app.get(`${path}/${id}`))).toBe(10_063);
});

test("commands of one guild are not global", () => {
	const { simulator, app, path } = commandSimulator();
	const guild = `/applications/${simulator.state.app.id}/guilds/${simulator.home.id}/commands`;
	app.call("POST", guild, { body: task });
	expect(Object(app.get(path).body)).toEqual([]);
	expect(Object(app.get(guild).body)).toMatchObject([{ name: "task", guild_id: simulator.home.id }]);
});

const command = (at: number) => ({ name: `c${at}`, description: "d" });

test.each([
	["a name in capitals", { ...task, name: "Task" }],
	["a name with a blank", { ...task, name: "my task" }],
	["no description", { ...task, description: "" }],
	[
		"26 options",
		{
			name: "a",
			description: "b",
			options: Array.from({ length: 26 }, (_, at) => ({ ...text, name: `o${at}` })),
		},
	],
	["an optional option before a required one", { name: "a", description: "b", options: [session, text] }],
	["two options of a name", { name: "a", description: "b", options: [text, text] }],
	[
		"26 choices",
		{
			name: "a",
			description: "b",
			options: [
				{ ...text, choices: Array.from({ length: 26 }, (_, at) => ({ name: `${at}`, value: `${at}` })) },
			],
		},
	],
	[
		"more than 8000 characters",
		{
			name: "a",
			description: "b",
			options: Array.from({ length: 25 }, (_, at) => ({
				...text,
				name: `o${at}`,
				choices: Array.from({ length: 10 }, (__, n) => ({ name: `${n}`, value: `${n}${"x".repeat(40)}` })),
			})),
		},
	],
])("a command with %s is refused", (_, body) => {
	const { simulator, create } = commandSimulator();
	expect(codeOf(create(body))).toBe(50_035);
	expect(simulator.commands()).toEqual([]);
	expect(simulator.drainViolations()).not.toEqual([]);
});

test("there are at most 100 commands, and 200 created per day", () => {
	const { clock, app, path, create } = commandSimulator();
	const pause = () => clock.advance(1000);
	for (let at = 0; at < 100; at++) {
		pause();
		expect(create(command(at)).status).toBe(201);
	}
	expect(codeOf(create(command(100)))).toBe(30_032);
	pause();
	app.call("PUT", path, { body: [] });
	for (let at = 101; at < 200; at++) {
		pause();
		create(command(at));
	}
	app.call("PUT", path, { body: [] });
	pause();
	expect(codeOf(create(command(999)))).toBe(30_034);
	clock.advance(24 * 3_600_000);
	expect(create(command(999)).status).toBe(201);
});

test("a person uses a command with its options", () => {
	const { simulator, create, anna, general } = commandSimulator();
	create(task);
	const interaction = anna.commands("/task new", { text: "Tidy up" }, { in: general });
	expect(interaction.record.data).toMatchObject({
		name: "task",
		options: [{ name: "new", options: [{ name: "text", type: 3, value: "Tidy up" }] }],
	});
	expect(() => anna.commands("/task new", {}, { in: general })).toThrow("text is required");
	expect(() => anna.commands("/task", {}, { in: general })).toThrow("/task needs a subcommand");
	expect(() => anna.commands("/other", {}, { in: general })).toThrow("there is no command /other");
	expect(() => anna.commands("/task new", { text: "a", more: "b" }, { in: general })).toThrow(
		"takes no more",
	);
	simulator.close();
});

test("a command that needs a permission is only offered with it", () => {
	const { simulator, create, anna, general } = commandSimulator();
	create({ name: "trust", description: "Trust", default_member_permissions: "32", contexts: [0] });
	expect(() => anna.commands("/trust", {}, { in: general })).toThrow("Anna is not offered /trust");
	simulator.home.role("admin", { permissions: ["ManageGuild"] });
	const bob = simulator.member("Bob", { roles: ["admin"] });
	expect(bob.commands("/trust", {}, { in: general }).state).toBe("waiting");
	expect(() => bob.commands("/trust", {}, { in: bob.dm })).toThrow("/trust is not offered here");
});

test("autocomplete offers at most 25 choices", () => {
	const { simulator, app, create, anna, general } = commandSimulator();
	create(task);
	const interaction = anna.types("/task new", { text: "x", session: "ab" }, { in: general });
	expect(interaction.record.data).toMatchObject({
		options: [{ options: [{}, { name: "session", focused: true }] }],
	});
	const choices = (count: number) =>
		Array.from({ length: count }, (_, at) => ({ name: `n${at}`, value: `v${at}` }));
	expect(codeOf(app.answers(interaction, { type: 8, data: { choices: choices(26) } }))).toBe(50_035);
	expect(app.answers(interaction, { type: 8, data: { choices: choices(25) } }).status).toBe(204);
	expect(interaction.choices).toHaveLength(25);
	expect(() => anna.types("/task new", { text: "x" }, { in: general })).toThrow("text completes nothing");
	expect(simulator.drainViolations()).not.toEqual([]);
});

test("a menu command of a message includes the message", () => {
	const { create, anna, general } = commandSimulator();
	create({ name: "Ask about this", type: 3 });
	const sentMessage = anna.says("Look at that", { in: general });
	const interaction = anna.commands("Ask about this", {}, { in: general, on: sentMessage });
	expect(interaction.record.data).toMatchObject({
		target_id: sentMessage.id,
		resolved: { messages: { [sentMessage.id]: { content: "Look at that" } } },
	});
});

test("an option of a file includes the file", () => {
	const { simulator, create, anna, general } = commandSimulator();
	create({ name: "ask", description: "Ask", options: [{ type: 11, name: "file", description: "A file" }] });
	const interaction = anna.commands("/ask", { file: { name: "a.txt", content: "abc" } }, { in: general });
	const { options, resolved } = Object(interaction.record.data);
	expect(resolved.attachments[options[0].value]).toMatchObject({ filename: "a.txt", size: 3 });
	simulator.close();
});
