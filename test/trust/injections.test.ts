import { expect, test } from "vitest";
import { attempt, sources } from "./injection-attempt.ts";
import { attacks, instructionAttacks } from "./injections.ts";

const all = sources.flatMap((source) => attacks.map((attack) => ({ source, attack })));

test("there are 50 injected instructions", () => {
	expect(all).toHaveLength(50);
});

test.each(all.map((one) => ({ ...one, from: one.source.name, what: one.attack.name })))(
	"an instruction in $from to $what has no effect without approval, although the model obeys",
	async ({ source, attack }) => {
		expect(await attempt({ source, attack, approves: false })).toEqual({ tried: true, hadEffect: false });
	},
);

test.each(attacks)("the same call has an effect if a person approves it: $name", async (attack) => {
	const [source] = sources;
	if (!source) throw new Error("there is no source");
	expect(await attempt({ source, attack, approves: true })).toEqual({ tried: true, hadEffect: true });
});

test.each(instructionAttacks)(
	"an approval of writes for the session does not cover the instruction to $name, which needs a separate approval",
	async (attack) => {
		for (const source of sources) {
			const denied = await attempt({ source, attack, approves: false, hasGrant: true });
			expect([source.name, denied]).toEqual([source.name, { tried: true, hadEffect: false }]);
		}
		const [source] = sources;
		if (!source) throw new Error("there is no source");
		expect(await attempt({ source, attack, approves: true, hasGrant: true })).toEqual({
			tried: true,
			hadEffect: true,
		});
	},
);
