import { defined, ParleyError } from "@parley/base";
import {
	type Client,
	type ClientState,
	isOzzieEvent,
	type MethodResult,
	type OpenSession,
	type OzzieEvent,
} from "@parley/protocol";
import { forkPlace } from "../command-line/fork-place.ts";
import { modelTable, usageRows } from "../tables/model-tables.ts";
import { visibleLine } from "../text/visible.ts";
import { changeTexts } from "../texts/chat/changes.ts";
import { keyTexts } from "../texts/chat/keys.ts";
import { chatTexts } from "../texts/chat/lines.ts";
import { detailTexts, liveTexts } from "../texts/chat/live.ts";
import { eventTexts } from "../texts/events.ts";
import { sessionTexts } from "../texts/sessions.ts";
import { connectionWords } from "../wordings/connection-words.ts";
import { againWords, errorRows, headRow, noteRows } from "../wordings/message-rows.ts";
import { openStatuses } from "../wordings/task.ts";
import { Answers } from "./answers.ts";
import type { ChatDisplay, ChatOptions } from "./chat-options.ts";
import { type Beginning, namesWith } from "./completion.ts";
import { Conversation } from "./conversation.ts";
import { readEarlierMessages } from "./earlier-messages.ts";
import { type PastedClipboard, pasteClipboard } from "./images/paste-clipboard.ts";
import { PastedImages } from "./images/pasted-images.ts";
import { sessionRows } from "./session-rows.ts";
import { chatHelpRows, namesSkill, usableSkills } from "./skill-names.ts";
import { readLine, type SlashCommand, slashCommands } from "./slash-commands.ts";
import { readUndo, turnRows } from "./turn-changes.ts";

export type BeginChat = (display: ChatDisplay) => Chat;

const maxRecalledMessages = 10;
const maxListedSessions = 10;

/**
 * Chat of a person with the agent: processes typed lines, and the events of the current session. Independent
 * of the terminal.
 */
export class Chat {
	readonly #options: ChatOptions;
	#session: OpenSession;
	#conversation: Conversation;
	#isLost = false;
	#isCancelling = false;
	#hasLeft = false;
	#waiting: (() => void)[] = [];
	/** Ids of the sessions in the last shown list. */
	#listed: readonly string[] = [];
	readonly #images = new PastedImages();
	readonly #answers: Answers;
	#earlier: readonly string[] | undefined;

