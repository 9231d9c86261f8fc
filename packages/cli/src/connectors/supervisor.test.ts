import { setImmediate as tick } from "node:timers/promises";
import { ManualClock, MemoryLogger } from "@parley/base/testing";
import type { RunningProgram } from "@parley/core";
import { expect, test } from "vitest";
import { refusedExitCode, Supervisor } from "./supervisor.ts";

class Programs {
	readonly signals: string[] = [];
	started = 0;
	#end: (code: number) => void = () => undefined;

	readonly start = (): RunningProgram => {
		this.started += 1;
		const { promise, resolve } = Promise.withResolvers<number>();
		this.#end = resolve;
		return { ended: promise, signal: (name) => void this.signals.push(name) };
	};

	async end(code: number): Promise<void> {
		this.#end(code);
		await tick();
	}
}

function startSupervisor() {
	const [programs, clock, log] = [new Programs(), new ManualClock(), new MemoryLogger()];
	const supervisor = new Supervisor({ name: "discord", start: programs.start, clock, log });
	const pass = async (ms: number): Promise<void> => {
		clock.advance(ms);
		await tick();
	};
	return { programs, clock, log, supervisor, pass };
}

test("restarts a program with a growing delay", async () => {
	const { programs, pass } = startSupervisor();
	await programs.end(1);
	await pass(999);
	expect(programs.started).toBe(1);
	await pass(1);
	expect(programs.started).toBe(2);
	await programs.end(1);
	await pass(1_000);
	expect(programs.started).toBe(2);
	await pass(1_000);
	expect(programs.started).toBe(3);
});

test("resets the delay after five minutes of work", async () => {
	const { programs, pass } = startSupervisor();
	for (const wait of [1_000, 2_000, 4_000]) {
		await programs.end(1);
		await pass(wait);
	}
	await pass(5 * 60_000);
	await programs.end(0);
	await pass(1_000);
	expect(programs.started).toBe(5);
});

test("does not restart a program that needs a person", async () => {
	const { programs, log, clock } = startSupervisor();
	await programs.end(refusedExitCode);
	expect(clock.pending).toBe(0);
	expect(log.records).toMatchObject([{ level: "error" }]);
});

test("requests the end, and kills a program that does not end", async () => {
	const { programs, supervisor, pass } = startSupervisor();
	const stopped = supervisor.stop();
	await tick();
	expect(programs.signals).toEqual(["SIGTERM"]);
	await pass(10_000);
	expect(programs.signals).toEqual(["SIGTERM", "SIGKILL"]);
	await programs.end(137);
	await stopped;
	expect(programs.started).toBe(1);
});

test("starts no program after a stop during the delay", async () => {
	const { programs, supervisor, clock } = startSupervisor();
	await programs.end(1);
	await supervisor.stop();
	expect(programs.started).toBe(1);
	expect(clock.pending).toBe(0);
});
