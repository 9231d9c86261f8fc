import { defined } from "@parley/base";
import { shorten } from "../../text/visible.ts";
import type { RecordedEvent } from "../../vocabulary/event.ts";
import type { Invocation, StartedSkill, UsedSkill } from "../../vocabulary/skill.ts";
import { toolsOfSkill, workflowOf } from "../skills/skill-tools.ts";
import type { Skills } from "../skills/skills.ts";
import type { Run, Writing } from "./run.ts";
import { runTexts } from "./texts.ts";

/** Maximum characters of the result in a `skill.completed` event. */
const maxOutput = 2_000;

/**
 * Records the start of the skill that a person started with the run's message. Does nothing if the start is already
 * recorded.
 */
export async function startSkill(run: Run): Promise<void> {
	const { skill, tools } = run.row.options;
	if (!skill || hasStarted(run, "")) return;
	// The options of the run already contain the tools of the skill.
	await run.commit((writing) =>
		recordStart(run, writing, { skill, callId: "", tools: skill.tools && tools }),
	);
}

/**
 * Starts the skill that the model's call names. Returns the text of a text skill, or the steps of a workflow. The tool
 * must run these steps. If a text skill names tools, the run may use only the named tools after the skill has started.
 * Error messages are for the model. Repeating the same call records nothing.
 */
export async function startSkillOfCall(
	run: Run,
	callId: string,
	invocation: Invocation,
	skills: Skills,
): Promise<StartedSkill> {
	const skill = await skills.startedByModel(run.session.rootDir, invocation);
	const steps = workflowOf(skill, run.settings.tools);
	if (steps) return steps;
	const tools = skill.tools && toolsOfSkill(skill, skill.tools, run.settings.tools);
	if (!hasStarted(run, callId)) {
		await run.commit((writing) => recordStart(run, writing, { skill, callId, tools }));
	}
	return { text: skill.text };
}

/** Returns the end event of each text skill of a run. A text skill ends with its run. */
export function endsOfSkills(
	{ id: runId, steps }: Run,
	{ content, error, now }: { readonly content: string; readonly error: string; readonly now: number },
): RecordedEvent[] {
	return steps
		.filter((step) => step.kind === "skill")
		.map(({ callId, skill, at }) => ({
			type: "skill.completed",
			runId,
			callId,
			skill,
			error,
			output: shorten(content, maxOutput),
			durationMs: Math.max(0, now - at),
		}));
}

/** Returns the reason why the run may not call a tool now, or undefined if no skill of the run excludes the tool. */
export function excludedBySkill({ steps }: Run, tool: string): string | undefined {
	for (const step of steps) {
		if (step.kind !== "skill" || !step.tools || step.tools.includes(tool)) continue;
		const allowed = step.tools.length === 0 ? runTexts.noTools : `only ${step.tools.join(", ")}`;
		return runTexts.skillAllows(step.skill, allowed);
	}
	return undefined;
}

function hasStarted({ steps }: Run, callId: string): boolean {
	return steps.some((step) => step.kind === "skill" && step.callId === callId);
}

async function recordStart(
	run: Run,
	{ record, step }: Writing,
	{
		skill,
		callId,
		tools,
	}: { readonly skill: UsedSkill; readonly callId: string; readonly tools: readonly string[] | undefined },
): Promise<void> {
	const { redactor } = run.session;
	const skillArguments = redactor.redact(skill.arguments);
	await step({ kind: "skill", callId, skill: skill.name, at: run.clock.now(), ...defined({ tools }) });
	await record({
		type: "skill.started",
		runId: run.id,
		callId,
		skill: skill.name,
		kind: "simple",
		vars: skillArguments === "" ? {} : { ARGUMENTS: skillArguments },
	});
}
