import { appendFile, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createIds, systemClock } from "@parley/base";
import type { AuditEntry } from "@parley/core";
import { expect, onTestFinished, test } from "vitest";
import { auditMcpChanges, type McpChange, noteMcpChange } from "./mcp-changes.ts";

async function open() {
	const data = await mkdtemp(join(tmpdir(), "parley-mcp-changes-"));
	onTestFinished(() => rm(data, { recursive: true, force: true }));
	const rows: AuditEntry[] = [];
	const deps = { clock: systemClock, ids: createIds() };
	return {
		data,
		rows,
		note: (change: McpChange) => noteMcpChange(data, change, deps),
		audit: { note: async (entry: AuditEntry) => void rows.push(entry) },
	};
}

const added: McpChange = { action: "mcp.add", object: "notes", facts: { command: "notes" } };

test("notes of commands become rows of the audit, once and in their order", async () => {
	const { data, rows, note, audit } = await open();
	await auditMcpChanges(data, audit);
	expect(rows).toEqual([]);
	await note(added);
	await note({ action: "mcp.remove", object: "notes", facts: {} });
	await auditMcpChanges(data, audit);
	await auditMcpChanges(data, audit);
	const who = { principal: "operator", via: "cli", object: "notes", decision: "changed" };
	expect(rows).toEqual([
		{ ...who, action: "mcp.add", args: expect.objectContaining({ facts: { command: "notes" } }) },
		{ ...who, action: "mcp.remove", args: expect.objectContaining({ at: expect.any(String) }) },
	]);
	await expect(readdir(data)).resolves.toEqual([]);
});

test("notes survive an audit that cannot be written, and are recorded before later ones", async () => {
	const { data, rows, note, audit } = await open();
	await note(added);
	const full = { note: () => Promise.reject(new Error("the disk is full")) };
	await expect(auditMcpChanges(data, full)).rejects.toThrow("the disk is full");
	await note({ action: "mcp.login", object: "tracker", facts: {} });
	await auditMcpChanges(data, audit);
	expect(rows.map(({ action }) => action)).toEqual(["mcp.add", "mcp.login"]);
});

test("an unreadable line is a row of its own", async () => {
	const { data, rows, note, audit } = await open();
	await writeFile(join(data, "mcp-changes.jsonl"), "nonsense\n");
	await note(added);
	await appendFile(join(data, "mcp-changes.jsonl"), '{"id":"1"');
	await auditMcpChanges(data, audit);
	expect(rows.map(({ action, args }) => [action, Object(args).unreadable ?? false])).toEqual([
		["mcp.change", true],
		["mcp.add", false],
		["mcp.change", true],
	]);
});
