import type { IncomingHttpHeaders } from "node:http";
import type { MessageCreateParamsStreaming, Usage } from "@anthropic-ai/sdk/resources/messages";

export interface ReceivedRequest {
	readonly headers: IncomingHttpHeaders;
	readonly bytes: Buffer;
	/** The parsed bytes. A refused request may have another shape. */
	readonly body: MessageCreateParamsStreaming;
	/** Tokens of the prompt by the simulator's count. 0 for a refused request. */
	promptTokens: number;
	/** Usage by the simulator's count, after it has answered with a stream. */
	usage: Usage | undefined;
	/** Resolves at the end of the response. True if the client disconnected before its end. */
	readonly abandoned: Promise<boolean>;
}
