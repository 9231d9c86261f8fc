import { defined, ParleyError } from "@parley/base";
import type { Selectable } from "kysely";
import { type EventOf, readRunEvents } from "../../conversation/run-events.ts";
import type { Session } from "../../conversation/session.ts";
import { fromRow, type Journal, type Tx } from "../../store/journal.ts";
import { findTaint } from "../../store/session-taint.ts";
import type { Tables } from "../../store/tables.ts";
import type { Policies } from "../../trust/policies.ts";
import type { Author } from "../../vocabulary/event.ts";
import type { MessageContext } from "../../vocabulary/message-context.ts";
import type { RunOptions } from "../../vocabulary/run-options.ts";
import type { Step } from "../../vocabulary/step.ts";
import type { FileFacts } from "../../vocabulary/stored-file.ts";
import { taintWords } from "../../vocabulary/taint.ts";
import type { Usage } from "../../vocabulary/usage.ts";
import { type ExplainedCall, explainCalls, findApprovals } from "./explain-calls.ts";
import { type ReadSummary, summariseRead } from "./read-summary.ts";
import { explainTexts, feedbackTexts } from "./texts.ts";

/** History of one message: the text, the decisions and the answer. Times are milliseconds since the epoch. */
export interface Explanation {
	readonly runId: string;
	readonly correlation: string;
	readonly received: {
		readonly content: string;
		readonly at: number;
		readonly author?: Author;
		readonly attachments: readonly FileFacts[];
	};
	/** Summary of the channel messages that the model received with the message. Absent if the client sent no context. */
	readonly read?: ReadSummary;
	/** Messages that were added while the run was active, in order. */
	readonly steered: readonly { readonly content: string; readonly at: number; readonly author?: Author }[];
	readonly state: "queued" | "active" | "ended";
	readonly profile: string;
	readonly policyVersion: string;
	/** Whether the run started under `accept_all_tools`. */
	readonly acceptAll: boolean;
	/** Descriptions of the session's current taint flags. */
	readonly taint: readonly string[];
	readonly models: readonly {
		readonly model: string;
		readonly calls: number;
		readonly errors: readonly string[];
	}[];
	readonly calls: readonly ExplainedCall[];
	readonly reply?: {
		readonly content: string;
		readonly error: string;
		readonly at: number;
		readonly model: string;
		readonly usage: Usage;
		readonly cost: number;
	};
	readonly files: readonly FileFacts[];
	readonly feedback: readonly {
		readonly by: string;
		readonly rating: "good" | "bad";
		readonly comment: string;
	}[];
}

type RunRow = Selectable<Tables["runs"]>;

/**
 * Explains a run of the session. If the message of the run joined another run, explains that other run. Default: the last
 * run. Throws `not_found` for an unknown or imported run, and for a session without runs.
 */
export async function explainRun(
	{ journal, policies }: { readonly journal: Journal; readonly policies: Policies },
	session: Session,
	runId: string | undefined,
): Promise<Explanation> {
	return journal.store.read(async (db) => {
		const run = await findRun(db, session.id, runId);
		const events = await readRunEvents(db, { sessionId: session.id, runId: run.id }, explaining);
		const steps = await stepsOf(db, run.id);
		if (steps[0]?.kind === "imported") throw importedOnly(run.id);
		const approvals = await findApprovals(db, session.id, run.id);
		const called = ofType(events, "model.called");
		const [end] = ofType(events, "assistant.message");
		const { rootDir, place } = session;
		const { agent: profile = session.profile } = run.options === null ? {} : fromRow<RunOptions>(run.options);
		return {
			runId: run.id,
			correlation: run.correlation ?? run.id,
			...messagesOf(run, ofType(events, "user.message")),
			state: run.state,
			profile,
			policyVersion: policyOf(steps) ?? policies.of({ profile, rootDir, place }).version,
			acceptAll: run.accept_all === 1,
			taint: taintWords(await findTaint(db, session.id)),
			models: modelsOf(called.map(({ event }) => event)),
			calls: explainCalls(steps, approvals, run.state === "ended"),
			...defined({
				reply: end && replyOf(end),
				read: run.context === null ? undefined : summariseRead(fromRow<MessageContext>(run.context)),
			}),
			files: ofType(events, "file.created").map(({ event }) => event.file),
			feedback: await feedbackOf(db, run.id),
		};
	});
}

