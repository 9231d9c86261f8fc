import { type Clock, ParleyError, type Store } from "@parley/base";
import { authorize, isAuthorized } from "../authorize.ts";
import { fromRow, type Tx } from "../journal/journal.ts";
import type { Tables } from "../journal/tables.ts";
import { type Person, type Principal, visibleTo } from "../principal.ts";
import type { Prompt } from "../prompt.ts";
import type { KeptWish } from "../trust/grant-wish.ts";
import { authorizeValue, requesterOf } from "./may-answer.ts";
import type { Sessions } from "./sessions.ts";

/** A question that waits for its answer, with where it stands. */
export interface OpenPrompt {
	readonly prompt: Prompt;
	readonly sessionId: string;
	readonly sessionTitle: string;
	/** Milliseconds since the epoch. */
	readonly createdAt: number;
	/** Who of a chat platform asked for the work that it belongs to. */
	readonly requester?: Pick<Person, "id" | "name">;
	/** Whether only a value that is written out approves it. */
	readonly alwaysAsk: boolean;
}

/** Which of them are wanted. */
export interface PromptFilter {
	readonly limit: number;
	readonly sessionId?: string | undefined;
	readonly token?: string | undefined;
}

/** Questions that wait for people, whatever session they stand in. */
export class OpenPrompts {
	readonly #options: { readonly store: Store<Tables>; readonly clock: Clock };
	readonly #sessions: Sessions;

	constructor(options: { readonly store: Store<Tables>; readonly clock: Clock }, sessions: Sessions) {
		this.#options = options;
		this.#sessions = sessions;
	}

	/** Those that the principal may see, the oldest first. Throws `not_found` for a session that they may not. */
	async list(principal: Principal, { limit, sessionId, token }: PromptFilter): Promise<OpenPrompt[]> {
		authorize(principal, "prompt.read");
		if (sessionId !== undefined) {
			(await this.#sessions.lease(principal, sessionId, "prompt.read"))[Symbol.dispose]();
		}
		const all = isAuthorized(principal, "prompt.read", { owner: "" });
		const { store, clock } = this.#options;
		const rows = await store.read((db) => {
			let wanted = questions(db)
				.where("prompts.state", "=", "open")
				.where("prompts.expires_at", ">", clock.now())
				.orderBy("prompts.created_at")
				.orderBy("prompts.token")
				.limit(limit);
			if (sessionId !== undefined) wanted = wanted.where("prompts.session_id", "=", sessionId);
			if (token !== undefined) wanted = wanted.where("prompts.token", "=", token);
			if (all) return wanted.execute();
			const { owner, ids = [], place } = visibleTo(principal);
			// PostgreSQL knows no empty list.
			const among = ids.length > 0 ? ids : [""];
			wanted = wanted.where((row) =>
				row.or([row("sessions.owner", "=", owner), row("sessions.id", "in", among)]),
			);
			return (place === undefined ? wanted : wanted.where("sessions.place", "=", place)).execute();
		});
		return rows.map(toOpenPrompt);
	}

	/**
	 * The question for a password of that token, for who may answer it. Throws `not_found` for any other question, and
	 * where its session is not to be seen; `failed_precondition` where it is over.
	 */
	async secret(principal: Principal, token: string): Promise<OpenPrompt> {
		const { store, clock } = this.#options;
		const row = await store.read((db) => questions(db).where("prompts.token", "=", token).executeTakeFirst());
		if (!row) throw unknown();
		using lease = await this.#sessions.lease(principal, row.session_id, "prompt.deny").catch((reason) => {
			throw ParleyError.from(reason).code === "not_found" ? unknown(reason) : reason;
		});
		authorizeValue(principal, row, lease.session);
		const asked = toOpenPrompt(row);
		if (asked.prompt.type !== "password") throw unknown();
		if (row.state === "open" && asked.prompt.expiresAt > clock.now()) return asked;
		throw new ParleyError("this question is over: it was answered, or nobody did in time", {
			code: "failed_precondition",
		});
	}
}

function unknown(cause?: unknown): ParleyError {
	return new ParleyError("prompt not found", { code: "not_found", cause });
}

function questions(db: Tx) {
	return db
		.selectFrom("prompts")
		.innerJoin("sessions", "sessions.id", "prompts.session_id")
		.leftJoin("runs", "runs.id", "prompts.run_id")
		.select(["prompts.request", "prompts.session_id", "prompts.state", "prompts.floor"])
		.select(["prompts.wanted_grant", "prompts.created_at", "sessions.title", "runs.actor"]);
}

type Row = Awaited<ReturnType<ReturnType<typeof questions>["executeTakeFirstOrThrow"]>>;

function toOpenPrompt(row: Row): OpenPrompt {
	const wish = row.wanted_grant === null ? undefined : fromRow<KeptWish>(row.wanted_grant);
	const by = wish ? wish.by : requesterOf(row);
	return {
		...{ prompt: fromRow<Prompt>(row.request), sessionId: row.session_id, sessionTitle: row.title },
		createdAt: Number(row.created_at),
		...(by && { requester: { id: by.id, name: by.name } }),
		alwaysAsk: row.floor === 1,
	};
}
