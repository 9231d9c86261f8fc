import * as z from "zod";

const Counts = {
	input: z.int().min(0),
	output: z.int().min(0),
	cache_read: z.int().min(0),
	cache_write: z.int().min(0),
	cost_usd: z.number().min(0),
};
const Usage = z.strictObject(Counts);

const Text = z.strictObject({ type: z.literal("text"), text: z.string() });
const Image = z.strictObject({ type: z.literal("image"), mime_type: z.string(), bytes: z.int().min(1) });
const Called = { id: z.string().min(1), name: z.string().min(1), args: z.unknown() };
const Call = z.strictObject({ type: z.literal("tool_call"), ...Called });
const Given = z.array(z.union([Text, Image]));
const Result = z.strictObject({
	...{ type: z.literal("tool_result"), call_id: z.string().min(1), is_error: z.boolean() },
	content: Given,
});

const Time = z.iso.datetime();

const Message = z.discriminatedUnion("role", [
	z.strictObject({ role: z.literal("user"), content: Given, time: Time }),
	z.strictObject({ role: z.literal("assistant"), content: z.array(z.union([Text, Call])), time: Time }),
	z.strictObject({ role: z.literal("tool"), content: z.array(Result), time: Time }),
]);

const Model = z.strictObject({
	...{ id: z.string().min(1), provider: z.string().min(1), reasoning: z.boolean() },
	...{ context_window: z.int().min(1), max_output: z.int().min(1) },
	usd_per_million: z
		.strictObject({ input: z.number(), output: z.number(), cache_read: z.number(), cache_write: z.number() })
		.optional(),
});

const Id = z.union([z.string(), z.number()]);
const Started = z.strictObject({ started: z.literal(true) });
const Reasoning = z.enum(["off", "low", "medium", "high", "xhigh", "max"]);
const Queued = z.strictObject({
	...{ id: Id.optional(), type: z.enum(["prompt", "compact"]) },
	...{ message: z.string().optional(), images: z.int().min(0).optional() },
});

/** Schemas by command. Undefined for commands without data. */
const data: Readonly<Record<string, z.ZodType | undefined>> = {
	hello: z.strictObject({
		...{ protocol_version: z.literal(1), version: z.string().min(1) },
		...{ provider: z.string().min(1), model: z.string().min(1) },
	}),
	prompt: Started,
	compact: Started,
	abort: undefined,
	get_state: z.strictObject({
		...{ provider: z.string().min(1), model: z.string().min(1), cwd: z.string().min(1) },
		...{ message_count: z.int().min(0), busy: z.boolean(), usage: Usage },
		reasoning: Reasoning.nullable(),
	}),
	get_messages: z.strictObject({ messages: z.array(Message), omitted: z.int().min(1).optional() }),
	clear: undefined,
	set_model: z.strictObject({ model: z.string().min(1) }),
	get_models: z.strictObject({ models: z.array(Model) }),
	ping: z.strictObject({ pong: z.literal(true) }),
	set_reasoning: z.strictObject({ reasoning: Reasoning }),
	approve: undefined,
	queue: z.strictObject({ active: Queued.nullable(), queued: z.array(Queued) }),
	cancel_queued: undefined,
};

export const commandNames: readonly string[] = Object.keys(data);

const named = { type: z.literal("response"), id: Id.exactOptional(), command: z.string() };
const Success = z.strictObject({ ...named, success: z.literal(true), data: z.unknown().optional() });
const Failure = z.strictObject({ ...named, success: z.literal(false), error: z.string().min(1) });

/**
 * Id of the `prompt` or `compact` command that caused the event. The `id` of an event identifies a tool call or an
 * `ask`.
 */
const of = { request_id: Id.exactOptional() };

const events = [
	z.strictObject({ type: z.literal("turn_start"), step: z.int().min(1), ...of }),
	z.strictObject({ type: z.literal("user_message"), content: Given, time: Time, ...of }),
	z.strictObject({ type: z.literal("assistant_start"), ...of }),
	z.strictObject({ type: z.literal("thinking_delta"), delta: z.string().min(1), ...of }),
	z.strictObject({ type: z.literal("text_delta"), delta: z.string().min(1), ...of }),
	z.strictObject({ type: z.literal("tool_use_start"), id: z.string().min(1), name: z.string(), ...of }),
	z.strictObject({
		...{ type: z.literal("tool_use_args"), id: z.string().min(1), delta: z.string().min(1) },
		...of,
	}),
	z.strictObject({ type: z.literal("tool_use_end"), id: z.string().min(1), ...of }),
	z.strictObject({ type: z.literal("tool_call"), ...Called, ...of }),
	z.strictObject({ type: z.literal("tool_progress"), id: z.string().min(1), text: z.string().min(1), ...of }),
	z.strictObject({
		...{ type: z.literal("tool_result"), id: z.string().min(1), is_error: z.boolean() },
		...{ content: Given, ...of },
	}),
	z.strictObject({
		type: z.literal("assistant_message"),
		content: z.array(z.union([Text, Call])).min(1),
		...{ time: Time, ...of },
	}),
	z.strictObject({
		...{ type: z.literal("usage"), ...Counts, cumulative: Usage },
		...{ auxiliary: z.literal(true).exactOptional(), ...of },
	}),
	z.strictObject({
		type: z.literal("turn_end"),
		stop: z.enum(["end_turn", "tool_use", "length", "error", "aborted"]),
		...{ error: z.string().min(1).exactOptional(), ...of },
	}),
	z.strictObject({ type: z.literal("done"), ...of }),
	z.strictObject({ type: z.literal("error"), message: z.string().min(1), ...of }),
	z.strictObject({ type: z.literal("compact_done"), summary: z.string().min(1), ...of }),
	z.strictObject({
		...{ type: z.literal("ask"), id: z.string().min(1), call_id: z.string().min(1), tool: z.string().min(1) },
		...{ args: z.unknown(), label: z.string().min(1), preview: z.string(), risk: z.string() },
		...{ notes: z.array(z.string()), can_remember: z.boolean(), ...of },
	}),
] as const;

const Frame = z.union([Success, Failure, ...events]);
export type ZotFrame = z.infer<typeof Frame>;
export type ZotType = ZotFrame["type"];
export type ZotResponse = Extract<ZotFrame, { type: "response" }>;

/** Validates a parsed line. Throws unless it has exactly the documented form. */
export function readZotFrame(value: unknown): ZotFrame {
	const frame = Frame.parse(value);
	if (frame.type !== "response" || !frame.success) return frame;
	if (!Object.hasOwn(data, frame.command)) throw new Error(`success of the command ${frame.command}`);
	const form = data[frame.command] ?? z.undefined();
	form.parse(frame.data);
	return frame;
}
