import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import type { Screen } from "./screen.ts";
import { Setup } from "./setup.ts";
import { test as terminalTest } from "./terminal-test.ts";

const interrupt = "\u0003";
const endOfInput = "\u0004";

interface Fixtures {
	/** Compares the screen with the golden file of this name. */
	readonly golden: (screen: Screen, name: string) => Promise<void>;
}

const test = terminalTest.extend<Fixtures>({
	golden: async ({ setup }, use) => {
		await use(async (screen, name) => {
			await expect(setup.normalise(screen.text)).toMatchFileSnapshot(`./screens/${name}.txt`);
		});
	},
});

test("a reply is streamed and the next message can be typed", async ({ setup, golden }) => {
	const chat = await setup.chat();
	await chat.enter("long: 60 tokens at 40 per second");
	await chat.until("the turn runs", () =>
		/^[\u2800-\u28ff] working · \d+ tokens · \d+ s · Ctrl-C cancels$/m.test(chat.text),
	);
	await chat.rests("t60");
	await golden(chat, "stream");
});

test("Markdown is laid out, with colours in code", async ({ setup, golden }) => {
	const page =
		"\n# Title\n\nA **bold** word, and a [link](https://example.com).\n\n- one\n- two\n\n```ts\nconst a = 1;\n```\n";
	writeFileSync(join(setup.work, "page.md"), page);
	const chat = await setup.chat();
	await chat.enter("run: cat page.md");
	await chat.shows("y yes · n no");
	await chat.enter("y");
	await chat.rests("run_command returned:");
	await golden(chat, "markdown");
	expect(chat.received).toContain("\u001b[35mconst\u001b[39m a = \u001b[33m1\u001b[39m");
});

test.for([40, 300])(
	"replies and the typed line fit %i columns, without colours",
	async (columns, { setup }) => {
		const row = "a sentence that is longer than one row of a narrow terminal";
		writeFileSync(
			join(setup.work, "page.md"),
			`\n- **${row}**\n\n| name | text |\n| --- | --- |\n| one | ${row} |\n`,
		);
		const chat = setup.runWith({ NO_COLOR: "1" }, "chat");
		chat.resize(columns, 24);
		await chat.rests("session sess_");
		await chat.enter("run: cat page.md");
		await chat.shows("y yes · n no");
		await chat.enter("y");
		await chat.rests("one");
		await chat.shows(
			columns === 40
				? "• **a sentence that is longer than one\n  row of a narrow terminal**"
				: `• **${row}**`,
		);
		await chat.shows(columns === 40 ? "name: one\ntext: a sentence" : `name  text\none   ${row}`);
		// Escape sequences for colors and styles end with "m".
		expect(chat.received.split("\u001b[").filter((part) => /^[\d;]*m/.test(part))).toEqual([]);
	},
);

test("thinking is folded, and Ctrl-O shows it with complete results of tools", async ({ setup }) => {
	const chat = await setup.chat();
	await chat.enter("think: first things first\\");
	await chat.enter("run: seq 30");
	await chat.shows("y yes · n no");
	expect(chat.text).toMatch(/^· thought(?: for \d+ s)? · Ctrl-O shows all$/m);
	await chat.enter("y");
	await chat.rests("29\n30");
	chat.type("\u000f");
	await chat.shows("q closes");
	expect(chat.text).toContain("29\n30\n");
	chat.type("\u001b[H");
	await chat.shows("first things first");
	expect(chat.text).toContain("Tool call: run_command\nArguments:");
	chat.type("q");
	await chat.rests("29\n30");
	await chat.enter("/open 2");
	await chat.rests("Thinking\nfirst things first");
});

test("the output of a command is shown while it runs", async ({ setup }) => {
	const chat = await setup.chat();
	await chat.enter("run: mkfifo gate; seq 9; read -r line < gate; echo passed");
	await chat.shows("y yes · n no");
	await chat.enter("y");
	await chat.shows("  │ 5\n  │ 6\n  │ 7\n  │ 8\n  │ 9");
	expect(chat.text).toMatch(/^[\u2800-\u28ff] running run_command · /m);
	writeFileSync(join(setup.work, "gate"), "go\n");
	await chat.rests("passed");
	expect(chat.text).not.toContain("│");
});

