import type { MethodResult, SkillPayload } from "@parley/protocol";
import { shorten } from "../text/shorten.ts";
import type { OutputFormat } from "../text/styles.ts";
import { visibleLine } from "../text/visible.ts";
import { helpRows, slashCommands } from "./slash-commands.ts";

type SkillList = MethodResult<"list_skills">;

/** Whether a line names a skill of the session. Also true for a skill that the gateway will refuse with a reason. */
export async function namesSkill(line: string, list: () => Promise<SkillList>): Promise<boolean> {
	const name = /^\/(\S+)/.exec(line)?.[1];
	if (name === undefined || Object.hasOwn(slashCommands, name)) return false;
	const { skills, problems } = await list();
	const isBroken = problems.some(({ path }) => /([^/]+)(?:\/SKILL)?\.md$/.exec(path)?.[1] === name);
	return isBroken || skills.some((skill) => skill.name === name);
}

/** Returns the skills that a person can start. */
export function usableSkills({ skills }: SkillList): readonly SkillPayload[] {
	return skills.filter(({ user_invocable: isForPeople, trust }) => {
		return isForPeople && (trust === "operator" || trust === "trusted");
	});
}

/** Returns the rows of the help: commands, keys, and the skills that a person may start. */
export function chatHelpRows(list: SkillList, { columns }: OutputFormat): string[] {
	const skills = usableSkills(list).map(({ name, argument_hint: hint = "", description }) =>
		shorten(visibleLine(`  /${`${name} ${hint}`.padEnd(11)} ${description}`), columns),
	);
	return [...helpRows(columns), ...skills];
}
