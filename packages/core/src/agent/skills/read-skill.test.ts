import { expect, test } from "vitest";
import { readSkill } from "./read-skill.ts";

const yaml = (...lines: string[]): string => ["---", ...lines, "---", "Body of $1.", ""].join("\n");
const toml = (...lines: string[]): string => ["+++", ...lines, "+++", "Body of $1.", ""].join("\n");
/** Returns the lines of YAML maps, each inside the map before it. */
const nestedMaps = (levels: number): string[] =>
	Array.from({ length: levels + 1 }, (_, level) => `${" ".repeat(level)}a:${level === levels ? " 1" : ""}`);
/** Returns lines of YAML. Each line opens 16 lists in the lists of the line before it. */
const nestedLists = (lines: number): string[] =>
	Array.from({ length: lines }, (_, line) => " ".repeat(32 * line + 1) + "- ".repeat(16)).with(
		-1,
		`${" ".repeat(32 * lines - 31)}- 1`,
	);

test("both kinds of frontmatter give the same skill", () => {
	const expected = {
		name: "deploy",
		description: "Deploys a branch",
		body: "Body of $1.",
		disableModelInvocation: true,
		userInvocable: false,
		tools: ["read_file", "run_command"],
		model: "fast",
		steps: [
			{ id: "build", title: "Build it", prompt: "Build.", needs: [], criteria: ["It compiles"] },
			{ id: "test", title: "test", prompt: "Test.", model: "max", needs: ["build"] },
		],
	};
	const read = readSkill(
		yaml(
			"name: deploy",
			"description: Deploys a branch",
			"disable_model_invocation: true",
			"user_invocable: false",
			"tools: [read_file, run_command]",
			"model: fast",
			"steps:",
			"  - { id: build, title: Build it, prompt: Build., criteria: It compiles }",
			"  - id: test",
			"    prompt: Test.",
			"    model: max",
			"    needs: build",
		),
		"other",
	);
	expect(read).toEqual(expected);
	const same = toml(
		'name = "deploy"',
		'description = "Deploys a branch"',
		"disable_model_invocation = true",
		"user_invocable = false",
		'tools = ["read_file", "run_command"]',
		'model = "fast"',
		"[[steps]]",
		'id = "build"',
		'title = "Build it"',
		'prompt = "Build."',
		'criteria = ["It compiles"]',
		"[[steps]]",
		'id = "test"',
		'prompt = "Test."',
		'model = "max"',
		'needs = ["build"]',
	);
	expect(readSkill(same, "other")).toEqual(expected);
	expect(readSkill(`\uFEFF\n${same.replaceAll("\n", "\r\n")}`, "other")).toEqual(expected);
});

test("a file without frontmatter has the name of its file and is described by its first paragraph", () => {
	expect(readSkill("\n# Sum up\nthe text\n\nMore.", "sum-up")).toEqual({
		name: "sum-up",
		description: "Sum up the text",
		body: "# Sum up\nthe text\n\nMore.",
		disableModelInvocation: false,
		userInvocable: true,
	});
});

test("the spellings of other agents have the same meaning", () => {
	const skill = readSkill(
		yaml(
			"name: pdf-forms",
			"description: Fills forms: use it for PDF files",
			"license: MIT",
			"compatibility: needs python3",
			"metadata: { author: us, version: '1.0' }",
			"allowed-tools: Read Bash(git status:*) Bash(python3:*)",
			"disable-model-invocation: true",
			"user-invocable: false",
			"argument-hint: '[file]'",
			"model: sonnet",
			"hooks: { PreToolUse: [] }",
		),
		"pdf-forms",
	);
	expect(skill).toEqual({
		name: "pdf-forms",
		description: "Fills forms: use it for PDF files",
		body: "Body of $1.",
		argumentHint: "[file]",
		disableModelInvocation: true,
		userInvocable: false,
		tools: ["Read", "Bash"],
		model: "standard",
	});
	expect(readSkill(yaml("model: inherit"), "a")).not.toHaveProperty("model");
});

test("values may be nested on 16 levels", () => {
	expect(readSkill(yaml(...nestedMaps(16)), "a").body).toBe("Body of $1.");
	for (const lines of [
		nestedMaps(17),
		nestedMaps(340),
		["a:", ...nestedLists(2)],
		["a:", ...nestedLists(60)],
	]) {
		expect(() => readSkill(yaml(...lines), "a")).toThrow("more than 16 nested levels");
	}
});

test.each([
	["brackets that texts seem to close", `a: ${'["]",'.repeat(10_000)}`],
	["brackets that comments seem to close", `a: ${"[ #]\n ".repeat(8_000)}`],
	["lists with tags", `a:\n  ${"- !x ".repeat(10_000)}1`],
])("deeply nested values are refused before they are parsed: %s", (_, line) => {
	expect(() => readSkill(yaml(line), "a")).toThrow("more than 16 nested levels");
});

const unique = (count: number): string[] => Array.from({ length: count }, (_, index) => index.toString(36));

test.each([
	["keys", unique(9_000).map((key) => `${key}:`)],
	["keys in braces", [`a: {${unique(15_000).join(",")}}`]],
	["list items with anchors", ["a:", ...Array<string>(5_000).fill("- &a b")]],
	["brackets without a start", ["]".repeat(60_000)]],
])("frontmatter with very many tokens is refused before it is parsed: %s", (_, lines) => {
	expect(() => readSkill(yaml(...lines), "a")).toThrow("more than 24000 YAML tokens");
});

