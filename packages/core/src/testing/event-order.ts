import type { CommandEvent } from "../vocabulary/commands/background-command.ts";
import type { RecordedEvent, SessionEvent } from "../vocabulary/event.ts";
import type { SkillEvent } from "../vocabulary/skill.ts";
import type { TaskEvent, WorkerEvent } from "../vocabulary/task.ts";
import type { TransientEvent } from "../vocabulary/transient-event.ts";
import { type Fault, SkillOrder, TaskOrder } from "./work-order.ts";

/**
 * Throws if the events of one session break the order that `event.ts` documents. The list begins with the
 * session's first event. `complete` also requires the end of every started operation, except background
 * commands.
 */
export function checkEventOrder(events: readonly SessionEvent[], complete = false): void {
	const order = new EventOrder();
	for (const [index, happened] of events.entries()) {
		const fault = order.receive(happened) ?? "";
		if (fault !== "") throw new Error(`event ${index}, ${happened.event.type}: ${fault}`);
	}
	const open = complete ? order.unfinished() : [];
	if (open.length > 0) throw new Error(`never ended: ${open.join(", ")}`);
}

class EventOrder {
	#seq = 0;
	#speaking: string | undefined;
	/** Number of streamed characters of JSON arguments, for each unfinished tool call. */
	readonly #written = new Map<string, number>();
	/** Runs with a reply whose `model.called` is not recorded yet. */
	readonly #replied = new Set<string>();
	readonly #openRuns = new Set<string>();
	readonly #endedRuns = new Set<string>();
	readonly #openCalls = new Map<string, string>();
	readonly #endedCalls = new Set<string>();
	readonly #openPrompts = new Set<string>();
	readonly #seenPrompts = new Set<string>();
	readonly #openCommands = new Set<number>();
	#commands = 0;
	readonly #tasks = new TaskOrder();
	readonly #skills = new SkillOrder();

	receive(happened: SessionEvent): Fault {
		if (happened.transient) return this.#passing(happened.event, happened.seq);
		this.#seq += 1;
		if (happened.seq !== this.#seq) return `has seq ${happened.seq} instead of ${this.#seq}`;
		return this.#recorded(happened.event);
	}

	unfinished(): string[] {
		const speaking = this.#speaking === undefined ? [] : [`the text of ${this.#speaking}`];
		return [
			...this.#openRuns,
			...this.#openCalls.keys(),
			...this.#openPrompts,
			...speaking,
			...this.#tasks.unfinished(),
			...this.#skills.unfinished(),
		];
	}

	#recorded(event: RecordedEvent): Fault {
		switch (event.type) {
			case "session.created":
				return this.#seq === 1 ? undefined : "comes in the middle";
			case "user.message":
				return event.steered ? this.#inRun(event.runId) : this.#startRun(event.runId);
			case "model.called":
				this.#replied.delete(event.runId);
				return event.runId === "" ? undefined : this.#inRun(event.runId);
			case "context.compacted":
				return event.runId === "" ? undefined : this.#inRun(event.runId);
			case "run.retrying":
			case "usage.updated":
				return this.#inRun(event.runId);
			case "session.closed":
			case "budget.reached":
			case "session.renamed":
			case "compaction.ended":
			case "grant.created":
			case "grant.ended":
			case "schedule.created":
			case "schedule.trigger":
			case "schedule.removed":
				return undefined;
			case "file.created":
			case "todo.updated":
				return this.#share(event);
			case "assistant.message":
				return this.#endRun(event.runId);
			case "tool.started":
				return this.#startCall(event.runId, event.callId);
			case "tool.completed":
			case "tool.failed":
				return this.#endCall(event.runId, event.callId);
			case "prompt.requested":
			case "prompt.voted":
			case "prompt.reminded":
			case "prompt.answered":
			case "prompt.closed":
				return this.#prompt(event);
			default:
				return this.#work(event);
		}
	}

