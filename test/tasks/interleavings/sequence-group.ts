import { isDeepStrictEqual } from "node:util";
import { operator } from "@parley/core";
import { unkeyed } from "@parley/core/testing";
import { Watch } from "../../watch.ts";
import { expectedRows, hasReached, readRows } from "./expectations.ts";
import { type Action, after, atFirst, type ExpectedState, isOver, isShared } from "./expected-state.ts";
import { KillableRuntime, type Storage } from "./killable-runtime.ts";
import { Player } from "./player.ts";
import { pauseMs } from "./puppet-model.ts";
import { Sightings } from "./sightings.ts";

export interface Playing {
	readonly sequence: readonly Action[];
	readonly player: Player;
	at: ExpectedState;
}

type Place = Omit<Storage, "now">;

/** Maximum number of database reads, with pauses between them. A difference after the last read is an error. */
const maxReads = 40;
/** Milliseconds before each retry, the same as in the agent's `retries.ts` for an unreachable provider. */
const tryPauses = [1_000, 2_000];

/** Plays many sequences in one process, in lockstep. A shared action (a crash or a time step) affects all of them. */
export class SequenceGroup {
	readonly seen = new Sightings();
	/** Number of effects by call id. */
	readonly effects = new Map<string, number>();
	readonly playing: Playing[] = [];
	readonly #watch = new Watch();
	readonly #place: Place;
	readonly #name: string;
	#killable: KillableRuntime | undefined;

	private constructor(place: Place, number: number) {
		this.#place = place;
		this.#name = `group ${number}`;
	}

	/**
	 * Creates a group of sequences with one pattern: their shared actions have the same indexes. `number` identifies the
	 * group in a database. The clock of each group starts on a different day.
	 */
	static async create(
		place: Place,
		number: number,
		sequences: readonly (readonly Action[])[],
	): Promise<SequenceGroup> {
		const group = new SequenceGroup(place, number);
		await group.#begin(Date.UTC(2026, 0, 1) + number * 24 * 3_600_000);
		await group.seen.skip(place.database);
		for (const [index, sequence] of sequences.entries()) {
			const home = await group.killable.t.create();
			const cast = { title: `${group.#name} task ${index}`, home, needed: index % 3 === 0 };
			group.playing.push({ sequence, player: new Player(cast, group.seen), at: atFirst });
		}
		return group;
	}

	get killable(): KillableRuntime {
		if (!this.#killable) throw new Error("it does not live");
		return this.#killable;
	}

	/** Plays the actions at this index in all sequences. Throws if a sequence does not reach its expected state. */
	async step(place: number): Promise<void> {
		const active = this.playing.filter(({ sequence }) => place < sequence.length);
		const first = active[0]?.sequence[place];
		if (first !== undefined && isShared(first)) await this.#share(first);
		else await Promise.all(active.map((one) => one.player.play(ownOf(one, place), this.killable)));
		await this.#passFaults(active.map((one) => one.player.faulty(one.sequence[place] ?? "crash")));
		for (const one of active) one.at = after(one.at, one.sequence[place] ?? "crash");
		await this.arrive();
	}

	/**
	 * Plays the actions like `step`, but kills the process. It dies after `commits + 1` commits, or earlier when
	 * all requests are acknowledged and the process is quiet. In the next process, the requests that were not
	 * acknowledged are repeated, and the missing model replies are sent.
	 */
	async cutStep(place: number, commits: number): Promise<void> {
		const active = this.playing.filter(({ sequence }) => place < sequence.length);
		const acknowledged = new Set<Playing>();
		this.killable.store.die(commits + 1);
		const all = active.map(async (one) => {
			await one.player.play(ownOf(one, place), this.killable);
			acknowledged.add(one);
		});
		await Promise.race([Promise.all(all), this.killable.store.death]);
		await this.killable.quiet();
		await this.crash();
		const next = new Map(active.map((one) => [one, { ...one, at: after(one.at, ownOf(one, place)) }]));
		const canContinue = (one: Playing): boolean =>
			this.#hasReached(one) || this.#hasReached(next.get(one) ?? one);
		await this.#until("all continue", active, canContinue);
		await this.killable.quiet();
		const rows = await this.#rows();
		const incomplete = active.filter((one) => differences(next.get(one) ?? one, rows).length > 0);
		// User requests are always repeated, so only model calls must be awaited.
		const undecided = incomplete.filter((one) => !one.player.isDecision(ownOf(one, place)));
		await this.#until("models are asked for missing replies", undecided, (one) => this.#hasReached(one));
		for (const one of incomplete) {
			if (acknowledged.has(one) && one.player.isDecision(ownOf(one, place))) throw lost(one, place);
		}
		await Promise.all(incomplete.map((one) => one.player.play(ownOf(one, place), this.killable, true)));
		await this.#passFaults(incomplete.map((one) => one.player.faulty(ownOf(one, place))));
		for (const one of active) one.at = after(one.at, ownOf(one, place));
		await this.arrive();
	}

	/**
	 * Cancels each task, even if it has ended, and then replies to it. Throws unless the late reply is refused.
	 */
	async finish(): Promise<void> {
		const tasks = this.killable.t.runtime.tasks;
		for (const one of this.playing) {
			const { taskId } = this.seen.of(one.player.cast.title);
			const late = isOver(one.at.task);
			const state = await tasks.cancel(unkeyed(operator), taskId, "the test is over");
			if (!late) one.at = after(one.at, "cancel");
			if (state !== one.at.task) throw new Error(`${describe(one)}: cancelled late it is ${state}`);
			const outcome = await tasks.reply(unkeyed(operator), taskId, { approved: true, feedback: "" }).then(
				() => "nothing",
				(error: Error) => error.message,
			);
			if (!outcome.includes("only a suspended task"))
				throw new Error(`${describe(one)}: a late reply says ${outcome}`);
		}
		await this.arrive();
	}

	async crash(): Promise<void> {
		const { clock } = this.killable;
		await this.killable.die();
		await this.seen.catchUp(this.#place.database);
		await this.#begin(clock.now());
	}

	async #begin(now: number): Promise<void> {
		const onEffect = (callId: string): void => {
			this.effects.set(callId, (this.effects.get(callId) ?? 0) + 1);
		};
		this.#killable = await KillableRuntime.begin(
			{ ...this.#place, now },
			{
				onEvent: (event) => this.seen.receive(event),
				onEffect,
				onChange: () => this.#watch.notify(),
			},
		);
	}

	#rows(): ReturnType<typeof readRows> {
		return readRows(this.#place.database, this.#name);
	}

	/** Resolves when all sequences have reached their expected state, in events and in the database. */
	async arrive(): Promise<void> {
		await this.#until("all tasks have their expected state", this.playing, (one) => this.#hasReached(one));
		let wrong: string[] = [];
		for (let attempt = 0; attempt < maxReads; attempt++) {
			await this.killable.quiet();
			const rows = await this.#rows();
			wrong = this.playing.flatMap((one) => differences(one, rows));
			if (wrong.length === 0) return;
		}
		throw new Error(
			`${wrong.length} rows are wrong:\n${wrong.slice(0, 10).join("\n")}\n${this.#complaints()}`,
		);
	}

	async #share(action: "crash" | "advance"): Promise<void> {
		if (action === "crash") await this.crash();
		else await this.killable.pass(pauseMs);
	}

