import { expect, test } from "vitest";
import { says } from "../testing/scripted-model.ts";
import { UndoSetup, write } from "./testing/undo-setup.ts";

test("a turn whose writes failed or changed nothing has no changes to undo", async () => {
	await using setup = await UndoSetup.start(
		[write("a", "a.txt", "agent")],
		[says("done")],
		[write("b", "a.txt", "agent")],
		[says("done again")],
	);
	await setup.put("a.txt", "before");
	await setup.turn("first");
	await setup.turn("second");
	expect((await setup.changes())?.message).toBe("first");
	await setup.undo();
	expect(await setup.read("a.txt")).toBe("before");
});
