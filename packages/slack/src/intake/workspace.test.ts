import { expect, test } from "vitest";
import { openReading } from "../testing/reading.ts";
import { self } from "../testing/scripted-slack.ts";
import { isForSelf } from "./workspace.ts";

const message = { type: "message", channel: "C1", user: "UADA", text: "hello", ts: "1.1" };
const installed = (team_id: string) => ({
	authorizations: [{ team_id, enterprise_id: null, user_id: "UBOT" }],
});

test("an event for another workspace is ignored", async () => {
	const { translate, inboundOf, port } = await openReading();
	const foreign = await translate(message, { team_id: "T9", ...installed("T9") });
	expect([foreign, port.methods]).toEqual([{ ignored: "the event belongs to another workspace" }, []]);
	expect(await inboundOf(message, installed("T1"))).toMatchObject({ key: { id: "message:C1-1.1" } });
	expect(await inboundOf(message, { authorizations: [] })).toHaveProperty("inbound");
});

test("the message of an external person in a shared channel is accepted, with any team", async () => {
	const { inboundOf } = await openReading();
	const outer = { team_id: "T9", ...installed("T1"), is_ext_shared_channel: true };
	expect((await inboundOf({ ...message, user: "UOUT", team: "T9" }, outer)).inbound).toMatchObject({
		room: { tenant: "T1", shared: true },
		person: { guest: true },
	});
});

test.each([
	[{ team_id: "T9", enterprise_id: "E1", is_enterprise_install: false }, false],
	[{ team_id: "T9", enterprise_id: "E1", is_enterprise_install: true }, true],
	[{ team_id: null, enterprise_id: "E1", is_enterprise_install: false }, true],
	[{ team_id: null, enterprise_id: "E9", is_enterprise_install: true }, false],
])("for installations in an organization, %o is valid: %s", (installation, expected) => {
	expect(isForSelf(installation, { ...self, enterprise: "E1" })).toBe(expected);
	expect(isForSelf(installation, self)).toBe(false);
});
