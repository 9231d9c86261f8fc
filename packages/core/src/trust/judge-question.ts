import { ParleyError } from "@parley/base";
import { toolRoots } from "../filesystem/roots.ts";
import { decide, grantsUnder } from "../policy/policy.ts";
import { prepareCall } from "../tools/calls/tool-call.ts";
import { checkMemory } from "../vocabulary/memory/memory.ts";
import type { ToolContext } from "../vocabulary/tool.ts";
import type { Places } from "./places.ts";
import type { Policies, PolicyAnswer, PolicyQuestion } from "./policies.ts";
import { findScene, type PolicyScene } from "./policy-scene.ts";
import type { TrustOptions } from "./trust-options.ts";

type JudgeOptions = TrustOptions & {
	readonly policies: Pick<Policies, "of">;
	readonly places?: Pick<Places, "profileOf">;
};

/** Plans the call as a run of the session would, and decides about it. */
export async function judgeQuestion(question: PolicyQuestion, options: JudgeOptions): Promise<PolicyAnswer> {
	const scene = await findScene(question, options);
	const context = await contextOf(scene, options);
	const policy = options.policies.of(scene);
	const facts = { sandbox: context.sandbox.mode, policyVersion: policy.version };
	const call = { name: question.tool, arguments: question.arguments };
	const prepared = await prepareCall(scene.tools, call, context);
	if (prepared.kind === "refused") {
		return { ...facts, effect: "deny", floor: false, reason: prepared.text, classes: [], rules: [] };
	}
	const { acceptAll, taint, place } = scene;
	const grants = grantsUnder(policy, scene.grants);
	const permissions = { acceptAll, taint, grants, policy, fromChat: place !== undefined };
	return { ...facts, ...decide({ ...prepared, context }, permissions), classes: prepared.plan.classes };
}

async function contextOf(
	scene: PolicyScene,
	{ roots: given, sandbox, log, policy, clock }: JudgeOptions,
): Promise<ToolContext> {
	const roots = toolRoots(scene, given.given);
	const refuse = (): never => {
		throw new ParleyError("a call that is only judged asks nobody and hands over nothing", {
			code: "internal",
		});
	};
	return {
		...{
			sessionId: "policy",
			callId: "policy",
			cwd: scene.rootDir,
			forbidden: [given.dataDir, ...(policy ? [policy.file] : [])],
		},
		roots,
		sandbox: await sandbox.of({ chat: scene.place !== undefined, roots }),
		...{ log, clock, signal: new AbortController().signal, workspace: undefined },
		progress: () => undefined,
		ask: refuse,
		openOutput: refuse,
		share: refuse,
		todo: refuse,
		workflow: refuse,
		memories: {
			...{ inChat: scene.place !== undefined, check: checkMemory },
			...{ store: refuse, find: refuse, deletable: refuse, forget: refuse },
		},
		schedules: {
			check: async () => undefined,
			...{ create: refuse, list: refuse, removable: refuse, remove: refuse },
		},
		skill: refuse,
	};
}
