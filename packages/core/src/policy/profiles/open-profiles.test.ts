import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, realpath, rename, rm, symlink, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { ParleyError } from "@parley/base";
import { expect, test as plainTest } from "vitest";
import { openProfiles } from "./open-profiles.ts";
import type { Profiles } from "./profile.ts";

class Place {
	readonly root: string;
	readonly agents: string;
	readonly profiles: Profiles;

	constructor(root: string) {
		this.root = root;
		this.agents = join(root, "agents");
		this.profiles = openProfiles(this.agents, ["read_file", "run_command"]);
	}

	async write(path: string, content: string | Uint8Array): Promise<void> {
		const file = join(this.agents, path);
		await mkdir(dirname(file), { recursive: true });
		await writeFile(file, content);
	}

	async refusal(name: string): Promise<string> {
		const error: unknown = await this.profiles.find(name).catch((reason: unknown) => reason);
		expect(error).toBeInstanceOf(ParleyError);
		expect(error).toMatchObject({ code: "invalid_argument" });
		return ParleyError.from(error).message;
	}
}

const test = plainTest.extend<{ place: Place }>({
	// biome-ignore lint/correctness/noEmptyPattern: a fixture without other fixtures has an empty pattern
	place: async ({}, use) => {
		const root = await realpath(await mkdtemp(join(tmpdir(), "agents-")));
		await use(new Place(root));
		await rm(root, { recursive: true });
	},
});

test("without any file there is the default agent", async ({ place }) => {
	const builtIn = { name: "default", title: "Parley", sampling: {} };
	expect(await place.profiles.find("default")).toEqual(builtIn);
	expect(await place.profiles.list()).toEqual({ profiles: [builtIn], problems: [] });
	expect(await place.refusal("reviewer")).toBe("agent not found: reviewer; available: default");
});

test("one of the two files is enough", async ({ place }) => {
	await place.write("quick/config.toml", 'name = "Quick"\nmodel = "fast"\ntools = ["read_file"]');
	await place.write("poet/agent.md", "  You write {{cwd}} poems.\r\n\n");
	await place.write("both/config.toml", "");
	await place.write("both/agent.md", "");
	const quick = { name: "quick", title: "Quick", model: "fast", tools: ["read_file"], sampling: {} };
	expect(await place.profiles.find("quick")).toEqual(quick);
	expect(await place.profiles.find("poet")).toEqual({
		name: "poet",
		title: "poet",
		sampling: {},
		instructions: "  You write {{cwd}} poems.\r\n\n",
	});
	expect(await place.profiles.find("both")).toEqual({
		name: "both",
		title: "both",
		sampling: {},
		instructions: "",
	});
	const { profiles } = await place.profiles.list();
	expect(profiles.map(({ name }) => name)).toEqual(["both", "default", "poet", "quick"]);
});

test("the operator can replace the default agent", async ({ place }) => {
	await mkdir(join(place.agents, "default"), { recursive: true });
	expect(await place.profiles.find("default")).toMatchObject({ title: "Parley" });
	await place.write("default/agent.md", "You are terse.");
	expect(await place.profiles.find("default")).toMatchObject({ instructions: "You are terse." });
});

test("a broken agent does not hide the others", async ({ place }) => {
	await place.write("good/agent.md", "good");
	await place.write("typo/config.toml", "[sampling]\ntemprature = 1");
	await place.write("tools/config.toml", 'tools = ["red_file"]');
	await place.write("binary/agent.md", new Uint8Array([0xff, 0xfe]));
	await place.write("odd!/agent.md", "odd");
	await place.write("README.md", "not an agent");
	await mkdir(join(place.agents, "empty"));
	await mkdir(join(place.agents, ".git"));
	const { profiles, problems } = await place.profiles.list();
	expect(profiles.map(({ name }) => name)).toEqual(["default", "good"]);
	expect(problems).toEqual([
		{ name: "binary", message: "agent.md is not UTF-8 text: save it as UTF-8" },
		{ name: "empty", message: "it has neither config.toml nor agent.md: add one of them" },
		{ name: "odd!", message: expect.stringContaining("an agent's name has at most 64 letters") },
		{
			name: "tools",
			message:
				'config.toml: unknown tool "red_file" in tools: did you mean read_file? Allowed: read_file, run_command',
		},
		{ name: "typo", message: expect.stringMatching(/^config\.toml: line 2: unknown key "temprature"/) },
	]);
	expect(await place.refusal("typo")).toMatch(
		/^the agent typo cannot be used: config\.toml: line 2: unknown key/,
	);
	expect(await place.refusal("none")).toBe("agent not found: none; available: default, good");
});

