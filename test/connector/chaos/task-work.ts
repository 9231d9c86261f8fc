import { ParleyError } from "@parley/base";
import type { ScriptedGateway } from "@parley/connector/testing";
import type { TaskPayload } from "@parley/protocol";
import type { Random } from "../../random.ts";

type Session = ScriptedGateway["sessions"][number];

interface Review {
	readonly token: string;
	readonly label: string;
	isOpen: boolean;
}

export interface Requester {
	readonly id: string;
	readonly name: string;
}

interface Task {
	readonly session: Session;
	readonly task_id: string;
	readonly title: string;
	readonly requester: Requester;
	readonly reviews: Review[];
	done: number;
	end?: "completed" | "cancelled";
}

const stepsOfTask = 3;
const nothing = {
	tokens_input: 0,
	tokens_output: 0,
	tokens_cache_read: 0,
	tokens_cache_write: 0,
	cost_usd: 0,
};
const moment = "2026-01-01T00:00:00Z";

export class TaskWork {
	readonly tasks: Task[] = [];
	readonly #random: Random;
	readonly #requesters: readonly Requester[];

	constructor(gateway: ScriptedGateway, random: Random, requesters: readonly Requester[]) {
		this.#random = random;
		this.#requesters = requesters;
		Object.assign<ScriptedGateway["methods"], ScriptedGateway["methods"]>(gateway.methods, {
			check_task: ({ task_id }) => payloadOf(this.#find(task_id)),
			reply_task: ({ task_id, token }) => this.#reply(task_id, token ?? undefined),
			cancel_task: ({ task_id }) => this.#cancel(task_id),
		});
	}

	plan(session: Session): void {
		const count = this.tasks.length;
		const task_id = `task_${String(count).padStart(26, "0")}`;
		const title = `chore-${count}.`;
		const requester = this.#requesters[count % this.#requesters.length];
		if (requester === undefined) throw new Error("no person requests tasks");
		this.tasks.push({ session, task_id, title, requester, reviews: [], done: 0 });
		const [platform, tenant] = session.externalKey?.split(":") ?? [];
		const by = `${platform}:${tenant}:${requester.id}`;
		session.record("task.created", { task_id, title, description: "", parent_id: "", by });
		session.record("task.started", { task_id, title });
	}

	work(): void {
		const open = this.tasks.filter(({ end }) => end === undefined);
		if (open.length === 0) return;
		const task = this.#random.pick(open);
		const review = openReview(task);
		// Answers the review in the name of the operator at a terminal.
		if (review) this.#resume(task, review);
		else if (this.#random.chance(0.4)) this.#ask(task);
		else proceed(task);
	}

	#ask(task: Task): void {
		const { session, task_id, title, reviews } = task;
		const number = this.tasks.reduce((sum, one) => sum + one.reviews.length, 0);
		const token = `review_${String(number).padStart(26, "0")}`;
		const label = `review-${number}.`;
		reviews.push({ token, label, isOpen: true });
		session.record("task.suspended", {
			...{ task_id, title, reason: label, plan_content: "", token, suspend_count: reviews.length },
		});
	}

	#reply(task_id: string, token: string | undefined) {
		const task = this.#find(task_id);
		const review = openReview(task);
		if (!review || (token ?? review.token) !== review.token) {
			throw new ParleyError("not available: it asks nothing", { code: "unimplemented" });
		}
		this.#resume(task, review);
		return { task_id, status: "replied" as const };
	}

	#resume({ session, task_id, title }: Task, review: Review): void {
		review.isOpen = false;
		session.record("task.resumed", { task_id, title });
	}

	#cancel(task_id: string) {
		const task = this.#find(task_id);
		if (task.end === undefined) {
			task.end = "cancelled";
			for (const review of task.reviews) review.isOpen = false;
			task.session.record("task.cancelled", { task_id, reason: `no need of ${task.title}` });
		}
		return { task_id, status: task.end };
	}

	#find(task_id: string): Task {
		const task = this.tasks.find((one) => one.task_id === task_id);
		if (task) return task;
		throw new ParleyError(`task not found: ${task_id}`, { code: "not_found" });
	}
}

function openReview({ reviews }: Task): Review | undefined {
	return reviews.find(({ isOpen }) => isOpen);
}

function proceed(task: Task): void {
	task.done += 1;
	const { session, task_id, title, done } = task;
	if (done < stepsOfTask) {
		session.record("task.progress", {
			...{ task_id, current_step: done, total_steps: stepsOfTask },
			...{ current_step_label: `step ${done}`, percentage: Math.floor((100 * done) / stepsOfTask) },
		});
		return;
	}
	task.end = "completed";
	session.record("task.completed", {
		...{ task_id, title, output_summary: `the result of ${title}` },
		...{ duration: 1_000_000_000, tokens_input: 1, tokens_output: 1 },
	});
}

function payloadOf(task: Task): TaskPayload {
	const { session, task_id: id, title, end, done } = task;
	const review = openReview(task);
	return {
		...{
			id,
			title,
			status: end ?? (review ? "suspended" : "running"),
			description: "",
			output: "",
			error: "",
		},
		progress: { current_step: done, total_steps: stepsOfTask, current_step_label: "", percentage: 0 },
		...{ session_id: session.id, conversation: `of ${id}`, parent_id: "", priority: "normal", tools: [] },
		...{ agent: "default", autonomy: "supervised", depends_on: [], owner: "", suspend_count: 0 },
		...{ retry_count: 0, created_at: moment, updated_at: moment, usage: nothing },
		...(review && { suspension: { reason: review.label, plan_content: "", token: review.token } }),
	};
}
