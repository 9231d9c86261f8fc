import { mkdtemp, readdir, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createIds, silentLogger, systemClock } from "@parley/base";
import type { AuditEntry } from "@parley/core";
import { expect, onTestFinished, test } from "vitest";
import { changeProject, findProject, projectReader, projectsIn, readProjects } from "./projects.ts";

async function open() {
	const data = await mkdtemp(join(tmpdir(), "parley-projects-"));
	onTestFinished(() => rm(data, { recursive: true, force: true }));
	const rows: AuditEntry[] = [];
	const parts = { data, clock: systemClock, ids: createIds() };
	return {
		data,
		rows,
		change: (directory: string, allowed: boolean | undefined) => changeProject(directory, allowed, parts),
		directories: projectReader({
			data,
			log: silentLogger,
			audit: () => ({ note: async (entry: AuditEntry) => void rows.push(entry) }),
		}),
	};
}

test("an answer is stored for this user only, and replaced or forgotten", async () => {
	const { data, change } = await open();
	expect(await readProjects(data)).toEqual([]);
	expect(await change("/b", true)).toBe(true);
	expect(await change("/b", true)).toBe(false);
	expect(await change("/a", false)).toBe(true);
	expect((await stat(projectsIn(data))).mode & 0o777).toBe(0o600);
	const known = (await readProjects(data)).map(({ directory, allowed }) => [directory, allowed]);
	expect(known).toEqual([
		["/a", false],
		["/b", true],
	]);
	await change("/b", false);
	await change("/a", undefined);
	expect(await readProjects(data)).toEqual([{ directory: "/b", allowed: false, since: expect.any(String) }]);
});

test("the answer of a directory above allows the ones below, and a refusal is for one directory", () => {
	const since = "2026-01-01T00:00:00.000Z";
	const projects = [
		{ directory: "/home/me/work", allowed: true, since },
		{ directory: "/home/me/work/secret", allowed: false, since },
		{ directory: "/home", allowed: false, since },
	];
	expect(findProject("/home/me/work/shop/src", projects)?.directory).toBe("/home/me/work");
	expect(findProject("/home/me/work/secret", projects)?.allowed).toBe(false);
	expect(findProject("/home/me/work/secret/deeper", projects)).toBeUndefined();
	expect(findProject("/home/me", projects)).toBeUndefined();
	expect(findProject("/home/me/workshop", projects)).toBeUndefined();
});

test("a running gateway uses an answer of a command for its next session, after the audit row", async () => {
	const { rows, change, directories } = await open();
	expect(await directories()).toEqual([]);
	await change("/shop", true);
	await change("/other", false);
	expect(await directories()).toEqual(["/shop"]);
	expect(rows.map(({ action, object }) => `${action} ${object}`)).toEqual([
		"project.allow /shop",
		"project.deny /other",
	]);
	await change("/shop", undefined);
	expect(await directories()).toEqual([]);
});

test("an invalid file allows nothing, and a command refuses to replace it", async () => {
	const { data, change, directories } = await open();
	await change("/shop", true);
	expect(await directories()).toEqual(["/shop"]);
	for (const text of ["{", '{"projects": [{"directory": "shop", "allowed": true, "since": ""}]}', "[]"]) {
		await writeFile(projectsIn(data), text);
		expect(await directories()).toEqual([]);
		await expect(change("/more", true)).rejects.toThrow(
			`${projectsIn(data)} cannot be read, or is not valid`,
		);
	}
});

test("without its audit row, a directory is not used", async () => {
	const { data, change } = await open();
	await change("/shop", true);
	const audit = () => ({ note: () => Promise.reject(new Error("the disk is full")) });
	const directories = projectReader({ data, log: silentLogger, audit });
	expect(await directories()).toEqual([]);
});

test("answers of several commands at once are all stored", async () => {
	const { data, change } = await open();
	await Promise.all(["/a", "/b", "/c", "/d"].map((directory) => change(directory, true)));
	expect((await readProjects(data)).map(({ directory }) => directory)).toEqual(["/a", "/b", "/c", "/d"]);
	expect((await readdir(data)).filter((name) => name.endsWith(".draft"))).toEqual([]);
});
