import { Controls } from "../controls/controls.ts";
import type { RecordedEvent, Reducer, Scene } from "../conversation/vocabulary/reducer.ts";
import type { RenderOperation } from "../conversation/vocabulary/render-operation.ts";
import type { Control } from "../platform/posting.ts";

/** Scene on a platform that shows times in seconds since the epoch, and people as `@id`. */
export const chatScene: Scene = {
	session: "sess_1",
	controls: new Controls("the secret of a test"),
	platform: {
		limits: {
			post: 2000,
			postsPerAnswer: 5,
			buttonLabel: 80,
			controlsPerRow: 5,
			controlRows: 5,
			options: 25,
			optionText: 100,
			threadName: 40,
			form: { fields: 5, name: 98, text: 4000 },
		},
		moment: (at, from) => `{${from === undefined ? "" : "until "}${at / 1000} s}`,
		person: (id) => `@${id}`,
		command: (name) => `/${name}`,
	},
};

/** The time of an event in seconds since the epoch, and the event. */
export type TimedEvent = readonly [second: number, event: RecordedEvent["event"]["event"], payload: object];

export function reduceTimedEvents<Slice>(
	part: Reducer<Slice>,
	happenings: readonly TimedEvent[],
	{ scene = chatScene, slice = part.empty }: { readonly scene?: Scene; readonly slice?: Slice } = {},
): { readonly slice: Slice; readonly shown: readonly (readonly RenderOperation[])[] } {
	let known = slice;
	const shown = happenings.map(([second, event, payload], index) => {
		// The cast is safe because tests pass a payload that matches the event.
		const recorded = {
			seq: index + 1,
			at: second * 1000,
			event: { event, payload },
		} as unknown as RecordedEvent;
		const step = part.reduce(known, recorded, { ...scene, at: recorded.at });
		known = step.slice;
		return step.operations;
	});
	return { slice: known, shown };
}

export function written(operation: RenderOperation): string {
	const { lane, task } = operation;
	const order = task === undefined ? "room" : "task";
	if (operation.type === "delete") return `${lane} ${order} delete ${operation.card}`;
	if (operation.type === "thread") return `${lane} ${order} thread "${operation.name}" of ${operation.card}`;
	if (operation.type === "react") {
		const { card, emoji, notice } = operation;
		const posted = notice === undefined ? "" : ` or ${written(notice)}`;
		return `${lane} ${order} ${card} ${emoji ?? "none"}${posted}`;
	}
	if (operation.type === "title") return `${lane} ${order} title "${operation.title}"`;
	const { card, thread, text, foot, mentions = [], opens, controls = [] } = operation;
	const where = `${lane} ${order}${thread === undefined ? "" : " in thread"}${card === undefined ? "" : ` ${card}`}`;
	const below = foot === undefined ? "" : `\n(${foot})`;
	const link = opens === undefined ? "" : `[${opens.label} ${opens.card}]`;
	const buttons = controls.flat().map(labelOf).join("") + link;
	const notified = mentions.map((id) => `<@${id}> `).join("");
	return `${where}: ${notified}${text}${below}${buttons === "" ? "" : `\n${buttons}`}`;
}

function labelOf(control: Control): string {
	return `[${"label" in control ? control.label : control.placeholder}]`;
}
