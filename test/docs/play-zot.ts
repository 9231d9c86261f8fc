import { parseJson } from "@parley/base";
import { ZotClient } from "../conformance/drivers/zot-client.ts";
import type { ZotType } from "../conformance/drivers/zot-frame.ts";
import type { Scene, Step } from "./examples.ts";
import { type Bound, fillIn, mismatch } from "./matches.ts";

type Shown = Readonly<Record<string, unknown>>;

/** Types of lines that the agent writes. A line with another type is a command. */
const written: Readonly<Record<ZotType, true>> = {
	...{ response: true, turn_start: true, user_message: true, assistant_start: true, text_delta: true },
	...{ tool_call: true, tool_progress: true, tool_result: true, assistant_message: true, usage: true },
	...{ thinking_delta: true, tool_use_start: true, tool_use_args: true, tool_use_end: true },
	...{ turn_end: true, done: true, error: true, compact_done: true, ask: true },
};
export const writtenTypes = Object.keys(written);

/**
 * Plays a scene over the pipe of a process. The process must exit with code 0. Rejects with the first difference, and
 * the line number of the step.
 */
export async function playZot({ heading, flags, steps }: Scene): Promise<void> {
	await using agent = await ZotClient.start({ flags });
	const bound: Bound = new Map();
	for (const step of steps) {
		try {
			if (isSent(step)) send(step, agent, bound);
			else if (step.kind === "frame") await checkFrame(step.value, agent, bound);
			else throw new Error(`a pipe has no step ${step.kind}`);
		} catch (reason) {
			const why = reason instanceof Error ? reason.message : String(reason);
			throw new Error(`"${heading}", line ${step.line}: ${why}`, { cause: reason });
		}
	}
	const { code } = await agent.end();
	if (code !== 0) throw new Error(`"${heading}": the process ends with ${code}: ${agent.stderr}`);
	const sent = steps.filter(isSent).length;
	const answered = agent.frames.filter(({ type }) => type === "response").length;
	if (sent !== answered) throw new Error(`"${heading}": ${sent} commands have ${answered} responses`);
}

function isSent(step: Step): boolean {
	return (
		step.kind === "text" || (step.kind === "frame" && !writtenTypes.includes(String(step.value["type"])))
	);
}

function send(step: Step, agent: ZotClient, bound: Bound): void {
	if (step.kind === "text") agent.write(`${step.text}\n`);
	else if (step.kind === "frame") agent.send(Object(fillIn(step.value, bound)));
}

/**
 * Waits for a frame that matches `shown`. The document may omit earlier lines and fields of an event, but no fields
 * of a response.
 */
async function checkFrame(shown: Shown, agent: ZotClient, bound: Bound): Promise<void> {
	const others: string[] = [];
	for (;;) {
		const frame: Shown = { ...(await agent.next().catch((reason: unknown) => giveUp(reason, others))) };
		const isResponse = shown["type"] === "response" && frame["type"] === "response";
		const keys = Object.keys(isResponse ? frame : shown);
		const part = Object.fromEntries(keys.flatMap((key) => (key in frame ? [[key, frame[key]]] : [])));
		const tried = new Map(bound);
		const difference = mismatch(withoutFigures(shown), withoutFigures(part), tried);
		if (difference === undefined) {
			for (const [name, value] of tried) bound.set(name, value);
			return;
		}
		if (isResponse) throw new Error(`${difference} in ${JSON.stringify(frame)}`);
		others.push(`${difference} in ${JSON.stringify(frame)}`);
	}
}

function giveUp(reason: unknown, others: readonly string[]): never {
	const why = reason instanceof Error ? reason.message : String(reason);
	throw new Error(`it does not come: ${why}; instead:\n${others.join("\n")}`, { cause: reason });
}

/** Replaces token counts and costs by 0, because they depend on the instructions of the agent. */
function withoutFigures(value: unknown): unknown {
	const figures = ["input", "output", "cost_usd"];
	const text = JSON.stringify(value, (key, part: unknown) =>
		typeof part === "number" && figures.includes(key) ? 0 : part,
	);
	return parseJson(text);
}
