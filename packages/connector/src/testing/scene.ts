import { deepEqual, equal, partialDeepStrictEqual } from "node:assert/strict";
import { defined } from "@parley/base";
import type { Address, InboundEventOf } from "../platform/inbound-event.ts";
import type { ScriptedSession } from "./scripted-session.ts";
import { Stage } from "./stage.ts";

/**
 * Scenes describe actions of people and of the gateway, and the visible results, as data.
 *
 *     await playScene([
 *       { says: "hello" },                        // Ada, in a direct message
 *       { gateway: { answers: "hi" } },           // ends the active run there
 *       { shows: ["hi"] },                        // exactly one post, which contains `hi`
 *     ]);
 *
 * A scene runs a real connector with its own database, a `ScriptedGateway` and a `FakePlatform`. The clock advances only with
 * `passes`, and by one second before each action of a person. Each step ends when all pending work is done.
 *
 * - `in` is the room: `dm` (the default), a channel such as `general`, or a thread of the bot such as `general/post 1`.
 *   `by` is the person, by default `ada`. All people are members, unless `roles` of the gateway says otherwise.
 * - The ids of messages are `m1`, `m2`, … in order, or the value of `as`. The ids of posts are `post 1`, `post 2`, … in order.
 * - `stops` presses the platform's own button for the active run of a room.
 * - `presses` presses the newest button with a label, or the button in the post that contains `at`. `chooses` selects options.
 * - `shows` expects exactly these posts in a room. Each post must contain the given text. Buttons are written as `[Label]`.
 *   `privately` expects the private answers since the last check, and `requested` expects the requests of one method so far.
 * - Other actions are code: `{ does: async (stage) => … }`.
 */

interface Where {
	readonly in?: string;
	readonly by?: string;
}

interface SentStep extends Where {
	readonly mentions?: "us" | "others" | "everyone";
	/** Id of the message or post that the message replies to. */
	readonly replyTo?: string;
	/** Names of attached files. `missing` cannot be read, `unserved` fails temporarily, and `endless` never ends. */
	readonly attaches?: readonly string[];
	readonly bot?: true;
	readonly forwards?: true;
}

type GatewayStep =
	| "goes away"
	| "comes back"
	| { readonly answers: string; readonly error?: string }
	/** The model writes a part of a reply. */
	| { readonly streams: string }
	/** The reply with this text ends, and tool calls follow. */
	| { readonly replies: string }
	| { readonly calls: string; readonly id: string; readonly input?: object }
	| { readonly returns: string; readonly failed?: true }
	| { readonly asks: Parameters<ScriptedSession["ask"]>[0] };

export type SceneStep =
	| (SentStep & { readonly says: string; readonly as?: string })
	| (SentStep & { readonly edits: string; readonly to: string })
	| (Where & { readonly deletes: string })
	| (Where & { readonly reacts: "stop" | "again" | "good" | "bad"; readonly to: string })
	| (Where & { readonly stops: true })
	| (Where & {
			readonly commands: string;
			readonly options?: Readonly<Record<string, string | number | boolean>>;
	  })
	| (Where & {
			readonly presses: string;
			readonly at?: string;
			readonly fields?: Readonly<Record<string, string>>;
			readonly chooses?: readonly string[];
	  })
	| { readonly gateway: GatewayStep; readonly of?: number }
	| { readonly passes: number }
	| { readonly restarts: true }
	| { readonly losesDatabase: true }
	/** The platform redelivers all earlier events. */
	| { readonly repeats: true }
	| (Where & { readonly shows: readonly string[] })
	| { readonly privately: readonly string[] }
	| { readonly requested: string; readonly times: number; readonly with?: object }
	| { readonly does: (stage: Stage) => Promise<void> | void };

/** Plays a scene on a stage, by default a new one, and returns the stage. */
export async function playScene(steps: readonly SceneStep[], stage?: Stage): Promise<Stage> {
	const own = stage ?? (await Stage.open());
	for (const step of steps) {
		await play(own, step);
		await own.quiet();
	}
	return own;
}

async function play(stage: Stage, step: SceneStep): Promise<void> {
	if ("says" in step || "edits" in step) return sendMessage(stage, step);
	if ("deletes" in step || "reacts" in step || "stops" in step) return mark(stage, step);
	if ("commands" in step || "presses" in step) return interact(stage, step);
	if ("gateway" in step) return runGatewayStep(stage, step.gateway, step.of);
	if ("passes" in step) return stage.pass(step.passes);
	if ("restarts" in step) return stage.restart();
	if ("losesDatabase" in step) return stage.loseDatabase();
	if ("repeats" in step) return stage.repeat();
	if ("does" in step) return step.does(stage);
	check(stage, step);
}

