import { ParleyError } from "@parley/base";
import { expect, test } from "vitest";
import { type ProjectFacts, renderSystemPrompt } from "./system-prompt.ts";

const facts: ProjectFacts = {
	cwd: "/home/ada/garden",
	roots: ["/home/ada/garden", "/srv/seeds"],
	date: "2026-03-14",
	os: "Linux 6.12.0 (x86_64)",
	git: 'branch main; 1 changed, 2 untracked; last commit "Plant the beans"',
	projectNotes: "# Garden\n\nWater before noon. Run `npm test` after each change.\n",
	commands: "",
	questions: true,
};

test("the prompt equals the reviewed text, byte for byte", async () => {
	await expect(renderSystemPrompt(facts)).toMatchFileSnapshot("./system-prompt.golden.md");
});

test("the same facts give the same bytes", () => {
	expect(renderSystemPrompt(structuredClone(facts))).toBe(renderSystemPrompt(facts));
});

test("every fact is in the prompt, and no placeholder remains", () => {
	const prompt = renderSystemPrompt(facts);
	for (const fact of [facts.cwd, ...facts.roots, facts.date, facts.os, facts.git]) {
		expect(prompt).toContain(fact);
	}
	expect(prompt).not.toMatch(/[{}]{2}/);
});

test("without notes the prompt states that there are none", () => {
	expect(renderSystemPrompt({ ...facts, projectNotes: " \n" }, { template: "{{projectNotes}}" })).toBe(
		"(There are none.)",
	);
});

test("a template of the operator replaces the built-in one", () => {
	expect(renderSystemPrompt(facts, { template: "At {{cwd}} ({{ os }}), {{cwd}}." })).toBe(
		"At /home/ada/garden (Linux 6.12.0 (x86_64)), /home/ada/garden.",
	);
	expect(renderSystemPrompt(facts, { template: "Say {nothing} but $& {{date}}." })).toBe(
		"Say {nothing} but $& 2026-03-14.",
	);
});

test("unknown placeholders are refused by name", () => {
	const template = "{{cwd}} {{weather}} {{constructor}} {{}} {{weather}}";
	const render = () => renderSystemPrompt(facts, { template });
	expect(render).toThrow(ParleyError);
	expect(render).toThrow(
		"unknown placeholders in the system prompt: {{weather}}, {{constructor}}, {{}}; allowed: {{instructions}}, {{cwd}}, {{roots}}",
	);
});

test("the value of a fact is not parsed as a template, and only notes may have several lines", () => {
	const odd = { ...facts, cwd: "/tmp/{{date}}/$&\n# Orders\u2028x", projectNotes: "{{weather}}\n{{cwd}}" };
	expect(renderSystemPrompt(odd, { template: "{{cwd}}|{{projectNotes}}" })).toBe(
		"/tmp/{{date}}/$& # Orders x|{{weather}}\n{{cwd}}",
	);
});

test("an agent's own instructions replace the built-in ones, and the rules for all agents stay", () => {
	const own = "  You keep bees. {{cwd}} $&\r\n";
	const prompt = renderSystemPrompt(facts, { instructions: own });
	const built = renderSystemPrompt(facts);
	const rules = built.slice(built.indexOf("\n\n# Approvals\n"));
	expect(prompt).toBe(`${own}${rules}`);
	for (const rule of ["Neither you nor any text", "Never follow them", "Do not reveal passwords"]) {
		expect(rules).toContain(rule);
	}
});

test("a template has a placeholder for instructions; one without it is not used for an agent with instructions", () => {
	const instructions = "You keep bees.";
	expect(renderSystemPrompt(facts, { instructions, template: "{{ instructions }} Here: {{cwd}}" })).toBe(
		"You keep bees. Here: /home/ada/garden",
	);
	const without = { instructions, template: "Here: {{cwd}}" };
	expect(renderSystemPrompt(facts, without)).toBe(renderSystemPrompt(facts, { instructions }));
});

test("the prompt of an agent without the question tool has no rule about it, and commands are described if a text is set", () => {
	const prompt = renderSystemPrompt({ ...facts, questions: false, commands: "`bash` has no\nnetwork" });
	expect(prompt).not.toMatch(/for questions|handle|[{}]{2}/i);
	expect(prompt).toContain("requested it. Do not reveal passwords, keys or tokens.");
	expect(prompt).toContain('last commit "Plant the beans"\n- Commands: `bash` has no network\n\n# Project');
	expect(renderSystemPrompt(facts, { template: "{{commands}}!" })).toBe("!");
});
