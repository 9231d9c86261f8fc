import type { MethodResult } from "@parley/protocol";
import { tableRows } from "../text/columns.ts";
import type { Look } from "../text/styles.ts";
import { visibleLine, visibleText } from "../text/visible.ts";
import { wrapText } from "../text/wrap.ts";

type SkillList = MethodResult<"list_skills">;
type Skill = SkillList["skills"][number];

/** The skills in rows, then the files that cannot be used and what to do about skills without trust. */
export function skillTable(
	{ skills, problems }: Pick<SkillList, "skills" | "problems">,
	look: Look,
): string[] {
	const cells = [["NAME", "STARTED BY", "TRUST", "FILE", "DESCRIPTION"], ...skills.map(cellsOf)];
	const table =
		skills.length === 0 ? ["no skills"] : tableRows({ rows: cells, optional: [3, 1], elastic: 4 }, look);
	const broken = problems.flatMap(({ path, message }) =>
		wrapText(`✗ ${visibleLine(path)}: ${visibleLine(message)}`, look.columns).map(look.styles.red),
	);
	const needed = skills.some(({ trust }) => trust === "untrusted" || trust === "changed");
	const help = needed ? ["Review the files of skills without trust, then run: parley skills trust DIR"] : [];
	return [...table, ...broken, ...help];
}

/** One skill with its text. */
export function skillRows(skill: MethodResult<"show_skill">, { columns, styles }: Look): string[] {
	const {
		name,
		argument_hint: hint,
		description,
		directory,
		path,
		trust,
		tools,
		model,
		steps,
		files,
		body,
		changes,
	} = skill;
	const facts: [string, string][] = [
		["file", path],
		["directory", directory],
		["trust", trust],
		["started by", startedBy(skill)],
		["tools", tools === undefined ? "all" : tools.join(", ") || "none"],
		...(model === undefined ? [] : [["model", model] satisfies [string, string]]),
		...(steps === undefined
			? []
			: [["steps", steps.map(({ title }) => title).join(", ")] satisfies [string, string]]),
		...files.map((file): [string, string] => ["has", file]),
	];
	return [
		styles.bold(visibleLine(`/${name}${hint === undefined ? "" : ` ${hint}`}`)),
		...wrapText(visibleLine(description), columns),
		...facts.map(([label, value]) => `${label.padEnd(11)}${visibleLine(value)}`),
		"",
		...body.split("\n").flatMap((line) => wrapText(visibleLine(line), columns)),
		...(trust === "changed" ? ["", styles.bold("Changes since it was trusted"), ...changeRows(changes)] : []),
	];
}

/** A diff of `show_skill` in rows. */
export function changeRows(changes: string | undefined): string[] {
	if (changes === undefined) return ["The trusted text was not stored: review the whole files."];
	return changes.replace(/\n$/, "").split("\n").map(visibleText);
}

function cellsOf(skill: Skill): string[] {
	const { name, trust, path, description } = skill;
	return [name, startedBy(skill), trust, path, description].map(visibleLine);
}

function startedBy({ user_invocable: people, model_invocable: agent }: Skill): string {
	if (people && agent) return "people, agent";
	if (people) return "people";
	return agent ? "agent" : "none";
}
