import type { Clock } from "@parley/base";
import type { ScriptedGateway } from "@parley/connector/testing";
import type { Random } from "../../random.ts";
import { GrantWork } from "./grant-work.ts";
import { RandomAnswer } from "./random-answer.ts";
import { type Requester, TaskWork } from "./task-work.ts";

type Session = ScriptedGateway["sessions"][number];

/** Probability per step that a growing answer continues. */
const partChance = 0.35;

/**
 * Position of a call in its reply. `place` is the position among `count` calls that need approval together.
 * `inReply` is the position among all calls.
 */
interface PlaceInReply {
	readonly id: string;
	readonly place: number;
	readonly count: number;
	readonly inReply: number;
}

export class Work {
	readonly answers: { readonly session: string; readonly text: string }[] = [];
	/**
	 * Unique words of the texts before tool calls. `isCut` is true if the run ended before its answer, for example
	 * because a user stopped the run.
	 */
	readonly earlier: { readonly session: string; readonly text: string; readonly isCut: boolean }[] = [];
	/** Questions so far. `approve`: possible labels of the buttons that approve the question. */
	readonly questions: {
		readonly session: Session;
		readonly token: string;
		readonly label: string;
		readonly approve: readonly string[];
	}[] = [];
	#replies = 0;
	#begun = 0;
	readonly #unfinished = new Map<Session, { readonly id: string; readonly calls: number }>();
	readonly tasks: TaskWork;
	readonly trust: GrantWork;
	readonly #gateway: ScriptedGateway;
	readonly #random: Random;
	readonly #growing = new Map<Session, { readonly run: string; readonly answer: RandomAnswer }>();

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
		this.#endCallsOfCancelled();
	}

	/** Ends the calls of a run before the run is cancelled, as the gateway does. */
	#endCallsOfCancelled(): void {
		const { methods } = this.#gateway;
		const { cancel_turn: cancel } = methods;
		methods.cancel_turn = (params, call) => {
			const growing = call.session && this.#growing.get(call.session);
			const run = params.run_id ?? call.session?.runs[0]?.id;
			if (growing?.run === run) growing?.answer.endCall();
			if (!cancel) throw new Error("the gateway cannot cancel a run");
			return cancel(params, call);
		};
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
		else this.trust.grantTrust(session);
	}

	stream(): void {
		for (const [session, { run, answer }] of this.#growing) {
			if (session.runs[0]?.id !== run) this.#cut(session);
			else if (this.#random.chance(partChance)) answer.proceed();
		}
	}

	finish(): void {
		for (const session of this.#gateway.sessions) while (session.runs.length > 0) this.#end(session);
	}

	#answer(session: Session): void {
		const [run] = session.runs;
		if (run === undefined) return;
		const growing = this.#growing.get(session);
		if (growing?.run === run.id || this.#random.chance(0.3)) this.#end(session);
		else this.#begin(session, run.id).proceed();
	}

	#begin(session: Session, run: string): RandomAnswer {
		this.#cut(session);
		const answer = new RandomAnswer({
			...{ session, random: this.#random, name: `answer-${this.#begun}` },
			ask: (call) => this.#askOne(session, call),
		});
		this.#begun += 1;
		this.#growing.set(session, { run, answer });
		return answer;
	}

	#end(session: Session): void {
		const [run] = session.runs;
		if (run === undefined) return;
		const growing = this.#growing.get(session);
		const answer = growing?.run === run.id ? growing.answer : this.#begin(session, run.id);
		this.#growing.delete(session);
		const text = answer.end();
		this.answers.push({ session: session.id, text });
		this.#recordWords(session, answer.words.slice(0, -1), false);
	}

	#cut(session: Session): void {
		const growing = this.#growing.get(session);
		this.#growing.delete(session);
		this.#recordWords(session, growing?.answer.words ?? [], true);
	}

	#recordWords({ id }: Session, words: readonly string[], isCut: boolean): void {
		this.earlier.push(...words.map((text) => ({ session: id, text, isCut })));
	}

	#ask(session: Session): void {
		const last = this.#unfinished.get(session);
		this.#unfinished.delete(session);
		if (last && this.#random.chance(0.5)) {
			this.#askOne(session, undefined, { id: last.id, place: 1, count: 1, inReply: last.calls + 1 });
			return;
		}
		this.#replies += 1;
		const id = `run_1/${this.#replies}`;
		const calls = this.#random.pick([1, 1, 2, 3]);
		for (let place = 1; place <= calls; place++)
			this.#askOne(session, undefined, { id, place, count: calls, inReply: place });
		this.#unfinished.set(session, { id, calls });
	}

	#askOne(
		session: Session,
		call?: string,
		{ inReply, ...reply }: PlaceInReply = this.#aloneInReply(),
	): string {
		const number = this.questions.length;
		const label = `Allow job-${number}.`;
		// The token has the format of the gateway and a unique suffix.
		const token = `prompt_${String(number).padStart(26, "0")}`;
		this.questions.push({
			session,
			token,
			label,
			approve: ["Approve once", "Approve all", `Approve ${inReply}`],
		});
		session.asking.add(token);
		session.record("prompt.request", {
			...{ type: "confirm", label, required: true, options: [], default: null },
			...{ placeholder: "", validation: "", token },
			context: {
				...{ call_id: call ?? `call_${number}`, tool: "run_command", arguments: { cmd: "make" } },
				...{ preview: "", risk: "normal", allow_session: true, notes: [], reply },
			},
		});
		return token;
	}

	#aloneInReply(): PlaceInReply {
		this.#replies += 1;
		return { id: `run_1/${this.#replies}`, place: 1, count: 1, inReply: 1 };
	}

	#answerElsewhere(session: Session): void {
		const [token] = session.asking;
		if (token === undefined) return;
		session.asking.delete(token);
		session.record("prompt.response", { token, value: "once", cancelled: false, by: "operator" });
	}
}