	async #passFaults(faulty: readonly (string | undefined)[]): Promise<void> {
		const titles = faulty.filter((title) => title !== undefined);
		if (titles.length === 0) return;
		for (const [index, ms] of tryPauses.entries()) {
			const reply = (): boolean => titles.every((title) => this.seen.of(title).retries > index);
			await this.#watch.until("all models are called again", reply);
			await this.killable.quiet();
			this.killable.clock.advance(ms);
		}
		await this.#watch.until("all are put off", () =>
			titles.every((title) => this.seen.of(title).retries === 0),
		);
		for (const title of titles) this.killable.model.breakDown(title, false);
	}

	#hasReached({ player: { cast }, at }: Playing): boolean {
		return hasReached(cast, at, this.killable, this.seen);
	}

	async #until(condition: string, all: readonly Playing[], isTrue: (one: Playing) => boolean): Promise<void> {
		await this.#watch
			.until(condition, () => all.every(isTrue))
			.catch((cause: Error) => {
				const late = all.filter((one) => !isTrue(one)).slice(0, 5);
				const message = `${cause.message}: ${late.map(describe).join("\n")}\n${this.#complaints()}`;
				throw new Error(message, { cause });
			});
	}

	#complaints(): string {
		const errors = this.killable.t.log.records.filter(({ level }) => level === "error");
		return errors
			.slice(0, 5)
			.map((record) => JSON.stringify(record))
			.join("\n");
	}
}

function differences(
	{ player, at, sequence }: Playing,
	rows: Awaited<ReturnType<typeof readRows>>,
): string[] {
	const { title, needed } = player.cast;
	return expectedRows(title, at, needed).flatMap(([name, row]) => {
		const actual = rows.get(name);
		if (isDeepStrictEqual(actual, row)) return [];
		return [`${sequence.join(", ")}: ${name} is ${JSON.stringify(actual)} instead of ${JSON.stringify(row)}`];
	});
}

function ownOf({ sequence }: Playing, place: number): Parameters<Player["play"]>[0] {
	const action = sequence[place];
	if (action === undefined || isShared(action))
		throw new Error(`${sequence.join(", ")} is of another pattern`);
	return action;
}

function describe({ sequence, at }: Playing): string {
	return `${sequence.join(", ")} (${at.task}, worker ${at.worker})`;
}

function lost(one: Playing, place: number): Error {
	return new Error(`${describe(one)}: ${one.sequence[place]} was acknowledged and is lost`);
}
