import type { IncomingHttpHeaders } from "node:http";
import type { MessageCreateParamsStreaming, Usage } from "@anthropic-ai/sdk/resources/messages";

export interface ReceivedRequest {
	readonly headers: IncomingHttpHeaders;
	readonly bytes: Buffer;
	/** Parsed body. Matches its type only if the request is valid. */
	readonly body: MessageCreateParamsStreaming;
	/** Prompt tokens counted by the simulator. 0 for an invalid request. */
	promptTokens: number;
	/** Usage counted by the simulator. Undefined unless the answer is a streamed reply. */
	usage: Usage | undefined;
	/** Resolves when the response closes, with true if the connection ended before the response was complete. */
	readonly abandoned: Promise<boolean>;
}
