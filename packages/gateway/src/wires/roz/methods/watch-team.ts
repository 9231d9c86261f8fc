import { Metadata, type ServerWritableStream, status } from "@grpc/grpc-js";
import type { Logger } from "@parley/base";
import type { Principal, Runtime, SessionEvent } from "@parley/core";
import { TeamEvent, type WatchTeamRequest } from "../../../gen/roz/v1/agent.ts";
import { type GrpcStreamDeps, openStream } from "../../../grpc/open-stream.ts";
import { rozErrorTexts } from "../../../texts/wires/grpc.ts";
import { type ErrorRedactor, shownError } from "../../shared/error-text.ts";
import { rozStatuses } from "../error-code.ts";

export interface WatchTeamOptions extends GrpcStreamDeps {
	readonly runtime: Runtime;
	readonly redactor: ErrorRedactor;
}

export function watchTeam(
	call: ServerWritableStream<WatchTeamRequest, Buffer>,
	options: WatchTeamOptions,
): void {
	const { runtime, redactor, log } = options;
	// Existing clients wait for the response headers before they read events.
	call.sendMetadata(new Metadata());
	const { writer, principal } = openStream<TeamEvent>(
		{
			call,
			mayDrop: () => false,
			stopped: () => watch.end(),
			lost: () => watch.end(),
			encode: TeamEvent.encode,
		},
		options,
	);
	const watch = new TeamWatch({
		runtime,
		principal,
		log,
		send: (event) => writer.write(event),
		finished: () => writer.end(),
		deleted: () => {
			const { taskId } = call.request;
			writer.fail({ code: status.NOT_FOUND, details: rozErrorTexts.sessionDeleted({ task: taskId }) });
		},
	});
	watch.begin(call.request.taskId).catch((reason: unknown) => {
		const { code, message } = shownError(reason, redactor);
		if (code === "internal") log.error("a task could not be watched", { error: reason });
		writer.fail({ code: rozStatuses[code], details: code === "internal" ? "internal error" : message });
		watch.end();
	});
}

interface WatchedRuntime {
	readonly observe: Runtime["observe"];
	readonly watch: Runtime["watch"];
	readonly tasks: { readonly check: Runtime["tasks"]["check"] };
}

interface TeamWatchOptions {
	readonly runtime: WatchedRuntime;
	readonly principal: Principal;
	readonly log: Logger;
	/** Sends an event to the client; must not throw. */
	readonly send: (event: TeamEvent) => void;
	/** Reports that the task and all its workers have ended. */
	readonly finished: () => void;
	/** Reports that the session of the task was deleted. Called instead of `finished`. */
	readonly deleted: () => void;
}

/**
 * Watches the workers of a task: the task itself, and each task that a worker spawns. The events of each worker are
 * sent in order from its start. The watch ends when all workers have exited.
 */
export class TeamWatch {
	readonly #options: TeamWatchOptions;
	readonly #stops: (() => void)[] = [];
	/** Number of started phases by the task id of each known worker. */
	readonly #phases = new Map<string, number>();
	readonly #open = new Set<string>();
	/**
	 * Promise that resolves after the last replay. The known workers are replayed one at a time, because the events of
	 * a worker may be large.
	 */
	#replayed: Promise<void> = Promise.resolve();
	#isOver = false;

	constructor(options: TeamWatchOptions) {
		this.#options = options;
	}

