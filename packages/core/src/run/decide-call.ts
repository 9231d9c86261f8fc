import { ParleyError } from "@parley/base";
import type { CallBlock } from "../message.ts";
import { type Decision, decide, policyVersion } from "../policy.ts";
import { type Asking, findPrompt, type PromptRow } from "../session/prompts.ts";
import { findTaint } from "../session/session-taint.ts";
import { findScopes } from "../session/trust.ts";
import { joinTaints, type Taint, taintNotes, taintOf } from "../taint.ts";
import type { ToolContext } from "../tool.ts";
import { bindingHash, prepareCall, type ReadyCall } from "../tool-call.ts";
import { denied, refuseRepeat } from "./breaker.ts";
import { interrupted } from "./interrupted.ts";
import type { Run } from "./run.ts";
import { settleCall } from "./settle-call.ts";
import { askPerson, elicit, promptOf } from "./waiting.ts";

/** A call that may run: allowed by policy, or approved by the person who answered `token`. */
export interface ApprovedCall {
	readonly call: CallBlock;
	readonly ready: ReadyCall;
	readonly context: ToolContext;
	readonly token: string | undefined;
}

const lookFirst = `${interrupted}: the gateway stopped while this call ran; look before you repeat it`;

/**
 * Announces a call and finds out whether it may run, asking a person where the policy says so. `before` holds the
 * calls of the same reply that will run before it. Undefined when the call has its result already: refused, denied,
 * or run before a restart.
 */
export async function decideCall(
	run: Run,
	call: CallBlock,
	before: readonly ApprovedCall[],
): Promise<ApprovedCall | undefined> {
	if (run.steps.some((step) => step.kind === "result" && step.callId === call.id)) return undefined;
	const begun = run.steps.some((step) => step.kind === "intent" && step.callId === call.id);
	const tool = run.settings.tools.find(({ name }) => name === call.name);
	// Whatever its plan would say by now: nobody knows what it has done.
	if (begun && tool?.effect === "effectful") return settleCall(run, call, { text: lookFirst, failed: true });
	if (await settleRepeat(run, call)) return undefined;
	const context = contextOf(run, call);
	const prepared = await prepareCall(run.settings.tools, call, context);
	if (prepared.kind === "refused") return settleCall(run, call, { text: prepared.text, failed: true });
	const taint = joinTaints(before.map(({ ready }) => taintOf(ready.plan.classes)));
	return decideReady(run, { call, ready: prepared, context }, begun, taint);
}

/** Gives a call its result where it failed in the same way too often to be tried again. */
export async function settleRepeat(run: Run, call: CallBlock): Promise<boolean> {
	const text = refuseRepeat(run.steps, call);
	if (text === undefined) return false;
	await settleCall(run, call, { text, failed: true });
	return true;
}

async function decideReady(
	run: Run,
	approved: Omit<ApprovedCall, "token">,
	begun: boolean,
	pending: Taint,
): Promise<ApprovedCall | undefined> {
	const { call, ready } = approved;
	const { store } = run.session.deps.journal;
	const grants = await store.read((db) => findScopes(db, run.session.id));
	const taint = joinTaints([await store.read((db) => findTaint(db, run.session.id)), pending]);
	const decision = decide(ready, { acceptAll: run.trusted, grants, taint });
	if (decision.effect === "deny") {
		return settleCall(run, call, { text: `denied: ${decision.reason}`, failed: true });
	}
	await announce(run, call);
	// An answer given before a restart counts, also where nobody would be asked by now.
	const asked = await store.read((db) => findPrompt(db, approvalOf(run, call)));
	const asks = decision.effect === "ask" || asked !== undefined;
	const row = asks ? await askApproval(run, approved, { ...decision, taint }) : undefined;
	if (!row) return { ...approved, token: undefined };
	// Begun before a restart and safe to repeat: the approval was used for this very call.
	const usable = begun ? ["answered", "consumed"] : ["answered"];
	const refusal = refusalOf(row, usable, bindingHash(call, ready.plan, policyVersion));
	if (refusal !== undefined) return settleCall(run, call, { text: refusal, failed: true });
	return { ...approved, token: row.prompt.token };
}

async function askApproval(
	run: Run,
	{ call, ready }: Omit<ApprovedCall, "token">,
	decision: Decision & { readonly taint: Taint },
): Promise<PromptRow | undefined> {
	const { plan } = ready;
	const scope = decision.floor ? undefined : plan.grant;
	return askPerson(run, approvalOf(run, call), () => ({
		callId: call.id,
		approval: {
			floor: decision.floor,
			binding: bindingHash(call, plan, policyVersion),
			...(scope && { scope }),
		},
		prompt: promptOf(run, {
			type: "confirm",
			label: `Allow ${plan.label}?`,
			required: true,
			options: [],
			validation: "",
			placeholder: "",
			approval: {
				callId: call.id,
				tool: call.name,
				arguments: call.arguments,
				preview: plan.preview,
				risk: decision.floor ? "critical" : "normal",
				allowSession: scope !== undefined,
				notes: [...plan.notes, decision.reason, ...taintNotes(decision.taint)],
			},
		}),
	}));
}

/** Why the settled question does not let the call run; undefined when it does. */
function refusalOf(row: PromptRow, usable: readonly string[], binding: string): string | undefined {
	if (row.state === "expired") return "no answer: nobody answered in time, so this was not run";
	if (row.answer?.kind === "approved") {
		if (!usable.includes(row.state)) return "not run: the approval was used already";
		return row.binding === binding ? undefined : "not run: what was approved has changed since; ask again";
	}
	const reason = row.answer?.kind === "denied" ? row.answer.reason : "";
	return reason === "" ? denied : `${denied}: ${reason}`;
}

function approvalOf(run: Run, call: CallBlock): Asking {
	return { runId: run.id, callId: call.id, kind: "approval" };
}

function isAnnounced(run: Run, call: CallBlock): boolean {
	return run.steps.some((step) => step.kind === "started" && step.callId === call.id);
}

/** Records `tool.started`, once per call. */
async function announce(run: Run, call: CallBlock): Promise<void> {
	if (isAnnounced(run, call)) return;
	await run.commit(async (_tx, record, step) => {
		await step({ kind: "started", callId: call.id });
		await record({
			type: "tool.started",
			runId: run.id,
			callId: call.id,
			name: call.name,
			arguments: run.deps.redactor.redactFields(call.arguments),
		});
	});
}

function contextOf(run: Run, call: CallBlock): ToolContext {
	const roots = run.deps.roots(run.session);
	return {
		sessionId: run.session.id,
		callId: call.id,
		roots,
		cwd: run.session.rootDir,
		forbidden: run.deps.forbidden,
		sandbox: run.deps.sandbox,
		signal: run.signal,
		log: run.session.deps.log,
		ask: (question) => elicit(run, call.id, question),
		share: async () => {
			throw new ParleyError("files cannot be handed over here", { code: "unimplemented" });
		},
	};
}
