import { type Clock, defined, type Ids, ParleyError } from "@parley/base";
import type { Selectable } from "kysely";
import { fromRow, type Tx } from "../store/journal.ts";
import { openQuestions } from "../store/statements.ts";
import { type PromptState, stamp, type Tables } from "../store/tables.ts";
import { isUnread } from "../text/unread-approval.ts";
import type { Audit } from "../trust/audit/audit.ts";
import type { StoredGrantRequest } from "../trust/grants/grant-request.ts";
import { grantScope } from "../trust/grants/session-trust.ts";
import { actingId, type Principal } from "../vocabulary/principal.ts";
import {
	type Answer,
	type NoticeSchedule,
	type Prompt,
	type PromptResponse,
	readAnswer,
} from "../vocabulary/prompt.ts";
import type { SecretBox } from "../vocabulary/secrets.ts";
import type { GrantScope } from "../vocabulary/tool.ts";
import { auditDecided, auditEnded, auditShown } from "./audit-prompt.ts";
import type { RecordEvents } from "./commit.ts";
import type { JudgedChange, Session } from "./session.ts";
import { refuseChanged, refuseReadable, shownAnswer, storedAnswer } from "./stored-answer.ts";
import { promptTexts } from "./texts.ts";
import { addVote, approvalsNeeded, approvalsOf, changedPrompt, type Voters, votesOf } from "./votes.ts";

/** Lifetime of a question in milliseconds: long enough to include a night. */
export const promptLifeMs = 24 * 60 * 60 * 1000;

/** A question to raise: an approval, a question of a tool, or a grant request. */
export interface Question {
	readonly prompt: Prompt;
	readonly callId: string;
	readonly approval?: { readonly floor: boolean; readonly binding: string; readonly scope?: GrantScope };
	/** Schedule of the notices about an approval. */
	readonly notices?: NoticeSchedule;
	/** Requested channel grant. Undefined for other questions. No session grant approves a grant request. */
	readonly requestedGrant?: StoredGrantRequest;
}

/** An answer with its author. */
export interface Answering {
	readonly token: string;
	readonly response: PromptResponse;
	readonly by: Principal;
	/** Judged arguments that the answer changed. Undefined if the answer changed no arguments. */
	readonly change: JudgedChange | undefined;
	/** Facts that decide which votes are valid. Absent if one approval is enough. */
	readonly voters?: Voters | undefined;
}

export interface AnswerResult {
	/** Whether the answer changed the prompt. False if the prompt was already settled or has expired. */
	readonly counts: boolean;
	/** Tokens of other prompts that the same answer settled. */
	readonly also: readonly string[];
}

const tooLate: AnswerResult = { counts: false, also: [] };

export interface PromptServices {
	readonly clock: Clock;
	readonly ids: Ids;
	readonly audit: Audit;
	readonly secrets: SecretBox;
	/** Handles a denial in its transaction. `place`: channel of the session. */
	readonly onDenied: (tx: Tx, place: string | undefined) => Promise<void>;
}

/** Raises, answers and closes questions to people. The questions are stored as rows. */
export class Prompts {
	readonly #services: PromptServices;

	constructor(services: PromptServices) {
		this.#services = services;
	}

	/** Writes the question and records `prompt.requested`. */
	async raise(tx: Tx, record: RecordEvents, session: Session, question: Question): Promise<void> {
		const { prompt, approval, notices, requestedGrant } = question;
		const [recorded] = await record({ type: "prompt.requested", prompt });
		await tx
			.insertInto("prompts")
			.values({
				token: prompt.token,
				session_id: session.id,
				run_id: prompt.runId,
				call_id: question.callId,
				state: "open",
				seq: recorded?.seq ?? 0,
				request: JSON.stringify(prompt),
				answer: null,
				floor: approval?.floor || requestedGrant ? 1 : 0,
				scope: approval?.scope ? JSON.stringify(approval.scope) : null,
				binding: approval?.binding ?? null,
				reminded: 0,
				notices: notices ? JSON.stringify(notices) : null,
				due_at: prompt.remindAt ?? null,
				votes: null,
				wanted_grant: requestedGrant ? JSON.stringify(requestedGrant) : null,
				created_at: this.#services.clock.now(),
				expires_at: prompt.expiresAt,
				...stamp,
			})
			.execute();
		if (approval) await auditShown(this.#services.audit, tx, session, { prompt, floor: approval.floor });
	}

	/**
	 * Answers a prompt inside `tx`. The first answer settles the prompt, unless several approvals are required. A later
	 * answer changes nothing. An approval for the session also approves the open prompts of the same scope. Throws
	 * `not_found` for an unknown token. Throws `invalid_argument` or `permission_denied` for a refused answer; the prompt
	 * then stays open.
	 */
	async answer(
		tx: Tx,
		record: RecordEvents,
		session: Session,
		{ token, response, by, change, voters }: Answering,
	): Promise<AnswerResult> {
		const row = await tx.selectFrom("prompts").selectAll().where("token", "=", token).executeTakeFirst();
		if (!row || row.session_id !== session.id)
			throw new ParleyError(promptTexts.notFound, { code: "not_found" });
		if (row.state !== "open") return tooLate;
		if (Number(row.expires_at) <= this.#services.clock.now()) {
			await this.expire(tx, record, session, token);
			return tooLate;
		}
		const prompt = fromRow<Prompt>(row.request);
		if (prompt.type === "password" && response.confidential === false) refuseReadable(response);
		refuseChanged(prompt, row.floor === 1, response);
		const answer = await storedAnswer(this.#services, tx, session, {
			prompt,
			answer: {
				...readAnswer(prompt, row.floor === 1, response),
				...defined({ arguments: change === undefined ? undefined : response.arguments }),
			},
		});
		if (answer.kind === "approved" && voters) {
			return this.#vote(tx, record, session, { row, prompt, answer, by, change, voters });
		}
		const typed = response.typed === true;
		return this.#settle(tx, record, session, { row, prompt, answer, by, binding: change?.binding, typed });
	}

