import { ParleyError } from "@parley/base";
import type { RoomContext } from "../rooms/handler-context.ts";
import { conversationTexts } from "../texts/conversations.ts";
import { exportTexts } from "../texts/export.ts";
import type { Command } from "./command.ts";
import { noneHere } from "./none-here.ts";
import { isPublic } from "./options.ts";
import { transcriptOf } from "./transcript.ts";

const maxFileName = 60;

/** Command that exports the current conversation of the room as a file, for the person who requests it. */
export const sessionExport: Command<RoomContext> = {
	name: "session export",
	description: exportTexts.description,
	options: [],
	async run(context, handled) {
		const { person, room } = handled.event;
		const { platform, clock } = context;
		if (isPublic(handled) && platform.ticketOf === undefined) {
			return { text: exportTexts.onlyPrivate({ command: platform.command("session export", {}) }) };
		}
		// The file contains calls and results that the room does not show.
		const { may } = await context.whoami(person, room);
		if (!may.includes("session.fork"))
			throw new ParleyError(exportTexts.onlyMembers, { code: "permission_denied" });
		const current = (await context.sessions(person, room)).find((each) => each.current);
		if (current === undefined) return { text: await noneHere(context, { person, room }, "session export") };
		const { session, title } = current;
		const name = title === "" ? conversationTexts.untitled : title;
		const content = await transcriptOf(name, context.events(session), clock.now());
		const isPrivate = room.kind === "direct" ? {} : { private: true as const };
		return { text: exportTexts.done, file: { name: fileNameOf(title), content }, ...isPrivate };
	},
};

function fileNameOf(title: string): string {
	const words = title
		.normalize("NFKD")
		.replaceAll(/[^\p{L}\p{N}]+/gu, "-")
		.slice(0, maxFileName);
	return `${words.replaceAll(/^-+|-+$/g, "") || exportTexts.fileName}.md`;
}
