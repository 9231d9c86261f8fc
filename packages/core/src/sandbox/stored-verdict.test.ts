import { chmod, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createIds, silentLogger, systemClock } from "@parley/base";
import { ManualClock } from "@parley/base/testing";
import { afterEach, beforeEach, expect, test } from "vitest";
import { hasBubblewrap, shellCommand } from "../testing/commands.ts";
import { createDirectory } from "../testing/tool-context.ts";
import { createBubblewrap, sampleOf } from "./bubblewrap/bubblewrap.ts";
import { describeSystem } from "./bubblewrap/system-layout.ts";
import { eachProcess } from "./commands/command-limits.ts";
import { CommandRuns } from "./commands/command-runs.ts";
import { findProgram } from "./commands/environment.ts";
import { createSandboxes, type SandboxesOptions } from "./sandboxes.ts";
import { keyOf, StoredVerdict, thisSystem } from "./self-test.ts";
import { filterProgram, filterRules, noUnixSockets } from "./system-calls/filter.ts";

let directory: Awaited<ReturnType<typeof createDirectory>>;
let file: string;
/** File with a line for each run of a sandbox. */
let runs: string;
/** File that makes the following runs fail. */
let broken: string;

beforeEach(async () => {
	directory = await createDirectory();
	await chmod(directory.path, 0o700);
	[file, runs, broken] = ["verdict", "runs", "broken"].map((name) => join(directory.path, name)) as [
		string,
		string,
		string,
	];
});
afterEach(() => directory[Symbol.asyncDispose]());

async function startProcess(options: Partial<SandboxesOptions> = {}) {
	const real = await findProgram("bwrap", "/usr/bin:/usr/local/bin:/bin");
	const script = join(directory.path, "bwrap");
	const lines = [
		"#!/bin/sh",
		`[ "$1" = --version ] && exec ${real} --version`,
		`echo run >>${runs}`,
		`[ -e ${broken} ] && echo 'bwrap: No permissions to create new namespace' >&2 && exit 1`,
		`exec ${real} "$@"`,
		"",
	];
	if ((await readFile(script, "utf8").catch(() => "")) === "") {
		await writeFile(script, lines.join("\n"), { mode: 0o755 });
	}
	return createSandboxes({
		mode: "preferred",
		environment: process.env,
		clock: systemClock,
		ids: createIds(),
		log: silentLogger,
		hidden: [],
		path: directory.path,
		verdict: { file, build: "1" },
		...options,
	});
}

async function countRuns(): Promise<number> {
	const text = await readFile(runs, "utf8").catch(() => "");
	await rm(runs, { force: true });
	return text.split("\n").length - 1;
}

const request = () => ({ chat: false, roots: [directory.path] });

test.skipIf(!hasBubblewrap)("the next process does not repeat successful probes", async () => {
	const state = await (await startProcess()).check();
	expect(state.state).toBe("ready");
	expect(await countRuns()).toBe(1);
	expect((await stat(file)).mode & 0o777).toBe(0o600);
	const next = await startProcess();
	expect(await next.check()).toEqual(state);
	expect(await countRuns()).toBe(0);
	const { mode, run } = await next.of(request());
	expect(mode).toBe("bubblewrap");
	expect(await run(shellCommand("echo inside", directory.path))).toMatchObject({ output: "inside\n" });
	expect(await countRuns()).toBe(1);
});

test.skipIf(!hasBubblewrap)(
	"another version, another profile or another binary is probed again",
	async () => {
		await (await startProcess()).check();
		await countRuns();
		const changes: readonly Partial<SandboxesOptions>[] = [
			{ verdict: { file, build: "2" } },
			{ hidden: [join(directory.path, "data")] },
			{ environment: { ...process.env, LANG: "xx_XX" } },
		];
		for (const change of changes) {
			await (await startProcess(change)).check();
			expect(await countRuns()).toBe(1);
		}
		await (await startProcess()).check();
		expect(await countRuns()).toBe(0);
		await rm(join(directory.path, "bwrap"));
		await (await startProcess()).check();
		expect(await countRuns()).toBe(1);
	},
);

test.skipIf(!hasBubblewrap)(
	"a sandbox that fails to start invalidates the verdict, and no command runs without a sandbox instead",
	async () => {
		await (await startProcess()).check();
		const { of, check } = await startProcess();
		const sandbox = await of(request());
		await writeFile(broken, "");
		const ran = join(directory.path, "ran");
		const command = shellCommand(`touch ${ran}`, directory.path);
		await expect(sandbox.run(command)).rejects.toThrow("the sandbox could not be set up");
		await expect(stat(file)).rejects.toThrow("ENOENT");
		// Without the record of the failure, mode `preferred` would run the command without a sandbox.
		const later = await of(request());
		expect(later).toMatchObject({ mode: "none", refusal: expect.stringContaining("No permissions") });
		await expect(later.run(command)).rejects.toThrow("No permissions");
		expect(await check()).toMatchObject({ state: "unavailable", operator: "none" });
		await expect(stat(ran)).rejects.toThrow("ENOENT");
	},
);

test.skipIf(!hasBubblewrap)("after a failed start, a sandbox that works again is used again", async () => {
	const { of } = await startProcess();
	const sandbox = await of(request());
	await writeFile(broken, "");
	await expect(sandbox.run(shellCommand("true", directory.path))).rejects.toThrow("could not be set up");
	await rm(broken);
	await countRuns();
	expect(await of(request())).toMatchObject({ mode: "bubblewrap" });
	expect(await countRuns()).toBe(1);
});

