import { chmodSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { join } from "node:path";
import { PassThrough, Readable } from "node:stream";
import { json, text } from "node:stream/consumers";
import type { ReadStream, WriteStream } from "node:tty";
import { createProgram } from "@parley/cli/program";

interface Call {
	readonly args: readonly string[];
	readonly cwd: string;
	readonly input: string;
}

/** Program that sends a call to the test process and prints the result. */
const client = `#!${process.execPath}
const { readFileSync } = require("node:fs");
const body = JSON.stringify({ args: process.argv.slice(2), cwd: process.cwd(), input: readFileSync(0, "utf8") });
const socketPath = require("node:path").join(__dirname, "calls.sock");
require("node:http").request({ socketPath, method: "POST" }, async (response) => {
	const { out, error, code } = JSON.parse((await response.toArray()).join(""));
	process.stdout.write(out);
	process.stderr.write(error);
	process.exitCode = code;
}).end(body);
`;

/**
 * A `parley` program for shells without a terminal. It runs its commands in the test process, because each start of
 * Parley would use half a second of CPU time.
 */
export class CommandHere {
	/** Directory that contains the program, for the PATH of a shell. */
	readonly folder: string;
	readonly #server: Server;

	private constructor(folder: string, environment: NodeJS.ProcessEnv) {
		this.folder = folder;
		this.#server = createServer(async (request, response) => {
			response.end(JSON.stringify(await answer((await json(request)) as Call, environment)));
		});
	}

	static async open(folder: string, environment: NodeJS.ProcessEnv): Promise<CommandHere> {
		mkdirSync(folder);
		writeFileSync(join(folder, "parley"), client);
		chmodSync(join(folder, "parley"), 0o755);
		const command = new CommandHere(folder, environment);
		const { promise, resolve } = Promise.withResolvers<void>();
		command.#server.listen(join(folder, "calls.sock"), resolve);
		await promise;
		return command;
	}

	close(): void {
		this.#server.close();
		rmSync(this.folder, { recursive: true, force: true });
	}
}

async function answer({ args, cwd, input }: Call, environment: NodeJS.ProcessEnv) {
	const [out, error] = [new PassThrough(), new PassThrough()];
	const io = {
		stdin: Readable.from(input === "" ? [] : [Buffer.from(input)]) as ReadStream,
		stdout: out as unknown as WriteStream,
		stderr: error as unknown as WriteStream,
		...{ environment, cwd, exitCode: 0 },
	};
	const printed = Promise.all([text(out), text(error)]);
	try {
		await createProgram(io, args).parseAsync([...args], { from: "user" });
	} catch (reason) {
		io.exitCode = 1;
		error.write(String(reason));
	}
	out.end();
	error.end();
	const [outText, errorText] = await printed;
	return { out: outText, error: errorText, code: io.exitCode };
}
