import { expect, test } from "vitest";
import { EventLog } from "../../testing/event-log.ts";
import { ScriptedModel } from "../../testing/scripted-model.ts";
import { TestRuntime, unkeyed } from "../../testing/test-runtime.ts";
import { operator } from "../../vocabulary/principal.ts";

test("a rename has one event, also if it is repeated with its key", async () => {
	await using t = await TestRuntime.open({ model: new ScriptedModel() });
	const { id } = await t.runtime.create(unkeyed(), { title: "Old name", externalKey: "room 9" });
	const log = await EventLog.join(t.runtime, id, { afterSeq: 0 });
	const request = { ...unkeyed(), key: "k", method: "rename_session" };
	await Promise.all([t.runtime.rename(request, id, "New name"), t.runtime.rename(request, id, "New name")]);
	await t.runtime.rename(request, id, "New name");
	expect(log.recorded).toEqual(["session.created", "session.renamed"]);
	expect(await log.next("session.renamed")).toEqual({
		type: "session.renamed",
		title: "New name",
		by: "person",
	});
	const found = async (query: string) => (await t.runtime.list(operator, { limit: 10, query })).length;
	expect(await found("new room")).toBe(1);
	expect(await found("old")).toBe(0);
});

test("a title is one line without invisible characters, at its creation and after a rename", async () => {
	await using t = await TestRuntime.open({ model: new ScriptedModel() });
	const { id } = await t.runtime.create(unkeyed(), { title: " two\nlines " });
	expect(await t.runtime.list(operator, { limit: 1 })).toMatchObject([{ title: "two lines" }]);
	expect(await t.runtime.rename(unkeyed(), id, "safe\u202egpj.exe\0 \t name")).toBe("safegpj.exe name");
	expect(await t.runtime.list(operator, { limit: 1 })).toMatchObject([{ title: "safegpj.exe name" }]);
});
