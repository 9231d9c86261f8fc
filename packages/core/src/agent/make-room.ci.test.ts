import type { Store } from "@parley/base";
import { expect, test } from "vitest";
import type { Tx } from "../store/journal.ts";
import type { Tables } from "../store/tables.ts";
import { says } from "../testing/scripted-model.ts";
import { unkeyed } from "../testing/test-runtime.ts";
import {
	answers,
	large,
	mebibyte,
	padded,
	png,
	readPhoto,
	Showing,
	sent,
	shownAs,
	table,
	times,
} from "./testing/showing.ts";

const placeholder = (mebibytes: string, reason: string): string =>
	`[attached: an image, image/png, ${mebibytes}; not available: ${reason}]`;
const madeRoom = "removed to make room: ask for it again if you need it";

test("images of older prompts are replaced by text if the images of a new prompt need their space", async () => {
	const before = await Showing.begin(answers(5));
	for (let n = 0; n < 3; n++) await before.prompt(`prompt ${n}`, sent(3), sent(3));
	expect(before.shown()).toEqual([2, 2, 2]);
	expect(before.messages(2).slice(0, 3)).toEqual(before.messages(1));
	await before.prompt("prompt 3", sent(3));
	expect(before.shown()).toEqual([0, 0, 2, 1]);
	expect(before.text(0)).toBe(
		`prompt 0\n\n${placeholder("3.0 MiB", madeRoom)}\n${placeholder("3.0 MiB", madeRoom)}`,
	);
	const [first, ...rest] = before.messages();
	expect(first?.content).toHaveLength(1);
	await before.prompt("prompt 4");
	expect(before.messages().slice(0, 7)).toEqual([first, ...rest]);
	await using after = await before.restart(answers(1));
	await after.prompt("prompt 5");
	expect(after.messages().slice(0, 9)).toEqual(before.messages());
});

test("images of older prompts are removed to make space for images that tools read, but images of the active prompt are kept", async () => {
	await using showing = await Showing.begin([
		...answers(1),
		[readPhoto("c1")],
		[readPhoto("c2"), readPhoto("c3")],
		[says("seen")],
	]);
	await showing.put(padded(3 * mebibyte));
	await showing.prompt("old", sent(3), sent(3), sent(3));
	await showing.prompt("at work", sent(3), sent(3));
	expect(showing.shown(2)).toEqual([3, 2, 1]);
	expect(showing.shown()).toEqual([0, 2, 0, 1, 1]);
});

