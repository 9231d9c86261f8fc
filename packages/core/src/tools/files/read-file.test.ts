import { spawnSync } from "node:child_process";
import { link, mkdir, rename, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { testImages } from "../../testing/images.ts";
import { createDirectory, createToolContext } from "../../testing/tool-context.ts";
import type { ToolContext } from "../../vocabulary/tool.ts";
import { executeCall, prepareCall, type ReadyCall } from "../calls/tool-call.ts";
import { readFile } from "./read-file.ts";

let directory: Awaited<ReturnType<typeof createDirectory>>;
let context: ToolContext;

beforeAll(async () => {
	directory = await createDirectory();
	const cwd = join(directory.path, "work");
	await mkdir(join(cwd, "sub"), { recursive: true });
	await writeFile(join(cwd, "notes.txt"), "one\ntwo\nthree\n");
	await writeFile(join(directory.path, "outside.txt"), "outside\n");
	await symlink("../outside.txt", join(cwd, "link"));
	context = createToolContext(cwd);
});
afterAll(() => directory[Symbol.asyncDispose]());

async function prepare(args: object, where = context): Promise<ReadyCall> {
	const prepared = await prepareCall([readFile], { name: "read_file", arguments: args }, where);
	if (prepared.kind === "refused") throw new Error(prepared.text);
	return prepared;
}

async function read(args: object, where = context) {
	return executeCall(await prepare(args, where), where);
}

test("a file inside the roots is read without approval", async () => {
	const { plan } = await prepare({ path: "notes.txt" });
	expect(plan).toEqual({
		label: "read notes.txt",
		classes: ["read"],
		preview: "",
		binding: { path: join(context.cwd, "notes.txt") },
		grant: { kind: "path", tool: "read_file", root: context.cwd },
		notes: [],
	});
	expect(await read({ path: "notes.txt" })).toEqual({ text: "one\ntwo\nthree\n", failed: false });
});

test("a part of a file is returned, and a marker says how to continue", async () => {
	expect(await read({ path: "notes.txt", offset: 2, limit: 1 })).toEqual({
		text: "two\n[… more lines follow: continue with offset 3 …]",
		failed: false,
	});
	expect(await read({ path: "notes.txt", offset: 3 })).toEqual({ text: "three\n", failed: false });
	expect(await read({ path: "notes.txt", offset: 4 })).toEqual({
		text: '"notes.txt" has no line 4: its last line is 3; use a smaller offset',
		failed: true,
	});
});

test("a long file is read in parts that join to the complete file", async () => {
	const full = Array.from({ length: 5_000 }, (_, index) => `line ${index + 1}\n`).join("");
	await writeFile(join(context.cwd, "long.txt"), full);
	let [offset, text] = [1, ""];
	for (let page = 0; page < 3; page += 1) {
		const result = await read({ path: "long.txt", offset });
		text += result.text.replace(/\[… .*$/, "");
		offset = Number(/offset (\d+)/.exec(result.text)?.[1]);
	}
	expect(text).toBe(full);
	expect(offset).toBeNaN();
});

test("a page has at most 30,000 characters, and a longer line is read in parts", async () => {
	const full = `${"x".repeat(70_000)}\nnext\n`;
	await writeFile(join(context.cwd, "wide.txt"), full);
	let [place, text] = [{}, ""];
	for (let pages = 0; pages < 3; pages += 1) {
		const result = await read({ path: "wide.txt", ...place });
		expect(result.text.length).toBeLessThanOrEqual(30_000);
		const [, offset, column] = /offset (\d+) and column (\d+)/.exec(result.text) ?? [];
		text += result.text.replace(/\n\[… .*$/, "");
		place = { offset: Number(offset), column: Number(column) };
	}
	expect(text).toBe(full);
});

test("a page has at most 2,000 lines, with its marker", async () => {
	await writeFile(join(context.cwd, "lines.txt"), "x\n".repeat(4_000));
	const { text } = await read({ path: "lines.txt" });
	expect(text.split("\n")).toHaveLength(2_000);
	expect(text).toContain("continue with offset 2000");
});

test("an empty file is reported as empty", async () => {
	await writeFile(join(context.cwd, "empty.txt"), "");
	expect(await read({ path: "empty.txt" })).toEqual({ text: "(empty file)", failed: false });
	expect(await read({ path: "empty.txt", offset: 5 })).toEqual({ text: "(empty file)", failed: true });
});

test("a binary file is reported, and its content is not returned", async () => {
	await writeFile(join(context.cwd, "image.png"), Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 1, 2]));
	expect(await read({ path: "image.png" })).toEqual({
		text: 'read_file failed: "image.png" is a binary file of 7 bytes; only text and images (PNG, JPEG, GIF, WebP) can be read. Use a command',
		failed: true,
	});
});

const [png] = testImages;

test.each(testImages)("an image is shown: $name", async ({ name, mediaType, content }) => {
	// The content decides the type, not the name.
	await writeFile(join(context.cwd, "image.txt"), content);
	expect(await read({ path: "image.txt" })).toEqual({
		text: `"image.txt" is a ${name} image, 1 x 1 pixels, ${content.length} bytes`,
		failed: false,
		images: [{ type: "image", mediaType, data: content.toString("base64") }],
	});
});

test("an image is shown completely, despite any requested lines", async () => {
	await writeFile(join(context.cwd, "photo.png"), png.content);
	const note = "[offset and limit apply only to text: the complete image is shown]";
	for (const lines of [{ offset: 2 }, { limit: 10 }]) {
		const { text, failed, images } = await read({ path: "photo.png", ...lines });
		expect(text.split("\n")[1]).toBe(note);
		expect([failed, images?.length]).toEqual([false, 1]);
	}
	expect((await read({ path: "photo.png", offset: 1, limit: 2_000 })).text).not.toContain(note);
});

test("an image that is too large is refused with the limits", async () => {
	const path = join(context.cwd, "photo.png");
	const padded = (bytes: number) => Buffer.concat([png.content, Buffer.alloc(bytes - png.content.length)]);
	await writeFile(path, padded(3_932_160));
	expect(await read({ path: "photo.png" })).toMatchObject({
		text: '"photo.png" is a PNG image, 1 x 1 pixels, 3.8 MiB',
		failed: false,
	});
	await writeFile(path, padded(3_932_161));
	expect(await read({ path: "photo.png" })).toEqual({
		text:
			'read_file failed: "photo.png" is a PNG image of more than 3932160 bytes, and only smaller images can be shown: ' +
			"read a smaller copy",
		failed: true,
	});
	const wide = Buffer.from(png.content);
	wide.writeUInt32BE(8_001, 16);
	await writeFile(path, wide);
	expect(await read({ path: "photo.png" })).toEqual({
		text:
			'read_file failed: "photo.png" is a PNG image of 8001 x 1 pixels, and only images of at most 8000 pixels a side can be shown: ' +
			"read a smaller copy",
		failed: true,
	});
});

test("a damaged image and one of another kind are refused", async () => {
	await writeFile(join(context.cwd, "half.gif"), Buffer.from("GIF89a\0\0\0\0\0\0", "latin1"));
	expect(await read({ path: "half.gif" })).toEqual({
		text: 'read_file failed: "half.gif" is a GIF image that is damaged, because its header has no width and height: read another copy',
		failed: true,
	});
	await writeFile(join(context.cwd, "old.bmp"), Buffer.concat([Buffer.from("BM"), Buffer.alloc(60)]));
	expect(await read({ path: "old.bmp" })).toMatchObject({
		text: expect.stringContaining("is a binary file of 62 bytes; only text and images (PNG"),
		failed: true,
	});
});

test("the rules for text files apply to images", async () => {
	const outside = join(directory.path, "outside.png");
	await writeFile(outside, png.content);
	await writeFile(join(context.cwd, "photo.pem"), png.content);
	expect((await prepare({ path: "../outside.png" })).plan.classes).toEqual(["outside-read"]);
	expect((await prepare({ path: "photo.pem" })).plan.classes).toEqual(["read", "secret"]);
	const where = { ...context, forbidden: [outside] };
	await expect(prepare({ path: "../outside.png" }, where)).rejects.toThrow("tools may not access");
	await link(outside, join(context.cwd, "twin.png"));
	expect(
		await read({ path: "twin.png" }, { ...context, forbidden: [directory.path], workspace: context.cwd }),
	).toEqual({
		text: 'read_file failed: tools may not access "twin.png": it belongs to the gateway; use another path',
		failed: true,
	});
	expect(await read({ path: "photo.png" }, { ...context, signal: AbortSignal.abort() })).toEqual({
		text: "cancelled",
		failed: true,
	});
});

test.each([
	["nothing.txt", 'cannot read "nothing.txt": it does not exist; check the path'],
	["sub", '"sub" is a directory: use the path of a file'],
	[".", '"." is a directory: use the path of a file'],
])("%s cannot be read", async (path, reason) => {
	expect(await read({ path })).toEqual({ text: `read_file failed: ${reason}`, failed: true });
});

test("pipes and devices are refused without a wait", async () => {
	spawnSync("/bin/sh", ["-c", 'mkfifo "$0"', join(context.cwd, "pipe")]);
	expect(await read({ path: "pipe" })).toMatchObject({ text: expect.stringContaining("not a regular file") });
	expect(await read({ path: "/dev/zero" })).toMatchObject({
		text: expect.stringContaining("not a regular file"),
	});
});

test("a file outside the roots requires approval, also through a link inside", async () => {
	for (const path of ["../outside.txt", "link", join(directory.path, "outside.txt")]) {
		const { plan } = await prepare({ path });
		expect(plan.classes).toEqual(["outside-read"]);
		expect(plan.label).toBe(`read ${join(directory.path, "outside.txt")}`);
		expect(plan.notes).toEqual([`outside of ${context.cwd}`]);
		expect(plan.grant).toBeUndefined();
	}
	expect(await read({ path: "link" })).toEqual({ text: "outside\n", failed: false });
});

test("a secret file requires approval, by its name or by the target of a link", async () => {
	await writeFile(join(context.cwd, ".env"), "KEY=1\n");
	await symlink(".env", join(context.cwd, "harmless.txt"));
	await symlink("notes.txt", join(context.cwd, "server.pem"));
	for (const path of [".env", "harmless.txt", "server.pem"]) {
		const { plan } = await prepare({ path });
		expect(plan.classes, path).toEqual(["read", "secret"]);
		expect(plan.grant).toBeUndefined();
		expect(plan.notes).toEqual(["may contain keys or passwords"]);
	}
});

test("a forbidden path is refused before any approval", async () => {
	const where = { ...context, forbidden: [join(directory.path, "outside.txt")] };
	await expect(prepare({ path: "link" }, where)).rejects.toThrow("tools may not access");
});

test("a hard link to a file of the gateway is refused, and other hard links are read", async () => {
	const data = join(directory.path, "data");
	await mkdir(join(data, "tokens"), { recursive: true });
	await writeFile(join(data, "tokens/operator"), "very private\n");
	await link(join(data, "tokens/operator"), join(context.cwd, "twin.txt"));
	await writeFile(join(context.cwd, "one.txt"), "ordinary\n");
	await link(join(context.cwd, "one.txt"), join(context.cwd, "two.txt"));
	const where = { ...context, forbidden: [data, join(directory.path, "nowhere")] };
	expect(await read({ path: "twin.txt" }, where)).toEqual({
		text: 'read_file failed: tools may not access "twin.txt": it belongs to the gateway; use another path',
		failed: true,
	});
	expect(await read({ path: "two.txt" }, where)).toEqual({ text: "ordinary\n", failed: false });
});

test.runIf(process.platform === "linux")("a system error is reported with an explanation", async () => {
	expect(await read({ path: "/proc/self/mem" })).toMatchObject({
		text: 'read_file failed: cannot read "/proc/self/mem": the device or the system could not read or write it; check the disk, and try again',
	});
});

test("a path that changes its target after the decision is not read", async () => {
	await writeFile(join(context.cwd, "swapped.txt"), "harmless\n");
	const ready = await prepare({ path: "swapped.txt" });
	await rm(join(context.cwd, "swapped.txt"));
	await symlink("../outside.txt", join(context.cwd, "swapped.txt"));
	expect(await executeCall(ready, context)).toEqual({
		text: "changed since it was approved: the path leads to another file; repeat the call",
		failed: true,
	});
});

test("a directory that became a link after the decision is not followed", async () => {
	await mkdir(join(context.cwd, "dir"));
	await writeFile(join(context.cwd, "dir/outside.txt"), "harmless\n");
	const ready = await prepare({ path: "dir/outside.txt" });
	await rename(join(context.cwd, "dir"), join(context.cwd, "moved"));
	await symlink("..", join(context.cwd, "dir"));
	expect(await executeCall(ready, context)).toMatchObject({ failed: true });
});

test("a hostile name is shown with all its characters", async () => {
	await writeFile(join(context.cwd, "a\u{202e}txt.b"), "x");
	expect((await prepare({ path: "a\u{202e}txt.b" })).plan.label).toBe("read a\\u{202e}txt.b");
});

test("a cancelled call reads no further", async () => {
	const where = { ...context, signal: AbortSignal.abort() };
	expect(await read({ path: "notes.txt" }, where)).toEqual({
		text: "cancelled",
		failed: true,
	});
});
