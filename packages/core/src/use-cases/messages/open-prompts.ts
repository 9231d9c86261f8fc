import { type Clock, defined, ParleyError, type Store } from "@parley/base";
import { authorizeValue, requesterOf } from "../../conversation/may-answer.ts";
import {
	type AnsweringPlaces,
	authorizeApprover,
	placesAnsweredHere,
} from "../../conversation/may-answer-elsewhere.ts";
import type { Sessions } from "../../conversation/sessions.ts";
import { promptTexts } from "../../conversation/texts.ts";
import { fromRow, type Tx } from "../../store/journal.ts";
import type { Tables } from "../../store/tables.ts";
import type { StoredGrantRequest } from "../../trust/grants/grant-request.ts";
import { authorize, isAuthorized } from "../../vocabulary/authorize.ts";
import { type Person, type Principal, visibleSessions } from "../../vocabulary/principal.ts";
import type { Prompt } from "../../vocabulary/prompt.ts";
import { promptAnswerTexts } from "./texts.ts";

export interface OpenPrompt {
	readonly prompt: Prompt;
	readonly sessionId: string;
	readonly sessionTitle: string;
	/** Channel of the session. */
	readonly place?: string;
	/** Milliseconds since the epoch. */
	readonly createdAt: number;
	/** Chat user who requested the run or the grant. */
	readonly requester?: Pick<Person, "id" | "name">;
	/** Whether only an explicit value approves. True for always-required approvals and grant requests. */
	readonly alwaysAsk: boolean;
}

export interface PromptFilter {
	readonly limit: number;
	readonly sessionId?: string | undefined;
	readonly token?: string | undefined;
	/**
	 * Whether to return only approvals of tool calls. For a person, includes an approval from another channel if it may be
	 * answered in the person's channel.
	 */
	readonly approvals?: boolean | undefined;
}

export class OpenPrompts {
	readonly #options: { readonly store: Store<Tables>; readonly clock: Clock };
	readonly #sessions: Sessions;
	readonly #places: AnsweringPlaces;

	constructor(
		options: { readonly store: Store<Tables>; readonly clock: Clock },
		sessions: Sessions,
		places: AnsweringPlaces,
	) {
		this.#options = options;
		this.#sessions = sessions;
		this.#places = places;
	}

	/**
	 * Returns the open questions that the principal may see, oldest first. With `approvals`, always-required approvals come
	 * after all other approvals, unless the principal may see all sessions. Throws `not_found` for a session that the
	 * principal may not see. With `approvals`, throws `permission_denied` if the principal may not approve.
	 */
	async list(
		principal: Principal,
		{ limit, sessionId, token, approvals = false }: PromptFilter,
	): Promise<OpenPrompt[]> {
		authorize(principal, "prompt.read");
		if (approvals) authorizeApprover(principal, this.#places);
		if (sessionId !== undefined) {
			(await this.#sessions.lease(principal, sessionId, "prompt.read"))[Symbol.dispose]();
		}
		const all = isAuthorized(principal, "prompt.read", { owner: "" });
		const { store, clock } = this.#options;
		const rows = await store.read(async (db) => {
			let selected = questions(db)
				.where("prompts.state", "=", "open")
				.where("prompts.expires_at", ">", clock.now())
				.$if(approvals && !all, (query) => query.orderBy("prompts.floor"))
				.orderBy("prompts.created_at")
				.orderBy("prompts.token")
				.limit(limit);
			if (sessionId !== undefined) selected = selected.where("prompts.session_id", "=", sessionId);
			if (token !== undefined) selected = selected.where("prompts.token", "=", token);
			if (approvals) {
				selected = selected
					.where("prompts.binding", "is not", null)
					.where("prompts.wanted_grant", "is", null);
			}
			if (all) return selected.execute();
			const { owner, ids, place } = visibleSessions(principal);
			const elsewhere = approvals ? await placesAnsweredHere(db, principal, this.#places) : [];
			return selected
				.where((row) => {
					const own = row.or([row("sessions.owner", "=", owner), row("sessions.id", "in", listed(ids))]);
					const seen = place === undefined ? own : row.and([own, row("sessions.place", "=", place)]);
					return row.or([seen, row("sessions.place", "in", listed(elsewhere))]);
				})
				.execute();
		});
		return rows.map(toOpenPrompt);
	}

	/**
	 * Returns the password question with this token. Throws `not_found` for an unknown token, for a question of another
	 * type, and for a session that the principal may not see. Throws `permission_denied` if the principal may not answer,
	 * and `failed_precondition` for a closed question.
	 */
	async secret(principal: Principal, token: string): Promise<OpenPrompt> {
		const { store, clock } = this.#options;
		const row = await store.read((db) => questions(db).where("prompts.token", "=", token).executeTakeFirst());
		if (!row) throw unknown();
		using lease = await this.#sessions.lease(principal, row.session_id, "prompt.deny").catch((reason) => {
			throw ParleyError.from(reason).code === "not_found" ? unknown(reason) : reason;
		});
		authorizeValue(principal, row, lease.session);
		const open = toOpenPrompt(row);
		if (open.prompt.type !== "password") throw unknown();
		if (row.state === "open" && open.prompt.expiresAt > clock.now()) return open;
		throw new ParleyError(promptAnswerTexts.closed, {
			code: "failed_precondition",
		});
	}
}

function listed(values: readonly string[] = []): readonly string[] {
	// PostgreSQL does not accept an empty list.
	return values.length > 0 ? values : [""];
}

function unknown(cause?: unknown): ParleyError {
	return new ParleyError(promptTexts.notFound, { code: "not_found", cause });
}

function questions(db: Tx) {
	return db
		.selectFrom("prompts")
		.innerJoin("sessions", "sessions.id", "prompts.session_id")
		.leftJoin("runs", "runs.id", "prompts.run_id")
		.select(["prompts.request", "prompts.session_id", "prompts.state", "prompts.floor"])
		.select(["prompts.wanted_grant", "prompts.created_at", "sessions.title", "sessions.place", "runs.actor"]);
}

type Row = Awaited<ReturnType<ReturnType<typeof questions>["executeTakeFirstOrThrow"]>>;

function toOpenPrompt(row: Row): OpenPrompt {
	const grantRequest = row.wanted_grant === null ? undefined : fromRow<StoredGrantRequest>(row.wanted_grant);
	const by = grantRequest ? grantRequest.by : requesterOf(row);
	return {
		prompt: fromRow<Prompt>(row.request),
		sessionId: row.session_id,
		sessionTitle: row.title,
		...defined({ place: row.place ?? undefined }),
		createdAt: Number(row.created_at),
		...defined({ requester: by && { id: by.id, name: by.name } }),
		alwaysAsk: row.floor === 1,
	};
}
