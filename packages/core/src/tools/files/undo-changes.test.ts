import { createHash } from "node:crypto";
import { writeFile as put, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createToolContext, createWorkplace, readyCall } from "../../testing/tool-context.ts";
import type { FileChange } from "../../vocabulary/file-change.ts";
import { executeCall } from "../calls/tool-call.ts";
import { undoChanges } from "./undo-changes.ts";

const fingerprintOf = (text: string): string => createHash("sha256").update(text).digest("hex");

function changed(path: string): FileChange {
	return {
		path,
		before: { fingerprint: fingerprintOf("before"), size: 6, mode: 0o644 },
		after: [fingerprintOf("after")],
		isInterleaved: false,
		content: Buffer.from("before"),
		isStored: true,
	};
}

test("a file that changes while earlier files are restored is not overwritten", async () => {
	await using directory = await createWorkplace();
	const first = join(directory.cwd, "first.txt");
	const second = join(directory.cwd, "second.txt");
	for (const path of [first, second]) await put(path, "after", { mode: 0o644 });
	const context = createToolContext(directory.cwd, {
		undo: {
			turn: "run_1",
			read: async () => ({
				runId: "run_1",
				message: "write",
				files: [changed(first), changed(second)],
				ranCommands: false,
			}),
			restored: () => put(second, "by hand"),
			done: () => Promise.resolve(),
		},
	});
	const { text, failed } = await executeCall(
		await readyCall(undoChanges, { turn: "run_1" }, context),
		context,
	);
	expect({ failed, text }).toEqual({ failed: true, text: expect.stringContaining("second.txt") });
	expect(await readFile(first, "utf8")).toBe("before");
	expect(await readFile(second, "utf8")).toBe("by hand");
});
