import { ParleyError } from "@parley/base";
import type { FoundSkill, SkillProblem } from "./skill-files.ts";

export function forPeople(name: string): ParleyError {
	return refused(`skill '${name}' can only be invoked by user with /${name}`);
}

/** `directory`: for the operator. */
export function untrusted(
	{ skill, trust }: FoundSkill & { readonly trust: string },
	directory?: string,
): ParleyError {
	const why =
		trust === "changed" ? "has changed since it was trusted" : "belongs to a directory that is not trusted";
	return refused(
		`the skill ${skill.name} ${why}. The operator reviews and trusts it with: parley skills trust ${directory ?? "DIR"}`,
	);
}

export function notFound(
	name: string,
	{
		skills,
		problems,
		mayFix = false,
	}: {
		readonly skills: readonly FoundSkill[];
		readonly problems: readonly SkillProblem[];
		readonly mayFix?: boolean;
	},
): ParleyError {
	const broken = problems.find(({ path }) => nameIn(path) === name);
	if (broken) {
		const why = mayFix
			? `${broken.path}: ${broken.message}`
			: "its file has an error; the operator sees it with parley skills";
		return refused(`the skill ${name} cannot be used: ${why}`);
	}
	const names = skills.map(({ skill }) => skill.name);
	const known = names.length === 0 ? "there are no skills" : `available: ${names.join(", ")}`;
	return new ParleyError(`skill not found: ${name.slice(0, 100)}; ${known}`, { code: "not_found" });
}

export function refused(message: string): ParleyError {
	return new ParleyError(message, { code: "failed_precondition" });
}

/** The name of a skill file without a name in it. */
export function nameIn(path: string): string | undefined {
	return /([^/]+)(?:\/SKILL\.md|\.md)$/.exec(path)?.[1];
}
