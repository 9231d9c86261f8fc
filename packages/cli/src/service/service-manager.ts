import type { Scope, ServicePlan } from "./service-plan.ts";

export type ServiceCondition = "running" | "starting" | "stopping" | "stopped" | "failed";

/** State of a service as its manager reports it. */
export interface ServiceState {
	readonly condition: ServiceCondition;
	/** Whether the service starts automatically, at boot or at login. */
	readonly enabled: boolean;
	readonly pid?: number;
	/** Reason for a failure, in the manager's words. */
	readonly reason?: string;
}

/** systemd or launchd in one scope. */
export interface ServiceManager {
	readonly kind: "systemd" | "launchd";
	readonly scope: Scope;
	/** Returns the path of a service's description. */
	fileOf(name: string): string;
	describe(plan: ServicePlan): Promise<string>;
	/** Rejects if the manager cannot be used on this machine or by this user. */
	check(): Promise<void>;
	/** Loads the description of the service, enables the automatic start, and starts or restarts the service. */
	start(name: string): Promise<void>;
	/** Stops the service. Under systemd, also disables its automatic start. */
	stop(name: string): Promise<void>;
	/** Makes the manager forget a service whose description has been removed. */
	forget(name: string): Promise<void>;
	state(name: string): Promise<ServiceState>;
	/**
	 * Completes an installation. A user service of systemd then also runs while its user is logged out. Resolves with
	 * notes for the operator.
	 */
	afterInstall(name: string): Promise<readonly string[]>;
}
