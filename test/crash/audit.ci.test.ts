import { existsSync } from "node:fs";
import { mkdir, mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readSqliteFile } from "@parley/base";
import { paced } from "@parley/base/testing";
import { checkAudit, type Tables } from "@parley/core";
import { expect, test } from "vitest";
import { OzzieClient } from "../conformance/drivers/ozzie-client.ts";
import { choosePort, GatewayProcess, patienceMs } from "../gateway-process.ts";

/** Returns the audited tool actions with their decisions. Also verifies the hash chain of the audit log. */
async function readAudit(data: string): Promise<string[]> {
	return readSqliteFile<Tables, string[]>(join(data, "parley.sqlite"), async (db) => {
		expect(await checkAudit({ read: (query) => query(db) })).toMatchObject({ ok: true });
		const rows = await db.selectFrom("audit").select(["action", "decision"]).orderBy("seq").execute();
		return rows
			.map(({ action, decision }) => `${action} ${decision}`)
			.filter((row) => row.startsWith("tool."));
	});
}

test("after a kill of the gateway at any time, the chain is complete, and each effect has its row", {
	timeout: paced(4 * patienceMs),
}, async () => {
	const directory = await realpath(await mkdtemp(join(tmpdir(), "parley-audit-crash-")));
	for (const [hook, written, rows] of [
		["store.commit=kill@8", false, undefined],
		["tool-running=kill@1", false, ["tool.start allowed"]],
		["tool-exit=kill@1", true, ["tool.start allowed"]],
	] as const) {
		const [data, root] = [join(directory, hook, "data"), join(directory, hook, "work")];
		await mkdir(root, { recursive: true });
		const port = await choosePort();
		const environment = { PARLEY_SANDBOX: "off" };
		const killed = new GatewayProcess({ port, data, root, hooks: hook, environment });
		if (await killed.ready) await work(port);
		expect(await killed.exited).toMatchObject({ signal: "SIGKILL" });
		expect(existsSync(join(root, "a.txt")), hook).toBe(written);
		const auditRows = await readAudit(data);
		if (rows) expect(auditRows, hook).toEqual(rows);
		const restarted = new GatewayProcess({ port, data, root, environment });
		expect(await restarted.ready, restarted.stderr.join("\n")).toBe(true);
		if (rows) await restarted.line("run ended");
		restarted.kill("SIGTERM");
		await restarted.exited;
		if (rows) expect(await readAudit(data), hook).toEqual([...rows, "tool.finish unknown"]);
	}
	await rm(directory, { recursive: true, force: true });
});

async function work(port: number): Promise<void> {
	try {
		const client = await OzzieClient.connect(`http://127.0.0.1:${port}`);
		await client.open();
		await client.call("accept_all_tools");
		await client.call("send_message", { content: "write: a.txt <<< one" });
		await client.closed;
	} catch {
		// The gateway was killed before it responded. The test also checks the state after such a kill.
	}
}
