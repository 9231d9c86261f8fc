import { open } from "node:fs/promises";
import { definedItems, ParleyError } from "@parley/base";
import type { SessionFacts } from "../client/find-session.ts";
import { type ShownEvent, toOzzieEvent } from "../client/past-events.ts";
import { sessionUsage, titleOf } from "../tables/session-table.ts";
import { codeMarkdown, plainMarkdown } from "../text/markdown.ts";
import { sessionTexts } from "../texts/sessions.ts";
import { markdownBlocks } from "../wordings/event-wordings.ts";
import { RunMetricsCollector } from "../wordings/model-rows.ts";
import { SessionHistory } from "../wordings/session-history.ts";

/**
 * Returns a session as a Markdown document. Quotes and fences isolate the texts of people, models and tools from
 * the document.
 */
export function toMarkdown(session: SessionFacts, events: readonly ShownEvent[]): string {
	const metrics = new RunMetricsCollector();
	const history = new SessionHistory();
	const blocks = events.flatMap((shown) => {
		const received = toOzzieEvent(shown);
		if (!received) return [];
		const { event } = history.receive(received);
		return markdownBlocks(event, { at: shown.timestamp ?? "", metrics: metrics.receive(event) });
	});
	return `${[...headOf(session), ...blocks].join("\n\n")}\n`;
}

function headOf(session: SessionFacts): string[] {
	const facts = definedItems([
		sessionTexts.id({ id: codeMarkdown(session.id) }),
		sessionTexts.created({ time: session.created_at }),
		sessionTexts.lastMessage({ time: session.updated_at }),
		sessionTexts.directory({ path: codeMarkdown(session.root_dir) }),
		sessionTexts.agent({ name: codeMarkdown(session.profile) }),
		sessionTexts.usage({ usage: sessionUsage(session) }),
		session.external_key === undefined
			? undefined
			: sessionTexts.key({ key: codeMarkdown(session.external_key) }),
	]);
	return [`# ${plainMarkdown(titleOf(session))}`, facts.map((fact) => `- ${fact}`).join("\n")];
}

/**
 * Writes a file that only its owner can read. Rejects with `already_exists` for an existing file, unless `replaces` is
 * set. Rejects with `invalid_argument` if the file cannot be written.
 */
export async function writeExport(path: string, text: string, replaces: boolean): Promise<void> {
	try {
		await using file = await open(path, replaces ? "w" : "wx", 0o600);
		await file.chmod(0o600);
		await file.writeFile(text);
	} catch (cause) {
		const code = cause instanceof Error && "code" in cause ? cause.code : undefined;
		if (code === "EEXIST") {
			throw new ParleyError(sessionTexts.fileExists({ path }), {
				code: "already_exists",
				cause,
			});
		}
		const why = cause instanceof Error ? cause.message : String(cause);
		throw new ParleyError(sessionTexts.notWritable({ path, reason: why }), {
			code: "invalid_argument",
			cause,
		});
	}
}
