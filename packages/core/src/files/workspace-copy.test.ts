import { mkdir, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createDirectory } from "../testing/tool-context.ts";
import { copyToWorkspace } from "./workspace-copy.ts";

let directory: Awaited<ReturnType<typeof createDirectory>>;

beforeEach(async () => {
	directory = await createDirectory();
});
afterEach(() => directory[Symbol.asyncDispose]());

async function* content(text: string): AsyncGenerator<Uint8Array> {
	yield Buffer.from(text);
}

const copy = (text: string, name = "report.pdf", id = "file_1"): Promise<string> =>
	copyToWorkspace(directory.path, { id, name }, content(text));

test("a copy is stored under its name, and the next file of that name under another", async () => {
	expect(await copy("one")).toBe("attachments/report.pdf");
	expect(await copy("two")).toBe("attachments/report-2.pdf");
	expect(await copy("three")).toBe("attachments/report-3.pdf");
	const there = join(directory.path, "attachments");
	expect((await readdir(there)).sort()).toEqual(["report-2.pdf", "report-3.pdf", "report.pdf"]);
	expect(await readFile(join(there, "report-2.pdf"), "utf8")).toBe("two");
});

test("a finished copy of an interrupted run is reused, and its temporary file is deleted", async () => {
	await copy("one");
	await writeFile(join(directory.path, "attachments", ".parley-file_1.tmp"), "tw");
	expect(await copy("one")).toBe("attachments/report.pdf");
	expect(await copy("two")).toBe("attachments/report-2.pdf");
	expect(await copy("two")).toBe("attachments/report-2.pdf");
	expect((await readdir(join(directory.path, "attachments"))).sort()).toEqual(["report-2.pdf", "report.pdf"]);
});

test("the name and the content of a copy appear in one step, so that a crash leaves no empty file", async () => {
	const there = join(directory.path, "attachments");
	const crash = async () => {
		throw new Error("killed");
	};
	const facts = { id: "file_1", name: "report.pdf" };
	await expect(copyToWorkspace(directory.path, facts, content("one"), crash)).rejects.toThrow();
	expect(await readdir(there)).toEqual([".parley-file_1.tmp"]);
	expect(await copy("one")).toBe("attachments/report.pdf");
	expect(await readdir(there)).toEqual(["report.pdf"]);
});

test("a copy gets a free name without hard links as well", async () => {
	const refuse = async () => {
		throw Object.assign(new Error("no links"), { code: "EPERM" });
	};
	const facts = { id: "file_1", name: "report.pdf" };
	for (const [text, path] of [
		["one", "attachments/report.pdf"],
		["two", "attachments/report-2.pdf"],
	] as const) {
		expect(await copyToWorkspace(directory.path, facts, content(text), refuse)).toBe(path);
		expect(await readFile(join(directory.path, path), "utf8")).toBe(text);
	}
	expect((await readdir(join(directory.path, "attachments"))).sort()).toEqual(["report-2.pdf", "report.pdf"]);
});

test("no link is followed, and existing files stay unchanged", async () => {
	const there = join(directory.path, "attachments");
	await mkdir(there);
	await writeFile(join(directory.path, "precious"), "one");
	await symlink("../precious", join(there, "report.pdf"));
	await mkdir(join(there, "report-2.pdf"));
	await writeFile(join(there, "report-3.pdf"), "");
	expect(await copy("one")).toBe("attachments/report-4.pdf");
	expect(await readFile(join(directory.path, "precious"), "utf8")).toBe("one");
	await rm(there, { recursive: true });
	await symlink("/", there);
	await expect(copy("one")).rejects.toThrow('the directory "attachments" became a link');
});

test("the error has the reason if nothing can be written", async () => {
	await writeFile(join(directory.path, "attachments"), "a file");
	await expect(copy("one")).rejects.toThrow(
		`into ${join(directory.path, "attachments")}: a part of the path is a file, not a directory`,
	);
	await expect(copyToWorkspace("/nowhere", { id: "f", name: "a" }, content("x"))).rejects.toMatchObject({
		code: "not_found",
		message: 'cannot copy "a" into /nowhere/attachments: it does not exist; check the path',
	});
});
