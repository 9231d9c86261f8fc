import { defined, ParleyError } from "@parley/base";
import type { ChooseSettings } from "../../agent/run/run.ts";
import { type ModelChoice, realName } from "../../agent/run/settings.ts";
import type { WorkspacePorts } from "../../agent/run/workspace.ts";
import { toolsOfSkill, workflowOf } from "../../agent/skills/skill-tools.ts";
import type { Session } from "../../conversation/session.ts";
import type { Principal } from "../../vocabulary/principal.ts";
import { checkOptions, checkTools, type RunOptions } from "../../vocabulary/run-options.ts";
import type { UsedSkill } from "../../vocabulary/skill.ts";

/** The choices and settings that the options of a run are checked against. */
export interface OptionRules {
	readonly choice: ModelChoice;
	readonly settings: ChooseSettings;
	/** How the channel of a session works. */
	readonly profileOf: WorkspacePorts["profileOf"];
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
	const { agent = session.profile } = options;
	const model = options.model ?? (skill.model && (await realName(agent, skill.model, choice)));
	const { tools: has } = await settings(session, { agent });
	const own = skill.tools && toolsOfSkill(skill, skill.tools, has);
	const tools =
		own && options.tools ? own.filter((name) => options.tools?.includes(name)) : (own ?? options.tools);
	const workflow = workflowOf(skill, has);
	return {
		...options,
		...(workflow ? { workflow } : { skill }),
		...defined({ model, tools }),
	};
}

/**
 * Options of a run in stored form: checked, with the real name of the model and without secrets. Throws `invalid_argument`
 * for an impossible option, `not_found` for an unknown agent, and `permission_denied` if a person of a chat writes a system
 * prompt or the operator has chosen another agent for the channel.
 */
export async function chooseOptions(
	{ person }: Principal,
	session: Session,
	options: RunOptions,
	{ choice, settings, profileOf }: OptionRules,
): Promise<RunOptions> {
	if (Object.keys(options).length === 0) return options;
	checkOptions(options);
	const { agent = session.profile, tools, model, system } = options;
	if (system && person) {
		const message = `system: ${person.id} cannot write the system prompt of a run: only the operator can`;
		throw new ParleyError(message, { code: "permission_denied" });
	}
	if (options.agent !== undefined) {
		await choice.profiles.find(agent);
		refuseOther(agent, session, profileOf(session).agent);
	}
	if (tools) checkTools(tools, (await settings(session, { agent })).tools);
	return {
		...options,
		...defined({
			model: model === undefined ? undefined : await realName(agent, model, choice),
			system: system && { ...system, text: session.redactor.redactKnown(system.text) },
		}),
	};
}

function refuseOther(agent: string, { place }: Session, pinned: string | undefined): void {
	if (pinned === undefined || pinned === agent) return;
	const message = `agent: ${agent} does not work in ${place}: the operator has chosen ${pinned} for this channel`;
	throw new ParleyError(message, { code: "permission_denied" });
}
