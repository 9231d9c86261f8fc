import type { IncomingHttpHeaders } from "node:http";
import type { MessageCreateParamsStreaming, Usage } from "@anthropic-ai/sdk/resources/messages";

/** A request for a message as it came, verbatim. */
export interface ReceivedRequest {
	readonly headers: IncomingHttpHeaders;
	readonly bytes: Buffer;
	/** The parsed bytes. A request that was refused may have another shape. */
	readonly body: MessageCreateParamsStreaming;
	/** All tokens of the prompt, as the simulator counts; 0 where it was refused. */
	promptTokens: number;
	/** What the simulator counted, once it answers with a stream. */
	usage: Usage | undefined;
	/** Resolves when the response is over: true where the client went before its end. */
	readonly abandoned: Promise<boolean>;
}
