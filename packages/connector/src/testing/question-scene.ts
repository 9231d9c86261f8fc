import { defined, definedItems } from "@parley/base";
import type { EventPayloads, OzzieEvent } from "@parley/protocol";
import { type QuestionsSlice, questions } from "../conversation/questions/questions.ts";
import type { Scene } from "../conversation/vocabulary/reducer.ts";
import type { ShowOperation } from "../conversation/vocabulary/render-operation.ts";
import type { Control } from "../platform/posting.ts";
import { markdownDialect } from "../text/markdown-dialect.ts";
import { chatScene } from "./chat-scene.ts";

export const token = "prompt_0123456789abcdefghijk3v9qx";
export const session = "sess_0123456789abcdefghijklmnop";

export const scene = {
	session,
	controls: chatScene.controls,
	platform: { ...chatScene.platform, dialect: markdownDialect },
} satisfies Scene;

type Changes<Name extends "prompt.request"> = Partial<EventPayloads[Name]>;

export function approval(
	context: Changes<"prompt.request">["context"] = {},
	changes: Changes<"prompt.request"> = {},
): OzzieEvent {
	return request({
		type: "confirm",
		label: "Allow run npm test?",
		context: {
			call_id: "call_1",
			tool: "run_command",
			arguments: { cmd: "npm test" },
			preview: "",
			risk: "normal",
			allow_session: false,
			notes: ["in /srv/app"],
			warnings: [],
			expires_at: "1970-01-02T00:00:00.000Z",
			...context,
		},
		...changes,
	});
}

export function elicitation(changes: Changes<"prompt.request">): OzzieEvent {
	return request({ label: "Which colour?", ...changes });
}

export function offer(
	value: string,
	changes: { label?: string; description?: string; disabled?: boolean } = {},
) {
	return { value, label: value, description: "", disabled: false, ...changes };
}

export function answered(changes: Partial<EventPayloads["prompt.response"]>): OzzieEvent {
	const payload = { token, value: true, cancelled: false, by: "discord:1:42", ...changes };
	return event("prompt.response", payload);
}

export function closed(reason: string, by?: string, of = token): OzzieEvent {
	return event("prompt.closed", { token: of, reason, ...defined({ by }) });
}

export function reminded(of = token): OzzieEvent {
	return event("prompt.reminder", { token: of, label: "?", expires_at: "", run_id: "run_1" });
}

/** Returns the token of a call in a reply. `number` is 1 for the first call. */
export function tokenOf(number: number): string {
	return number === 1 ? token : `prompt_0123456789abcdefghijk3v9q${number}`;
}

/** Returns one approval request for each file to write. The calls belong to one reply. */
export function writes(
	paths: readonly string[],
	{
		from = 1,
		context = {},
	}: { readonly from?: number; readonly context?: Changes<"prompt.request">["context"] } = {},
): OzzieEvent[] {
	return paths.map((path, index) =>
		approval(
			{
				call_id: `call_${from + index}`,
				tool: "write_file",
				notes: [],
				arguments: { path, content: "hi" },
				preview: `+++ ${path}\n+hi`,
				...context,
				reply: { id: "run_1/1", place: index + 1, count: paths.length },
			},
			{ token: tokenOf(from + index), label: `Allow write ${path}?` },
		),
	);
}

/** Reduces events that are a second apart, and returns the state and the posts. */
export function play(
	events: readonly OzzieEvent[],
	where: Scene = scene,
): { readonly slice: QuestionsSlice; readonly posts: readonly ShowOperation[] } {
	let { empty: slice }: { empty: QuestionsSlice } = questions;
	const posts: ShowOperation[] = [];
	for (const [index, each] of events.entries()) {
		const at = (index + 1) * 1000;
		const step = questions.reduce(slice, { seq: index + 1, at, event: each }, { ...where, at });
		slice = step.slice;
		posts.push(...step.operations.filter((operation) => operation.type === "show"));
	}
	return { slice, posts };
}

export function read({
	text,
	foot,
	controls = [],
}: {
	readonly text: string;
	readonly foot?: string;
	readonly controls?: readonly (readonly Control[])[];
}): string {
	const rows = controls.map((row) => row.map(readControl).join(" "));
	return definedItems([text, foot === undefined ? undefined : `(${foot})`, ...rows]).join("\n");
}

function readControl(control: Control): string {
	if (control.type !== "choice") return `[${control.label}]`;
	const { minimum, maximum, options, placeholder } = control;
	return `{${placeholder} ${minimum}-${maximum}: ${options.map(({ label }) => label).join(" | ")}}`;
}

function request(changes: Changes<"prompt.request">): OzzieEvent {
	return event("prompt.request", {
		type: "text",
		label: "?",
		token,
		required: true,
		options: [],
		default: null,
		placeholder: "",
		validation: "",
		context: {},
		...changes,
	});
}

export function event<
	Name extends
		| "prompt.request"
		| "prompt.vote"
		| "prompt.response"
		| "prompt.closed"
		| "prompt.reminder"
		| "session.deleted",
>(name: Name, payload: EventPayloads[Name]): OzzieEvent {
	const frame = { type: "event", event: name, session_id: session, seq: 1, payload };
	// The cast is safe because the payload matches the event's name. The compiler cannot infer that through a type parameter.
	return frame as unknown as OzzieEvent;
}
