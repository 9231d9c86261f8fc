import type { EventPayloads, PromptRequestPayload } from "@parley/protocol";
import {
	answeredRow,
	correctedRow,
	type GivenAnswer,
	givenRow,
	type OpenQuestion,
	offeredRows,
	questionRows,
} from "../questions/question-rows.ts";
import type { OutputFormat } from "../text/styles.ts";
import { chatQuestionTexts } from "../texts/chat/live.ts";
import { noteRows } from "../wordings/message-rows.ts";

/** The current question of a chat, the questions behind it, and unconfirmed answers. */
export class OpenQuestions {
	readonly #nameOfTask: (id: string) => string;
	readonly offersRules: boolean;
	#current: OpenQuestion | undefined;
	/** Open questions behind the current question. A reopened question precedes all others. */
	#waiting: PromptRequestPayload[] = [];
	/** Earlier questions. The gateway has not confirmed the answers to these questions. */
	#sent: OpenQuestion[] = [];

	/** Starts without questions. `offersRules`: whether the person can add the rule that an approval offers. */
	constructor(nameOfTask: (id: string) => string, offersRules = false) {
		this.#nameOfTask = nameOfTask;
		this.offersRules = offersRules;
	}

	get current(): OpenQuestion | undefined {
		return this.#current;
	}

	ask(question: PromptRequestPayload, format: OutputFormat): string[] {
		if (this.#sent.some((one) => one.question.token === question.token)) return [];
		// A "yes" to one question must not answer another question that arrived while the person typed.
		if (this.#current && this.#current.question.token !== question.token) {
			if (this.#waiting.some(({ token }) => token === question.token)) return [];
			this.#waiting.push(question);
			return this.#current.given ? this.#askNext(format) : noteRows(chatQuestionTexts.follows, format);
		}
		this.#current = { question };
		return this.#rows(question, format);
	}

	/** Records an answer to the current question. The next question opens immediately, without waiting for the gateway. */
	answer(given: GivenAnswer, format: OutputFormat): string[] {
		if (!this.#current) return [];
		const { question } = this.#current;
		this.#current = { question, given };
		return this.#waiting.length > 0 ? this.#askNext(format) : [];
	}

	/**
	 * Reopens a question whose answer could not be sent. If another question is open, the reopened question
	 * follows it.
	 */
	unanswer(token: string, format: OutputFormat): string[] {
		if (this.#current?.question.token === token) {
			this.#current = { question: this.#current.question };
			return [];
		}
		const refused = this.#removeSent(token);
		if (!refused) return [];
		this.#waiting.unshift(refused.question);
		return !this.#current || this.#current.given ? this.#askNext(format) : [];
	}

	/**
	 * Processes an answer that the gateway reported. Returns the rows to print, and the question if the chat
	 * has shown it.
	 */
	settle(
		response: EventPayloads["prompt.response"],
		format: OutputFormat,
	): { readonly question: PromptRequestPayload | undefined; readonly rows: string[] } {
		const sent = this.#removeSent(response.token);
		if (sent) {
			const rows = [correctedRow(sent, response, format)].filter((row) => row !== undefined);
			return { question: sent.question, rows };
		}
		const open = this.#current;
		const next = this.#remove(response.token, format);
		if (open?.question.token !== response.token) return { question: undefined, rows: next };
		return { question: open.question, rows: [answeredRow(open, response, format), ...next] };
	}

	close({ token, reason }: EventPayloads["prompt.closed"], format: OutputFormat): string[] {
		const sent = this.#removeSent(token);
		const closed = chatQuestionTexts.closed({ reason });
		if (sent) return noteRows(chatQuestionTexts.otherClosed({ label: sent.question.label, reason }), format);
		const isShown = this.#current?.question.token === token;
		const next = this.#remove(token, format);
		return isShown ? [...noteRows(closed, format), ...next] : next;
	}

	/** Opens the next question. Returns its rows, which follow the unconfirmed answer. */
	#askNext(format: OutputFormat): string[] {
		const answered = this.#current;
		const question = this.#waiting.shift();
		if (!question) return [];
		this.#current = { question };
		if (!answered?.given) return this.#rows(question, format);
		this.#sent.push(answered);
		return [givenRow(answered.given, format), ...this.#rows(question, format)];
	}

	#rows(question: PromptRequestPayload, format: OutputFormat): string[] {
		const { task_id } = question.context;
		const words =
			task_id === undefined ? undefined : chatQuestionTexts.asks({ name: this.#nameOfTask(task_id) });
		return [
			...(words === undefined ? [] : noteRows(words, format)),
			...questionRows(question, format),
			...(this.offersRules ? offeredRows(question, format) : []),
		];
	}

	#removeSent(token: string): OpenQuestion | undefined {
		const sent = this.#sent.find(({ question }) => question.token === token);
		this.#sent = this.#sent.filter((one) => one !== sent);
		return sent;
	}

	#remove(token: string, format: OutputFormat): string[] {
		this.#waiting = this.#waiting.filter((question) => question.token !== token);
		if (this.#current?.question.token !== token) return [];
		this.#current = undefined;
		return this.#askNext(format);
	}
}
