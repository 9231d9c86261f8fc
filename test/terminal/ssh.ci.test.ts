import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { createReadStream, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, type TestContext, test } from "vitest";
import { documented } from "../docs/shell-blocks.ts";
import { binary, choosePort } from "../gateway-process.ts";
import { Screen } from "./screen.ts";
import { Setup } from "./setup.ts";
import { hasSshServer, SshServer } from "./ssh-server.ts";

const isInstalled = hasSshServer();
const bin = fileURLToPath(new URL("../../bin", import.meta.url));
let setup: Setup;
let server: SshServer;
let programs: string;
/** Path of a pipe that has a writer as long as a Parley command runs on the server. */
let running: string;
const screens: Screen[] = [];
const opened = new AsyncDisposableStack();

beforeAll(async () => {
	if (!isInstalled) return;
	setup = await Setup.open();
	opened.defer(() => setup.close());
	const directory = join(setup.root, "ssh");
	programs = join(directory, "remote");
	running = join(directory, "running");
	mkdirSync(programs, { recursive: true, mode: 0o700 });
	execFileSync("mkfifo", [running]);
	const command = `exec 9<> '${running}'\nexec '${process.execPath}' '${binary}' "$@"\n`;
	writeFileSync(join(programs, "parley"), `#!/bin/sh\n${command}`, { mode: 0o755 });
	const PATH = [programs, dirname(process.execPath), process.env["PATH"]].join(delimiter);
	server = opened.use(await SshServer.start(directory, await choosePort(), { ...setup.environment, PATH }));
	opened.defer(() => {
		for (const screen of screens) screen.close();
	});
});

afterAll(() => opened.disposeAsync());

function testHere(title: string, check: (context: TestContext) => Promise<void>): void {
	test(title, async (context) => {
		context.skip(!isInstalled, "the server of OpenSSH is not installed");
		await check(context);
	});
}

/** Runs `script` in a terminal. In it, `ssh THE-MACHINE` connects to the server. */
function atTerminal(script: string): Screen {
	const PATH = [server.path, dirname(process.execPath), bin].join(delimiter);
	const env = { PATH, HOME: setup.root };
	const screen = new Screen({ program: "sh", args: ["-c", script], cwd: setup.work, env });
	screens.push(screen);
	return screen;
}

const otherMachine = "bwrap --dev-bind / / --unshare-net --unshare-pid --proc /proc --die-with-parent --";
const states = "; echo code $?; stty -a | tr ';' '\\n'";

/** Requires the usual modes of the local terminal. The remote program must have disabled its own modes. */
function expectRestored({ text, received }: Screen): void {
	expect(text).toMatch(/ icanon /);
	expect(text).toMatch(/ echo /);
	for (const [on, off] of [
		["\u001b[?2004h", "\u001b[?2004l"],
		["\u001b[?25l", "\u001b[?25h"],
	] as const)
		expect(received.lastIndexOf(off)).toBeGreaterThanOrEqual(received.lastIndexOf(on));
}

testHere("over ssh, messages, a resize, Ctrl-C and the end work as at a local terminal", async () => {
	const block = documented("terminal: ssh -t THE-MACHINE parley chat").trim();
	const chat = atTerminal(`${block}${states}`);
	await chat.rests("session sess_");
	await chat.enter("say: hello over ssh");
	await chat.rests("[offline] hello over ssh");
	chat.resize(40, 24);
	const words = Array.from({ length: 12 }, (_, index) => `wonderful${index}`);
	await chat.enter(`say: ${words.join(" ")}`);
	await chat.rests("wonderful11");
	// With the old width, the terminal would break the row inside a word.
	const reply = chat.text.slice(chat.text.lastIndexOf("[offline]"));
	for (const word of words) expect(reply).toContain(word);
	await chat.enter("long: 2000 tokens at 20 per second");
	await chat.shows("t10");
	chat.type("\u0003");
	await chat.shows("cancelled");
	await chat.rests("›");
	chat.resize(120, 40);
	chat.type("\u0004");
	expect(await chat.ended()).toBe(0);
	expect(chat.received).toContain("code 0\r\n");
	expectRestored(chat);
});

testHere(
	"after a broken connection, the turn continues, no process is left, and the session is resumed",
	async () => {
		const reader = createReadStream(running);
		const pipeEnd = once(reader.resume(), "end");
		const chat = atTerminal(`ssh -t THE-MACHINE parley chat${states}`);
		await chat.rests("session sess_");
		const [session = ""] = /sess_[0-9a-z]{26}/.exec(chat.text) ?? [];
		await chat.enter("long: 60 tokens at 20 per second");
		await chat.shows("t5");
		expect(reader.readableEnded).toBe(false);
		// The client's escape sequence closes the connection immediately.
		chat.type("\r~.");
		expect(await chat.ended()).toBe(0);
		expect(chat.received).toContain("code 255\r\n");
		await pipeEnd;
		const reconnected = atTerminal(`ssh -t THE-MACHINE parley chat --session ${session}${states}`);
		await reconnected.rests("t60");
		expect(reconnected.text).not.toContain("cancelled");
		await reconnected.enter("say: still here");
		await reconnected.rests("[offline] still here");
		reconnected.type("\u0004");
		expect(await reconnected.ended()).toBe(0);
		expectRestored(reconnected);
	},
);

testHere("through the documented tunnel, a chat reaches the gateway with its token", async () => {
	const port = String(setup.gateway.port);
	const token = readFileSync(join(setup.data, "tokens/operator"), "utf8").trim();
	const block = documented("remote: ssh -N -L 7777:127.0.0.1:7777 THE-MACHINE", [
		// The tunnel runs in the background, because the page uses a separate terminal for it.
		["ssh -N", "ssh -f -N"],
		["7777", port],
		["gw_operator_…", token],
	]);
	// Another machine has its own network, so the port is free there.
	const chat = atTerminal(`exec ${otherMachine} sh -c '${block}'`);
	await chat.rests("session sess_");
	await chat.enter("say: through the tunnel");
	await chat.rests("[offline] through the tunnel");
	chat.type("\u0004");
	expect(await chat.ended()).toBe(0);
});
