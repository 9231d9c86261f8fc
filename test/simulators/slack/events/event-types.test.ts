import { expect, test } from "vitest";
import { Contract } from "../web-api/contract.ts";
import { pausedSimulator } from "../web-api/direct-client.ts";

test("events match Slack's own types", () => {
	const { simulator, app, anna, general } = pausedSimulator();
	const faults: string[] = [];
	const types: string[] = [];
	simulator.state.listen((events) => {
		for (const { kind, body } of events) {
			if (kind !== "event") continue;
			types.push(String(body["subtype"] ?? body["type"]));
			const found = Contract.load().faults("event", typed(body));
			faults.push(...found.map((fault) => `${types.at(-1)}: ${fault}`));
		}
	});
	const sentMessage = anna.says(`Hello ${simulator.mention} https://example.com`, {
		in: general,
	});
	anna.edits(sentMessage, `Hello you ${simulator.mention}`);
	anna.replies("more", { to: sentMessage });
	app.asks("agents.sessions.setStatus", {
		channel_id: general.id,
		thread_ts: sentMessage.ts,
		status: "processing",
	});
	anna.stopsSession(general.thread(sentMessage));
	anna.reacts("❌", { on: sentMessage });
	anna.unreacts("❌", { on: sentMessage });
	anna.deletes(anna.says("again", { in: general }));
	anna.looksAt(general);
	anna.says("direct", { in: anna.dm });
	anna.opensHome();
	anna.renamesSession(general.thread(sentMessage), "Ours");
	app.posts(general, { text: "Mine" });
	general.receives("CI", "Build failed");
	const other = simulator.team("Other");
	const stranger = other.member("Sam");
	general.joins(stranger);
	general.loses(stranger);
	general.unshares(other);
	general.rename("renamed");
	general.archive();
	general.archive(false);
	general.loses();
	general.delete();
	simulator.home.removesApp();
	expect(faults).toEqual([]);
	expect(types.sort()).toMatchInlineSnapshot(`
		[
		  "agent_session_stopped",
		  "agent_session_title_changed",
		  "app_context_changed",
		  "app_home_opened",
		  "app_mention",
		  "app_mention",
		  "app_uninstalled",
		  "bot_message",
		  "channel_archive",
		  "channel_deleted",
		  "channel_join",
		  "channel_left",
		  "channel_rename",
		  "channel_shared",
		  "channel_unarchive",
		  "channel_unshared",
		  "member_joined_channel",
		  "member_left_channel",
		  "message",
		  "message",
		  "message",
		  "message",
		  "message",
		  "message_changed",
		  "message_deleted",
		  "reaction_added",
		  "reaction_removed",
		  "tokens_revoked",
		]
	`);
});

/** Adapts an event to its type. Slack sends fields that the types lack, and omits fields that the types require. */
function typed(body: Readonly<Record<string, unknown>>): Record<string, unknown> {
	const { app_id: _, subtype, ...rest } = body;
	const [inner, before] = [rest["message"], rest["previous_message"]].map((one) => Object(one));
	if (subtype === "message_deleted") return { ...rest, subtype, previous_message: completeMessage(before) };
	if (subtype === "message_changed") {
		return { ...rest, subtype, message: completeMessage(inner), previous_message: completeMessage(before) };
	}
	if (subtype === "channel_join") return { ...rest, subtype, inviter: "U1" };
	if (subtype === undefined) return rest;
	const { team: __, ...known } = rest;
	return { ...known, subtype };
}

function completeMessage({ source_team: _, user_team: __, ...message }: Record<string, unknown>): object {
	return { channel: "C1", channel_type: "channel", event_ts: "1.1", ...message };
}
