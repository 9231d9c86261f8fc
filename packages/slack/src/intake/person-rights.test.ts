import { expect, test } from "vitest";
import { openReading } from "../testing/reading.ts";
import { ok, refused, self } from "../testing/scripted-slack.ts";
import { readPersonRights } from "./person-rights.ts";

const user = { id: "UADA", team_id: "T1", name: "ada" };
const left = { present: false, reason: "left" };
const here = { present: true, roles: [], guest: false, shared: false };

async function open() {
	const reading = await openReading();
	const { port, people, channels } = reading;
	const ask = (channel = "C1", tenant = "T1") => {
		const place = { tenant, channel, thread: undefined, shared: false };
		return readPersonRights({ self, port, people, channels }, { user: "UADA", place });
	};
	return { port, ask };
}

test("a removed, deactivated or unknown person has left, and Slack is asked each time", async () => {
	const { port, ask } = await open();
	port.channels["C1"] = { id: "C1", is_private: false };
	port.answer("users.info", ok({ user }));
	expect(await ask()).toEqual(here);
	port.answer("users.info", ok({ user: { ...user, deleted: true } }));
	expect(await ask()).toEqual(left);
	port.answer("users.info", refused("user_not_found"));
	expect(await ask()).toEqual(left);
	expect(await ask("C1", "T9")).toBeUndefined();
});

test("in a private channel only its members can write, on any page of the list", async () => {
	const { port, ask } = await open();
	port.channels["G1"] = { id: "G1", is_private: true };
	const page = (members: string[], next_cursor = "") => ok({ members, response_metadata: { next_cursor } });
	port.answer("conversations.members", page(["UBOB"], "more"));
	port.answer("conversations.members", page(["UADA"]));
	expect(await ask("G1")).toEqual(here);
	port.answer("conversations.members", page(["UBOB"]));
	expect(await ask("G1")).toEqual({ present: false, reason: "no_access" });
	port.answer("conversations.members", refused("channel_not_found"));
	expect(await ask("G1")).toBeUndefined();
});

test("a guest is recognised, and a shared channel is marked as shared", async () => {
	const { port, ask } = await open();
	port.channels["C2"] = { id: "C2", is_private: false, is_ext_shared: true };
	port.answer("users.info", ok({ user: { ...user, is_restricted: true } }));
	port.answer("conversations.members", ok({ members: ["UADA"] }));
	expect(await ask("C2")).toEqual({ ...here, guest: true, shared: true });
});

test("without a response of Slack the rights are not confirmed", async () => {
	const { port, ask } = await open();
	port.answer("users.info", refused("internal_error"));
	await expect(ask()).rejects.toMatchObject({ code: "unavailable" });
});
