import { expect, test } from "vitest";
import type { RunTranscript } from "../vocabulary/transcript.ts";
import { KeptPictures } from "./pictures/room-for-pictures.ts";

/** Three quarters of it are bytes of a picture: 16 MiB. */
const data = "A".repeat((16 * 1024 * 1024 * 4) / 3);
const picture = { type: "image", mediaType: "image/png", data } as const;
const seen: readonly RunTranscript[] = [{ ordinal: 1, messages: [{ role: "user", content: [picture] }] }];
const result = { type: "result", callId: "c", text: "", failed: false, pictures: [picture] } as const;
const read: readonly RunTranscript[] = [{ ordinal: 1, messages: [{ role: "tool", content: [result] }] }];

class Holder {
	readonly id: string;
	live = { size: 0 };
	history: readonly RunTranscript[] | undefined = seen;

	constructor(id: string) {
		this.id = id;
	}
}

test("the sessions with the longest pause drop their pictures if all sessions have too many", () => {
	const forgotten: string[] = [];
	const pictures = new KeptPictures<Holder>(({ id }) => forgotten.push(id));
	const [a, b, c, d, e, f] = ["a", "b", "c", "d", "e", "f"].map((id) => new Holder(id));
	if (!a || !b || !c || !d || !e || !f) throw new Error("six are made");
	for (const holder of [a, b, c, d]) pictures.keep(holder);
	pictures.keep(a);
	expect(forgotten).toEqual([]);
	pictures.keep(e);
	expect(forgotten).toEqual(["b"]);
	expect([a, b, c, d, e].map(({ history }) => history)).toEqual([seen, undefined, seen, seen, seen]);
	c.live.size = 1;
	pictures.keep(f);
	expect(forgotten).toEqual(["b"]);
	c.live.size = 0;
	pictures.keep(f);
	expect(forgotten).toEqual(["b", "c"]);
	d.history = [];
	pictures.keep(d);
	pictures.keep(b);
	pictures.keep(c);
	expect(forgotten).toEqual(["b", "c"]);
});

test("pictures of tools and of people have one limit", () => {
	const forgotten: string[] = [];
	const pictures = new KeptPictures<Holder>(({ id }) => forgotten.push(id));
	const holders = ["a", "b", "c", "d", "e"].map((id) => Object.assign(new Holder(id), { history: read }));
	for (const holder of holders) pictures.keep(holder);
	expect(forgotten).toEqual(["a"]);
});
