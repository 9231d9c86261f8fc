import { mkdtempDisposable } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
	type Clock,
	createIds,
	type Failpoints,
	mintToken,
	openSqliteStore,
	parseJson,
	Redactor,
	type Store,
} from "@parley/base";
import { ManualClock, MemoryLogger } from "@parley/base/testing";
import { expect, test } from "vitest";
import type { Keyed } from "../../store/idempotency.ts";
import { migrations } from "../../store/migrations/migrations.ts";
import type { Tables } from "../../store/tables.ts";
import { operator, type Principal } from "../../vocabulary/principal.ts";
import { SecretBox } from "../../vocabulary/secrets.ts";
import { Audit } from "../audit/audit.ts";
import type { OperatorTokenFile } from "../shared/trust-options.ts";
import { Tokens } from "./tokens.ts";

const minute = 60_000;
const day = 24 * 60 * minute;
const ids = createIds();

class MemoryFile implements OperatorTokenFile {
	text = mintToken("operator", ids);

	async read(): Promise<string> {
		return this.text;
	}

	async replace(text: string): Promise<void> {
		this.text = text;
	}
}

class Place implements AsyncDisposable {
	readonly clock = new ManualClock();
	readonly log = new MemoryLogger();
	readonly file = new MemoryFile();
	readonly store: Store<Tables>;
	readonly #directory: AsyncDisposable;
	tokens: Tokens;
	clockOffsetMs = 0;

	readonly #disk: { broken: boolean };

	private constructor(store: Store<Tables>, directory: AsyncDisposable, disk: { broken: boolean }) {
		this.store = store;
		this.#disk = disk;
		this.#directory = directory;
		this.tokens = this.#make();
	}

	static async open(): Promise<Place> {
		const directory = await mkdtempDisposable(join(tmpdir(), "parley-tokens-"));
		const file = join(directory.path, "parley.sqlite");
		const disk = { broken: false };
		const failpoints: Failpoints = {
			reach: (name) => {
				if (disk.broken && name === "store.commit") throw new Error("no disk");
			},
		};
		const store = await openSqliteStore<Tables>({ file, migrations, failpoints });
		const place = new Place(store, directory, disk);
		await place.tokens.load();
		return place;
	}

	/** Replaces the token manager, as a restart of the process with the same database would. */
	async restart(): Promise<void> {
		this.tokens = this.#make();
		await this.tokens.load();
	}

	set broken(broken: boolean) {
		this.#disk.broken = broken;
	}

	async audit(): Promise<string[]> {
		const rows = await this.store.read((db) =>
			db.selectFrom("audit").select(["principal", "action", "object", "args"]).orderBy("seq").execute(),
		);
		return rows.map(({ principal, action, object, args }) => `${principal} ${action} ${object} ${args}`);
	}

	async [Symbol.asyncDispose](): Promise<void> {
		await this.store.close();
		await this.#directory[Symbol.asyncDispose]();
	}

	#make(): Tokens {
		const { log, store, file } = this;
		const clock: Clock = {
			now: () => this.clock.now() + this.clockOffsetMs,
			monotonic: () => this.clock.monotonic(),
			after: (ms, action) => this.clock.after(ms, action),
		};
		const audit = new Audit({ store, clock, log, redactor: new Redactor() });
		const secrets = new SecretBox(Buffer.alloc(32, 1));
		return new Tokens({ store, clock, ids, log, audit, secrets, operatorToken: file });
	}
}

function by(principal: Principal = operator, key?: string, params: unknown = {}): Keyed {
	return { principal, key, method: "m", params };
}

