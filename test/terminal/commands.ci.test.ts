import { once } from "node:events";
import { truncateSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { expect } from "vitest";
import { ask, GoClient, valueless } from "../conformance/go-client.ts";
import { test } from "./terminal-test.ts";

const interrupt = "\u0003";
/** Default port of Ozzie clients. */
const ozziePort = 18_420;

test("ask prints the answer, and requests approvals at the terminal", async ({ setup }) => {
	const ask = setup.run("ask", "run: echo hi\nrun: echo you");
	await ask.shows("session: sess_");
	await ask.shows("y yes · n no");
	await ask.enter("y");
	await ask.shows("Allow run echo you?");
	await ask.enter("n");
	expect(await ask.ended()).toBe(0);
	expect(setup.normalise(ask.text)).toMatch(
		/▸ run_command cmd: echo hi\nAllow run echo hi\?\n.*\n {2}✓ yes\n {2}↳ .*hi\n\[offline\].*\n {2}✗ no\n/s,
	);
});

test("ask -y runs without approval, and ask --session continues a session", async ({ setup }) => {
	const first = setup.run("ask", "-y", "write: a.txt <<< one");
	expect(await first.ended()).toBe(0);
	expect(first.text).not.toContain("Allow");
	const [session = ""] = /sess_[0-9a-z]{26}/.exec(first.text) ?? [];
	const second = setup.run("ask", "--session", session, "say: again");
	expect(await second.ended()).toBe(0);
	expect(second.text).toContain(`session: ${session}\n[offline] again`);
});

test("ask --file sends files, and names one that cannot be sent", async ({ setup }) => {
	writeFileSync(join(setup.work, "notes.md"), "# one\n");
	writeFileSync(join(setup.work, "large.bin"), "");
	truncateSync(join(setup.work, "large.bin"), 33 * 1024 * 1024);
	const ask = setup.run("ask", "read: attachments/notes.md", "--file", "notes.md");
	expect(await ask.ended()).toBe(0);
	expect(ask.text).toContain("# one");
	const large = setup.run("ask", "say: hi", "--file", "notes.md", "-f", "large.bin");
	expect(await large.ended()).toBe(1);
	expect(large.text.replaceAll("\n", "")).toContain("large.bin: the file is larger than");
	const missing = setup.run("ask", "say: hi", "-f", "missing.md");
	expect(await missing.ended()).toBe(2);
	expect(missing.text).toContain("cannot read the file");
	expect(missing.text.replaceAll("\n", "")).toContain("missing.md");
});

test("Ctrl-C cancels the run, also at a question", async ({ setup }) => {
	const ask = setup.run("ask", "long: 1000 tokens at 50 per second");
	await ask.shows("[offline]");
	ask.type(interrupt);
	expect(await ask.ended()).toBe(130);
	expect(ask.text).toContain("parley: cancelled");
	const question = setup.run("ask", "secret: key");
	await question.shows("password (hidden) ›");
	question.type(`hunter2${interrupt}`);
	expect(await question.ended()).toBe(130);
	expect(question.received).not.toContain("hunter2");
});

test("a run that fails ends ask with its reason and code 1", async ({ setup }) => {
	const ask = setup.run("ask", "fail: out of ideas");
	expect(await ask.ended()).toBe(1);
	expect(ask.text).toContain("parley: out of ideas");
});

test("status, sessions and stop report the state", async ({ setup }) => {
	await setup.replaceData();
	const status = setup.run("status");
	expect(await status.ended()).toBe(0);
	expect(status.text).toMatch(/^status {4}running\nversion .*\nmodel {5}offline\n/);
	const sessions = setup.run("sessions");
	expect(await sessions.ended()).toBe(0);
	expect(sessions.text).toBe("No sessions. Start one with `parley chat`.");
	const stop = setup.run("stop");
	expect(await stop.ended()).toBe(0);
	expect(stop.text).toMatch(
		/^stopping process \d+; .*\nthe gateway at http:\/\/127\.0\.0\.1:\d+ has stopped$/,
	);
	const after = setup.run("status");
	expect(await after.ended()).toBe(1);
	expect(after.text).toContain("no gateway is running on the data directory");
	const secondStop = setup.run("stop");
	expect(await secondStop.ended()).toBe(0);
});

test("start prints next steps, explains a second start, and ends on Ctrl-C", async ({ setup }) => {
	await setup.replaceData();
	const second = setup.run("start", "--listen", "127.0.0.1:0");
	expect(await second.ended()).toBe(1);
	// The terminal wraps this text, at a position that depends on the number of digits.
	expect(second.text.replaceAll("\n", "")).toMatch(
		/^Parley is already running: process \d+, at http:\/\/127\.0\.0\.1:\d+, with the data in /,
	);
	await setup.killGateway();
	const start = setup.run("start", "--listen", "127.0.0.1:0");
	await start.shows("Press Ctrl-C to stop");
	expect(start.text).toMatch(
		/^model: offline \(no API key\): set ANTHROPIC_API_KEY to use Claude\nparley listening on http:\/\/127\.0\.0\.1:\d+\n/,
	);
	start.type(interrupt);
	expect(await start.ended()).toBe(0);
});

test("start --ozzie listens on the port of Ozzie clients, and gives advice if that port is in use", async ({
	setup,
	skip,
}) => {
	await setup.replaceData();
	await setup.killGateway();
	const other = createServer().listen(ozziePort, "127.0.0.1");
	const isFree = await once(other, "listening").then(
		() => true,
		() => false,
	);
	const refused = setup.run("start", "--listen", "127.0.0.1:0", "--ozzie");
	expect(await refused.ended()).not.toBe(0);
	expect(refused.text).toContain(`cannot listen on 127.0.0.1:${ozziePort}: another program`);
	expect(refused.text).toMatch(/start\s+without\s+--ozzie/);
	if (!isFree) return skip(`another program listens on port ${ozziePort}`);
	other.close();
	await once(other, "close");
	const start = setup.run("start", "--listen", "127.0.0.1:0", "--ozzie");
	await start.shows("Press Ctrl-C to stop");
	expect(start.text).toMatch(
		new RegExp(
			`^parley listening on http://127\\.0\\.0\\.1:\\d+\nparley listening on http://127\\.0\\.0\\.1:${ozziePort}$`,
			"m",
		),
	);
	expect(start.text).toContain("Ozzie clients connect without options");
	await using client = await GoClient.dial(`http://127.0.0.1:${ozziePort}/api/ws`);
	await client.call("open_session", { root_dir: setup.work });
	expect((await ask(client, "say: hello", valueless(true))).printed).toBe("[offline] hello\n");
	start.type(interrupt);
	expect(await start.ended()).toBe(0);
});

test("a second signal ends a busy gateway", async ({ setup }) => {
	await setup.replaceData();
	const ask = setup.run("ask", "long: 100000 tokens at 50 per second");
	await ask.shows("[offline]");
	const gateway = setup.gateway;
	gateway.kill("SIGTERM");
	await gateway.line("stopping");
	gateway.kill("SIGTERM");
	expect(await gateway.exited).toEqual({ code: 143, signal: null });
});
