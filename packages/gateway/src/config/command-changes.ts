import { appendFile, readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { type Clock, type Ids, parseJson, systemClock } from "@parley/base";
import type { Audit } from "@parley/core";
import * as z from "zod";
import { errno } from "../data-directory/errno.ts";
import { withFileLock } from "../data-directory/file-lock.ts";
import { replacePrivateFile } from "../data-directory/private-file.ts";

const actions = [
	"mcp.add",
	"mcp.remove",
	"mcp.trust",
	"mcp.untrust",
	"mcp.login",
	"mcp.logout",
	"project.allow",
	"project.deny",
	"project.forget",
] as const;

const changeSchema = () =>
	z.strictObject({
		id: z.string(),
		at: z.string(),
		action: z.enum(actions),
		object: z.string(),
		facts: z.record(z.string(), z.json()),
	});

/** The part of the audit log that records changes. `note` resolves after the row is stored. */
export interface ChangeAudit {
	readonly note: Audit["note"];
}

/** Change that a command made to the MCP servers or to the directories of projects. */
export interface CommandChange {
	readonly action: (typeof actions)[number];
	/** Name of the server, or the working directory. */
	readonly object: string;
	/** Details without secrets. */
	readonly facts: z.output<ReturnType<typeof changeSchema>>["facts"];
}

/**
 * Stores a note about a change for the audit log. Call it before the change. Commands do not write to the database,
 * because a gateway may be using the database.
 */
export async function noteChange(
	data: string,
	change: CommandChange,
	{ clock, ids }: { readonly clock: Clock; readonly ids: Ids },
): Promise<void> {
	const { action, object, facts } = change;
	const at = new Date(clock.now()).toISOString();
	const line = JSON.stringify({ id: ids.create("change"), at, action, object, facts });
	await withFileLock(lockIn(data), clock, () =>
		appendFile(notesIn(data), `${line}\n`, { mode: 0o600, flush: true }),
	);
}

/**
 * Moves the notes about changes by commands to the audit log. After a crash, a note may be in the audit log twice,
 * with the same id. The wait for the lock is limited, and `clock` measures this wait.
 */
export async function auditChanges(
	data: string,
	audit: ChangeAudit,
	clock: Clock = systemClock,
): Promise<void> {
	const started = join(data, "mcp-changes.recording.jsonl");
	// Because of the lock, no command has the file with the notes open when the file is moved. No other call can
	// replace the moved file before its notes are recorded.
	await withFileLock(lockIn(data), clock, async () => {
		// Notes that an earlier, interrupted call left are recorded before newer notes.
		await recordNotes(started, audit);
		try {
			await rename(notesIn(data), started);
		} catch (error) {
			if (errno(error) === "ENOENT") return;
			throw error;
		}
		await recordNotes(started, audit);
	});
}

function lockIn(data: string): string {
	return join(data, "run", "mcp-changes.lock");
}

function notesIn(data: string): string {
	return join(data, "mcp-changes.jsonl");
}

async function recordNotes(path: string, audit: ChangeAudit): Promise<void> {
	const text = await readFile(path, "utf8").catch((error: unknown) => {
		if (errno(error) === "ENOENT") return undefined;
		throw error;
	});
	if (text === undefined) return;
	const lines = text.split("\n").filter((one) => one !== "");
	for (const [at, line] of lines.entries()) {
		try {
			await recordNote(line, audit);
		} catch (error) {
			// The recorded lines are removed, so that the next call does not record them again.
			if (at > 0) await replacePrivateFile(path, `${lines.slice(at).join("\n")}\n`);
			throw error;
		}
	}
	await rm(path, { force: true });
}

async function recordNote(line: string, audit: ChangeAudit): Promise<void> {
	const change = readChange(line);
	const { action = "mcp.change", object = "mcp", ...args } = change ?? { unreadable: true };
	await audit.note({ principal: "operator", via: "cli", action, object, decision: "changed", args });
}

function readChange(line: string): z.output<ReturnType<typeof changeSchema>> | undefined {
	try {
		return changeSchema().safeParse(parseJson(line)).data;
	} catch {
		return undefined;
	}
}
