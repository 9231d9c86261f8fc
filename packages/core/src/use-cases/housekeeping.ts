import type { Clock, Logger, Store, Timer } from "@parley/base";
import type { Workspaces } from "../conversation/workspaces.ts";
import type { Files } from "../files/files.ts";
import { forgetKeys } from "../store/idempotency.ts";
import type { Tables } from "../store/tables.ts";
import type { AuditLog } from "../trust/audit/audit-log.ts";
import { housekeepingTexts } from "./texts.ts";

const dayMs = 24 * 60 * 60 * 1000;

/** A daily task with its name in the log. */
export interface DailyTask {
	readonly name: string;
	readonly work: () => Promise<void>;
}

export class Housekeeping {
	readonly #clock: Clock;
	readonly #log: Logger;
	readonly #chores: readonly DailyTask[];
	#timer: Timer | undefined;
	#stopped = false;

	constructor({ clock, log }: { readonly clock: Clock; readonly log: Logger }, chores: readonly DailyTask[]) {
		this.#clock = clock;
		this.#log = log;
		this.#chores = chores;
	}

	/**
	 * Runs all tasks now, and then once a day until `stop`. Never rejects: logs the failure of a task and continues
	 * with the next task.
	 */
	async begin(): Promise<void> {
		if (this.#stopped) return;
		this.#timer = this.#clock.after(dayMs, () => void this.begin());
		for (const { name, work } of this.#chores) {
			try {
				await work();
			} catch (error) {
				this.#log.error(housekeepingTexts.notCleaned(name), { error });
			}
		}
	}

	stop(): void {
		this.#stopped = true;
		this.#timer?.cancel();
	}
}

/** Returns the daily tasks that delete expired data. */
export function choresOf(
	{ store, clock }: { readonly store: Store<Tables>; readonly clock: Clock },
	{
		files,
		workspaces,
		auditLog,
	}: { readonly files: Files; readonly workspaces: Workspaces; readonly auditLog: AuditLog },
): DailyTask[] {
	return [
		{ name: housekeepingTexts.oldKeys, work: () => store.commit((tx) => forgetKeys(tx, clock.now())) },
		{ name: housekeepingTexts.files, work: () => files.sweep() },
		{ name: "workspaces", work: () => workspaces.sweep(store, clock.now()) },
		{ name: housekeepingTexts.audit, work: () => auditLog.tidy() },
	];
}
