import type { Client, PromptRequestPayload } from "@parley/protocol";
import type { GivenAnswer } from "../questions/question-rows.ts";
import { always, decline, isAlways, readAnswer } from "../questions/read-answer.ts";
import type { OutputFormat } from "../text/styles.ts";
import { chatTexts } from "../texts/chat/lines.ts";
import { questionTexts } from "../texts/questions.ts";
import { noteRows } from "../wordings/message-rows.ts";
import type { Conversation } from "./conversation.ts";

interface AnswerPorts {
	readonly conversation: () => Conversation;
	readonly format: () => OutputFormat;
	readonly show: (rows: readonly string[]) => void;
	/** Sends a request to the current session. */
	readonly request: Client["request"];
}

/** Sends answers to the open question of a chat. A method rejects if its request fails. */
export class Answers {
	readonly #ports: AnswerPorts;

	constructor(ports: AnswerPorts) {
		this.#ports = ports;
	}

	/** Sends a typed line as the answer. If the line is not a valid answer, shows a hint instead. */
	async answer(line: string): Promise<void> {
		const conversation = this.#ports.conversation();
		const open = conversation.question;
		if (!open || open.given) return;
		const { question } = open;
		if (conversation.offersRules && isAlways(question, line)) {
			const { always_allow: rule, allow_session: withSession = false } = question.context;
			if (rule) await this.#respond(always, () => this.#addRule(question));
			else this.#note(`  ${questionTexts.noRule({ withSession })}`);
			return;
		}
		const reading = readAnswer(question, line);
		if (reading.kind === "again") this.#note(`  ${reading.hint}`);
		else await this.#respond(reading);
	}

	/** Denies the open approval, or declines the open question. */
	async decline(): Promise<void> {
		const isApproval = this.#ports.conversation().question?.question.type === "confirm";
		await this.#respond({ response: decline, shown: isApproval ? questionTexts.no : chatTexts.noAnswer });
	}

	async #addRule({ token }: PromptRequestPayload): Promise<void> {
		const { rule, source, late } = await this.#ports.request("allow_always", { token });
		this.#note(questionTexts.added({ rule, source }));
		if (late) this.#note(questionTexts.addedLate);
	}

	/**
	 * Sends the answer. Shows the next question before the request ends. Reopens the answered question if the
	 * request fails.
	 */
	async #respond(given: GivenAnswer, send?: () => Promise<void>): Promise<void> {
		const { show, format, request } = this.#ports;
		const conversation = this.#ports.conversation();
		const open = conversation.question;
		if (!open || open.given) return;
		const { token } = open.question;
		show(conversation.answer(given, format()));
		try {
			if (send) await send();
			else await request("prompt_response", { token, ...given.response });
		} catch (reason) {
			show(conversation.unanswer(token, format()));
			throw reason;
		}
	}

	#note(text: string): void {
		this.#ports.show(noteRows(text, this.#ports.format()));
	}
}
