import { eachLine } from "../measure/each-line.ts";

// The floor: parses each JSON line and writes it back.
eachLine((line) => {
	process.stdout.write(`${JSON.stringify(JSON.parse(line))}\n`);
});
