import { defined, ParleyError } from "@parley/base";
import { isAuthorized } from "../../vocabulary/authorize.ts";
import type { DelegatedWork, Delegation, DelegationAccess } from "../../vocabulary/delegation.ts";
import { serverOf } from "../../vocabulary/model.ts";
import type { Person } from "../../vocabulary/principal.ts";
import type { Workflow, WorkStep } from "../../vocabulary/skill.ts";
import { budgetLeftOf } from "../run/limits.ts";
import { type Run, runParticipants } from "../run/run.ts";
import { WorkflowProgress, workflowsIn } from "./progress.ts";
import { notInSteps, runWorkflow } from "./run-workflow.ts";
import { subAgentTexts } from "./texts.ts";
import type { WorkflowPorts } from "./workflow-ports.ts";

/** Maximum sub-agents of one run. */
const maxPerRun = 16;

/** Maximum model calls of one sub-agent. */
const maxModelCalls = 100;

/** Name of the workflow in `skill` events. */
const delegationName = "delegate";

/**
 * Returns access to sub-agents for one call of a run. Each sub-agent is a step of a workflow, and so a task with its
 * own conversation.
 */
export function delegationOf(run: Run, callId: string, ports: WorkflowPorts): DelegationAccess {
	const stepsFor = async (work: readonly DelegatedWork[]): Promise<readonly WorkStep[]> => {
		const known = WorkflowProgress.of(run.steps, callId);
		// A started delegation keeps its recorded steps, even if a tool or agent is missing after a restart.
		if (known) return known.workflow.steps;
		refuseTooMany(run, work);
		return await compose(run, work, ports);
	};
	return {
		async check(work) {
			const steps = await stepsFor(work);
			const elsewhere = await Promise.all(steps.map((step) => isElsewhere(run, step, ports)));
			return { leavesProvider: elsewhere.includes(true) };
		},
		async run(work) {
			const workflow: Workflow = { name: delegationName, steps: await stepsFor(work), isDelegation: true };
			const { output, error } = await runWorkflow(run, { workflow, arguments: "", callId }, ports);
			return error === "" ? { text: output, failed: false } : { text: error, failed: true };
		},
	};
}

/** Whether a server or provider other than the run's receives the text of a sub-agent. */
async function isElsewhere(
	{ agent, settings: { model, names } }: Run,
	{ delegated, model: name }: WorkStep,
	{ workflows: { agents } }: WorkflowPorts,
): Promise<boolean> {
	// A sub-agent with the agent of the run uses the model of the run.
	if (!delegated || name === undefined) return false;
	const ownProfile = await agents.find(agent);
	const delegatedProfile = await agents.find(delegated.agent).catch(() => undefined);
	// After a restart, the profile of started work can be missing. The server of that profile is then unknown.
	if (!delegatedProfile) return true;
	if (ownProfile.endpoint?.url !== delegatedProfile.endpoint?.url) return true;
	return serverOf(model, names[0]).provider !== serverOf(model, name).provider;
}

function refuseTooMany(run: Run, work: readonly DelegatedWork[]): void {
	if (run.session.taskId !== undefined) {
		throw refused(subAgentTexts.nested);
	}
	const before = workflowsIn(run.steps).filter(({ workflow }) => workflow.isDelegation);
	const started = before.reduce((sum, { workflow }) => sum + workflow.steps.length, 0);
	if (started + work.length <= maxPerRun) return;
	throw refused(subAgentTexts.tooMany(started + work.length, maxPerRun));
}

async function compose(
	run: Run,
	work: readonly DelegatedWork[],
	ports: WorkflowPorts,
): Promise<readonly WorkStep[]> {
	const left = budgetLeftOf(run.row.options, run.steps);
	const shareOf = (all: number): number => Math.max(1, Math.floor(all / work.length));
	const steps: WorkStep[] = [];
	for (const [index, one] of work.entries()) {
		const { agent = run.agent, title, instructions, maxTokens, maxMinutes } = one;
		const tools = await toolsFor(run, agent, one, ports);
		const { usualModelOf } = ports.workflows.agents;
		const model = agent === run.agent ? undefined : await usualModelOf(agent);
		const delegated: Delegation = {
			agent,
			rulesOf: run.agent,
			tools,
			tokens: Math.min(maxTokens, shareOf(left.tokens)),
			modelCalls: maxModelCalls,
			workingMs: maxMinutes * 60_000,
			...defined({ cost: Number.isFinite(left.cost) ? shareOf(left.cost) : undefined }),
		};
		const named = run.session.redactor.redact(agent === run.agent ? title : `${agent}: ${title}`);
		steps.push({
			id: String(index + 1),
			title: named,
			prompt: instructions,
			needs: [],
			delegated,
			...defined({ model }),
		});
	}
	return steps;
}

/**
 * Returns the tools that both the run and the sub-agent's profile contain, limited to the requested tools, if any.
 * Throws `invalid_argument` for an unknown tool, and for an agent that the run may not choose.
 */
async function toolsFor(
	run: Run,
	agent: string,
	{ tools: requested }: DelegatedWork,
	ports: WorkflowPorts,
): Promise<readonly string[]> {
	const { session, settings } = run;
	const own = settings.tools.map(({ name }) => name).filter((name) => !notInSteps.includes(name));
	const unknown = requested?.find((name) => !own.includes(name));
	if (unknown !== undefined) {
		throw refused(subAgentTexts.noTool(unknown, own));
	}
	if (agent === run.agent) return own.filter((name) => requested?.includes(name) ?? true);
	const { agents } = ports.workflows;
	const pinned = agents.pinnedAgent(session.home.place);
	if (pinned !== undefined) {
		throw refused(subAgentTexts.agentByOperator(pinned));
	}
	if (!runParticipants(run).every(mayChooseAgent)) {
		throw refused(subAgentTexts.guestAgent);
	}
	await agents.find(agent);
	const agentTools = await agents.toolsOf(session, agent);
	return own.filter((name) => agentTools.includes(name) && (requested?.includes(name) ?? true));
}

function mayChooseAgent(person: Person): boolean {
	const { id, place } = person;
	return isAuthorized({ id, kind: "connector", platform: place.platform, person }, "session.configure");
}

function refused(message: string): ParleyError {
	return new ParleyError(message, { code: "invalid_argument" });
}
