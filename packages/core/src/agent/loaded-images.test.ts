import { expect, test } from "vitest";
import type { RunTranscript } from "../vocabulary/transcript.ts";
import { LoadedImages } from "./images/room-for-images.ts";

/** Base64 text for an image of 16 MiB. */
const data = "A".repeat((16 * 1024 * 1024 * 4) / 3);
const image = { type: "image", mediaType: "image/png", data } as const;
const seen: readonly RunTranscript[] = [{ ordinal: 1, messages: [{ role: "user", content: [image] }] }];
const result = { type: "result", callId: "c", text: "", failed: false, pictures: [image] } as const;
const read: readonly RunTranscript[] = [{ ordinal: 1, messages: [{ role: "tool", content: [result] }] }];

class Holder {
	readonly id: string;
	live = { size: 0 };
	history: readonly RunTranscript[] | undefined = seen;

	constructor(id: string) {
		this.id = id;
	}
}

test("the sessions with the longest pause drop their images if all sessions have too many", () => {
	const forgotten: string[] = [];
	const images = new LoadedImages<Holder>(({ id }) => forgotten.push(id));
	const [a, b, c, d, e, f] = ["a", "b", "c", "d", "e", "f"].map((id) => new Holder(id));
	if (!a || !b || !c || !d || !e || !f) throw new Error("six are made");
	for (const holder of [a, b, c, d]) images.add(holder);
	images.add(a);
	expect(forgotten).toEqual([]);
	images.add(e);
	expect(forgotten).toEqual(["b"]);
	expect([a, b, c, d, e].map(({ history }) => history)).toEqual([seen, undefined, seen, seen, seen]);
	c.live.size = 1;
	images.add(f);
	expect(forgotten).toEqual(["b"]);
	c.live.size = 0;
	images.add(f);
	expect(forgotten).toEqual(["b", "c"]);
	d.history = [];
	images.add(d);
	images.add(b);
	images.add(c);
	expect(forgotten).toEqual(["b", "c"]);
});

test("images of tools and of people have one limit", () => {
	const forgotten: string[] = [];
	const images = new LoadedImages<Holder>(({ id }) => forgotten.push(id));
	const holders = ["a", "b", "c", "d", "e"].map((id) => Object.assign(new Holder(id), { history: read }));
	for (const holder of holders) images.add(holder);
	expect(forgotten).toEqual(["a"]);
});
