import { isDeepStrictEqual } from "node:util";
import type { Store } from "@parley/base";
import type { Recorded, RecordedEvent, SessionEvent, Tables } from "@parley/core";

/** Observations of one task, collected across all processes. */
export interface Sighting {
	taskId: string;
	/** Id of the session that owns the task. */
	home: string;
	/** Session id of the task's own conversation. */
	own: string;
	/** Token of the task's last review, or "". */
	token: string;
	/** Token of an open approval, or "". */
	prompt: string;
	suspended: number;
	putOff: number;
	/** Number of retried model calls since the last postponement of the task. */
	retries: number;
	ends: number;
}

type TaskSeen = Extract<RecordedEvent, { type: `task.${string}` }>;

export class Sightings {
	readonly #events = new Map<string, Recorded>();
	/** Faults: sequence numbers with two different events. */
	readonly contradictions: string[] = [];
	#position = 0;
	readonly #byTitle = new Map<string, Sighting>();
	readonly #byTask = new Map<string, Sighting>();
	readonly #byConversation = new Map<string, Sighting>();

	/** Returns the observations of the task with this title. Throws if there are none. */
	of(title: string): Sighting {
		const seen = this.#byTitle.get(title);
		if (!seen) throw new Error(`nothing was seen of ${title}`);
		return seen;
	}

	find(title: string): Sighting | undefined {
		return this.#byTitle.get(title);
	}

	receive(happened: SessionEvent): void {
		if (happened.transient) return;
		const { event, sessionId, seq } = happened;
		const known = this.#events.get(`${sessionId} ${seq}`);
		if (known && !isDeepStrictEqual(known, happened))
			this.contradictions.push(`${sessionId} has two events ${seq}`);
		if (known) return;
		this.#events.set(`${sessionId} ${seq}`, happened);
		if (isOfTask(event)) this.#noteTask(event, sessionId);
		if (event.type === "worker.started") this.#noteStart(event.taskId, sessionId);
		if (event.type === "run.retrying") this.#noteRetry(sessionId);
		if (event.type === "prompt.requested" && event.prompt.taskId !== undefined) {
			const seen = this.#byTask.get(event.prompt.taskId);
			if (seen) seen.prompt = event.prompt.token;
		}
		if (event.type === "prompt.answered" || event.type === "prompt.closed") this.#noteAnswer(event.token);
	}

	get recorded(): Recorded[] {
		return [...this.#events.values()];
	}

	/** Ignores all events that are already persisted. */
	async skip(store: Store<Tables>): Promise<void> {
		const last = await store.read((db) =>
			db
				.selectFrom("events")
				.select(({ fn }) => fn.max<number | null>("position").as("position"))
				.executeTakeFirst(),
		);
		this.#position = Number(last?.position ?? 0);
	}

	/** Reads persisted events that the dead process had not emitted. */
	async catchUp(store: Store<Tables>): Promise<void> {
		const rows = await store.read((db) =>
			db
				.selectFrom("events")
				.selectAll()
				.where("position", ">", this.#position)
				.orderBy("position")
				.execute(),
		);
		for (const row of rows) {
			const { id, session_id: sessionId } = row;
			const event = JSON.parse(row.data);
			this.receive({ transient: false, id, sessionId, seq: Number(row.seq), at: Number(row.at), event });
		}
	}

	#noteTask(event: TaskSeen, home: string): void {
		if (event.type === "task.created") {
			const { taskId, title } = event;
			const seen = { ...{ taskId, home, own: "", token: "", prompt: "" }, ...nothing };
			this.#byTitle.set(title, seen);
			this.#byTask.set(taskId, seen);
			return;
		}
		const seen = this.#byTask.get(event.taskId);
		if (!seen) throw new Error(`${event.type} of the unknown task ${event.taskId}`);
		if (event.type === "task.suspended")
			Object.assign(seen, { token: event.token, suspended: seen.suspended + 1 });
		else if (event.type === "task.failed" && event.willRetry)
			Object.assign(seen, { putOff: seen.putOff + 1, retries: 0 });
		else if (["task.completed", "task.failed", "task.cancelled"].includes(event.type)) seen.ends += 1;
	}

	#noteStart(taskId: string, conversation: string): void {
		const seen = this.#byTask.get(taskId);
		if (!seen) throw new Error(`work on the unknown task ${taskId}`);
		seen.own = conversation;
		this.#byConversation.set(conversation, seen);
	}

	#noteRetry(conversation: string): void {
		const seen = this.#byConversation.get(conversation);
		if (seen) seen.retries += 1;
	}

	#noteAnswer(token: string): void {
		for (const seen of this.#byTask.values()) if (seen.prompt === token) seen.prompt = "";
	}
}

const nothing = { suspended: 0, putOff: 0, retries: 0, ends: 0 };

function isOfTask(event: RecordedEvent): event is TaskSeen {
	return event.type.startsWith("task.");
}
