import { expect, test } from "vitest";
import { EventLog } from "../../testing/event-log.ts";
import { ScriptedModel, says } from "../../testing/scripted-model.ts";
import { TestRuntime, unkeyed } from "../../testing/test-runtime.ts";
import { operator, type Principal } from "../../vocabulary/principal.ts";

const texts = {
	own: "ann wants deploys on Friday",
	other: "bob wants deploys on Monday",
	channel: "deploys in C1 need a ticket",
	elsewhere: "deploys in C2 need no ticket",
	everyone: "deploys take an hour",
};

function person(user: string, channel = "C1"): Principal {
	const place = { platform: "discord", tenant: "T", channel, shared: false };
	return {
		id: "connector:discord",
		kind: "connector",
		platform: "discord",
		person: { id: `discord:T:${user}`, name: user, role: "member", place },
	};
}

async function remembering(model: ScriptedModel) {
	const t = await TestRuntime.open({ model });
	const { memories } = t.runtime;
	const store = (by: Principal, scope: "user" | "channel" | "everyone", text: string) =>
		memories.store(unkeyed(by), { scope, text, tags: [] });
	await store(person("ann"), "user", texts.own);
	await store(person("bob"), "user", texts.other);
	await store(person("ann"), "channel", texts.channel);
	await store(person("ann", "C2"), "channel", texts.elsewhere);
	await store(operator, "everyone", texts.everyone);
	return t;
}

function shownIn(model: ScriptedModel, request: number): string[] {
	const text = JSON.stringify(model.requests[request]?.messages);
	return Object.entries(texts).flatMap(([name, note]) => (text.includes(note) ? [name] : []));
}

test("a run gets only the notes of its person, its channel and all people", async () => {
	const model = new ScriptedModel([says("a")], [says("b")], [says("c")], [says("d")]);
	await using t = await remembering(model);
	const { id } = await t.runtime.create(unkeyed(person("ann")), {});
	const log = await EventLog.join(t.runtime, id);
	const say = async (by: Principal, content: string) => {
		await t.runtime.send(unkeyed(by), id, { content });
		await log.next("assistant.message");
	};
	await say(person("ann"), "When are the deploys?");
	expect(shownIn(model, 0)).toEqual(["own", "channel", "everyone"]);
	await say(person("bob"), "And deploys for me?");
	expect(shownIn(model, 1)).toEqual(["other", "channel", "everyone"]);
	await say(person("ann"), "zebra");
	expect(shownIn(model, 2)).toEqual(["channel", "everyone"]);
	const transcript = await t.runtime.transcript(operator, id);
	expect(JSON.stringify(transcript)).not.toContain(texts.everyone);

	const elsewhere = await t.create();
	const other = await EventLog.join(t.runtime, elsewhere);
	await t.send(elsewhere, "deploys");
	await other.next("assistant.message");
	expect(shownIn(model, 3)).toEqual(["everyone"]);
});

test("recalling a note restores its taint", async () => {
	const model = new ScriptedModel([says("a")], [says("b")]);
	await using t = await TestRuntime.open({ model });
	const note = { scope: "everyone" as const, text: "deploys wait", tags: [] };
	const taint = async (session: string) => {
		const rows = await t.store.read((db) => db.selectFrom("sessions").select(["id", "taint"]).execute());
		return rows.find(({ id }) => id === session)?.taint;
	};
	const ask = async () => {
		const session = await t.create();
		const log = await EventLog.join(t.runtime, session);
		await t.send(session, "deploys?");
		await log.next("assistant.message");
		return taint(session);
	};
	await t.runtime.memories.store(unkeyed(), note);
	expect(await ask()).toBe("");
	await t.store.commit((tx) => tx.updateTable("memories").set({ taint: "UP" }).execute());
	expect(await ask()).toBe("UP");
});
