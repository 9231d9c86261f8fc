import type { Client, OzzieEvent, PromptRequestPayload } from "@parley/protocol";
import type { Io } from "../command-line/io.ts";
import { errorFormat } from "../command-line/output.ts";
import { askPerson } from "../questions/ask-person.ts";
import {
	answeredRow,
	correctedRow,
	type GivenAnswer,
	givenRow,
	type OpenQuestion,
} from "../questions/question-rows.ts";
import { decline, type Response } from "../questions/read-answer.ts";
import { visibleLine } from "../text/visible.ts";
import { askTexts } from "../texts/ask.ts";

export interface QuestionsOptions {
	readonly io: Io;
	readonly client: Client;
	readonly sessionId: string;
	/**
	 * Whether the user accepted all tools in advance. A call then needs an approval only if it always requires approval.
	 */
	readonly acceptsAll: boolean;
	/** Whether a person can answer at the terminal. */
	readonly hasPerson: boolean;
	onInterrupt(): void;
	/** Receives the reason if a question could not be asked, or an answer could not be sent. */
	onFailure(reason: unknown): void;
}

interface Asking {
	open: OpenQuestion;
	readonly ended: AbortController;
}

/**
 * Asks the questions of one run at the terminal. Without a person there, denies each approval and declines
 * every other question.
 */
export class Questions {
	readonly #options: QuestionsOptions;
	#asking: Asking | undefined;
	/** Open questions behind the current question, oldest first. */
	#waiting: PromptRequestPayload[] = [];
	/** Earlier questions, by token. The gateway has not confirmed the answers to these questions. */
	readonly #sent = new Map<string, OpenQuestion>();
	#unanswered = 0;

	constructor(options: QuestionsOptions) {
		this.#options = options;
	}

	/** Returns the number of questions that were denied or declined because no person was at the terminal. */
	get unanswered(): number {
		return this.#unanswered;
	}

	/**
	 * Processes an event of the run: asks or queues a question, or removes an answered or closed question. Ignores
	 * questions of tasks.
	 */
	receive(event: OzzieEvent): void {
		if (event.event === "prompt.request" && !isOfTask(event.payload)) this.#raise(event.payload);
		if (event.event !== "prompt.response" && event.event !== "prompt.closed") return;
		const { token } = event.payload;
		const sent = this.#sent.get(token);
		if (sent) {
			this.#sent.delete(token);
			const row =
				event.event === "prompt.response"
					? correctedRow(sent, event.payload, errorFormat(this.#options.io))
					: `  ${askTexts.closed({ question: visibleLine(sent.question.label), reason: visibleLine(event.payload.reason) })}`;
			if (row !== undefined) this.#printRows(row);
			return;
		}
		const asking = this.#asking;
		if (asking?.open.question.token !== token) {
			this.#waiting = this.#waiting.filter((question) => question.token !== token);
			return;
		}
		this.#end();
		if (event.event === "prompt.response" && this.#options.hasPerson) {
			this.#printRows(answeredRow(asking.open, event.payload, errorFormat(this.#options.io)));
		}
		const next = this.#waiting.shift();
		if (next) this.#begin(next);
	}

	/** Ends the open prompt and removes the waiting questions. Sends no answer for them. */
	close(): void {
		this.#waiting = [];
		this.#end();
	}

	#end(): void {
		this.#asking?.ended.abort();
		this.#asking = undefined;
	}

	#raise(question: PromptRequestPayload): void {
		const known = [this.#asking?.open.question, ...this.#waiting];
		if (this.#sent.has(question.token) || known.some((one) => one?.token === question.token)) return;
		if (!this.#asking || !this.#options.hasPerson) {
			this.#begin(question);
			return;
		}
		this.#waiting.push(question);
		if (this.#asking.open.given) this.#askNext(this.#asking.open);
	}

	/** Asks the next question before the gateway has confirmed the last answer. */
	#askNext(answered: OpenQuestion): void {
		const next = this.#waiting.shift();
		if (!next || !answered.given) return;
		this.#sent.set(answered.question.token, answered);
		this.#printRows(givenRow(answered.given, errorFormat(this.#options.io)));
		this.#begin(next);
	}

	#begin(question: PromptRequestPayload): void {
		const asking = { open: { question }, ended: new AbortController() };
		this.#asking = asking;
		this.#answer(question, asking).catch(this.#options.onFailure);
	}

	async #answer(question: PromptRequestPayload, asking: Asking): Promise<void> {
		const { io, hasPerson, onInterrupt } = this.#options;
		const { signal } = asking.ended;
		if (!hasPerson) return this.#refuse(question);
		const given = await askPerson(question, { io, signal, onInterrupt });
		if (given) await this.#sendAnswer(asking, given);
	}

	async #sendAnswer(asking: Asking, given: GivenAnswer): Promise<void> {
		const { question } = asking.open;
		asking.open = { question, given };
		const sending = this.#respond(question, given.response);
		this.#askNext(asking.open);
		await sending;
	}

	async #refuse(question: PromptRequestPayload): Promise<void> {
		const { label, type } = question;
		this.#unanswered += 1;
		const shown = visibleLine(label);
		const reason = this.#options.acceptsAll ? askTexts.needsTerminal : askTexts.noTerminalForCall;
		this.#printRows(
			type === "confirm"
				? askTexts.denied({ question: shown, reason })
				: askTexts.notAnswered({ question: shown }),
		);
		await this.#respond(question, { ...decline, reason: askTexts.clientWithoutTerminal });
	}

	async #respond({ token }: PromptRequestPayload, response: Response): Promise<void> {
		const { client, sessionId } = this.#options;
		await client.request("prompt_response", { token, ...response }, { sessionId });
	}

	#printRows(row: string): void {
		this.#options.io.stderr.write(`${row}\n`);
	}
}

function isOfTask({ context }: PromptRequestPayload): boolean {
	// Tasks run in parallel with the run, and other clients can answer their questions.
	return context.task_id !== undefined;
}
