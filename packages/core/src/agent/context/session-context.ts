import { type Clock, defined, type Failpoints } from "@parley/base";
import type { Session } from "../../conversation/session.ts";
import type { Journal, Tx } from "../../store/journal.ts";
import { stamp } from "../../store/tables.ts";
import { summaryHash } from "../../store/text-hash.ts";
import type { CompactionLevel, ContextCompaction } from "../../vocabulary/context-snapshot.ts";
import type { RecordedEvent } from "../../vocabulary/event.ts";
import type { Message } from "../../vocabulary/message.ts";
import type { ModelRequest } from "../../vocabulary/model.ts";
import type { RunTranscript } from "../../vocabulary/transcript.ts";
import {
	type Calibration,
	type CountedRequest,
	difference,
	type Estimate,
	type Features,
	featuresOfMessages,
	featuresOfText,
	featuresOfTools,
	oneRequest,
	sumOf,
} from "./calibration.ts";
import { type Compaction, noReductions, type Reductions, viewOf, withCompaction } from "./view.ts";

/** A compaction with the sizes before and after it, in tokens and in messages. */
export interface MeasuredCompaction extends Compaction {
	readonly tokensBefore: number;
	readonly tokensAfter: number;
	readonly messagesBefore: number;
	readonly messagesAfter: number;
	/** Reason why the model wrote no summary. Undefined if no model call failed. */
	readonly error?: string;
}

interface Fitted {
	readonly messages: readonly Message[];
	readonly messageFeatures: Features;
	readonly features: Features;
	readonly tokens: number;
}

/** Context window of a request, and the number of the request's messages that belong to the run. */
export interface RequestWindow {
	/** Number of messages in the request that belong to the current run. These messages are at the end of the request. */
	readonly ofRun: number;
	readonly window: number;
	/** Reserved tokens for a reply. */
	readonly reply: number;
}

interface PastCall {
	readonly model: string;
	readonly messages: number;
	readonly inputTokens: number;
	/** Number of compactions after the model call. */
	readonly compactions: number;
}

const pastEvents = 12;

interface RecordServices {
	readonly journal: Journal;
	readonly clock: Clock;
	readonly failpoints: Failpoints;
}

/** Context state of one session: the compactions of the session and the token counts of its last requests. */
export class SessionContext {
	readonly #session: Session;
	readonly #services: RecordServices;
	#reductions: Reductions = noReductions;
	readonly #compactions: Compaction[] = [];
	readonly #anchors = new Map<string, CountedRequest>();
	#past: readonly PastCall[] = [];
	#instructions: { readonly system: string; readonly features: Features } | undefined;
	#fitted: Fitted | undefined;
	placed: RequestWindow | undefined;
	/**
	 * Request size in tokens above which the next compaction to the model's `compactAbove` happens. 0: only
	 * `compactAbove` applies.
	 */
	nextThreshold = 0;
	/** Compactions that no snapshot contains yet. */
	#unlisted: ContextCompaction[] = [];

	private constructor(session: Session, services: RecordServices) {
		this.#session = session;
		this.#services = services;
	}

	static async open(session: Session, services: RecordServices): Promise<SessionContext> {
		const context = new SessionContext(session, services);
		const { journal } = services;
		for (const compaction of await journal.store.read((db) => readCompactions(db, session.id))) {
			context.#apply(compaction);
		}
		const types = ["model.called", "context.compacted"];
		const events = await journal.recent({ sessionId: session.id, types, limit: pastEvents });
		context.#past = pastCallsIn(events.map(({ event }) => event));
		return context;
	}

	get reductions(): Reductions {
		return this.#reductions;
	}

	/** Returns the compactions that no snapshot contains yet, and marks them as contained. */
	drainUnlisted(): readonly ContextCompaction[] {
		const drained = this.#unlisted;
		this.#unlisted = [];
		return drained;
	}

