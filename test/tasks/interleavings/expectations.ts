import type { Store } from "@parley/base";
import type { Tables } from "@parley/core";
import { type ExpectedState, isOver } from "./expected-state.ts";
import type { KillableRuntime } from "./killable-runtime.ts";
import { type Cast, dependentOf, workerOf } from "./player.ts";
import type { Sightings } from "./sightings.ts";

export interface Row {
	readonly state: string;
	readonly suspended: number;
	readonly putOff: number;
	readonly runs: number;
	readonly prompts: number;
}

/**
 * Whether a task, its worker and its dependent have reached this state, according to events and open model calls.
 * Always true for a task in the state `waiting`, which no event reports.
 */
export function hasReached(
	{ title, needed }: Pick<Cast, "title" | "needed">,
	at: ExpectedState,
	killable: KillableRuntime,
	seen: Sightings,
): boolean {
	const taskState = { state: at.task, suspended: at.suspended, putOff: at.putOff };
	const workerState = { state: at.worker, suspended: at.workerSuspended, putOff: at.workerPutOff };
	const requiresApproval = (seen.find(title)?.prompt ?? "") !== "";
	const ended = !needed || !isOver(at.task) || seen.find(dependentOf(title))?.ends === 1;
	const here = at.asks ? requiresApproval : exists(title, taskState, killable, seen);
	return here && ended && exists(workerOf(title), workerState, killable, seen);
}

interface Place extends Pick<Row, "suspended" | "putOff"> {
	readonly state: ExpectedState["task"];
}

function exists(
	title: string,
	{ state, suspended, putOff }: Place,
	{ model }: KillableRuntime,
	seen: Sightings,
): boolean {
	const sighting = seen.find(title);
	switch (state) {
		case "none":
			return sighting === undefined;
		case "running":
			return model.waits(title);
		case "pending":
			return sighting?.putOff === putOff;
		case "suspended":
			return sighting?.suspended === suspended;
		case "waiting":
			return true;
		default:
			return sighting?.ends === 1;
	}
}

/** Returns all tasks of the group with this name, by title. */
export async function readRows(store: Store<Tables>, name: string): Promise<Map<string, Row>> {
	return store.read(async (db) => {
		const tasks = await db
			.selectFrom("tasks")
			.select(["title", "state", "own_session_id", "suspend_count", "retry_count"])
			.where("title", "like", `%${name} task %`)
			.execute();
		const runs = await db
			.selectFrom("runs")
			.select(["id", "session_id"])
			.where("state", "<>", "ended")
			.execute();
		const prompts = await db.selectFrom("prompts").select("run_id").where("state", "=", "open").execute();
		const open = new Set(prompts.map(({ run_id }) => run_id));
		const bySession = Map.groupBy(runs, ({ session_id }) => session_id);
		return new Map(
			tasks.map((task) => {
				const own = bySession.get(task.own_session_id) ?? [];
				const facts = { suspended: Number(task.suspend_count), putOff: Number(task.retry_count) };
				const questions = own.filter(({ id }) => open.has(id)).length;
				return [task.title, { state: task.state, ...facts, runs: own.length, prompts: questions }];
			}),
		);
	});
}

/** Returns the expected database rows of a task, its worker and its dependent. */
export function expectedRows(title: string, at: ExpectedState, needed: boolean): [string, Row | undefined][] {
	const own = row(at.task, at.suspended, at.putOff, at.asks);
	const worker = row(at.worker, at.workerSuspended, at.workerPutOff, false);
	const rows: [string, Row | undefined][] = [
		[title, own],
		[workerOf(title), worker],
	];
	if (!needed || at.task === "none") return rows;
	const fate = at.task === "completed" ? "completed" : isOver(at.task) ? "failed" : "pending";
	const idle = { state: fate, suspended: 0, putOff: 0, runs: 0, prompts: 0 };
	return [...rows, [dependentOf(title), idle]];
}

function row(
	state: ExpectedState["task"],
	suspended: number,
	putOff: number,
	requiresApproval: boolean,
): Row | undefined {
	if (state === "none") return undefined;
	return { state, suspended, putOff, runs: isOver(state) ? 0 : 1, prompts: requiresApproval ? 1 : 0 };
}
