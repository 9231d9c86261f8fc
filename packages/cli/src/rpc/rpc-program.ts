import { Command } from "commander";
import { rpcCommand } from "../commands/rpc.ts";
import type { Io } from "../io.ts";
import { programName } from "../program-name.ts";
import { explainUsage } from "../usage.ts";
import { version } from "../version.ts";

/** The command line of `parley rpc` alone: programs wait for its start, and the other commands take as long to load as it does. */
export function createRpcProgram(io: Io): Command {
	const program = new Command(programName()).helpCommand(false).addCommand(rpcCommand(io, version));
	return explainUsage(program, io);
}
