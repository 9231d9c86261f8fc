import { type Clock, defined, type Engine, type Ids, ParleyError, type Store } from "@parley/base";
import { sql } from "kysely";
import { type Keyed, once } from "../store/idempotency.ts";
import type { Tx } from "../store/journal.ts";
import { memoryIndexOf } from "../store/memory-index.ts";
import {
	countMemories,
	deleteMemoriesOf,
	deleteMemoriesOfChannel,
	deleteMemory,
	findMemory,
	firstMemory,
	insertMemory,
	listMemories,
	type MemorySelection,
	selected,
	toMemory,
} from "../store/memory-rows.ts";
import { searchWords, significantWords } from "../store/search-words.ts";
import { taintOfMessage } from "../store/session-taint.ts";
import type { Tables } from "../store/tables.ts";
import { maxNotes } from "../text/notes-text.ts";
import type { TextRedactor } from "../text/session-redactor.ts";
import { type Audit, requestedBy } from "../trust/audit/audit.ts";
import { foreignTenant, Tenants } from "../trust/people/tenants.ts";
import { authorize } from "../vocabulary/authorize.ts";
import { type ChatSettings, noChat } from "../vocabulary/chat-settings.ts";
import {
	checkMemory,
	isReadable,
	type Memory,
	type MemoryReader,
	type MemoryScope,
	memoryLimits,
	type NewMemory,
	subjectOf,
	unknownMemory,
} from "../vocabulary/memory.ts";
import { actingId, hasRole, type Principal, placeKey } from "../vocabulary/principal.ts";
import { memoryStoreTexts } from "./texts.ts";

interface MemoriesOptions {
	readonly store: Store<Tables>;
	readonly clock: Clock;
	readonly ids: Ids;
	readonly redactor: TextRedactor;
	readonly audit: Audit;
	readonly chat?: ChatSettings | undefined;
	readonly secrets: { readonly fingerprint: (text: string) => string };
}

interface MemoryFilter {
	/** Words to search for. If absent or blank, the newest notes are returned. */
	readonly query?: string | undefined;
	readonly scope?: MemoryScope | undefined;
	/**
	 * Id of a person. Selects notes about this person and notes by this person. Only the operator may name a person other
	 * than the caller.
	 */
	readonly person?: string | undefined;
	readonly limit: number;
}

interface MemoryOrigin extends Pick<Memory, "id" | "author" | "sessionId" | "taint"> {
	readonly reader: MemoryReader;
}

/** Stores notes about people and channels, and shared notes. Available as `runtime.memories`. */
export class Memories {
	readonly #options: MemoriesOptions;
	readonly #tenants: Tenants;

	constructor(options: MemoriesOptions) {
		this.#options = options;
		this.#tenants = new Tenants(options.chat ?? noChat);
	}

	/**
	 * Stores a note that a client writes. Throws:
	 * - `invalid_argument` if the note is blank or exceeds a limit
	 * - `resource_exhausted` if there are too many notes
	 * - `failed_precondition` for a channel note outside a channel
	 * - `permission_denied` for a shared note unless the operator writes it
	 */
	async store(request: Keyed, requested: NewMemory): Promise<Memory> {
		const { principal } = request;
		authorize(principal, requested.scope === "everyone" ? "memory.write_everyone" : "memory.write");
		const origin = {
			id: this.#options.ids.create("mem"),
			author: actingId(principal),
			taint: taintOfMessage(principal, undefined),
			reader: readerOf(principal),
		};
		return this.#once(request, (tx) => this.insert(tx, requested, origin));
	}

