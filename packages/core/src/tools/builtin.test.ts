import { expect, test } from "vitest";
import { builtinTools } from "./builtin.ts";
import { describeTools } from "./describe-tools.ts";

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

test("every tool and every parameter tells what it is for", () => {
	for (const { description, parameters } of describeTools(builtinTools())) {
		expect(description).toMatch(/Use it/);
		expect(description).toMatch(/Not for/);
		expect(JSON.stringify(parameters)).not.toContain("$schema");
		for (const property of Object.values(parameters["properties"] as Record<string, object>)) {
			expect(property).toHaveProperty("description");
		}
	}
});