test("a pasted or typed path of an image sends the image, but not a path in a pasted text", async ({
	setup,
}) => {
	const pixel =
		"iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
	writeFileSync(join(setup.work, "pixel.png"), Buffer.from(pixel, "base64"));
	const chat = await setup.chat();
	const [session = ""] = /sess_[0-9a-z]{26}/.exec(chat.text) ?? [];
	chat.type(`say: see \u001b[200~${join(setup.work, "pixel.png")}\u001b[201~`);
	await chat.until("it is typed", () => chat.typed === "› say: see [image 1: pixel.png]");
	chat.type("\r");
	await chat.rests("[offline] see");
	const path = join(setup.work, "pixel.png");
	await chat.enter("say: again @pixel.png.");
	await chat.rests("[offline] again");
	expect(chat.text.replaceAll("\n", " ")).toContain("sends the image /");
	chat.type(`say: a letter \u001b[200~with @${path} in it\u001b[201~`);
	await chat.until("it is typed", () => chat.typed.endsWith("in it"));
	chat.type("\r");
	await chat.rests("[offline] a letter");
	expect(chat.text.replaceAll("\n", " ")).toContain("the image /");
	const shown = setup.run("sessions", "show", session);
	await shown.shows("a letter");
	expect(shown.text.split("+ pixel.png")).toHaveLength(3);
});

test("with --plain, the chat does not redraw, and Ctrl-C exits", async ({ setup }) => {
	const chat = setup.run("chat", "--plain");
	await chat.shows("Ctrl-C cancels the running turn");
	chat.type("run: echo hi\r");
	await chat.shows("y yes · n no");
	chat.type("y\r");
	await chat.shows("[offline] run_command returned:\nhi");
	chat.type("/usage\r");
	await chat.shows("CACHED");
	chat.type(interrupt);
	expect(await chat.ended()).toBe(0);
	expect(chat.received).not.toContain("\u001b[");
});

test("with TERM=dumb, the chat prints lines and does not redraw", async ({ setup }) => {
	const chat = setup.runWith({ TERM: "dumb" }, "chat");
	await chat.shows("Ctrl-C cancels the running turn");
	chat.type("say: hello\r");
	await chat.shows("[offline] hello");
	chat.type("!touch typed\r");
	await chat.shows("are not run with --plain");
	chat.type(endOfInput);
	expect(await chat.ended()).toBe(0);
	expect(chat.received).not.toContain("\u001b[");
	expect(existsSync(join(setup.work, "typed"))).toBe(false);
});

test("with --plain, a password is hidden, and Ctrl-C ends the question", async ({ setup }) => {
	const chat = setup.run("chat", "--plain");
	await chat.shows("Ctrl-C cancels the running turn");
	chat.type("secret: API key\r");
	await chat.shows("password (hidden) ›");
	chat.type("hunter-two\r");
	await chat.shows("secret:pw_");
	chat.type("secret: Other key\r");
	await chat.until("it asks again", () => chat.text.split("password (hidden) ›").length === 3);
	chat.type("half");
	chat.type(interrupt);
	await chat.shows("the question is closed: cancelled");
	chat.type("say: shown\r");
	await chat.shows("[offline] shown");
	// At the end of input, the chat exits after the turn. Ctrl-C would cancel an active turn.
	chat.type(endOfInput);
	expect(await chat.ended()).toBe(0);
	expect(chat.received).not.toMatch(/hunter|half/);
});

test("lines can be edited, earlier messages recalled, and file names completed", async ({ setup }) => {
	writeFileSync(join(setup.work, "unusual-name.txt"), "content");
	const first = await setup.chat();
	await first.enter("say: a rare message");
	await first.rests("[offline] a rare message");
	const chat = await setup.chat();
	chat.type("one\u001b\rtwo\u001b[A!");
	await chat.until("the first line is edited", () => chat.typed === "› one!");
	chat.type("\u0005\u0015\u001b[B\u0015\u007f\u0012");
	await chat.shows("search ›");
	chat.type("rare");
	await chat.shows("say: a rare message");
	chat.type("\r");
	await chat.until("it is found", () => chat.typed === "› say: a rare message");
	chat.type("\u0015read: @unus\t");
	await chat.until("it is completed", () => chat.typed === "› read: @unusual-name.txt ");
	chat.type("\u0015");
	await chat.enter("/resume");
	await chat.rests("▸");
	await chat.enter("/resume 2");
	await chat.until("the other session is open", () => chat.text.split("session sess_").length === 3);
	await chat.rests("[offline] a rare message");
});

test("a copy of the session continues without the last message", async ({ setup }) => {
	const chat = await setup.chat();
	await chat.enter("say: a first message");
	await chat.rests("[offline] a first message");
	await chat.enter("run: echo hi");
	await chat.shows("y yes · n no");
	await chat.enter("/fork -1");
	await chat.shows("up to message 1");
	await chat.enter("say: from the copy");
	await chat.rests("[offline] from the copy");
});

