import { expect, test } from "vitest";
import { readEnvelope } from "./envelope.ts";

const go = { "user-agent": "Go-http-client/1.1", "accept-encoding": "gzip" };

test.each(["/api/ws", "/api/ws?", "/api/ws?other=1", undefined])(
	"%s has the envelope of the document",
	(url) => {
		expect(readEnvelope({ url, headers: {} })).toBe("flat");
	},
);

test("after the handshake of a Go client, its first frame decides", () => {
	expect(readEnvelope({ url: "/api/ws", headers: go })).toBe("first frame");
});

test.each(["flat", "both"])("%s is accepted with any handshake", (envelope) => {
	for (const headers of [{}, go]) {
		expect(readEnvelope({ url: `/api/ws?envelope=${envelope}`, headers })).toBe(envelope);
		expect(readEnvelope({ url: `/api/ws?x=1&envelope=${envelope}`, headers })).toBe(envelope);
	}
});

test.each(["", "Flat", "Both", "both,both", "both&envelope=both", "flat&envelope=both", "both%20"])(
	"an envelope %j is refused with a hint",
	(value) => {
		for (const headers of [{}, go]) {
			expect(readEnvelope({ url: `/api/ws?envelope=${value}`, headers })).toMatchObject({
				status: 400,
				body: {
					error: expect.stringMatching(/^unknown envelope: "/),
					hint: expect.stringContaining("?envelope=both"),
				},
			});
		}
	},
);
