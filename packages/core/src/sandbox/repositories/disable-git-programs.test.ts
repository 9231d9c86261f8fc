import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createDirectory } from "../../testing/tool-context.ts";
import { findRepositories, type Repositories } from "./find-repositories.ts";
import { disableGitPrograms, type RepositoryChanges } from "./protect-git.ts";

let directory: Awaited<ReturnType<typeof createDirectory>>;
let git: string;

beforeEach(async () => {
	directory = await createDirectory();
	git = join(directory.path, "sub/.git");
	await mkdir(join(git, "hooks"), { recursive: true });
	await writeFile(join(git, "config"), "# alias\n");
	await writeFile(join(git, "hooks/pre-commit"), "");
});
afterEach(() => directory[Symbol.asyncDispose]());

function find(): Promise<Repositories> {
	return findRepositories({ roots: [directory.path], required: [], hidden: [], isLate: () => false });
}

async function putAsideOf(fields: Partial<RepositoryChanges>): Promise<string[]> {
	const found = await find();
	const put: string[] = [];
	const none: Repositories = { ...found, directories: [], beyond: new Set(), unread: new Set() };
	await disableGitPrograms({
		before: none,
		after: found,
		startedMs: 0,
		remaining: new Set(),
		roots: [directory.path],
		git: async () => undefined,
		name: () => "name",
		isLate: () => false,
		...fields,
		putAside: async (path) => {
			put.push(path);
		},
	});
	return put.sort();
}

test("existing files stay, unless they could not be removed before", async () => {
	const before = await find();
	expect(await putAsideOf({ before })).toEqual([]);
	expect(await putAsideOf({ before, remaining: new Set([join(git, "hooks")]) })).toEqual([
		join(git, "hooks"),
	]);
});

test("settings are moved as they are if the call is late or git cannot read them", async () => {
	expect(await putAsideOf({})).toEqual([join(git, "config"), join(git, "hooks")]);
	const unasked = async (): Promise<never> => {
		throw new Error("looked");
	};
	expect(await putAsideOf({ isLate: () => true, git: unasked })).toEqual([
		join(git, "config"),
		join(git, "hooks"),
	]);
});

test("a changed hook of an existing repository is held back, with any time", async () => {
	const before = await find();
	await writeFile(join(git, "hooks/pre-commit"), "x");
	expect(await putAsideOf({ before, startedMs: Number.POSITIVE_INFINITY })).toEqual([join(git, "hooks")]);
});
