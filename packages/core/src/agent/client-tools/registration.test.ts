import { expect, test } from "vitest";
import { type ClientTool, clientToolLimits, loadToolCheck } from "./registration.ts";

const check = await loadToolCheck();

function tool(more: Partial<ClientTool> = {}): ClientTool {
	return { name: "look", description: "Looks.", parameters: {}, ...more };
}

test("a tool without a schema accepts any object, and has the default timeout", () => {
	expect(check.tools([tool({ parameters: undefined })])).toEqual([
		{
			name: "look",
			description: "Looks.",
			schema: { type: "object", properties: {} },
			timeoutMs: 120_000,
			isPure: false,
		},
	]);
});

test("a schema stays unchanged except for its dialect", () => {
	const parameters = {
		$schema: "https://json-schema.org/draft/2020-12/schema",
		type: "object",
		properties: { n: { type: "integer", minimum: 1 }, any: true, to: { $ref: "#/$defs/place" } },
		required: ["n"],
		additionalProperties: false,
		$defs: { place: { oneOf: [{ type: "string" }, { type: "array", items: { type: "number" } }] } },
		if: { properties: { n: { const: 1 } } },
	};
	const { $schema: _, ...sentParameters } = parameters;
	expect(check.tools([tool({ parameters })])[0]?.schema).toEqual(sentParameters);
});

test.each([
	[0, 120_000],
	[30_000, 30_000],
	[4_294_967_295, 3_600_000],
])("a timeout of %i ms becomes %i ms", (timeoutMs, expected) => {
	expect(check.tools([tool({ timeoutMs })])[0]?.timeoutMs).toBe(expected);
});

const { schemaBytes, descriptionLength } = clientToolLimits;

test.each<[string, readonly ClientTool[], RegExp]>([
	["too many tools", Array.from({ length: 129 }, () => tool()), /129 tools are more than the maximum of 128/],
	["a blank name", [tool({ name: "" })], /the name of tool 1, "", is not valid/],
	[
		"a name that no model accepts",
		[tool(), tool({ name: "do it" })],
		/the name of tool 2, "do it", is not valid/,
	],
	["one name twice", [tool(), tool()], /look occurs twice/],
	[
		"a long description",
		[tool({ description: "x".repeat(descriptionLength + 1) })],
		/8193 characters, more than the maximum of 8192/,
	],
	["a negative timeout", [tool({ timeoutMs: -1 })], /the timeout of look is -1/],
	["a schema that is no object", [tool({ parameters: [] })], /the schema of look is not an object/],
	["a schema of a text", [tool({ parameters: { type: "string" } })], /has the type "string"/],
	[
		"a schema with an unknown type",
		[tool({ parameters: { properties: { a: { type: "strin" } } } })],
		/the schema of look is not a valid JSON Schema: schema\/properties\/a\/type/,
	],
	[
		"properties that are a list",
		[tool({ parameters: { properties: [] } })],
		/not a valid JSON Schema: schema\/properties/,
	],
	[
		"required that is no list",
		[tool({ parameters: { required: "a" } })],
		/not a valid JSON Schema: schema\/required/,
	],
	[
		"a choice at the top",
		[tool({ parameters: { anyOf: [{ type: "object" }] } })],
		/has anyOf at its top level/,
	],
	[
		"a property with a blank",
		[tool({ parameters: { properties: { "a b": {} } } })],
		/has the property "a b"/,
	],
	[
		"a large schema",
		[tool({ parameters: { description: "x".repeat(schemaBytes) } })],
		/more than the maximum of 65536/,
	],
	[
		"a deep schema",
		[tool({ parameters: nested() })],
		/the schema of look cannot be used: JSON text contains more than 64 levels .*; correct the schema$/,
	],
])("%s is refused", (_, tools, problem) => {
	expect(() => check.tools(tools)).toThrow(problem);
});

function nested(): unknown {
	return Array.from({ length: 70 }).reduce<unknown>((inner) => ({ not: inner }), {});
}

test.each(["a__b", "a b", "x".repeat(65), "../a", "é"])("the source %j is refused", (source) => {
	expect(() => check.source(source)).toThrow(/is not a valid source name/);
});
