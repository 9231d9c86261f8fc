import { expect, test } from "vitest";
import { openReading } from "../testing/reading.ts";

test.each([
	["channel_shared", undefined],
	["channel_unshared", undefined],
	...[
		"channel_archive",
		"group_archive",
		"channel_deleted",
		"group_deleted",
		"channel_left",
		"group_left",
	].map((type) => [type, true] as const),
] as const)("%s changes the readers of the channel", async (type, gone) => {
	const { inboundOf, clock } = await openReading();
	const { inbound, key } = await inboundOf({ type, channel: "C1" });
	expect(inbound).toEqual({
		type: "audience",
		at: clock.now(),
		change: expect.any(String),
		...(gone && { gone }),
		...(type.endsWith("_deleted") && { deleted: true }),
		room: { tenant: "T1", channel: "C1", shared: true, kind: "channel" },
	});
	expect(key).toEqual({ id: "audience:Ev1", conversation: "T1/C1" });
});

test.each(["channel_convert_to_public", "channel_convert_to_private"])(
	"%s is reported as a message",
	async (subtype) => {
		const { inboundOf } = await openReading();
		const { inbound } = await inboundOf({
			type: "message",
			subtype,
			channel: "C1",
			user: "UADA",
			text: "",
			ts: "1.1",
		});
		expect(inbound).toMatchObject({ type: "audience", room: { channel: "C1" } });
	},
);

test("a guest or an external person who joins changes the audience, and a member of the workspace does not", async () => {
	const { inboundOf, translate } = await openReading();
	const joined = (user: string) => ({ type: "member_joined_channel", channel: "C1", user, team: "T1" });
	for (const user of ["UGUEST", "UOUT", "UNONE"]) {
		expect((await inboundOf(joined(user))).inbound).toMatchObject({
			type: "audience",
			change: "a guest joined",
		});
	}
	expect(await translate(joined("UADA"))).toHaveProperty("ignored");
	const left = { type: "member_left_channel", channel: "C1", user: "UGUEST" };
	expect(await translate(left)).toHaveProperty("ignored");
	expect((await inboundOf({ ...left, user: "UBOT" })).inbound).toMatchObject({
		type: "audience",
		gone: true,
	});
});

test("a channel with another id is not the trusted channel", async () => {
	const { inboundOf } = await openReading();
	const { inbound } = await inboundOf({
		type: "channel_id_changed",
		old_channel_id: "C1",
		new_channel_id: "C9",
	});
	expect(inbound).toMatchObject({ type: "audience", room: { channel: "C1" }, gone: true });
});

test("after a change, the channel is requested again", async () => {
	const { inboundOf, translate, port } = await openReading();
	const message = { type: "message", channel: "C1", user: "UADA", text: "hello", ts: "1.1" };
	const isShared = async (): Promise<unknown> => {
		const { inbound } = await inboundOf(message);
		return inbound.type === "message" && inbound.room.shared;
	};
	expect(await isShared()).toBe(false);
	port.channels["C1"] = { id: "C1", is_ext_shared: true };
	expect(await isShared()).toBe(false);
	await translate({ type: "channel_shared", channel: "C1" });
	expect(await isShared()).toBe(true);
	port.channels["C1"] = { id: "C1", is_ext_shared: false };
	await translate({ type: "channel_rename", channel: { id: "C1", name: "new" } });
	expect(await isShared()).toBe(false);
});

test.each(["channel_unarchive", "group_unarchive"])(
	"after %s, the channel accepts posts again",
	async (type) => {
		const { inboundOf, clock } = await openReading();
		const { inbound, key } = await inboundOf({ type, channel: "C1" });
		expect(inbound).toMatchObject({
			type: "reopened",
			room: { tenant: "T1", channel: "C1" },
			at: clock.now(),
		});
		expect(key).toEqual({ id: "reopened:Ev1", conversation: "T1/C1" });
	},
);
