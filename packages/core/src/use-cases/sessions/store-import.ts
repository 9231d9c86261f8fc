import { type Clock, defined, type Ids } from "@parley/base";
import { bytesOf } from "../../files/images.ts";
import type { Tx } from "../../store/journal.ts";
import { indexMessages } from "../../store/search-texts.ts";
import { addTaint } from "../../store/session-taint.ts";
import { insertRun, insertStep, markRunEnded } from "../../store/statements.ts";
import type { TextRedactor } from "../../text/session-redactor.ts";
import { outputLimits, shortenOutput } from "../../text/shorten-output.ts";
import type { RecordedEvent } from "../../vocabulary/event.ts";
import type { Step } from "../../vocabulary/step.ts";
import { callsOf, textOf } from "../../vocabulary/transcript.ts";
import { noUsage } from "../../vocabulary/usage.ts";
import type { ImportedReply, ImportedRun } from "./import-history.ts";
import { importTexts } from "./texts.ts";

export interface ImportPorts {
	readonly ids: Ids;
	readonly clock: Clock;
	/** Redactor that knows the secrets of the gateway. */
	readonly redactor: TextRedactor;
}

/**
 * Stores the history of a new session as ended runs. Removes secrets, except from signed thinking. Marks the session as
 * containing untrusted text, because a client may invent a history. Returns the events that show the history.
 */
export async function storeImport(
	tx: Tx,
	ports: ImportPorts,
	sessionId: string,
	runs: readonly ImportedRun[],
): Promise<RecordedEvent[]> {
	if (runs.length === 0) return [];
	const at = ports.clock.now();
	const events: RecordedEvent[] = [];
	for (const [index, run] of runs.entries()) {
		const runId = ports.ids.create("run");
		const { images } = run;
		const content = ports.redactor.redactKnown(run.texts.join("\n\n"));
		const steps = run.steps.map((step) => cleanStep(step, ports.redactor));
		await insertRun(tx, {
			id: runId,
			sessionId,
			ordinal: index + 1,
			state: "ended",
			content,
			at,
			acceptAll: 0,
			retryOf: null,
			attachments: null,
			correlation: null,
			actor: null,
			options: null,
			images: images.length > 0 ? JSON.stringify(images) : null,
		});
		for (const [n, step] of [importedStep, ...steps, endedStep].entries()) {
			await insertStep(tx, { runId, n, at, data: JSON.stringify(step) });
		}
		await markRunEnded(tx, { id: runId, at });
		const shown = eventsOf(runId, content, steps);
		await indexMessages(
			tx,
			sessionId,
			shown.flatMap((event) => ("content" in event ? [event.content] : [])),
		);
		events.push(...shown);
	}
	await addTaint(tx, sessionId, "U");
	return events;
}

const importedStep: Step = { kind: "imported" };
const endedStep: Step = { kind: "ended", error: "" };

type ImportedStep = Extract<Step, { kind: "reply" | "result" }>;

function cleanStep(step: ImportedRun["steps"][number], redactor: TextRedactor): ImportedStep {
	const sink = redactor.into("history");
	if (step.kind === "result") return { ...step, text: shortenOutput(sink.redact(step.text), leftOut) };
	const content = step.content.map((block): ImportedReply["content"][number] => {
		if (block.type === "text") return { ...block, text: sink.redact(block.text) };
		if (block.type === "call") return { ...block, arguments: sink.redactFields(block.arguments) };
		// Signed thinking must be returned unchanged, or the provider refuses the thinking. Transcripts show the thinking
		// without secrets.
		const isSealed = block.signature !== undefined || block.redacted !== undefined;
		return isSealed ? block : { ...block, text: sink.redact(block.text) };
	});
	const stop = callsOf(content).length > 0 ? "tool_use" : "end_turn";
	return { ...step, content, model: step.asked ?? "", stop, usage: noUsage, cost: 0 };
}

function leftOut({ characters, lines }: { readonly characters: number; readonly lines: number }): string {
	const { characters: max } = outputLimits;
	return importTexts.leftOut(characters, lines, max);
}

type ImportedEvent = Extract<RecordedEvent, { readonly imported?: true }>;

function eventsOf(runId: string, content: string, steps: readonly ImportedStep[]): ImportedEvent[] {
	const results = new Map(steps.flatMap((step) => (step.kind === "result" ? [[step.callId, step]] : [])));
	const replies = steps.filter((step) => step.kind === "reply");
	const ofRun = { runId, imported: true } as const;
	const calls = replies.flatMap((reply) =>
		callsOf(reply.content).flatMap(({ id: callId, name, arguments: args }): ImportedEvent[] => {
			const { text = "", failed = false, pictures: images = [] } = results.get(callId) ?? {};
			const call = { ...ofRun, callId, name };
			const seen = images.map((one) => ({ mediaType: one.mediaType, bytes: bytesOf(one) }));
			return [
				{ type: "tool.started", ...call, arguments: args },
				failed
					? { type: "tool.failed", ...call, error: text }
					: {
							type: "tool.completed",
							...call,
							result: text,
							...defined({ pictures: seen.length > 0 ? seen : undefined }),
						},
			];
		}),
	);
	const message = replies.map((reply) => textOf(reply.content)).filter((text) => text !== "");
	const facts = { content: message.join("\n\n"), error: "", usage: noUsage, cost: 0 };
	return [
		{ type: "user.message", ...ofRun, content },
		...calls,
		{ type: "assistant.message", ...ofRun, ...facts, model: replies.at(-1)?.model ?? "" },
	];
}
