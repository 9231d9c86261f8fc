import { defined } from "@parley/base";
import type { RoomContext } from "../rooms/handler-context.ts";
import type { Command } from "./command.ts";
import { textOf } from "./options.ts";

const maxText = 6000;

const ask: Command<RoomContext> = {
	name: "ask",
	description: "Ask the agent something, in this channel's conversation",
	options: [{ name: "text", description: "What you want", type: "string", required: true, max: maxText }],
	async run(context, { event, key, message }) {
		const { person, room, options, attachments, target } = event;
		const quoted = target && target.text !== "" ? `${quote(target.text)}\n\n` : "";
		const answered = message ?? target?.message;
		const { sent, failures } = await context.send(person, room, {
			text: `${quoted}${textOf(options["text"])}`,
			attachments,
			key: `${key}/say`,
			...defined({ message: answered }),
		});
		const missing = failures.map((failure) => `- ${failure}`).join("\n");
		if (!sent) return { text: `There was nothing to ask with:\n\n${missing}` };
		return {
			text:
				missing === "" ? "Asked: the answer comes here." : `Asked, but not with everything:\n\n${missing}`,
		};
	},
};

const stop: Command<RoomContext> = {
	name: "stop",
	description: "Stop what is at work in this channel's conversation",
	options: [],
	async run(context, { event: { person, room, at }, key }) {
		const stopped = await context.stop(person, room, { key, at });
		return { text: stopped ? "Stopped." : "Nothing is at work here." };
	},
};

/** Commands to ask the agent and to stop it. */
export const talkCommands: readonly Command<RoomContext>[] = [ask, stop];

function quote(text: string): string {
	return text.replace(/^/gm, "> ");
}
