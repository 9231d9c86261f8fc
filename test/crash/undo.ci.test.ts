import { paced } from "@parley/base/testing";
import { expect, test } from "vitest";
import { patienceMs } from "../gateway-process.ts";
import { KillSetup } from "../tasks/kill/kill-setup.ts";

test("an undo that a kill interrupts completes at the next start, and its turn was recorded before another kill", {
	timeout: paced(patienceMs * 4),
}, async () => {
	await using directories = await KillSetup.create();
	await directories.start();
	const session = await directories.open(true);
	const send = async (content: string): Promise<void> => {
		const { run_id } = await directories.client.request("send_message", { content }, { sessionId: session });
		await directories.ended(run_id);
	};
	await send("write: b.txt <<< before");
	await send("write: a.txt <<< one\nwrite: b.txt <<< two\nwrite: c.txt <<< three");
	await directories.kill();
	const second = await directories.start("file-restored=kill@2");
	// The process may be killed before or after its response.
	const undo = directories.client.request("undo_changes", { key: "undo" }, { sessionId: session });
	expect((await second.exited).signal).toBe("SIGKILL");
	expect(["a.txt", "b.txt", "c.txt"].map((name) => directories.effects(name))).toEqual([
		"",
		"before",
		"three",
	]);
	await directories.start();
	const { run_id } = await undo;
	expect(await directories.ended(run_id)).toMatchObject({ error: "" });
	expect(["a.txt", "b.txt", "c.txt"].map((name) => directories.effects(name))).toEqual(["", "before", ""]);
	const ends = directories.frames.filter(({ event, payload }) => {
		const { name, status } = Object(payload);
		return event === "tool.call" && name === "undo_changes" && status !== "started";
	});
	expect(ends).toMatchObject([{ payload: { status: "completed" } }]);
});