test("commands work while an approval is open", async ({ setup }) => {
	const chat = await setup.chat();
	await chat.enter("run: echo hi");
	await chat.shows("y yes · n no");
	await chat.enter("/usage");
	await chat.shows("CACHED");
	chat.type("/us\t");
	await chat.until("it is completed", () => chat.typed.endsWith("/usage "));
	chat.type("\u0015n\r");
	await chat.rests("run_command failed:");
});

test("the last row shows the model, the sandbox and the directory", async ({ setup }) => {
	const chat = await setup.chat();
	await chat.shows("offline · sandbox off · ~");
	chat.resize(40, 24);
	await chat.shows("offline · sandbox off · ~");
	chat.resize(20, 24);
	await chat.until("it is shorter", () => chat.text.endsWith("\noffline · ~"));
});

test("a tool that is approved runs", async ({ setup, golden }) => {
	const chat = await setup.chat();
	await chat.enter("run: echo hi");
	await chat.shows("y yes · n no");
	await golden(chat, "approval");
	await chat.enter("y");
	await chat.rests("run_command returned:");
	await golden(chat, "approved");
});

test("a tool that is denied does not run, and the reason reaches the model", async ({ setup, golden }) => {
	const chat = await setup.chat();
	await chat.enter("write: denied.txt <<< text");
	await chat.shows("y yes · n no");
	await chat.enter("maybe");
	await chat.shows("answer y, n, or s");
	await chat.enter("n wrong file");
	await chat.rests("write_file failed:");
	expect(existsSync(join(setup.work, "denied.txt"))).toBe(false);
	await golden(chat, "denied");
});

test("a tool that is approved for the session needs no further approval", async ({ setup, golden }) => {
	const chat = await setup.chat();
	await chat.enter("write: a.txt <<< one\\ntwo");
	await chat.shows("s for this session");
	await chat.enter("s");
	await chat.rests("write_file returned:");
	await chat.enter("write: a.txt <<< one\\nthree");
	await chat.until("the second reply", () => chat.text.split("write_file returned:").length === 3);
	await chat.rests("write_file returned:");
	expect(readFileSync(join(setup.work, "a.txt"), "utf8")).toBe("one\nthree");
	await golden(chat, "for-this-session");
});

test("approvals of several calls of one reply are requested in a list, and each answer applies to one call", async ({
	setup,
}) => {
	const chat = await setup.chat();
	const calls = ["one.txt", "two.txt", "three.txt"].map((path) => `write: ${path} <<< text`);
	chat.type(`\u001b[200~${calls.join("\r& ")}\u001b[201~`);
	await chat.until("it is typed", () => chat.typed.endsWith("three.txt <<< text"));
	chat.type("\r");
	await chat.shows("Allow write one.txt?");
	await chat.enter("y");
	await chat.shows("Allow write two.txt?");
	await chat.enter("n");
	await chat.shows("Allow write three.txt?");
	await chat.enter("y");
	await chat.rests("write_file failed:");
	expect(["one.txt", "two.txt", "three.txt"].map((path) => existsSync(join(setup.work, path)))).toEqual([
		...[true, false, true],
	]);
});

test("Ctrl-C cancels the running turn, and ends the idle chat when pressed twice", async ({ setup }) => {
	const chat = await setup.chat();
	await chat.enter("long: 1000 tokens at 50 per second");
	await chat.shows("[offline]");
	chat.type(interrupt);
	await chat.rests("cancelled");
	chat.type(interrupt);
	await chat.shows("press Ctrl-C again to leave");
	chat.type(interrupt);
	expect(await chat.ended()).toBe(0);
});

test("messages that are typed during a turn wait, and their position is shown", async ({ setup }) => {
	const chat = await setup.chat();
	await chat.enter("long: 1000 tokens at 50 per second");
	await chat.shows("[offline]");
	await chat.enter("say: second");
	await chat.shows("queued (1): say: second");
	await chat.enter("say: third");
	await chat.shows("queued (2): say: third");
	chat.type(interrupt);
	await chat.rests("[offline] third");
	expect(setup.normalise(chat.text)).toMatch(
		/cancelled\n\n› say: second\n\[offline\] second\n\n› say: third\n/,
	);
});

test("typed text does not answer a question that arrives later", async ({ setup, golden }) => {
	const chat = await setup.chat();
	await chat.enter("long: 40 tokens at 40 per second\\");
	await chat.enter("run: echo hi");
	await chat.shows("[offline]");
	chat.type("say: y");
	await chat.shows("a question is open");
	await golden(chat, "question-waits");
	chat.type("\r");
	await chat.shows("y yes · n no");
	await chat.shows("queued (1): say: y");
	await chat.enter("n");
	await chat.rests("[offline] y");
});

