import { expect, test } from "vitest";
import { roomKeyOf, type SessionKey, writeSessionKey } from "./external-key.ts";
import { KnownSessions } from "./known-sessions.ts";

const first: SessionKey = { platform: "chat", tenant: "1", channel: "2", number: 1 };
const second = { ...first, number: 2 };
const elsewhere = { ...first, channel: "3" };
const own = { ...first, person: "ada" };

function known(...sessions: readonly (readonly [id: string, key: SessionKey])[]): KnownSessions {
	const all = new KnownSessions();
	for (const [id, key] of sessions) all.set(writeSessionKey(key), { id, key, usedAt: 0 });
	return all;
}

const idsIn = (all: KnownSessions, key: SessionKey) => all.inRoom(roomKeyOf(key)).map(({ id }) => id);

test("a channel has only the sessions whose keys begin with its key", () => {
	const all = known(["a", first], ["b", elsewhere], ["c", second], ["d", own]);
	expect(idsIn(all, second)).toEqual(["a", "c"]);
	expect(idsIn(all, elsewhere)).toEqual(["b"]);
	expect(idsIn(all, own)).toEqual(["d"]);
	expect(idsIn(all, { ...first, channel: "4" })).toEqual([]);
});

test("a removed session is not found, and its replacement is found by all indexes", () => {
	const all = known(["a", first], ["c", second]);
	all.delete(writeSessionKey(first));
	all.delete(writeSessionKey(first));
	expect([all.get(writeSessionKey(first)), all.withId("a"), idsIn(all, first)]).toEqual([
		undefined,
		undefined,
		["c"],
	]);
	all.set(writeSessionKey(second), { id: "e", key: second, usedAt: 1 });
	expect([all.withId("c"), all.withId("e")?.usedAt, idsIn(all, first)]).toEqual([undefined, 1, ["e"]]);
	expect([...all.all()].map(({ id }) => id)).toEqual(["e"]);
});
