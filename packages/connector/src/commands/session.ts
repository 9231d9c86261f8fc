import { defined, definedItems, ParleyError } from "@parley/base";
import { oneLine, plainLine } from "../conversation/vocabulary/plain.ts";
import type { Room } from "../platform/inbound-event.ts";
import { backgroundOf, commandCode, commandList, runningPart } from "../presses/background.ts";
import { compactOne, conversationLines, infoOfOne, offerConversations } from "../presses/conversations.ts";
import type { ListedSession, RoomContext } from "../rooms/handler-context.ts";
import { conversationTexts } from "../texts/conversations.ts";
import type { Command, CommandOption } from "./command.ts";
import { noneHere } from "./none-here.ts";
import { isPublic, maxSuggestions, numberOf, textOf } from "./options.ts";
import { sessionExport } from "./session-export.ts";

const maxListed = 15;
const maxTitle = 200;

const title: CommandOption = {
	name: "title",
	description: conversationTexts.titleOption,
	type: "string",
	required: false,
	max: maxTitle,
};

const create: Command<RoomContext> = {
	name: "session new",
	description: conversationTexts.create.description,
	options: [title],
	async run(context, { event: { person, room, options }, key }) {
		const requested = textOf(options["title"]);
		await context.switchSession(person, room, { key, ...defined({ title: requested || undefined }) });
		const name = requested === "" ? "" : ` **${plainLine(requested, maxTitle)}**`;
		const back = context.platform.command("session switch", room);
		return { text: conversationTexts.create.done({ name, back }) };
	},
};

