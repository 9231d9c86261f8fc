import type { Clock } from "@parley/base";
import type { ScriptedGateway } from "@parley/connector/testing";
import type { Random } from "../../random.ts";
import { GrantWork } from "./grant-work.ts";
import { type Requester, TaskWork } from "./task-work.ts";

type Session = ScriptedGateway["sessions"][number];

/** Work of the gateway's agents: answers, questions and tasks, in channels that may be trusted. */
export class Work {
	readonly answers: { readonly session: string; readonly text: string }[] = [];
	/** `approve`: possible labels of the button for this call alone. */
	readonly questions: {
		readonly session: Session;
		readonly token: string;
		readonly label: string;
		readonly approve: readonly string[];
	}[] = [];
	#replies = 0;
	/** The newest reply of each session that will request one more call, with its number of calls. */
	readonly #unfinished = new Map<Session, { readonly id: string; readonly calls: number }>();
	readonly tasks: TaskWork;
	readonly trust: GrantWork;
	readonly #gateway: ScriptedGateway;
	readonly #random: Random;
	/** Sessions whose active run shows a part of its reply. */
	readonly #growing = new Set<Session>();

	constructor(
		gateway: ScriptedGateway,
		random: Random,
		clock: Clock,
		platform: { readonly name: string; readonly requesters: readonly Requester[] },
	) {
		this.#gateway = gateway;
		this.#random = random;
		this.tasks = new TaskWork(gateway, random, platform.requesters);
		this.trust = new GrantWork(gateway, clock, platform.name);
	}

	get isDone(): boolean {
		return this.#gateway.sessions.every(({ runs }) => runs.length === 0);
	}

	proceed(): void {
		const { sessions } = this.#gateway;
		if (sessions.length === 0) return;
		const session = this.#random.pick(sessions);
		const kind = this.#random.below(12);
		if (kind < 5) this.#answer(session);
		else if (kind < 6) this.#ask(session);
		else if (kind < 7) this.#answerElsewhere(session);
		else if (kind < 8) this.tasks.plan(session);
		else if (kind < 11) this.tasks.work();
		else this.trust.give(session);
	}

	/** Ends every run with its answer. */
	finish(): void {
		for (const session of this.#gateway.sessions) while (session.runs.length > 0) this.#answer(session);
	}

	#answer(session: Session): void {
		if (session.runs.length === 0) return;
		if (this.#random.below(3) === 0 && !this.#growing.delete(session)) {
			// The reply grows, and ends later.
			this.#growing.add(session);
			session.stream("A part of a reply. ");
			return;
		}
		this.#growing.delete(session);
		const text = `answer-${this.answers.length}.`;
		this.answers.push({ session: session.id, text });
		session.end({ content: text });
	}

	/** Asks about calls of a reply that share a card, or about one more call of the last reply. */
	#ask(session: Session): void {
		const last = this.#unfinished.get(session);
		this.#unfinished.delete(session);
		if (last && this.#random.chance(0.5)) {
			this.#askOne(session, { id: last.id, place: 1, count: 1 }, last.calls + 1);
			return;
		}
		this.#replies += 1;
		const id = `run_1/${this.#replies}`;
		const calls = this.#random.pick([1, 1, 2, 3]);
		for (let place = 1; place <= calls; place++) this.#askOne(session, { id, place, count: calls }, place);
		this.#unfinished.set(session, { id, calls });
	}

	#askOne(
		session: Session,
		reply: { readonly id: string; readonly place: number; readonly count: number },
		inReply: number,
	): void {
		const number = this.questions.length;
		const label = `Allow job-${number}.`;
		// Tokens like those of the gateway, with unique ends and without marks of a text.
		const token = `prompt_${String(number).padStart(26, "0")}`;
		this.questions.push({ session, token, label, approve: ["Approve once", `Approve ${inReply}`] });
		session.asking.add(token);
		session.record("prompt.request", {
			...{ type: "confirm", label, required: true, options: [], default: null },
			...{ placeholder: "", validation: "", token },
			context: {
				...{ call_id: `call_${number}`, tool: "run_command", arguments: { cmd: "make" }, preview: "" },
				...{ risk: "normal", allow_session: true, notes: [], reply },
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
}
