import { defined, definedItems, ParleyError } from "@parley/base";
import type { MethodResult } from "@parley/protocol";
import { actingPerson, plainLine } from "../conversation/vocabulary/plain.ts";
import { plainWithPeople } from "../conversation/vocabulary/without-ids.ts";
import type { PlatformWords } from "../platform/chat-platform.ts";
import type { Room } from "../platform/inbound-event.ts";
import { chooseModel, offerConversations, usageOfOne } from "../presses/conversations.ts";
import { usageOf } from "../presses/usage.ts";
import type { RoomContext } from "../rooms/handler-context.ts";
import { refusalText } from "../rooms/refusal.ts";
import { accessTexts } from "../texts/access.ts";
import { commandTexts } from "../texts/commands.ts";
import { contextTexts } from "../texts/context.ts";
import { conversationTexts } from "../texts/conversations.ts";
import { messageTexts } from "../texts/messages.ts";
import type { Command, CommandShape } from "./command.ts";
import { maxSuggestions, textOf } from "./options.ts";

const { below: belowTexts } = conversationTexts;

const model: Command<RoomContext> = {
	name: "model",
	description: commandTexts.model.description,
	options: [
		{
			name: "name",
			type: "string",
			required: false,
			completes: true,
			max: 200,
			description: commandTexts.model.name,
		},
	],
	async run(context, { event, key }) {
		const { person, room, options } = event;
		const requested = textOf(options["name"]);
		if (requested === "") return { text: await modelsOf(context, person, room) };
		const all = await context.conversations(person, room);
		const [only] = all;
		if (all.length > 1) {
			const question = belowTexts.which.model({ model: plainLine(requested, 100) });
			return offerConversations(context, "model-one", { all, subject: requested, question });
		}
		if (only && !only.current) return chooseModel(context, { event, key }, only, requested);
		const { session } = await context.sessionOf(person, room, key);
		const chosen = { model: requested, key: `${key}/model`, ...context.onBehalf(person, room) };
		const { model: name } = await context.gateway.request("set_model", chosen, { sessionId: session });
		return { text: commandTexts.model.chosen({ model: name }) };
	},
	async complete(context, { typed }) {
		const { models } = await context.gateway.request("list_models", {});
		const words = typed.trim().toLowerCase();
		return models
			.map(({ name, tier }) => ({ value: name, label: tier === undefined ? name : `${name} · ${tier}` }))
			.filter(({ label }) => label.toLowerCase().includes(words))
			.slice(0, maxSuggestions);
	},
};

const usage: Command<RoomContext> = {
	name: "usage",
	description: commandTexts.usage.description,
	options: [],
	async run(context, { event, key }) {
		const { person, room } = event;
		const all = await context.conversations(person, room);
		const [only] = all;
		if (all.length > 1) {
			return offerConversations(context, "usage-one", { all, question: belowTexts.which.usage });
		}
		if (only && !only.current) return usageOfOne(context, { event, key }, only);
		const current = (await context.sessions(person, room)).find((each) => each.current);
		if (current === undefined) return { text: commandTexts.usage.none };
		return { text: await usageOf(context, event, current.session) };
	},
};

const pair: Command<RoomContext> = {
	name: "pair",
	description: accessTexts.pair.description,
	options: [
		{
			name: "code",
			description: accessTexts.pair.code,
			type: "string",
			required: false,
			max: 64,
		},
	],
	async run(context, { event: { person, room, options }, key }) {
		const code = textOf(options["code"]);
		const params = {
			key,
			...defined({ code: code || undefined }),
			...context.onBehalf(person, room),
		};
		try {
			return { text: pairedText(await context.gateway.request("pair", params), { code, context, room }) };
		} catch (reason) {
			// The general answer to `permission_denied` advises a person without access to use this command, which
			// has just failed.
			const { code: failure, message } = ParleyError.from(reason);
			if (failure !== "permission_denied" && failure !== "resource_exhausted") throw reason;
			return { text: refusalText(message, { person, room }, context.platform) };
		}
	},
};