test("images of results and prompts are removed in the order in which they arrived", async () => {
	await using showing = await Showing.begin([[readPhoto("c1")], ...answers(3)]);
	await showing.put(padded(3 * mebibyte));
	await showing.prompt("first");
	await showing.prompt("second", sent(3), sent(3), sent(3));
	expect(showing.shown()).toEqual([0, 1, 3]);
	await showing.prompt("third", sent(3), sent(3), sent(3));
	expect(showing.shown()).toEqual([0, 0, 0, 3]);
	expect(showing.text(2)).toMatch(/\n\[its image was removed to make room: read it again/);
});

test("images of one prompt that do not fit are described", async () => {
	const before = await Showing.begin(answers(1));
	await before.prompt("many", ...times(7, () => sent(3)));
	expect(before.shown()).toEqual([6]);
	expect(before.text(0)).toMatch(
		/^many\n\n\[attached: an image, image\/png, 3\.0 MiB; not available: the images of this conversation may have at most 18 MiB in total.*\]$/,
	);
	await using after = await before.restart(answers(1));
	await after.prompt("and now?");
	expect(after.messages().slice(0, 1)).toEqual(before.messages());
});

test("a retried prompt keeps those of its images that fit while the run reads others", async () => {
	await using showing = await Showing.begin([
		...answers(1),
		[readPhoto("c1"), readPhoto("c2")],
		[says("seen")],
	]);
	await showing.put(padded(3 * mebibyte));
	await showing.prompt("look", ...times(5, () => sent(3)));
	await showing.t.runtime.retry(unkeyed(), showing.session);
	await showing.log.next("assistant.message");
	expect(showing.shown()).toEqual([5, 1, 0]);
});

test("attached images stay, and count towards the limit", async () => {
	await using showing = await Showing.begin(answers(3));
	await showing.attach(...times(3, () => padded(3 * mebibyte)));
	await showing.prompt("first", sent(3), sent(3));
	await showing.prompt("second", sent(3), sent(3));
	expect(showing.shown()).toEqual([3, 0, 2]);
});

test("images that a summary replaced need no space", async () => {
	await using showing = await Showing.begin([...answers(1), [says("a summary")], ...answers(2)]);
	await showing.attach(...times(6, () => padded(3 * mebibyte)));
	await showing.compact();
	await showing.attach(...times(6, () => padded(3 * mebibyte)));
	expect(showing.shown()).toEqual([0, 6]);
});

test("no image is removed for one that does not fit with the remaining ones", async () => {
	await using showing = await Showing.begin(answers(3));
	await showing.attach(...times(5, () => padded(3 * mebibyte)));
	await showing.prompt("first", sent(2));
	await showing.prompt("second", sent(3.5));
	expect(showing.shown()).toEqual([5, 1, 0]);
	await using after = await showing.restart(answers(1));
	await after.prompt("third", sent(3.5), sent(2.5));
	expect(after.shown()).toEqual([5, 0, 0, 1]);
});

test("the transaction that removes images reads no steps", async () => {
	let reads = 0;
	const watched = (tx: Tx): Tx =>
		new Proxy(tx, {
			get(target, name) {
				const value: unknown = Reflect.get(target, name, target);
				if (typeof value !== "function") return value;
				return (...args: unknown[]): unknown => {
					if (name === "selectFrom" && args[0] === "steps") reads += 1;
					return Reflect.apply(value, target, args);
				};
			},
		});
	const wrap = (store: Store<Tables>): Store<Tables> =>
		new Proxy(store, {
			get(target, name) {
				if (name === "commit") {
					return <T>(command: (tx: Tx) => Promise<T>) => target.commit((tx) => command(watched(tx)));
				}
				const value: unknown = Reflect.get(target, name, target);
				return typeof value === "function" ? value.bind(target) : value;
			},
		});
	const ids = times(4, (index) => `c${index}`);
	await using showing = await Showing.begin(
		[ids.map((id) => readPhoto(id)), [says("seen")], ids.map((id) => readPhoto(`d${id}`)), [says("seen")]],
		{ wrap },
	);
	await showing.put(padded(3 * mebibyte));
	await showing.prompt("look");
	await showing.prompt("look again");
	expect(showing.shown()).toEqual([0, 0, 0, 0, 0, 0, 1, 1, 1, 1]);
	expect(reads).toBe(0);
});

test("with one large image, at most twenty images are shown, and at most ten remain after the oldest are removed", async () => {
	const before = await Showing.begin([...answers(2), [readPhoto("c1")], [says("seen")]], { table });
	await before.prompt("old", ...times(12, () => shownAs(png)));
	await before.prompt("later", ...times(8, () => shownAs(png)));
	await before.put(large);
	await before.prompt("look");
	expect(before.shown(2)).toEqual([12, 8, 0]);
	expect(before.shown()).toEqual([0, 8, 0, 1]);
	await using after = await before.restart(answers(1), { table });
	await after.prompt("and now?");
	expect(after.shown()).toEqual([0, 8, 0, 1, 0]);
});

test("more than twenty small images are shown, and a large attached one beyond them is not", async () => {
	await using showing = await Showing.begin(answers(2), { table });
	await showing.attach(...times(21, () => png));
	await showing.attach(large);
	expect(showing.shown()).toEqual([21, 0]);
	expect(showing.text(2)).toMatch(/^mine\n\n\[attached: attachments\/mine\.png, image\/png, \d+ bytes\]$/);
});