	/** Adds an approval to the question. The last required approval settles the question. */
	async #vote(
		tx: Tx,
		record: RecordEvents,
		session: Session,
		{ row, prompt, by, answer, change, voters }: Voting,
	): Promise<AnswerResult> {
		const at = this.#services.clock.now();
		const changed = change && { arguments: answer.arguments, binding: change.binding };
		const cast = addVote(votesOf(row), { by, at, change: changed }, voters);
		const needed = approvalsNeeded(prompt, change);
		const approvals = cast.votes.length;
		if (approvals >= needed) {
			const { arguments: args, binding } = cast.changed ?? {};
			const approved = { ...answer, ...defined({ arguments: args }) };
			const others = cast.votes.slice(0, -1).map((vote) => vote.by);
			return this.#settle(tx, record, session, {
				row,
				prompt,
				answer: approved,
				by,
				binding,
				typed: false,
				voters: others,
			});
		}
		const shown = change && changedPrompt(prompt, change, needed);
		await tx
			.updateTable("prompts")
			.set({ votes: JSON.stringify(cast), ...defined({ request: shown && JSON.stringify(shown) }) })
			.where("token", "=", row.token)
			.where("state", "=", "open")
			.execute();
		const votes = { approvals, needed };
		await auditDecided(this.#services.audit, tx, session, {
			callId: row.call_id,
			by,
			answer,
			grantId: undefined,
			typed: false,
			votes,
		});
		await record({
			type: "prompt.voted",
			token: row.token,
			by: actingId(by),
			...foreignName(by, session),
			...votes,
			...defined({ changed: shown }),
		});
		return { counts: true, also: [] };
	}

	async #settle(
		tx: Tx,
		record: RecordEvents,
		session: Session,
		{ row, prompt, answer, by, binding, typed, voters = [] }: Settling,
	): Promise<AnswerResult> {
		const { token } = row;
		const refused = answer.kind === "denied" || answer.kind === "cancelled";
		await settlePrompt(tx, token, { state: refused ? "cancelled" : "answered", answer, binding });
		const grantId = await this.#decided(tx, session, { ...row, by, answer, typed });
		const changed = answer.kind === "approved" ? session.redactor.redactFields(answer.arguments) : undefined;
		await record({
			type: "prompt.answered",
			token,
			value: shownAnswer(prompt, answer),
			cancelled: refused,
			by: actingId(by),
			...defined({ arguments: changed, remembered: grantId === undefined ? undefined : true }),
			...foreignName(by, session),
			...defined({
				reason: refused && answer.reason ? answer.reason : undefined,
				voters: voters.length > 0 ? voters : undefined,
			}),
		});
		const covered = grantId !== undefined && { scope: row.scope };
		return {
			counts: true,
			also: covered ? await this.approveOpen(tx, record, session, { by, grantId, ...covered }) : [],
		};
	}

	async expire(tx: Tx, record: RecordEvents, session: Session, token: string): Promise<void> {
		if (!(await settlePrompt(tx, token, { state: "expired" }))) return;
		await auditEnded(this.#services.audit, tx, session, { token, decision: "expired" });
		await record({ type: "prompt.closed", token, reason: "expired" });
	}

	/**
	 * Closes the open prompts of a run or of one call, so that no client still shows them. Returns the tokens of the
	 * closed prompts.
	 */
	async close(
		tx: Tx,
		record: RecordEvents,
		session: Session,
		{
			runId,
			callId,
			reason,
			by,
		}: { readonly runId: string; readonly callId?: string; readonly reason: string; readonly by?: string },
	): Promise<string[]> {
		const all = await openQuestions(tx, { runId });
		const open = callId === undefined ? all : all.filter(({ call_id }) => call_id === callId);
		for (const { token } of open) {
			await settlePrompt(tx, token, { state: "closed" });
			await auditEnded(this.#services.audit, tx, session, { token, decision: "closed" });
			await record({ type: "prompt.closed", token, reason, ...defined({ by }) });
		}
		return open.map(({ token }) => token);
	}

	/**
	 * Approves each open approval of the session if the grant covers the approval. Returns the tokens of the approved
	 * prompts. `accept_all_tools` covers approvals of any scope, and a grant with a scope covers approvals of the same
	 * scope. Neither grant covers an always-required approval, an approval by several people, or an approval in a run
	 * that a schedule or another agent started.
	 */
	async approveOpen(
		tx: Tx,
		record: RecordEvents,
		session: Session,
		{
			by,
			grantId,
			scope,
		}: { readonly by: Principal; readonly grantId: string; readonly scope?: string | null },
	): Promise<string[]> {
		let query = tx
			.selectFrom("prompts")
			.select(["token", "call_id", "request"])
			.where("session_id", "=", session.id)
			.where("state", "=", "open")
			.where("binding", "is not", null)
			.where("floor", "=", 0)
			.where(({ not, exists, selectFrom }) =>
				// Also checks runs of tasks, which are in different sessions. Quotation marks in the texts of the
				// options are escaped, so the pattern matches only fields.
				not(
					exists(
						selectFrom("runs")
							.select("id")
							.whereRef("runs.id", "=", "prompts.run_id")
							.where((eb) =>
								eb.or([
									eb("options", "like", '%"origin":{"scheduleId":%'),
									eb("options", "like", '%"through":"%'),
								]),
							),
					),
				),
			)
			.where("expires_at", ">", this.#services.clock.now());
		if (scope !== undefined) query = query.where("scope", "=", scope);
		const open = await query.execute();
		// A session approval does not cover approvals that no chat shows completely.
		const covered = open.filter(({ request }) => {
			const prompt = fromRow<Prompt>(request);
			return approvalsOf(prompt) === 1 && (scope === undefined || !isUnread(prompt));
		});
		for (const { token, call_id: callId } of covered) {
			const answer: Answer = { kind: "approved", remember: false };
			await settlePrompt(tx, token, { state: "answered", answer });
			await auditDecided(this.#services.audit, tx, session, { callId, by, answer, grantId, typed: false });
			await record({ type: "prompt.answered", token, value: true, cancelled: false, by: actingId(by) });
		}
		return covered.map(({ token }) => token);
	}

	/**
	 * Records a decision about an approval, and the consequences of the decision. Returns the id of the session grant
	 * that the answer creates, if any. Does nothing for a question that is not an approval.
	 */
	async #decided(
		tx: Tx,
		session: Session,
		{ binding, scope, call_id: callId, by, answer, typed }: Decided,
	): Promise<string | undefined> {
		if (binding === null) return undefined;
		const { ids, clock } = this.#services;
		const remembers = answer.kind === "approved" && answer.remember && scope !== null;
		const grantId = remembers ? ids.create("grant") : undefined;
		if (grantId !== undefined && scope !== null) {
			const facts = { id: grantId, sessionId: session.id, scope, by: actingId(by) };
			await grantScope(tx, facts, clock.now());
		}
		await auditDecided(this.#services.audit, tx, session, { callId, by, answer, grantId, typed });
		if (answer.kind !== "approved") await this.#services.onDenied(tx, session.place);
		return grantId;
	}
}

type StoredPrompt = Selectable<Tables["prompts"]>;

interface Decided {
	readonly by: Principal;
	/** Binding of the approval, or null for a question that is not the approval of a call. */
	readonly binding: string | null;
	readonly scope: string | null;
	readonly call_id: string;
	readonly answer: Answer;
	readonly typed: boolean;
}

interface Settling {
	readonly row: StoredPrompt;
	readonly prompt: Prompt;
	readonly answer: Answer;
	readonly by: Principal;
	readonly binding: string | undefined;
	readonly typed: boolean;
	/** Ids of the earlier approvers, in the form of `actingId`. */
	readonly voters?: readonly string[];
}

interface Voting extends Pick<Settling, "row" | "prompt" | "by"> {
	readonly answer: Extract<Answer, { kind: "approved" }>;
	readonly change: JudgedChange | undefined;
	readonly voters: Voters;
}

/** Whether a session grant can replace the approval. */
export function isCoverable({ approval, prompt }: Question): boolean {
	return approval?.floor === false && approvalsOf(prompt) === 1;
}

/** Stores the new state of an open question. Returns false if the question is no longer open. */
async function settlePrompt(
	tx: Tx,
	token: string,
	to: { readonly state: PromptState; readonly answer?: Answer; readonly binding?: string | undefined },
): Promise<boolean> {
	const { state, answer, binding } = to;
	const settled = await tx
		.updateTable("prompts")
		.set({
			state,
			...defined({ answer: answer && JSON.stringify(answer), binding }),
		})
		.where("token", "=", token)
		.where("state", "=", "open")
		.executeTakeFirst();
	return settled.numUpdatedRows === 1n;
}

function foreignName({ person }: Principal, { place }: Session): { readonly byName?: string } {
	if (!person || person.name === "" || place === undefined) return {};
	const { platform, tenant } = person.place;
	// Members of the session's guild or team might not know the id of a person from another guild or team.
	return place.startsWith(`${platform}:${tenant}:`) ? {} : { byName: person.name };
}