function pairedText(
	paired: MethodResult<"pair">,
	{ code, context, room }: { readonly code: string; readonly context: RoomContext; readonly room: Room },
): string {
	const { platform, clock } = context;
	if (paired.status === "requested") {
		const expires = platform.moment(Date.parse(paired.expires_at), clock.now());
		return accessTexts.pair.requested({
			code: paired.code,
			expires,
			command: platform.command("pair", room),
		});
	}
	const help = platform.command("help", room);
	const { role } = paired;
	return code === "" ? accessTexts.pair.known({ role, help }) : accessTexts.pair.welcome({ role, help });
}

const whoami: Command<RoomContext> = {
	name: "whoami",
	description: accessTexts.whoami.description,
	options: [],
	async run(context, { event: { person, room } }) {
		const { role = "stranger", may, hint, place } = await context.whoami(person, room);
		const { whoami: texts } = accessTexts;
		const rights = [...texts.right].flatMap(([action, words]) => (may.includes(action) ? [words] : []));
		const lines = definedItems([
			texts.role({ person: context.platform.person(person.id), role }),
			rights.length === 0 ? texts.noRights : texts.rights({ rights: rights.join(", ") }),
			hint === undefined ? undefined : plainLine(hint, 500),
			place === undefined ? undefined : placeText(place),
		]);
		return { text: lines.join("\n\n") };
	},
};

const why: Command<RoomContext> = {
	name: "why",
	description: messageTexts.why.description,
	options: [
		{
			name: "message",
			type: "string",
			required: false,
			max: 256,
			description: messageTexts.why.message,
		},
	],
	async run(context, { event: { person, room, options, target } }) {
		const text = textOf(options["message"]).trim();
		const named = text === "" ? target?.message : messageNamed(context, text, room);
		const record = await context.messageRecord(room, {
			person: person.id,
			...defined({
				message: named,
				ending: named === undefined ? undefined : context.platform.messageEnding?.(text),
			}),
		});
		const { why: texts, reasons, effects } = messageTexts;
		if (record === undefined) return { text: texts.unknown };
		const { session, run } = record;
		const first = texts.text({
			at: context.platform.moment(record.at),
			reason: reasons[record.reason],
			effect: effects[record.effect],
		});
		if (session === undefined || run === undefined) return { text: first };
		const params = { session_id: session, run_id: run, ...context.onBehalf(person, room) };
		try {
			const explanation = await context.gateway.request("explain", params);
			return { text: [first, ...explained(explanation, context.platform)].join("\n\n") };
		} catch (reason) {
			// The gateway reports `not_found` if the person may not read the session from this room.
			if (ParleyError.from(reason).code !== "not_found") throw reason;
			return { text: `${first}\n\n${texts.askThere}` };
		}
	},
};

function messageNamed({ platform }: RoomContext, text: string, room: Room): string | undefined {
	return platform.messageNamed ? platform.messageNamed(text, room) : text.match(/[^/\s]+/g)?.at(-1);
}

