import { spawnSync } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { binary } from "../gateway-process.ts";
import type { Screen } from "./screen.ts";
import { test as terminalTest } from "./terminal-test.ts";

interface Fixtures {
	/** Runs a command in its own tmux, whose only window fills the terminal. */
	readonly inTmux: (...args: readonly string[]) => Screen;
}

const test = terminalTest.extend<Fixtures>({
	inTmux: async ({ setup }, use) => {
		// Each test has its own socket, because the tmux server of the previous test may still be running.
		const directory = mkdtempSync(join(setup.root, "tmux-"));
		const [socket, file] = [join(directory, "socket"), join(directory, "tmux.conf")];
		writeFileSync(file, "set -g status off\nset -s escape-time 0\nset -g default-terminal tmux-256color\n");
		const options = ["-u", "-S", socket, "-f", file];
		await use((...args) =>
			setup.runProgram("tmux", ...options, "new-session", process.execPath, binary, ...args),
		);
		spawnSync("tmux", ["-S", socket, "kill-server"]);
	},
});

test("in tmux, replies, approvals and pages are drawn as in other terminals, also after a resize", async ({
	setup,
	inTmux,
}) => {
	writeFileSync(join(setup.work, "page.md"), "\n# Title\n\nA **bold** word.\n\n- one\n- two\n");
	const chat = inTmux("chat");
	await chat.rests("session sess_");
	await chat.enter("run: cat page.md");
	await chat.shows("y yes · n no");
	await chat.enter("y");
	await chat.rests("• one\n• two");
	expect(chat.text).toContain("Title\n");
	chat.type("\u000f");
	await chat.shows("q closes");
	chat.type("q");
	await chat.rests("• one\n• two");
	chat.resize(40, 24);
	await chat.enter("say: narrow");
	await chat.rests("[offline] narrow");
	chat.resize(120, 30);
	await chat.enter("long: 30 tokens at 40 per second");
	await chat.rests("t30");
});

test("in tmux, a pasted text is one text, and a question is answered", async ({ inTmux }) => {
	const chat = inTmux("chat");
	await chat.rests("session sess_");
	chat.type("\u001b[200~say: first\rsecond\u001b[201~");
	await chat.until("it is pasted", () => chat.typed.endsWith("second"));
	chat.type("\r");
	await chat.rests("[offline] first");
	await chat.enter("choose: tea | coffee");
	await chat.shows("number ›");
	await chat.enter("2");
	await chat.rests("coffee");
});

test("in tmux with --plain, a password is requested and never shown", async ({ inTmux }) => {
	const chat = inTmux("chat", "--plain");
	await chat.shows("Ctrl-C cancels the running turn");
	chat.type("secret: API key\r");
	await chat.shows("password (hidden) ›");
	chat.type("wrong\u0015xhunterr\u007f-two\r");
	await chat.shows("secret:pw_");
	chat.type("say: shown again\r");
	await chat.shows("[offline] shown again");
	expect(chat.received).not.toContain("hunter");
	expect(chat.text).toContain("\nsay: shown again\n");
});
