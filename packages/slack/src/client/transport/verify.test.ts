import { createHmac } from "node:crypto";
import { expect, test } from "vitest";
import { forgery } from "./verify.ts";

const now = 1_700_000_000_000;
const signingSecret = "8f742231b10e8888abcd99yyyzzz85a5";

function request(of: { readonly at?: number; readonly body?: string; readonly secret?: string } = {}) {
	const { at = now, body = '{"type":"event_callback"}', secret = signingSecret } = of;
	const timestamp = String(Math.floor(at / 1000));
	const mac = createHmac("sha256", secret).update(`v0:${timestamp}:${body}`).digest("hex");
	return { signingSecret, body, now, timestamp, signature: `v0=${mac}` };
}

test("a signature within five minutes is valid, also if one clock is ahead", () => {
	for (const at of [now, now - 299_000, now + 299_000]) expect(forgery(request({ at }))).toBeUndefined();
});

test("a signature from too long ago or from the future is invalid", () => {
	for (const at of [now - 301_000, now + 301_000]) {
		expect(forgery(request({ at }))).toContain("five minutes");
	}
});

test.each([
	["another secret", { secret: "another" }, {}],
	["another body", {}, { body: "{}" }],
	["another time", {}, { timestamp: String(now / 1000 - 1) }],
	["another version", {}, { signature: "v1=00" }],
	["no version", {}, { signature: "00" }],
	["an empty signature", {}, { signature: "" }],
])("%s: the signature is not Slack's", (_, of, changed) => {
	expect(forgery({ ...request(of), ...changed })).toContain("signature");
});

test.each([
	["no timestamp", { timestamp: undefined }, "has no signature"],
	["no signature", { signature: undefined }, "has no signature"],
	["words for a time", { timestamp: "soon" }, "timestamp of the request is invalid"],
	["a time that is no integer", { timestamp: "1e9" }, "timestamp of the request is invalid"],
])("%s: the signature is not Slack's", (_, changed, why) => {
	expect(forgery({ ...request(), ...changed })).toContain(why);
});
