import { on, once } from "node:events";
import { existsSync, readdirSync, readFileSync, rmSync, watch, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, expect, test } from "vitest";
import { PlayedBlock } from "../docs/played-block.ts";
import { documented, documentedArguments } from "../docs/shell-blocks.ts";
import { UpgradeMachine, Versions } from "./upgrade-machine.ts";

let versions: Versions;

beforeAll(async () => {
	versions = await Versions.make();
});
afterAll(() => versions[Symbol.dispose]());

test("a service is upgraded with a copy of its data, after a rollback that starts it again", async () => {
	await using machine = await UpgradeMachine.open(versions);
	expect((await machine.run("service", "install")).error).toBe("");
	const upgrade = upgradeOf("install: parley upgrade --to ./parley-agent-0.2.0.tgz");
	const checked = await machine.run(...upgrade, "--check");
	expect(checked.out).toContain(
		"parley-agent 1.0.0 can be upgraded to 2.0.0\nstops and starts again: the service in ",
	);
	const failed = await machine.upgrade("4.0.0", "--json");
	expect(failed).toMatchObject({ code: 1, error: expect.stringContaining("rolled back to ") });
	expect(JSON.parse(failed.out)).toMatchObject({ gateways: [{ version: "1.0.0" }] });
	expect(machine.version()).toBe("1.0.0");
	expect(await machine.isMigrated()).toBe(false);
	expect((await machine.managers.json(["service", "status"]))["health"]).toBe("ok");
	const repeated = upgradeOf("upgrade: parley upgrade --to ./parley-agent-0.2.0.tgz");
	const { out, error, code } = await machine.run(...repeated, "--yes", "--json");
	expect({ error, code }).toEqual({ error: "", code: 0 });
	const result = JSON.parse(out);
	expect(result).toMatchObject({
		result: "upgraded",
		from: "1.0.0",
		to: "2.0.0",
		copies: [
			{ data: machine.data, file: expect.stringMatching(/\/data-copies\/data-before-2\.0\.0-\w+\.tar\.gz$/) },
		],
		gateways: [{ version: "2.0.0" }],
	});
	expect(machine.version()).toBe("2.0.0");
	expect(await machine.isMigrated()).toBe(true);
	expect(readdirSync(join(machine.prefix, "lib/node_modules"))).toEqual(["parley-agent"]);
	expect((await machine.managers.json(["service", "status"]))["health"]).toBe("ok");
	expect(await machine.upgrade("2.0.0")).toMatchObject({
		code: 0,
		out: "parley-agent 2.0.0 is already installed\n",
	});
	// The old version refuses data of the newer version.
	await machine.run("stop");
	const old = await machine.runOld("upgrade", "--migrate");
	expect(old).toMatchObject({
		code: 1,
		error: expect.stringMatching(/a newer version of Parley wrote the database .*upgrade the program/),
	});
	await downgrade(machine, result.copies[0].file);
});

function upgradeOf(block: string): string[] {
	return documentedArguments(block, [["./parley-agent-0.2.0.tgz", versions.file("2.0.0")]]);
}

/** Plays the documented downgrade. `copy` is the path of the backup. */
async function downgrade(machine: UpgradeMachine, copy: string): Promise<void> {
	const block = documented("upgrade: parley stop", [
		["~/.local/share/parley-copies/parley-before-0.2.0-20261129T104500123Z.tar.gz", copy],
		["~/.local ", `'${machine.prefix}' `],
		["./parley-agent-0.1.0.tgz", versions.file("1.0.0")],
	]);
	const { environment, work } = machine.managers;
	const PATH = [join(machine.prefix, "bin"), dirname(process.execPath), environment["PATH"]].join(delimiter);
	const cache = join(versions.directory, "cache");
	await using played = new PlayedBlock(block, {
		cwd: work,
		env: { ...environment, PATH, npm_config_cache: cache, npm_config_update_notifier: "false" },
	});
	await played.shows("parley listening on ");
	expect(machine.version()).toBe("1.0.0");
	expect(await machine.isMigrated()).toBe(false);
	played.interrupt();
	await played.ended();
}

test("after a failed migration, the old version and the old data are back", async () => {
	await using machine = await UpgradeMachine.open(versions);
	const before = machine.package();
	const { error, code } = await machine.upgrade("3.0.0");
	expect({ error, code }).toEqual({
		code: 1,
		error: expect.stringMatching(
			/^parley: rolled back to .*, because the upgrade of parley-agent to 3\.0\.0 failed: .*migration 9999-added failed/,
		),
	});
	expect(machine.package()).toEqual(before);
	expect(machine.version()).toBe("1.0.0");
	expect(await machine.isMigrated()).toBe(false);
});