function helpLines(
	about: string | undefined,
	commands: readonly CommandShape[],
	written: (name: string) => string,
): string[] {
	const [first, ...others] = commands;
	if (!first || about === undefined) {
		return commands.map(({ name, description }) => `- \`${written(name)}\` ${description}`);
	}
	const rest = others.map(({ name }) => `\`${name.split(" ")[1]}\``);
	return [`- ${[`\`${written(first.name)}\``, ...rest].join(", ")}: ${about}`];
}

/** Creates the command that lists all commands and the ways to address the agent. */
export function helpCommand(table: () => readonly CommandShape[]): Command<RoomContext> {
	return {
		name: "help",
		description: commandTexts.help.description,
		options: [],
		async run({ platform }, { event: { room } }) {
			const { intro, groups } = commandTexts.help;
			const lines = [...Map.groupBy(table(), ({ name }) => name.split(" ")[0] ?? "")].flatMap(
				([word, commands]) => helpLines(groups.get(word), commands, (name) => platform.command(name, room)),
			);

			const { aboutCommands = "" } = platform;
			return { text: `${`${intro} ${aboutCommands}`.trim()}\n\n${lines.join("\n")}` };
		},
	};
}

export const aboutCommands: readonly Command<RoomContext>[] = [model, usage, pair, whoami, why];

async function modelsOf(
	context: RoomContext,
	...[person, room]: Parameters<RoomContext["sessions"]>
): Promise<string> {
	const { models, default: usual } = await context.gateway.request("list_models", {});
	const current = (await context.sessions(person, room)).find((each) => each.current)?.model ?? usual;
	const lines = models
		.slice(0, maxSuggestions)
		.map(
			({ name, tier }) =>
				`- \`${name}\`${tier === undefined ? "" : ` · ${tier}`}${name === current ? commandTexts.model.current : ""}`,
		);
	const command = context.platform.command("model", room);
	return commandTexts.model.list({ model: current, command, models: lines.join("\n") });
}

function placeText({ mention, sessions, agent }: NonNullable<MethodResult<"whoami">["place"]>): string {
	return accessTexts.whoami.channel({
		always: mention === "always",
		shared: sessions !== "person",
		agent,
	});
}

function explained(
	{ state, calls, models, said: answer, files, read }: MethodResult<"explain">,
	platform: PlatformWords,
): string[] {
	const { why: texts } = messageTexts;
	const used = calls.map(({ name: tool, decision, reason, by }) =>
		texts.call({
			tool,
			decision,
			by: by === undefined ? undefined : actingPerson(by, platform),
			reason: plainWithPeople(reason, 200, platform),
		}),
	);
	const by = models.map(({ model: name }) => `\`${name}\``).join(", ");
	const fileNames = files.map(({ name }) => `\`${name}\``).join(", ");
	const error = answer?.error ?? "";
	const isStopped = error === "cancelled";
	return definedItems([
		isStopped ? texts.stopped : texts.states[state],
		read === undefined ? undefined : readWords(read, platform),
		by === "" ? undefined : texts.models({ models: by }),
		used.length === 0 ? undefined : used.slice(0, 20).join("\n"),
		error === "" || isStopped ? undefined : texts.error({ error: plainWithPeople(error, 300, platform) }),
		fileNames === "" ? undefined : texts.files({ files: fileNames }),
	]);
}

type Read = NonNullable<MethodResult<"explain">["read"]>;

const maxAuthors = 10;
const maxFiles = 20;

function readWords(read: Read, platform: PlatformWords): string {
	const { why: texts } = contextTexts;
	const { messages, authors, oldest, newest, files, has_older: hasOlder, problem } = read;
	const names = authors.slice(0, maxAuthors).map(authorWords);
	const others = authors.length - names.length;
	const time = (at: string | undefined): string => (at === undefined ? "" : platform.moment(Date.parse(at)));
	const summary = {
		messages,
		authors: definedItems([...names, others > 0 ? texts.more({ others }) : undefined]).join(", "),
		times: texts.at({ from: time(oldest), to: time(newest) }),
	};
	const listed = files.slice(0, maxFiles).map((name) => `\`${plainLine(name, 100)}\``);
	return definedItems([
		messages === 0 ? undefined : texts.read(summary),
		listed.length === 0 ? undefined : texts.files({ files: listed.join(", ") }),
		hasOlder ? texts.hasOlder : undefined,
		problem === "unavailable" ? texts.unavailable : undefined,
		problem === "not_allowed" ? texts.notAllowed : undefined,
	]).join("\n");
}

function authorWords({ name, messages, is }: Read["authors"][number]): string {
	const { why: texts } = contextTexts;
	const shown = is === "self" ? texts.me : plainLine(name, 80);
	return `${texts.author({ name: shown, messages })}${is === "other" ? texts.notMember : ""}`;
}
