import type { RecordedEvent, SessionEvent } from "@parley/core";
import { Distribution } from "./distribution.ts";
import type { Family } from "./exposition.ts";
import { counter, histogram } from "./families.ts";
import { Tally } from "./tally.ts";
import { TaskFigures } from "./task-figures.ts";

/** Seconds, from a word of the offline assistant to a long night. */
const workBounds = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600, 1_800, 3_600];
const callBounds = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 30, 60, 120, 300, 600];
const peopleBounds = [1, 5, 15, 30, 60, 300, 900, 3_600, 4 * 3_600, 12 * 3_600, 24 * 3_600];

type EventOf<Type extends RecordedEvent["type"]> = Extract<RecordedEvent, { type: Type }>;

interface Begun {
	readonly sessionId: string;
	/** Milliseconds since the epoch. */
	readonly at: number;
}

interface Asked extends Begun {
	readonly type: string;
}

/**
 * What the events of all sessions add up to. Labels are names that the operator knows: of tools, models, kinds; never
 * ids or anything that was said. What began before the gateway's last start is counted at its end, but not timed.
 */
export class EventFigures {
	readonly #tools: ReadonlySet<string>;
	readonly #runs = new Map<string, Begun>();
	readonly #prompts = new Map<string, Asked>();
	readonly #sessions = { created: new Tally(), deleted: new Tally() };
	readonly #messages = new Tally();
	readonly #ended = new Tally();
	readonly #runSeconds = new Distribution(workBounds);
	readonly #toolCalls = new Tally();
	readonly #toolSeconds = new Distribution(callBounds);
	readonly #modelCalls = new Tally();
	readonly #modelSeconds = new Distribution(callBounds);
	readonly #tokens = new Tally();
	readonly #cost = new Tally();
	readonly #retries = new Tally();
	readonly #settled = new Tally();
	readonly #waitSeconds = new Distribution(peopleBounds);
	readonly #reminders = new Tally();
	readonly #budgets = new Tally();
	readonly #compactions = new Tally();
	readonly #tasks = new TaskFigures();
	readonly #files = { count: new Tally(), bytes: new Tally() };

	/** `tools` are the names that are told apart: a model may make up others. */
	constructor(tools: Iterable<string>) {
		this.#tools = new Set(tools);
		for (const tally of [this.#sessions.created, this.#sessions.deleted, this.#reminders]) tally.add({}, 0);
		for (const tally of [this.#files.count, this.#files.bytes]) tally.add({}, 0);
	}

	/** Called for everything that happens, each piece of a reply included. */
	take(event: SessionEvent): void {
		if (!event.transient) {
			const { sessionId, at } = event;
			// An imported event happened elsewhere.
			if ("imported" in event.event && event.event.imported) return;
			this.#count(event.event, { sessionId, at });
		} else if (event.event.type === "session.deleted") this.#forget(event.sessionId);
	}

	#count(event: RecordedEvent, begun: Begun): void {
		switch (event.type) {
			case "session.created":
				this.#sessions.created.add();
				break;
			case "user.message":
				this.#heard(event, begun);
				break;
			case "assistant.message":
				this.#runEnded(event, begun);
				break;
			case "model.called":
				this.#modelCalled(event);
				break;
			case "run.retrying":
				this.#retries.add({ model: event.model });
				break;
			case "tool.completed":
			case "tool.failed":
				this.#toolEnded(event);
				break;
			case "prompt.requested": {
				const { token, type, approval } = event.prompt;
				this.#prompts.set(token, { ...begun, type: approval ? "approval" : type });
				break;
			}
			case "prompt.answered":
				this.#promptSettled(event.token, event.cancelled ? "refused" : "answered", begun);
				break;
			case "prompt.closed":
				this.#promptSettled(event.token, event.reason === "expired" ? "expired" : "closed", begun);
				break;
			case "prompt.reminded":
				this.#reminders.add();
				break;
			case "budget.reached":
				this.#budgetReached(event);
				break;
			case "context.compacted":
				this.#compactions.add({ level: event.level });
				break;
			case "file.created":
				this.#files.count.add();
				this.#files.bytes.add({}, event.file.bytes);
				break;
			// Nothing to count, or counted with what follows.
			case "session.closed":
			case "session.renamed":
			case "todo.updated":
			case "skill.started":
			case "skill.step.started":
			case "skill.step.completed":
			case "skill.completed":
			case "usage.updated":
			case "tool.started":
			case "grant.created":
			case "grant.ended":
			case "schedule.created":
			case "schedule.trigger":
			case "schedule.removed":
				break;
			default:
				this.#tasks.count(event);
		}
	}

	#budgetReached({ scope, period, percent }: EventOf<"budget.reached">): void {
		this.#budgets.add({ scope, period, percent: String(percent) });
	}

	#heard({ runId, steered, retryOf }: EventOf<"user.message">, begun: Begun): void {
		this.#messages.add({ kind: steered ? "steer" : retryOf === undefined ? "message" : "retry" });
		if (!steered) this.#runs.set(runId, begun);
	}

	#runEnded({ runId, error }: EventOf<"assistant.message">, { at }: Begun): void {
		this.#ended.add({ outcome: error === "" ? "completed" : error === "cancelled" ? "cancelled" : "failed" });
		const begun = this.#runs.get(runId);
		if (begun) this.#runSeconds.add((at - begun.at) / 1000);
		this.#runs.delete(runId);
	}

