import type { IncomingHttpHeaders } from "node:http";
import type { MessageCreateParamsStreaming, Usage } from "@anthropic-ai/sdk/resources/messages";

export interface ReceivedRequest {
	readonly headers: IncomingHttpHeaders;
	readonly bytes: Buffer;
	/** The parsed body. A refused request may have a different shape. */
	readonly body: MessageCreateParamsStreaming;
	/** Tokens of the prompt, as the simulator counts them. 0 until the request is accepted. */
	promptTokens: number;
	/** Usage, as the simulator counts it. Set when a streamed response starts. */
	usage: Usage | undefined;
	/** Resolves when the response closes, with true if the connection ended before the response was complete. */
	readonly abandoned: Promise<boolean>;
}
