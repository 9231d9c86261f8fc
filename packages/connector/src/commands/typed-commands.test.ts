import { expect, test } from "vitest";
import { playScene } from "../testing/scene.ts";
import { Stage } from "../testing/stage.ts";
import { commandTable } from "./command-table.ts";

test("commands are written in the form that the platform accepts in a channel or a thread", async () => {
	const stage = await Stage.open();
	Object.assign(stage.platform, {
		command: (name: string, { thread }: { readonly thread?: string }) =>
			`${thread === undefined ? "/bot " : "!"}${name}`,
		aboutCommands: "In threads there are none.",
	});
	await playScene(
		[
			{ commands: "dance" },
			{ commands: "session new" },
			{ commands: "session new", in: "general/post 1" },
			{ commands: "session switch", options: { session: "nowhere" } },
			{ commands: "task list", in: "general/post 1" },
			{ commands: "task show", options: { id: "aaaaaa" } },
			{ commands: "trust status" },
			{ commands: "model" },
			{
				privately: [
					"`/bot help` lists",
					"`/bot session switch` returns",
					"`!session switch` returns",
					"`/bot session list` shows",
					"`!task new` starts",
					"a number from /bot task list",
					"`/bot trust on` requests",
					"`/bot model` with a name",
				],
			},
			{ commands: "help" },
			{ privately: ["In threads there are none.\n\n- `/bot ask` "] },
			{ commands: "help", in: "general/post 1" },
			{
				does: () => {
					const [help = ""] = stage.privately();
					for (const { name } of commandTable) {
						const [word = "", second] = name.split(" ");
						const [line = ""] = help.match(new RegExp(`^- \`!${word}[ \`].*`, "m")) ?? [];
						expect(line, name).toMatch(second === undefined ? /./ : new RegExp(`[ \`]${second}\``));
					}
				},
			},
			{ does: ({ gateway }) => void gateway.roles.set("eve", "stranger") },
			{ says: "hello", by: "eve", in: "general/post 1", mentions: "us" },
			{ shows: ["use `/bot pair`, or mention me with `!pair`"], in: "general/post 1" },
		],
		stage,
	);
	await stage.connector.stop();
	await stage.store.close();
});