test("a workflow of 50 steps with all keys, each with 50 criteria and all possible needs, is valid", () => {
	const steps = unique(50).flatMap((id, index, ids) => [
		`  - id: s${id}`,
		"    title: A step",
		"    prompt: |",
		"      Build the program: first the library,",
		"      then the command.",
		"    model: fast",
		...(index > 0 ? ["    needs:", ...ids.slice(0, index).map((need) => `    - s${need}`)] : []),
		"    criteria:",
		...Array<string>(50).fill('    - "a: b"'),
	]);
	// A colon in a plain text is invalid YAML, so the second attempt with quotes must also be within the limit.
	const lines = ["name: build", "description: Builds: all parts", "steps:", ...steps];
	expect(readSkill(yaml(...lines), "a").steps).toHaveLength(50);
});

test.each([
	yaml("tools: 5", `description: a: b${" ".repeat(60_000)}c`),
	toml("tools = 5", 'description = """', `[${" ".repeat(60_000)}x`, '"""'),
	toml("tools = 5", 'description = """', "[".repeat(60_000), '"""'),
])("a long line takes linear time", (text) => {
	expect(() => readSkill(text, "a")).toThrow(/^line 2: tools: use a list of tool names/);
});

test("brackets in texts and comments do not count as levels", () => {
	const brackets = "[{".repeat(20);
	for (const lines of [[`description: "${brackets}" # ${brackets}`], ["description: >-", `  ${brackets}`]]) {
		expect(readSkill(yaml(...lines), "a").description).toBe(brackets);
	}
});

test("allowed-tools and tools narrow together", () => {
	expect(readSkill(yaml("tools: [a, b]", "allowed-tools: b, c"), "x").tools).toEqual(["b"]);
	expect(readSkill(yaml("tools: []"), "x").tools).toEqual([]);
});

test.each([
	[yaml("name: x", "tools: 5"), /^line 3: tools: use a list of tool names/],
	[yaml("name: x", "user-invocable: maybe"), /^line 3: user-invocable: use true or false/],
	[yaml("disable-model-invokation: true"), /^line 2: unknown key .* did you mean disable_model_invocation/],
	[yaml("tool: [read_file]"), /^line 2: unknown key "tool"; did you mean tools\?/],
	[yaml("Tools: read_file"), /^line 2: unknown key "Tools"; did you mean tools\?/],
	[yaml("allowed-tool: Read"), /^line 2: unknown key "allowed-tool"; did you mean allowed_tools\?/],
	[yaml("name: x", "tools:"), /^line 3: tools: use a list of tool names.*\[\] for no tools/],
	[yaml("allowed-tools:"), /^line 2: allowed-tools: use a list of tool names/],
	[yaml("name: ../x"), /^line 2: name: use at most 64 letters/],
	[yaml("a: &a [1]", "b: [*a, *a]"), /alias/],
	[yaml("name: 'x"), /^line \d: /],
	[yaml("name: x", "name: y"), /^line 3: the key "name" is given twice: remove one of them$/],
	[yaml("a: { b: { c: 1, d: 2, c: 3 } }"), /^line 2: the key "c" is given twice/],
	[yaml(...Array<string>(2).fill(`${"x".repeat(200)}: 1`)), /^line 3: the key "x{100}…" is given twice/],
	[yaml("\u{202e}a: 1", "\u{202e}a: 2"), /^line 3: the key "\\u\{202e\}a" is given twice/],
	[yaml(`a: ${"[".repeat(20)}${"]".repeat(20)}`), /more than 16 nested levels/],
	[yaml("a:", `  ${"- ".repeat(16)}b: 1`), /more than 16 nested levels/],
	[yaml(`a: ${"x".repeat(70_000)}`), /larger than 64 KiB/],
	[
		yaml("steps:", "  - { id: a, prompt: A, needs: [b] }"),
		/^line 3: the step a needs "b", which is not a step: remove it$/,
	],
	[
		yaml("steps:", "  - { id: a, prompt: A, needs: [x] }", "  - { id: b, prompt: B }"),
		/^line 3: the step a needs "x", which is not a step: use one of: b$/,
	],
	[
		yaml("steps:", "  - { id: a, prompt: A, needs: [b] }", "  - { id: b, prompt: B, needs: [a] }"),
		/steps a, b need each other/,
	],
	[
		yaml("steps:", "  - { id: a, prompt: A }", "  - { id: a, prompt: B }"),
		/^line 4: two steps have the id "a"/,
	],
	[yaml("steps:", "  - { id: a }"), /^line 3: steps.0.prompt: use a string/],
	[toml('name = "x"', "tools = 5"), /^line 3: tools: use a list of tool names/],
	[toml('name = "x', "model = 1"), /^line 2: /],
	[
		toml("[[steps]]", 'id = "a"', 'prompt = "A"', "[[steps]]", 'id = "b"', "prompt = 5"),
		/^line 7: steps.1.prompt/,
	],
	["---\nname: x\n", /^line 1: the frontmatter has no end: add a line with ---/],
	[toml("__proto__ = 1"), /./],
])("a broken file is refused with its line: %j", (text, error) => {
	expect(() => readSkill(text, "file")).toThrow(error);
});