test("wide characters are wrapped at the edge and edited as visible characters", async ({
	setup,
	golden,
}) => {
	const chat = await setup.chat();
	await chat.enter(`say: ${"日本語のテキスト".repeat(9)} und 🙂 ${"emoji ".repeat(12)}`.trimEnd());
	// The typed message contains the same text, so the test waits for the label of the answer.
	await chat.rests("[offline]");
	chat.type("日本語\u007f\u007f!");
	await chat.until("the line was edited", () => chat.typed === "› 日!");
	await golden(chat, "wide");
});

test("the screen is redrawn after a change of its width", async ({ setup, golden }) => {
	const chat = await setup.chat();
	await chat.enter("say: The quick brown fox jumps over the lazy dog, again and again and again.");
	await chat.rests("[offline]");
	chat.type("a line that is longer than a narrow terminal is wide");
	await chat.shows("is wide");
	chat.resize(40, 24);
	await chat.shows("  erminal is wide");
	await golden(chat, "narrow");
	chat.resize(100, 24);
	await chat.shows("a narrow terminal is wide");
	await golden(chat, "wider");
});

test("a pasted text of any length is one message", async ({ setup }) => {
	const chat = await setup.chat();
	chat.type(`\u001b[200~say: one\r${"ignored ".repeat(5000)}\rsay: two\u001b[201~`);
	await chat.until("it is typed", () => chat.typed.endsWith("say: two"));
	chat.type("\r");
	await chat.rests("[offline] one");
	expect(chat.text).toContain("say: two\n[offline] one\n\ntwo\n");
});

test("a password is never on the screen", async ({ setup, golden }) => {
	const chat = await setup.chat();
	await chat.enter("secret: API key");
	await chat.shows("password (hidden) ›");
	chat.type("hunter2");
	await chat.shows("*******");
	await golden(chat, "password");
	chat.type("\r");
	await chat.rests("ask_user returned:");
	chat.type("\u001b[A");
	await chat.until("the message is recalled", () => chat.typed === "› secret: API key");
	expect(chat.received).not.toContain("hunter2");
});

test("one or several options are chosen by their numbers, and a text is typed", async ({ setup, golden }) => {
	const chat = await setup.chat();
	await chat.enter("choose: tea | coffee");
	await chat.shows("number ›");
	await chat.enter("3");
	await chat.shows("answer with 1 or 2");
	await chat.enter("2");
	await chat.rests("ask_user returned:");
	await chat.enter("pick: red | green | blue");
	await chat.shows("numbers, like 1,3 ›");
	await chat.enter("1, 3");
	await chat.rests('["red","blue"]');
	await chat.enter("ask: What is your name?");
	await chat.shows("answer ›");
	await chat.enter("Ada");
	await chat.rests("returned:\nAda");
	await golden(chat, "choices");
});

test("the chat continues after the gateway was killed", async ({ setup, golden }) => {
	const chat = await setup.chat();
	await chat.enter("run: echo hi");
	await chat.shows("y yes · n no");
	await setup.killGateway();
	await chat.shows("connection lost");
	await setup.startGateway();
	await chat.shows("connected again");
	await chat.enter("y");
	await chat.rests("run_command returned:");
	await golden(chat, "reconnect");
});

test("a reply that a crash interrupts is shown once, from its start to its end", async ({ setup }) => {
	const chat = await setup.chat();
	await chat.enter("long: 60 tokens at 30 per second");
	await chat.shows("t10 ");
	await setup.killGateway();
	await chat.shows("connection lost");
	await setup.startGateway();
	await chat.rests(" t60");
	const words = chat.text.match(/\bt\d+\b/g);
	expect(words).toEqual(Array.from({ length: 60 }, (_, index) => `t${index + 1}`));
});

test("two terminals in one session show the same, and either may answer", async ({ setup }) => {
	const first = await setup.chat();
	const [session = ""] = /sess_[0-9a-z]{26}/.exec(first.text) ?? [];
	const second = await setup.chat("--session", session);
	await first.enter("run: echo hi");
	await second.shows("› run: echo hi");
	await second.shows("y yes · n no");
	await first.shows("y yes · n no");
	await second.enter("n not now");
	await first.rests("✗ no (answered elsewhere)");
	await second.rests("✗ no: not now");
	await second.rests("run_command failed:");
});