test("each kind of token has exactly the principal of its record", async () => {
	await using place = await Place.open();
	const { tokens } = place;
	await place.store.commit((tx) =>
		tx
			.insertInto("sessions")
			.values({
				id: "sess_1",
				owner: "operator",
				external_key: null,
				title: "",
				root_dir: "/",
				status: "active",
				last_seq: 0,
				message_count: 0,
				titled_by: null,
				input_tokens: 0,
				output_tokens: 0,
				model: null,
				profile: "default",
				taint: "",
				created_at: 0,
				updated_at: 0,
				left_at: null,
				place: null,
				epoch: 1,
				v: 1,
			})
			.execute(),
	);
	const colleague = await tokens.create(by(), { kind: "operator", name: "laptop" });
	const wall = await tokens.create(by(), { kind: "observer", name: "wall", sessions: ["sess_1"] });
	const all = await tokens.create(by(), { kind: "observer", name: "all" });
	const chat = await tokens.create(by(), { kind: "connector", name: "chat", platform: "discord" });
	expect(tokens.verify(colleague.text)).toEqual({
		id: "operator",
		kind: "operator",
		tokenId: colleague.facts.id,
	});
	expect(tokens.verify(wall.text)).toEqual({
		id: "observer:wall",
		kind: "observer",
		tokenId: wall.facts.id,
		sessions: ["sess_1"],
	});
	expect(tokens.verify(all.text)).toMatchObject({ id: "observer:all", sessions: "all" });
	expect(tokens.verify(chat.text)).toEqual({
		id: "connector:chat",
		kind: "connector",
		tokenId: chat.facts.id,
		platform: "discord",
	});
	expect(all.facts.expiresAt).toBe(place.clock.now() + 30 * day);
	expect([colleague, chat].map(({ facts }) => facts.expiresAt)).toEqual([undefined, undefined]);
});

test("an unknown text is not a token, despite its form", async () => {
	await using place = await Place.open();
	const { text } = await place.tokens.create(by(), { kind: "observer", name: "wall" });
	const others = (["operator", "observer", "connector", "ticket"] as const).map((kind) =>
		mintToken(kind, ids),
	);
	for (const wrong of [...others, text.slice(0, -1), `${text}x`, "undefined", "null", "", " "]) {
		expect(place.tokens.verify(wrong)).toBeUndefined();
	}
	expect(place.tokens.verify(text)?.id).toBe("observer:wall");
});

test("texts of tokens are unique and not stored", async () => {
	await using place = await Place.open();
	const texts = [place.file.text];
	for (let n = 0; n < 20; n++) {
		texts.push((await place.tokens.create(by(operator, `k${n}`), { kind: "observer", name: `o${n}` })).text);
	}
	texts.push((await place.tokens.rotate(by(operator, "rotated"), "o1", 0)).text);
	texts.push((await place.tokens.rotate(by(operator, "own"), "operator", 0)).text);
	expect(new Set(texts).size).toBe(texts.length);
	const rows = await place.store.read(async (db) => [
		await db.selectFrom("tokens").selectAll().execute(),
		await db.selectFrom("keys").selectAll().execute(),
		await db.selectFrom("audit").selectAll().execute(),
	]);
	const stored = JSON.stringify(rows);
	for (const text of texts) expect(stored).not.toContain(text.slice(-49, -6));
});

test("a token works after a restart, and an ended one does not", async () => {
	await using place = await Place.open();
	const stored = await place.tokens.create(by(), { kind: "connector", name: "chat", platform: "slack" });
	const revoked = await place.tokens.create(by(), { kind: "operator", name: "lost" });
	const short = await place.tokens.create(by(), { kind: "observer", name: "short", lifeMs: minute });
	await place.tokens.revoke(by(), "lost");
	place.clock.advance(minute);
	await place.restart();
	expect(place.tokens.verify(stored.text)?.id).toBe("connector:chat");
	expect(place.tokens.verify(revoked.text)).toBeUndefined();
	expect(place.tokens.verify(short.text)).toBeUndefined();
	expect(place.tokens.verify(place.file.text)?.id).toBe("operator");
});

test("a revoked, replaced or expired token ends at once, and its connections are notified", async () => {
	await using place = await Place.open();
	const { tokens, clock } = place;
	const ended: string[] = [];
	const stop = tokens.onEnd((id) => ended.push(id));
	const revoked = await tokens.create(by(), { kind: "observer", name: "revoked" });
	const rotated = await tokens.create(by(), { kind: "connector", name: "chat", platform: "slack" });
	const graced = await tokens.create(by(), { kind: "operator", name: "graced" });
	const expiring = await tokens.create(by(), { kind: "observer", name: "brief", lifeMs: 3 * minute });
	await tokens.revoke(by(), revoked.facts.id);
	expect(tokens.verify(revoked.text)).toBeUndefined();
	const next = await tokens.rotate(by(), "chat", 0);
	expect(tokens.verify(rotated.text)).toBeUndefined();
	expect(tokens.verify(next.text)).toMatchObject({ id: "connector:chat", platform: "slack" });
	const after = await tokens.rotate(by(), "graced", 2 * minute);
	expect(ended).toEqual([revoked.facts.id, rotated.facts.id]);
	clock.advance(2 * minute - 1);
	expect(tokens.verify(graced.text)).toBeDefined();
	clock.advance(1);
	expect(tokens.verify(graced.text)).toBeUndefined();
	expect(tokens.counts(graced.facts.id)).toBe(false);
	expect(tokens.verify(after.text)).toBeDefined();
	clock.advance(minute);
	expect(ended).toEqual([revoked, rotated, graced, expiring].map(({ facts }) => facts.id));
	stop();
	await tokens.revoke(by(), "graced");
	expect(ended).toHaveLength(4);
});

