import { readFileSync } from "node:fs";
import { homeDirectory, ownAccount } from "@parley/base/own-account";
import { type OperatorCommandResult, runOperatorCommand } from "@parley/core";
import type { Io } from "../command-line/io.ts";

interface RunOptions {
	/** Receives each line of the output. The result then contains no output. */
	onLine?(line: string): void;
	readonly signal?: AbortSignal;
	readonly environment?: Io["environment"];
}

/** The machine and the user account for which the command manages services. */
export interface Machine {
	readonly platform: NodeJS.Platform;
	readonly isWsl: boolean;
	readonly uid: number;
	readonly username: string;
	readonly home: string;
	readonly environment: Io["environment"];
	/** Directory of the system units. By default, systemd's directory. */
	readonly systemUnits?: string;
	/** Runs a program of the system. Rejects with `not_found` if the program does not exist. */
	run(command: string, args: readonly string[], more?: RunOptions): Promise<OperatorCommandResult>;
}

export function thisMachine({ environment }: { readonly environment: Io["environment"] }): Machine {
	const { username, uid } = ownAccount();
	return {
		platform: process.platform,
		isWsl: isWsl(),
		uid,
		username,
		home: environment["HOME"] || homeDirectory(),
		environment,
		run: (command, args, more) => runOperatorCommand({ command, args, environment, ...more }),
	};
}

/** Whether the machine is WSL: https://learn.microsoft.com/windows/wsl/about */
function isWsl(): boolean {
	try {
		return /microsoft/i.test(readFileSync("/proc/version", "utf8"));
	} catch {
		return false;
	}
}
