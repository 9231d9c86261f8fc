import { processIo } from "./command-line/io.ts";
import { run } from "./run.ts";

// A reader of the output, for example `head`, may close the pipe. The process then ends.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
	process.exit(error.code === "EPIPE" ? 0 : 1);
});

process.exitCode = await run(process.argv.slice(2), processIo());
