import { expect, test } from "vitest";
import { type Request, Requests } from "./gateway-client.ts";

test("a request for one connection is neither sent again nor settled after it", () => {
	const sent: string[] = [];
	const settled: string[] = [];
	const requests = new Requests((text) => sent.push(text));
	const request = (method: string, lasting: boolean): Request => ({
		method,
		params: {},
		lasting,
		settle: () => settled.push(method),
	});
	const join = requests.add(request("open_session", false));
	const message = requests.add(request("send_message", true));
	expect(sent).toHaveLength(2);
	requests.dropConnectionRequests();
	requests.resend();
	expect(sent.slice(2)).toEqual([sent[1]]);
	for (const id of [join, message, message]) requests.answer({ type: "res", id, ok: true, payload: {} });
	expect(settled).toEqual(["send_message"]);
});
