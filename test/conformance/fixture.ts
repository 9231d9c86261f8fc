import { readFile } from "node:fs/promises";
import { parseJson } from "@parley/base";
import { expect } from "vitest";
import * as z from "zod";
import type { OzzieClient } from "./drivers/ozzie-client.ts";

/** A line of a fixture. `in` is a frame from the client, and `out` is a frame from the gateway. */
const Line = z.strictObject({ dir: z.enum(["in", "out"]), message: z.record(z.string(), z.unknown()) });

/**
 * Pattern of positive counts of input tokens. Such counts depend on the machine, because the instructions contain
 * directories and the name of the operating system.
 */
const tokensRead = /(?<="tokens_input":)[1-9]\d*/g;

const minted = /\b(sess|run|prompt)_[0-9a-z]{26}\b/g;

/**
 * Plays a recorded conversation: sends the client's frames and expects exactly the recorded frames of the gateway, in
 * order. In the fixture, ids are numbered by first appearance (`sess_1`, `run_2`), directories are `/work`, and
 * positive counts of input tokens are "many".
 */
export async function playFixture(client: OzzieClient, fixture: URL, directory: string): Promise<void> {
	const shown = new Map<string, string>([[directory, "/work"]]);
	const count = new Map<string, number>();
	const show = (text: string): string => {
		for (const [id, prefix = ""] of text.matchAll(minted)) {
			if (shown.has(id)) continue;
			count.set(prefix, (count.get(prefix) ?? 0) + 1);
			shown.set(id, `${prefix}_${count.get(prefix)}`);
		}
		const named = [...shown].reduce((changed, [real, name]) => changed.replaceAll(real, name), text);
		return named.replaceAll(tokensRead, '"many"');
	};
	const withRealIds = (text: string): string =>
		[...shown].reduce((changed, [real, name]) => changed.replaceAll(`"${name}"`, `"${real}"`), text);
	const lines = (await readFile(fixture, "utf8")).trimEnd().split("\n");
	for (const [index, text] of lines.entries()) {
		const { dir, message } = Line.parse(parseJson(text));
		if (dir === "in") client.send(withRealIds(JSON.stringify(message)));
		else {
			const frame = parseJson(show(JSON.stringify(await client.next())));
			expect(frame, `line ${index + 1} of ${fixture.pathname}`).toEqual(message);
		}
	}
	expect(await client.arrived()).toEqual([]);
}
