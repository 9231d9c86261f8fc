import { readdir, readFile, stat } from "node:fs/promises";
import { expect, test } from "vitest";
import { says } from "../testing/scripted-model.ts";
import type { ModelEvent } from "../vocabulary/model.ts";
import { chance } from "./context/testing/toy-text.ts";
import { editCall, UndoSetup, write } from "./testing/undo-setup.ts";

const rounds = process.env["PARLEY_TEST_SCALE"] === undefined ? 3 : 12;
const names = ["a.txt", "b.sh", "sub/c.txt", "sub/deep/d.bin"];

/** Returns the mode and content of each file. Also checks that no temporary file is left. */
async function filesOf(setup: UndoSetup): Promise<Readonly<Record<string, string>>> {
	const files: Record<string, string> = {};
	for (const name of names) {
		const facts = await stat(setup.path(name)).catch(() => undefined);
		if (!facts) continue;
		files[name] = `${(facts.mode & 0o777).toString(8)} ${(await readFile(setup.path(name))).toString("hex")}`;
	}
	const left = await readdir(setup.path("."), { recursive: true });
	expect(left.filter((name) => name.includes(".parley-"))).toEqual([]);
	return files;
}

test.for(Array.from({ length: rounds }, (_, index) => index + 1))(
	"random edits of several turns, undone, leave the files as before (seed %i)",
	async (seed) => {
		const random = chance(seed);
		// The cast is safe because the index is below the length, and no list is empty.
		const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
		const text = (): string =>
			pick(["", "one\n", "one\r\ntwo\n", "ü 東京\n", "x".repeat(Math.floor(random() * 5_000))]);
		let calls = 0;
		const change = (): ModelEvent => {
			const id = `c${calls++}`;
			return random() < 0.7 ? write(id, pick(names), text()) : editCall(id, pick(names), "one", `two${id}`);
		};
		const turns = 1 + Math.floor(random() * 3);
		const replies = Array.from({ length: turns }, () => [
			...Array.from({ length: 1 + Math.floor(random() * 3) }, () => [
				...Array.from({ length: 1 + Math.floor(random() * 3) }, change),
			]),
			[says("done")],
		]).flat();
		await using setup = await UndoSetup.start(...replies);
		for (const name of names) {
			if (random() < 0.4) continue;
			const content = name.endsWith(".bin") ? Buffer.from([0, 255, Math.floor(random() * 256)]) : text();
			await setup.put(name, content, pick([0o600, 0o644, 0o755, 0o640]));
		}
		const states = [await filesOf(setup)];
		for (let turn = 0; turn < turns; turn++) {
			const before = (await setup.changes())?.runId;
			await setup.turn();
			// If all calls of a turn failed, the turn has no changes to undo.
			if ((await setup.changes())?.runId !== before) states.push(await filesOf(setup));
		}
		for (const state of states.slice(0, -1).reverse()) {
			await setup.undo();
			expect(await filesOf(setup)).toEqual(state);
		}
		expect(await setup.changes()).toBeUndefined();
	},
);
