import type { SkillPayload } from "@parley/protocol";
import { expect, test } from "vitest";
import { createStyles } from "../text/styles.ts";
import { widthOf } from "../text/wrap.ts";
import { skillTable } from "./skill-and-memory-tables.ts";

const deploy: SkillPayload = {
	name: "deploy",
	description: "Deploys the shop",
	source: "data",
	path: "skills/deploy.md",
	type: "simple",
	user_invocable: true,
	model_invocable: false,
	trust: "operator",
	hash: "ab",
};
const review: SkillPayload = {
	...deploy,
	name: "review\u001b[2J",
	source: "directory",
	path: ".parley/skills/review/SKILL.md",
	model_invocable: true,
	trust: "changed",
};
const problems = [{ path: "skills/bad.md", message: "line 3: tools: use a list\u001b[2J" }];

test("prints skills with their trust, then invalid files, then the command that trusts skills", () => {
	const format = { columns: 200, styles: createStyles(false) };
	const rows = skillTable({ skills: [deploy, review], problems }, format);
	expect(rows[0]).toMatch(/^NAME +STARTED BY +TRUST +FILE +DESCRIPTION$/);
	expect(rows[1]).toMatch(/^deploy +people +operator +skills\/deploy\.md +Deploys the shop$/);
	expect(rows[2]).toMatch(/^review\S+ +people, agent +changed +\.parley\/skills\/review\/SKILL\.md/);
	expect(rows[3]).toMatch(/^✗ skills\/bad\.md: line 3: tools: use a list/);
	expect(rows[4]).toContain("parley skills trust DIR");
	expect(rows.join("")).not.toContain("\u001b");
	expect(skillTable({ skills: [], problems: [] }, format)).toEqual(["No skills."]);
});

test("prints no row that is wider than the terminal", () => {
	for (const columns of [40, 60, 80]) {
		const rows = skillTable({ skills: [deploy], problems }, { columns, styles: createStyles(false) });
		expect(Math.max(...rows.map(widthOf))).toBeLessThanOrEqual(columns);
	}
});
