import { expect, test } from "vitest";
import { readEnvelope } from "./envelope.ts";

test.each(["/api/ws", "/api/ws?", "/api/ws?other=1", undefined])("%s has the document's envelope", (url) => {
	expect(readEnvelope(url)).toBe("flat");
});

test("both is known", () => {
	expect(readEnvelope("/api/ws?envelope=both")).toBe("both");
	expect(readEnvelope("/api/ws?x=1&envelope=both")).toBe("both");
});

test.each(["", "flat", "Both", "both,both", "both&envelope=both", "both%20"])(
	"an envelope %j is refused with words that help",
	(value) => {
		const refusal = readEnvelope(`/api/ws?envelope=${value}`);
		expect(refusal).toMatchObject({
			status: 400,
			body: {
				error: expect.stringMatching(/^unknown envelope: "/),
				hint: expect.stringContaining("/api/ws?envelope=both"),
			},
		});
	},
);
