import type { IncomingHttpHeaders } from "node:http";
import type { MessageCreateParamsStreaming, Usage } from "@anthropic-ai/sdk/resources/messages";

export interface ReceivedRequest {
	readonly headers: IncomingHttpHeaders;
	readonly bytes: Buffer;
	/** The parsed body. A refused request may have a different shape. */
	readonly body: MessageCreateParamsStreaming;
	/** Tokens of the prompt, counted by the simulator. 0 until the request is accepted. */
	promptTokens: number;
	/** Usage counted by the simulator. Set when a streamed response starts. */
	usage: Usage | undefined;
	/**
	 * Resolves when the response closes. The value is true if the connection ended before the response was complete.
	 */
	readonly abandoned: Promise<boolean>;
}
