import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { ManualClock } from "@parley/base/testing";
import { expect, onTestFinished, test } from "vitest";
import { FakeClient, FakeSession } from "../../testing/fake-session.ts";
import { createStyles } from "../../text/styles.ts";
import { Chat } from "../chat.ts";
import { Keyboard } from "../keyboard.ts";
import { PastedImages } from "./pasted-images.ts";

function directory(...names: readonly string[]): string {
	const root = mkdtempSync(join(tmpdir(), "parley-images-"));
	onTestFinished(() => rmSync(root, { recursive: true }));
	for (const name of names) writeFileSync(join(root, name), "");
	return root;
}

test("a pasted path of an image becomes a label that represents the image", () => {
	const cwd = directory("a.png", "my photo.JPG");
	const images = new PastedImages();
	expect(images.labelOf(`${join(cwd, "a.png")}\n`, cwd)).toBe("[image 1: a.png]");
	expect(images.labelOf(`'${join(cwd, "my photo.JPG")}'`, cwd)).toBe("[image 2: my photo.JPG]");
	expect(images.labelOf(join(cwd, "my\\ photo.JPG"), cwd)).toBe("[image 2: my photo.JPG]");
	expect(images.labelOf(pathToFileURL(join(cwd, "a.png")).href, cwd)).toBe("[image 1: a.png]");
	expect(images.of("compare [image 2: my photo.JPG] with [image 1: a.png]", "/")).toEqual({
		paths: [join(cwd, "a.png"), join(cwd, "my photo.JPG")],
		named: [],
		pasted: [],
	});
	expect(images.of("compare [image 3: a.png]", cwd).paths).toEqual([]);
});

test("a path after @ is an image, and each image is sent once", () => {
	const cwd = directory("a.png");
	const images = new PastedImages();
	const label = images.labelOf("a.png", cwd);
	expect(images.of(`@a.png and ${label}`, cwd).paths).toEqual([join(cwd, "a.png")]);
});

test.each(["see @a.png.", "(the file @a.png), please", "@a.png? @a.png!"])(
	"punctuation after a path is not part of it: %j",
	(content) => {
		const cwd = directory("a.png");
		const path = join(cwd, "a.png");
		expect(new PastedImages().of(content, cwd)).toEqual({ paths: [path], named: [path], pasted: [] });
	},
);

test("a path in a longer pasted text names no image, until only the path is pasted", () => {
	const cwd = directory("a.png", "b.png");
	const [a, b] = [join(cwd, "a.png"), join(cwd, "b.png")];
	const images = new PastedImages();
	const pasted = `hi!\nplease look at @${a}, and @a.png`;
	expect(images.labelOf(pasted, cwd)).toBeUndefined();
	expect(images.of(`${pasted} and @b.png`, cwd)).toEqual({ paths: [b], named: [b], pasted: [a] });
	const label = images.labelOf(a, cwd);
	expect(images.of(`${pasted} ${label}`, cwd)).toEqual({ paths: [a], named: [], pasted: [] });
});

test.each(["look at a.png", "b.png", "a.txt", "", "file://%zz.png", "a.png\nb.png"])(
	"the pasted text %j stays a text",
	(pasted) => {
		expect(new PastedImages().labelOf(pasted, directory("a.png", "a.txt"))).toBeUndefined();
	},
);

test("messages with and without images are sent in their order, to the session in which they were entered", async () => {
	const cwd = directory("a.png");
	const client = new FakeClient();
	const uploaded = Promise.withResolvers<string>();
	const rows: string[] = [];
	const chat = new Chat({
		client,
		session: new FakeSession("sess_1"),
		clock: new ManualClock(),
		openNew: async () => new FakeSession("sess_2"),
		openExisting: async (id) => new FakeSession(id),
		images: { cwd: "/", directory: async () => cwd, upload: () => uploaded.promise },
		format: () => ({ columns: 200, styles: createStyles(false) }),
		show: (added) => rows.push(...added),
		asksForTasks: true,
		offersRules: true,
		shellLines: "run",
		text: "plain",
	});
	const keyboard = new Keyboard(chat);
	for (const text of "see @a.png") void keyboard.press({ text, name: "", ctrl: false, meta: false });
	void keyboard.press({ text: "", name: "return", ctrl: false, meta: false });
	await setImmediate();
	expect(rows).toEqual([`sends the image ${join(cwd, "a.png")}`]);
	void chat.enter("and then?", false);
	await chat.enter("/new");
	expect(client.requests).toEqual([]);
	uploaded.resolve("file_1");
	await setImmediate();
	expect(client.requests).toMatchObject([
		{ params: { content: "see @a.png", attachments: ["file_1"] }, sessionId: "sess_1" },
		{ params: { content: "and then?" }, sessionId: "sess_1" },
	]);
});

test("a failed upload does not delay the next message", async () => {
	const cwd = directory("a.png");
	const upload = (): Promise<never> => Promise.reject(new Error("no connection"));
	const images = {
		images: { cwd, directory: async () => cwd, upload },
		sessionId: "s",
		note: () => undefined,
	};
	const pasted = new PastedImages();
	const first = pasted.upload("@a.png", images);
	const second = pasted.upload("text", images);
	await expect(first).rejects.toThrow("no connection");
	await expect(second).resolves.toEqual([]);
});

test("a long row of punctuation after @ does not stop the chat for seconds", () => {
	const images = new PastedImages();
	const text = `@${".".repeat(256 * 1024)}x`;
	expect(images.labelOf(text, "/")).toBeUndefined();
	expect(images.of(text, "/").paths).toEqual([]);
});

test("a label in a longer pasted text sends no image, until the image is pasted again", () => {
	const cwd = directory("a.png");
	const path = join(cwd, "a.png");
	const images = new PastedImages();
	const label = images.labelOf(path, cwd) ?? "";
	const pasted = `see ${label}`;
	expect(images.labelOf(pasted, cwd)).toBeUndefined();
	expect(images.of(pasted, cwd)).toEqual({ paths: [], named: [], pasted: [path] });
	expect(images.labelOf(path, cwd)).toBe(label);
	expect(images.of(label, cwd)).toEqual({ paths: [path], named: [], pasted: [] });
});