	/** Begins the watch. Rejects with `not_found` for a task that the principal may not see. */
	async begin(taskId: string): Promise<void> {
		const { runtime, principal } = this.#options;
		const { sessionId } = await runtime.tasks.check(principal, taskId);
		// The watch must not end until the session of the task has been read, because only the events of this session may
		// name the workers.
		this.#open.add(sessionId);
		this.#add(
			runtime.observe(principal, ({ sessionId: of, event }) => {
				if (of === sessionId && event.type === "session.deleted") this.#deleted();
			}),
		);
		this.#expect(taskId);
		await this.#read(taskId, "");
		// The session of the task has an event when a worker spawns a task, and when such a task ends.
		await this.#watch(sessionId, ({ event }) => this.#follow(event));
		this.#exited(sessionId);
	}

	end(): void {
		if (this.#isOver) return;
		this.#isOver = true;
		for (const stop of this.#stops) stop();
	}

	#follow(event: SessionEvent["event"]): void {
		switch (event.type) {
			case "task.created": {
				const { taskId, parentId } = event;
				if (!this.#phases.has(parentId)) return;
				this.#expect(taskId);
				this.#replayed = this.#replayed
					.then(() => this.#read(taskId, parentId))
					.catch((reason: unknown) => this.#failed(taskId, reason));
				break;
			}
			case "task.completed":
			case "task.failed":
			case "task.cancelled":
				this.#settle(event.taskId);
				break;
			// A cancelled step of a skill has no separate event.
			case "skill.completed":
				for (const taskId of this.#phases.keys()) this.#settle(taskId);
				break;
			default:
				break;
		}
	}

	/** Reports the exit of a task that ended before it started. No worker event follows for such a task. */
	#settle(taskId: string): void {
		if (!this.#open.has(taskId)) return;
		this.#facts(taskId)
			.then(({ isUnstarted }) => isUnstarted && this.#exited(taskId))
			.catch((reason: unknown) => this.#failed(taskId, reason));
	}

	async #facts(taskId: string): Promise<{ readonly ownSessionId: string; readonly isUnstarted: boolean }> {
		const { runtime, principal } = this.#options;
		const { ownSessionId, state, startedAt } = await runtime.tasks.check(principal, taskId);
		const hasEnded = ["completed", "failed", "cancelled"].includes(state);
		return { ownSessionId, isUnstarted: startedAt === undefined && hasEnded };
	}

	#expect(taskId: string): void {
		this.#phases.set(taskId, 0);
		this.#open.add(taskId);
	}

	async #read(taskId: string, parentTaskId: string): Promise<void> {
		if (this.#isOver) return;
		const { ownSessionId, isUnstarted } = await this.#facts(taskId);
		if (isUnstarted) {
			this.#exited(taskId);
			return;
		}
		await this.#watch(ownSessionId, ({ event }) => this.#send(event, taskId, parentTaskId));
	}

	async #watch(sessionId: string, deliver: (event: SessionEvent) => void): Promise<void> {
		const { runtime, principal } = this.#options;
		const stop = await runtime.watch(principal, sessionId, (happened) => {
			if (!this.#isOver) deliver(happened);
		});
		this.#add(stop);
	}

	#add(stop: () => void): void {
		if (this.#isOver) stop();
		else this.#stops.push(stop);
	}

	#send(event: SessionEvent["event"], workerId: string, parentTaskId: string): void {
		const { send } = this.#options;
		switch (event.type) {
			case "worker.started":
				send({ event: { $case: "workerStarted", value: { workerId, hostId: "" } } });
				break;
			case "worker.phased": {
				const phase = this.#phases.get(workerId) ?? 0;
				this.#phases.set(workerId, phase + 1);
				const mode = event.ooda ? "ooda_re_act" : "react";
				send({ event: { $case: "workerPhase", value: { workerId, phase, mode } } });
				break;
			}
			case "tool.started":
				send({ event: { $case: "workerToolCall", value: { workerId, tool: event.name } } });
				break;
			case "worker.completed":
				send({ event: { $case: "workerCompleted", value: { workerId, result: event.summary } } });
				break;
			case "worker.failed":
				send({ event: { $case: "workerFailed", value: { workerId, reason: event.error } } });
				break;
			case "worker.exited":
				send({ event: { $case: "workerExited", value: { workerId, parentTaskId } } });
				this.#exited(workerId);
				break;
			default:
				break;
		}
	}

	#exited(taskId: string): void {
		this.#open.delete(taskId);
		if (this.#open.size > 0 || this.#isOver) return;
		this.end();
		this.#options.finished();
	}

	#deleted(): void {
		if (this.#isOver) return;
		this.end();
		this.#options.deleted();
	}

	#failed(taskId: string, reason: unknown): void {
		if (this.#isOver) return;
		this.#options.log.error("a worker could not be watched", { taskId, error: reason });
		this.#exited(taskId);
	}
}
