import { setImmediate } from "node:timers/promises";
import { defined, type Ids } from "@parley/base";
import type { Selectable } from "kysely";
import type { FileCopy } from "../../files/files.ts";
import { fromRow, type Tx } from "../../store/journal.ts";
import { indexMessages } from "../../store/search-texts.ts";
import { insertRun, insertStep, markRunEnded } from "../../store/statements.ts";
import { stamp, type Tables } from "../../store/tables.ts";
import { summaryHash } from "../../store/text-hash.ts";
import type { SessionRedactor } from "../../text/session-redactor.ts";
import type { RecordedEvent } from "../../vocabulary/event.ts";
import type { Step } from "../../vocabulary/step.ts";
import { outputName } from "../../vocabulary/stored-file.ts";

type Row<Name extends keyof Tables> = Selectable<Tables[Name]>;

const copiedTypes = [
	"user.message",
	"assistant.message",
	"tool.started",
	"tool.completed",
	"tool.failed",
	"file.created",
] as const;
type CopiedEvent = Extract<RecordedEvent, { readonly type: (typeof copiedTypes)[number] }>;

/** Number of runs that are stored without a pause for the event loop. */
const runsAtOnce = 20;

/** Rows of the first turns of a session. */
interface History {
	readonly runs: readonly Row<"runs">[];
	readonly steps: readonly Row<"steps">[];
	readonly events: readonly { readonly at: number; readonly event: CopiedEvent }[];
	readonly compactions: readonly Row<"compactions">[];
	readonly readMessages: readonly Row<"read_messages">[];
	/** All stored files of the original session. */
	readonly files: readonly { readonly id: string; readonly bytes: number }[];
}

/** Reads the first `turns` turns of a session. These turns must have ended. */
export async function readHistoryRows(db: Tx, sessionId: string, turns: number): Promise<History> {
	const ofSession = db.selectFrom("runs").where("session_id", "=", sessionId).where("ordinal", "<=", turns);
	const runs = await ofSession.selectAll().orderBy("ordinal").execute();
	const ids = new Set(runs.map(({ id }) => id));
	const steps = await db
		.selectFrom("steps")
		.selectAll()
		.where("run_id", "in", ofSession.select("id"))
		.orderBy("n")
		.execute();
	const events = await db
		.selectFrom("events")
		.select(["at", "data"])
		.where("session_id", "=", sessionId)
		.where("type", "in", copiedTypes)
		.orderBy("seq")
		.execute();
	const compactions = await db
		.selectFrom("compactions")
		.selectAll()
		.where("session_id", "=", sessionId)
		.orderBy("n")
		.execute();
	const readMessages = await db
		.selectFrom("read_messages")
		.selectAll()
		.where("session_id", "=", sessionId)
		.execute();
	const files = await db
		.selectFrom("files")
		.select(["id", "bytes"])
		.where("session_id", "=", sessionId)
		.execute();
	return {
		runs,
		steps,
		events: events
			.map(({ at, data }) => ({ at: Number(at), event: fromRow<CopiedEvent>(data) }))
			.filter(({ event }) => ids.has(event.runId)),
		compactions: compactions.filter((row) => isWithin(row, turns)),
		readMessages: readMessages.filter(({ run_id }) => ids.has(run_id)),
		files,
	};
}

/** Whether all content before the position of the compaction is in the first turns. */
function isWithin({ run_ordinal, message }: Row<"compactions">, turns: number): boolean {
	const ordinal = Number(run_ordinal);
	return ordinal <= turns || (ordinal === turns + 1 && Number(message) === 0);
}

interface CopyPorts {
	readonly ids: Ids;
	/** Redactor of the original session. It knows the passwords of the original session, which the fork does not have. */
	readonly redactor: SessionRedactor;
}

/**
 * Copies the history of a session into rows of a new session. The rows get new ids, and contain no passwords and no
 * personal notes.
 */
export class HistoryCopy {
	readonly #history: History;
	readonly #sessionId: string;
	readonly #redactor: SessionRedactor;
	readonly #runs: ReadonlyMap<string, string>;
	readonly #files: ReadonlyMap<string, string>;
	/** Stored files that the copied turns refer to. */
	readonly files: readonly FileCopy[];

	constructor(history: History, sessionId: string, { ids, redactor }: CopyPorts) {
		this.#history = history;
		this.#sessionId = sessionId;
		this.#redactor = redactor;
		this.#runs = new Map(history.runs.map(({ id }) => [id, ids.create("run")]));
		this.files = usedFiles(history).map(({ id: from, bytes }) => {
			return { from, id: newFileId(from, sessionId, ids), bytes: Number(bytes) };
		});
		this.#files = new Map(this.files.map(({ from, id }) => [from, id]));
	}

	events(): { readonly at: number; readonly event: RecordedEvent }[] {
		return this.#history.events.map(({ at, event }) => ({ at, event: this.#event(event) }));
	}

