/** Who acts. `agent` is the model itself: it holds no right on the gateway, whatever it writes. */
export type PrincipalKind = "operator" | "observer" | "connector" | "agent";

export interface Principal {
	/** Stable and unique, for instance `operator` or `connector:discord`; keys and sessions are owned by it. */
	readonly id: string;
	readonly kind: PrincipalKind;
}

/** The operator of this gateway: one operator is one trust boundary. */
export const operator: Principal = { id: "operator", kind: "operator" };
