import { eachLine } from "../measure/each-line.ts";

/** The floor: reads each line of JSON and writes it again. */
eachLine((line) => {
	process.stdout.write(`${JSON.stringify(JSON.parse(line))}\n`);
});
