import { defined, definedItems } from "@parley/base";
import { oneLine, plain } from "../conversation/vocabulary/plain.ts";
import type { ListedSession, RoomContext } from "../rooms/handler-context.ts";
import type { Command, CommandOption } from "./command.ts";
import { maxSuggestions, textOf } from "./options.ts";

const maxListed = 15;
const maxTitle = 200;

const title: CommandOption = {
	name: "title",
	description: "What it is called",
	type: "string",
	required: false,
	max: maxTitle,
};

const create: Command<RoomContext> = {
	name: "session new",
	description: "Begin a fresh conversation here; the old one stays as it is",
	options: [title],
	async run(context, { event: { person, room, options }, key }) {
		const wanted = textOf(options["title"]);
		await context.switchSession(person, room, { key, ...defined({ title: wanted || undefined }) });
		const name = wanted === "" ? "" : ` **${plain(wanted, maxTitle)}**`;
		const back = context.platform.command("session switch", room);
		return { text: `A fresh conversation${name} begins here. \`${back}\` goes back to an older one.` };
	},
};

const turn: Command<RoomContext> = {
	name: "session switch",
	description: "Go on with another conversation of this channel",
	options: [
		{
			name: "session",
			type: "string",
			required: true,
			completes: true,
			max: 256,
			description: "Which one: its title, or the end of its id",
		},
	],
	async run(context, { event: { person, room, options }, key }) {
		const wanted = textOf(options["session"]);
		const found = findSession(await context.sessions(person, room), wanted);
		if (found === undefined) {
			const all = context.platform.command("session list", room);
			return { text: `No one conversation here is called “${plain(wanted, 100)}”: \`${all}\` shows them.` };
		}
		await context.switchSession(person, room, { key, session: found.session });
		return { text: `This channel goes on with **${nameOf(found)}**.` };
	},
	async complete(context, { typed, person, room }) {
		const words = typed.trim().toLowerCase();
		return (await context.sessions(person, room))
			.filter(({ title: name, session }) => `${name} ${session}`.toLowerCase().includes(words))
			.slice(0, maxSuggestions)
			.map((each) => ({ value: each.session, label: oneLine(labelOf(each), 90) }));
	},
};

const list: Command<RoomContext> = {
	name: "session list",
	description: "The conversations of this channel",
	options: [],
	async run(context, { event: { person, room } }) {
		const sessions = await context.sessions(person, room);
		if (sessions.length === 0)
			return { text: "There is no conversation here yet: write to me, and one begins." };
		const lines = sessions.slice(0, maxListed).map((each) => {
			const { current, messages, usedAt, session } = each;
			const facts = [
				`${messages} messages`,
				context.platform.moment(usedAt, "relative"),
				`\`${idEnd(session)}\``,
			];
			return `- ${current ? "▸ " : ""}**${nameOf(each)}** · ${facts.join(" · ")}`;
		});
		const more = sessions.length - lines.length;
		return { text: definedItems([...lines, more > 0 ? `- and ${more} older ones` : undefined]).join("\n") };
	},
};

const rename: Command<RoomContext> = {
	name: "session rename",
	description: "Give this channel's conversation another title",
	options: [{ ...title, required: true }],
	async run(context, { event: { person, room, options }, key }) {
		const { session } = await context.sessionOf(person, room, key);
		const renamed = { session_id: session, title: textOf(options["title"]), key: `${key}/rename` };
		const { title: given } = await context.gateway.request("rename_session", {
			...renamed,
			...context.onBehalf(person, room),
		});
		return { text: `This conversation is called **${plain(given, maxTitle)}** from now on.` };
	},
};

const info: Command<RoomContext> = {
	name: "session info",
	description: "What this channel talks to at the moment",
	options: [],
	async run(context, { event: { person, room } }) {
		const current = (await context.sessions(person, room)).find((each) => each.current);
		if (current === undefined)
			return { text: "There is no conversation here yet: write to me, and one begins." };
		const { messages, usedAt, session, model } = current;
		return {
			text: [
				`**${nameOf(current)}** · \`${idEnd(session)}\``,
				`${messages} messages, the last ${context.platform.moment(usedAt, "relative")}`,
				`Model: ${model === undefined ? "the gateway's choice" : `\`${model}\``}`,
			].join("\n\n"),
		};
	},
};

/** Commands for the conversations of a channel. */
export const sessionCommands: readonly Command<RoomContext>[] = [create, turn, list, rename, info];

function findSession(sessions: readonly ListedSession[], wanted: string): ListedSession | undefined {
	const words = wanted.toLowerCase();
	const found = sessions.filter(
		({ session, title: name }) =>
			session === wanted || idEnd(session) === words || name.toLowerCase() === words,
	);
	return found.length === 1 ? found[0] : undefined;
}

function nameOf({ title: name }: ListedSession): string {
	return name === "" ? "without a title" : plain(name, 100);
}

function labelOf({ title: name, session, current }: ListedSession): string {
	const shown = name === "" ? "without a title" : name;
	return `${shown} · ${idEnd(session)}${current ? " · at the moment" : ""}`;
}

/** The end of an id, which distinguishes the sessions of a channel. */
function idEnd(session: string): string {
	return session.slice(-6);
}
