import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { createReadStream, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { paced } from "@parley/base/testing";
import { expect, onTestFinished } from "vitest";
import type { Setup } from "./setup.ts";
import { test } from "./terminal-test.ts";

const ctrlV = "\u0016";
/** A PNG of one pixel. */
const png = Buffer.from(
	"iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
	"base64",
);

const has = (program: string): boolean =>
	spawnSync("/bin/sh", ["-c", 'command -v "$1"', "sh", program]).status === 0;

function fakeXclip(setup: Setup, name: string, script: string): string {
	const directory = join(setup.root, name);
	mkdirSync(directory);
	writeFileSync(join(directory, "image.png"), png);
	writeFileSync(join(directory, "xclip"), `#!/bin/sh\ncd '${directory}'\n${script}\n`, { mode: 0o755 });
	return `${directory}:${process.env["PATH"]}`;
}

async function chatWith(setup: Setup, variables: Readonly<Record<string, string>>) {
	const chat = setup.runWith(variables, "chat");
	await chat.rests("session sess_");
	return chat;
}

test("Ctrl-V attaches the image of the clipboard, which is sent with the message", async ({ setup }) => {
	const TMPDIR = join(setup.root, "temporary");
	mkdirSync(TMPDIR);
	const PATH = fakeXclip(
		setup,
		"image",
		`case "$*" in *TARGETS*) echo image/png ;; *image/png*) cat image.png ;; *) exit 1 ;; esac`,
	);
	const chat = await chatWith(setup, { PATH, TMPDIR, DISPLAY: ":9" });
	chat.type(`look at ${ctrlV}`);
	await chat.shows("look at [image 1: clipboard-1.png]");
	await chat.enter("");
	await chat.rests("[offline]");
	const session = /sess_[0-9a-z]{26}/.exec(chat.received)?.[0] ?? "";
	const shown = setup.run("sessions", "show", session);
	await shown.shows("+ clipboard-1.png");
	chat.type("\u0004");
	await chat.ended();
	expect(readdirSync(TMPDIR).filter((name) => name.startsWith("parley-clipboard-"))).toEqual([]);
});

test("Ctrl-V pastes a text without running it, or shows why it cannot paste", async ({ setup }) => {
	const PATH = fakeXclip(
		setup,
		"text",
		`case "$*" in *TARGETS*) echo UTF8_STRING ;; *) printf '!touch pasted\\r\\nnext\\033[2J' ;; esac`,
	);
	const pasted = await chatWith(setup, { PATH, DISPLAY: ":9" });
	pasted.type(ctrlV);
	await pasted.shows("!touch pasted\n  next[2J");
	pasted.type("\r");
	await pasted.rests("must be one line");
	const empty = await chatWith(setup, { PATH: fakeXclip(setup, "empty", "exit 1"), DISPLAY: ":9" });
	empty.type(ctrlV);
	await empty.shows("the clipboard contains no image and no text");
	const none = await chatWith(setup, { DISPLAY: "" });
	none.type(ctrlV);
	await none.shows("cannot read the clipboard without a graphical session");
});

test("the chat exits while a clipboard program hangs, and stops this program", async ({ setup }) => {
	const PATH = fakeXclip(setup, "hanging", "exec 9> running; sleep 300");
	const pipe = join(setup.root, "hanging", "running");
	execFileSync("mkfifo", [pipe]);
	// Programs in the current directory must not run.
	writeFileSync(join(setup.work, "xclip"), "#!/bin/sh\ntouch planted\n", { mode: 0o755 });
	const chat = await chatWith(setup, { PATH: `:.:${PATH}`, DISPLAY: ":9" });
	const running = createReadStream(pipe);
	const pipeOutput = text(running);
	chat.type(ctrlV + ctrlV);
	await Promise.all([chat.shows("reading the clipboard…"), once(running, "open")]);
	chat.type("\u0004");
	expect(await chat.ended()).toBe(0);
	// The pipe reaches its end when the program and its child have exited.
	expect(await pipeOutput).toBe("");
	expect(chat.text).not.toContain("cannot be");
	expect(readdirSync(setup.work)).not.toContain("planted");
});

async function startXvfb(): Promise<string> {
	const server: ChildProcess = spawn("Xvfb", ["-displayfd", "3", "-nolisten", "tcp"], {
		stdio: ["ignore", "ignore", "ignore", "pipe"],
	});
	onTestFinished(async () => {
		server.kill();
		await once(server, "exit");
	});
	const output = server.stdio[3];
	if (!(output && "read" in output)) throw new Error("Xvfb has no descriptor 3");
	const [display] = await once(createInterface({ input: output }), "line");
	return `:${display}`;
}

test.skipIf(!has("xclip") || !has("Xvfb"))(
	"the real xclip (if it and Xvfb are installed) gives the image and the text of an X11 clipboard",
	async ({ setup }) => {
		const DISPLAY = await startXvfb();
		const file = join(setup.root, "copied");
		const env = { ...process.env, DISPLAY };
		const copy = async (type: string, content: Buffer): Promise<void> => {
			writeFileSync(file, content);
			const args = ["-selection", "clipboard", "-t", type];
			execFileSync("xclip", [...args, "-i", file], { env, stdio: "ignore" });
			// xclip sets the clipboard in a background process. Until that process has set the clipboard, the clipboard has
			// its earlier content.
			const read = () => spawnSync("xclip", [...args, "-o"], { env, timeout: paced(5_000) }).stdout;
			await expect.poll(read).toEqual(content);
		};
		await copy("image/png", png);
		const chat = await chatWith(setup, { DISPLAY });
		chat.type(ctrlV);
		await chat.shows("[image 1: clipboard-1.png]");
		await copy("UTF8_STRING", Buffer.from("plain words"));
		chat.type(ctrlV);
		await chat.shows("[image 1: clipboard-1.png]plain words");
	},
);