test("if the new gateway does not start, the old one continues with its flags and the old data", async () => {
	await using machine = await UpgradeMachine.open(versions);
	const { port } = machine.managers;
	const gateway = machine.start("gateway", "--log-level", "debug");
	if (gateway.stdout) await once(createInterface(gateway.stdout), "line");
	const { out, error, code } = await machine.upgrade("4.0.0", "--json");
	expect({ error, code }).toEqual({ code: 1, error: expect.stringContaining("no start") });
	const { result, notes, gateways } = JSON.parse(out);
	expect({ result, notes }).toEqual({
		result: "rolled_back",
		notes: [expect.stringMatching(/^the data of the failed upgrade is in .*before-restore-/)],
	});
	expect(gateways).toMatchObject([{ version: "1.0.0", urls: [`http://127.0.0.1:${port}`] }]);
	expect(await machine.isMigrated()).toBe(false);
	expect(readFileSync(join(machine.data, "agents/writer.md"), "utf8")).toBe("You write.");
	const [line] = readFileSync(`/proc/${gateways[0].pid}/cmdline`, "utf8").split("\0").slice(-4);
	expect(line).toBe("gateway");
	await machine.run("stop");
});

// packages/cli/src/upgrade/swap-package.test.ts tests all failpoints of a swap.
test.each([
	["upgrade.aside", "2.0.0"],
	["rollback.placed", "3.0.0"],
] as const)("after a kill at %s of an upgrade to %s, the next command rolls back", async (point, to) => {
	await using machine = await UpgradeMachine.open(versions);
	const before = machine.package();
	expect(await machine.upgrade(to, "--test-hooks", `${point}=kill@1`)).toMatchObject({ signal: "SIGKILL" });
	const { code, error } = await machine.run("upgrade");
	expect({ code, error }).toEqual({ code: 1, error: expect.stringContaining("rolled back to ") });
	expect(machine.package()).toEqual(before);
	expect(machine.version()).toBe("1.0.0");
	expect(await machine.isMigrated()).toBe(false);
});

test("a gateway with another data directory is refused, and after a kill that follows the start of the new gateway, the next command completes the upgrade", async () => {
	await using machine = await UpgradeMachine.open(versions);
	const gateway = machine.start("gateway");
	if (gateway.stdout) await once(createInterface(gateway.stdout), "line");
	const other = join(machine.managers.root, "other");
	expect(await machine.upgrade("2.0.0", "--data", other)).toMatchObject({
		code: 1,
		error: expect.stringMatching(new RegExp(`process ${gateway.pid} in .* with another data directory`)),
	});
	const killed = await machine.upgrade("2.0.0", "--test-hooks", "upgrade.started=kill@1");
	expect(killed).toMatchObject({ signal: "SIGKILL" });
	const { code, out, error } = await machine.run("upgrade");
	expect({ code, error }).toEqual({ code: 0, error: "" });
	expect(out).toContain("completed the interrupted upgrade: parley-agent 1.0.0 to 2.0.0\n");
	expect(machine.version()).toBe("2.0.0");
	expect(await machine.isMigrated()).toBe(true);
	expect(readdirSync(join(machine.prefix, "lib/node_modules"))).toEqual(["parley-agent"]);
	await machine.run("stop");
});

test("a signal rolls the upgrade back", async () => {
	await using machine = await UpgradeMachine.open(versions);
	const before = machine.package();
	const modules = join(machine.prefix, "lib/node_modules");
	const hasBegun = appears(modules, ".parley-agent-upgrade");
	const upgrade = machine.start("upgrade", "--to", versions.file("2.0.0"), "--yes");
	const error = upgrade.stderr ? text(upgrade.stderr) : "";
	await hasBegun;
	await appears(join(modules, ".parley-agent-upgrade"), "stage");
	upgrade.kill("SIGTERM");
	expect(await once(upgrade, "close")).toEqual([1, null]);
	expect(await error).toMatch(
		/^rolling back; .*\nparley: rolled back to .*, because the upgrade .* failed: interrupted\n$/,
	);
	expect(machine.package()).toEqual(before);
});

async function appears(directory: string, name: string): Promise<void> {
	const watcher = watch(directory);
	try {
		const changes = on(watcher, "change");
		if (existsSync(join(directory, name))) return;
		for await (const [, changed] of changes) if (changed === name) return;
	} finally {
		watcher.close();
	}
}

test("a clone and a container are refused, and nothing changes", async () => {
	await using machine = await UpgradeMachine.open(versions);
	const before = machine.package();
	const clone = await machine.managers.run(["upgrade", "--to", versions.file("2.0.0"), "--yes"]);
	expect(clone).toMatchObject({
		code: 1,
		error: expect.stringMatching(/cannot upgrade the clone .*`git pull`/),
	});
	expect(await machine.run("upgrade", "--to", versions.file("2.0.0"))).toMatchObject({ code: 2 });
	writeFileSync(join(machine.prefix, "container-health.mjs"), "");
	expect(await machine.upgrade("2.0.0")).toMatchObject({
		code: 1,
		error: expect.stringContaining("docker compose"),
	});
	rmSync(join(machine.prefix, "container-health.mjs"));
	expect(machine.package()).toEqual(before);
});
