import { expect, test } from "vitest";
import { listedPrompt, waiting } from "../testing/listed-prompts.ts";
import { playScene } from "../testing/scene.ts";
import { Stage } from "../testing/stage.ts";

test("an approval in the list is answered without reading its conversation", async () => {
	const stage = await Stage.open();
	await playScene([{ says: "one", in: "other", mentions: "us" }, { gateway: { answers: "done" } }], stage);
	const prompt = listedPrompt({ session_id: stage.gateway.newest.id });
	const answered: unknown[] = [];
	Object.assign(stage.gateway.methods, {
		...waiting(prompt),
		prompt_response({ token }: { readonly token: string }) {
			answered.push(token);
			return { status: "sent" };
		},
	});
	// After 30 days without activity, the connector does not read the session. The deletion makes the session
	// unreadable.
	stage.clock.advance(30 * 24 * 3_600_000);
	await stage.restart();
	stage.gateway.sessions.splice(0);
	await playScene(
		[
			{ commands: "approvals", in: "general" },
			{ privately: ["Requested by Mia"] },
			{ presses: "Approve once", in: "general" },
			{ privately: ["**Approved once**"] },
		],
		stage,
	);
	expect(answered).toEqual([prompt.token]);
	await stage.connector.stop();
	await stage.store.close();
});
