import { defined, definedItems, ParleyError } from "@parley/base";
import type { MethodResult } from "@parley/protocol";
import { plain } from "../conversation/vocabulary/plain.ts";
import type { Room } from "../platform/inbound-event.ts";
import { reasons } from "../platform/is-for-us.ts";
import type { RoomContext } from "../rooms/handler-context.ts";
import { effects } from "../rooms/message-records.ts";
import { refusalText } from "../rooms/refusal.ts";
import type { Command, CommandShape } from "./command.ts";
import { maxSuggestions, textOf } from "./options.ts";

const dollars = new Intl.NumberFormat("en", { style: "currency", currency: "USD", maximumFractionDigits: 4 });
const whole = new Intl.NumberFormat("en");

const model: Command<RoomContext> = {
	name: "model",
	description: "Who answers in this channel's conversation, and to choose another one",
	options: [
		{
			name: "name",
			type: "string",
			required: false,
			completes: true,
			max: 200,
			description: "A model, or a tier such as fast, standard or max",
		},
	],
	async run(context, { event: { person, room, options }, key }) {
		const wanted = textOf(options["name"]);
		if (wanted === "") return { text: await modelsOf(context, person, room) };
		const { session } = await context.sessionOf(person, room, key);
		const chosen = { model: wanted, key: `${key}/model`, ...context.onBehalf(person, room) };
		const { model: name } = await context.gateway.request("set_model", chosen, { sessionId: session });
		return { text: `From the next message on \`${name}\` answers here.` };
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
	description: "What this channel's conversation has used, and what it may spend",
	options: [],
	async run(context, { event: { person, room } }) {
		const current = (await context.sessions(person, room)).find((each) => each.current);
		if (current === undefined) return { text: "There is no conversation here yet, and nothing was used." };
		const params = { session_id: current.session, by: "model" as const, ...context.onBehalf(person, room) };
		return { text: usageText(await context.gateway.request("usage", params)) };
	},
};

const pair: Command<RoomContext> = {
	name: "pair",
	description: "Get access: with the operator's code, or request it without one",
	options: [
		{
			name: "code",
			description: "The operator's code, if you have one",
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
			// Strangers are referred to this command after a refusal of any other one.
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
	const { platform } = context;
	if (paired.status === "requested") {
		const until = platform.moment(Date.parse(paired.expires_at), "relative");
		const command = platform.command("pair", room);
		return `Your code is \`${paired.code}\`. Send it to the operator, who approves it with \`parley people approve ${paired.code}\`; it expires ${until}. If the operator gave you a code, use \`${command} CODE\`.`;
	}
	const help = platform.command("help", room);
	if (code === "") return `You already have access here: you are ${paired.role}. See \`${help}\`.`;
	return `Welcome! You are ${paired.role} here. Write to me, or see \`${help}\`.`;
}

const whoami: Command<RoomContext> = {
	name: "whoami",
	description: "Who you are to the gateway, and what you may do here",
	options: [],
	async run(context, { event: { person, room } }) {
		const self = await context.whoami(person, room);
		const { role = "stranger", may, hint, place } = self;
		const lines = definedItems([
			`You are ${context.platform.person(person.id)}, to the gateway \`${self.person ?? self.principal}\`: **${role}**.`,
			may.length === 0
				? "You may do nothing here yet."
				: `You may: ${may.map((each) => `\`${each}\``).join(", ")}.`,
			hint === undefined ? undefined : plain(hint, 500),
			place === undefined ? undefined : placeText(place),
		]);
		return { text: lines.join("\n\n") };
	},
};

const why: Command<RoomContext> = {
	name: "why",
	description: "What I made of a message, and why",
	options: [
		{
			name: "message",
			type: "string",
			required: false,
			max: 256,
			description: "Its link or its id; your last one where you name none",
		},
	],
	async run(context, { event: { person, room, options, target } }) {
		const text = textOf(options["message"]).trim();
		const named = text === "" ? target?.message : messageNamed(context, text, room);
		const heard = await context.messageRecord(room, {
			person: person.id,
			...defined({
				message: named,
				ending: named === undefined ? undefined : context.platform.messageEnding?.(text),
			}),
		});
		if (heard === undefined)
			return { text: "I know nothing of that message: I remember the last seven days." };
		const { reason, effect, at, session, run } = heard;
		const first = `${context.platform.moment(at, "exact")}: ${reasons[reason]}; ${effects[effect]}.`;
		if (session === undefined || run === undefined) return { text: first };
		const params = { session_id: session, run_id: run, ...context.onBehalf(person, room) };
		try {
			const explanation = await context.gateway.request("explain", params);
			return { text: [first, ...explained(explanation)].join("\n\n") };
		} catch (reason) {
			// The session belongs to another channel, whose members alone may see its calls.
			if (ParleyError.from(reason).code !== "not_found") throw reason;
			return { text: `${first}\n\nAsk in the channel of the message for its tool calls.` };
		}
	},
};

function messageNamed({ platform }: RoomContext, text: string, room: Room): string | undefined {
	return platform.messageNamed ? platform.messageNamed(text, room) : text.match(/[^/\s]+/g)?.at(-1);
}

/**
 * Descriptions of groups of commands, by their first word. One line for each command would not fit into one post of
 * Discord.
 */
const groups: ReadonlyMap<string, string> = new Map([
	["task", "Work in the background"],
	["session", "Conversations of this channel"],
	["trust", "Let tools run in this channel without approval"],
	["schedule", "Messages to me at given times"],
]);

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

/** All commands and the ways to address the agent, in one answer. */
export function helpCommand(table: () => readonly CommandShape[]): Command<RoomContext> {
	return {
		name: "help",
		description: "What I understand",
		options: [],
		async run({ platform }, { event: { room } }) {
			const lines = [...Map.groupBy(table(), ({ name }) => name.split(" ")[0] ?? "")].flatMap(
				([word, commands]) => helpLines(groups.get(word), commands, (name) => platform.command(name, room)),
			);
			const intro =
				"Write to me in a direct message, mention me in a channel, or go on in a thread of mine. `stop` alone stops me, and so does ❌ at your message; 🔁 answers once more. After my name every command also works as a text: `!session list`.";
			const { aboutCommands = "" } = platform;
			return { text: `${`${intro} ${aboutCommands}`.trim()}\n\n${lines.join("\n")}` };
		},
	};
}

/** Commands about the model, costs, access and the handling of messages. */
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
				`- \`${name}\`${tier === undefined ? "" : ` · ${tier}`}${name === current ? " · answers here" : ""}`,
		);
	const choose = context.platform.command("model", room);
	return `\`${current}\` answers here. \`${choose}\` with a name chooses another one:\n\n${lines.join("\n")}`;
}

function usageText({ rows, total, budgets }: MethodResult<"usage">): string {
	const of = ({ tokens_input, tokens_output, cost_usd }: typeof total): string =>
		`${whole.format(tokens_input)} tokens in, ${whole.format(tokens_output)} out, ${dollars.format(cost_usd)}`;
	const lines = rows.map((row) => `- \`${row.model ?? "?"}\`: ${of(row)}`);
	const limits = budgets.flatMap(({ scope, period, spent_usd, limit_usd }) =>
		limit_usd === null
			? []
			: [
					`- ${scope === "session" ? "this conversation" : "the gateway"}: ${dollars.format(spent_usd)} of ${dollars.format(limit_usd)} a ${period}`,
				],
	);
	return definedItems([
		`This conversation: ${of(total)}, ${whole.format(total.calls)} calls of models.`,
		lines.length > 1 ? lines.join("\n") : undefined,
		limits.length > 0 ? `Budgets:\n\n${limits.join("\n")}` : undefined,
	]).join("\n\n");
}

function placeText({ mention, sessions, agent }: NonNullable<MethodResult<"whoami">["place"]>): string {
	const when = mention === "always" ? "everything said here is for me" : "I answer here when I am named";
	const whose =
		sessions === "person" ? "each person has a conversation of their own" : "all share a conversation";
	return `In this channel: ${when}; ${whose}${agent === undefined ? "" : `; agent \`${agent}\``}.`;
}

function explained({ state, calls, models, said, files }: MethodResult<"explain">): string[] {
	const states = {
		queued: "It waits for its turn.",
		active: "I am at work on it.",
		ended: "I have answered it.",
	};
	const used = calls.map(({ name, decision, reason, by }) => {
		const who = by === undefined ? "" : ` by ${plain(by, 100)}`;
		return `- \`${name}\` was ${decision}${who}: ${plain(reason, 200)}`;
	});
	const by = models.map(({ model: name }) => `\`${name}\``).join(", ");
	return definedItems([
		states[state],
		by === "" ? undefined : `Model: ${by}`,
		used.length === 0 ? undefined : used.slice(0, 20).join("\n"),
		said !== undefined && said.error !== "" ? `It ended with: ${plain(said.error, 300)}` : undefined,
		files.length === 0 ? undefined : `Files: ${files.map(({ name }) => `\`${name}\``).join(", ")}`,
	]);
}
