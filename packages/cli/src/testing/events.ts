import type { EventName, EventPayloads, OzzieEvent } from "@parley/protocol";

export function event<Name extends EventName>(name: Name, payload: EventPayloads[Name]): OzzieEvent {
	// The cast is safe because the caller passes each name together with its payload.
	return { type: "event", event: name, payload, seq: 1 } as OzzieEvent;
}

type Status = EventPayloads["todo.updated"]["plan"][number]["status"];

/** Returns a `todo.updated` event with two steps in these states. */
export function listed(first: Status, second: Status): OzzieEvent {
	const plan = [
		{ title: "Look", status: first },
		{ title: "Change", status: second },
	];
	const done = plan.filter(({ status }) => status === "completed").length;
	const label = plan.find(({ status }) => status === "in_progress")?.title ?? "";
	return event("todo.updated", {
		run_id: "run",
		call_id: "c",
		plan,
		current_step: done,
		total_steps: 2,
		current_step_label: label,
		percentage: 50 * done,
	});
}

export function modelCall(phase: "start" | "end", provider = "anthropic"): OzzieEvent {
	return event("internal.llm.call", {
		run_id: "run",
		phase,
		model: "claude",
		provider,
		message_count: 1,
		duration: 1,
		error: "",
		tokens_input: 0,
		tokens_output: 0,
		tokens_cache_read: 0,
		tokens_cache_write: 0,
		cost_usd: 0,
	});
}

const tokens = {
	tokens_input: 12_345,
	tokens_output: 1_200,
	tokens_cache_read: 10_000,
	tokens_cache_write: 0,
};

export function usageUpdated(cost_usd: number): OzzieEvent {
	const used = { ...tokens, cost_usd };
	return event("usage.updated", { run_id: "run", run: used, session: used });
}

/** Returns the end of a run that has called a model. */
export function answered(content: string, model: string, error = ""): OzzieEvent {
	return event("assistant.message", { content, error, context: { model, usage: tokens } });
}

export function retrying(in_ms: number, attempt: number, reason = "the model is overloaded"): OzzieEvent {
	return event("run.retrying", { run_id: "run", reason, in_ms, attempt, model: "claude" });
}
