import { visibleLine } from "../text/visible.ts";

interface CommandEnd {
	readonly reason: "exited" | "stopped" | "timed_out" | "gateway" | "failed";
	readonly exit_code?: number;
	readonly by?: string;
}

/** Text after the number of a running command: its state. */
export const commandRunning = "is running";

/** Returns how a command ended, as the text after its number or name. */
export function commandEnd({ reason, exit_code: code, by }: CommandEnd): string {
	switch (reason) {
		case "exited":
			return code === undefined ? "was ended by a signal" : `ended with exit code ${code}`;
		case "stopped":
			return by === undefined ? "was stopped" : `was stopped by ${visibleLine(by)}`;
		case "timed_out":
			return "reached its time limit";
		case "gateway":
			return "ended with the gateway";
		case "failed":
			return "failed to start";
	}
}
