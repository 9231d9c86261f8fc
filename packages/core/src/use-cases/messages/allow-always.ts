import { ParleyError } from "@parley/base";
import type { Session } from "../../conversation/session.ts";
import { promptTexts } from "../../conversation/texts.ts";
import type { Keyed } from "../../store/idempotency.ts";
import { fromRow, type Tx } from "../../store/journal.ts";
import { boundUnder } from "../../tools/calls/tool-call.ts";
import type { AddedRule } from "../../trust/add-rule.ts";
import type { Policies } from "../../trust/policies.ts";
import { authorize } from "../../vocabulary/authorize.ts";
import type { OfferedRule, Prompt } from "../../vocabulary/prompt.ts";
import { type AnswerPorts, answerQuestion } from "./answer.ts";
import { promptAnswerTexts } from "./texts.ts";

interface AlwaysPorts extends AnswerPorts {
	readonly policies: Policies;
}

export interface AlwaysAllowed extends AddedRule {
	/** False if another answer closed the question while the rule was added. The rule stays. */
	readonly counts: boolean;
}

/**
 * Approves a tool call, and adds the offered rule of the approval request to the operator's rules. The other open
 * approvals of the session stay valid, because the rule only allows more. Throws `not_found` for an unknown token, and
 * `unavailable` if the run of the tool call is not active. Throws `failed_precondition` in these cases:
 * - The session belongs to a channel.
 * - The approval request offers no rule.
 * - The approval request is closed, and not by an earlier request with the same key.
 * - The rules have changed since the approval request.
 */
export async function allowAlways(ports: AlwaysPorts, request: Keyed, token: string): Promise<AlwaysAllowed> {
	const { principal } = request;
	authorize(principal, "policy.extend");
	const row = await ports.journal.store.read((db) =>
		db
			.selectFrom("prompts")
			.select(["session_id", "run_id", "state", "request", "binding"])
			.where("token", "=", token)
			.executeTakeFirst(),
	);
	if (!row) throw new ParleyError(promptTexts.notFound, { code: "not_found" });
	using lease = await ports.sessions.lease(principal, row.session_id, "prompt.approve");
	const { session } = lease;
	const offered = fromRow<Prompt>(row.request).approval?.offered;
	if (!offered || session.place !== undefined) throw refused(promptAnswerTexts.noRule);
	if (row.state !== "open") return await repeated(ports, request, { token, offered });
	const run = session.runOf(row.run_id);
	if (!run) throw new ParleyError(promptAnswerTexts.busy, { code: "unavailable" });
	const before = run.policyVersion;
	const isBound = boundUnder(row.binding ?? "", before, before) !== undefined;
	// An editor or another gateway may have changed the policy file. The open approvals then belong to other rules.
	const check = (): void => {
		if (!isBound || run.policyVersion !== before) throw refused(promptAnswerTexts.otherRules);
	};
	check();
	const added = await ports.policies.addRule(principal, { offered, check });
	await session.commit((tx) => renewBindings(tx, session, { before, after: run.policyVersion }));
	return { ...added, counts: await answerQuestion(ports, request, token, { value: "yes" }) };
}

/**
 * Returns the result again if an earlier request with the same key closed the question. Otherwise, throws
 * `failed_precondition`.
 */
async function repeated(
	ports: AlwaysPorts,
	request: Keyed,
	{ token, offered }: { readonly token: string; readonly offered: OfferedRule },
): Promise<AlwaysAllowed> {
	const counts = await answerQuestion(ports, request, token, { value: "yes" });
	if (!counts) throw refused(promptAnswerTexts.closed);
	return { ...(await ports.policies.addRule(request.principal, { offered })), counts };
}

/**
 * Binds the open approvals under the policy version `before` to the version `after`. Approvals under other
 * versions stay unchanged.
 */
async function renewBindings(
	tx: Tx,
	session: Session,
	{ before, after }: { readonly before: string; readonly after: string },
): Promise<void> {
	const open = await tx
		.selectFrom("prompts")
		.select(["token", "binding"])
		.where("session_id", "=", session.id)
		.where("state", "=", "open")
		.execute();
	for (const { token, binding: bound } of open) {
		const binding = bound === null ? undefined : boundUnder(bound, before, after);
		if (binding === undefined) continue;
		await tx
			.updateTable("prompts")
			.set({ binding })
			.where("token", "=", token)
			.where("state", "=", "open")
			.execute();
	}
}

function refused(message: string): ParleyError {
	return new ParleyError(message, { code: "failed_precondition" });
}
