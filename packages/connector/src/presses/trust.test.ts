import { expect, test } from "vitest";
import type { InboundEventOf } from "../platform/inbound-event.ts";
import { suspendTrust } from "../rooms/suspend-trust.ts";
import { general, pressed, scriptedContext } from "../testing/question-context.ts";
import type { ScriptedAnswers } from "../testing/scripted-requests.ts";
import { pressesOfTrust } from "./press-table.ts";

const revoked: ScriptedAnswers = { revoke_grant: () => ({ status: "revoked" }) };
const target = { kind: "grant-end", session: "sess_1", subject: "grant_1" } as const;

test("the button ends the grant for the person, and the card shows the result", async () => {
	const { context, gateway } = scriptedContext(revoked, { trust: { open: { id: "grant_1" } } });
	expect(await pressesOfTrust["grant-end"](context, pressed(), target)).toBeUndefined();
	expect(gateway.requests).toMatchObject([
		{ method: "revoke_grant", params: { grant_id: "grant_1", key: "key", actor: { id: "42" } } },
	]);
});

test.each([{}, { open: { id: "grant_2" } }])(
	"a late press on the button is explained (%j)",
	async (trust) => {
		const { context } = scriptedContext(revoked, { trust });
		const reply = await pressesOfTrust["grant-end"](context, pressed(), target);
		expect(reply?.text).toMatch(/already ended/);
	},
);

const grant = {
	grant_id: "grant_1",
	place: "discord:1:2",
	people: null,
	tools: null,
	classes: null,
	max_actions: 200,
	used_actions: 0,
	reason: "release",
	granted_by: "operator",
	created_at: "1970-01-01T00:00:10.000Z",
	expires_at: "1970-01-01T01:00:00.000Z",
};

const joined = { type: "audience", room: general, at: 0, change: "a guest joined" } as const;

test("a change of the audience of a channel ends its trust", async () => {
	const grants = [{ ...grant, grant_id: "grant_9", place: "discord:1:9" }, grant];
	const { context, gateway } = scriptedContext({ ...revoked, list_grants: () => ({ grants, wishes: [] }) });
	await suspendTrust(context, joined, "key");
	expect(gateway.requests).toEqual([
		{ method: "list_grants", params: {} },
		{
			method: "revoke_grant",
			params: {
				grant_id: "grant_1",
				key: "key/grant_1",
				reason: "the members or their permissions have changed: a guest joined",
			},
		},
	]);
});

test("a change of several channels of a tenant ends the trust of each of them, and of no other", async () => {
	const grants = ["discord:1:2", "discord:1:3", "discord:1:4", "discord:9:2", "slack:1:2"].map(
		(place, at) => ({
			...grant,
			grant_id: `grant_${at}`,
			place,
		}),
	);
	const ended = async (change: Partial<InboundEventOf<"audience">>): Promise<unknown[]> => {
		const { context, gateway } = scriptedContext({ ...revoked, list_grants: () => ({ grants, wishes: [] }) });
		await suspendTrust(context, { ...joined, ...change }, "key");
		// The first request lists the grants.
		return gateway.requests.slice(1).map(({ params }) => params);
	};
	expect(await ended({ channels: ["3", "4", "5"] })).toMatchObject([
		{ grant_id: "grant_1", key: "key/grant_1" },
		{ grant_id: "grant_2", key: "key/grant_2" },
	]);
	const change = "the previous permissions are unknown";
	expect(await ended({ channels: ["3"], uncertain: true, change })).toMatchObject([
		{ reason: `the members or their permissions may have changed: ${change}` },
	]);
	const reason = "the bot was removed";
	expect(await ended({ channels: "all", gone: true, change: reason })).toMatchObject([
		{ grant_id: "grant_0", reason },
		{ grant_id: "grant_1", reason },
		{ grant_id: "grant_2", reason },
	]);
});

test("without a grant, no grant is ended", async () => {
	const { context, gateway } = scriptedContext({ list_grants: () => ({ grants: [], wishes: [] }) });
	await suspendTrust(context, joined, "key");
	expect(gateway.requests).toHaveLength(1);
});