test.skipIf(!hasBubblewrap)(
	"commands whose sandbox fails to start cause one check in ten minutes, and never run without one",
	async () => {
		const clock = new ManualClock();
		const { of, check } = await startProcess({ clock });
		await check();
		const ran = join(directory.path, "ran");
		const fail = async (): Promise<void> => {
			const { run } = await of(request());
			await writeFile(broken, "");
			await expect(run(shellCommand(`touch ${ran}`, directory.path))).rejects.toThrow("could not be set up");
			await rm(broken);
		};
		const checksOf = async (failures: number): Promise<number> => {
			await countRuns();
			for (let n = 0; n < failures; n += 1) await fail();
			expect(await of(request())).toMatchObject({ mode: "bubblewrap" });
			return (await countRuns()) - failures;
		};
		expect(await checksOf(4)).toBe(1);
		expect(await checksOf(4)).toBe(0);
		clock.advance(10 * 60_000);
		expect(await checksOf(4)).toBe(1);
		await expect(stat(ran)).rejects.toThrow("ENOENT");
	},
);

test("a verdict is read only from a private file of this user", async () => {
	const key = "0".repeat(64);
	const stored = new StoredVerdict(file);
	await stored.add(key, 20);
	expect(await stored.find(key)).toBe(20);
	await chmod(file, 0o620);
	expect(await stored.find(key)).toBeUndefined();
	await chmod(file, 0o600);
	await chmod(directory.path, 0o777);
	expect(await stored.find(key)).toBeUndefined();
	await chmod(directory.path, 0o700);
	await symlink(file, join(directory.path, "link"));
	expect(await new StoredVerdict(join(directory.path, "link")).find(key)).toBeUndefined();
	expect(await stored.find(key)).toBe(20);
	await writeFile(file, `${key} 0\n${key}\nnonsense\n`);
	expect(await stored.find(key)).toBeUndefined();
});

test.runIf(process.platform === "linux")(
	"the key of the system consists of this boot and this user",
	async () => {
		const boot = await readFile("/proc/sys/kernel/random/boot_id", "utf8");
		expect(await thisSystem()).toEqual({ boot, user: process.getuid?.() });
	},
);

test("a file keeps the latest sixteen verdicts", async () => {
	const stored = new StoredVerdict(file);
	const keys = Array.from({ length: 18 }, (_, index) => String(index).padStart(64, "0"));
	for (const key of keys) await stored.add(key, 7);
	const known = await Promise.all(keys.map((key) => stored.find(key)));
	expect(known.map((count) => count !== undefined)).toEqual(keys.map((_, index) => index >= 2));
});

test.runIf(process.platform === "linux")(
	"the key names the boot, the user, the binary, the build, the profile and the sample",
	async () => {
		const program = process.execPath;
		const system = { boot: "b", user: 1000 };
		const circumstances = {
			program,
			version: [0, 11] as const,
			build: "1",
			profile: "p",
			sample: "s",
			system,
		};
		const key = await keyOf(circumstances);
		expect(key).toMatch(/^[0-9a-f]{64}$/);
		expect(await keyOf(circumstances)).toBe(key);
		expect(await keyOf({ ...circumstances, system: { ...system, boot: "c" } })).not.toBe(key);
		expect(await keyOf({ ...circumstances, system: { ...system, user: 1001 } })).not.toBe(key);
		expect(await keyOf({ ...circumstances, system: await thisSystem() })).not.toBe(key);
		expect(await keyOf({ ...circumstances, version: [0, 10] })).not.toBe(key);
		expect(await keyOf({ ...circumstances, build: "2" })).not.toBe(key);
		expect(await keyOf({ ...circumstances, profile: "q" })).not.toBe(key);
		expect(await keyOf({ ...circumstances, sample: "t" })).not.toBe(key);
		expect(await keyOf({ ...circumstances, program: "/bin/sh" })).not.toBe(key);
	},
);

test.runIf(process.platform === "linux")(
	"the sample has the mounts, the prelude and the bytes of the filter, which the profile does not have",
	async () => {
		const parts = { clock: systemClock, ids: createIds(), log: silentLogger };
		const environment = { PATH: "/usr/bin:/bin" };
		const bubblewrap = {
			program: "/usr/bin/bwrap",
			version: [0, 11] as const,
			environment,
			hidden: [],
			steering: [],
			layout: await describeSystem({ path: environment.PATH, home: undefined }),
			runs: new CommandRuns(parts),
			guards: { ...parts, remaining: new Set<string>(), shownNotes: new Set<string>() },
			failedToStart: async () => undefined,
			architecture: "x64" as const,
			unixSockets: false,
			limiter: eachProcess,
			keyctl: undefined,
			stat: "/usr/bin/stat",
		};
		const profile = { roots: [], gitSettings: "", network: undefined };
		const sample = await sampleOf(bubblewrap, profile);
		expect(await sampleOf(bubblewrap, profile)).toBe(sample);
		const hex = (bytes: string | Uint8Array): string => Buffer.from(bytes).toString("hex");
		expect(sample).toContain(hex(filterProgram([...noUnixSockets, ...filterRules], "x64")));
		expect(sample).toContain(hex(["--remount-ro", "/dev"].join("\0")));
		expect(sample).toContain("ulimit -n");
		// A different architecture has the same filter rules in a different encoding.
		const other = { ...bubblewrap, architecture: "arm64" as const };
		expect(createBubblewrap(other, profile).profile).toBe(createBubblewrap(bubblewrap, profile).profile);
		expect(await sampleOf(other, profile)).not.toBe(sample);
	},
);
