import { join } from "node:path";
import { delay, ParleyError, systemClock } from "@parley/base";
import { defined } from "@parley/base/defined";
import type { OperatorCommandResult } from "@parley/core";
import { serviceErrors } from "../texts/service.ts";
import { labelOf, launchdPlist } from "./launchd-plist.ts";
import type { Machine } from "./machine.ts";
import type { ServiceManager, ServiceState } from "./service-manager.ts";
import type { Scope } from "./service-plan.ts";
import { stopSeconds } from "./systemd-unit.ts";

const pollMs = 200;
/** Exit code of `launchctl print` for a job that is not loaded: "Could not find service". */
const notFound = 113;

/** Creates a manager that uses launchctl(1) with the subcommands of macOS 10.11 and later. */
export function launchdManager(scope: Scope, machine: Machine): ServiceManager {
	const domain = scope === "system" ? "system" : `gui/${machine.uid}`;
	const call = (...args: readonly string[]): Promise<OperatorCommandResult> => machine.run("launchctl", args);
	const succeed = async (...args: readonly string[]): Promise<void> => {
		const { code, errors } = await call(...args);
		if (code !== 0) throw failed(args, errors);
	};
	const targetOf = (name: string): string => `${domain}/${labelOf(name)}`;
	const print = (name: string): Promise<OperatorCommandResult> => call("print", targetOf(name));
	const fileOf = (name: string): string => join(directoryOf(scope, machine), `${labelOf(name)}.plist`);
	const unload = async (name: string): Promise<void> => {
		if ((await print(name)).code === notFound) return;
		// The job receives SIGTERM and has time to end. `launchctl bootout` may return before the job has ended.
		await call("bootout", targetOf(name));
		await waitUntil(async () => (await print(name)).code === notFound);
	};
	return {
		kind: "launchd",
		scope,
		fileOf,
		describe: async (plan) => launchdPlist(plan),
		check: async () => {
			if (scope === "system" && machine.uid !== 0) {
				throw new ParleyError(serviceErrors.needsRoot, { code: "failed_precondition" });
			}
			const { code, errors } = await call("print", domain);
			if (code === 0) return;
			throw new ParleyError(serviceErrors.noDomain({ domain, reason: errors.trim() }), {
				code: "failed_precondition",
			});
		},
		start: async (name) => {
			await unload(name);
			await succeed("enable", targetOf(name));
			await succeed("bootstrap", domain, fileOf(name));
		},
		stop: unload,
		forget: async () => undefined,
		state: async (name) => readState(await print(name)),
		afterInstall: async () => [],
	};
}

function directoryOf(scope: Scope, { home }: Machine): string {
	return scope === "system" ? "/Library/LaunchDaemons" : join(home, "Library/LaunchAgents");
}

/** Reads the output: `state = running`, `pid = 123` and `last exit code = 1`. A loaded job starts automatically. */
function readState({ code, output }: OperatorCommandResult): ServiceState {
	if (code !== 0) return { condition: "stopped", enabled: false };
	const fact = (name: string): string | undefined =>
		new RegExp(`^\\s*${name} = (.*)$`, "m").exec(output)?.[1];
	const pid = Number(fact("pid") ?? 0);
	const exit = Number(/^\d+/.exec(fact("last exit code") ?? "")?.[0] ?? 0);
	const isRunning = fact("state") === "running";
	return defined({
		condition: isRunning ? "running" : exit === 0 ? "stopped" : "failed",
		enabled: true,
		pid: pid > 0 ? pid : undefined,
		reason: !isRunning && exit !== 0 ? `exit code ${exit}` : undefined,
	});
}

async function waitUntil(isDone: () => Promise<boolean>): Promise<void> {
	const end = systemClock.monotonic() + (stopSeconds + 5) * 1000;
	while (!(await isDone())) {
		if (systemClock.monotonic() > end) {
			throw new ParleyError(serviceErrors.stillRuns, {
				code: "unavailable",
			});
		}
		await delay(systemClock, pollMs);
	}
}

function failed(args: readonly string[], errors: string): ParleyError {
	const reason = errors.trim().split("\n")[0] || serviceErrors.noReason;
	const call = `launchctl ${args.join(" ")}`;
	return new ParleyError(serviceErrors.callFailed({ call, reason }), { code: "failed_precondition" });
}
