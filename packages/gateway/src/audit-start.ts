import { byItself } from "@parley/core";
import { type AuditNotes, auditRestore } from "./backup/restore-note.ts";
import { auditChanges } from "./config/command-changes.ts";
import type { Config } from "./config/load.ts";

/**
 * Moves the note about a restore, and the notes about changes by commands, to the audit log. Then records the start
 * of the gateway with the gateway's version, authentication mode, sandbox, and `insecureLan`.
 */
export async function auditStart(
	{
		config,
		version,
		sandbox,
	}: { readonly config: Config; readonly version: string; readonly sandbox: string },
	audit: AuditNotes,
): Promise<void> {
	await auditRestore(config.data, audit);
	await auditChanges(config.data, audit);
	const { auth, insecureLan = false } = config;
	const args = { version, auth, sandbox, insecureLan };
	await audit.note({ ...byItself, action: "gateway.start", object: "gateway", decision: "started", args });
}