const explaining = ["user.message", "assistant.message", "model.called", "file.created"] as const;
type Explaining = (typeof explaining)[number];

function ofType<Type extends Explaining>(
	events: readonly EventOf<Explaining>[],
	type: Type,
): EventOf<Type>[] {
	// The cast is safe because `type` determines the type of the event.
	return events.filter(({ event }) => event.type === type) as unknown as EventOf<Type>[];
}

async function findRun(db: Tx, sessionId: string, runId: string | undefined): Promise<RunRow> {
	const runs = db.selectFrom("runs").selectAll().where("session_id", "=", sessionId);
	const selected = runId === undefined ? runs.where("joined", "is", null) : runs.where("id", "=", runId);
	const run = await selected.orderBy("ordinal", "desc").limit(1).executeTakeFirst();
	// The message belongs to the run that it joined.
	if (run?.joined) return findRun(db, sessionId, run.joined);
	if (run) return run;
	const text = runId === undefined ? explainTexts.noRun : feedbackTexts.runNotFound(runId);
	throw new ParleyError(text, { code: "not_found" });
}

function importedOnly(runId: string): ParleyError {
	const message = explainTexts.imported(runId);
	return new ParleyError(message, { code: "not_found" });
}

async function stepsOf(db: Tx, runId: string): Promise<Step[]> {
	const rows = await db.selectFrom("steps").select("data").where("run_id", "=", runId).orderBy("n").execute();
	return rows.map(({ data }) => fromRow<Step>(data));
}

function messagesOf(
	run: RunRow,
	messages: readonly EventOf<"user.message">[],
): Pick<Explanation, "received" | "steered"> {
	const first = messages.find(({ event }) => !event.steered);
	const attachments = first?.event.attachments ?? [];
	const steers = messages.filter(({ event }) => event.steered);
	return {
		received: { ...messageBy(first, run.content, Number(run.created_at)), attachments },
		steered: steers.map((steer) => messageBy(steer, steer.event.content, steer.at)),
	};
}

function messageBy(
	message: EventOf<"user.message"> | undefined,
	content: string,
	at: number,
): Explanation["steered"][number] {
	const author = message?.event.author;
	return { content, at: message?.at ?? at, ...defined({ author }) };
}

/** Returns the policy of the last decision, or undefined if the run has no decision. */
function policyOf(steps: readonly Step[]): string | undefined {
	const last = steps.findLast((step) => step.kind === "started" || step.kind === "judged");
	return last && (last.decision?.policy ?? explainTexts.unknown);
}

function modelsOf(calls: readonly EventOf<"model.called">["event"][]): Explanation["models"] {
	return [...Map.groupBy(calls, ({ model }) => model)].map(([model, own]) => ({
		model,
		calls: own.length,
		errors: own.flatMap(({ error }) => (error === "" ? [] : [error])),
	}));
}

function replyOf({ at, event }: EventOf<"assistant.message">): NonNullable<Explanation["reply"]> {
	const { content, error, model, usage, cost = 0 } = event;
	return { content, error, at, model, usage, cost };
}

async function feedbackOf(db: Tx, runId: string): Promise<Explanation["feedback"]> {
	const rows = await db
		.selectFrom("feedback")
		.select(["principal", "rating", "comment"])
		.where("run_id", "=", runId)
		.orderBy("at")
		.execute();
	return rows.map(({ principal: by, rating, comment }) => ({ by, rating, comment }));
}
