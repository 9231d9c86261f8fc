import type { CallBlock } from "../message.ts";
import { decide, policyVersion } from "../policy.ts";
import type { PromptRow } from "../session/prompts.ts";
import { findScopes } from "../session/trust.ts";
import type { ToolContext } from "../tool.ts";
import { bindingHash, prepareCall, type ReadyCall } from "../tool-call.ts";
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

const interrupted =
	"interrupted, outcome unknown: the gateway stopped while this call ran; look before you repeat it";

/**
 * Announces a call and finds out whether it may run, asking a person where the policy says so. Undefined when the
 * call has its result already: refused, denied, or run before a restart.
 */
export async function decideCall(run: Run, call: CallBlock): Promise<ApprovedCall | undefined> {
	if (run.steps.some((step) => step.kind === "result" && step.callId === call.id)) return undefined;
	const context = contextOf(run, call);
	const prepared = await prepareCall(run.deps.tools, call, context);
	if (prepared.kind === "refused") return settleCall(run, call, { text: prepared.text, failed: true });
	const begun = run.steps.some((step) => step.kind === "intent" && step.callId === call.id);
	if (begun && prepared.tool.effect === "effectful") {
		return settleCall(run, call, { text: interrupted, failed: true });
	}
	const approved = { call, ready: prepared, context };
	// Approved and begun before a restart, and safe to repeat.
	if (begun) return { ...approved, token: undefined };
	return decideReady(run, approved);
}

async function decideReady(
	run: Run,
	approved: Omit<ApprovedCall, "token">,
): Promise<ApprovedCall | undefined> {
	const { call, ready } = approved;
	const grants = await run.session.deps.journal.store.read((db) => findScopes(db, run.session.id));
	const decision = decide(ready, { acceptAll: run.trusted, grants });
	if (decision.effect === "deny") {
		return settleCall(run, call, { text: `denied: ${decision.reason}`, failed: true });
	}
	if (decision.effect === "allow") {
		await announce(run, call);
		return { ...approved, token: undefined };
	}
	const row = await askApproval(run, approved, decision);
	const refusal = refusalOf(row, bindingHash(call, ready.plan, policyVersion));
	if (refusal !== undefined) return settleCall(run, call, { text: refusal, failed: true });
	return { ...approved, token: row.prompt.token };
}

async function askApproval(
	run: Run,
	{ call, ready }: Omit<ApprovedCall, "token">,
	decision: { readonly floor: boolean; readonly reason: string },
): Promise<PromptRow> {
	const { plan } = ready;
	const scope = decision.floor ? undefined : plan.grant;
	const started = isAnnounced(run, call) ? [] : [call];
	for (const announced of started) await announce(run, announced);
	return askPerson(run, call.id, () => ({
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
				notes: [...plan.notes, decision.reason],
			},
		}),
	}));
}

/** Why the settled question does not let the call run; undefined when it does. */
function refusalOf(row: PromptRow, binding: string): string | undefined {
	if (row.state === "expired") return "no answer: nobody answered in time, so this was not run";
	if (row.answer?.kind === "approved") {
		return row.binding === binding ? undefined : "not run: what was approved has changed since; ask again";
	}
	const reason = row.answer?.kind === "denied" ? row.answer.reason : "";
	return reason === ""
		? "denied by the person who was asked"
		: `denied by the person who was asked: ${reason}`;
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
			arguments: call.arguments,
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
		ask: (question) => elicit(run, call.id, question),
	};
}
