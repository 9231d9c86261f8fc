import { spawn } from "node:child_process";
import { ParleyError } from "@parley/base";
import { pacedNow } from "@parley/base/testing";
import { expect, onTestFinished, test } from "vitest";
import { openSlack } from "./open-slack.ts";

test("closing acknowledges received events, refuses later ones, and leaves no socket", async () => {
	const open = Promise.withResolvers<undefined>();
	const { clock, simulator, sockets, client, says, opens, watch } = await openSlack();
	const one = await client({ receive: () => open.promise }).connect();
	await opens(2);
	says("one");
	await watch.until("it came", () => one.received.length === 1);
	const closing = one.port.close();
	says("two");
	open.resolve(undefined);
	await closing;
	await opens(0);
	expect([one.received, sockets.opened]).toEqual([["one"], 2]);
	// Events that arrive after the close go to the next client.
	const two = await client().connect();
	await opens(2);
	clock.advance(3000);
	await two.receives("two");
	expect(two.received).toEqual(["two"]);
	await watch.until("all is acknowledged", () => simulator.delivery.pending === 0);
	await two.port.close();
	expect(simulator.delivery.lost).toEqual([]);
});

test("closing ends immediately while Slack is silent, unavailable or limits requests", async () => {
	const { clock, simulator, sockets, client, opens, watch } = await openSlack();
	sockets.greets = false;
	const silent = await client().connect();
	await watch.until("two were opened", () => sockets.opened === 2);
	await silent.port.close();
	const forever = new Promise<void>(() => undefined);
	for (const _ of [1, 2]) simulator.network.next("apps.connections.open", { until: forever });
	const pendingClient = await client().connect();
	await watch.until("both have asked", () => simulator.network.pending === 0);
	await pendingClient.port.close();
	simulator.network.next("auth.test", { until: forever });
	const first = client();
	const connecting = first.connect();
	await watch.until("it has asked", () => simulator.network.pending === 0);
	await first.port.close();
	await connecting;
	simulator.network.next("auth.test", { drop: "before" });
	const waiting = client();
	const lost = waiting.connect();
	await waiting.reaches("lost");
	await waiting.port.close();
	await lost;
	expect([silent.links, pendingClient.links, first.links, waiting.states]).toEqual([[], [], [], ["lost"]]);
	await opens(0);
	expect([sockets.opened, clock.pending]).toEqual([2, 0]);
});

test("open calls have five more seconds after the end", async () => {
	const { clock, simulator, general, client, opens, watch } = await openSlack();
	const one = await client().connect();
	await opens(2);
	const forever = new Promise<void>(() => undefined);
	simulator.network.next("chat.postMessage", { until: forever });
	const call = { method: "chat.postMessage", args: { channel: general.id, text: "Hello" } };
	const posting = one.port.call(call).catch(ParleyError.from);
	await watch.until("it has asked", () => simulator.network.pending === 0);
	await one.port.close();
	expect(await one.port.call(call)).toMatchObject({ type: "ok" });
	clock.advance(5000);
	expect(await posting).toMatchObject({ code: "unavailable" });
});

test("a process that has closed its port ends", async () => {
	const { simulator, server, watch, sockets, says, opens } = await openSlack();
	const program = new URL("lone-client.ts", import.meta.url).pathname;
	const child = spawn(process.execPath, [program, server.apiUrl, simulator.token, simulator.appToken]);
	onTestFinished(() => void child.kill("SIGKILL"));
	let output = "";
	const ended = new Promise((resolve) => child.once("exit", resolve));
	child.stdout.setEncoding("utf8").on("data", (text: string) => {
		output += text;
		watch.notify();
	});
	await watch.until("it is connected", () => sockets.open.length === 2);
	await opens(2);
	says("hello");
	await watch.until("it has received the event", () => output.includes("hello"));
	child.stdin.end();
	await watch.until("it has closed", () => output.includes("closed"));
	const before = performance.now();
	expect(await ended).toBe(0);
	expect(performance.now() - before).toBeLessThan(pacedNow(3_000));
	await opens(0);
});
