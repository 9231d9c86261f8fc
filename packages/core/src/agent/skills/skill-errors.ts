import { ParleyError } from "@parley/base";
import { visible } from "../../text/visible.ts";
import type { SkillOnDisk, SkillProblem } from "./skill-files.ts";
import { skillRefusalTexts } from "./texts.ts";

export function forPeople(name: string): ParleyError {
	return skillRefusal(skillRefusalTexts.onlyUser(name));
}

/**
 * Returns the error for a skill that is not trusted, or that changed after it was trusted. `directory`: directory to
 * show in the operator's command; default: a placeholder.
 */
export function untrusted(
	{ skill, trust }: SkillOnDisk & { readonly trust: string },
	directory?: string,
): ParleyError {
	const reason = trust === "changed" ? skillRefusalTexts.changed : skillRefusalTexts.untrusted;
	return skillRefusal(skillRefusalTexts.needsTrust(skill.name, reason, visible(directory ?? "DIR")));
}

export function notFound(
	name: string,
	{
		skills,
		problems,
		mayFix = false,
	}: {
		readonly skills: readonly SkillOnDisk[];
		readonly problems: readonly SkillProblem[];
		readonly mayFix?: boolean;
	},
): ParleyError {
	const broken = problems.find(({ path }) => nameIn(path) === name);
	if (broken) {
		const reason = mayFix ? `${broken.path}: ${broken.message}` : skillRefusalTexts.brokenFile;
		return skillRefusal(skillRefusalTexts.unusable(name, reason));
	}
	const names = skills.map(({ skill }) => skill.name);
	const known = names.length === 0 ? skillRefusalTexts.none : skillRefusalTexts.available(names);
	return new ParleyError(skillRefusalTexts.notFound(name.slice(0, 100), known), { code: "not_found" });
}

export function skillRefusal(message: string): ParleyError {
	return new ParleyError(message, { code: "failed_precondition" });
}

/** Returns the name of a skill from the path of its file, or undefined if the path is not that of a skill. */
export function nameIn(path: string): string | undefined {
	return /([^/]+)(?:\/SKILL\.md|\.md)$/.exec(path)?.[1];
}
