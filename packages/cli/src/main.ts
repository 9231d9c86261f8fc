import { processIo } from "./command-line/io.ts";
import { run } from "./run.ts";

// Whoever reads our output may stop reading, as `head` does: then there is nobody left to work for.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
	process.exit(error.code === "EPIPE" ? 0 : 1);
});

process.exitCode = await run(process.argv.slice(2), processIo());
