import { eachLine } from "../measure/each-line.ts";

/** The floor: each line of JSON is read, and written again. */
eachLine((line) => {
	process.stdout.write(`${JSON.stringify(JSON.parse(line))}\n`);
});
