import { expect, test } from "vitest";
import type { SimulatorOptions } from "../platform/simulator.ts";
import { pausedSimulator } from "../web-api/direct-client.ts";
import { type Envelope, NoRetry, type RetryReason } from "./delivery.ts";

interface Received {
	readonly type: unknown;
	readonly attempt: number;
	readonly reason: RetryReason | undefined;
	readonly id: unknown;
}

async function turns(): Promise<void> {
	for (let turn = 0; turn < 5; turn++) await Promise.resolve();
}

function listening(answer: () => Promise<undefined> = async () => undefined, options: SimulatorOptions = {}) {
	const parts = pausedSimulator(options);
	const received: Received[] = [];
	const receive = ({ body, attempt }: Envelope, reason?: RetryReason): Promise<undefined> => {
		const { event, type, event_id: id } = Object(body);
		received.push({ type: event?.type ?? type, attempt, reason, id });
		return answer();
	};
	const detach = parts.simulator.delivery.attach({ receive });
	return { ...parts, received, detach, take: receive };
}

test("an event arrives after the call that caused it, and once if it is acknowledged", async () => {
	const { clock, simulator, anna, general, received } = listening();
	anna.says("Hello", { in: general });
	expect(received).toEqual([]);
	await turns();
	expect(received).toMatchObject([{ type: "message", attempt: 0 }]);
	clock.advance(600_000);
	await turns();
	expect([received.length, simulator.delivery.pending]).toEqual([1, 0]);
});

test("an event that is not acknowledged within three seconds is repeated immediately, after one minute and after five", async () => {
	const { clock, simulator, anna, general, received } = listening(() => new Promise(() => {}));
	anna.says("Hello", { in: general });
	await turns();
	const attempts = () => received.map(({ attempt }) => attempt);
	clock.advance(2999);
	expect(attempts()).toEqual([0]);
	clock.advance(1);
	expect(attempts()).toEqual([0, 1]);
	clock.advance(3000 + 59_999);
	expect(attempts()).toEqual([0, 1]);
	clock.advance(1);
	expect(attempts()).toEqual([0, 1, 2]);
	clock.advance(3000 + 300_000);
	expect(received.at(-1)).toMatchObject({ attempt: 3, reason: "http_timeout" });
	expect(new Set(received.map(({ id }) => id)).size).toBe(1);
	clock.advance(3_600_000);
	expect(attempts()).toEqual([0, 1, 2, 3]);
	expect(simulator.delivery.lost).toEqual(["message"]);
});

test("a refused event is repeated immediately, unless the app declines it", async () => {
	let error = new Error("no");
	const { clock, anna, general, received } = listening(() => Promise.reject(error));
	anna.says("Hello", { in: general });
	await turns();
	clock.advance(0);
	await turns();
	expect(received.map(({ attempt, reason }) => [attempt, reason])).toEqual([
		[0, undefined],
		[1, "http_error"],
	]);
	error = new NoRetry();
	clock.advance(60_000);
	await turns();
	clock.advance(3_600_000);
	expect(received).toHaveLength(3);
});

test("without a connection, an event waits for its next attempt", async () => {
	const { clock, simulator, anna, general, received, detach, take: receive } = listening();
	detach();
	anna.says("Hello", { in: general });
	await turns();
	clock.advance(0);
	simulator.delivery.attach({ receive });
	clock.advance(60_000);
	expect(received).toMatchObject([{ attempt: 2, reason: "connection_failed" }]);
});

test("a press is delivered once, and fails without an acknowledgement in time", async () => {
	const { clock, app, anna, general, received } = listening(() => new Promise(() => {}));
	const elements = [{ type: "button", text: { type: "plain_text", text: "Go" }, action_id: "go" }];
	app.posts(general, { text: "x", blocks: [{ type: "actions", elements }] });
	const interaction = anna.clicks("Go");
	await turns();
	clock.advance(2999);
	expect(interaction.state).toBe("waiting");
	clock.advance(1);
	expect(interaction.failed).toBe(true);
	clock.advance(3_600_000);
	expect(received.filter(({ type }) => type === "block_actions")).toHaveLength(1);
});

test("a press without a connection fails immediately", async () => {
	const { anna, general, detach } = listening();
	detach();
	const interaction = anna.commands("/parley help", {}, { in: general });
	await turns();
	expect(interaction.failed).toBe(true);
});

test("a mention arrives as two events of one message, in either order", async () => {
	const { simulator, anna, general, received } = listening();
	for (let turn = 0; turn < 20; turn++) {
		anna.says("you", { in: general, mentions: [simulator.bot] });
		await turns();
	}
	const pairs = Array.from({ length: 20 }, (_, index) => received.slice(index * 2, index * 2 + 2));
	const orders = new Set(pairs.map((pair) => pair.map(({ type }) => type).join()));
	expect(orders).toEqual(new Set(["message,app_mention", "app_mention,message"]));
});

test("a mention may lack the files of its message", async () => {
	const { simulator, anna, general } = listening();
	const bodies: Readonly<Record<string, unknown>>[] = [];
	simulator.state.listen((events) => bodies.push(...events.map(({ body }) => body)));
	const attachments = [{ name: "a.txt", content: "a" }];
	for (let turn = 0; turn < 20; turn++) {
		anna.says("you", { in: general, mentions: [simulator.bot], attachments });
		await turns();
	}
	const withFiles = (type: string) => bodies.filter((body) => body["type"] === type && body["files"]).length;
	expect(withFiles("message")).toBe(20);
	expect(withFiles("app_mention")).toBeGreaterThan(0);
	expect(withFiles("app_mention")).toBeLessThan(20);
});

test("an event can arrive twice, and be overtaken by one of another message", async () => {
	const { clock, simulator, anna, general, received } = listening();
	simulator.delivery.disorder = { duplicate: 1 };
	anna.says("Hello", { in: general });
	await turns();
	expect(received.map(({ attempt }) => attempt)).toEqual([0, 1]);
	simulator.delivery.disorder = { reorder: 1 };
	const sentMessage = anna.says("first", { in: general });
	anna.says("second", { in: general });
	await turns();
	expect(received).toHaveLength(4);
	anna.edits(sentMessage, "changed");
	await turns();
	expect(received).toHaveLength(4);
	clock.advance(100);
	expect(received).toHaveLength(5);
});

test("any of several connections receives an event", async () => {
	const { simulator, anna, general, received } = listening();
	const others: unknown[] = [];
	simulator.delivery.attach({
		receive: async ({ body }) => {
			others.push(body);
			return undefined;
		},
	});
	for (let turn = 0; turn < 20; turn++) anna.says("Hello", { in: general });
	await turns();
	expect(received.length + others.length).toBe(20);
	expect(Math.min(received.length, others.length)).toBeGreaterThan(0);
});
