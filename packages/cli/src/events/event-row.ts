import type { OzzieEvent } from "@parley/protocol";
import { type ShownEvent, toOzzieEvent } from "../sessions/past-events.ts";
import { isTaskEvent } from "../tasks/task.ts";
import { stepWords, taskEventWords, workerWords } from "../tasks/task-words.ts";
import { formatRoughly, formatUsd } from "../text/amounts.ts";
import { clockTime } from "../text/local-time.ts";
import { shorten } from "../text/shorten.ts";
import type { Look } from "../text/styles.ts";
import { visibleLine } from "../text/visible.ts";
import { grantEndedWords, grantedWords } from "../trust/grant-words.ts";

/** Of an id: enough to tell a few conversations apart, and to name one to the command. */
const idCharacters = "sess_".length + 6;
/** Where nothing is shortened to a terminal. */
const mostColumns = 200;

/** An event in one row: when, where, what. */
export function eventRow(shown: ShownEvent, look: Look): string {
	const { dim, cyan, red } = look.styles;
	const time = shown.timestamp === undefined ? "        " : clockTime(new Date(shown.timestamp));
	const id = visibleLine(shown.session_id.slice(0, idCharacters)).padEnd(idCharacters);
	const type = visibleLine(shown.type).padEnd("internal.llm.call".length);
	const event = toOzzieEvent(shown);
	const told = event ? aboutEvent(event) : { words: "" };
	const left = Math.min(look.columns, mostColumns) - time.length - id.length - type.length - 6;
	const words = shorten(visibleLine(told.words), Math.max(10, left));
	return `${dim(time)}  ${dim(id)}  ${cyan(type)}  ${told.failed ? red(words) : words}`.trimEnd();
}

interface About {
	readonly words: string;
	readonly failed?: boolean;
}

function aboutEvent(event: OzzieEvent): About {
	switch (event.event) {
		case "user.message":
			return { words: event.payload.content };
		case "assistant.message": {
			const { content, error } = event.payload;
			return error === "" ? { words: content } : { words: error, failed: true };
		}
		case "internal.llm.call":
			return aboutCall(event.payload);
		case "tool.call":
			return aboutTool(event.payload);
		case "prompt.request":
		case "prompt.reminder":
			return { words: event.payload.label };
		case "prompt.response":
			return { words: `${event.payload.cancelled ? "no" : "answered"} by ${event.payload.by}` };
		case "prompt.closed":
			return { words: event.payload.reason };
		case "usage.updated":
			return { words: `${formatUsd(event.payload.session.cost_usd)} in this conversation so far` };
		default:
			return aboutSession(event);
	}
}

function aboutSession(event: OzzieEvent): About {
	if (isTaskEvent(event)) return { words: taskEventWords(event), failed: event.event === "task.failed" };
	switch (event.event) {
		case "skill.started":
			return { words: event.payload.skill_name };
		case "skill.step.started":
		case "skill.step.completed":
			return aboutStep(event.payload);
		case "skill.completed": {
			const { skill_name, output, error } = event.payload;
			return { words: `${skill_name}: ${error || output}`, failed: error !== "" };
		}
		case "todo.updated":
			return { words: `${event.payload.percentage}% ${stepWords(event.payload)}`.trimEnd() };
		case "session.renamed":
			return { words: `${event.payload.title || "(no title)"} (by a ${event.payload.by})` };
		case "file.created":
			return { words: event.payload.name };
		case "budget.reached":
			return { words: event.payload.message, failed: true };
		case "grant.created":
			return { words: grantedWords(event.payload) };
		case "grant.ended":
			return { words: grantEndedWords(event.payload) };
		case "run.retrying":
			return { words: event.payload.reason, failed: true };
		case "internal.worker":
			return { words: workerWords(event.payload), failed: event.payload.event === "failed" };
		case "context.compacted": {
			const { level, tokens_before, tokens_after, error } = event.payload;
			const sizes = `${level}: ${formatRoughly(tokens_before)} to ${formatRoughly(tokens_after)} tokens`;
			return error === "" ? { words: sizes } : { words: `${sizes}, no summary: ${error}`, failed: true };
		}
		default:
			return { words: "" };
	}
}

type StepPayload = Extract<OzzieEvent, { event: `skill.step.${string}` }>["payload"];

function aboutStep(step: StepPayload): About {
	const name = `${step.skill_name}: ${step.step_title}${step.attempt > 1 ? ` (try ${step.attempt})` : ""}`;
	if (!("error" in step)) return { words: name };
	if (step.error !== "") return { words: `${name} failed: ${step.error}`, failed: true };
	return { words: step.reason === "" ? `${name} done` : `${name} done: ${step.reason}` };
}

function aboutCall({
	model,
	tokens_input,
	tokens_output,
	cost_usd,
	error,
}: Extract<OzzieEvent, { event: "internal.llm.call" }>["payload"]): About {
	if (error !== "") return { words: `${model}: ${error}`, failed: true };
	const tokens = `${formatRoughly(tokens_input)} tokens in, ${formatRoughly(tokens_output)} out`;
	return { words: `${model}, ${tokens}, ${formatUsd(cost_usd)}` };
}

function aboutTool(call: Extract<OzzieEvent, { event: "tool.call" }>["payload"]): About {
	if (call.status === "failed") return { words: `${call.name} failed: ${call.error}`, failed: true };
	const detail = call.status === "started" ? JSON.stringify(call.arguments) : call.result;
	const trusted = call.status === "started" && call.trusted ? " (trusted)" : "";
	return { words: `${call.name} ${call.status === "started" ? "" : "returned "}${detail}${trusted}` };
}
