import { existsSync } from "node:fs";
import { join } from "node:path";
import { ParleyError } from "@parley/base";
import { defined } from "@parley/base/defined";
import type { OperatorCommandResult } from "@parley/core";
import { serviceErrors } from "../texts/service.ts";
import type { Machine } from "./machine.ts";
import type { ServiceCondition, ServiceManager, ServiceState } from "./service-manager.ts";
import type { Scope } from "./service-plan.ts";
import { systemdUnit } from "./systemd-unit.ts";

/** A systemd version that supports all settings of the unit. */
const recentVersion = 255;

/** Creates a manager that uses systemctl(1) and loginctl(1). */
export function systemdManager(scope: Scope, given: Machine): ServiceManager {
	const machine = withRuntimeDirectory(scope, given);
	const option = scope === "user" ? ["--user"] : [];
	const call = (...args: readonly string[]): Promise<OperatorCommandResult> =>
		machine.run("systemctl", [...option, ...args]);
	const succeed = async (...args: readonly string[]): Promise<void> => {
		const { code, errors } = await call(...args);
		if (code !== 0) throw failed(["systemctl", ...option, ...args], errors);
	};
	return {
		kind: "systemd",
		scope,
		fileOf: (name) => join(directoryOf(scope, machine), unitOf(name)),
		describe: async (plan) => systemdUnit(plan, await versionOf(machine)),
		check: () => check(scope, machine, call),
		start: async (name) => {
			await succeed("daemon-reload");
			// After too many failures, systemd starts a service only if its failure count is reset.
			await call("reset-failed", unitOf(name));
			await succeed("enable", unitOf(name));
			await succeed("restart", unitOf(name));
		},
		stop: (name) => succeed("disable", "--now", unitOf(name)),
		forget: async (name) => {
			await succeed("daemon-reload");
			await call("reset-failed", unitOf(name));
		},
		state: async (name) => readState(await call("show", unitOf(name), `--property=${properties.join(",")}`)),
		afterInstall: async () => (scope === "user" ? linger(machine) : []),
	};
}

function unitOf(name: string): string {
	return `${name}.service`;
}

function directoryOf(scope: Scope, { environment, home, systemUnits }: Machine): string {
	if (scope === "system") return systemUnits ?? "/etc/systemd/system";
	return join(environment["XDG_CONFIG_HOME"] || join(home, ".config"), "systemd/user");
}

function withRuntimeDirectory(scope: Scope, machine: Machine): Machine {
	// `su` and `sudo -u` may not set XDG_RUNTIME_DIR. Without it, systemctl does not find the user's manager.
	const directory = `/run/user/${machine.uid}`;
	if (scope === "system" || machine.environment["XDG_RUNTIME_DIR"] || !existsSync(directory)) return machine;
	const environment = { ...machine.environment, XDG_RUNTIME_DIR: directory };
	return {
		...machine,
		environment,
		run: (command, args, more) => machine.run(command, args, { ...more, environment }),
	};
}

async function versionOf(machine: Machine): Promise<number> {
	const { output } = await machine.run("systemctl", ["--version"]).catch(() => ({ output: "" }));
	// The output begins with a line of the form `systemd 255 (255.4-1)`.
	return Number(/^systemd (\d+)/.exec(output)?.[1] ?? recentVersion);
}

async function check(
	scope: Scope,
	machine: Machine,
	call: (...args: readonly string[]) => Promise<OperatorCommandResult>,
): Promise<void> {
	const found = await call("is-system-running").catch(() => undefined);
	const state = found?.output.trim() ?? "offline";
	// The system manager reports "offline" if the first process of the machine is not systemd.
	const system =
		scope === "system" ? found : await machine.run("systemctl", ["is-system-running"]).catch(() => undefined);
	if (found === undefined || system?.output.trim() === "offline") throw noSystemd(machine);
	if (scope === "system" && machine.uid !== 0) {
		throw unusable(serviceErrors.needsRoot);
	}
	if (state !== "" && state !== "offline") return;
	const reason = firstLine(found.errors) || state;
	throw unusable(serviceErrors.unreachable({ user: machine.username, reason }));
}

function noSystemd({ isWsl }: Machine): ParleyError {
	return unusable(`${serviceErrors.noSystemd}; ${isWsl ? serviceErrors.fixWsl : serviceErrors.fixOther}`);
}

function unusable(message: string): ParleyError {
	return new ParleyError(message, { code: "failed_precondition" });
}

function failed(argv: readonly string[], errors: string): ParleyError {
	const reason = firstLine(errors) || serviceErrors.noReason;
	return unusable(serviceErrors.callFailed({ call: argv.join(" "), reason }));
}

function firstLine(text: string): string {
	return text.trim().split("\n")[0] ?? "";
}

const properties = ["LoadState", "ActiveState", "UnitFileState", "MainPID", "Result", "ExecMainStatus"];

const conditions: Readonly<Record<string, ServiceCondition>> = {
	active: "running",
	reloading: "running",
	activating: "starting",
	deactivating: "stopping",
	failed: "failed",
};

function readState({ output }: OperatorCommandResult): ServiceState {
	const facts = new Map(output.split("\n").map((line) => [line.split("=", 1)[0], line.replace(/^\w+=/, "")]));
	const condition = conditions[facts.get("ActiveState") ?? ""] ?? "stopped";
	const pid = Number(facts.get("MainPID"));
	const result = facts.get("Result") ?? "success";
	const isBad = result !== "success" && condition !== "running";
	return defined({
		condition,
		enabled: /^enabled/.test(facts.get("UnitFileState") ?? ""),
		pid: pid > 0 ? pid : undefined,
		reason: isBad ? `${result}, exit code ${facts.get("ExecMainStatus")}` : undefined,
	});
}

/**
 * Enables lingering for the user. Resolves with a note about the result, or without notes if lingering was already
 * enabled. Without lingering, a user's manager and its services end when the user's last login ends.
 */
async function linger(machine: Machine): Promise<readonly string[]> {
	const { username } = machine;
	const isOn = async (): Promise<boolean> => {
		const shown = await machine
			.run("loginctl", ["show-user", username, "--property=Linger"])
			.catch(() => undefined);
		return shown?.output.trim() === "Linger=yes";
	};
	if (await isOn()) return [];
	await machine.run("loginctl", ["--no-ask-password", "enable-linger", username]).catch(() => undefined);
	return [(await isOn()) ? serviceErrors.lingerOn : serviceErrors.lingerOff({ user: username })];
}
