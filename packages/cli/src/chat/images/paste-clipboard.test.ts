import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { ManualClock } from "@parley/base/testing";
import { expect, onTestFinished, test } from "vitest";
import { FakeClient, FakeSession } from "../../testing/fake-session.ts";
import { createStyles } from "../../text/styles.ts";
import { clipboardTexts } from "../../texts/chat/clipboard.ts";
import { Chat } from "../chat.ts";
import { Keyboard } from "../keyboard.ts";
import type { Clipboard, ClipboardImage } from "./clipboard.ts";
import { ClipboardFiles, pasteClipboard } from "./paste-clipboard.ts";
import { PastedImages } from "./pasted-images.ts";

const image: ClipboardImage = { kind: "image", bytes: Buffer.from("image"), extension: "png" };

function directory(): string {
	const root = mkdtempSync(join(tmpdir(), "parley-paste-"));
	onTestFinished(() => rmSync(root, { recursive: true }));
	return root;
}

/** Creates a chat with this clipboard. `press` also completes all work that needs no external event. */
function chatWith(cwd: string, read: () => Promise<Clipboard>) {
	const client = new FakeClient();
	const rows: string[] = [];
	const clipboard = { read, store: async () => join(cwd, "clipboard-1.png") };
	const chat = new Chat({
		client,
		session: new FakeSession("sess_1"),
		clock: new ManualClock(),
		openNew: async () => new FakeSession("sess_2"),
		openExisting: async (id) => new FakeSession(id),
		images: { cwd, directory: async () => cwd, upload: async () => "file_1", clipboard },
		format: () => ({ columns: 400, styles: createStyles(false) }),
		show: (added) => rows.push(...added),
		asksForTasks: true,
		offersRules: true,
		shellLines: "run",
		text: "plain",
	});
	const keyboard = new Keyboard(chat);
	const press = async (name: string, ctrl = false): Promise<void> => {
		void keyboard.press({ text: "", name, ctrl, meta: false });
		await setImmediate();
	};
	return { client, rows, keyboard, press };
}

test("control characters in the text of the clipboard cannot hide that the path of an image was pasted", async () => {
	const cwd = directory();
	for (const name of ["a.png", "b.png"]) writeFileSync(join(cwd, name), "");
	const text = "see @a\u0001.png and\n\u0000@b.png";
	const { client, rows, press } = chatWith(cwd, async () => ({ kind: "text", text }));
	await press("v", true);
	await press("return");
	expect(client.requests).toMatchObject([{ params: { content: "see @a.png and\n@b.png" } }]);
	expect(client.requests[0]?.params).not.toHaveProperty("attachments");
	expect(rows.join("\n")).toMatch(/the image .*a\.png is not sent.*\n.*the image .*b\.png is not sent/);
});

test("Enter does not send a message before the image of the clipboard is attached", async () => {
	const { promise, resolve } = Promise.withResolvers<Clipboard>();
	const { client, keyboard, press } = chatWith(directory(), () => promise);
	for (const name of ["v", "v"]) await press(name, true);
	await press("return");
	expect(client.requests).toEqual([]);
	await press("left");
	expect(keyboard.notice).toBe(clipboardTexts.reading);
	resolve(image);
	await setImmediate();
	expect(keyboard.notice).toBe("");
	await press("return");
	expect(client.requests).toMatchObject([
		{ params: { content: "[image 1: clipboard-1.png]", attachments: ["file_1"] } },
	]);
});

test("the files of pasted images belong only to this user, and are deleted at the end of the chat", async () => {
	const parent = directory();
	const files = new ClipboardFiles(parent);
	const path = await files.add(image);
	expect([path, dirname(path)].map((one) => statSync(one).mode & 0o777)).toEqual([0o600, 0o700]);
	const begun = files.add(image);
	// Waits until `files` has started to store the image.
	await Promise.resolve();
	const waiting = expect(files.add(image)).rejects.toThrow("abort");
	await files[Symbol.asyncDispose]();
	await waiting;
	expect(existsSync(await begun)).toBe(false);
	await expect(files.add(image)).rejects.toThrow("abort");
	expect(readdirSync(parent)).toEqual([]);
});

test("the files of pasted images are deleted if the process exits before the end of the chat", () => {
	const parent = directory();
	const script = `
		import { readdirSync } from "node:fs";
		import { ClipboardFiles } from ${JSON.stringify(new URL("paste-clipboard.ts", import.meta.url).href)};
		const [, parent] = process.argv;
		await new ClipboardFiles(parent).add({ kind: "image", bytes: Buffer.from("image"), extension: "png" });
		console.log(readdirSync(parent).length);
		process.exit(1);
	`;
	const options = { encoding: "utf8" } as const;
	const { status, stdout } = spawnSync(
		process.execPath,
		["--input-type=module", "-e", script, parent],
		options,
	);
	expect({ status, stdout }).toEqual({ status: 1, stdout: "1\n" });
	expect(readdirSync(parent)).toEqual([]);
});

test("an image that cannot be stored is reported with the reason, and the next one can be stored", async () => {
	const parent = join(directory(), "missing");
	await using files = new ClipboardFiles(parent);
	const images = {
		cwd: "/",
		directory: async () => "/",
		upload: async () => "file_1",
		clipboard: { read: async () => image, store: (stored: ClipboardImage) => files.add(stored) },
	};
	const labels = new PastedImages();
	expect(await pasteClipboard(images, labels)).toEqual({ notice: expect.stringContaining("ENOENT") });
	mkdirSync(parent);
	expect(await pasteClipboard(images, labels)).toEqual({ label: "[image 1: clipboard-1.png]" });
});
