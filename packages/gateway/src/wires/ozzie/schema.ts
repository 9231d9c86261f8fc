import type { ParleyError } from "@parley/base";
import type { MethodName, MethodParams, OnBehalf, RequestFrame } from "@parley/protocol";

/** A request that is well-formed and names a method that exists. */
export type Request = {
	[Name in MethodName]: {
		readonly id: string;
		readonly method: Name;
		readonly params: MethodParams<Name>;
		readonly sessionId: string | undefined;
		/** What a connector says of the person it acts for. */
		readonly onBehalf: OnBehalf;
	};
}[MethodName];

/** What a text frame turned out to be: `id` is there where it could be read, for the answer. */
export type Decoded = { readonly kind: "request"; readonly request: Request } | RefusedFrame;

export interface RefusedFrame {
	readonly kind: "refused";
	readonly id: string | undefined;
	readonly reason: ParleyError;
	/** The frame, if its parameters are what is wrong. */
	readonly frame?: Pick<RequestFrame, "method" | "params">;
}
