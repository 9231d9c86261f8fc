import type { IncomingHttpHeaders } from "node:http";
import type { MessageCreateParamsStreaming, Usage } from "@anthropic-ai/sdk/resources/messages";

/** A request for a message as it came, verbatim. */
export interface ReceivedRequest {
	readonly headers: IncomingHttpHeaders;
	readonly bytes: Buffer;
	/** The parsed bytes. A request that was refused may have another shape. */
	readonly body: MessageCreateParamsStreaming;
	/** Tokens of the prompt by the simulator's count. 0 for a refused request. */
	promptTokens: number;
	/** Usage by the simulator's count, once it answers with a stream. */
	usage: Usage | undefined;
	/** Resolves when the response is over: true where the client went before its end. */
	readonly abandoned: Promise<boolean>;
}
