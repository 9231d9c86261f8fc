import { defined } from "@parley/base";
import { linkedTitle, offerConversations } from "../presses/conversations.ts";
import type { RoomContext } from "../rooms/handler-context.ts";
import { commandTexts } from "../texts/commands.ts";
import { conversationTexts } from "../texts/conversations.ts";
import type { Command } from "./command.ts";
import { textOf } from "./options.ts";

const maxText = 6000;

const ask: Command<RoomContext> = {
	name: "ask",
	description: commandTexts.ask.description,
	options: [
		{ name: "text", description: commandTexts.ask.text, type: "string", required: true, max: maxText },
	],
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
		const files = failures.map((failure) => `- ${failure}`).join("\n");
		const { ask: texts } = commandTexts;
		if (!sent) return { text: texts.notSent({ files }) };
		return { text: files === "" ? texts.sent : texts.sentWithout({ files }) };
	},
};

const stop: Command<RoomContext> = {
	name: "stop",
	description: commandTexts.stop.description,
	options: [],
	async run(context, { event: { person, room, at }, key }) {
		const all = await context.conversations(person, room, { working: true });
		const [only] = all;
		const { below } = conversationTexts;
		if (all.length > 1) return offerConversations(context, "stop-one", { all, question: below.which.stop });
		const stopped = await context.stop(person, only?.room ?? room, { key, at });
		if (!stopped) return { text: commandTexts.stop.idle };
		return {
			text: only ? below.stopped({ title: linkedTitle(context, only) }) : commandTexts.stop.stopped,
		};
	},
};

export const messageCommands: readonly Command<RoomContext>[] = [ask, stop];

function quote(text: string): string {
	return text.replace(/^/gm, "> ");
}
