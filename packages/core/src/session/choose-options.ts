import { ParleyError } from "@parley/base";
import type { Principal } from "../principal.ts";
import { checkOptions, checkTools, type RunOptions } from "../run/options.ts";
import type { RunDeps } from "../run/run.ts";
import type { ModelChoice } from "../run/settings.ts";
import type { UsedSkill } from "../skills/render-skill.ts";
import { toolsOfSkill, workflowOf } from "../skills/skill-tools.ts";
import type { Session } from "./session.ts";
import { realName } from "./set-model.ts";

interface OptionRules {
	readonly choice: ModelChoice;
	readonly settings: RunDeps["settings"];
}

/**
 * The options of a run that a person starts with a skill. The skill only narrows the tools. Its model was chosen by the
 * operator, who wrote or trusted the skill, so it takes no right of the person; a model of the message goes first.
 */
export async function withSkill(
	session: Session,
	options: RunOptions,
	skill: UsedSkill | undefined,
	{ choice, settings }: OptionRules,
): Promise<RunOptions> {
	if (!skill) return options;
	const model = options.model ?? (skill.model && (await realName(session.profile, skill.model, choice)));
	const { tools: has } = await settings(session);
	const own = skill.tools && toolsOfSkill(skill, skill.tools, has);
	const tools =
		own && options.tools ? own.filter((name) => options.tools?.includes(name)) : (own ?? options.tools);
	const workflow = workflowOf(skill, has);
	return {
		...options,
		...(workflow ? { workflow } : { skill }),
		...(model !== undefined && { model }),
		...(tools && { tools }),
	};
}

/**
 * The options of a run as they are stored: checked, with the real name of the model and without secrets. Throws
 * `invalid_argument` for an option that is not possible, `permission_denied` if a person of a chat writes a system prompt.
 */
export async function chooseOptions(
	{ person }: Principal,
	session: Session,
	options: RunOptions,
	{ choice, settings }: OptionRules,
): Promise<RunOptions> {
	if (Object.keys(options).length === 0) return options;
	checkOptions(options);
	const { tools, model, system } = options;
	if (system && person) {
		const message = `system: ${person.id} cannot write the system prompt of a run: only the operator can`;
		throw new ParleyError(message, { code: "permission_denied" });
	}
	if (tools) checkTools(tools, (await settings(session)).tools);
	return {
		...options,
		...(model !== undefined && { model: await realName(session.profile, model, choice) }),
		...(system && { system: { ...system, text: session.redactor.redactKnown(system.text) } }),
	};
}
