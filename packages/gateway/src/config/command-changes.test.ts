import { appendFile, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Clock, createIds, systemClock } from "@parley/base";
import type { AuditEntry } from "@parley/core";
import { expect, onTestFinished, test } from "vitest";
import { withFileLock } from "../data-directory/file-lock.ts";
import { auditChanges, type ChangeAudit, type CommandChange, noteChange } from "./command-changes.ts";

async function open() {
	const data = await mkdtemp(join(tmpdir(), "parley-mcp-changes-"));
	onTestFinished(() => rm(data, { recursive: true, force: true }));
	const rows: AuditEntry[] = [];
	const deps = { clock: systemClock, ids: createIds() };
	return {
		data,
		rows,
		note: (change: CommandChange) => noteChange(data, change, deps),
		auditTo: (audit: ChangeAudit) => auditChanges(data, audit, systemClock),
		audit: { note: async (entry: AuditEntry) => void rows.push(entry) },
	};
}

const added: CommandChange = { action: "mcp.add", object: "notes", facts: { command: "notes" } };

test("notes of commands become rows of the audit, once and in their order", async () => {
	const { data, rows, note, audit, auditTo } = await open();
	await auditTo(audit);
	expect(rows).toEqual([]);
	await note(added);
	await note({ action: "mcp.remove", object: "notes", facts: {} });
	await auditTo(audit);
	await auditTo(audit);
	const change = { principal: "operator", via: "cli", object: "notes", decision: "changed" };
	expect(rows).toEqual([
		{ ...change, action: "mcp.add", args: expect.objectContaining({ facts: { command: "notes" } }) },
		{ ...change, action: "mcp.remove", args: expect.objectContaining({ at: expect.any(String) }) },
	]);
	await expect(readdir(data)).resolves.toEqual(["run"]);
});

test("a command does not append while the gateway moves the notes, and the other way round", async () => {
	const { data, rows, note, audit } = await open();
	await note(added);
	const whileLocked = async (work: (clock: Clock) => Promise<void>): Promise<void> => {
		const waits = Promise.withResolvers<string>();
		const clock: Clock = {
			...systemClock,
			after(...given) {
				waits.resolve("waits");
				return systemClock.after(...given);
			},
		};
		const working = await withFileLock(join(data, "run", "mcp-changes.lock"), systemClock, async () => {
			const ended = work(clock);
			await expect(Promise.race([ended.then(() => "ended"), waits.promise])).resolves.toBe("waits");
			return { ended };
		});
		await working.ended;
	};
	await whileLocked((clock) => noteChange(data, { ...added, object: "garden" }, { clock, ids: createIds() }));
	await whileLocked((clock) => auditChanges(data, audit, clock));
	expect(rows.map(({ object }) => object)).toEqual(["notes", "garden"]);
});

test("several gateways and commands at once neither lose nor double a note", async () => {
	const { rows, note, audit, auditTo } = await open();
	const names = Array.from({ length: 10 }, (_, index) => `notes-${index}`);
	await Promise.all(names.flatMap((object) => [note({ ...added, object }), auditTo(audit)]));
	await auditTo(audit);
	expect(rows.map(({ object }) => object).toSorted()).toEqual(names.toSorted());
});

test("notes survive an audit that cannot be written, and are recorded before later ones", async () => {
	const { rows, note, audit, auditTo } = await open();
	await note(added);
	const full = { note: () => Promise.reject(new Error("the disk is full")) };
	await expect(auditTo(full)).rejects.toThrow("the disk is full");
	await note({ action: "mcp.login", object: "tracker", facts: {} });
	await auditTo(audit);
	expect(rows.map(({ action }) => action)).toEqual(["mcp.add", "mcp.login"]);
});

test("an audit that fails between two notes gets the first one only once", async () => {
	const { data, rows, note, audit, auditTo } = await open();
	const names = ["notes", "garden", "tracker"];
	for (const object of names) await note({ ...added, object });
	const full = {
		async note(entry: AuditEntry) {
			if (rows.length === 1) throw new Error("the disk is full");
			await audit.note(entry);
		},
	};
	for (let run = 0; run < 2; run++) await expect(auditTo(full)).rejects.toThrow("the disk is full");
	await auditTo(audit);
	expect(rows.map(({ object }) => object)).toEqual(names);
	await expect(readdir(data)).resolves.toEqual(["run"]);
});

test("an unreadable line is a row of its own", async () => {
	const { data, rows, note, audit, auditTo } = await open();
	await writeFile(join(data, "mcp-changes.jsonl"), "nonsense\n");
	await note(added);
	await appendFile(join(data, "mcp-changes.jsonl"), '{"id":"1"');
	await auditTo(audit);
	expect(rows.map(({ action, args }) => [action, Object(args).unreadable ?? false])).toEqual([
		["mcp.change", true],
		["mcp.add", false],
		["mcp.change", true],
	]);
});