async function sendMessage(
	stage: Stage,
	step: Extract<SceneStep, { says: string } | { edits: string }>,
): Promise<void> {
	await stage.pass(1000);
	const { in: where, by, bot, attaches = [] } = step;
	const isEdit = "edits" in step;
	const message = isEdit ? step.edits : (step.as ?? stage.nextMessage());
	const at = stage.clock.now();
	const event: InboundEventOf<"message" | "edited"> = {
		type: isEdit ? "edited" : "message",
		message,
		text: isEdit ? step.to : step.says,
		at,
		room: stage.room(where, by),
		person: stage.person(by, bot),
		address: addressOf(step),
		attachments: attaches.map((name) => ({ id: name, name, size: 3, url: name })),
		ourThread: where?.includes("/") ?? false,
		...defined({ forwarded: step.forwards }),
	};
	for (const name of attaches)
		if (!["missing", "endless", "unserved"].includes(name))
			stage.platform.attachments.set(name, Buffer.from(name));
	await stage.arrive(event, `${event.type}:${message}${isEdit ? `:${at}` : ""}`);
}

function addressOf({ mentions, replyTo }: SentStep): Address {
	return {
		us: mentions === "us",
		others: mentions === "others",
		everyone: mentions === "everyone",
		...defined({
			reply: replyTo === undefined ? undefined : { message: replyTo, ours: replyTo.startsWith("post ") },
		}),
	};
}

async function mark(
	stage: Stage,
	step: Extract<SceneStep, { deletes: string } | { reacts: string } | { stops: true }>,
): Promise<void> {
	await stage.pass(1000);
	const room = stage.room(step.in, step.by);
	const at = stage.clock.now();
	if ("deletes" in step) {
		return stage.arrive({ type: "deleted", room, message: step.deletes, at }, `deleted:${step.deletes}`);
	}
	const person = stage.person(step.by);
	if ("stops" in step) return stage.arrive({ type: "stop", room, at, person }, `stop:${at}`);
	const { to: message, reacts: sign } = step;
	const reaction = { type: "reaction", room, message, at, sign, person } as const;
	return stage.arrive(reaction, `reaction:${message}:${sign}:${at}`);
}

async function interact(
	stage: Stage,
	step: Extract<SceneStep, { commands: string } | { presses: string }>,
): Promise<void> {
	await stage.pass(1000);
	const { id, ticket } = stage.nextInteraction();
	const happened = {
		room: stage.room(step.in, step.by),
		person: stage.person(step.by),
		at: stage.clock.now(),
	};
	if ("commands" in step) {
		const { commands: command, options = {} } = step;
		const event = { type: "command" as const, ...happened, ticket, command, attachments: [] };
		return stage.arrive({ ...event, options: { ...options } }, id);
	}
	const { id: control, message } = stage.control(step.presses, step.at);
	const { fields = {}, chooses = [] } = step;
	const event = { type: "press" as const, ...happened, ticket, control, message };
	return stage.arrive({ ...event, fields: { ...fields }, values: [...chooses] }, id);
}

function runGatewayStep({ gateway }: Stage, step: GatewayStep, of: number | undefined): void {
	if (step === "goes away" || step === "comes back") {
		gateway.away = step === "goes away";
		return;
	}
	const session = of === undefined ? gateway.newest : gateway.sessions[of - 1];
	if (!session) throw new Error(`there is no session ${of}`);
	if ("asks" in step) session.ask(step.asks);
	else if ("streams" in step) session.stream(step.streams);
	else if ("replies" in step) session.endReply(step.replies);
	else if ("calls" in step) {
		const { calls: name, id: call_id, input = {} } = step;
		session.record("tool.call", { name, call_id, status: "started", arguments: input });
	} else if ("returns" in step) {
		const call = { name: "", call_id: step.returns };
		session.record(
			"tool.call",
			step.failed ? { ...call, status: "failed", error: "no" } : { ...call, status: "completed", result: "" },
		);
	} else if (!session.end({ content: step.answers, ...defined({ error: step.error || undefined }) })) {
		throw new Error("no run is at work there");
	}
}

function check(
	stage: Stage,
	step: Extract<SceneStep, { shows: unknown } | { privately: unknown } | { requested: string }>,
): void {
	if ("requested" in step) {
		const matching = stage.gateway.requests
			.filter(({ method }) => method === step.requested)
			.map(({ params }) => params);
		equal(
			matching.length,
			step.times,
			`${step.requested} was asked ${matching.length} times: ${JSON.stringify(matching)}`,
		);
		if (step.with) partialDeepStrictEqual(matching.at(-1), step.with);
		return;
	}
	const expected = "shows" in step ? step.shows : step.privately;
	const seen = "shows" in step ? stage.posts(stage.room(step.in, step.by)) : stage.privately();
	const fits =
		seen.length === expected.length && expected.every((words, index) => seen[index]?.includes(words));
	if (!fits) deepEqual(seen, expected);
}
