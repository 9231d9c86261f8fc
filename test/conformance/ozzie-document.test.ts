import { expect, test } from "vitest";
import { document, later } from "./document.ts";
import { OzzieClient } from "./drivers/ozzie-client.ts";
import { TestGateway } from "./gateway.ts";
import { requirements } from "./requirements.ts";
import { verifiesOn } from "./verifies.ts";

test("every sentence of the document that promises something has requirements, and each has its scenario", () => {
	const given = new Set<string>(Object.keys(requirements));
	for (const { section, says, kept } of document) {
		expect(kept.length, `${section}: ${says}`).toBeGreaterThan(0);
		expect(
			kept.filter((id) => !given.has(id)),
			says,
		).toEqual([]);
	}
	const said = document.map(({ says }) => says);
	expect(new Set(said).size).toBe(said.length);
});

test("every requirement that cites the document is cited by a sentence of it", () => {
	const cited = new Set<string>(document.flatMap(({ kept }) => kept));
	const fromDocument = Object.entries(requirements).filter(
		([, { source, wires }]) => source.startsWith("document") && wires.ozzie === "kept",
	);
	expect(fromDocument.map(([id]) => id).filter((id) => !cited.has(id))).toEqual([]);
});

verifiesOn("ozzie", ["frame.not-available"], "what is documented and not there yet says so", async () => {
	await using gateway = await TestGateway.start();
	await using client = await OzzieClient.connect(gateway.url);
	for (const method of later.flatMap(({ methods }) => methods)) {
		expect(await client.refusal(method, { task_id: "task_1", title: "t", description: "d" })).toMatch(
			/^not available\b/,
		);
	}
	for (const name of later.flatMap(({ events }) => events)) {
		const response = await fetch(`${gateway.url}/api/events?type=${name}`);
		// Unless it is told one day: then its sentence belongs to what is kept.
		expect([name, response.status]).toEqual([name, 400]);
	}
});
