import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openSqliteStore } from "@parley/base";
import { paced } from "@parley/base/testing";
import { migrations, type Tables } from "@parley/core";
import { expect, test } from "vitest";
import { OzzieClient } from "../conformance/drivers/ozzie-client.ts";
import { choosePort, GatewayProcess, patienceMs } from "../gateway-process.ts";

/** One failpoint before the transaction of a due schedule, and two after that transaction. */
const places = ["schedule-due", "accepted", "schedule-fired"] as const;
const hour = 3_600_000;

test("a due time fires once, although the gateway is killed before, in or after the firing", {
	timeout: paced(patienceMs * 6),
}, async () => {
	await using stack = new AsyncDisposableStack();
	const directory = await mkdtemp(join(tmpdir(), "parley-schedules-"));
	stack.defer(() => rm(directory, { recursive: true, force: true }));
	const [data, root] = [join(directory, "data"), join(directory, "root")];
	await mkdir(root);
	const port = await choosePort();
	let gateway: GatewayProcess | undefined;
	stack.defer(async () => {
		gateway?.kill("SIGKILL");
		await gateway?.exited;
	});
	const start = async (hooks?: string): Promise<OzzieClient> => {
		gateway = new GatewayProcess({ port, data, root, ...(hooks && { hooks }) });
		if (!(await gateway.ready)) throw new Error(gateway.stderr.join("\n"));
		return stack.use(await OzzieClient.connect(`http://127.0.0.1:${port}`));
	};
	const stop = async (): Promise<void> => {
		gateway?.kill("SIGKILL");
		await gateway?.exited;
	};
	/** Changes the due time in the database. The gateway must not be running. */
	const change = async (next_due: number): Promise<void> => {
		const store = await openSqliteStore<Tables>({ file: join(data, "parley.sqlite"), migrations });
		await store.commit((tx) => tx.updateTable("schedules").set({ next_due }).execute());
		await store.close();
	};

	const first = await start();
	const session_id = await first.open();
	await first.call("schedule_task", { prompt: "say: on time", when: "every hour" });
	await stop();
	const dues: string[] = [];
	for (const [index, place] of places.entries()) {
		const due = Date.now() - (places.length - index) * hour;
		dues.push(new Date(due).toISOString());
		await change(due);
		gateway = new GatewayProcess({ port, data, root, hooks: `${place}=kill@1` });
		expect((await gateway.exited)?.signal, place).toBe("SIGKILL");
		const client = await start();
		await client.open({ session_id, after_seq: 0 });
		for (let answers = 0; answers <= index; answers++) await client.event("assistant.message");
		await stop();
	}
	const last = await start();
	await last.open({ session_id, after_seq: 0 });
	const messages = await last.request("load_messages", { limit: 50 });
	expect(JSON.stringify(messages).match(/"user"/g)).toHaveLength(places.length);
	const seen: unknown[] = [];
	for (const _ of places) seen.push((await last.event("schedule.trigger", { late: true })).payload["due_at"]);
	expect(seen).toEqual(dues);
	expect(await last.call("list_schedules")).toMatchObject({ schedules: [{ firings: places.length }] });
});
