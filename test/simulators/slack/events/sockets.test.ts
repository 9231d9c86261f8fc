import { ManualClock } from "@parley/base/testing";
import { expect, onTestFinished, test } from "vitest";
import { WebSocket } from "ws";
import { Watch } from "../../../watch.ts";
import { defaultSettings } from "../platform/settings.ts";
import { Simulator } from "../platform/simulator.ts";
import { SlackServer } from "../server.ts";

async function place() {
	const clock = new ManualClock();
	const simulator = new Simulator({ clock, settings: { tiers: { ...defaultSettings.tiers, 1: 100 } } });
	const server = await SlackServer.start(simulator);
	onTestFinished(() => server.close());
	const watch = new Watch();
	server.listen(() => void setImmediate(() => watch.notify()));
	const address = async (): Promise<string> => {
		const headers = { authorization: `Bearer ${simulator.appToken}` };
		return Object(
			await (await fetch(`${server.apiUrl}apps.connections.open`, { method: "POST", headers })).json(),
		).url;
	};
	const open = (url: string) => {
		const webSocket = new WebSocket(url);
		const frames: Record<string, never>[] = [];
		const socket = { webSocket, frames, isOver: false, failure: "" };
		webSocket.on("message", (data) => {
			frames.push(JSON.parse(String(data)));
			watch.notify();
		});
		webSocket.on("error", (error) => Object.assign(socket, { failure: error.message }));
		webSocket.on("close", () => {
			socket.isOver = true;
			watch.notify();
		});
		onTestFinished(() => webSocket.terminate());
		return socket;
	};
	const opened = async () => {
		const socket = open(await address());
		await watch.until("it is told something", () => socket.frames.length > 0);
		return socket;
	};
	const acknowledges = ({ webSocket, frames }: ReturnType<typeof open>, payload?: object): void =>
		webSocket.send(
			JSON.stringify({ envelope_id: frames.at(-1)?.["envelope_id"], ...(payload && { payload }) }),
		);
	const [general, anna] = [simulator.channel("general"), simulator.member("Anna")];
	return { clock, simulator, server, watch, address, open, opened, acknowledges, general, anna };
}

test("an address is valid for one socket, whose `hello` has the number of sockets", async () => {
	const { simulator, watch, address, open, opened } = await place();
	const url = await address();
	const first = open(url);
	await watch.until("it is greeted", () => first.frames.length === 1);
	const second = await opened();
	const app_id = simulator.state.app.id;
	expect(first.frames[0]).toMatchObject({ type: "hello", num_connections: 1, connection_info: { app_id } });
	expect(second.frames[0]).toMatchObject({ num_connections: 2 });
	const again = open(url);
	await watch.until("it is over", () => again.isOver);
	expect(again.failure).toContain("404");
});

test("an event arrives in an envelope, and once if it is acknowledged", async () => {
	const { clock, simulator, watch, opened, acknowledges, general, anna } = await place();
	const socket = await opened();
	anna.says("Hello", { in: general });
	await watch.until("it came", () => socket.frames.length === 2);
	expect(socket.frames[1]).toMatchObject({
		...{
			type: "events_api",
			envelope_id: expect.any(String),
			accepts_response_payload: false,
			retry_attempt: 0,
		},
		payload: { type: "event_callback", event: { type: "message", text: "Hello" } },
	});
	acknowledges(socket);
	await watch.until("it is known", () => simulator.delivery.pending === 0);
	clock.advance(600_000);
	expect(socket.frames).toHaveLength(2);
});

