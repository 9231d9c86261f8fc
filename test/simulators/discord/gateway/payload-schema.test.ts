import { expect, test } from "vitest";
import { PayloadSchema } from "./payload-schema.ts";

const resumed = { op: 0, s: 1, t: "MESSAGE_DELETE", d: { id: "1", channel_id: "2" } };

test("a payload that matches discord-api-types passes", () => {
	expect(PayloadSchema.load().faults(resumed)).toEqual([]);
});

test.each([
	["lacks a key", { ...resumed, d: { id: "1" } }],
	["has a key too many", { ...resumed, d: { ...resumed.d, guild: "3" } }],
	["has a value of another type", { ...resumed, d: { ...resumed.d, id: 1 } }],
])("a payload that %s does not pass", (_, payload) => {
	expect(PayloadSchema.load().faults(payload)).not.toEqual([]);
});

test("flags are sums of the listed values", () => {
	const channel = {
		id: "1",
		type: 0,
		name: "a",
		position: 0,
		guild_id: "2",
		flags: 18,
		permission_overwrites: [],
	};
	const completeChannel = {
		...channel,
		parent_id: null,
		topic: null,
		nsfw: false,
		rate_limit_per_user: 0,
		last_message_id: null,
	};
	const payload = { op: 0, s: 1, t: "CHANNEL_CREATE", d: completeChannel };
	expect(PayloadSchema.load().faults(payload)).toEqual([]);
	const words = { ...payload, d: { ...completeChannel, flags: "18" } };
	expect(PayloadSchema.load().faults(words)).not.toEqual([]);
});

test("an unknown event is refused", () => {
	expect(() => PayloadSchema.load().faults({ t: "MESSAGE_READ" })).toThrow("knows no event MESSAGE_READ");
});
