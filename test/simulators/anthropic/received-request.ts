import type { IncomingHttpHeaders } from "node:http";
import type { MessageCreateParamsStreaming, Usage } from "@anthropic-ai/sdk/resources/messages";

export interface ReceivedRequest {
	readonly headers: IncomingHttpHeaders;
	readonly bytes: Buffer;
	/** The parsed body. A refused request may have a different shape. */
	readonly body: MessageCreateParamsStreaming;
	/** Tokens of the prompt, counted by the simulator. 0 for a refused request. */
	promptTokens: number;
	/** Usage counted by the simulator. Present after a streamed response. */
	usage: Usage | undefined;
	/** Resolves when the response ends. The value is true if the client disconnected before the end. */
	readonly abandoned: Promise<boolean>;
}