	#work(event: CommandEvent | SkillEvent | TaskEvent | WorkerEvent): Fault {
		switch (event.type) {
			case "command.started":
			case "command.ended":
				return this.#takeCommand(event);
			case "skill.started":
			case "skill.step.started":
			case "skill.step.completed":
			case "skill.completed":
				return this.#inRun(event.runId) ?? this.#skills.receive(event);
			case "task.created":
			case "task.started":
			case "task.progress":
			case "task.suspended":
			case "task.resumed":
			case "task.completed":
			case "task.failed":
			case "task.cancelled":
				return this.#tasks.receive(event);
			case "worker.started":
			case "worker.phased":
			case "worker.completed":
			case "worker.failed":
			case "worker.exited":
				return this.#tasks.receiveWorker(event);
		}
	}

	#prompt(event: Extract<RecordedEvent, { readonly type: `prompt.${string}` }>): Fault {
		switch (event.type) {
			case "prompt.requested":
				return this.#ask(event.prompt);
			case "prompt.voted":
			case "prompt.reminded":
				return this.#openPrompts.has(event.token) ? undefined : "the question is not open";
			case "prompt.answered":
			case "prompt.closed":
				return this.#openPrompts.delete(event.token) ? undefined : "nothing is asked under its token";
		}
	}

	#takeCommand({ type, n }: CommandEvent): Fault {
		if (type === "command.ended")
			return this.#openCommands.delete(n) ? undefined : `command ${n} is not open`;
		if (n !== this.#commands + 1) return `command ${n} follows ${this.#commands}`;
		this.#commands = n;
		this.#openCommands.add(n);
		return undefined;
	}

	#share({ runId, callId }: { readonly runId: string; readonly callId: string }): Fault {
		// The tool calls of a task's run are in another session.
		if (!this.#openRuns.has(runId)) return this.#tasks.working ? undefined : "nobody works";
		// A workflow that a person started has no tool call.
		return callId === "" || this.#openCalls.has(callId) ? undefined : "its call is not open";
	}

	#startRun(runId: string): Fault {
		if (this.#openRuns.has(runId) || this.#endedRuns.has(runId)) return `${runId} was there already`;
		this.#openRuns.add(runId);
		return undefined;
	}

	#endRun(runId: string): Fault {
		if (!this.#openRuns.delete(runId)) return `${runId} was not open`;
		this.#endedRuns.add(runId);
		if (this.#speaking === runId) return "its text had no end";
		if (this.#replied.has(runId)) return "the call of its last reply was not recorded";
		const calls = [...this.#openCalls].filter(([, owner]) => owner === runId);
		return calls.length > 0 ? `calls without an end: ${calls.map(([id]) => id).join(", ")}` : undefined;
	}

	#inRun(runId: string): Fault {
		return this.#openRuns.has(runId) ? undefined : `${runId} is not open`;
	}

	#startCall(runId: string, callId: string): Fault {
		if (!this.#openRuns.has(runId)) return `${runId} is not open`;
		if (this.#replied.has(runId)) return "the call of its last reply was not recorded";
		if (this.#openCalls.has(callId) || this.#endedCalls.has(callId)) return `${callId} was there already`;
		this.#openCalls.set(callId, runId);
		return undefined;
	}

	#endCall(runId: string, callId: string): Fault {
		if (this.#openCalls.get(callId) !== runId) return `${callId} was not open`;
		this.#openCalls.delete(callId);
		this.#endedCalls.add(callId);
		return undefined;
	}

	#ask(prompt: {
		readonly token: string;
		readonly runId: string;
		readonly approval?: { callId: string };
		readonly taskId?: string;
	}): Fault {
		this.#seenPrompts.add(prompt.token);
		// The prompt belongs to the channel or to a task, not to a run of this session.
		if (prompt.runId === "" || prompt.taskId !== undefined) {
			this.#openPrompts.add(prompt.token);
			return undefined;
		}
		if (!this.#openRuns.has(prompt.runId)) return `${prompt.runId} is not open`;
		if (prompt.approval && !this.#openCalls.has(prompt.approval.callId)) return "its call is not open";
		this.#openPrompts.add(prompt.token);
		return undefined;
	}

	#progress(runId: string, callId: string): Fault {
		return this.#openCalls.get(callId) === runId ? undefined : `${callId} was not open`;
	}

	#write(event: Extract<TransientEvent, { type: `arguments.${string}` }>): Fault {
		const { callId } = event;
		const length = this.#written.get(callId);
		if (event.type === "arguments.started") {
			this.#written.set(callId, 0);
			return length === undefined ? undefined : `${callId} is being written already`;
		}
		if (length === undefined) return `${callId} is not being written`;
		const at = event.type === "arguments.delta" ? event.offset : event.length;
		if (at !== length) return `is at ${at} instead of ${length}`;
		if (event.type === "arguments.ended") this.#written.delete(callId);
		else this.#written.set(callId, length + event.json.length);
		return undefined;
	}

	#propose({ runId, calls }: Extract<TransientEvent, { type: "calls.proposed" }>): Fault {
		for (const { callId, token } of calls) {
			if (this.#openCalls.get(callId) !== runId && !this.#endedCalls.has(callId))
				return `${callId} was not open`;
			if (token !== undefined && !this.#seenPrompts.has(token)) return `${token} was not asked`;
		}
		return undefined;
	}

	#reply(runId: string): Fault {
		if (this.#written.size > 0) return `calls without an end: ${[...this.#written.keys()].join(", ")}`;
		if (this.#speaking === runId) return "its text had no end";
		if (this.#replied.has(runId)) return "the call of the reply before was not recorded";
		this.#replied.add(runId);
		return undefined;
	}

	#passing(event: TransientEvent, seq: number): Fault {
		if (seq !== this.#seq) return `has seq ${seq} instead of ${this.#seq}`;
		if (event.type === "prompt.shown") {
			return this.#openPrompts.has(event.prompt.token) ? undefined : "the question is not open";
		}
		if (event.type === "session.deleted") return undefined;
		if (event.type === "context.updated" && event.runId === "") return undefined;
		if (!this.#openRuns.has(event.runId)) return `${event.runId} is not open`;
		return this.#ofRun(event);
	}

	#ofRun(event: Extract<TransientEvent, { runId: string }>): Fault {
		switch (event.type) {
			case "tool.running":
			case "tool.progress":
				return this.#progress(event.runId, event.callId);
			case "calls.proposed":
				return this.#propose(event);
			case "model.calling":
				// After a failed commit, the model is called again for the unrecorded reply.
				if (!event.auxiliary) this.#replied.delete(event.runId);
				return undefined;
			case "response.started":
			case "thinking.delta":
			case "todo.shown":
				return undefined;
			case "context.updated":
				return this.#speaking === event.runId ? "its text had no end" : undefined;
			case "arguments.started":
			case "arguments.delta":
			case "arguments.ended":
				return this.#write(event);
			case "model.replied":
				return this.#reply(event.runId);
			case "text.started":
				this.#speaking = event.runId;
				return undefined;
			case "text.delta":
				return this.#speaking === event.runId ? undefined : "no text was started";
			case "text.ended": {
				if (this.#speaking !== event.runId) return "no text was started";
				this.#speaking = undefined;
				return undefined;
			}
		}
	}
}