test("an event that is not acknowledged within three seconds is repeated over any socket, in another envelope", async () => {
	const { clock, simulator, watch, opened, acknowledges, general, anna } = await place();
	const socket = await opened();
	anna.says("Hello", { in: general });
	for (const [attempt, wait] of [0, 3000, 63_000, 303_000].entries()) {
		clock.advance(wait);
		await watch.until("it came", () => socket.frames.length === attempt + 2);
	}
	const envelopes = socket.frames.slice(1);
	expect(envelopes.map(({ retry_attempt }) => retry_attempt)).toEqual([0, 1, 2, 3]);
	expect(envelopes.map(({ retry_reason }) => retry_reason)).toEqual(["", "timeout", "timeout", "timeout"]);
	expect(new Set(envelopes.map(({ envelope_id }) => envelope_id)).size).toBe(4);
	expect(new Set(envelopes.map(({ payload }) => Object(payload).event_id)).size).toBe(1);
	acknowledges(socket);
	await watch.until("it is known", () => simulator.delivery.pending === 0);
});

test("the response in the acknowledgement of a command is shown", async () => {
	const { watch, opened, acknowledges, general, anna } = await place();
	const socket = await opened();
	const interaction = anna.commands("/parley help", {}, { in: general });
	await watch.until("it came", () => socket.frames.length === 2);
	expect(socket.frames[1]).toMatchObject({
		...{
			type: "slash_commands",
			accepts_response_payload: true,
			payload: { command: "/parley", text: "help" },
		},
	});
	acknowledges(socket, { text: "Done" });
	await watch.until("it is shown", () => interaction.answers().length === 1);
	expect(interaction.answers()[0]?.text).toBe("Done");
});

test("an acknowledgement of an unknown envelope, or a second acknowledgement, is a violation", async () => {
	const { simulator, watch, opened, acknowledges, general, anna } = await place();
	const socket = await opened();
	anna.says("Hello", { in: general });
	await watch.until("it came", () => socket.frames.length === 2);
	acknowledges(socket);
	await watch.until("it is known", () => simulator.delivery.pending === 0);
	acknowledges(socket);
	socket.webSocket.send('{"envelope_id":"none"}');
	socket.webSocket.close();
	await watch.until("it is over", () => socket.isOver);
	expect(simulator.drainViolations()).toEqual([
		expect.stringContaining("acknowledged twice"),
		expect.stringContaining('over a socket came {"envelope_id":"none"}'),
	]);
});

test("Slack announces the end of a socket and delivers for ten more seconds", async () => {
	const { clock, server, watch, opened, acknowledges, general, anna } = await place();
	const socket = await opened();
	server.sockets.open[0]?.disconnects("warning");
	await watch.until("it is said", () => socket.frames.length === 2);
	expect(socket.frames[1]).toMatchObject({ type: "disconnect", reason: "warning" });
	anna.says("Hello", { in: general });
	await watch.until("it came", () => socket.frames.length === 3);
	acknowledges(socket);
	clock.advance(9999);
	expect(socket.isOver).toBe(false);
	clock.advance(1);
	await watch.until("it is over", () => socket.isOver);
	expect(server.simulator.delivery.connections).toBe(0);
});

test("there are at most ten sockets, and none if Socket Mode is disabled", async () => {
	const { server, watch, opened } = await place();
	const sockets: Awaited<ReturnType<typeof opened>>[] = [];
	for (let n = 0; n < 10; n++) sockets.push(await opened());
	const over = await opened();
	expect(over.frames).toMatchObject([{ type: "disconnect", reason: "too_many_websockets" }]);
	await watch.until("it is over", () => over.isOver);
	server.sockets.switchOff();
	await watch.until("all are over", () => sockets.every(({ isOver }) => isOver));
	expect(sockets[0]?.frames.at(-1)).toMatchObject({ reason: "link_disabled" });
	expect(server.simulator.delivery.connections).toBe(0);
});

test("a deaf socket receives no events, and a cut one ends without a close frame", async () => {
	const { clock, server, watch, opened, general, anna } = await place();
	const socket = await opened();
	const [openSocket] = server.sockets.open;
	openSocket?.stopsReceiving();
	anna.says("Hello", { in: general });
	clock.advance(3000);
	socket.webSocket.ping();
	await new Promise((resolve) => socket.webSocket.once("pong", resolve));
	openSocket?.cut();
	await watch.until("it is over", () => socket.isOver);
	expect(socket.frames).toHaveLength(1);
});
