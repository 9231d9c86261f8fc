import { defined, definedItems, parseJson } from "@parley/base";
import { type EventName, type EventPayloads, isOzzieEvent, type OriginPayload } from "@parley/protocol";
import { Controls } from "../controls/controls.ts";
import { answers } from "../conversation/answers/answers.ts";
import type { AnswersSlice } from "../conversation/answers/runs.ts";
import type { Scene } from "../conversation/vocabulary/reducer.ts";
import type { RenderOperation } from "../conversation/vocabulary/render-operation.ts";

const controls = new Controls("secret");
const scene: Scene = {
	session: "sess_1",
	controls,
	platform: {
		limits: {
			post: 2000,
			postsPerAnswer: 5,
			buttonLabel: 75,
			controlsPerRow: 5,
			controlRows: 5,
			options: 25,
			optionText: 100,
			threadName: 100,
			form: { fields: 5, name: 98, text: 4000 },
		},
		moment: (at, from) => (from === undefined ? `ago ${at}` : `in ${at - from}`),
		person: (id) => `person ${id}`,
		command: (name) => `/${name}`,
	},
};
const now = 1_000_000;

export type AnswerEvent = { [Name in EventName]: readonly [Name, EventPayloads[Name]] }[EventName];

/** Returns the slice after the events, and the operations of all events as text. */
export function reduceAnswers(
	events: readonly AnswerEvent[],
	more: Partial<Scene> = {},
): { slice: AnswersSlice; shown: string[] } {
	let slice = answers.empty;
	const shown: string[] = [];
	for (const [index, [name, payload]] of events.entries()) {
		const seq = index + 1;
		const event = { type: "event", event: name, session_id: "sess_1", payload, seq } as const;
		if (!isOzzieEvent(event)) throw new Error(`${name} has not its payload`);
		const step = answers.reduce(slice, { seq, at: now, event }, { ...scene, at: now, ...more });
		// The cast is safe because a slice is JSON. Other values would be lost here, as in the database.
		slice = parseJson(JSON.stringify(step.slice)) as AnswersSlice;
		shown.push(...step.operations.map(inWords));
	}
	return { slice, shown };
}

/** Writes an operation as `LANE CARD > REPLY in THREAD: TEXT ~ FOOT [CONTROLS] {UPLOAD}`, without absent parts. */
function inWords(operation: RenderOperation): string {
	if (operation.type === "delete") return `delete ${operation.card}`;
	if (operation.type === "thread") return `thread of ${operation.card}: ${operation.name}`;
	if (operation.type === "react") {
		const { card, emoji, notice } = operation;
		return `${card}: ${emoji ?? "none"}${notice === undefined ? "" : ` or ${inWords(notice)}`}`;
	}
	if (operation.type === "title") return `title: ${operation.title}`;
	const { lane, card, flows, replyTo, text, foot, upload, thread } = operation;
	const buttons = operation.controls?.flat().map((control) => {
		if (control.type !== "button") throw new Error("answers have buttons alone");
		const target = controls.read(control.id);
		if (target?.session !== "sess_1") throw new Error(`${control.label} belongs to no session`);
		return `${control.label} = ${target.kind} ${target.subject}`;
	});
	return definedItems([
		definedItems([lane, flows ? undefined : card, replyTo === undefined ? undefined : `> ${replyTo}`]).join(
			" ",
		),
		thread === undefined ? undefined : ` in ${thread}`,
		`: ${text}`,
		foot === undefined ? undefined : ` ~ ${foot}`,
		buttons === undefined ? undefined : ` [${buttons.join(", ")}]`,
		upload === undefined ? undefined : ` {${Object.values(upload).join(", ")}}`,
	]).join("");
}

export const adaAuthor = { id: "discord:111:42", name: "Ada" };

export function says(run: string, content: string, message: string): AnswerEvent {
	return ["user.message", { content, run_id: run, author: adaAuthor, correlation_id: message }];
}

export function fires(run: string, origin: OriginPayload): readonly AnswerEvent[] {
	const trigger = { trigger: "cron", skill_name: "", task_id: "", run_id: run, error: "" };
	return [
		["schedule.trigger", { ...origin, ...trigger }],
		["user.message", { content: "report", run_id: run, origin }],
	];
}

export function ends(run: string | undefined, content: string, error = "", by?: string): AnswerEvent {
	const facts = defined({ run_id: run, stopped_by: by });
	return ["assistant.message", { content, ...facts, error, context: {} }];
}

export function retries(run: string, attempt: number): AnswerEvent {
	const reason = "*host* rejects more requests for now (rate limit)";
	return ["run.retrying", { run_id: run, reason, in_ms: 2000, attempt, model: "m" }];
}

export function modelCall(run: string, phase: "start" | "end", error = ""): AnswerEvent {
	const usage = {
		tokens_input: 0,
		tokens_output: 0,
		tokens_cache_read: 0,
		tokens_cache_write: 0,
		cost_usd: 0,
	};
	const call = { run_id: run, phase, model: "m", provider: "p", message_count: 1, duration: 0, error };
	return ["internal.llm.call", { ...usage, ...call }];
}

export function calls(id: string): readonly AnswerEvent[] {
	const call = { name: "read", call_id: id } as const;
	return [
		["tool.call", { ...call, status: "started", arguments: {} }],
		["tool.call", { ...call, status: "completed", result: "" }],
	];
}

export function lists(
	run: string,
	...states: readonly EventPayloads["todo.updated"]["plan"][number]["status"][]
): AnswerEvent {
	const plan = states.map((status, at) => ({ title: `step *${at}*`, status }));
	const current_step = states.filter((status) => status === "completed").length;
	const progress = { current_step, total_steps: states.length, current_step_label: "", percentage: 0 };
	return ["todo.updated", { run_id: run, call_id: "c", ...progress, plan }];
}

export function file(run: string, name: string, type: string): AnswerEvent {
	const facts = { file_id: "file_1", name, type, bytes: 12, url: "/api/files/file_1" };
	return ["file.created", { ...facts, run_id: run, call_id: "c" }];
}

export const under = (run: string): string => `[Good = good ${run}, Bad = bad ${run}, Again = again ${run}]`;
