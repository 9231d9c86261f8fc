import { defined } from "@parley/base";
import type { ListedSkill } from "@parley/core";
import type { SkillPayload } from "@parley/protocol";
import { keyedRequest, type MethodsOf } from "./request.ts";

type SkillMethod = "list_skills" | "show_skill" | "trust_skills" | "untrust_skills";

export const skillMethods: MethodsOf<SkillMethod> = {
	async list_skills({ deps }, { principal, params: { session_id: sessionId, directory } }) {
		const { skills, problems, digest } = await deps.runtime.skills.list(principal, { sessionId, directory });
		return { skills: skills.map(encodeSkill), problems: problems.map((one) => ({ ...one })), digest };
	},

	async show_skill({ deps }, { principal, params }) {
		const { name, session_id: sessionId, directory } = params;
		const found = await deps.runtime.skills.show(principal, name, { sessionId, directory });
		const { skill, files, changes } = found;
		const steps = skill.steps?.map(({ id, title, needs }) => ({ id, title, needs: [...needs] }));
		return {
			...encodeSkill(found),
			directory: skill.directory,
			body: skill.body,
			files: [...files],
			...defined({ steps, changes }),
		};
	},

	async trust_skills({ deps }, request) {
		const { directory, digest } = request.params;
		const skills = await deps.runtime.skills.trust(keyedRequest(request), directory, digest);
		return { status: "trusted", skills: skills.map(encodeSkill) };
	},

	async untrust_skills({ deps }, request) {
		const skills = await deps.runtime.skills.untrust(keyedRequest(request), request.params.directory);
		return { status: "untrusted", skills };
	},
};

function encodeSkill({ skill, path, trust, changedAt }: ListedSkill): SkillPayload {
	const { name, description, source, argumentHint, userInvocable, disableModelInvocation, hash } = skill;
	return {
		name,
		description,
		source,
		path,
		trust,
		hash,
		...defined({ argument_hint: argumentHint }),
		type: skill.steps ? "multi-step" : "simple",
		user_invocable: userInvocable,
		model_invocable: !disableModelInvocation,
		...defined({
			tools: skill.tools && [...skill.tools],
			model: skill.model,
			changed_at: changedAt === undefined ? undefined : new Date(changedAt).toISOString(),
		}),
	};
}
