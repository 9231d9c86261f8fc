import { defined } from "@parley/base";
import { findTool } from "../../tools/calls/normalise-call.ts";
import { readFile } from "../../tools/files/read-file.ts";
import type { UsedSkill, WorkflowCall } from "../../vocabulary/skill.ts";
import type { Tool } from "../../vocabulary/tool.ts";

/**
 * Returns the names of the tools that a skill allows. A skill may use the tool names of other agents (`Bash`, `Read`).
 * Unknown names are ignored. A skill that has additional files and names at least one tool also allows `read_file`,
 * because its text may refer to the additional files.
 */
export function toolsOfSkill(
	{ hasFiles }: UsedSkill,
	requested: readonly string[],
	tools: readonly Tool[],
): readonly string[] {
	const named = requested.flatMap((name) => findTool(tools, name)?.name ?? []);
	const ownTools = hasFiles && requested.length > 0 ? tools.filter(({ name }) => name === readFile.name) : [];
	return [...new Set([...named, ...ownTools.map(({ name }) => name)])];
}

/**
 * Returns the workflow of a skill for a run with the tools `has`, or undefined if the skill has no steps. The prompt of
 * each step contains the text of the skill.
 */
export function workflowOf(skill: UsedSkill, has: readonly Tool[]): Omit<WorkflowCall, "callId"> | undefined {
	const { name, hash, tools, model, text, steps, arguments: skillArguments } = skill;
	if (!steps) return undefined;
	const workflow = {
		name,
		hash,
		steps: steps.map((step) => ({ ...step, prompt: `${text}\n\n${step.prompt}` })),
		...defined({ tools: tools && toolsOfSkill(skill, tools, has), model }),
	};
	return { workflow, arguments: skillArguments };
}