test("a token that expires is detected although the clock was changed", async () => {
	await using place = await Place.open();
	const ended: string[] = [];
	place.tokens.onEnd((id) => ended.push(id));
	const { facts } = await place.tokens.create(by(), { kind: "observer", name: "wall" });
	place.clockOffsetMs = 31 * day;
	place.clock.advance(minute);
	expect(ended).toEqual([facts.id]);
});

test("the operator's own token is replaced in its file, and can neither be revoked nor created twice", async () => {
	await using place = await Place.open();
	const first = place.file.text;
	const { text } = await place.tokens.rotate(by(), "operator", 0);
	expect(place.file.text).toBe(text);
	expect(place.tokens.verify(first)).toBeUndefined();
	expect(place.tokens.verify(text)).toMatchObject({ id: "operator", kind: "operator" });
	await expect(place.tokens.revoke(by(), "operator")).rejects.toMatchObject({
		code: "failed_precondition",
		message: expect.stringContaining("parley token rotate operator"),
	});
	await expect(place.tokens.create(by(), { kind: "operator", name: "operator" })).rejects.toThrow(/choose/);
	await place.tokens.rotate(by(), "operator", 10 * minute);
	expect(place.tokens.verify(text)).toBeDefined();
	await place.restart();
	expect(place.tokens.verify(text)).toBeDefined();
	place.clock.advance(10 * minute);
	expect(place.tokens.verify(text)).toBeUndefined();
	expect(place.tokens.verify(place.file.text)).toBeDefined();
});

test("after a failed rotation the file has the old text, which is still valid", async () => {
	await using place = await Place.open();
	const before = place.file.text;
	place.broken = true;
	await expect(place.tokens.rotate(by(), "operator", 0)).rejects.toMatchObject({ code: "unavailable" });
	place.broken = false;
	expect(place.file.text).toBe(before);
	expect(place.tokens.verify(before)).toBeDefined();
});

test("simultaneous rotations leave the valid token in the file", async () => {
	await using place = await Place.open();
	const rotated = await Promise.all([1, 2, 3].map(() => place.tokens.rotate(by(), "operator", 0)));
	const counting = rotated.filter(({ text }) => place.tokens.verify(text));
	expect(counting.map(({ text }) => text)).toEqual([place.file.text]);
});

test("the token in the file at the start is valid, and the replaced one is not", async () => {
	await using place = await Place.open();
	const before = place.file.text;
	expect(await place.audit()).toEqual([]);
	place.file.text = mintToken("operator", ids);
	await place.restart();
	expect(place.tokens.verify(before)).toBeUndefined();
	expect(place.tokens.verify(place.file.text)?.id).toBe("operator");
	expect(await place.audit()).toEqual([expect.stringMatching(/^gateway token\.adopt /)]);
	place.file.text = before;
	await place.restart();
	expect(place.tokens.verify(before)?.id).toBe("operator");
});