test("a name that leads outside is not an agent, despite any file at its path", async ({ place }) => {
	await mkdir(join(place.root, "outside"));
	await writeFile(join(place.root, "outside", "agent.md"), "secret");
	await place.write("agent.md", "not an agent either");
	const names = [
		"../outside",
		"default/../../outside",
		join(place.root, "outside"),
		".",
		"",
		"../../agents/",
		"default\0",
	];
	for (const name of names)
		expect(await place.refusal(name)).toMatch(/^agent not found: .*; available: default$/);
});

test("a name is shown with visible characters and a limited length", async ({ place }) => {
	expect(await place.refusal("a\u001b[2J")).toBe("agent not found: a\\u{1b}[2J; available: default");
	expect(await place.refusal(`${"x".repeat(200)}`)).toBe(
		`agent not found: ${"x".repeat(100)}…; available: default`,
	);
});

test("a link may lead to another agent, but not out of the directory", async ({ place }) => {
	await place.write("real/agent.md", "real");
	await symlink("real", join(place.agents, "alias"));
	expect(await place.profiles.find("alias")).toMatchObject({ name: "alias", instructions: "real" });
	await mkdir(join(place.root, "outside"));
	await writeFile(join(place.root, "outside", "agent.md"), "secret");
	await symlink("../outside", join(place.agents, "escape"));
	await mkdir(join(place.agents, "file"));
	await symlink("../../outside/agent.md", join(place.agents, "file", "agent.md"));
	await symlink("nowhere", join(place.agents, "dangling"));
	expect(await place.refusal("escape")).toContain("its directory is a link to a path outside");
	expect(await place.refusal("file")).toContain("agent.md is a link to a path outside");
	expect(await place.refusal("dangling")).toContain("agent not found");
	expect((await place.profiles.list()).problems.map(({ name }) => name)).toEqual(["escape", "file"]);
});

test("the directory itself may be a link", async ({ place }) => {
	await place.write("poet/agent.md", "poems");
	await rename(place.agents, join(place.root, "elsewhere"));
	await symlink("elsewhere", place.agents);
	expect(await place.profiles.find("poet")).toMatchObject({ instructions: "poems" });
});

test("files are bounded, and only regular ones are read", async ({ place }) => {
	await place.write("big/agent.md", "x".repeat(256 * 1024));
	expect((await place.profiles.find("big")).instructions).toHaveLength(256 * 1024);
	await place.write("big/agent.md", "x".repeat(256 * 1024 + 1));
	expect(await place.refusal("big")).toContain("agent.md is larger than 256 KiB: shorten it");
	await place.write("long/config.toml", `#${"x".repeat(64 * 1024)}`);
	expect(await place.refusal("long")).toContain("config.toml is larger than 64 KiB: shorten it");
	await mkdir(join(place.agents, "folder", "agent.md"), { recursive: true });
	expect(await place.refusal("folder")).toContain('"agent.md" is a directory');
	await mkdir(join(place.agents, "pipe"));
	execFileSync("mkfifo", [join(place.agents, "pipe", "config.toml")]);
	expect(await place.refusal("pipe")).toContain('"config.toml" is not a regular file');
});

test("a change is read at the next use, and without a change nothing is read again", async ({ place }) => {
	await place.write("poet/agent.md", "one");
	const first = await place.profiles.find("poet");
	expect(await place.profiles.find("poet")).toBe(first);
	await place.write("poet/agent.md", "two");
	await utimes(join(place.agents, "poet", "agent.md"), 1, 1);
	expect(await place.profiles.find("poet")).toMatchObject({ instructions: "two" });
	await place.write("poet/config.toml", 'reasoning = "low"');
	expect(await place.profiles.find("poet")).toMatchObject({ instructions: "two", reasoning: "low" });
	await rm(join(place.agents, "poet"), { recursive: true });
	expect(await place.refusal("poet")).toContain("agent not found");
});

test("a model that the gateway's own provider lacks is a problem of that agent", async ({ place }) => {
	await place.write("good/config.toml", 'model = "fast"');
	await place.write("bad/config.toml", 'model = "gpt-5"');
	await place.write("elsewhere/config.toml", 'model = "gpt-5"\n[provider]\nendpoint = "http://127.0.0.1:1"');
	const profiles = openProfiles(place.agents, undefined, (name) => {
		if (name !== "fast") throw new ParleyError(`${name} is no model`, { code: "invalid_argument" });
	});
	const { profiles: usable, problems } = await profiles.list();
	expect(usable.map(({ name }) => name)).toEqual(["default", "elsewhere", "good"]);
	expect(problems).toEqual([{ name: "bad", message: "config.toml: gpt-5 is no model" }]);
	await expect(profiles.find("bad")).rejects.toThrow(
		"the agent bad cannot be used: config.toml: gpt-5 is no model",
	);
});
