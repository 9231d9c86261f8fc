import { mkdtempDisposableSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { silentLogger, systemClock } from "@parley/base";
import type { AuditEntry } from "@parley/core";
import { expect, test } from "vitest";
import { loadConfig } from "./config/load.ts";
import { auditEgress, openEgress } from "./open-egress.ts";

function open(data: string, environment: Readonly<Record<string, string>>) {
	const config = loadConfig({ flags: { data }, environment, cwd: data, defaultData: data });
	return openEgress({ config, clock: systemClock, log: silentLogger });
}

test("without named hosts, commands reach none", () => {
	using directory = mkdtempDisposableSync(join(tmpdir(), "parley-open-egress-"));
	expect(open(directory.path, {}).hosts).toEqual([]);
	const egress = open(directory.path, { PARLEY_EGRESS_ALLOW: "Packages.Example.org, *.example.com" });
	expect(egress.hosts).toEqual(["packages.example.org", "*.example.com"]);
});

test("the audit has each host that a command reached, and that others were refused", async () => {
	using directory = mkdtempDisposableSync(join(tmpdir(), "parley-open-egress-"));
	const egress = open(directory.path, { PARLEY_EGRESS_ALLOW: "example.com" });
	const noted: AuditEntry[] = [];
	const sampled: AuditEntry[] = [];
	auditEgress(egress, {
		note: async (entry) => void noted.push(entry),
		sample: (entry) => void sampled.push(entry),
	});
	await egress.audit({ command: "call_1", target: "example.com", decision: "allowed" });
	await egress.audit({ command: "call_1", target: "example.net:443", decision: "refused", reason: "no" });
	await egress.audit({ command: "call_1", target: "example.com", decision: "ended", sent: 1, received: 2 });
	const row = { principal: "gateway", via: "gateway", action: "egress.connect", object: "call_1" };
	expect(noted).toEqual([{ ...row, decision: "allowed", args: { host: "example.com" } }]);
	expect(sampled).toEqual([{ ...row, decision: "denied" }]);
});