const turn: Command<RoomContext> = {
	name: "session switch",
	description: conversationTexts.switch.description,
	options: [
		{
			name: "session",
			type: "string",
			required: true,
			completes: true,
			max: 256,
			description: conversationTexts.switch.session,
		},
	],
	async run(context, { event: { person, room, options }, key }) {
		const requested = textOf(options["session"]);
		const listed = numberOf(requested);
		const sessions = await context.sessions(person, room);
		const chosen = await context.choices.stored(`${key}/object`, async () => {
			const shown = listed && context.lists.find("conversation", { person, room }, listed);
			const found = findSessions(sessions, shown || requested);
			return found.length === 1 ? found[0]?.session : undefined;
		});
		const found = sessions.find(({ session }) => session === chosen);
		if (found === undefined) {
			const list = context.platform.command("session list", room);
			const { unknown, ambiguous } = conversationTexts.switch;
			const text = findSessions(sessions, requested).length > 1 ? ambiguous : unknown;
			return { text: text({ name: plainLine(requested, 100), list }) };
		}
		await context.switchSession(person, room, { key, session: found.session });
		return { text: conversationTexts.switch.done({ name: nameOf(found) }) };
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
	description: conversationTexts.list.description,
	options: [],
	async run(context, handled) {
		const { person, room } = handled.event;
		const sessions = await context.sessions(person, room);
		const all = await context.conversations(person, room);
		const threads = all.filter((one) => one.room.thread !== undefined);
		if (sessions.length === 0 && threads.length === 0) return { text: conversationTexts.none };
		const listed = sessions.slice(0, maxListed);
		const ids = listed.map(({ session }) => session);
		context.lists.show("conversation", handled.event, { ids, isPublic: isPublic(handled) });
		const lines = listed.map((each, index) => {
			const { current, messages, usedAt } = each;
			const facts = [conversationTexts.messages({ count: messages }), context.platform.moment(usedAt)];
			return `${index + 1}. ${current ? "▸ " : ""}**${nameOf(each)}** · ${facts.join(" · ")}`;
		});
		const more = sessions.length - lines.length;
		const foot = more > 0 ? conversationTexts.list.more({ count: more }) : undefined;
		const here = definedItems([lines.join("\n"), foot]).join("\n\n");
		if (threads.length === 0) return { text: here };
		const below = conversationLines(context, threads.slice(0, maxListed));
		const parts = [here, conversationTexts.below.threads, below];
		return { text: parts.filter((part) => part !== "").join("\n\n") };
	},
};

const rename: Command<RoomContext> = {
	name: "session rename",
	description: conversationTexts.rename.description,
	options: [{ ...title, required: true }],
	async run(context, { event: { person, room, options }, key }) {
		const { session } = await context.sessionOf(person, room, key);
		const renamed = { session_id: session, title: textOf(options["title"]), key: `${key}/rename` };
		const { title: given } = await context.gateway.request("rename_session", {
			...renamed,
			...context.onBehalf(person, room),
		});
		return { text: conversationTexts.rename.done({ title: plainLine(given, maxTitle) }) };
	},
};

const fork: Command<RoomContext> = {
	name: "session fork",
	also: "fork",
	description: conversationTexts.fork.description,
	options: [
		{
			name: "at",
			description: conversationTexts.fork.at,
			type: "integer",
			required: false,
			min: -1_000_000,
			max: 1_000_000,
		},
	],
	async run(context, { event: { person, room, options }, key }) {
		const { fork: texts } = conversationTexts;
		const current = (await context.sessions(person, room)).find((each) => each.current);
		if (current === undefined) return { text: await noneHere(context, { person, room }, "session fork") };
		const { at } = options;
		if (at === 0) return { text: texts.place };
		const { session, title: from } = current;
		const requested = {
			session,
			title: from,
			key,
			...defined({ at: typeof at === "number" ? at : undefined }),
		};
		try {
			const { title: name, thread } = await context.fork(person, room, requested);
			if (thread) return { text: texts.inThread({ link: linkTo(context, thread) }) };
			const back = context.platform.command("session switch", room);
			return {
				text: texts.here({ title: name === "" ? conversationTexts.untitled : plainLine(name, 100), back }),
			};
		} catch (reason) {
			const { code } = ParleyError.from(reason);
			if (code === "already_exists") return { text: texts.occupied };
			// The rethrown error would be retried, and the retry would block later events of the room.
			if (code === "resource_exhausted") return { text: texts.noSpace };
			throw reason;
		}
	},
};

function linkTo({ platform }: RoomContext, { tenant, channel, thread }: Room): string {
	const link = platform.linkTo?.({ tenant, channel, ...defined({ thread }) });
	const { thread: name } = conversationTexts.fork;
	return link === undefined ? name : `[${name}](${link})`;
}

const compact: Command<RoomContext> = {
	name: "session compact",
	description: conversationTexts.compact.description,
	options: [],
	async run(context, { event, key }) {
		const { person, room } = event;
		const all = await context.conversations(person, room);
		if (all.length > 1) {
			const { compact: question } = conversationTexts.below.which;
			return offerConversations(context, "compact-one", { all, question });
		}
		// In a thread, the list of conversations is empty.
		const current = (await context.sessions(person, room)).find((each) => each.current);
		const only = all[0] ?? (current && { ...current, room });
		return only ? compactOne(context, { event, key }, only) : { text: conversationTexts.none };
	},
};

const info: Command<RoomContext> = {
	name: "session info",
	description: conversationTexts.info.description,
	options: [],
	async run(context, { event, key }) {
		const { person, room } = event;
		const all = await context.conversations(person, room);
		const [only] = all;
		if (all.length > 1) {
			return offerConversations(context, "info-one", { all, question: conversationTexts.below.which.info });
		}
		if (only && !only.current) return infoOfOne(context, { event, key }, only);
		const current = (await context.sessions(person, room)).find((each) => each.current);
		if (current === undefined) return { text: conversationTexts.none };
		const { messages, usedAt, session, model } = current;
		return {
			text: [
				`**${nameOf(current)}**`,
				conversationTexts.info.messages({
					count: messages,
					last: context.platform.moment(usedAt),
				}),
				conversationTexts.info.model({ model }),
				...(await runningPart(context, { person, room }, session)),
			].join("\n\n"),
		};
	},
};

const maxEnded = 5;

const background: Command<RoomContext> = {
	name: "session commands",
	description: conversationTexts.background.description,
	options: [
		{
			name: "stop",
			description: conversationTexts.background.stop,
			type: "integer",
			required: false,
			min: 1,
			max: 1_000_000,
		},
	],
	async run(context, { event: { person, room, options }, key }) {
		const { background: texts } = conversationTexts;
		const current = (await context.sessions(person, room)).find((each) => each.current);
		if (current === undefined) {
			return { text: await noneHere(context, { person, room }, "session commands") };
		}
		const { session } = current;
		const all = await backgroundOf(context, { person, room }, session);
		const number = options["stop"];
		if (typeof number !== "number") {
			const running = all.filter(({ state }) => state === "running");
			const ended = all.filter(({ state }) => state === "ended").slice(0, maxEnded);
			if (running.length + ended.length === 0) return { text: texts.none };
			const parts = [
				running.length === 0 ? texts.none : commandList(context, texts.running, running),
				ended.length === 0 ? undefined : commandList(context, texts.ended, ended),
			];
			return { text: definedItems(parts).join("\n\n") };
		}
		const found = all.find((one) => one.number === number);
		if (found === undefined) {
			return { text: texts.unknown({ number, list: context.platform.command("session commands", room) }) };
		}
		const stopping = { session_id: session, number, key: `${key}/stop`, ...context.onBehalf(person, room) };
		const { command } = await context.gateway.request("stop_command", stopping);
		const code = commandCode(command);
		const isOver = found.state === "ended" && command.reason !== "stopped";
		return { text: isOver ? texts.over({ command: code }) : texts.stopped({ command: code }) };
	},
};

export const sessionCommands: readonly Command<RoomContext>[] = [
	create,
	turn,
	list,
	rename,
	fork,
	sessionExport,
	compact,
	info,
	background,
];

function findSessions(sessions: readonly ListedSession[], requested: string): ListedSession[] {
	const words = requested.toLowerCase();
	return sessions.filter(
		({ session, title: name }) =>
			session === requested || idEnd(session) === words || name.toLowerCase() === words,
	);
}

function nameOf({ title: name }: ListedSession): string {
	return name === "" ? conversationTexts.untitled : plainLine(name, 100);
}

function labelOf({ title: name, messages, current }: ListedSession): string {
	const shown = name === "" ? conversationTexts.untitled : name;
	return `${shown} · ${conversationTexts.messages({ count: messages })}${current ? conversationTexts.switch.current : ""}`;
}

/** Returns the end of a session's id. Earlier versions used this end as the name of the conversation. */
function idEnd(session: string): string {
	return session.slice(-6);
}