	#modelCalled({ provider, model, usage, cost, durationMs, error }: EventOf<"model.called">): void {
		const whose = { provider, model };
		this.#modelCalls.add({ ...whose, outcome: error === "" ? "completed" : "failed" });
		this.#modelSeconds.add(durationMs / 1000, whose);
		this.#tokens.add({ ...whose, kind: "input" }, usage.inputTokens);
		this.#tokens.add({ ...whose, kind: "output" }, usage.outputTokens);
		this.#tokens.add({ ...whose, kind: "cache_read" }, usage.cacheReadTokens);
		this.#tokens.add({ ...whose, kind: "cache_write" }, usage.cacheWriteTokens);
		this.#cost.add(whose, cost);
	}

	#toolEnded({ type, name, durationMs }: EventOf<"tool.completed"> | EventOf<"tool.failed">): void {
		const tool = this.#tools.has(name) ? name : "other";
		this.#toolCalls.add({ tool, outcome: type === "tool.completed" ? "completed" : "failed" });
		if (durationMs !== undefined) this.#toolSeconds.add(durationMs / 1000, { tool });
	}

	#promptSettled(token: string, outcome: string, { at }: Begun): void {
		const asked = this.#prompts.get(token);
		const type = asked?.type ?? "unknown";
		this.#settled.add({ type, outcome });
		if (asked && outcome !== "closed") this.#waitSeconds.add((at - asked.at) / 1000, { type });
		this.#prompts.delete(token);
	}

	/** What belonged to a session that was deleted has no end any more. */
	#forget(sessionId: string): void {
		this.#sessions.deleted.add();
		for (const begun of [this.#runs, this.#prompts]) {
			for (const [id, { sessionId: whose }] of begun) if (whose === sessionId) begun.delete(id);
		}
	}

	/** In the order in which they are told. */
	families(): Family[] {
		return [
			counter("parley_sessions_created_total", "Sessions opened.", this.#sessions.created),
			counter("parley_sessions_deleted_total", "Sessions deleted.", this.#sessions.deleted),
			counter("parley_messages_total", "What people said, by kind.", this.#messages),
			counter("parley_runs_total", "Runs that ended, by outcome.", this.#ended),
			histogram(
				"parley_run_duration_seconds",
				"From the message to the end of its run, waiting included.",
				this.#runSeconds,
			),
			counter("parley_tool_calls_total", "Tool calls that ended.", this.#toolCalls),
			histogram(
				"parley_tool_duration_seconds",
				"How long tools ran, without waiting for people.",
				this.#toolSeconds,
			),
			counter("parley_model_calls_total", "Model calls that ended.", this.#modelCalls),
			histogram(
				"parley_model_call_duration_seconds",
				"From a request to the end of its reply.",
				this.#modelSeconds,
			),
			counter("parley_model_tokens_total", "Tokens that models took and gave.", this.#tokens),
			counter("parley_model_cost_dollars_total", "What model calls cost, in US dollars.", this.#cost, 1e9),
			counter(
				"parley_model_retries_total",
				"Model calls made again, by the model asked then.",
				this.#retries,
			),
			counter("parley_prompts_total", "Questions to people that were settled.", this.#settled),
			histogram(
				"parley_prompt_wait_seconds",
				"How long people took to answer, or let a question expire.",
				this.#waitSeconds,
			),
			counter("parley_prompt_reminders_total", "Reminders of questions.", this.#reminders),
			counter("parley_budget_reached_total", "Budgets that came to a mark.", this.#budgets),
			counter("parley_compactions_total", "Contexts made shorter, by level.", this.#compactions),
			...this.#tasks.families(),
			counter("parley_files_total", "Files handed to people by tools.", this.#files.count),
			counter("parley_file_bytes_total", "Bytes of these files.", this.#files.bytes),
		];
	}
}
