import { type Clock, defined, type Logger, ParleyError, type Timer } from "@parley/base";
import { sql } from "kysely";
import { type DueNotice, nextNotice } from "../../conversation/notice-schedule.ts";
import type { Observers } from "../../conversation/observers.ts";
import type { Prompts } from "../../conversation/prompts.ts";
import type { Sessions } from "../../conversation/sessions.ts";
import { fromRow, type Journal } from "../../store/journal.ts";
import type { NoticeSchedule, Prompt } from "../../vocabulary/prompt.ts";
import { promptAnswerTexts } from "./texts.ts";

/** Maximum milliseconds between checks while a question is open, because a machine that sleeps stops its timers. */
const checkMs = 10 * 60 * 1000;
const batchSize = 100;

/** `due` is the time of the next reminder or of the expiry. */
interface Waiting {
	readonly token: string;
	readonly session_id: string;
	readonly created_at: number;
	readonly expires_at: number;
	readonly due: number;
}

interface ReminderPorts {
	readonly journal: Journal;
	readonly clock: Clock;
	readonly log: Logger;
	readonly observers: Observers;
	readonly prompts: Prompts;
}

/**
 * Records reminders of questions at 50 % and 90 % of the lifetime, or at the times of the notice settings. Expires
 * overdue questions, even if no run waits for them.
 */
export class Reminders {
	readonly #ports: ReminderPorts;
	readonly #sessions: Sessions;
	#timer: Timer | undefined;
	/** Time of the next check, in milliseconds since the epoch. */
	#checkAt = Number.POSITIVE_INFINITY;
	#working: Promise<void> = Promise.resolve();
	/** Tokens of the questions for which a failure was already logged. */
	readonly #failed = new Set<string>();
	#state: "new" | "started" | "stopped" = "new";

	constructor(ports: ReminderPorts, sessions: Sessions) {
		this.#ports = ports;
		this.#sessions = sessions;
		ports.observers.addRecorded(({ event }) => {
			if (event.type !== "prompt.requested") return;
			const { expiresAt, remindAt } = event.prompt;
			this.#wait(remindAt ?? dueAt(ports.clock.now(), expiresAt, 0));
		});
	}

