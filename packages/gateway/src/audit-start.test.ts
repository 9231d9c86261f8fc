import { mkdtemp, readdir, realpath, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ManualClock } from "@parley/base/testing";
import type { AuditEntry } from "@parley/core";
import { expect, test } from "vitest";
import { auditStart } from "./audit-start.ts";
import { leaveRestoreNote } from "./backup/restore-note.ts";
import type { Config } from "./config/load.ts";

async function start(data: string, changes: Partial<Config> = {}): Promise<AuditEntry[]> {
	const noted: AuditEntry[] = [];
	const config: Config = {
		listen: [],
		data,
		root: [],
		provider: "offline",
		auth: "local",
		logLevel: "info",
		allowedHosts: [],
		...changes,
	};
	await auditStart(
		{ config, version: "1.2.3", sandbox: "preferred" },
		{ note: async (entry) => void noted.push(entry) },
	);
	return noted;
}

const directory = (): Promise<string> =>
	mkdtemp(join(tmpdir(), "parley-audit-start-")).then((path) => realpath(path));

test("a start records the disabled protections", async () => {
	const [row, ...more] = await start(await directory(), { auth: "none", insecureLan: true });
	expect(row).toMatchObject({
		action: "gateway.start",
		args: { version: "1.2.3", auth: "none", sandbox: "preferred", insecureLan: true },
	});
	expect(more).toEqual([]);
});

test("the first start after a restore records it once", async () => {
	const data = await directory();
	const clock = new ManualClock();
	await leaveRestoreNote(data, { clock, createdAt: "2025-12-31T00:00:00.000Z", version: "1.0.0" });
	const [restored] = await start(data);
	expect(restored).toMatchObject({
		principal: "operator",
		via: "cli",
		action: "backup.restore",
		args: { restored_at: "2026-01-01T00:00:00.000Z", backup_of: "2025-12-31T00:00:00.000Z" },
	});
	expect(await readdir(data)).toEqual(["run"]);
	expect(await start(data)).toHaveLength(1);
});

test("an overwritten note is reported and does not prevent the start", async () => {
	for (const text of ["{}", "no JSON"]) {
		const data = await directory();
		await writeFile(join(data, "restored.json"), text);
		expect((await start(data))[0]).toMatchObject({ action: "backup.restore", args: { unreadable: true } });
	}
});
