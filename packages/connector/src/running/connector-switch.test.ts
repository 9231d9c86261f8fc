import { test } from "vitest";
import { playScene } from "../testing/scene.ts";

test("a title of several conversations requires the number", async () => {
	await playScene([
		{ commands: "session new", options: { title: "Plan" } },
		{ commands: "session new", options: { title: "plan" } },
		{ commands: "session switch", options: { session: "Plan" } },
		{
			privately: [
				"**Plan**",
				"**plan**",
				"More than one conversation here has the title “Plan”. Use the number",
			],
		},
	]);
});
