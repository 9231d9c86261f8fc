import { delay, type Logger, ParleyError, type Timer } from "@parley/base";
import {
	callForSession,
	recordSessionCall,
	requireBudget,
	type SessionCaller,
} from "../../agent/replies/session-call.ts";
import type { ChooseSettings } from "../../agent/run/run.ts";
import type { RunSettings } from "../../agent/run/settings.ts";
import type { Sessions } from "../../conversation/sessions.ts";
import { titleInstructions } from "../../instructions/auxiliary-prompts.ts";
import { titleFrom } from "../../text/title-text.ts";
import type { SessionEvent } from "../../vocabulary/event.ts";
import type { Model, ModelRequest } from "../../vocabulary/model.ts";
import { ModelError } from "../../vocabulary/model-error.ts";
import { textOf } from "../../vocabulary/transcript.ts";
import { storeTitle } from "./rename.ts";
import { titleTexts } from "./texts.ts";

/** Maximum concurrent title requests. More concurrent requests would delay replies from the same provider. */
const maxConcurrent = 4;
/** Maximum sessions that wait for a title. Any further session gets its title after its next run. */
const maxWaiting = 1_000;
const patienceMs = 60_000;
/** Maximum failed attempts for a session. */
const maxFailures = 3;

/**
 * Requests titles for unnamed sessions from a model. Each title is requested after the first successful run. After a
 * failure, another attempt follows the next successful run, up to three attempts. Callers do not wait for titles, and
 * failures are only logged.
 */
export class Titles {
	readonly #sessions: Sessions;
	readonly #ports: TitlePorts;
	readonly #stopping = new AbortController();
	readonly #waiting = new Set<string>();
	readonly #working = new Map<string, Promise<void>>();
	/** Number of failed attempts by session. */
	readonly #failures = new Map<string, number>();

	constructor(sessions: Sessions, ports: TitlePorts) {
		this.#sessions = sessions;
		this.#ports = ports;
	}

