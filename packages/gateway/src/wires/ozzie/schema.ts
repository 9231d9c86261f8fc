import type { ParleyError } from "@parley/base";
import type { MethodName, MethodParams, OnBehalf, RequestFrame } from "@parley/protocol";

/** A well-formed request for an existing method. */
export type Request = {
	[Name in MethodName]: {
		readonly id: string;
		readonly method: Name;
		readonly params: MethodParams<Name>;
		readonly sessionId: string | undefined;
		readonly onBehalf: OnBehalf;
	};
}[MethodName];

export type DecodedFrame = { readonly kind: "request"; readonly request: Request } | RefusedFrame;

export interface RefusedFrame {
	readonly kind: "refused";
	readonly id: string | undefined;
	readonly reason: ParleyError;
	/** The frame, if its form is valid. */
	readonly frame?: RequestFrame;
}