	/** Starts the checks. The first check handles the questions that became due while the gateway was stopped. */
	start(): void {
		if (this.#state !== "new") return;
		this.#state = "started";
		this.#queueWork();
	}

	/** Stops the timer. Resolves when all writes are done. */
	async stop(): Promise<void> {
		this.#state = "stopped";
		this.#timer?.cancel();
		await this.#working;
	}

	#wait(due: number): void {
		if (this.#state !== "started") return;
		const { clock } = this.#ports;
		const now = clock.now();
		const checkAt = Math.min(Math.max(due, now), now + checkMs);
		if (this.#timer && this.#checkAt <= checkAt) return;
		this.#timer?.cancel();
		this.#checkAt = checkAt;
		this.#timer = clock.after(checkAt - now, () => this.#queueWork());
	}

	#queueWork(): void {
		this.#timer?.cancel();
		this.#timer = undefined;
		this.#checkAt = Number.POSITIVE_INFINITY;
		this.#working = this.#working.then(() => this.#work());
	}

	async #work(): Promise<void> {
		try {
			for (let next = await this.#next(); next.length > 0; next = await this.#next()) {
				const [first] = next;
				if (this.#state !== "started" || !first) return;
				const { clock } = this.#ports;
				if (first.due > clock.now()) return this.#wait(first.due);
				const handled = await this.#handleDue(next);
				const later = next.find(({ due }) => due > clock.now());
				if (!handled) return this.#wait(later?.due ?? Number.POSITIVE_INFINITY);
			}
		} catch (error) {
			this.#ports.log.error(promptAnswerTexts.promptsNotChecked, { error });
			this.#wait(Number.POSITIVE_INFINITY);
		}
	}

	/** Handles the due questions. Returns whether at least one question was handled. */
	async #handleDue(next: readonly Waiting[]): Promise<boolean> {
		let handled = false;
		for (const waiting of next) {
			if (waiting.due <= this.#ports.clock.now() && (await this.#tryHandle(waiting))) handled = true;
		}
		return handled;
	}

	#next(): Promise<Waiting[]> {
		return this.#ports.journal.store.read(async (db) => {
			const rows = await db
				.selectFrom("prompts")
				.select(["token", "session_id", "created_at", "expires_at"])
				.select(sql<number>`${sql.raw(dueSql)}`.as("due"))
				// The condition is a literal, because SQLite uses a partial index only for a literal condition.
				.where(sql<boolean>`state = 'open'`)
				.orderBy("due")
				.limit(batchSize)
				.execute();
			return rows.map((row) => ({
				token: row.token,
				session_id: row.session_id,
				due: Number(row.due),
				created_at: Number(row.created_at),
				expires_at: Number(row.expires_at),
			}));
		});
	}

	/** Expires a question or records its next reminder. Returns false if the session was deleted. */
	async #handle({ token, session_id, created_at, expires_at }: Waiting): Promise<boolean> {
		const { clock } = this.#ports;
		const lease = await this.#sessions.leaseOwn(session_id).catch((reason) => {
			if (ParleyError.from(reason).code === "not_found") return undefined;
			throw reason;
		});
		if (!lease) return false;
		using lock = lease;
		const { session } = lock;
		await session.commit(async (tx, record) => {
			const now = clock.now();
			if (now >= expires_at) return this.#ports.prompts.expire(tx, record, session, token);
			const row = await tx
				.selectFrom("prompts")
				.select(["request", "reminded", "notices", "due_at"])
				.where("token", "=", token)
				.where("state", "=", "open")
				.executeTakeFirst();
			if (!row) return;
			const { label, runId, expiresAt } = fromRow<Prompt>(row.request);
			const due = dueReminder(row, { created_at, expires_at, now });
			if (!due) return;
			const { reminded, dueAt: due_at = null, notify } = due;
			await tx.updateTable("prompts").set({ reminded, due_at }).where("token", "=", token).execute();
			await record({ type: "prompt.reminded", token, runId, label, expiresAt, ...defined({ notify }) });
		});
		if (clock.now() >= expires_at) session.wake(token);
		return true;
	}

	/**
	 * Handles a question as `#handle` does, but returns false after a failure, so that the other questions are handled.
	 * Logs only the first of consecutive failures for a question.
	 */
	async #tryHandle(waiting: Waiting): Promise<boolean> {
		const { token, session_id: sessionId } = waiting;
		try {
			const handled = await this.#handle(waiting);
			this.#failed.delete(token);
			return handled;
		} catch (error) {
			if (!this.#failed.has(token)) {
				this.#ports.log.error(promptAnswerTexts.promptNotChecked, { sessionId, error });
			}
			this.#failed.add(token);
			return false;
		}
	}
}

interface ReminderRow {
	readonly reminded: number;
	readonly notices: string | null;
	readonly due_at: number | null;
}

function dueReminder(
	{ reminded, notices, due_at }: ReminderRow,
	{ created_at, expires_at, now }: Pick<Waiting, "created_at" | "expires_at"> & { readonly now: number },
): (Omit<DueNotice, "dueAt" | "notify"> & Partial<DueNotice>) | undefined {
	if (notices === null) {
		const steps = now >= dueAt(created_at, expires_at, 1) ? 2 : 1;
		return reminded < steps ? { reminded: steps } : undefined;
	}
	if (due_at !== null && now < Number(due_at)) return undefined;
	const schedule = fromRow<NoticeSchedule>(notices);
	return nextNotice(schedule, { reminded, now, expiresAt: expires_at });
}

/** Returns the time of the next reminder: after half of the lifetime, or after nine tenths if one reminder was sent. */
function dueAt(createdAt: number, expiresAt: number, reminded: 0 | 1): number {
	return createdAt + Math.floor(((expiresAt - createdAt) * (reminded === 0 ? 5 : 9)) / 10);
}

/**
 * Time of the next reminder or of the expiry, as SQL. The stored `due_at` has precedence over the times that `dueAt`
 * computes. After two reminders, the expiry is due.
 */
const dueSql = `coalesce(due_at, case reminded
	when 0 then created_at + (expires_at - created_at) * 5 / 10
	when 1 then created_at + (expires_at - created_at) * 9 / 10
	else expires_at end)`;