test("a repeated request with its key creates no token, and states that the text was shown", async () => {
	await using place = await Place.open();
	const { tokens } = place;
	const shown = { code: "already_exists", message: expect.stringContaining("shown only once") };
	const created = await tokens.create(by(operator, "a"), { kind: "observer", name: "wall" });
	await expect(tokens.create(by(operator, "a"), { kind: "observer", name: "wall" })).rejects.toMatchObject(
		shown,
	);
	const next = await tokens.rotate(by(operator, "b"), "wall", 0);
	await expect(tokens.rotate(by(operator, "b"), "wall", 0)).rejects.toMatchObject(shown);
	expect(tokens.verify(next.text)).toBeDefined();
	await tokens.rotate(by(operator, "c"), "operator", 0);
	const own = place.file.text;
	await expect(tokens.rotate(by(operator, "c"), "operator", 0)).rejects.toMatchObject(shown);
	expect(place.file.text).toBe(own);
	const revoked = await tokens.revoke(by(operator, "d"), "wall");
	await expect(tokens.revoke(by(operator, "d"), "wall")).resolves.toEqual(revoked);
	expect(revoked.id).not.toBe(created.facts.id);
	await expect(
		tokens.create(by(operator, "a", { other: 1 }), { kind: "observer", name: "x" }),
	).rejects.toMatchObject({ code: "invalid_argument" });
});

test("a name is unique among valid tokens, and never moves to another platform", async () => {
	await using place = await Place.open();
	const { tokens } = place;
	await tokens.create(by(), { kind: "connector", name: "chat", platform: "slack" });
	await expect(tokens.create(by(), { kind: "observer", name: "chat" })).rejects.toMatchObject({
		code: "already_exists",
		message: expect.stringContaining("parley token rotate chat"),
	});
	await tokens.revoke(by(), "chat");
	await expect(tokens.create(by(), { kind: "connector", name: "chat", platform: "discord" })).rejects.toThrow(
		"already belonged to a connector of slack",
	);
	const again = await tokens.create(by(), { kind: "connector", name: "chat", platform: "slack" });
	expect(tokens.verify(again.text)?.id).toBe("connector:chat");
});

test("an id, its prefix and a name identify a token, and an ambiguous or unknown one is reported", async () => {
	await using place = await Place.open();
	const { tokens } = place;
	const { facts } = await tokens.create(by(), { kind: "observer", name: "wall" });
	const second = await tokens.rotate(by(), facts.id.slice(0, 12), 0);
	await expect(tokens.revoke(by(), facts.id)).rejects.toThrow(/no valid token .* parley token list/);
	await expect(tokens.revoke(by(), "hall")).rejects.toMatchObject({ code: "invalid_argument" });
	expect(await tokens.revoke(by(), second.facts.id.slice(0, 4))).toMatchObject({ id: second.facts.id });
});

test("revoking a name also revokes its replaced tokens, and revoking an id revokes only that token", async () => {
	await using place = await Place.open();
	const { tokens } = place;
	const first = await tokens.create(by(), { kind: "operator", name: "a" });
	const second = await tokens.rotate(by(), "a", minute);
	await expect(tokens.rotate(by(), first.facts.id, 0)).rejects.toMatchObject({
		code: "failed_precondition",
		message: expect.stringContaining("parley token rotate a"),
	});
	await tokens.revoke(by(), "a");
	expect([first, second].map(({ text }) => tokens.verify(text))).toEqual([undefined, undefined]);
	const third = await tokens.create(by(), { kind: "operator", name: "a" });
	const fourth = await tokens.rotate(by(), "a", minute);
	await tokens.revoke(by(), fourth.facts.id);
	expect(tokens.verify(third.text)).toBeDefined();
	expect(tokens.verify(fourth.text)).toBeUndefined();
});

test("after a rotation without a grace period, only the last token of a name is valid", async () => {
	await using place = await Place.open();
	const { tokens } = place;
	const created = [await tokens.create(by(), { kind: "operator", name: "a" })];
	for (const grace of [10 * minute, 5 * minute, 0]) created.push(await tokens.rotate(by(), "a", grace));
	expect(created.map(({ text }) => tokens.verify(text) !== undefined)).toEqual([false, false, false, true]);
	for (const grace of [-1, 10 * minute + 1, Number.NaN]) {
		await expect(tokens.rotate(by(), "a", grace)).rejects.toMatchObject({ code: "invalid_argument" });
	}
});

test.each([
	[{ kind: "connector", name: "a" }, "platform"],
	[{ kind: "connector", name: "a", platform: "slack", sessions: ["sess_1"] }, "sessions"],
	[{ kind: "observer", name: "a", platform: "slack" }, "platform"],
	[{ kind: "observer", name: "a", tenants: ["T1"] }, "tenants"],
	[{ kind: "operator", name: "a", sessions: [] }, "sessions"],
	[{ kind: "observer", name: "a", sessions: ["sess_nowhere"] }, "session not found: sess_nowhere"],
] as const)("%j is refused", async (requested, refusal) => {
	await using place = await Place.open();
	await expect(place.tokens.create(by(), requested)).rejects.toThrow(refusal);
	expect(await place.tokens.list(operator)).toHaveLength(1);
});

