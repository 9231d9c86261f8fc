import { readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createIds, noFailpoints, systemClock } from "@parley/base";
import { MemoryLogger, openPostgresStore } from "@parley/base/testing";
import { migrations, operator, Runtime, SecretBox, type Tables } from "@parley/core";
import { noSandboxes, probeTool, ScriptedModel, unkeyed } from "@parley/core/testing";
import { expect } from "vitest";
import { test as postgresTest } from "../../postgres/postgres-test.ts";
import { testScale } from "../../random.ts";
import { Watch } from "../../watch.ts";
import { fastClock } from "./fast-clock.ts";
import { type SharedPlace, WorkerProcess } from "./worker-process.ts";

/** Submits tasks, and looks at what has become of them; works on none. */
interface Submitter {
	readonly place: SharedPlace;
	submit(titles: readonly string[]): Promise<void>;
	/** How many tasks there are in each state. */
	states(): Promise<Record<string, number>>;
}

const test = postgresTest.extend<{ readonly submitter: Submitter }>({
	submitter: async ({ database: connection }, use) => {
		const directory = await mkdtemp(join(tmpdir(), "parley-contention-"));
		const epoch = systemClock.now();
		const clock = fastClock(epoch);
		const store = await openPostgresStore<Tables>({ connection, migrations });
		const runtime = new Runtime({
			...{ store, clock, ids: createIds(), log: new MemoryLogger(), failpoints: noFailpoints, shared: true },
			...{ model: new ScriptedModel(), tools: [probeTool("mark")], sandbox: noSandboxes(clock) },
			secrets: new SecretBox(Buffer.alloc(32, 1)),
			roots: { given: [], current: directory, dataDir: join(directory, "data") },
		});
		const { id: home } = await runtime.create(unkeyed(), {});
		await use({
			place: { connection, directory, epoch, watch: new Watch() },
			async submit(titles) {
				const wanted = titles.map((title) => ({ title, description: "mark it", tools: ["mark"] }));
				await Promise.all(wanted.map((task) => runtime.tasks.submit(unkeyed(), home, task)));
			},
			async states() {
				const tasks = await runtime.tasks.list(operator, { limit: 1000 });
				const grouped = Object.groupBy(tasks, ({ state }) => state);
				return Object.fromEntries(Object.entries(grouped).map(([state, of]) => [state, of.length]));
			},
		});
		await store.close();
		await rm(directory, { recursive: true });
	},
});

function marks({ directory }: SharedPlace): string[] {
	return readFileSync(join(directory, "marks"), "utf8").trimEnd().split("\n").toSorted();
}

test("of two processes that contend for the same tasks, none runs one that the other runs", async ({
	submitter,
}) => {
	const { place } = submitter;
	const titles = Array.from({ length: 15 * testScale(6) }, (_, n) => `task ${n}`);
	await using first = new WorkerProcess(place);
	await using second = new WorkerProcess(place);
	for (const { lines } of [first, second])
		await place.watch.until("it is there", () => lines.includes("ready"));
	await submitter.submit(titles);
	const done = () => [...first.told("task.completed"), ...second.told("task.completed")];
	await place.watch.until("no task is left", () => done().length >= titles.length);
	expect(marks(place)).toEqual(titles.toSorted());
	expect(new Set(done()).size).toBe(titles.length);
	expect(await submitter.states()).toEqual({ completed: titles.length });
	for (const worker of [first, second]) expect(worker.told("task.completed").length).toBeGreaterThan(0);
});

test("a process that is stopped past its lease and goes on finds itself fenced", async ({ submitter }) => {
	const { place } = submitter;
	const { watch } = place;
	for (let round = 0; round < testScale(4); round++) {
		const title = `hold ${round}`;
		await submitter.submit([title]);
		await using first = new WorkerProcess(place);
		await watch.until("it is at work", () => first.lines.includes(`asked ${title}`));
		first.signal("SIGSTOP");
		await using second = new WorkerProcess(place);
		await watch.until("the other takes over", () => second.lines.includes(`asked ${title}`));
		// What the first wants to do next is decided before it knows that it was gone.
		first.goOn();
		first.signal("SIGCONT");
		await watch.until("it is fenced", () =>
			first.lines.some((line) => line.includes("was taken over by another worker")),
		);
		second.goOn();
		await watch.until("the task is done", () => second.told("task.completed").length === 1);
		expect(marks(place).filter((line) => line === title)).toEqual([title]);
		expect(await submitter.states()).toEqual({ completed: round + 1 });
	}
});