	/**
	 * Returns notes that the principal can read: the most relevant first if there is a query, otherwise the newest first.
	 * Throws `permission_denied` if `filter.person` is another person, unless the principal is the operator.
	 */
	async list(principal: Principal, filter: MemoryFilter): Promise<Memory[]> {
		authorize(principal, "memory.read");
		const { scope, person } = filter;
		if (person !== undefined && !mayManage(principal, person)) {
			const message = memoryStoreTexts.otherPerson;
			throw new ParleyError(message, { code: "permission_denied" });
		}
		const isOperator = principal.kind === "operator";
		return this.#options.store.read((db) =>
			this.find(
				db,
				{ ...defined({ reader: isOperator ? undefined : readerOf(principal) }), scope, person },
				filter,
			),
		);
	}

	/**
	 * Deletes a note. Throws `not_found` if the principal cannot read it, and `permission_denied` if the principal may
	 * not delete it.
	 */
	async forget(request: Keyed, id: string): Promise<void> {
		const { principal } = request;
		authorize(principal, "memory.forget");
		await this.#once(request, async (tx) => {
			const memory = await findMemory(tx, id);
			const isOperator = principal.kind === "operator";
			if (!memory || !(isOperator || isReadable(memory, readerOf(principal)))) throw unknownMemory(id);
			if (!isOperator && !mayDelete(memory, principal)) {
				const message = memoryStoreTexts.otherAuthor;
				throw new ParleyError(message, { code: "permission_denied" });
			}
			await deleteMemory(tx, id);
			await this.#audit(tx, principal, id, 1);
			return null;
		});
	}

	/**
	 * Deletes all notes about a person and all notes by that person. Returns the number of deleted notes. For a
	 * Discord user who deletes their own notes, also deletes the notes under the user's ids in other servers
	 * and in direct messages.
	 */
	async forgetPerson(request: Keyed, person: string): Promise<number> {
		const { principal } = request;
		authorize(principal, "memory.forget");
		if (!mayManage(principal, person)) {
			const message = memoryStoreTexts.otherPerson;
			throw new ParleyError(message, { code: "permission_denied" });
		}
		const own = principal.person?.id === person ? principal.person : undefined;
		return this.#once(request, async (tx) => {
			const count = await deleteMemoriesOf(tx, own ? { anywhere: own } : { id: person });
			await this.#audit(tx, principal, person, count);
			return count;
		});
	}

	/**
	 * Deletes the notes of a channel, and returns their number. Notes about people stay. The channel may no
	 * longer exist on the platform. Throws `permission_denied` if the connector does not act for the channel's
	 * guild or team.
	 */
	async forgetChannel(request: Keyed, channel: string): Promise<number> {
		const { principal } = request;
		authorize(principal, "memory.forget_channel", { place: channel });
		return this.#once(request, async (tx) => {
			const [platform = "", tenant = ""] = channel.split(":");
			const isOperator = principal.kind === "operator";
			if (!isOperator && !(await this.#tenants.of(tx, principal))({ platform, tenant })) {
				throw foreignTenant({ platform, tenant });
			}
			const count = await deleteMemoriesOfChannel(tx, channel);
			if (count > 0) await this.#audit(tx, principal, channel, count);
			return count;
		});
	}

	/**
	 * Stores a note in a transaction, with secrets redacted. Throws as `store` does, but checks no permission. If a note
	 * with this id exists, returns that note unchanged.
	 */
	async insert(tx: Tx, requested: NewMemory, { reader, ...origin }: MemoryOrigin): Promise<Memory> {
		const { redactor, clock, store } = this.#options;
		const known = await findMemory(tx, origin.id);
		if (known) return known;
		const clean = (text: string): string => redactor.redact(text);
		const checked = checkMemory({
			...requested,
			text: clean(requested.text),
			tags: requested.tags.map(clean),
		});
		const subject = subjectOf(checked.scope, reader);
		if ((await countMemories(tx, checked.scope, subject)) >= memoryLimits.notes) {
			const message = memoryStoreTexts.tooMany(checked.scope, memoryLimits.notes);
			throw new ParleyError(message, { code: "resource_exhausted" });
		}
		const memory: Memory = { ...origin, ...checked, subject, createdAt: clock.now() };
		await insertMemory(tx, store.engine, memory);
		return memory;
	}

	/** Returns the notes of a selection. The caller must check the permissions. */
	async find(db: Tx, selection: MemorySelection, { query = "", limit }: MemoryFilter): Promise<Memory[]> {
		if (query.trim() === "") return listMemories(db, selection, limit);
		return searchMemories(db, this.#options.store.engine, { ...selection, words: searchWords(query), limit });
	}

	/**
	 * Returns up to `maxNotes` notes that the reader can read and that contain a significant word of the text. The most
	 * relevant note is first.
	 */
	async recall(reader: MemoryReader, text: string): Promise<Memory[]> {
		const { store } = this.#options;
		return store.read(async (db) => {
			if ((await firstMemory(db, {})).length === 0) return [];
			const words = significantWords(searchWords(text));
			if (words.length === 0 || (await listMemories(db, { reader }, 1)).length === 0) return [];
			return searchMemories(db, store.engine, { reader, words, limit: maxNotes });
		});
	}

	async #audit(tx: Tx, principal: Principal, object: string, count: number): Promise<void> {
		const entry = { action: "memory.forget", object, decision: "deleted", args: { count } };
		await this.#options.audit.record(tx, { ...requestedBy(principal), ...entry });
	}

	async #once<T>(request: Keyed, work: (tx: Tx) => Promise<T>): Promise<T> {
		const { store, clock, secrets } = this.#options;
		const deps = { clock, fingerprint: (text: string) => secrets.fingerprint(text) };
		return (await store.commit((tx) => once(tx, request, deps, () => work(tx)))).response;
	}
}

