import type { Scope, ServicePlan } from "./service-plan.ts";

export type ServiceCondition = "running" | "starting" | "stopping" | "stopped" | "failed";

/** A service as its manager reports it. */
export interface ServiceState {
	readonly condition: ServiceCondition;
	/** Whether it starts with the machine or the login. */
	readonly enabled: boolean;
	readonly pid?: number;
	/** Reason of a failure, in the words of the manager. */
	readonly reason?: string;
}

/** systemd or launchd, in one scope. Methods reject with an error that names the fix. */
export interface ServiceManager {
	readonly kind: "systemd" | "launchd";
	readonly scope: Scope;
	/** Path of the description of a service. */
	fileOf(name: string): string;
	describe(plan: ServicePlan): Promise<string>;
	/** Rejects if the manager cannot be used on this machine or by this user. */
	check(): Promise<void>;
	/** Reads the description, lets the service start with the machine, and starts it, or starts it again. */
	start(name: string): Promise<void>;
	/** Stops the service, and lets it no longer start with the machine. */
	stop(name: string): Promise<void>;
	/** Called after the description was removed. */
	forget(name: string): Promise<void>;
	state(name: string): Promise<ServiceState>;
	/** Facts for the operator after an installation, for example about logouts. */
	afterInstall(name: string): Promise<readonly string[]>;
	/** Command that shows the log without Parley; undefined for launchd. */
	logCommand(name: string): string | undefined;
}
