import { spawn } from "node:child_process";
import { expect, onTestFinished, test } from "vitest";
import { hiddenHost, hide } from "./hidden-server.ts";
import { openSlack } from "./open-slack.ts";

test("calls and sockets use the proxy of the environment, and leave no connection open", async () => {
	const { simulator, server, watch, sockets, says, opens } = await openSlack();
	const hidden = await hide(Number(new URL(server.apiUrl).port), () => watch.notify());
	const { state } = simulator;
	state.socketUrl = () => sockets.address(hiddenHost).replace(/^ws:/, "wss:");
	const program = new URL("lone-client.ts", import.meta.url).pathname;
	const child = spawn(
		process.execPath,
		[program, `https://${hiddenHost}/api/`, simulator.token, simulator.appToken],
		{ env: { ...process.env, ...hidden.environment }, stdio: ["pipe", "pipe", "inherit"] },
	);
	onTestFinished(() => void child.kill("SIGKILL"));
	let output = "";
	const ended = new Promise((resolve) => child.once("exit", resolve));
	child.stdout.setEncoding("utf8").on("data", (text: string) => {
		output += text;
		watch.notify();
	});
	await opens(2);
	says("hello");
	await watch.until("it has received the event", () => output.includes("hello"));
	expect(new Set(hidden.tunnels)).toEqual(new Set([`${hiddenHost}:443`]));
	const [first] = sockets.open;
	first?.disconnects("refresh_requested");
	await watch.until("there is another one", () => sockets.opened === 3);
	child.stdin.end();
	await watch.until("it has closed", () => output.includes("closed"));
	expect(await ended).toBe(0);
	await watch.until("no connection is left", () => hidden.open === 0);
});
