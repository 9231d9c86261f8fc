import type { ControlKind } from "../controls/control-kind.ts";
import type { ControlTarget } from "../controls/controls.ts";
import type { HandledEvent, HandlerContext, Reply } from "../rooms/handler-context.ts";

/** What a press does; without a reply its post shows by itself what came of it. Rejects with the gateway's refusal. */
export type PressHandler = (
	context: HandlerContext,
	handled: HandledEvent<"press">,
	target: ControlTarget,
) => Promise<Reply | undefined>;

/** What presses of some kinds do. */
export type PressHandlers<Kind extends ControlKind> = { readonly [K in Kind]: PressHandler };