	/** Stores all rows except events and files. */
	async store(tx: Tx): Promise<void> {
		const byRun = Map.groupBy(this.#history.steps, (step) => step.run_id);
		for (const [index, run] of this.#history.runs.entries()) {
			if (index % runsAtOnce === runsAtOnce - 1) await setImmediate();
			await this.#storeRun(tx, run, byRun.get(run.id) ?? []);
		}
		for (const [index, { level, run_ordinal, message, ...row }] of this.#history.compactions.entries()) {
			const place = { session_id: this.#sessionId, n: index + 1 };
			const summary = row.summary === null ? null : this.#renamed(row.summary);
			const hash = summaryHash({ sessionId: place.session_id, n: place.n, summary });
			const copied = { ...place, level, run_ordinal, message, summary, at: row.at, hash, ...stamp };
			await tx.insertInto("compactions").values(copied).execute();
		}
		for (const row of this.#history.readMessages) {
			const copied = { ...row, session_id: this.#sessionId, run_id: this.#runId(row.run_id), ...stamp };
			await tx.insertInto("read_messages").values(copied).execute();
		}
		const texts = this.#history.events.flatMap(({ event }) => ("content" in event ? [event.content] : []));
		await indexMessages(tx, this.#sessionId, texts);
	}

	async #storeRun(tx: Tx, run: Row<"runs">, steps: readonly Row<"steps">[]): Promise<void> {
		const id = this.#runId(run.id);
		await insertRun(tx, {
			id,
			sessionId: this.#sessionId,
			ordinal: Number(run.ordinal),
			state: "ended",
			content: this.#renamed(run.content),
			images: run.images,
			retryOf: run.retry_of === null ? null : this.#runId(run.retry_of),
			attachments: run.attachments === null ? null : this.#renamed(run.attachments),
			// The client's id of the message belongs to the original session.
			correlation: null,
			actor: run.actor,
			options: run.options,
			context: run.context,
			acceptAll: 0,
			at: Number(run.created_at),
		});
		await markRunEnded(tx, { id, at: Number(run.ended_at) });
		if (run.joined !== null) {
			const joined = this.#runId(run.joined);
			await tx.updateTable("runs").set({ joined }).where("id", "=", id).execute();
		}
		const [first] = steps;
		if (!first) return;
		await insertStep(tx, { runId: id, n: 0, at: Number(first.at), data: JSON.stringify(importedStep) });
		const remaining = fromRow<Step>(first.data).kind === "imported" ? steps.slice(1) : steps;
		for (const [index, { at, data }] of remaining.entries()) {
			await insertStep(tx, { runId: id, n: index + 1, at: Number(at), data: this.#step(data) });
		}
	}

	#step(data: string): string {
		const step = fromRow<Step>(data);
		switch (step.kind) {
			case "reply":
				return JSON.stringify({ ...step, content: step.content.flatMap((block) => this.#block(block)) });
			case "recalled":
				return JSON.stringify({ ...step, personal: "" });
			case "result": {
				const { later, ...result } = step;
				return this.#renamed(JSON.stringify({ ...result, ...defined({ text: later }) }));
			}
			default:
				return this.#renamed(data);
		}
	}

	/**
	 * Returns the block with new file ids and without passwords. Leaves out signed thinking that contains a
	 * password, because the provider would refuse changed thinking.
	 */
	#block(block: ReplyBlock): ReplyBlock[] {
		const sink = this.#redactor.into("history");
		if (block.type === "text") return [{ ...block, text: this.#renamed(block.text) }];
		if (block.type === "call") {
			const renamed = this.#renamed(JSON.stringify(block.arguments));
			return [{ ...block, arguments: sink.redactFields(fromRow(renamed)) }];
		}
		const text = sink.redact(block.text);
		const isSealed = block.signature !== undefined || block.redacted !== undefined;
		if (!isSealed) return [{ ...block, text }];
		return text === block.text ? [block] : [];
	}

	#event(event: CopiedEvent): RecordedEvent {
		const copied =
			this.#files.size === 0 ? event : fromRow<CopiedEvent>(this.#renamed(JSON.stringify(event)));
		const named = { ...copied, runId: this.#runId(event.runId), imported: true as const };
		if (named.type === "user.message") {
			const { correlation: _correlation, retryOf, ...message } = named;
			return { ...message, ...defined({ retryOf: retryOf && this.#runId(retryOf) }) };
		}
		if (named.type !== "assistant.message") return named;
		const { joined, trusted: _trusted, ...message } = named;
		return { ...message, ...defined({ joined: joined && this.#runId(joined) }) };
	}

	/**
	 * Returns the new id of a copied run. Returns the id of any other run unchanged. The fork has no run with this
	 * unchanged id.
	 */
	#runId(id: string): string {
		return this.#runs.get(id) ?? id;
	}

	#renamed(text: string): string {
		return this.#files.size === 0 ? text : text.replaceAll(fileIds, (id) => this.#files.get(id) ?? id);
	}
}

type ReplyBlock = Extract<Step, { kind: "reply" }>["content"][number];

const importedStep: Step = { kind: "imported" };

function usedFiles({ runs, steps, events, compactions, files }: History): History["files"] {
	if (files.length === 0) return [];
	const texts = [
		...runs.flatMap(({ attachments, content }) => [attachments ?? "", content]),
		...steps.map(({ data }) => data),
		...events.map(({ event }) => JSON.stringify(event)),
		...compactions.map(({ summary }) => summary ?? ""),
	];
	const used = new Set(texts.flatMap((text) => text.match(fileIds) ?? []));
	return files.filter(({ id }) => used.has(id));
}

const fileIds = /\b(?:file|output)_[0-9a-z]+\b/g;

function newFileId(id: string, sessionId: string, ids: Ids): string {
	return id.startsWith("output_") ? outputName(sessionId, id) : ids.create("file");
}
