import type { ScriptedGateway } from "@parley/connector/testing";
import type { Random } from "../../random.ts";

type Session = ScriptedGateway["sessions"][number];

interface Task {
	readonly session: Session;
	readonly task_id: string;
	readonly title: string;
	done: number;
}

const stepsOfTask = 3;

/** What the gateway's agents do: they answer, ask and work in the background. */
export class Work {
	/** What was answered, in the order of the sessions. */
	readonly answers: { readonly session: string; readonly text: string }[] = [];
	readonly questions: { readonly session: Session; readonly token: string; readonly label: string }[] = [];
	readonly tasks: Task[] = [];
	readonly #gateway: ScriptedGateway;
	readonly #random: Random;

	constructor(gateway: ScriptedGateway, random: Random) {
		this.#gateway = gateway;
		this.#random = random;
	}

	get isDone(): boolean {
		return this.#gateway.sessions.every(({ runs }) => runs.length === 0);
	}

	goOn(): void {
		const { sessions } = this.#gateway;
		if (sessions.length === 0) return;
		const session = this.#random.pick(sessions);
		const kind = this.#random.below(10);
		if (kind < 5) this.#answer(session);
		else if (kind < 6) this.#ask(session);
		else if (kind < 7) this.#answerElsewhere(session);
		else if (kind < 8) this.#plan(session);
		else this.#work();
	}

	/** Every run comes to its answer. */
	finish(): void {
		for (const session of this.#gateway.sessions) while (session.runs.length > 0) this.#answer(session);
	}

	#answer(session: Session): void {
		if (session.runs.length === 0) return;
		const text = `answer-${this.answers.length}.`;
		this.answers.push({ session: session.id, text });
		session.end({ content: text });
	}

	#ask(session: Session): void {
		const count = this.questions.length;
		const label = `Allow job-${count}.`;
		// As the gateway makes them: no two end alike, and nothing in them is a mark of a text.
		const token = `prompt_${String(count).padStart(26, "0")}`;
		this.questions.push({ session, token, label });
		session.asking.add(token);
		session.record("prompt.request", {
			...{ type: "confirm", label, required: true, options: [], default: null },
			...{ placeholder: "", validation: "", token },
			context: {
				...{ call_id: `call_${count}`, tool: "run_command", arguments: { cmd: "make" }, preview: "" },
				...{ risk: "normal", allow_session: true, notes: [] },
			},
		});
	}

	/** The operator answers at a terminal. */
	#answerElsewhere(session: Session): void {
		const [token] = session.asking;
		if (token === undefined) return;
		session.asking.delete(token);
		session.record("prompt.response", { token, value: "once", cancelled: false, by: "operator" });
	}

	#plan(session: Session): void {
		const count = this.tasks.length;
		const task = {
			session,
			task_id: `task_${String(count).padStart(26, "0")}`,
			title: `chore-${count}.`,
			done: 0,
		};
		this.tasks.push(task);
		const { task_id, title } = task;
		session.record("task.created", { task_id, title, description: "", parent_id: "" });
		session.record("task.started", { task_id, title });
	}

	#work(): void {
		const open = this.tasks.filter(({ done }) => done < stepsOfTask);
		if (open.length === 0) return;
		const task = this.#random.pick(open);
		task.done += 1;
		const { session, task_id, title, done } = task;
		if (done < stepsOfTask) {
			session.record("task.progress", {
				...{ task_id, current_step: done, total_steps: stepsOfTask },
				...{ current_step_label: `step ${done}`, percentage: Math.floor((100 * done) / stepsOfTask) },
			});
			return;
		}
		session.record("task.completed", {
			...{ task_id, title, output_summary: "all is tidy" },
			...{ duration: 1_000_000_000, tokens_input: 1, tokens_output: 1 },
		});
	}
}
