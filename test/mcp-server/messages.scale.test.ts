import { expect, test } from "vitest";
import { type Random, Random as Source, testScale, testSeed } from "../random.ts";
import { Desk } from "./desk.ts";
import { initialize, RawClient } from "./raw-client.ts";

const total = 300 * testScale(4, 50);

const methods = [
	...["tools/call", "tools/list", "resources/list", "resources/read", "resources/templates/list", "ping"],
	...[
		"initialize",
		"notifications/initialized",
		"notifications/cancelled",
		"prompts/get",
		"server/discover",
		"",
	],
];
const tools = ["ask", "answer", "start_task", "task_status", "approve", "__proto__", ""];
const odd: readonly unknown[] = [
	null,
	true,
	-1,
	1e308,
	"",
	"x".repeat(5_000),
	"\u202e",
	[],
	{},
	[[[]]],
	{ toString: 1 },
	"prompt_1",
	"sess_1",
];
const names = [
	...[
		"message",
		"session_id",
		"run_id",
		"task_id",
		"question_id",
		"answer",
		"wait_seconds",
		"uri",
		"cursor",
		"name",
	],
	...["arguments", "title", "description", "directory", "agent", "model", "decline", "constructor", "_meta"],
];

function anyArguments(random: Random): Record<string, unknown> {
	const count = random.below(5);
	return Object.fromEntries(
		Array.from({ length: count }, () => [random.pick(names), random.pick<unknown>(odd)]),
	);
}

/** Returns a random message that starts no run. */
function anyMessage(random: Random, id: number): string {
	const method = random.pick(methods);
	const params =
		method === "tools/call"
			? { name: random.pick(tools), arguments: { ...anyArguments(random), wait_seconds: 0 } }
			: { ...anyArguments(random), uri: random.pick(["parley://sessions/x", "parley://", "", 1]) };
	const message = random.pick<unknown>([
		{ jsonrpc: "2.0", id, method, params },
		{ jsonrpc: "2.0", id, method, params },
		{ jsonrpc: "2.0", method, params },
		{ jsonrpc: "2.0", id, result: params },
		{ jsonrpc: "2.0", id, error: { code: 1, message: "x" } },
		{ jsonrpc: "2.0", id: random.pick<unknown>(odd), method, params },
		[{ jsonrpc: "2.0", id, method, params }],
	]);
	const text = JSON.stringify(message) ?? "";
	if (random.below(3) > 0) return text;
	const at = random.below(text.length);
	return `${text.slice(0, at)}${random.pick(["", "\0", "}", '"', "\ud800", "[", "9".repeat(400)])}${text.slice(at + random.below(4))}`;
}

test("malformed messages get an answer, change nothing, and a healthy client is served at the same time", async () => {
	const seed = testSeed();
	const random = new Source(seed);
	await using desk = await Desk.open();
	const client = new RawClient(desk, await desk.token());
	const healthy = await desk.client();
	let session = await client.open();
	const statuses = new Map<number, number>();
	const faults: string[] = [];
	for (let at = 0; at < total && faults.length < 10; at++) {
		const message = anyMessage(random, at + 10);
		const response = await client.send(message, session);
		await response.text();
		statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1);
		if (![200, 202, 400, 429].includes(response.status))
			faults.push(`${response.status}: ${message.slice(0, 300)}`);
		if (at % 50 === 0) session = await client.open();
		if (at % 100 === 0) await healthy.client.ping();
	}
	process.stdout.write(`${JSON.stringify([...statuses])}\nPARLEY_TEST_SEED=${seed}\n`);
	expect(faults).toEqual([]);
	expect((await client.send(initialize)).status).toBe(200);
	expect(desk.gateway.log.records.filter(({ level }) => level === "error")).toEqual([]);
	const operator = await desk.operator();
	const { tasks } = Object(await operator.call("query_tasks", {}));
	expect(tasks).toEqual([]);
});
