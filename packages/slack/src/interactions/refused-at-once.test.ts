import { expect, test } from "vitest";
import { chosen, command, openInteractions, press } from "../testing/interacting.ts";

test("links have no effect, and an old press gets the advice to repeat it", async () => {
	const { dispatch, accepted, clock, log, responses, interactions } = await openInteractions();
	const body = press("stop", clock.now());
	await dispatch("interactive", { ...body, actions: [{ ...body.actions[0], action_id: "link:0" }] });
	expect(log.records).toEqual([]);
	clock.advance(300_000);
	await dispatch("interactive", body);
	expect(accepted).toHaveLength(1);
	clock.advance(1);
	expect(await dispatch("interactive", body)).toBeUndefined();
	await dispatch("interactive", chosen("ask_about_this", clock.now() - 300_001));
	await interactions.settled();
	expect(accepted).toHaveLength(1);
	expect(responses()).toEqual(Array(2).fill(expect.stringContaining("try again")));
	expect(log.records).toMatchObject([{ level: "warn", fields: { lateMs: 300_001 } }, { level: "warn" }]);
});

test("commands and menus of another workspace are refused, and those of this workspace name it", async () => {
	const { dispatch, accepted, clock, responses, interactions, log } = await openInteractions();
	expect(
		await dispatch("command", command("stop", { team_id: "T9", is_enterprise_install: "false" })),
	).toMatchObject({
		response_type: "ephemeral",
		text: expect.stringContaining("another workspace"),
	});
	const menu = chosen("ask_about_this", clock.now());
	await dispatch("interactive", { ...menu, team: { id: "T9", domain: "other" }, enterprise: null });
	await interactions.settled();
	expect(accepted).toEqual([]);
	expect(responses()).toEqual([expect.stringContaining("another workspace")]);
	expect(log.records).toHaveLength(2);
	await dispatch("command", command("stop", { team_id: "T1", is_enterprise_install: "false" }));
	await dispatch("interactive", { ...menu, team: { id: "T1" }, is_enterprise_install: false });
	await dispatch("interactive", { ...menu, team: null, enterprise: null });
	expect(accepted).toHaveLength(3);
});
