import { PermissionFlagsBits } from "discord-api-types/v10";
import { expect, test } from "vitest";
import { permissionsIn, permissionsInGuild, type Standing } from "./guild-checks.ts";

const { ViewChannel: view, SendMessages: send, AttachFiles: attach, Administrator } = PermissionFlagsBits;

const standing: Standing = {
	...{ guild: "1", user: "9", own: ["2", "3"] },
	roles: [
		{ id: "1", permissions: view },
		{ id: "2", permissions: send },
		{ id: "3", permissions: 0n },
		{ id: "4", permissions: attach },
	],
};
const role = (id: string, allow: bigint, deny: bigint) => ({ id, type: 0, allow, deny });
const member = (id: string, allow: bigint, deny: bigint) => ({ id, type: 1, allow, deny });

test("the rights in a guild come from its default role and from the bot's roles", () => {
	expect(permissionsInGuild(standing)).toBe(view | send);
});

test.each([
	["everybody loses it", [role("1", 0n, send)], view],
	["an own role gives it back", [role("1", 0n, send), role("2", send, 0n)], view | send],
	[
		"what one own role gives no other takes",
		[role("2", attach, 0n), role("3", 0n, attach)],
		view | send | attach,
	],
	["another role is none of ours", [role("4", 0n, view)], view | send],
	["what the member is told counts last", [role("2", send, 0n), member("9", 0n, view)], send],
	["another member is none of ours", [member("8", 0n, view)], view | send],
])("in a channel: %s", (_case, overwrites, expected) => {
	expect(permissionsIn(overwrites, standing)).toBe(expected);
});

test("an administrator may do everything, despite any channel setting", () => {
	const admin = {
		...standing,
		roles: [...standing.roles, { id: "5", permissions: Administrator }],
		own: ["5"],
	};
	expect(permissionsIn([role("1", 0n, send)], admin) & attach).toBe(attach);
	expect(permissionsIn([role("1", 0n, send)], admin) & send).toBe(send);
});
