import { ParleyError, parseJson } from "@parley/base";
import type { Form } from "@parley/connector";
import * as z from "zod";
import { id, ts } from "../intake/wire.ts";

/** What our forms are known by when they come back. */
export const formId = "parley-form";

/** Where a form was opened, and by which control: Slack gives it back with what was written. */
const Metadata = z.object({
	control: z.string(),
	channel: id,
	thread: ts.optional(),
	message: z.string().optional(),
});
export type Metadata = z.output<typeof Metadata>;

/** https://docs.slack.dev/reference/block-kit/blocks/input-block and .../elements/plain-text-input-element */
const most = { title: 24, label: 2000, text: 3000 } as const;

/** The view of a form, whose fields are blocks of their names. */
export function viewOf({ title, fields }: Form, metadata: Metadata): Readonly<Record<string, unknown>> {
	return {
		type: "modal",
		callback_id: formId,
		private_metadata: JSON.stringify(metadata),
		title: plain(title.slice(0, most.title)),
		submit: plain("Send"),
		close: plain("Cancel"),
		blocks: fields.map(({ name, label, long, required, most: longest }) => ({
			...{ type: "input", block_id: name, optional: !required, label: plain(label.slice(0, most.label)) },
			element: {
				...{ type: "plain_text_input", action_id: name, multiline: long },
				max_length: Math.min(longest, most.text),
			},
		})),
	};
}

/** Undefined for what `viewOf` has not written. */
export function readMetadata(text: string): Metadata | undefined {
	try {
		return Metadata.safeParse(parseJson(text)).data;
	} catch (error) {
		if (error instanceof ParleyError && error.code === "invalid_argument") return undefined;
		throw error;
	}
}

/** Says below the first field why what was written was not taken; the form stays open with it. */
export function notTaken(fields: readonly string[], words: string): Readonly<Record<string, unknown>> {
	const [first = "text"] = fields;
	return { response_action: "errors", errors: { [first]: words } };
}

function plain(text: string): object {
	return { type: "plain_text", text };
}
