import { defined } from "@parley/base";
import * as z from "zod";
import { visible } from "../../text/visible.ts";
import type { ReadyCall } from "../../tools/calls/tool-call.ts";
import type { CallBlock } from "../../vocabulary/message.ts";
import type { Tool } from "../../vocabulary/tool.ts";
import type { Run } from "../run/run.ts";
import { readApproval } from "./ask-person.ts";
import type { Before, DraftProposal, RefusedProposal } from "./call-states.ts";
import { bindingOf } from "./judge-call.ts";
import { approvalTexts } from "./texts.ts";
import type { ContextOf } from "./tool-context.ts";

interface ImpossibleFacts {
	readonly pending: Before;
	readonly isAnnounced: boolean;
	readonly contextOf: ContextOf;
}

/**
 * Returns the proposal of a call that cannot run, for runs in which a person decides about every call. After an
 * approval, the call fails with `text`. Returns undefined if the call is already announced and no approval matches the
 * proposal.
 */
export async function draftImpossible(
	run: Run,
	{ call, text, denied }: RefusedProposal,
	{ pending, isAnnounced, contextOf }: ImpossibleFacts,
): Promise<DraftProposal | undefined> {
	const planned = {
		call,
		ready: replacementCall(call, text),
		context: await contextOf(run, call),
		impossible: text,
	};
	const known = await readApproval(run, planned);
	const version = run.policy.version;
	if (isAnnounced && known?.binding !== bindingOf(planned, version)) return undefined;
	const reason = approvalTexts.needsDecisions;
	const judgement = {
		effect: "ask",
		floor: false,
		reason,
		rules: [],
		taint: "",
		hidden: false,
		version,
	} as const;
	const isDenied = denied !== undefined && !isAnnounced;
	return {
		kind: "draft",
		...planned,
		judgement,
		pending,
		wasStarted: false,
		known,
		repeated: undefined,
		...defined({ denied: isDenied ? denied : undefined }),
	};
}

function replacementCall(call: CallBlock, text: string): ReadyCall {
	const notes = [approvalTexts.impossible(text)];
	const plan = { label: visible(call.name), classes: [], preview: "", binding: {}, notes };
	const result = { text, failed: true };
	const tool: Tool = {
		name: "impossible",
		description: "",
		effect: "none",
		parameters: () => z.unknown(),
		plan: async () => plan,
		run: async () => result,
	};
	return { kind: "ready", tool, arguments: call.arguments, args: undefined, plan };
}
