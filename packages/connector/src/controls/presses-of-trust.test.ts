import { expect, test } from "vitest";
import { suspendTrust } from "../rooms/suspend-trust.ts";
import { general, pressed, scriptedDesk } from "../testing/scripted-desk.ts";
import type { ScriptedAnswers } from "../testing/scripted-requests.ts";
import { pressesOfTrust } from "./presses-of-trust.ts";

const revoked: ScriptedAnswers = { revoke_grant: () => ({ status: "revoked" }) };
const target = { kind: "grant-end", session: "sess_1", subject: "grant_1" } as const;

test("the button ends the grant for who pressed it, and the card says the rest", async () => {
	const { desk, gateway } = scriptedDesk(revoked, { trust: { open: { id: "grant_1" } } });
	expect(await pressesOfTrust["grant-end"](desk, pressed(), target)).toBeUndefined();
	expect(gateway.asked).toMatchObject([
		{ method: "revoke_grant", params: { grant_id: "grant_1", key: "key", actor: { id: "42" } } },
	]);
});

test.each([{}, { open: { id: "grant_2" } }])(
	"a late press on the button is explained (%j)",
	async (trust) => {
		const { desk } = scriptedDesk(revoked, { trust });
		const reply = await pressesOfTrust["grant-end"](desk, pressed(), target);
		expect(reply?.text).toMatch(/over before you pressed/);
	},
);

const grant = {
	...{ grant_id: "grant_1", place: "discord:1:2", people: null, tools: null, classes: null },
	...{ max_actions: 200, used_actions: 0, reason: "release", granted_by: "operator" },
	...{ created_at: "1970-01-01T00:00:10.000Z", expires_at: "1970-01-01T01:00:00.000Z" },
};

test("where others may read a channel, what it is trusted with ends without anybody asking", async () => {
	const grants = [{ ...grant, grant_id: "grant_9", place: "discord:1:9" }, grant];
	const { desk, gateway } = scriptedDesk({ ...revoked, list_grants: () => ({ grants, wishes: [] }) });
	await suspendTrust(desk, general, "a guest joined", "key");
	expect(gateway.asked).toEqual([
		{ method: "list_grants", params: {} },
		{
			method: "revoke_grant",
			params: {
				...{ grant_id: "grant_1", key: "key" },
				reason: "others may read this channel now: a guest joined",
			},
		},
	]);
});

test("where nothing is granted, nothing is ended", async () => {
	const { desk, gateway } = scriptedDesk({ list_grants: () => ({ grants: [], wishes: [] }) });
	await suspendTrust(desk, general, "a guest joined", "key");
	expect(gateway.asked).toHaveLength(1);
});
