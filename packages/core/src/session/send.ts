import { ParleyError } from "@parley/base";
import type { Author } from "../event.ts";
import type { Tx } from "../journal/journal.ts";
import { countRuns, insertRun, insertStep } from "../journal/statements.ts";
import type { ImageBlock } from "../message.ts";
import { queueLimit } from "../run/queue.ts";
import type { RunRow } from "../run/run.ts";
import type { Asked } from "../run/transcript.ts";
import { type Keyed, once } from "./idempotency.ts";
import type { Session } from "./session.ts";
import { addTaint, taintOfMessage } from "./session-taint.ts";

/** What became of a message: `queuedPosition` counts the messages before it, the active one included; 0 is active. */
export interface Accepted {
	readonly runId: string;
	readonly queuedPosition: number;
}

/**
 * Accepts a message: durable, and told to everybody as `user.message`, when this resolves. Returns the run to start
 * where nothing is in its way. Throws `resource_exhausted` when too many wait already.
 */
export async function acceptMessage(
	session: Session,
	request: Keyed,
	message: NewMessage,
): Promise<{ readonly accepted: Accepted; readonly start: RunRow | undefined }> {
	const { failpoints } = session.deps;
	const trusted = session.trusted;
	let queued: Queued | undefined;
	const outcome = await session.commit((tx, record) =>
		once(tx, request, session.deps, async () => {
			const { author, content, images = [] } = message;
			queued = await enqueue(tx, session, { content, images, retryOf: undefined }, trusted);
			const runId = queued.run.id;
			await addTaint(tx, session.id, taintOfMessage(request.principal, author));
			await record({ type: "user.message", runId, content, ...(author && { author }) });
			return { runId, queuedPosition: queued.position };
		}),
	);
	await failpoints.reach("accepted");
	const start = !outcome.repeated && queued?.position === 0 ? queued.run : undefined;
	return { accepted: outcome.response, start };
}

/** What somebody says. */
export interface NewMessage {
	readonly content: string;
	readonly images?: readonly ImageBlock[];
	readonly author?: Author;
	/** Ids of kept files that come with it. */
	readonly attachments?: readonly string[];
	/** What ties log lines together; the run's id unless told. */
	readonly correlation?: string;
}

/** A run that was written, and where it stands. */
export interface Queued {
	readonly run: RunRow;
	/** How many runs are before it; 0 makes it the active one. */
	readonly position: number;
}

/** Writes the run: active where nothing is in its way, else queued. */
export async function enqueue(tx: Tx, session: Session, asked: Asked, trusted: boolean): Promise<Queued> {
	const { clock, ids } = session.deps;
	const [counts] = await countRuns(tx, { sessionId: session.id });
	const position = Number(counts?.open ?? 0);
	if (position > queueLimit) {
		throw new ParleyError(`session busy: ${queueLimit} messages wait already`, {
			code: "resource_exhausted",
		});
	}
	const at = clock.now();
	const id = ids.create("run");
	const ordinal = Number(counts?.ordinal ?? 0) + 1;
	const active = position === 0;
	const acceptAll = active && trusted;
	const { content, images, retryOf } = asked;
	await insertRun(tx, {
		...{ id, sessionId: session.id, ordinal, content, at, retryOf: retryOf ?? null },
		images: images.length > 0 ? JSON.stringify(images) : null,
		attachments: null,
		correlation: null,
		state: active ? "active" : "queued",
		acceptAll: acceptAll ? 1 : 0,
	});
	if (active) await insertStep(tx, { runId: id, n: 0, at, data: JSON.stringify({ kind: "call" }) });
	return { run: { ...asked, id, acceptAll, cancelRequested: false, ordinal }, position };
}
