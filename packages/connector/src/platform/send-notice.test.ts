import { defined } from "@parley/base";
import { MemoryLogger } from "@parley/base/testing";
import { expect, test } from "vitest";
import type { NoticeTarget } from "./posting.ts";
import { findNotice, type NoticeRooms, sendNotice } from "./send-notice.ts";
import { DeliveryError, type DeliveryFailure, type OutboxRow } from "./surface.ts";

const row: OutboxRow = {
	...{ id: "s/1/0", nonce: "n".repeat(24), conversation: "room#notice:p", lane: "approval" as const },
	...{ payload: {}, at: 0, attempt: 1 },
};
const usual: NoticeTarget = { people: ["1", "2"], ways: ["mention"], channels: ["desk"] };

function open(notice: Partial<NoticeTarget>, failures: Readonly<Record<string, DeliveryFailure>> = {}) {
	const posting = {
		...{ type: "post" as const, body: "please", thread: "task:1" },
		notifies: { ...usual, ...notice },
	};
	const fail = (conversation: string): void => {
		const kind = failures[conversation];
		if (kind) throw new DeliveryError(`${conversation} is closed`, { kind });
	};
	const rooms: NoticeRooms = {
		async direct(_, person) {
			fail(`open/${person}`);
			return `dm/${person}`;
		},
		channel: (_, channel) => `channel/${channel}`,
	};
	const posted: object[] = [];
	const log = new MemoryLogger();
	const note = async (
		there: OutboxRow,
		post: { mentions?: string[]; mentionedRoles?: string[]; thread?: string },
	) => {
		fail(there.conversation);
		const { mentions, mentionedRoles, thread } = post;
		posted.push({ in: there.conversation, ...defined({ mentions, mentionedRoles, thread }) });
		return { remote: "7" };
	};
	return {
		posted,
		log,
		send: () => sendNotice(row, posting, { rooms, create: note, log }),
		find: (has: string) =>
			findNotice(row, posting, {
				rooms,
				find: async (there) => {
					fail(there.conversation);
					return there.conversation === has ? { remote: "7" } : undefined;
				},
			}),
	};
}

test("a mention is in the conversation, and in the thread of its task", async () => {
	const t = open({});
	expect(await t.send()).toEqual({ remote: "7" });
	expect(t.posted).toEqual([{ in: "room#notice:p", mentions: ["1", "2"], thread: "task:1" }]);
});

test("only a mention names the roles of a group", async () => {
	const t = open({ people: [], roles: ["9"], ways: ["direct", "mention"] });
	expect(await t.send()).toEqual({ remote: "7" });
	expect(t.posted).toEqual([{ in: "room#notice:p", mentions: [], mentionedRoles: ["9"], thread: "task:1" }]);
});

test("a direct message mentions no person and is in no thread", async () => {
	const t = open({ people: ["1"], ways: ["direct", "mention"] });
	expect(await t.send()).toEqual({ remote: "7" });
	expect(t.posted).toEqual([{ in: "dm/1" }]);
});

test.each<[string, Record<string, DeliveryFailure>]>([
	["cannot be opened", { "open/1": "rejected" }],
	["refuse the post", { "dm/1": "rejected" }],
	["no longer exist", { "dm/1": "gone" }],
])("if direct messages %s, the next way is used, and the operator gets the reason", async (_, failures) => {
	const t = open({ people: ["1"], ways: ["direct", "channel", "mention"] }, failures);
	expect(await t.send()).toEqual({
		remote: "7",
		unreached: expect.stringMatching(/^a direct message for 1 failed: .*\/1 is closed$/),
	});
	expect(t.posted).toEqual([{ in: "channel/desk", mentions: ["1"] }]);
	expect(t.log.records).toMatchObject([{ level: "warn" }]);
});

test.each<DeliveryFailure>(["unknown", "rate-limited"])(
	"after a temporary failure (%s), the same way is tried again",
	async (kind) => {
		const t = open({ people: ["1"], ways: ["direct", "mention"] }, { "dm/1": kind });
		await expect(t.send()).rejects.toMatchObject({ kind });
		expect(t.posted).toEqual([]);
	},
);

test("a notice that no way accepts is refused with all reasons", async () => {
	const t = open(
		{ people: ["1"], ways: ["direct", "channel"] },
		{ "dm/1": "rejected", "channel/desk": "gone" },
	);
	await expect(t.send()).rejects.toMatchObject({
		kind: "rejected",
		message: expect.stringMatching(
			/a direct message for 1 failed.*a post in the approval channel for 1 failed/,
		),
	});
	const none = open({ ways: ["channel"], channels: [] });
	await expect(none.send()).rejects.toThrow("no configured method reaches");
});

test("a reply replaces a refused direct message, mentions no person, and is not reported", async () => {
	const t = open({ people: ["1"], ways: ["direct", "reply"] }, { "dm/1": "rejected" });
	expect(await t.send()).toEqual({ remote: "7" });
	expect(t.posted).toEqual([{ in: "room#notice:p", thread: "task:1" }]);
	const closed = open({ people: ["1"], ways: ["direct", "reply"] }, { "open/1": "rejected" });
	expect(await closed.find("room#notice:p")).toEqual({ remote: "7" });
});

test("a notice is also searched where it may have been posted before, and never posted there", async () => {
	const replied: Partial<NoticeTarget> = { people: ["1"], ways: ["reply"], earlierWays: ["direct"] };
	const t = open(replied);
	expect(await t.find("dm/1")).toEqual({ remote: "7" });
	expect(await t.find("room#notice:p")).toEqual({ remote: "7" });
	expect(await t.send()).toEqual({ remote: "7" });
	expect(t.posted).toEqual([{ in: "room#notice:p", thread: "task:1" }]);
	expect(await open(replied, { "open/1": "rejected" }).find("room#notice:p")).toEqual({ remote: "7" });
});

test("a notice is found in each possible channel", async () => {
	const ways = { people: ["1"], ways: ["direct", "channel", "mention"] as NoticeTarget["ways"] };
	for (const place of ["dm/1", "channel/desk", "room#notice:p"]) {
		expect(await open(ways).find(place)).toEqual({ remote: "7" });
	}
	expect(await open(ways).find("nowhere")).toBeUndefined();
	expect(await open(ways, { "open/1": "rejected" }).find("room#notice:p")).toEqual({ remote: "7" });
	await expect(open(ways, { "open/1": "unknown" }).find("dm/1")).rejects.toMatchObject({ kind: "unknown" });
});
