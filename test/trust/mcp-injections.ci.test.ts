import { expect, test } from "vitest";
import { attempt, mcpSources } from "./injection-attempt.ts";
import { attacks, instructionAttacks } from "./injections.ts";

const all = mcpSources.flatMap((source) => attacks.map((attack) => ({ source, attack })));

test.each(all.map((one) => ({ ...one, from: one.source.name, what: one.attack.name })))(
	"an instruction in $from to $what has no effect without approval, although the model obeys",
	async ({ source, attack }) => {
		expect(await attempt({ source, attack, approves: false })).toEqual({ tried: true, hadEffect: false });
	},
);

test.each(mcpSources)("the same call has an effect if a person approves it: $name", async (source) => {
	const [attack] = attacks;
	if (!attack) throw new Error("there is no attack");
	expect(await attempt({ source, attack, approves: true })).toEqual({ tried: true, hadEffect: true });
});

test.each(mcpSources)(
	"an approval of writes for the session does not cover an instruction in $name",
	async (source) => {
		for (const attack of instructionAttacks) {
			const denied = await attempt({ source, attack, approves: false, hasGrant: true });
			expect([attack.name, denied]).toEqual([attack.name, { tried: true, hadEffect: false }]);
		}
	},
);
