import { expect, test } from "vitest";
import { FakeClient } from "../../testing/fake-session.ts";
import { answerRequest, findGrant } from "./trust.ts";

function grantFor(given: string, ids: readonly string[]): Promise<string> {
	const client = new FakeClient();
	const found = findGrant(client, given);
	client.last("list_grants").answer({ grants: ids.map((grant_id) => ({ grant_id })), wishes: [] });
	return found;
}

test("rejects a prefix that does not identify the only grant", async () => {
	for (const given of ["grant_", "g", "", "grant_abc"]) {
		await expect(grantFor(given, ["grant_abcdef"])).rejects.toThrow("is too short for an id");
	}
	for (const given of ["grant_abcd", "abcd", "grant_abcdef"]) {
		expect(await grantFor(given, ["grant_abcdef", "grant_xyz"])).toBe("grant_abcdef");
	}
	expect(await grantFor("grant_nope", ["grant_abcdef"])).toBe("grant_nope");
	const several = grantFor("grant_abcd", ["grant_abcde", "grant_abcdf"]);
	await expect(several).rejects.toThrow(
		"several grants have an id that begins with grant_abcd; use one of these ids: grant_abcde, grant_abcdf",
	);
});

test("rejects a prefix that does not identify the only request", async () => {
	for (const [given, why] of [
		["prompt_", "too short"],
		["p", "too short"],
		["prompt", "no request has the id prompt"],
	] as const) {
		const client = new FakeClient();
		const answered = answerRequest(client, given, { cancelled: true });
		client.last("list_grants").answer({ grants: [], wishes: [{ token: "prompt_abcdef", place: "p" }] });
		await expect(answered).rejects.toThrow(why);
		expect(client.requests).toHaveLength(1);
	}
});