test("a chat without a message leaves no session, and so names none to continue", async ({ setup }) => {
	const unused = await setup.chat();
	unused.type("\u0004");
	expect(await unused.ended()).toBe(0);
	expect(unused.text).not.toContain("to continue this session");
	const used = await setup.chat();
	await used.enter("say: hello");
	await used.rests("[offline] hello");
	used.type("\u0004");
	expect(await used.ended()).toBe(0);
	expect(used.text).toContain("to continue this session");
	const continued = await setup.chat("-c");
	await continued.rests("[offline] hello");
});

test("commands start, list and explain sessions, and a session can be continued", async ({
	setup,
	golden,
}) => {
	await setup.replaceData();
	const chat = await setup.chat();
	await chat.enter("say: first");
	await chat.rests("[offline] first");
	const [first = ""] = /sess_[0-9a-z]{26}/.exec(chat.text) ?? [];
	await chat.enter("/new");
	await chat.until("another session", () => chat.text.split("session sess_").length === 3);
	await chat.enter("/sessions");
	await chat.rests("parley chat --session ID");
	await chat.enter("/nonsense");
	await chat.rests("Unknown command /nonsense");
	await chat.enter("/help");
	await chat.rests("declines a question");
	await golden(chat, "commands");
	await chat.enter("/quit");
	expect(await chat.ended()).toBe(0);
	const resumed = await setup.chat("--session", first);
	await resumed.rests("[offline] first");
	await resumed.shows("\nsandbox off · ~");
	await golden(resumed, "resumed");
	resumed.type("\u0004");
	expect(await resumed.ended()).toBe(0);
});

test("the answer `always` adds the rule that the approval shows, and the next call runs without approval", async () => {
	const setup = await Setup.open({ PARLEY_SANDBOX: "container" });
	try {
		const chat = await setup.chat();
		await chat.enter("run: echo one");
		await chat.shows("y yes · n no · always ›");
		expect(chat.text).toContain(
			"always adds a rule that allows run_command in all sessions and chats, with\n  network access: `echo one`, also with more arguments",
		);
		await chat.enter("a");
		await chat.shows("answer y or n");
		await chat.enter("always");
		await chat.rests("run_command returned:");
		const policy = join(setup.data, "policy.jsonc");
		expect(chat.text).toContain("✓ yes, always");
		expect(chat.text.replaceAll(/\n */g, " ")).toContain(
			`in ${policy}:3; to remove it, delete it in this file`,
		);
		expect(statSync(policy).mode & 0o777).toBe(0o600);
		await chat.enter("run: echo one two");
		await chat.rests("one two\n");
		await chat.enter("run: echo one; echo two");
		await chat.shows("Allow run echo one; echo two?");
		await chat.enter("n");
		await chat.rests("denied");
		const plain = setup.run("chat", "--plain");
		await plain.shows("Ctrl-C cancels the running turn");
		plain.type("run: echo 'a b'\r");
		await plain.shows("y yes · n no ›");
		plain.type("always\r");
		await plain.shows("no rule can allow this call");
		expect(readFileSync(policy, "utf8").match(/"allow"/g)).toHaveLength(1);
	} finally {
		await setup.close();
	}
});

test("a command after an exclamation mark runs like a command of the agent, and the agent sees it", async ({
	setup,
}) => {
	const chat = await setup.chat();
	await chat.enter("!seq 12; echo over");
	await chat.shows("Allow run seq 12; echo over?");
	await chat.enter("y");
	await chat.rests("11\n    12\n    over");
	await chat.enter("!mkfifo wall; seq 9; read -r line < wall");
	await chat.shows("y yes · n no");
	await chat.enter("y");
	await chat.shows("│ 9");
	chat.type(interrupt);
	await chat.rests("cancelled");
	await chat.enter("!echo denied");
	await chat.shows("y yes · n no");
	await chat.enter("n");
	await chat.rests("denied by the approver");
	// Pasted text with a line break is not executed, with or without bracketed paste.
	chat.type("\u001b[200~!touch pasted\r\u001b[201~");
	await chat.until("it is pasted", () => chat.text.includes("!touch pasted"));
	chat.type("\r");
	await chat.rests("must be one line");
	chat.type("!touch unmarked\r");
	await chat.shows("press Enter to run the command");
	chat.type(interrupt);
	const [session = ""] = /sess_[0-9a-z]{26}/.exec(chat.received) ?? [];
	const piped = setup.run("sessions", "show", session);
	await piped.shows("!echo denied");
	expect(existsSync(join(setup.work, "pasted"))).toBe(false);
	expect(existsSync(join(setup.work, "unmarked"))).toBe(false);
});
