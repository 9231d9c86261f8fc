import { expect, test } from "vitest";
import { DeliveryError } from "../platform/surface.ts";
import { sweep } from "../store/retention.ts";
import { PostOffice } from "../testing/post-office.ts";

const closed = (): never => {
	throw new DeliveryError("the thread is locked", { kind: "closed" });
};

test("the copy of an answer has a note above it, with a link to the closed room", async () => {
	const office = await PostOffice.open();
	office.surface.script.push(closed);
	const elsewhere = { person: "7", link: "https://chat.example/general" };
	await office.plan([{ payload: { type: "post", body: "It is done.", elsewhere } }]);
	const to = { people: ["7"], ways: ["direct"] };
	const linked = "[channel or thread](https://chat.example/general)";
	const note = `I can no longer write in the ${linked} of your request, because it is closed. My answer:`;
	expect(office.shown).toMatchObject([
		{ body: note, notifies: to },
		{ body: "It is done.", notifies: to },
	]);
});

test("an answer is not copied again when its copies are deleted and its room is still closed", async () => {
	const office = await PostOffice.open();
	await office.plan([{ card: "answer", payload: { type: "post", body: "It" } }]);
	office.surface.script.push(closed);
	const elsewhere = { person: "7" };
	await office.plan([{ card: "answer", payload: { type: "post", body: "It is done.", elsewhere } }]);
	const waits = {
		state: "held",
		reason: "waits until its thread or channel is open again: the thread is locked",
	};
	expect(await office.outbox.stuck(10)).toMatchObject([waits]);
	expect(office.shown).toHaveLength(3);
	await office.pass(8 * 86_400_000);
	await sweep(office.store, office.clock.now());
	office.surface.script.push(closed);
	await office.restart();
	expect(office.shown).toHaveLength(3);
	expect(await office.outbox.stuck(10)).toMatchObject([waits]);
});
