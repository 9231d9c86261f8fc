import { Command } from "commander";
import type { Platform } from "../connectors/platform.ts";
import type { ConnectorFlags } from "../connectors/run-connector.ts";
import type { Io } from "../io.ts";

type Name = Platform["name"];

/** `parley PLATFORM posts`: what its connector does not send by itself any more. */
export function postsCommand(platform: Name, io: Io): Command {
	const command = new Command("posts")
		.description("list what is held for a decision, and what was given up")
		.helpCommand(false)
		.option("--json", "print JSON")
		.configureHelp({ showGlobalOptions: true });
	command.action(async () => {
		const { listStuckPosts } = await import("../connectors/stuck-posts.ts");
		const flags = command.optsWithGlobals<ConnectorFlags & { readonly json?: boolean }>();
		await listStuckPosts({ platform, flags }, io);
	});
	return command
		.addCommand(
			decideCommand("send", "have a held post, or an answer that was given up, sent after all", {
				platform,
				io,
			}),
		)
		.addCommand(decideCommand("drop", "have a held post never sent", { platform, io }));
}

function decideCommand(
	name: "send" | "drop",
	description: string,
	{ platform, io }: { readonly platform: Name; readonly io: Io },
): Command {
	const command = new Command(name)
		.description(description)
		.argument("<id>", `as \`parley ${platform} posts\` shows it`);
	return command.action(async (id: string) => {
		const { decideStuck } = await import("../connectors/stuck-posts.ts");
		const flags = command.optsWithGlobals<ConnectorFlags>();
		await decideStuck({ platform, id, send: name === "send", flags }, io);
	});
}
