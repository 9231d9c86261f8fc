import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { chooseRoot } from "../../filesystem/paths.ts";
import { ScriptedModel } from "../../testing/scripted-model.ts";
import { testConnector } from "../../testing/test-connector.ts";
import { TestRuntime, unkeyed } from "../../testing/test-runtime.ts";
import { operator, type Principal } from "../../vocabulary/principal.ts";

let base = "";

beforeAll(async () => {
	base = await realpath(await mkdtemp(join(tmpdir(), "parley-open-")));
	for (const path of ["here/sub", "given/sub", "other", "data/workspaces", "..odd"]) {
		await mkdir(join(base, path), { recursive: true });
	}
	await writeFile(join(base, "file"), "");
	await symlink(join(base, "other"), join(base, "given", "out"));
	await symlink(join(base, "given", "sub"), join(base, "in"));
	await symlink(join(base, "data"), join(base, "here", "hidden"));
});

afterAll(() => rm(base, { recursive: true, force: true }));

function choose(requested: string | undefined, given: readonly string[]): Promise<string> {
	const roots = { given: given.map((path) => join(base, path)), current: join(base, "here") };
	return chooseRoot(requested, { ...roots, dataDir: join(base, "data") });
}

test.each<[string, string | undefined, string[], string]>([
	["without a request and without roots, the gateway's directory", undefined, [], "here"],
	["an empty request is no request", "", [], "here"],
	["without a request, the first root", undefined, ["given", "other"], "given"],
	["any directory if there are no roots", "../other", [], "other"],
	["relative to the gateway's directory", "sub", [], "here/sub"],
	["relative to the first root", "sub", ["given", "other"], "given/sub"],
	["a root itself", "../other", ["given", "other"], "other"],
	["a link into a root", "../in", ["given"], "given/sub"],
	["a name that only looks like the parent directory", "..odd", [""], "..odd"],
])("the directory of a session: %s", async (_, requested, given, expected) => {
	await expect(choose(requested, given)).resolves.toBe(join(base, expected));
});

test.each<[string, string, string[], string]>([
	["outside of the roots", "../other", ["given"], "is outside the roots"],
	["above the roots", "..", ["given"], "is outside the roots"],
	["a link out of the roots", "out", ["given"], "is outside the roots"],
	["a name that begins like a root", "../given2", ["given"], "does not exist"],
	["a directory that does not exist", "nowhere", [], "does not exist"],
	["a file", "../file", [], "is not a directory"],
	["the data directory", "../data", [], "is in the data directory"],
	["below the data directory", "../data/workspaces", [], "is in the data directory"],
	["a link to the data directory", "hidden", [], "is in the data directory"],
	["a text that is not a path", "a\0b", [], "contains a null character"],
])("a directory is refused: %s", async (_, requested, given, reason) => {
	const refused = choose(requested, given);
	await expect(refused).rejects.toMatchObject({ code: "invalid_argument" });
	await expect(refused).rejects.toThrow(`root_dir: ${JSON.stringify(requested)} ${reason}`);
});

test("an external key always returns the same session, also for simultaneous requests", async () => {
	await using t = await TestRuntime.open({ model: new ScriptedModel() });
	const open = (principal: Principal, externalKey: string) =>
		t.runtime.create(unkeyed(principal), { externalKey, title: `for ${externalKey}` });
	const [first, ...others] = await Promise.all([1, 2, 3].map(() => open(operator, "thread 1")));
	expect(first?.status).toBe("created");
	for (const other of others) expect(other).toEqual({ id: first?.id, status: "resumed" });
	expect((await open(operator, "thread 2")).id).not.toBe(first?.id);
	const connector = testConnector();
	expect((await open(connector, "thread 1")).status).toBe("created");
	const listed = await t.runtime.list(operator, { limit: 10 });
	expect(listed.map(({ externalKey, title }) => [externalKey, title]).sort()).toEqual([
		["thread 1", "for thread 1"],
		["thread 1", "for thread 1"],
		["thread 2", "for thread 2"],
	]);
});

test("ids are created in the form of the protocol", async () => {
	await using t = await TestRuntime.open({ model: new ScriptedModel() });
	expect(await t.create()).toMatch(/^sess_[0-9a-z]{26}$/);
});

test("a directory outside the roots is used if it is a project of the operator, also one that was added later", async () => {
	const projects: string[] = [];
	const roots = {
		given: [join(base, "given")],
		current: join(base, "here"),
		dataDir: join(base, "data"),
		projects: async () => projects,
	};
	await expect(chooseRoot("../here/sub", roots)).rejects.toThrow("is outside the roots");
	projects.push(join(base, "here"), join(base, "data"));
	await expect(chooseRoot("../here/sub", roots)).resolves.toBe(join(base, "here/sub"));
	await expect(chooseRoot("../other", roots)).rejects.toThrow("is outside the roots");
	await expect(chooseRoot("../data", roots)).rejects.toThrow("is in the data directory");
});
