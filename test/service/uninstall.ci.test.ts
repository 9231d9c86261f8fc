import { spawn } from "node:child_process";
import { once } from "node:events";
import {
	existsSync,
	mkdirSync,
	readdirSync,
	readFileSync,
	renameSync,
	rmSync,
	symlinkSync,
	writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect, test } from "vitest";
import { documentedArguments } from "../docs/shell-blocks.ts";
import { binary } from "../gateway-process.ts";
import { Managers } from "./managers.ts";

test("uninstall removes the service, and keeps the data unless the operator requests its deletion", async () => {
	await using managers = await Managers.open();
	await managers.succeeds(["service", "install"]);
	const planned = await managers.succeeds(["uninstall", "--dry-run", "--data-too"]);
	expect(planned).toMatch(
		/would remove: .*parley\.service\nwould stop: .*\nwould delete: .*\nremains: the program/,
	);
	expect(await managers.json(["service", "status"])).toMatchObject({ state: "running" });

	const first = await managers.succeeds(documentedArguments("install: parley uninstall"));
	expect(first).toContain(`removed: the service in ${managers.unit}\nkept: the data in ${managers.data} `);
	expect(first).toMatch(/remains: the program; remove it: delete the clone \S+\n$/);
	expect(existsSync(managers.unit)).toBe(false);
	expect(await managers.run(["status"])).toMatchObject({ code: 1 });

	const refused = await managers.run(["uninstall", "--data-too"]);
	expect(refused).toMatchObject({ code: 2, error: expect.stringContaining("Use `-y` to confirm") });
	expect(await managers.succeeds(["uninstall", "--data-too", "-y"])).toContain(
		`deleted: the data in ${managers.data}\n`,
	);
	expect(readdirSync(managers.root).filter((name) => name.startsWith("data"))).toEqual([]);
	expect(await managers.succeeds(["uninstall", "--data-too", "-y"])).toContain(
		`no data: ${managers.data} does not exist\n`,
	);
});

test("uninstall stops a gateway that runs without a service, and removes the remains of a killed command", async () => {
	await using managers = await Managers.open();
	const gateway = spawn(process.execPath, [binary, "gateway"], {
		cwd: managers.work,
		env: managers.environment,
		stdio: ["ignore", "pipe", "ignore"],
	});
	await once(createInterface(gateway.stdout), "line");
	mkdirSync(`${managers.data}.deleted-4000000`);
	const out = await managers.succeeds(["uninstall", "--data-too", "--yes"]);
	expect(out).toContain(
		`stopped: the gateway (process ${gateway.pid})\ndeleted: the data in ${managers.data}\n`,
	);
	expect(readdirSync(managers.root).filter((name) => name.startsWith("data"))).toEqual([]);
});

test("a directory that no gateway has used is not deleted", async () => {
	await using managers = await Managers.open();
	writeFileSync(join(managers.home, "letter.txt"), "dear");
	for (const directory of [managers.home, managers.root]) {
		const { code, error } = await managers.run(["uninstall", "--data", directory, "--data-too", "--yes"]);
		expect({ code, error }).toEqual({ code: 1, error: expect.stringContaining("is not deleted") });
	}
	// `uninstall` never deletes a home directory, even if it contains a database.
	writeFileSync(join(managers.home, "parley.sqlite"), "x");
	expect(await managers.run(["uninstall", "--data", managers.home, "--data-too", "--yes"])).toMatchObject({
		code: 1,
	});
	expect(existsSync(join(managers.home, "letter.txt"))).toBe(true);
	expect(await managers.run(["uninstall", "--keep-data", "--data-too"])).toMatchObject({ code: 2 });
});

test("a repeated command deletes the data that a killed command has only renamed", async () => {
	await using managers = await Managers.open();
	const [data, target, renamed] = ["link", "data", "data.deleted-4000000"].map((name) =>
		join(managers.root, name),
	) as [string, string, string];
	mkdirSync(target);
	symlinkSync(target, data);
	renameSync(target, renamed);
	writeFileSync(join(renamed, "parley.sqlite"), "x");
	const remaining = await managers.succeeds(["uninstall", "--data", data]);
	expect(remaining).toContain(`kept: the data in ${renamed} `);
	expect(existsSync(renamed)).toBe(true);
	const deleted = await managers.succeeds(["uninstall", "--data", data, "--data-too", "--yes"]);
	expect(deleted).toContain(`deleted: the data in ${data}\n`);
	expect(readdirSync(managers.root).filter((name) => /^(?:data|link)/.test(name))).toEqual([]);
});

test("a service is detected and removed, even if a link refers to the data directory", async () => {
	await using managers = await Managers.open();
	await managers.succeeds(["service", "install"]);
	const link = join(managers.root, "link");
	symlinkSync(managers.data, link);
	const out = await managers.succeeds(["uninstall", "--data", link, "--data-too", "--yes"]);
	expect(out).toContain(`removed: the service in ${managers.unit}\n`);
	expect(existsSync(managers.unit)).toBe(false);
	expect(readdirSync(managers.root).filter((name) => /^(?:data|link)/.test(name))).toEqual([]);
});

test("data that another copy of Parley uses is not deleted, and that copy continues", async () => {
	await using managers = await Managers.open();
	const other = join(managers.root, "other/bin/parley.mjs");
	mkdirSync(join(managers.root, "other/bin"), { recursive: true });
	writeFileSync(other, `await import(${JSON.stringify(binary)});`);
	await managers.succeeds(["service", "install"]);
	const unit = join(managers.unit, "../second.service");
	writeFileSync(unit, readFileSync(managers.unit, "utf8").replace(binary, other));
	const refused = await managers.run(["uninstall", "--data-too", "--yes"]);
	expect(refused).toMatchObject({
		code: 1,
		error: expect.stringContaining(`another copy of Parley uses the data (${unit})`),
	});
	expect(existsSync(managers.unit)).toBe(true);
	const out = await managers.succeeds(["uninstall"]);
	expect(out).toContain(`removed: the service in ${managers.unit}\n`);
	expect(out).toContain(`remains: the service in ${unit}, which starts another copy of Parley (${other})\n`);
	rmSync(unit);

	const gateway = spawn(process.execPath, [other, "gateway"], {
		cwd: managers.work,
		env: managers.environment,
		stdio: ["ignore", "pipe", "ignore"],
	});
	await once(createInterface(gateway.stdout), "line");
	const repeated = await managers.run(["uninstall", "--data-too", "--yes"]);
	expect(repeated).toMatchObject({ code: 1, error: expect.stringContaining(`(process ${gateway.pid})`) });
	expect(await managers.succeeds(["uninstall"])).toContain(
		`remains: the gateway (process ${gateway.pid}), which`,
	);
	expect(existsSync(managers.data)).toBe(true);
	gateway.kill();
	await once(gateway, "close");
});