test("the guilds of a connector are added to the guilds of its platform", async () => {
	await using place = await Place.open();
	const requested = { kind: "connector", platform: "discord", tenants: ["1", "2"] } as const;
	await place.tokens.create(by(), { ...requested, name: "a" });
	await place.tokens.create(by(), { ...requested, name: "b", tenants: ["2", "3"] });
	const rows = await place.store.read((db) => db.selectFrom("tenants").selectAll().execute());
	expect(rows.map(({ platform, tenant, added_by }) => `${platform} ${tenant} ${added_by}`)).toEqual([
		...["discord 1 operator", "discord 2 operator", "discord 3 operator"],
	]);
});

test("changes of tokens are audited without their texts", async () => {
	await using place = await Place.open();
	const { tokens } = place;
	const first = await tokens.create(by(), {
		kind: "connector",
		name: "chat",
		platform: "slack",
		tenants: ["T"],
	});
	const next = await tokens.rotate(by(), "chat", minute);
	await tokens.revoke(by(), next.facts.id);
	const rows = await place.audit();
	expect(rows.map((row) => row.split(" ").slice(0, 3))).toEqual([
		["operator", "token.create", first.facts.id],
		["operator", "token.rotate", next.facts.id],
		["operator", "token.revoke", next.facts.id],
	]);
	expect(parseJson(rows[0]?.split(" ")[3] ?? "")).toEqual({
		kind: "connector",
		name: "chat",
		platform: "slack",
		tenants: ["T"],
	});
	expect(parseJson(rows[1]?.split(" ")[3] ?? "")).toEqual({ replaces: [first.facts.id], grace_seconds: 60 });
});

test("the last use of a token is stored at most once a minute", async () => {
	await using place = await Place.open();
	const { tokens, clock } = place;
	const { text, facts } = await tokens.create(by(), { kind: "observer", name: "wall" });
	const lastUsed = async () => (await tokens.list(operator)).find(({ id }) => id === facts.id)?.lastUsedAt;
	const settled = () => place.store.commit(async () => undefined);
	expect(await lastUsed()).toBeUndefined();
	const first = clock.now();
	for (let n = 0; n < 100; n++) tokens.verify(text);
	await settled();
	expect(await lastUsed()).toBe(first);
	clock.advance(minute - 1);
	tokens.verify(text);
	await settled();
	expect(await lastUsed()).toBe(first);
	clock.advance(1);
	tokens.verify(text);
	await settled();
	expect(await lastUsed()).toBe(first + minute);
	place.broken = true;
	clock.advance(minute);
	expect(tokens.verify(text)).toBeDefined();
});

test("a list contains active tokens and those that ended within 30 days, newest first", async () => {
	await using place = await Place.open();
	const { tokens, clock } = place;
	clock.advance(1);
	await tokens.create(by(), { kind: "operator", name: "old" });
	clock.advance(1);
	await tokens.create(by(), { kind: "observer", name: "brief", lifeMs: day });
	await tokens.revoke(by(), "old");
	const names = async () => (await tokens.list(operator)).map(({ name }) => name);
	expect(await names()).toEqual(["brief", "old", "operator"]);
	clock.advance(30 * day);
	expect(await names()).toEqual(["brief", "operator"]);
	clock.advance(day);
	expect(await names()).toEqual(["operator"]);
});

test("only the operator manages tokens", async () => {
	await using place = await Place.open();
	const { tokens } = place;
	const others: Principal[] = [
		{ id: "observer:x", kind: "observer", sessions: "all" },
		{ id: "connector:x", kind: "connector", platform: "slack" },
		{ id: "agent", kind: "agent" },
	];
	for (const other of others) {
		for (const work of [
			() => tokens.create(by(other), { kind: "operator", name: "mine" }),
			() => tokens.list(other),
			() => tokens.rotate(by(other), "operator", 0),
			() => tokens.revoke(by(other), "operator"),
		]) {
			await expect(work()).rejects.toMatchObject({ code: "permission_denied" });
		}
	}
	expect(await tokens.list(operator)).toHaveLength(1);
});