function readerOf(principal: Principal): MemoryReader {
	const { person } = principal;
	return person ? { user: person.id, channel: placeKey(person.place) } : { user: principal.id };
}

function mayManage(principal: Principal, person: string): boolean {
	return principal.kind === "operator" || actingId(principal) === person;
}

function mayDelete({ scope, author }: Memory, principal: Principal): boolean {
	const { person } = principal;
	// The principal can already read the note, so a `user` note is about the principal's person.
	if (scope === "user" || author === actingId(principal)) return true;
	return scope === "channel" && person !== undefined && hasRole(person, "approver");
}

/** Returns at most `limit` notes that contain at least one of `words`, the most relevant first. */
async function searchMemories(
	db: Tx,
	engine: Engine,
	{
		words,
		limit,
		...selection
	}: MemorySelection & { readonly words: readonly string[]; readonly limit: number },
): Promise<Memory[]> {
	if (words.length === 0) return [];
	const index = memoryIndexOf(engine);
	const among = selected(selection);
	const matches = words.map((word) => index.contains(word, selection.reader !== undefined));
	const found = await db
		.selectFrom("memories")
		.select("n")
		// One digit for each word. The digit states whether the note contains the word.
		.select(
			sql<string>`${sql.join(
				matches.map((match) => sql`case when ${match} then '1' else '0' end`),
				sql` || `,
			)}`.as("hits"),
		)
		.where(among)
		.where(sql<boolean>`(${sql.join(matches, sql` or `)})`)
		.execute();
	if (found.length === 0) return [];
	const all = await db
		.selectFrom("memories")
		.select((eb) => eb.fn.countAll<number>().as("count"))
		.where(among)
		.executeTakeFirstOrThrow();
	const ranked = ranking(found, Number(all.count)).slice(0, limit);
	const rows = await db
		.selectFrom("memories")
		.selectAll()
		.where(
			"n",
			"in",
			ranked.map(({ n }) => n),
		)
		.execute();
	const byNumber = new Map(rows.map((row) => [Number(row.n), toMemory(row)]));
	return ranked.flatMap(({ n }) => byNumber.get(Number(n)) ?? []);
}

interface Match {
	readonly n: number;
	readonly hits: string;
}

/** Returns the matches by relevance, the most relevant first. Among notes with the same score, the newest is first. */
function ranking(matches: readonly Match[], all: number): Match[] {
	const words = matches[0]?.hits.length ?? 0;
	const weights = Array.from({ length: words }, (_, word) => {
		const containing = matches.filter(({ hits }) => hits[word] === "1").length;
		// Inverse document frequency in BM25: https://en.wikipedia.org/wiki/Okapi_BM25
		return Math.log(1 + (all - containing + 0.5) / (containing + 0.5));
	});
	const scoreOf = ({ hits }: Match): number =>
		weights.reduce((sum, weight, word) => (hits[word] === "1" ? sum + weight : sum), 0);
	return matches
		.map((row) => ({ row, score: scoreOf(row) }))
		.sort((one, other) => other.score - one.score || Number(other.row.n) - Number(one.row.n))
		.map(({ row }) => row);
}
