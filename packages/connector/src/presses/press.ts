import type { ControlKind } from "../controls/control-kind.ts";
import type { ControlTarget } from "../controls/controls.ts";
import type { HandledEvent, HandlerContext, Reply } from "../rooms/handler-context.ts";

/**
 * Handles a press. Without a reply, the post of the control shows the result. Rejects with the gateway's
 * refusal.
 */
export type PressHandler = (
	context: HandlerContext,
	handled: HandledEvent<"press">,
	target: ControlTarget,
) => Promise<Reply | undefined>;

/** Handlers of presses, one for each kind of control in `Kind`. */
export type PressHandlers<Kind extends ControlKind> = { readonly [K in Kind]: PressHandler };
