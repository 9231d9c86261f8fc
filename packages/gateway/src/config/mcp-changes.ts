import { appendFile, mkdir, readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { type Clock, type Ids, parseJson } from "@parley/base";
import type { Audit } from "@parley/core";
import * as z from "zod";
import { errno } from "../data-directory/errno.ts";

const actions = ["mcp.add", "mcp.remove", "mcp.trust", "mcp.untrust", "mcp.login", "mcp.logout"] as const;

const changeSchema = () =>
	z.strictObject({
		id: z.string(),
		at: z.string(),
		action: z.enum(actions),
		object: z.string(),
		facts: z.record(z.string(), z.json()),
	});

/** Audit that stores a row before the call resolves. */
export interface ChangeAudit {
	readonly note: Audit["note"];
}

/** Change of the MCP servers by a command, for the audit. */
export interface McpChange {
	readonly action: (typeof actions)[number];
	/** Name of the server, or the working directory. */
	readonly object: string;
	/** Details without secrets. */
	readonly facts: z.output<ReturnType<typeof changeSchema>>["facts"];
}

/**
 * Stores the note of a change for the audit, before the change. Commands do not write to the database, because a gateway may
 * run on it.
 */
export async function noteMcpChange(
	data: string,
	change: McpChange,
	{ clock, ids }: { readonly clock: Clock; readonly ids: Ids },
): Promise<void> {
	const { action, object, facts } = change;
	const at = new Date(clock.now()).toISOString();
	const line = JSON.stringify({ id: ids.create("change"), at, action, object, facts });
	await mkdir(data, { recursive: true, mode: 0o700 });
	await appendFile(notesIn(data), `${line}\n`, { mode: 0o600, flush: true });
}

/** Moves the notes of commands to the audit. After a crash, a row may appear twice with the same id. */
export async function auditMcpChanges(data: string, audit: ChangeAudit): Promise<void> {
	const started = join(data, "mcp-changes.recording.jsonl");
	// Rows of a run that was killed come first.
	await recordNotes(started, audit);
	try {
		await rename(notesIn(data), started);
	} catch (error) {
		if (errno(error) === "ENOENT") return;
		throw error;
	}
	await recordNotes(started, audit);
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
	for (const line of text.split("\n").filter((one) => one !== "")) {
		const change = readChange(line);
		const { action = "mcp.change", object = "mcp", ...args } = change ?? { unreadable: true };
		await audit.note({ principal: "operator", via: "cli", action, object, decision: "changed", args });
	}
	await rm(path, { force: true });
}

/** Returns undefined for an invalid line. */
function readChange(line: string): z.output<ReturnType<typeof changeSchema>> | undefined {
	try {
		return changeSchema().safeParse(parseJson(line)).data;
	} catch {
		return undefined;
	}
}
