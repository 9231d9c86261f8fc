import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createDirectory, createToolContext, readyCall } from "../../testing/tool-context.ts";
import type { ToolContext } from "../../vocabulary/tool.ts";
import { executeCall } from "../calls/tool-call.ts";
import { sendFile } from "./send-file.ts";

let directory: Awaited<ReturnType<typeof createDirectory>>;
let context: ToolContext;
const shared: (readonly [path: string, name: string])[] = [];

beforeAll(async () => {
	directory = await createDirectory();
	const cwd = join(directory.path, "work");
	await mkdir(cwd);
	for (const name of ["report.pdf", ".env"]) await writeFile(join(cwd, name), "content");
	await writeFile(join(directory.path, "outside.txt"), "content");
	await symlink("../outside.txt", join(cwd, "link"));
	context = createToolContext(cwd, {
		share: async (path, name) => {
			shared.push([path, name]);
			return { id: "file_1", name, mediaType: "application/pdf", bytes: 7 };
		},
	});
});
afterAll(() => directory[Symbol.asyncDispose]());

const prepare = (args: object) => readyCall(sendFile, args, context);

test("a file inside the roots is sent under its own name, or another", async () => {
	const ready = await prepare({ path: "report.pdf" });
	expect(ready.plan).toMatchObject({ label: "send report.pdf", classes: ["read"], preview: "" });
	expect(await executeCall(ready, context)).toEqual({
		text: 'sent "report.pdf" (application/pdf, 7 bytes)',
		failed: false,
	});
	await executeCall(await prepare({ path: "report.pdf", name: "May.pdf" }), context);
	const path = join(context.cwd, "report.pdf");
	expect(shared).toEqual([
		[path, "report.pdf"],
		[path, "May.pdf"],
	]);
});

test("files that may contain secrets, and files outside the roots, have their own classes", async () => {
	expect((await prepare({ path: ".env" })).plan.classes).toEqual(["read", "secret"]);
	expect((await prepare({ path: "link" })).plan.classes).toEqual(["outside-read"]);
	expect((await prepare({ path: "../outside.txt" })).plan).not.toHaveProperty("grant");
});

test("a path with a changed target is not sent", async () => {
	const ready = await prepare({ path: "report.pdf" });
	const moved = { ...ready, plan: { ...ready.plan, binding: { path: "/elsewhere" } } };
	const before = shared.length;
	await expect(executeCall(moved, context)).resolves.toMatchObject({ failed: true });
	expect(shared).toHaveLength(before);
});
