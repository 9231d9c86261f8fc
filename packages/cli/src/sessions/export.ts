import { open } from "node:fs/promises";
import { definedItems, ParleyError } from "@parley/base";
import type { SessionFacts } from "../client/find-session.ts";
import { type ShownEvent, toOzzieEvent } from "../client/past-events.ts";
import { sessionUsage, titleOf } from "../tables/session-table.ts";
import { codeMarkdown, plainMarkdown } from "../text/markdown.ts";
import { markdownBlocks } from "../wordings/event-wordings.ts";
import { RunMetricsCollector } from "../wordings/model-rows.ts";

/** A session as a Markdown document. Quotes and fences isolate the text of people, models and tools. */
export function toMarkdown(session: SessionFacts, events: readonly ShownEvent[]): string {
	const metrics = new RunMetricsCollector();
	const blocks = events.flatMap((shown) => {
		const event = toOzzieEvent(shown);
		if (!event) return [];
		return markdownBlocks(event, { at: shown.timestamp ?? "", metrics: metrics.receive(event) });
	});
	return `${[...headOf(session), ...blocks].join("\n\n")}\n`;
}

function headOf(session: SessionFacts): string[] {
	const facts = definedItems([
		`Id: ${codeMarkdown(session.id)}`,
		`Created: ${session.created_at}`,
		`Last message: ${session.updated_at}`,
		`Directory: ${codeMarkdown(session.root_dir)}`,
		`Agent: ${codeMarkdown(session.profile)}`,
		`Usage: ${sessionUsage(session)}`,
		session.external_key === undefined ? undefined : `Key: ${codeMarkdown(session.external_key)}`,
	]);
	return [`# ${plainMarkdown(titleOf(session))}`, facts.map((fact) => `- ${fact}`).join("\n")];
}

/** Writes a file that only its owner can read. Throws `already_exists` for an existing file, except with `replaces`. */
export async function writeExport(path: string, text: string, replaces: boolean): Promise<void> {
	try {
		await using file = await open(path, replaces ? "w" : "wx", 0o600);
		await file.chmod(0o600);
		await file.writeFile(text);
	} catch (cause) {
		const code = cause instanceof Error && "code" in cause ? cause.code : undefined;
		if (code === "EEXIST") {
			throw new ParleyError(`${path} already exists; --force replaces it`, {
				code: "already_exists",
				cause,
			});
		}
		const why = cause instanceof Error ? cause.message : String(cause);
		throw new ParleyError(`cannot write ${path}: ${why}`, { code: "invalid_argument", cause });
	}
}
