import { once } from "node:events";
import { connect } from "node:http2";
import { status } from "@grpc/grpc-js";
import { expect } from "vitest";
import { OzzieClient } from "./drivers/ozzie-client.ts";
import { frameTeamRequest, type RozFrame, RozTeam, readTeamEvents } from "./drivers/roz-client.ts";
import { TestGateway } from "./gateway.ts";
import { submit } from "./task-client.ts";
import { verifiesOn } from "./verifies.ts";

function byWorker(events: readonly RozFrame[]): Partial<Record<string, readonly RozFrame[]>> {
	return Object.groupBy(events, ({ value }) => String(value["workerId"]));
}

const tools = ["list_files"];

verifiesOn(
	"roz",
	["roz.team"],
	"clients that follow a task, join it midway or watch it at its end get the same events of workers that spawn workers",
	async () => {
		await using gateway = await TestGateway.start();
		await using client = await OzzieClient.connect(gateway.url);
		await client.open();
		const root = await submit(
			client,
			[
				"spawn: Left <<< list: .\\nsay: left",
				"& spawn: Right <<< spawn: Deep <<< review: May I?\\\\nlist: .\\nwait: all",
				"wait: all",
			],
			{ tools },
		);
		await using first = new RozTeam(gateway.url, root);
		const { payload: suspended } = await client.event("task.suspended");
		await using between = new RozTeam(gateway.url, root);
		await between.until("workerExited");
		await client.call("reply_task", { task_id: suspended["task_id"], status: "approved" });
		expect(await first.ended()).toMatchObject({ code: status.OK });
		expect(await between.ended()).toMatchObject({ code: status.OK });
		await using last = new RozTeam(gateway.url, root);
		expect(await last.ended()).toMatchObject({ code: status.OK });

		const workers = byWorker(last.events);
		expect(Object.keys(workers)).toHaveLength(4);
		for (const team of [first, between]) expect(byWorker(team.events)).toEqual(workers);
		for (const events of Object.values(workers)) {
			const kinds = (events ?? []).map(({ kind }) => kind);
			expect(kinds[0]).toBe("workerStarted");
			expect(kinds.slice(-2)).toEqual(["workerCompleted", "workerExited"]);
			expect(kinds.filter((kind) => /Started|Completed|Failed|Exited/.test(kind))).toHaveLength(3);
		}
	},
);

const long = "long: 100000 tokens at 5 per second";

verifiesOn(
	"roz",
	["roz.team-unstarted"],
	"workers that are cancelled end the stream, also one that never started",
	async () => {
		await using gateway = await TestGateway.start();
		await using client = await OzzieClient.connect(gateway.url);
		await client.open();
		// As many tasks as the gateway runs concurrently.
		const names = ["A", "B", "C", "D", "E"];
		const root = await submit(client, [...names.map((name) => `& spawn: ${name} <<< ${long}`), "wait: all"]);
		await using team = new RozTeam(gateway.url, root);
		for (const _ of names) await team.until("workerStarted");
		await client.call("cancel_task", { task_id: root, reason: "enough" });
		expect(await team.ended()).toMatchObject({ code: status.OK });
		await using last = new RozTeam(gateway.url, root);
		expect(await last.ended()).toMatchObject({ code: status.OK });
		const workers = byWorker(last.events);
		expect(byWorker(team.events)).toEqual(workers);
		expect(Object.keys(workers)).toHaveLength(5);
		for (const events of Object.values(workers)) {
			expect(events?.slice(-2).map(({ kind }) => kind)).toEqual(["workerFailed", "workerExited"]);
		}
	},
);

verifiesOn("roz", ["roz.team-unstarted"], "a task whose session is deleted ends the stream", async () => {
	await using gateway = await TestGateway.start();
	await using client = await OzzieClient.connect(gateway.url);
	const session = await client.open();
	const root = await submit(client, "review: May I?");
	await using team = new RozTeam(gateway.url, root);
	await team.until("workerStarted");
	await client.event("task.suspended");
	await client.call("delete_session", { session_id: session, force: true });
	expect(await team.ended()).toMatchObject({ code: status.NOT_FOUND });
});

/** Flow-control window of the client in bytes. */
const window = 1_024;

verifiesOn(
	"roz",
	["roz.team-slow"],
	"a client that reads nothing until all workers have exited gets each event once",
	async () => {
		await using gateway = await TestGateway.start();
		await using client = await OzzieClient.connect(gateway.url);
		await client.open();
		const look = `tool: query_memories {"query":"peas"}`;
		const looks = [look, ...Array.from({ length: 9 }, () => `& ${look}`)].join("\\n");
		const names = ["A", "B", "C"];
		const work = [...names.map((name) => `& spawn: ${name} <<< ${looks}`), "wait: all"];
		const root = await submit(client, work, { tools: ["query_memories"] });
		const connection = connect(gateway.url, { settings: { initialWindowSize: window } });
		const stream = connection.request({
			...{ ":method": "POST", ":path": "/roz.v1.AgentService/WatchTeam" },
			...{ "content-type": "application/grpc", te: "trailers" },
		});
		stream.end(frameTeamRequest(root));
		await client.event("task.completed", { task_id: root });
		await using last = new RozTeam(gateway.url, root);
		await last.ended();
		const chunks: Buffer[] = [];
		stream.on("data", (chunk: Buffer) => chunks.push(chunk));
		const [trailers] = await once(stream, "trailers");
		connection.destroy();
		const bytes = Buffer.concat(chunks);
		expect(trailers).toMatchObject({ "grpc-status": "0" });
		expect(bytes.length).toBeGreaterThan(4 * window);
		expect(byWorker(readTeamEvents(bytes))).toEqual(byWorker(last.events));
	},
);
