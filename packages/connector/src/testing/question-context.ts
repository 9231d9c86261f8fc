import { ParleyError, silentLogger } from "@parley/base";
import { ManualClock } from "@parley/base/testing";
import type { OzzieEvent, TaskPayload } from "@parley/protocol";
import { type ConversationState, emptyConversation } from "../conversation/conversation.ts";
import type { InboundEventOf, Person, Room } from "../platform/inbound-event.ts";
import type { CardLink } from "../platform/posting.ts";
import { pressesOfEdits } from "../presses/edit-call.ts";
import { pressesOfQuestions, readText, sendTypedAnswer } from "../presses/questions.ts";
import type { HandledEvent, HandlerContext, Reply } from "../rooms/handler-context.ts";
import { onBehalf } from "../rooms/on-behalf.ts";
import { ShownLists } from "../rooms/shown-lists.ts";
import type { RoomSession } from "../subscription/session-subscription.ts";
import { markdownDialect } from "../text/markdown-dialect.ts";
import { chatScene } from "./chat-scene.ts";
import { play, session, token } from "./question-scene.ts";
import { type ScriptedAnswers, ScriptedRequests } from "./scripted-requests.ts";
import { ScriptedSurface } from "./scripted-surface.ts";

export const ada: Person = { id: "42", name: "Ada", roles: [], guest: false, bot: false };
export const general: Room = { tenant: "1", channel: "2", shared: false, kind: "channel" };

export const behalf = onBehalf(ada, general);

export interface PressInput {
	readonly values?: string[];
	readonly fields?: Record<string, string>;
}
const presses = { ...pressesOfQuestions, ...pressesOfEdits };
export type QuestionPress = keyof typeof presses;

/** A person in a room with a question, and a gateway that records the answer. */
export class QuestionContext {
	events: readonly OzzieEvent[];
	readonly gateway: ScriptedRequests;
	readonly context: HandlerContext;

	constructor(events: readonly OzzieEvent[], answers: ScriptedAnswers) {
		this.events = events;
		const { context, gateway } = scriptedContext(answers);
		this.gateway = gateway;
		this.context = { ...context, session: (id) => (id === session ? this.#session() : undefined) };
	}

	press(kind: QuestionPress, what: PressInput = {}, subject = token): Promise<Reply | undefined> {
		const event: Omit<InboundEventOf<"press">, "ticket"> = {
			type: "press",
			control: "",
			values: [],
			fields: {},
			room: general,
			person: ada,
			at: 0,
			...what,
		};
		return presses[kind](this.context, { event, key: "key" }, { kind, session, subject });
	}

	async says(text: string): Promise<Reply | undefined> {
		const answering = { person: ada, room: general, key: "key", token, session };
		const read = readText(this.context, answering, text);
		if ("reply" in read) return read.reply;
		const given = await sendTypedAnswer(this.context, read.answering, read.response);
		return given.type === "refused" ? given.reply : undefined;
	}

	#session(): RoomSession {
		return { session, room: general, state: { ...emptyConversation, questions: play(this.events).slice } };
	}
}

/** Returns a context with a scripted gateway. In this context, all rooms have the same session. */
export function scriptedContext(
	answers: ScriptedAnswers,
	state: Partial<ConversationState> = {},
): { readonly context: HandlerContext; readonly gateway: ScriptedRequests } {
	const gateway = new ScriptedRequests(answers);
	const { session, controls } = chatScene;
	const room = { session, room: general, state: { ...emptyConversation, ...state } };
	const platform = {
		...chatScene.platform,
		name: "discord",
		dialect: markdownDialect,
		surface: new ScriptedSurface(),
		conversation: ({ channel }: Room) => channel,
		linkTo: ({ tenant, channel }: CardLink["room"]) => `https://chat.example/${tenant}/${channel}`,
		postedAt: () => 0,
		read: () => Promise.reject(new ParleyError("there are no attachments", { code: "not_found" })),
	};
	const clock = new ManualClock();
	const context: HandlerContext = {
		gateway,
		controls,
		platform,
		clock,
		log: silentLogger,
		lists: new ShownLists(clock),
		choices: { stored: (_, choose) => choose() },
		onBehalf,
		sessionOf: async () => room,
		follow: async () => room,
		conversations: async () => [],
		session: (id) => (id === session ? room : undefined),
		roomOf: async (id) => (id === session ? room.room : undefined),
		switchSession: async () => room,
		editedText: async () => undefined,
	};
	return { context, gateway };
}

export function commanded(
	command: string,
	options: HandledEvent<"command">["event"]["options"] = {},
): HandledEvent<"command"> {
	const event = { type: "command" as const, room: general, person: ada, at: 0, command, options };
	return { event: { ...event, attachments: [] }, key: "key" };
}

export function pressed(fields: Readonly<Record<string, string>> = {}): HandledEvent<"press"> {
	const event = { type: "press" as const, room: general, person: ada, at: 0, control: "", values: [] };
	return { event: { ...event, fields }, key: "key" };
}

const task: TaskPayload = {
	id: "task_01234567890123456789aaaaaa",
	title: "Tidy *up*",
	status: "running",
	progress: { current_step: 1, total_steps: 3, current_step_label: "split", percentage: 33 },
	description: "Split *it*",
	session_id: chatScene.session,
	conversation: "sess_2",
	parent_id: "",
	priority: "normal",
	tools: [],
	agent: "default",
	autonomy: "supervised",
	depends_on: [],
	owner: "discord:1:42",
	suspend_count: 0,
	retry_count: 0,
	output: "",
	error: "",
	created_at: "1970-01-01T00:00:01.000Z",
	updated_at: "1970-01-01T00:00:09.000Z",
	started_at: "1970-01-01T00:00:05.000Z",
	usage: {
		tokens_input: 1200,
		tokens_output: 34,
		tokens_cache_read: 0,
		tokens_cache_write: 0,
		cost_usd: 0.0421,
	},
};

export function taskPayload(changes: Partial<TaskPayload> = {}): TaskPayload {
	return { ...task, ...changes };
}

/** Returns the error with which the gateway refuses a request that does not fit the state of a task. */
export function unfit(): ParleyError {
	return new ParleyError("not available: task is running", { code: "unimplemented" });
}
