import { eachLine } from "../measure/each-line.ts";

/** The floor: reads each JSON line and writes it again. */
eachLine((line) => {
	process.stdout.write(`${JSON.stringify(JSON.parse(line))}\n`);
});
