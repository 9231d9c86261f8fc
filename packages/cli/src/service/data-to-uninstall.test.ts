import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { CapturedIo } from "../testing/captured-io.ts";
import { dataToUninstall } from "./data-to-uninstall.ts";
import { allServices, programOfService } from "./find-service.ts";
import { launchdPlist } from "./launchd-plist.ts";
import { type Machine, thisMachine } from "./machine.ts";
import type { ServicePlan } from "./service-plan.ts";
import { systemdUnit } from "./systemd-unit.ts";

let root: string;
let machine: Machine;

beforeEach(async () => {
	root = await mkdtemp(join(tmpdir(), "parley-uninstall-"));
	const own = thisMachine({ environment: { HOME: root } });
	machine = { ...own, platform: "linux", uid: 0, systemUnits: join(root, "units") };
	await mkdir(join(root, "units"));
});
afterEach(() => rm(root, { recursive: true }));

function planOf(name: string, data: string, program = "/opt/parley/bin/parley.mjs"): ServicePlan {
	return {
		name,
		scope: "system",
		version: "1.0.0",
		argv: ["/usr/bin/node", program, "gateway", "--data", data],
		workingDirectory: "/",
		environment: {},
		environmentFile: `/etc/${name}.env`,
		data,
		needsSetuid: false,
	};
}

async function installed(name: string, data: string): Promise<void> {
	await writeFile(join(root, "units", `${name}.service`), systemdUnit(planOf(name, data), 255));
}

test("root finds the data of the one service of the system", async () => {
	const [usual, data] = [join(root, "usual"), join(root, "lib/parley")];
	const io = new CapturedIo();
	expect(await dataToUninstall({ usual }, { io, machine })).toBe(usual);
	await installed("parley", data);
	expect(await dataToUninstall({ usual }, { io, machine })).toBe(data);
	expect(await dataToUninstall({ usual }, { io, machine: { ...machine, uid: 1000 } })).toBe(usual);
	expect(await dataToUninstall({ usual, data: "chosen" }, { io, machine })).toBe("/chosen");
	const chosen = new CapturedIo({ PARLEY_DATA: "/variable" });
	expect(await dataToUninstall({ usual }, { io: chosen, machine })).toBe("/variable");
});

test("root must choose if there are several data directories", async () => {
	const [usual, data] = [join(root, "usual"), join(root, "lib/parley")];
	const io = new CapturedIo();
	await installed("parley", data);
	await mkdir(usual);
	const several = `cannot choose one of several data directories (${usual}, ${data}): use \`--data DIR\``;
	await expect(dataToUninstall({ usual }, { io, machine })).rejects.toThrow(several);
	await rm(usual, { recursive: true });
	await installed("second", `${data}-2`);
	await expect(dataToUninstall({ usual }, { io, machine })).rejects.toThrow(
		"cannot choose one of several data directories",
	);
});

test.each([
	"/opt/parley/bin/parley.mjs",
	'/opt/100% "$HOME" & <co>/bin/parley.mjs',
	"/opt/a b/bin/parley.mjs",
])("the program %s is read from the description of a service", async (program) => {
	const plan = planOf("parley", join(root, "data"), program);
	await writeFile(join(root, "units/parley.service"), systemdUnit(plan, 255));
	const [service] = await allServices(machine);
	expect(service && programOfService(service)).toBe(program);
	expect(programOfService({ text: launchdPlist(plan) })).toBe(program);
});
