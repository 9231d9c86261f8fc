import { isNotesText } from "../../text/notes-text.ts";
import type { CallBlock, Message, ResultBlock } from "../../vocabulary/message.ts";
import type { ModelRequest } from "../../vocabulary/model.ts";
import { withoutAttribution } from "../../vocabulary/transcript.ts";
import { type OfflineCommand, parseCommands } from "./grammar.ts";
import { asksForVerdict, offlineVerdict } from "./offline-verdict.ts";
import { inShortNames } from "./short-names.ts";

const greeting =
	"Hello! I am the offline model: no language model, but a small built-in assistant that carries out written " +
	"commands. Try `run: echo hi` or `ask: What is your name?`; `parley help offline` lists them all.";

/** Whoever reads must see at once that no language model speaks. */
const LABEL = "[offline] ";

const MAX_QUOTE = 200;

/**
 * What the next reply consists of. Everything is computed from the request: the commands stand in the latest user
 * message, and the replies with calls after it tell how many of them are done.
 */
export function nextReply(request: ModelRequest): OfflineCommand[] {
	if (asksForVerdict(request)) {
		return spaced([say(JSON.stringify(offlineVerdict(textOf(request.messages[0]))))]);
	}
	if (request.tools.length === 0) return spaced([say(summary(request.messages))]);
	const latest = request.messages.findLastIndex(({ role }) => role === "user");
	const asked = parseCommands(withoutAttribution(textOf(request.messages[latest])));
	const commands = asked.map((command) => inShortNames(command, request.tools));
	const { turns, calls, results } = progress(request.messages.slice(latest + 1));
	const reply = [...repeatResults(calls, results), ...(planReplies(commands)[turns] ?? [])];
	if (commands.length === 0) reply.push(say(greeting));
	else if (reply.every(({ kind }) => kind === "think")) reply.push(say("Done."));
	return spaced(reply);
}

/** Begins the text of a reply with the label, and puts an empty line between what is said one after the other. */
function spaced(commands: readonly OfflineCommand[]): OfflineCommand[] {
	const leads = { say: LABEL, think: "" };
	const reply: OfflineCommand[] = [];
	for (const command of commands) {
		if (command.kind !== "call" && command.kind !== "fail") {
			const kind = command.kind === "think" ? "think" : "say";
			reply.push({ kind, text: leads[kind] });
			leads[kind] = "\n\n";
		}
		reply.push(command);
	}
	return reply;
}

/** Groups commands into replies: each but the last ends with a call, and the last one ends the run. */
export function planReplies(commands: readonly OfflineCommand[]): OfflineCommand[][] {
	const replies: OfflineCommand[][] = [];
	let open: OfflineCommand[] = [];
	for (const command of commands) {
		open.push(command);
		if (command.kind !== "call") continue;
		const before = command.together ? replies.at(-1) : undefined;
		if (before === undefined) replies.push(open);
		else before.push(...open);
		open = [];
	}
	return [...replies, open];
}

interface Progress {
	/** Replies with calls since the latest user message. */
	readonly turns: number;
	/** The calls of the last of them. */
	readonly calls: readonly CallBlock[];
	readonly results: readonly ResultBlock[];
}

function progress(messages: readonly Message[]): Progress {
	const turns = messages
		.map(({ content }) => content.filter((block) => block.type === "call"))
		.filter((calls) => calls.length > 0);
	const results = messages.flatMap(({ content }) => content.filter((block) => block.type === "result"));
	return { turns: turns.length, calls: turns.at(-1) ?? [], results };
}

function repeatResults(calls: readonly CallBlock[], results: readonly ResultBlock[]): OfflineCommand[] {
	return calls.flatMap((call) => {
		const result = results.find(({ callId }) => callId === call.id);
		return result === undefined ? [] : [say(repeatResult(call.name, result))];
	});
}

function repeatResult(name: string, { text, failed, pictures = [] }: ResultBlock): string {
	const unseen = pictures.map(() => "[a picture, which the offline model cannot see]");
	const body = [text.trimEnd(), ...unseen].join("\n");
	if (failed) return `${name} failed:\n${body}`;
	return body === "" ? `${name} returned nothing.` : `${name} returned:\n${body}`;
}

/** One line, so that a summary which becomes part of a message holds no command. */
function summary(messages: readonly Message[]): string {
	const first = textOf(messages.find(({ role }) => role === "user"));
	return `A conversation of ${messages.length} messages that began with: "${quote(first)}"`;
}

function quote(text: string): string {
	const line = text.replace(/\s+/g, " ").trim();
	const characters = Array.from(line.slice(0, 2 * MAX_QUOTE));
	const whole = line.length <= 2 * MAX_QUOTE && characters.length <= MAX_QUOTE;
	return whole ? line : `${characters.slice(0, MAX_QUOTE).join("")}…`;
}

function textOf(message: Message | undefined): string {
	if (message === undefined) return "";
	return message.content
		.filter((block) => block.type === "text")
		.map(({ text }) => text)
		.filter((text) => !isNotesText(text))
		.join("\n");
}

function say(text: string): OfflineCommand {
	return { kind: "say", text };
}
