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
import { type SharedResources, WorkerProcess } from "./worker-process.ts";

/** A runtime that submits tasks, but does not execute them. */
interface Submitter {
	readonly resources: SharedResources;
	/** Submits tasks with these titles. With `inOrder`, each task depends on the previous task. */
	submit(titles: readonly string[], inOrder?: boolean): Promise<void>;
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
			resources: { connection, directory, epoch, watch: new Watch() },
			async submit(titles, inOrder = false) {
				const dependsOn: string[] = [];
				for (const title of titles) {
					const requested = { title, description: "mark it", tools: ["mark"], dependsOn };
					const { id } = await runtime.tasks.submit(unkeyed(), home, requested);
					if (inOrder) dependsOn.splice(0, 1, id);
				}
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

function marks({ directory }: SharedResources): string[] {
	return readFileSync(join(directory, "marks"), "utf8").trimEnd().split("\n").toSorted();
}

test("two processes that contend for the same tasks never run one twice", async ({ submitter }) => {
	const { resources } = submitter;
	const titles = Array.from({ length: 10 * testScale(2, 4) }, (_, n) => `task ${n}`);
	await using first = new WorkerProcess(resources);
	await using second = new WorkerProcess(resources);
	for (const { lines } of [first, second])
		await resources.watch.until("the task is listed", () => lines.includes("ready"));
	const chain = Array.from({ length: 5 }, (_, n) => `link ${n}`);
	const parents = Array.from({ length: 3 * testScale(2, 4) }, (_, n) => `parent ${n}`);
	const workers = parents.flatMap((parent) => [`left of ${parent}`, `right of ${parent}`]);
	await submitter.submit(chain, true);
	await submitter.submit([...titles, ...parents]);
	const all = [...titles, ...chain, ...workers];
	const done = () => [...first.idsAfter("task.completed"), ...second.idsAfter("task.completed")];
	// The total time depends on the machine, so each step has its own timeout.
	for (let seen = 0; seen < all.length + parents.length; seen = done().length) {
		const before = seen;
		await resources.watch.until(`more than ${before} tasks are done`, () => done().length > before);
	}
	expect(marks(resources)).toEqual(all.toSorted());
	expect(new Set(done()).size).toBe(all.length + parents.length);
	expect(await submitter.states()).toEqual({ completed: all.length + parents.length });
	for (const worker of [first, second]) expect(worker.idsAfter("task.completed").length).toBeGreaterThan(0);
});

test("a process that was stopped past its lease is fenced when it continues", async ({ submitter }) => {
	const { resources } = submitter;
	const { watch } = resources;
	for (let round = 0; round < testScale(2, 4); round++) {
		const title = `hold ${round}`;
		await submitter.submit([title]);
		await using first = new WorkerProcess(resources);
		await watch.until("it is at work", () => first.lines.includes(`asked ${title}`));
		first.signal("SIGSTOP");
		await using second = new WorkerProcess(resources);
		await watch.until("the other takes over", () => second.lines.includes(`asked ${title}`));
		// The first worker chooses its next step before it detects that another worker took over its task.
		first.proceed();
		first.signal("SIGCONT");
		await watch.until("it is fenced", () =>
			first.lines.some((line) => line.includes("was taken over by another worker")),
		);
		second.proceed();
		await watch.until("the task is done", () => second.idsAfter("task.completed").length === 1);
		expect(marks(resources).filter((line) => line === title)).toEqual([title]);
		expect(await submitter.states()).toEqual({ completed: round + 1 });
	}
});
