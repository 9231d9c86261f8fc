import { ParleyError } from "@parley/base";
import { expect, test } from "vitest";
import { playScene } from "./testing/scene.ts";
import { Stage } from "./testing/stage.ts";

const us = { in: "general", mentions: "us" } as const;

function granted(place: string) {
	return {
		...{ grant_id: `grant_${place}`, place, people: null, tools: null, classes: null },
		...{ max_actions: 200, used_actions: 0, reason: "release", granted_by: "operator" },
		...{ created_at: "1970-01-01T00:00:10.000Z", expires_at: "1970-01-01T01:00:00.000Z" },
	};
}

/** A gateway that trusts two channels; what was ended is in `ended`. */
async function trusting(): Promise<{
	readonly stage: Stage;
	readonly ended: { id: string; reason: string }[];
}> {
	const stage = await Stage.open();
	const ended: { id: string; reason: string }[] = [];
	const grants = [granted("chat:guild:general"), granted("chat:guild:other")];
	Object.assign(stage.gateway.methods, {
		list_grants: () => ({ grants, wishes: [] }),
		revoke_grant({ grant_id: id, reason }: { readonly grant_id: string; readonly reason: string }) {
			ended.push({ id, reason });
			return { status: "revoked" };
		},
	});
	return { stage, ended };
}

test("that others may read a channel waits neither for its messages nor for presses that the gateway does not take", async () => {
	const { stage, ended } = await trusting();
	await playScene([{ ...us, says: "one" }, { gateway: { answers: "done" } }], stage);
	for (const method of ["send_message", "feedback"] as const) {
		stage.gateway.methods[method] = () => {
			throw new ParleyError("session busy", { code: "resource_exhausted" });
		};
	}
	await playScene(
		[
			{ ...us, says: "two" },
			{ in: "general", presses: "Good" },
		],
		stage,
	);
	expect((await stage.connector.status()).waiting).toBe(2);
	const room = stage.room("general");
	await stage.arrive({ type: "audience", room, change: "a guest joined", at: stage.clock.now() }, "audience");
	expect(ended).toMatchObject([{ id: "grant_chat:guild:general" }]);
});

test("a message that is deleted while it waits ends the trust, because nobody says who has deleted it", async () => {
	const { stage, ended } = await trusting();
	await playScene(
		[
			{ ...us, says: "one" },
			{ ...us, says: "two" },
			{ in: "general", deletes: "m2" },
		],
		stage,
	);
	expect(stage.gateway.newest.runs.map(({ content }) => content)).toEqual(["one"]);
	expect(ended).toEqual([
		{ id: "grant_chat:guild:general", reason: "a message was deleted while it waited" },
	]);
	await playScene([{ gateway: { answers: "done" } }, { in: "general", deletes: "m1" }], stage);
	expect(ended).toHaveLength(1);
});
