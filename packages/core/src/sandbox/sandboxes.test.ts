import { chmod, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createIds, systemClock } from "@parley/base";
import { MemoryLogger } from "@parley/base/testing";
import { afterEach, beforeEach, expect, test } from "vitest";
import { hasBubblewrap, shellCommand } from "../testing/commands.ts";
import { createDirectory } from "../testing/tool-context.ts";
import { createSandboxes, type SandboxesOptions } from "./sandboxes.ts";

let directory: Awaited<ReturnType<typeof createDirectory>>;
let root: string;
let log: MemoryLogger;

beforeEach(async () => {
	directory = await createDirectory();
	root = join(directory.path, "work");
	log = new MemoryLogger();
	for (const name of ["work", "bin", "data"]) await mkdir(join(directory.path, name));
});
afterEach(() => directory[Symbol.asyncDispose]());

function sandboxes(options: Partial<SandboxesOptions> = {}) {
	return createSandboxes({
		mode: "preferred",
		environment: process.env,
		clock: systemClock,
		ids: createIds(),
		log,
		hidden: [join(directory.path, "data")],
		...options,
	});
}

async function putBubblewrap(script: string): Promise<string> {
	const path = join(directory.path, "bin");
	await writeFile(join(path, "bwrap"), `#!/bin/sh\n${script}\n`);
	await chmod(join(path, "bwrap"), 0o755);
	return path;
}

const version = '[ "$1" = --version ] && echo "bubblewrap 0.8.0" && exit 0';

test.each([
	["required", "none", "none"],
	["preferred", "off", "none"],
	["off", "off", "none"],
	["container", "container", "container"],
] as const)("without bubblewrap, %s gives %s for the operator and %s for chat", async (mode, own, chat) => {
	const chosen = sandboxes({ mode, path: join(directory.path, "bin") });
	expect((await chosen.of({ chat: false, roots: [root] })).mode).toBe(own);
	expect((await chosen.of({ chat: true, roots: [root] })).mode).toBe(chat);
});

test("in a container, the sandbox status reports that commands of a chat can reach files of the gateway", async () => {
	const chosen = sandboxes({ mode: "container" });
	expect(await chosen.of({ chat: true, roots: [root] })).toMatchObject({ exposed: true });
	expect(await chosen.of({ chat: false, roots: [root] })).not.toHaveProperty("exposed");
});

test("without a sandbox, a refusal has the reason and the fix", async () => {
	const chosen = sandboxes({ path: join(directory.path, "bin") });
	expect(chosen.state).toEqual({ mode: "preferred", state: "wanted", probes: 0 });
	const checking = chosen.check();
	expect(chosen.state).toEqual({ mode: "preferred", state: "checking", probes: 0 });
	const state = await checking;
	expect(state).toEqual({
		mode: "preferred",
		state: "unavailable",
		operator: "off",
		chat: "none",
		probes: 0,
		reason: expect.any(String),
		fix: expect.stringContaining("bubblewrap"),
	});
	const chat = await chosen.of({ chat: true, roots: [root] });
	expect(chat.refusal).toBe(
		`commands of this session require a sandbox, and it is unavailable: ${state.reason}; the operator can fix that: ${state.fix}`,
	);
	await expect(chat.run(shellCommand("true", root))).rejects.toThrow(chat.refusal);
	expect(log.records).toMatchObject([
		{ level: "debug" },
		{ level: "warn", fields: { reason: state.reason } },
	]);
});

test.runIf(process.platform === "linux")(
	"a bubblewrap that does not isolate is detected by name",
	async () => {
		// The script runs every command unconfined in the command's directory.
		const path = await putBubblewrap(
			`${version}\ncd "$(tr '\\0' '\\n' <&3 | tail -n 1)"; while [ "$1" != -- ]; do shift; done; shift; exec "$@"`,
		);
		const { state, reason, fix } = await sandboxes({ path }).check();
		expect(state).toBe("unavailable");
		expect(reason).toMatch(/^a command can escape from the sandbox: read-beside, .*git-hook/);
		expect(fix).toBeUndefined();
	},
);

test.runIf(process.platform === "linux").each([
	["echo 'bubblewrap 0.4.1'", "bubblewrap 0.4 is too old", "a later version"],
	["echo hello", "is not bubblewrap: its version text belongs to another program", "bubblewrap"],
	[
		`${version}; echo 'bwrap: No permissions to create new namespace' >&2; exit 1`,
		"the sandbox could not be set up: No permissions to create new namespace",
		"",
	],
	[`${version}; exit 3`, "the sandbox could not be set up: it ended with code 3", ""],
	[
		`${version}; echo 'Failed to connect to bus: No such file or directory' >&2; exit 1`,
		"the sandbox could not be set up: Failed to connect to bus: No such file or directory",
		"",
	],
])("bubblewrap that does %j is unavailable", async (script, reason, fix) => {
	const state = await sandboxes({ path: await putBubblewrap(script) }).check();
	expect(state).toMatchObject({ state: "unavailable", reason: expect.stringContaining(reason) });
	if (fix === undefined) expect(state.fix).toBeUndefined();
	else expect(state.fix).toContain(fix);
});

test.skipIf(!hasBubblewrap)(
	"the operator's mode never loosens chat, and the check is made once",
	async () => {
		const off = sandboxes({ mode: "off" });
		expect(off.state).toEqual({ mode: "off", state: "unused", operator: "off", probes: 0 });
		const [one, other] = await Promise.all([1, 2].map(() => off.of({ chat: true, roots: [root] })));
		expect([one?.mode, other?.mode]).toEqual(["bubblewrap", "bubblewrap"]);
		expect(one?.network).toBeUndefined();
		expect((await off.of({ chat: false, roots: [root] })).mode).toBe("off");
		expect(off.state).toMatchObject({ state: "ready", operator: "off", chat: "bubblewrap" });
		expect(off.state.probes).toBeGreaterThan(12);
		expect(log.records.filter(({ level }) => level === "info")).toHaveLength(1);
	},
);

test.skipIf(!hasBubblewrap)("an approval under one profile is invalid under another", async () => {
	const chosen = sandboxes({ mode: "required" });
	const profile = async (roots: string[]) => (await chosen.of({ chat: false, roots })).profile;
	expect(await profile([root])).toBe(await profile([root]));
	expect(await profile([root])).toMatch(/^bubblewrap [0-9a-f]{16}$/);
	expect(await profile([root])).not.toBe(await profile([root, directory.path]));
});

test.skipIf(!hasBubblewrap)(
	"a root that leaves no file hidden from commands is refused for a sandbox",
	async () => {
		const chosen = sandboxes();
		for (const wide of ["/", "/usr", "/run", "/run/user/1000", "/var/run/x", join(directory.path, "data")]) {
			expect((await chosen.of({ chat: false, roots: [wide] })).mode).toBe("off");
			const { refusal } = await chosen.of({ chat: true, roots: [root, wide] });
			expect(refusal).toContain(`with the root ${wide} would protect nothing`);
		}
	},
);

test.skipIf(!hasBubblewrap)(
	"only commands that share the gateway's network are marked as possible clients",
	async () => {
		const chosen = sandboxes();
		const sandbox = await chosen.of({ chat: false, roots: [root] });
		await sandbox.run(shellCommand("true", root));
		expect([chosen.marker, chosen.processes()]).toEqual([undefined, []]);
		await sandbox.network?.run(shellCommand("true", root));
		expect(chosen.marker).toMatch(/^commands_/);
		expect(chosen.processes()).toHaveLength(1);
	},
);
