import { createHmac } from "node:crypto";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { ManualClock } from "@parley/base/testing";
import { expect, onTestFinished, test } from "vitest";
import { Watch } from "../../../watch.ts";
import { Simulator } from "../platform/simulator.ts";
import { HttpEvents } from "./http.ts";

interface Got {
	readonly headers: IncomingHttpHeaders;
	readonly body: string;
}

interface Given {
	readonly status?: number;
	readonly headers?: Readonly<Record<string, string>>;
	readonly body?: string;
}

async function place(answer: (got: Got) => Given | undefined) {
	const clock = new ManualClock();
	const simulator = new Simulator({ clock });
	const watch = new Watch();
	const got: Got[] = [];
	const server = createServer(async (request, response) => {
		const one = { headers: request.headers, body: await text(request) };
		got.push(one);
		const given = answer(one);
		watch.notify();
		if (given) response.writeHead(given.status ?? 200, given.headers).end(given.body);
	});
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	// The cast is safe because the server listens on a TCP port.
	const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
	const events = new HttpEvents(simulator, url, () => void setImmediate(() => watch.notify()));
	const detach = simulator.delivery.attach(events);
	onTestFinished(() => {
		detach();
		server.closeAllConnections();
		server.close();
		simulator.close();
	});
	const [general, anna] = [simulator.channel("general"), simulator.member("Anna")];
	const untilReceived = (count: number) => watch.until(`${count} came`, () => got.length === count);
	return { clock, simulator, watch, events, got, untilReceived, general, anna };
}

test("the signature of a request includes its time and its body", async () => {
	const { simulator, clock, got, untilReceived, general, anna } = await place(() => ({}));
	anna.says("Hello", { in: general });
	await untilReceived(1);
	const [{ headers, body } = { headers: {}, body: "" }] = got;
	const timestamp = String(clock.now() / 1000);
	const mac = createHmac("sha256", simulator.signingSecret).update(`v0:${timestamp}:${body}`).digest("hex");
	expect(headers).toMatchObject({
		...{ "x-slack-request-timestamp": timestamp, "x-slack-signature": `v0=${mac}` },
		"content-type": "application/json",
	});
	expect(JSON.parse(body)).toMatchObject({ type: "event_callback", event: { text: "Hello" } });
	expect(headers).not.toHaveProperty("x-slack-retry-num");
});

test("a command is a form, a press is JSON in a form, and the response to a command is shown", async () => {
	const headers = { "content-type": "application/json" };
	const { watch, got, general, anna } = await place(({ body }) =>
		body.startsWith("payload=") ? {} : { headers, body: '{"text":"Done"}' },
	);
	const interaction = anna.commands("/parley help", {}, { in: general });
	await watch.until("it is answered", () => interaction.answers().length === 1);
	const fields = new URLSearchParams(got[0]?.body);
	expect([fields.get("command"), fields.get("text"), fields.get("user_id")]).toEqual([
		"/parley",
		"help",
		anna.id,
	]);
	anna.commands("Ask about this", {}, { in: general, on: anna.says("Look", { in: general }) });
	await watch.until("both came", () => got.length === 3);
	const payload = got.map(({ body }) => new URLSearchParams(body).get("payload")).find((one) => one !== null);
	expect(JSON.parse(payload ?? "")).toMatchObject({ type: "message_action", callback_id: "ask" });
});

test("a failed event is repeated immediately, after one minute and after five, with its number and its reason", async () => {
	const { clock, simulator, watch, events, got, general, anna } = await place(() => ({ status: 500 }));
	anna.says("Hello", { in: general });
	for (const [count, wait] of [0, 0, 60_000, 300_000].entries()) {
		clock.advance(wait);
		await watch.until("it failed", () => events.statuses.length === count + 1);
	}
	const retries = got.map(({ headers }) => [headers["x-slack-retry-num"], headers["x-slack-retry-reason"]]);
	expect(retries).toEqual([[undefined, undefined], ...["1", "2", "3"].map((n) => [n, "http_error"])]);
	await watch.until("it is given up", () => simulator.delivery.lost.length === 1);
});

test("Slack waits at most three seconds for a silent app", async () => {
	let isSilent = true;
	const { clock, got, untilReceived, general, anna } = await place(() => (isSilent ? undefined : {}));
	anna.says("Hello", { in: general });
	await untilReceived(1);
	isSilent = false;
	clock.advance(3000);
	await untilReceived(2);
	expect(got[1]?.headers).toMatchObject({ "x-slack-retry-num": "1", "x-slack-retry-reason": "http_timeout" });
});

test("an app that declines retries gets none", async () => {
	const { simulator, watch, got, general, anna } = await place(() => {
		return { status: 400, headers: { "x-slack-no-retry": "1" } };
	});
	anna.says("Hello", { in: general });
	await watch.until("it is given up", () => simulator.delivery.lost.length === 1);
	expect([got.length, simulator.delivery.pending]).toEqual([1, 0]);
});

test("an app proves its address by repeating the challenge, as a text or in JSON", async () => {
	const json = { "content-type": "application/json" };
	const challenges: ((challenge: string) => Given)[] = [
		(challenge) => ({ body: challenge }),
		(challenge) => ({ headers: json, body: JSON.stringify({ challenge }) }),
		() => ({ headers: json, body: '{"challenge":"another"}' }),
		(challenge) => ({ status: 401, body: challenge }),
	];
	const { events, got } = await place(({ body }) => challenges[got.length - 1]?.(JSON.parse(body).challenge));
	const verified = [];
	for (const _ of challenges) verified.push(await events.verify());
	expect(verified).toEqual([true, true, false, false]);
});
