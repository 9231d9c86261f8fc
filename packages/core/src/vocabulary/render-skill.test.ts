import { expect, test } from "vitest";
import { invocationIn, splitArguments, useSkill } from "./skill.ts";

test.each([
	["/deploy", { name: "deploy", arguments: "" }],
	["/deploy main  now ", { name: "deploy", arguments: "main  now " }],
	["/deploy\nmain\nnow", { name: "deploy", arguments: "main\nnow" }],
	["/übersetzen das", { name: "übersetzen", arguments: "das" }],
	["/a-b_c.d x", { name: "a-b_c.d", arguments: "x" }],
	[" /deploy", undefined],
	["/", undefined],
	["/usr/bin", undefined],
	["//deploy", undefined],
	[`/${"x".repeat(65)}`, undefined],
	["say /deploy", undefined],
])("the skill that %j starts is %j", (content, expected) => {
	expect(invocationIn(content)).toEqual(expected);
});

test.each([
	["a b  c", ["a", "b", "c"]],
	[`a"b c"d 'e f'`, ["ab cd", "e f"]],
	[`"open to the end`, ["open to the end"]],
	[`"" a`, ["a"]],
	["tab\tstays", ["tab\tstays"]],
	["", []],
])("the arguments %j are the words %j", (given, words) => {
	expect(splitArguments(given)).toEqual(words);
});

function render(body: string, given: string, isQuoted = false): string {
	const facts = { description: "", disableModelInvocation: false, userInvocable: true } as const;
	const skill = { name: "x", body, source: "data", directory: "/d", hash: "", ...facts } as const;
	return useSkill({ skill, files: [] }, given, { isQuoted }).text.split("\n\n").slice(1).join("\n\n");
}

test.each([
	["$ARGUMENTS", "a b", "a b"],
	["$0 and $1, not $2", "a b", "a and b, not $2"],
	["$ARGUMENTS[1] $10", "a b", "b $10"],
	["$10", "0 1 2 3 4 5 6 7 8 9 ten", "ten"],
	["$ARGUMENTS", "$1 second", "$1 second"],
	// biome-ignore lint/suspicious/noTemplateCurlyInString: the placeholder is written this way in the file
	["costs $5.00 in ${CLAUDE_SKILL_DIR}", "", "costs $5.00 in /d"],
])("%j with %j becomes %j", (body, given, expected) => {
	expect(render(body, given)).toBe(expected);
});

test("quoted arguments stay in one line", () => {
	expect(render("Greet $0: $ARGUMENTS", 'Bob\n"x"', true)).toBe('Greet "Bob\\nx": "Bob\\n\\"x\\""');
});

test("long arguments, and a text that becomes too long with them, are refused", () => {
	expect(() => render("$0", "x".repeat(100_001))).toThrow(
		/^the arguments of the skill x have 100001 characters: use at most 100000/,
	);
	const given = "x".repeat(100_000);
	expect(render("$ARGUMENTS".repeat(9), given)).toHaveLength(900_000);
	for (const isQuoted of [false, true]) {
		expect(() => render("$ARGUMENTS".repeat(23_000), given, isQuoted)).toThrow(
			/^the skill x with these arguments has more than 1000000 characters: shorten the arguments/,
		);
	}
});

test("the limit applies to the prompts of all steps together", () => {
	const facts = { description: "", disableModelInvocation: false, userInvocable: true } as const;
	const steps = ["a", "b", "c"].map((id) => ({ id, title: id, needs: [], prompt: "$ARGUMENTS".repeat(4) }));
	const skill = { name: "x", body: "", source: "data", directory: "/d", hash: "", ...facts, steps } as const;
	expect(() => useSkill({ skill, files: [] }, "x".repeat(100_000))).toThrow(/more than 1000000 characters/);
});
