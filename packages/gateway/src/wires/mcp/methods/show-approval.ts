import { ParleyError } from "@parley/base";
import { auditedCall, isUnread, type Principal, type Prompt, requestedBy } from "@parley/core";
import { mcpErrorTexts } from "../../../texts/wires/mcp.ts";
import { encodeApproval } from "../codec.ts";
import { approvalForm } from "../schema.ts";
import { type McpContext, type ToolCall, unkeyedRequest } from "./context.ts";
import type { ShowApproval } from "./run-wait.ts";

/**
 * Returns the function that shows approvals of a session as forms to the person at the client. Returns undefined
 * unless all of these conditions are met:
 * - The operator allows forms.
 * - The client supports forms.
 * - The client has a token with the right to approve.
 *
 * No form shows a call that always requires approval, or a request that is too long to read.
 */
export async function approvalForms(
	context: McpContext,
	{ elicit, lost }: ToolCall,
	sessionId: string,
): Promise<((prompt: Prompt) => ShowApproval | undefined) | undefined> {
	if (!context.forms || !elicit || context.principal.tokenId === undefined) return undefined;
	const person: Principal = { ...context.principal, via: "mcp-form", through: "form" };
	try {
		await context.runtime.check(person, sessionId, "prompt.approve");
	} catch (reason) {
		const { code } = ParleyError.from(reason);
		if (code === "permission_denied" || code === "not_found") return undefined;
		throw reason;
	}
	return (prompt) => {
		const form = encodeApproval(prompt);
		if (!form || isUnread(prompt)) return undefined;
		return async (_, settled) => {
			await noteShown(context, person, sessionId, prompt);
			const signal = AbortSignal.any([settled, lost]);
			const result = await elicit(form, signal).catch((error: unknown) => {
				if (!signal.aborted) context.log.info("a client did not answer the form for an approval", { error });
				return undefined;
			});
			if (settled.aborted) return "decided";
			if (!result || result.action === "cancel") return "open";
			const decision = result.action === "decline" ? "deny" : decisionOf(result.content);
			if (decision === undefined) return "open";
			return decide(context, person, prompt, decision);
		};
	};
}

function decisionOf(content: unknown): "approve" | "deny" | undefined {
	const read = approvalForm.safeParse(content);
	return read.success ? read.data.decision : undefined;
}

/**
 * Adds the audit row of a shown approval. Call it before the form is sent, so that no decision can precede the row.
 */
async function noteShown(
	{ runtime }: McpContext,
	person: Principal,
	sessionId: string,
	{ approval }: Prompt,
): Promise<void> {
	await runtime.trust.audit.note({
		...requestedBy(person),
		action: "approval.show",
		object: auditedCall(sessionId, approval?.callId ?? ""),
		decision: "asked",
	});
}

async function decide(
	{ runtime, log }: McpContext,
	person: Principal,
	{ token, approval }: Prompt,
	decision: "approve" | "deny",
): Promise<"decided" | "open"> {
	const response =
		decision === "approve" ? { value: true } : { cancelled: true, reason: mcpErrorTexts.denied };
	try {
		await runtime.answer(unkeyedRequest({ principal: person }, "ask"), token, response);
	} catch (error) {
		log.warn("the answer to a form could not be stored", { error });
		return "open";
	}
	// The approval stays open until the other required approvers have also approved the call.
	return decision === "approve" && (approval?.approvals ?? 1) > 1 ? "open" : "decided";
}
