import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createToolContext, createWorkplace, readyCall } from "../testing/tool-context.ts";
import { builtinTools } from "./builtin.ts";
import { describeTools } from "./calls/normalise-call.ts";

test("the built-in tools are described to a model, always by the same objects", () => {
	const described = describeTools(builtinTools());
	expect(described.map(({ name }) => name)).toEqual(
		expect.arrayContaining([
			...[
				"run_command",
				"read_file",
				"write_file",
				"edit_file",
				"list_files",
				"search_files",
				"git",
				"ask_user",
				"todo",
			],
		]),
	);
	expect(describeTools(builtinTools())[0]).toBe(described[0]);
	expect(described[1]?.parameters).toEqual({
		type: "object",
		properties: {
			path: { type: "string", description: expect.any(String) },
			offset: {
				type: "integer",
				minimum: 1,
				maximum: Number.MAX_SAFE_INTEGER,
				default: 1,
				description: expect.any(String),
			},
			column: {
				type: "integer",
				minimum: 1,
				maximum: Number.MAX_SAFE_INTEGER,
				default: 1,
				description: expect.any(String),
			},
			limit: { type: "integer", minimum: 1, maximum: 2000, default: 2000, description: expect.any(String) },
		},
		required: ["path"],
		additionalProperties: false,
	});
});

test("every tool and every parameter has a description", () => {
	for (const { description, parameters } of describeTools(builtinTools())) {
		expect(description).toMatch(/Use it/);
		expect(description).toMatch(/Not for/);
		expect(JSON.stringify(parameters)).not.toContain("$schema");
		for (const property of Object.values(parameters["properties"] as Record<string, object>)) {
			expect(property).toHaveProperty("description");
		}
	}
});

/** Arguments of a usual call for each tool with `usual`, except `unschedule_task`, which needs a schedule. */
const usualCalls: Readonly<Record<string, object>> = {
	command_output: { command: 1 },
	stop_command: { command: 1 },
	read_file: { path: "bed.txt" },
	write_file: { path: "bed.txt", content: "clay" },
	edit_file: { path: "bed.txt", old_text: "soil", new_text: "clay" },
	list_files: {},
	search_files: { pattern: "soil" },
	send_file: { path: "bed.txt" },
	ask_user: { type: "text", label: "Which bed?" },
	todo: { items: [{ text: "dig" }] },
	store_memory: { content: "Beans grow in rows." },
	query_memories: { query: "beans" },
	list_memories: {},
	forget_memory: { memory_id: "mem_1" },
	schedule_task: { prompt: "water", when: "every day at 9:00" },
	list_schedules: {},
	skill: { name: "dig" },
	delegate: { work: [{ title: "dig", instructions: "Dig the bed." }] },
};

test("a usual call of a built-in tool has the classes that the tool declares", async () => {
	await using workplace = await createWorkplace();
	await writeFile(join(workplace.cwd, "bed.txt"), "soil");
	const { memories } = createToolContext(workplace.cwd);
	const facts = { id: "mem_1", scope: "user", subject: "", author: "", taint: "", createdAt: 0 } as const;
	const deletable = async () => ({ ...facts, text: "Beans grow in rows.", tags: [] });
	const where = createToolContext(workplace.cwd, { memories: { ...memories, deletable } });
	const declared = builtinTools().filter(({ usual }) => usual);
	expect(declared.map(({ name }) => name).toSorted()).toEqual(
		[...Object.keys(usualCalls), "unschedule_task"].toSorted(),
	);
	for (const tool of declared) {
		const args = usualCalls[tool.name];
		if (!args) continue;
		const { plan } = await readyCall(tool, args, where);
		expect(plan.classes, tool.name).toEqual(tool.usual);
	}
});