	/** Learns from a counted request of the session. Returns false if the count is implausible. */
	anchorAt(model: string, counted: CountedRequest, calibration: Calibration): boolean {
		const learned = calibration.learn(counted, this.#anchors.get(model));
		if (learned) this.#anchors.set(model, counted);
		return learned;
	}

	/** Returns the features of a request without messages: its instructions, its tools, and the request itself. */
	fixed({ system, tools }: Omit<ModelRequest, "messages">): Features {
		if (this.#instructions?.system !== system) {
			this.#instructions = { system, features: sumOf([oneRequest, featuresOfText(system)]) };
		}
		return sumOf([this.#instructions.features, featuresOfTools(tools)]);
	}

	/** Returns the newest estimated request if `messages` belongs to it, otherwise undefined. */
	fitted(messages: readonly Message[]): Fitted | undefined {
		return this.#fitted?.messages === messages ? this.#fitted : undefined;
	}

	/** Learns from the recent model calls in the journal. Only the first call of this method has an effect. */
	recall(
		parts: Omit<ModelRequest, "messages">,
		transcript: readonly RunTranscript[],
		calibration: Calibration,
	): void {
		for (const { model, messages: length, inputTokens, compactions } of this.#past) {
			const earlierCompactions = this.#compactions.slice(0, this.#compactions.length - compactions);
			const messages = viewOf(transcript, earlierCompactions.reduce(withCompaction, noReductions));
			if (length > messages.length) continue;
			const features = sumOf([this.fixed(parts), featuresOfMessages(messages.slice(0, length))]);
			const counted = { features, tokens: inputTokens };
			// A reply may have a more exact model name than the request. If a different model replied, the count of that
			// model is still useful for the calibration.
			const continues = compactions === 0 && model.startsWith(parts.model);
			if (continues) this.anchorAt(parts.model, counted, calibration);
			else calibration.learn(counted);
		}
		this.#past = [];
	}

	estimate(request: ModelRequest, calibration: Calibration): Estimate & { readonly features: Features } {
		const { messages, model } = request;
		const messageFeatures = this.#messageFeatures(messages);
		const features = sumOf([this.fixed(request), messageFeatures]);
		const { tokens, margin } = calibration.estimate(features, this.#anchors.get(model));
		this.#fitted = { messages, messageFeatures, features, tokens };
		return { tokens, margin, features };
	}

	#messageFeatures(messages: readonly Message[]): Features {
		// Most requests continue the previous request, so features of the common messages are reused.
		const before = this.#fitted;
		if (!before) return featuresOfMessages(messages);
		const { length } = before.messages;
		let same = 0;
		while (same < length && messages[same] === before.messages[same]) same++;
		const replaced = same === length ? [] : before.messages.slice(same);
		return sumOf([
			difference(before.messageFeatures, featuresOfMessages(replaced)),
			featuresOfMessages(messages.slice(same)),
		]);
	}

	/** Stores compactions with their events. The compactions apply to later requests. */
	async record(runId: string, compactions: readonly MeasuredCompaction[]): Promise<void> {
		const { clock, failpoints } = this.#services;
		await this.#session.commit(async (tx, record) => {
			for (const [index, { level, before, text }] of compactions.entries()) {
				const place = { run_ordinal: before.run, message: before.message, summary: text };
				const row = {
					session_id: this.#session.id,
					n: this.#compactions.length + index + 1,
					level,
					...place,
				};
				const hash = summaryHash({ sessionId: row.session_id, n: row.n, summary: text });
				await tx
					.insertInto("compactions")
					.values({ ...row, at: clock.now(), hash, ...stamp })
					.execute();
			}
			await record(...compactions.map((compaction) => compacted(runId, compaction)));
		});
		for (const compaction of compactions) this.#apply(compaction);
		this.#unlisted.push(...compactions.map(listed));
		this.#anchors.clear();
		await failpoints.reach("compaction");
	}

	#apply(compaction: Compaction): void {
		this.#reductions = withCompaction(this.#reductions, compaction);
		this.#compactions.push(compaction);
	}
}

function compacted(
	runId: string,
	{ level, error, ...sizes }: MeasuredCompaction,
): RecordedEvent & { readonly level: CompactionLevel } {
	return {
		type: "context.compacted",
		runId,
		level,
		...roundedSizes(sizes),
		...defined({ error }),
	};
}

function listed(compaction: MeasuredCompaction): ContextCompaction {
	const { level, text, messagesBefore, messagesAfter } = compaction;
	const counted = { level, messagesBefore, messagesAfter, ...roundedSizes(compaction) };
	return level === "summary" && text !== null ? { ...counted, summary: text } : counted;
}

interface Sizes {
	readonly tokensBefore: number;
	readonly tokensAfter: number;
}

function roundedSizes({ tokensBefore, tokensAfter }: Sizes): Sizes {
	return { tokensBefore: Math.round(tokensBefore), tokensAfter: Math.round(tokensAfter) };
}

/**
 * Returns the successful model calls in `events` that have a token count. Omits calls with a single message, because
 * such calls may belong to no conversation.
 */
function pastCallsIn(events: readonly RecordedEvent[]): PastCall[] {
	return events.flatMap((event, index) => {
		if (event.type !== "model.called" || event.error !== "" || event.messages < 2) return [];
		const { model, messages, usage } = event;
		const compactions = events.slice(index).filter(({ type }) => type === "context.compacted").length;
		return usage.inputTokens > 0 ? [{ model, messages, inputTokens: usage.inputTokens, compactions }] : [];
	});
}

/** A recorded compaction. `at` is in milliseconds since the epoch. */
export interface PastCompaction extends Compaction {
	readonly at: number;
}

/** Returns all compactions of a session, oldest first. */
export async function readCompactions(db: Tx, sessionId: string): Promise<PastCompaction[]> {
	const rows = await db
		.selectFrom("compactions")
		.select(["level", "run_ordinal", "message", "summary", "at"])
		.where("session_id", "=", sessionId)
		.orderBy("n")
		.execute();
	return rows.map(({ level, run_ordinal, message, summary, at }) => ({
		level,
		text: summary,
		at: Number(at),
		before: { run: Number(run_ordinal), message: Number(message) },
	}));
}