	constructor(options: ChatOptions) {
		this.#options = options;
		this.#session = options.session;
		this.#conversation = this.#newConversation();
		this.#answers = new Answers({
			conversation: () => this.#conversation,
			format: options.format,
			show: (rows) => this.#show(rows),
			request: (method, params) => this.#request(method, params),
		});
	}

	#newConversation(): Conversation {
		const { text, clock, offersRules } = this.#options;
		return new Conversation(text, () => clock.monotonic(), offersRules);
	}

	get sessionId(): string {
		return this.#session.id;
	}

	get conversation(): Conversation {
		return this.#conversation;
	}

	/** Whether the chat is connected, and has active work whose cancellation was not requested yet. */
	get canCancel(): boolean {
		return this.#conversation.active && !this.#isCancelling && !this.#isLost;
	}

	get notice(): string {
		if (this.#isLost) return connectionWords.lost;
		return this.#isCancelling ? liveTexts.cancelling : "";
	}

	/** Shows events until the person leaves. Rejects if the chat cannot continue the session. */
	async read(): Promise<void> {
		this.#options.observer?.session(this.sessionId);
		let session: OpenSession;
		do {
			session = this.#session;
			await this.#recall();
			await this.#follow(session, this.#conversation);
		} while (session !== this.#session);
	}

	/** Resolves when the chat can process the next line: an unanswered question is open, or the conversation is idle. */
	ready(): Promise<void> {
		return new Promise((resolve) => {
			this.#waiting.push(resolve);
			this.#wake();
		});
	}

	/** Processes the state of the connection. Shows when the connection is lost and when it is restored. */
	connection(state: ClientState): void {
		const isBack = state === "open" && this.#isLost;
		this.#isLost = state === "lost" || (this.#isLost && state === "connecting");
		this.#show(isBack ? noteRows(connectionWords.back, this.#options.format()) : []);
	}

	/**
	 * Processes a line: an answer if `isAnswer`, otherwise a message or a command. While a question with fixed
	 * choices is open, the person can also enter commands. Never rejects.
	 */
	enter(line: string, isAnswer = this.#conversation.question !== undefined): Promise<void> {
		return this.#attempt(() => {
			const isCommand = line.startsWith("/") && readLine(line).kind !== "message" && this.#hasChoices();
			return isAnswer && !isCommand ? this.#answers.answer(line) : this.#enterLine(line);
		});
	}

	#hasChoices(): boolean {
		const type = this.#conversation.question?.question.type;
		return type === "confirm" || type === "select" || type === "multi";
	}

	/** Denies the open approval, or declines the open question. Never rejects. */
	decline(): Promise<void> {
		return this.#attempt(() => this.#answers.decline());
	}

	/** Cancels the active run. Queued messages run afterwards. Never rejects. */
	cancel(): Promise<void> {
		return this.#attempt(async () => {
			this.#isCancelling = this.#conversation.active;
			this.#show([]);
			const { status } = await this.#request("cancel_turn", {});
			if (status === "cancelled") return;
			this.#isCancelling = false;
			this.#note(chatTexts.nothingToCancel);
		});
	}

	/** Ends `read`. The gateway continues the active work. */
	leave(): void {
		this.#hasLeft = true;
		this.#session.close();
	}

	async #follow(session: OpenSession, conversation: Conversation): Promise<void> {
		for await (const frame of session.events()) {
			if (!isOzzieEvent(frame) || this.#showTaskQuestion(frame)) continue;
			if (frame.event === "assistant.message") this.#isCancelling = false;
			this.#options.observer?.event(frame);
			this.#show(conversation.apply(frame, this.#options.format()));
		}
	}

	/**
	 * Shows a notice for a question of a task, if the chat does not ask the questions of tasks. Returns whether it has
	 * shown a notice.
	 */
	#showTaskQuestion(event: OzzieEvent): boolean {
		if (this.#options.asksForTasks || event.event !== "prompt.request") return false;
		const { label, context } = event.payload;
		if (context.task_id === undefined) return false;
		const asker = this.#conversation.tasks.name(context.task_id);
		this.#note(chatTexts.taskAsks({ asker, question: label, session: this.sessionId }));
		return true;
	}

	async #attempt(action: () => void | Promise<void>): Promise<void> {
		try {
			await action();
		} catch (reason) {
			if (!this.#hasLeft) this.#show(errorRows(ParleyError.from(reason), this.#options.format()));
		}
	}

	async #enterLine(line: string): Promise<void> {
		const entered = readLine(line, this.#options.shellLines);
		const { kind } = entered;
		if (kind === "shell") {
			const { command } = entered;
			await this.#sending(`!${command}`, () => this.#request("run_command", { command }));
		}
		if (kind === "unknown") {
			if (await namesSkill(line, this.#skillList)) await this.#sendText(line.trimEnd(), "send_message");
			else this.#note(entered.hint);
		}
		if (kind === "message") await this.#sendText(entered.content, "send_message");
		if (kind === "command") await this.#commands[entered.name](entered.words);
	}

	/** Calls `show` with names that complete a text, then redraws. Never rejects. */
	complete({ kind, text }: Beginning, show: (names: readonly string[]) => void): Promise<void> {
		return this.#attempt(async () => {
			show(await this.#namesOf(kind, text));
			this.#show([]);
		});
	}

	/** Resolves with the result of `readEarlierMessages`, or with an empty list after an error. */
	async earlierMessages(): Promise<readonly string[]> {
		await this.#attempt(async () => {
			this.#earlier ??= await readEarlierMessages(this.#options.client);
		});
		return this.#earlier ?? [];
	}

	/** Draws the chat again after a change that no key caused. */
	redraw(): void {
		this.#show([]);
	}

	async #namesOf(kind: Beginning["kind"], text: string): Promise<string[]> {
		if (kind === "file") return this.#options.listFiles?.(this.sessionId, text) ?? [];
		if (kind === "model") {
			const { models } = await this.#options.client.request("list_models", {});
			const names = models.map(({ name }) => name);
			return namesWith(text, names);
		}
		const skills = usableSkills(await this.#skillList()).map(({ name }) => name);
		return namesWith(text, [...Object.keys(slashCommands), ...skills]);
	}

	readonly #skillList = (): Promise<MethodResult<"list_skills">> =>
		this.#request("list_skills", { session_id: this.sessionId });

	readonly #commands: { readonly [Name in SlashCommand]: (words: string) => void | Promise<void> } = {
		new: async () => this.#begin(await this.#options.openNew()),
		sessions: () => this.#listSessions(),
		resume: (words) => (words === "" ? this.#listSessions() : this.#resume(words)),
		fork: (words) => this.#fork(words),
		model: (name) => (name === "" ? this.#listModels() : this.#chooseModel(name)),
		steer: (words) => this.#sendText(words, "steer"),
		retry: () => this.#sending(againWords, () => this.#request("retry", {})),
		usage: async () => {
			const report = await this.#request("usage", { by: "model" });
			this.#show(usageRows(report, "model", this.#options.format()));
		},
		diff: async () => this.#show(turnRows(await this.#request("file_changes", {}), this.#options.format())),
		undo: (words) => this.#undo(words),
		compact: async () => {
			await this.#request("compact_session", { session_id: this.sessionId });
			this.#note(chatTexts.shortening);
		},
		open: (words) => this.#openDetail(words),
		cancel: () => this.cancel(),
		quit: () => this.leave(),
		help: async () => this.#show(chatHelpRows(await this.#skillList(), this.#options.format())),
	};

	async #listSessions(): Promise<void> {
		const { sessions } = await this.#options.client.request("list_sessions", { limit: maxListedSessions });
		this.#listed = sessions.map(({ session_id }) => session_id);
		const now = { current: this.sessionId, now: this.#options.clock.now() };
		this.#show(sessionRows(sessions, now, this.#options.format()));
	}

	/** Continues the chat in another session. `words` is an id, or a number in the last shown list. */
	async #resume(words: string): Promise<void> {
		const id = /^\d{1,2}$/.test(words) ? this.#listed[Number(words) - 1] : words;
		if (id === undefined) return this.#note(keyTexts.noSuchSession({ number: words }));
		if (id === this.sessionId) return this.#note(keyTexts.isCurrent);
		this.#begin(await this.#options.openExisting(id));
	}

	/** Continues in a fork at the position `words`. Running work stays in the original session. */
	async #fork(words: string): Promise<void> {
		const at = forkPlace(words);
		if (words !== "" && at === undefined)
			return this.#note(sessionTexts.invalidPosition({ position: words }));
		const { sessionId } = this;
		const fork = await this.#request("fork_session", { session_id: sessionId, ...defined({ at }) });
		this.#begin(await this.#options.openExisting(fork.session_id));
		this.#note(eventTexts.forkOf({ session: sessionId, at: fork.at }));
	}

	async #undo(words: string): Promise<void> {
		const partly = readUndo(words);
		if (partly === undefined) return this.#note(changeTexts.invalid({ words: visibleLine(words) }));
		await this.#sending(`/undo ${words}`.trimEnd(), () => this.#request("undo_changes", { partly }));
	}

	/** Shows the details of the entry at the position `words`, counted from the last entry. Default: 1. */
	#openDetail(words: string): void {
		const { details } = this.#conversation;
		const place = words === "" ? 1 : Number(words);
		const rows =
			Number.isInteger(place) && place > 0 ? details.rowsOf(place, this.#options.format()) : undefined;
		if (rows) this.#show(rows);
		else if (details.count === 0) this.#note(detailTexts.none);
		else this.#note(detailTexts.noSuch({ entry: visibleLine(words), count: details.count }));
	}

	async #listModels(): Promise<void> {
		const list = await this.#options.client.request("list_models", {});
		this.#show(modelTable(list, this.#options.format()));
	}

	async #chooseModel(name: string): Promise<void> {
		const { model } = await this.#request("set_model", { model: name });
		this.#options.observer?.model(model);
		this.#note(chatTexts.modelChanged({ model }));
	}

	/** Returns a label for a pasted image path, or undefined for other text, and if no images can be sent. */
	imageLabel(pasted: string): string | undefined {
		const { images } = this.#options;
		return images && this.#images.labelOf(pasted, images.cwd);
	}

	/** Reads the clipboard for the message. An image becomes a label. Never rejects. */
	readonly readClipboard = (): Promise<PastedClipboard> => pasteClipboard(this.#options.images, this.#images);

	#sendText(content: string, method: "send_message" | "steer"): Promise<void> {
		if (method === "steer") return this.#sending(content, () => this.#request(method, { content }));
		// The person may open another session while the upload is running.
		const { sessionId } = this;
		const { client, images } = this.#options;
		return this.#sending(content, async () => {
			const note = (text: string): void => this.#note(text);
			const attachments = images ? await this.#images.upload(content, { images, sessionId, note }) : [];
			const params = attachments.length === 0 ? { content } : { content, attachments };
			return client.request(method, params, { sessionId });
		});
	}

	/** Lists `shown` as being sent until the gateway accepts or refuses the request. */
	async #sending(shown: string, send: () => Promise<unknown>): Promise<void> {
		const conversation = this.#conversation;
		conversation.send(shown);
		this.#show([]);
		try {
			await send();
		} catch (reason) {
			conversation.unsend(shown);
			throw reason;
		}
	}

	readonly #request: Client["request"] = (method, params) =>
		this.#options.client.request(method, params, { sessionId: this.sessionId });

	/** Shows the last messages of an existing session, and its suspended tasks. */
	async #recall(): Promise<void> {
		if (this.#session.status === "created") return;
		const messages = await this.#request("load_messages", { limit: maxRecalledMessages });
		const { lastSeq } = this.#session;
		const known = messages.filter(({ seq }) => seq <= lastSeq);
		this.#show(this.#conversation.recall(known, this.#options.format()));
		// Events and questions of tasks are shown with the names of the tasks, so the tasks must be known before the events
		// arrive.
		await this.#attempt(() => this.#recallTasks(this.#conversation));
	}

	async #recallTasks(conversation: Conversation): Promise<void> {
		const { tasks } = await this.#request("query_tasks", { status: [...openStatuses] });
		this.#show(conversation.tasks.recall(tasks, this.#options.format()));
	}

	#begin(session: OpenSession): void {
		if (this.#hasLeft) {
			session.close();
			return;
		}
		const old = this.#session;
		this.#session = session;
		this.#conversation = this.#newConversation();
		this.#isCancelling = false;
		this.#options.observer?.session(session.id);
		this.#show(["", headRow(session.id, this.#options.format())]);
		old.close();
	}

	#note(text: string): void {
		this.#show(noteRows(text, this.#options.format()));
	}

	#show(rows: readonly string[]): void {
		this.#options.show(rows);
		this.#wake();
	}

	#wake(): void {
		const { idle, question } = this.#conversation;
		if (!idle && !(question && !question.given)) return;
		const waiting = this.#waiting;
		this.#waiting = [];
		for (const resolve of waiting) resolve();
	}
}