	observe({ sessionId, event }: SessionEvent): void {
		if (event.type === "session.renamed" || event.type === "session.deleted")
			this.#failures.delete(sessionId);
		if (event.type !== "assistant.message" || event.error !== "" || event.imported) return;
		if (this.#stopping.signal.aborted || this.#waiting.size >= maxWaiting) return;
		this.#waiting.add(sessionId);
		this.#next();
	}

	/** Cancels open attempts. Resolves when none remains. */
	async stop(): Promise<void> {
		this.#stopping.abort();
		this.#waiting.clear();
		await Promise.all(this.#working.values());
	}

	#next(): void {
		for (const id of this.#waiting) {
			if (this.#working.size >= maxConcurrent) return;
			this.#waiting.delete(id);
			if (!this.#working.has(id)) this.#working.set(id, this.#work(id));
		}
	}

	async #work(id: string): Promise<void> {
		try {
			await this.#make(id);
		} catch (error) {
			this.#fail(id, error, this.#ports.log);
		}
		this.#working.delete(id);
		this.#next();
	}

	#fail(id: string, error: unknown, log: Logger): void {
		// A session that was deleted meanwhile needs no title.
		if (this.#stopping.signal.aborted || ParleyError.from(error).code === "not_found") return;
		this.#failures.set(id, (this.#failures.get(id) ?? 0) + 1);
		log.warn(titleTexts.notCreated, { sessionId: id, error });
	}

	async #make(id: string): Promise<void> {
		if ((this.#failures.get(id) ?? 0) >= maxFailures) return;
		const { clock, log } = this.#ports;
		using lease = await this.#sessions.leaseOwn(id);
		if (lease.session.titled) return;
		const beginning = await this.#beginning(id);
		if (!beginning) return;
		const tooLong = new AbortController();
		const timer: Timer = clock.after(patienceMs, () => tooLong.abort());
		const signal = AbortSignal.any([this.#stopping.signal, tooLong.signal]);
		try {
			const written = await writeTitle({ ...this.#ports, session: lease.session, signal }, beginning);
			if (written) log.info(titleTexts.written, { sessionId: id });
		} catch (error) {
			// The cause of the error may contain a password of this session.
			this.#fail(id, error, lease.session.redactor.guard(log));
		} finally {
			timer.cancel();
		}
	}

	/**
	 * Returns the first message and the first successful reply. Returns undefined if one of the two is not among the first
	 * 20 messages and replies.
	 */
	async #beginning(id: string): Promise<Beginning | undefined> {
		const types = ["user.message", "assistant.message"];
		const events = (await this.#ports.journal.after(id, 0, 20, types)).map(({ event }) => event);
		const message = events.find((event) => event.type === "user.message");
		const reply = events.find((event) => event.type === "assistant.message" && event.error === "");
		if (!message || reply?.type !== "assistant.message") return undefined;
		return { message: message.content, reply: reply.content };
	}
}

interface Beginning {
	readonly message: string;
	readonly reply: string;
}

interface TitleServices {
	readonly log: Logger;
	readonly settings: ChooseSettings;
	/** The gateway's model. Only the server of this model is known to have the fast model of the price table. */
	readonly model: Model;
}

type TitleCaller = SessionCaller & TitleServices;
type TitlePorts = Omit<TitleCaller, "session" | "signal">;

const maxMessageCharacters = 4_000;
const maxReplyCharacters = 2_000;
/** Maximum tokens of a request. A title has about a dozen tokens, but some models cannot disable thinking. */
const maxTokens = 1_000;
const pauseMs = 2_000;
const longestPauseMs = 30_000;

/**
 * Sets the title that a model writes. Returns false if no title was set. Makes no call for the offline model.
 * Throws if the budget is spent, the call fails, or the model writes no title.
 */
async function writeTitle(caller: TitleCaller, beginning: Beginning): Promise<boolean> {
	const { session } = caller;
	const settings = await caller.settings(session);
	if (settings.model.provider === "offline") {
		const title = titleFrom(session.redactor.redact(beginning.message));
		if (title === "") return false;
		return session.commit((tx, record) => storeTitle(tx, record, session.id, title));
	}
	const model = nameOf(settings, caller);
	await requireBudget(caller, settings.model, model);
	const request: ModelRequest = {
		model,
		system: titleInstructions,
		tools: [],
		reasoning: "off",
		sampling: { maxTokens },
		messages: [{ role: "user", content: [{ type: "text", text: question(beginning) }] }],
	};
	const failure = await attempt(caller, settings.model, request);
	if (!(failure instanceof ParleyError)) return failure;
	const waitMs = pauseBefore(failure);
	if (waitMs === undefined) throw failure;
	await delay(caller.clock, waitMs, caller.signal);
	if (await isNamed(caller, session.id)) return false;
	await requireBudget(caller, settings.model, model);
	const secondAnswer = await attempt(caller, settings.model, request);
	if (secondAnswer instanceof ParleyError) throw secondAnswer;
	return secondAnswer;
}

async function isNamed({ journal }: TitlePorts, id: string): Promise<boolean> {
	const row = await journal.store.read((db) =>
		db.selectFrom("sessions").select("titled_by").where("id", "=", id).executeTakeFirst(),
	);
	return row?.titled_by !== null;
}

/**
 * Returns the provider's fast model if the session uses the gateway's model and the price table has a fast model.
 * Otherwise, returns the session's model.
 */
function nameOf({ model, names }: RunSettings, ports: TitlePorts): string {
	if (model !== ports.model) return names[0];
	return ports.table.list(model.provider).find(({ tier }) => tier === "fast")?.id ?? names[0];
}

function question({ message, reply }: Beginning): string {
	const source = titleTexts.person(message.slice(0, maxMessageCharacters));
	const answered = titleTexts.agent(reply.slice(0, maxReplyCharacters));
	return titleTexts.end(source, answered);
}

/**
 * Returns the milliseconds before the second attempt. Undefined if the attempt would be useless or the
 * provider requests a longer wait than `longestPauseMs`.
 */
function pauseBefore(failure: ParleyError): number | undefined {
	if (!(failure instanceof ModelError)) return undefined;
	if (failure.fault === "rejected" || failure.fault === "unauthenticated") return undefined;
	const waitMs = failure.retryAfterMs ?? pauseMs;
	return waitMs <= longestPauseMs ? waitMs : undefined;
}

/**
 * Requests a title once. Records usage and title in one transaction. Returns the error if the request fails or its reply
 * has no title. Otherwise, returns whether the title was set: false if the session already has a title.
 */
async function attempt(
	caller: TitleCaller,
	model: Model,
	request: ModelRequest,
): Promise<ParleyError | boolean> {
	const answer = await callForSession(caller, model, request, "title");
	const { content, stop, failure } = answer.reply;
	const title = stop === "end_turn" ? titleFrom(textOf(content)) : "";
	const stored = await caller.session.commit(async (tx, record) => {
		await recordSessionCall(caller, answer, { tx, record });
		return title !== "" && storeTitle(tx, record, caller.session.id, title);
	});
	if (failure) return failure;
	return title === "" ? new ParleyError(titleTexts.empty, { code: "unavailable" }) : stored;
}
